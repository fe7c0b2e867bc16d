"""Trained probes on disk: one file for each encoder, head, target and seed."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fourdcb.errors import UserError
from fourdcb.identity import canonical_json, file_sha256, write_output
from fourdcb.probes.fitting import Fitted
from fourdcb.probes.heads.contract import Parameters, Setting
from fourdcb.probes.standardise import Standardiser
from fourdcb.probes.store import slug

_FOLDER, _FORMAT, _VERSION = "trained", "fourdcb.probe", 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeName:
    """Which probe: of what, by what, about what, in which split."""

    target: str
    encoder: str
    head: str
    seed: int

    def path(self, work: Path) -> Path:
        """Its file in a work folder."""
        return work / _FOLDER / slug(self.target) / slug(self.encoder) / f"{self.head}_{self.seed}.npz"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedProbe:
    """A probe with its controls, all trained without the test part.

    Attributes:
        fitted: the probe.
        shuffled: parameters of the chosen probe on permuted labels, several times.
        one_frame: the same kind of probe chosen and trained on windows that repeat one frame, or None.
        parts: ids of the samples in train, validation and test.
    """

    fitted: Fitted
    shuffled: Parameters
    one_frame: Fitted | None
    parts: Mapping[str, tuple[str, ...]]


def save_probe(work: Path, name: ProbeName, probe: TrainedProbe) -> None:
    """Write a probe's file. Raises UserError when it cannot be written."""
    arrays: dict[str, Any] = {f"shuffled/{k}": v for k, v in probe.shuffled.items()}
    arrays |= _arrays("fitted", probe.fitted)
    if probe.one_frame is not None:
        arrays |= _arrays("one_frame", probe.one_frame)
    head = {
        "format": _FORMAT, "version": _VERSION, "target": name.target, "encoder": name.encoder,
        "head": name.head, "seed": name.seed, "parts": {k: list(v) for k, v in probe.parts.items()},
        "fitted": _described(probe.fitted),
        "one_frame": None if probe.one_frame is None else _described(probe.one_frame),
    }  # fmt: skip
    arrays["head"] = np.array(canonical_json(head))
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    path = name.path(work)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError("the folder cannot be made", where=str(path.parent), got=error.strerror) from error
    write_output(path, stream.getvalue())


def load_probe(path: Path) -> tuple[ProbeName, TrainedProbe]:
    """What :func:`save_probe` wrote. Raises UserError for another file."""
    try:
        with np.load(path, allow_pickle=False) as file:
            head = json.loads(str(file["head"]))
            if head["format"] != _FORMAT or head["version"] != _VERSION:
                raise ValueError("another format")
            arrays = {key: file[key] for key in file.files if key != "head"}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(
            "the probe's file cannot be read", where=str(path), got=str(error), hint="train it again"
        ) from error
    probe = TrainedProbe(
        fitted=_fitted("fitted", arrays, head["head"], head["fitted"]),
        shuffled=_under("shuffled", arrays),
        one_frame=None if head["one_frame"] is None
        else _fitted("one_frame", arrays, head["head"], head["one_frame"]),
        parts={name: tuple(ids) for name, ids in head["parts"].items()},
    )  # fmt: skip
    return ProbeName(**{k: head[k] for k in ("target", "encoder", "head", "seed")}), probe


def trained_files(work: Path) -> tuple[Path, ...]:
    """Files of all probes of a work folder. Raises UserError where there are none."""
    found = tuple(sorted((work / _FOLDER).rglob("*.npz")))
    if not found:
        raise UserError("nothing was trained here", where=str(work), hint="fourdcb probe train")
    return found


def probe_hash(path: Path) -> str:
    """SHA-256 of a probe's file: says whether it was trained again otherwise."""
    return file_sha256(path)


def _described(fitted: Fitted) -> dict[str, Any]:
    return {"settings": [[s.rate, s.decay] for s in fitted.settings], "chosen": fitted.chosen}


def _arrays(prefix: str, fitted: Fitted) -> dict[str, Any]:
    named = {
        "scores": fitted.validation_scores, "mean": fitted.standardiser.mean,
        "scale": fitted.standardiser.scale, "weights": fitted.weights,
    }  # fmt: skip
    found = {f"{prefix}/{name}": value for name, value in named.items()}
    return found | {f"{prefix}/parameters/{name}": value for name, value in fitted.parameters.items()}


def _under(prefix: str, arrays: Mapping[str, Any]) -> dict[str, Any]:
    start = f"{prefix}/"
    return {key.removeprefix(start): value for key, value in arrays.items() if key.startswith(start)}


def _fitted(prefix: str, arrays: Mapping[str, Any], head: str, stated: Mapping[str, Any]) -> Fitted:
    own = _under(prefix, arrays)
    return Fitted(
        head=head, settings=tuple(Setting(rate, decay) for rate, decay in stated["settings"]),
        validation_scores=own["scores"], chosen=int(stated["chosen"]),
        standardiser=Standardiser(own["mean"], own["scale"]), weights=own["weights"],
        parameters=_under("parameters", own),
    )  # fmt: skip
