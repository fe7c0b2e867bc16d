"""The quantities that the plot under the strips can show, and their tracks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F64
from fourdcb_studio.session.messages import Role
from fourdcb_studio.session.scene_session import SceneSession

CHOICES = (
    ("height", "height"),
    ("x", "x"),
    ("y", "y"),
    ("speed", "speed"),
    ("spin", "angular speed"),
    ("kinetic", "kinetic energy"),
    ("energy", "total energy"),
    ("impulse", "contact impulse"),
    ("psnr", "PSNR"),
    ("ssim", "SSIM"),
)
"""(id, word) of the quantities."""
_UNITS = {
    "height": "m",
    "x": "m",
    "y": "m",
    "speed": "m/s",
    "spin": "rad/s",
    "kinetic": "J",
    "energy": "J",
    "impulse": "N·s",
    "psnr": "dB",
    "ssim": "",
}
_AXES = {"x": 0, "y": 1, "height": 2}
_IMAGE = frozenset({"psnr", "ssim"})


@dataclass(frozen=True, slots=True)
class PlotCurve:
    """One quantity: ``times`` [s], shape (S,); tracks of the same length or None."""

    label: str
    times: F64
    candidate: F64 | None
    reference: F64 | None
    unit: str


def curve_choices(session: SceneSession) -> tuple[tuple[str, str], ...]:
    """What can be plotted now: motions where there are any, picture quality where it was measured."""
    moves = session.motion("candidate") is not None
    series = session.report.series if session.report is not None else {}
    return tuple((key, word) for key, word in CHOICES if (key in series if key in _IMAGE else moves))


def make_curve(session: SceneSession, key: str, name: str) -> PlotCurve | None:
    """The tracks of a quantity; ``name`` is the object, where the quantity has one. None without data."""
    word, unit = dict(CHOICES)[key], _UNITS[key]
    if key in _IMAGE:
        values = image_series(session, key)
        if values is None:
            return None
        return PlotCurve(word, np.arange(len(values)) / session.clock.fps, values, None, unit)
    motion = session.motion("candidate")
    own = _track(session, "candidate", key, name)
    if motion is None or own is None:
        return None
    other = _track(session, "reference", key, name)
    times = motion.times
    return PlotCurve(
        f"{word} of {name}", times, own, None if other is None else _padded(other, len(own)), unit
    )


def image_series(session: SceneSession, key: str) -> F64 | None:
    """A per-frame image measure on the clip's frames, NaN where a frame has no partner; None without any."""
    report = session.report
    values = report.series.get(key) if report is not None else None
    if report is None or values is None:
        return None
    track = np.full(session.clock.n_frames, np.nan)
    frames = report.series.get("frame") or range(len(values))
    for frame, value in zip(frames, values, strict=False):
        if value is not None and 0 <= int(frame) < len(track):
            track[int(frame)] = value
    return track


def _track(session: SceneSession, role: Role, key: str, name: str) -> F64 | None:
    motion = session.motion(role)
    if motion is None or name not in motion.names:
        return None
    body = motion.names.index(name)
    if key in _AXES:
        position: F64 = motion.position[:, body, _AXES[key]]
        return position
    tracks = {
        "speed": motion.speed, "spin": motion.spin, "kinetic": motion.kinetic, "energy": motion.energy,
        "impulse": motion.impulse,
    }  # fmt: skip
    track: F64 = tracks[key][:, body]
    return track


def _padded(values: F64, length: int) -> F64:
    out = np.full(length, np.nan)
    out[: min(length, len(values))] = values[:length]
    return out
