"""Trajectories on disk: ``.npz`` (exact, compact) and ``.json`` (exact, for other tools)."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.errors import UserError
from fourdcb.identity import StrPath, canonical_json, write_output
from fourdcb.trajectory.model import ContactTable, Event, Trajectory
from fourdcb.trajectory.particles import ParticleTrack

FORMAT = "fourdcb.trajectory"
VERSION = 2
_WITHOUT_PARTICLES = 1  # a file that holds none is one that older readers understand
_HEADER = "header"
_STATES = (
    "times",
    "position",
    "orientation_wxyz",
    "linear_velocity",
    "angular_velocity",
    "kinetic_energy",
    "potential_energy",
)
_CONTACTS = tuple(field.name for field in fields(ContactTable))
_PARTICLES = ("position", "radius", "mass")
_INTEGERS = ("step", "body_a", "body_b")
_VECTORS = ("position", "normal", "tangential_impulse", "velocity_before", "velocity_after")


def save_trajectory(trajectory: Trajectory, path: StrPath) -> None:
    """Writes a trajectory whole or not at all; the suffix, .npz or .json, says how.

    Raises:
        UserError: for another suffix, or a file that cannot be written.
    """
    path = Path(path)
    check_suffix(path)
    header = {
        "format": FORMAT,
        "version": _WITHOUT_PARTICLES if trajectory.particles is None else VERSION,
        "names": trajectory.names,
        "kinds": trajectory.kinds,
        "fps": trajectory.fps,
        "rate_hz": trajectory.rate_hz,
        "events": [asdict(event) for event in trajectory.events],
    }
    arrays = _arrays(trajectory)
    if path.suffix == ".npz":
        buffer = io.BytesIO()
        stored: dict[str, Any] = {_HEADER: np.array(canonical_json(header)), **arrays}
        np.savez_compressed(buffer, **stored)
        write_output(path, buffer.getvalue())
    else:
        write_output(path, canonical_json({**header, **arrays}))


def check_suffix(path: Path) -> None:
    """Raises UserError when no trajectory can be stored under this name."""
    if path.suffix not in (".npz", ".json"):
        raise UserError(
            "trajectories are stored as .npz or .json", got=path.suffix or "no suffix", where=str(path)
        )


def load_trajectory(path: StrPath) -> Trajectory:
    """Reads what :func:`save_trajectory` wrote; every number comes back exactly.

    Raises:
        UserError: for a file that is missing, damaged, of another format or of a later version.
    """
    path = Path(path)
    check_suffix(path)
    try:
        header, arrays = _read_npz(path) if path.suffix == ".npz" else _read_json(path)
        _check_header(header, path)
        return _build(header, arrays)
    except FileNotFoundError as error:
        raise UserError("no such trajectory file", where=str(path)) from error
    except (OSError, ValueError, KeyError, TypeError, RecursionError, zipfile.BadZipFile) as error:
        raise UserError(
            "not a readable trajectory", where=str(path), got=str(error), expected=f"a {FORMAT} file"
        ) from error


def _arrays(trajectory: Trajectory) -> dict[str, NDArray[Any]]:
    states = {name: getattr(trajectory, name) for name in _STATES}
    contacts = {f"contacts_{name}": getattr(trajectory.contacts, name) for name in _CONTACTS}
    track = trajectory.particles
    particles = {} if track is None else {f"particles_{name}": getattr(track, name) for name in _PARTICLES}
    return {**states, **contacts, **particles}


def _read_npz(path: Path) -> tuple[dict[str, Any], Mapping[str, Any]]:
    with np.load(path, allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    return json.loads(str(arrays.pop(_HEADER))), arrays


def _read_json(path: Path) -> tuple[dict[str, Any], Mapping[str, Any]]:
    content = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict):
        raise ValueError(f"a {type(content).__name__}, not an object")
    return content, content


def _check_header(header: dict[str, Any], path: Path) -> None:
    if header.get("format") != FORMAT:
        raise UserError("not a trajectory", where=str(path), got=str(header.get("format")), expected=FORMAT)
    if header.get("version") not in (_WITHOUT_PARTICLES, VERSION):
        raise UserError(
            "this version of the trajectory format is unknown",
            where=str(path),
            got=str(header.get("version")),
            expected=f"{_WITHOUT_PARTICLES} or {VERSION}",
            hint="update fourdcb",
        )


def _build(header: dict[str, Any], arrays: Mapping[str, Any]) -> Trajectory:
    contacts = {name: _column(name, arrays[f"contacts_{name}"]) for name in _CONTACTS}
    states = {name: np.asarray(arrays[name], dtype=np.float64) for name in _STATES}
    expected = (len(states["times"]), len(header["names"]))
    for name in _STATES[1:]:
        if states[name].shape[:2] != expected:
            raise ValueError(f"{name} has shape {states[name].shape}, expected {expected} first")
    return Trajectory(
        names=tuple(header["names"]),
        kinds=tuple(header["kinds"]),
        fps=float(header["fps"]),
        rate_hz=float(header["rate_hz"]),
        contacts=ContactTable(**contacts),
        events=tuple(Event(**{**event, "bodies": tuple(event["bodies"])}) for event in header["events"]),
        particles=_particles(header, arrays, n_steps=expected[0]),
        **states,
    )


def _particles(header: dict[str, Any], arrays: Mapping[str, Any], *, n_steps: int) -> ParticleTrack | None:
    if header["version"] == _WITHOUT_PARTICLES:
        return None
    found = {name: np.asarray(arrays[f"particles_{name}"], dtype=np.float64) for name in _PARTICLES}
    if found["position"].size == 0:  # JSON has one empty list for all shapes without particles
        found["position"] = found["position"].reshape(len(found["position"]), 0, 3)
    track = ParticleTrack(fps=float(header["fps"]), **found)
    frames = max(1, (n_steps - 1) // round(header["rate_hz"] / header["fps"]))
    if track.n_frames != frames:
        raise ValueError(f"{track.n_frames} frames of particles for {frames} frames")
    return track


def _column(name: str, values: Any) -> NDArray[Any]:
    column = np.asarray(values, dtype=np.int32 if name in _INTEGERS else np.float64)
    return column.reshape(-1, 3) if name in _VECTORS else column
