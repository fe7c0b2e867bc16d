"""Everything at once on pictures, and how well each value is then known."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from fourdcb.arrays import F64
from fourdcb.oracle.answer import Known
from fourdcb.oracle.picture_fit import PictureFit, PictureProblem, pictures_of
from fourdcb.oracle.unknowns import Hypothesis, Unknown
from fourdcb.physics import Engine, judging_rate
from fourdcb.replay import FrameSequence

_STAGES = ((80, 10, 5), (128, 14, 6))  # picture width [px], frames, rounds
_WHOLE_FRAMES = 4
_LEAST_OVERLAP, _MOST_RMS = 0.75, 0.035
_TOLD = 1.0 / 3.0  # of a value's usual range: a larger error says nothing


def refine(
    frames: FrameSequence, times: F64, lit: PictureFit, engine: Engine, *, deadline: float
) -> PictureFit:
    """Fit motion and looks together on some frames; what was there when the time is up is kept."""
    best = lit
    fps = lit.hypothesis.stage.fps
    for width, count, rounds in _STAGES:
        if time.monotonic() > deadline:
            break
        chosen = np.unique(np.linspace(0, len(frames) - 1, count).round().astype(int))
        pictures = pictures_of(frames, chosen.tolist(), times, width=width)
        problem = PictureProblem(pictures, engine, rate_hz=judging_rate(fps), deadline=deadline, moves=True)
        best = problem.fit(best.hypothesis, best.looks, rounds=rounds)
    return best


def polish(
    frames: FrameSequence, times: F64, fitted: PictureFit, engine: Engine, *, deadline: float
) -> PictureFit:
    """Fit the looks once more on a few whole pictures: only there a highlight keeps its size."""
    if time.monotonic() > deadline:
        return fitted
    chosen = np.unique(np.linspace(0, len(frames) - 1, _WHOLE_FRAMES).round().astype(int))
    pictures = pictures_of(frames, chosen.tolist(), times, width=frames.shape[2])
    fps = fitted.hypothesis.stage.fps
    problem = PictureProblem(pictures, engine, rate_hz=judging_rate(fps), deadline=deadline, moves=False)
    done = problem.fit(fitted.hypothesis, fitted.looks, rounds=5)
    return replace(done, errors=fitted.errors)


_USUAL = {"restitution": 1.0, "friction": 1.0, "rolling_friction": 0.02, "spin": 60.0, "mass": 3.0}
_PATHS = {"size": "size[{}]", "pos": "pos[{}]", "vel": "vel[{}]"}


def known_values(fitted: PictureFit, overlap: float) -> tuple[tuple[Known, ...], bool]:
    """(how well values are known, whether the clip is explained). No error is given where it is not."""
    explained = bool(overlap > _LEAST_OVERLAP and fitted.rms < _MOST_RMS)
    unknowns = fitted.hypothesis.unknowns()
    errors = fitted.errors
    found = []
    for i, u in enumerate(unknowns):
        path = _path(fitted.hypothesis, u)
        if path is None:
            continue
        value = float(fitted.hypothesis.vector()[i]) * u.scale
        error = float(errors[i]) * u.scale if i < len(errors) else float("inf")
        if u.kind == "size":
            value = float(np.exp(value))
            error *= value
        told = error < _TOLD * _USUAL.get(u.kind, 1.0) if np.isfinite(error) else None
        shown = error if told and explained else None
        found.append(Known(path=path, value=value, identifiable=told, standard_error=shown))
    return tuple(found), explained


def _path(hypothesis: Hypothesis, u: Unknown) -> str | None:
    """Path of an unknown in the script; None for one that is no number of its own there."""
    body = hypothesis.bodies[u.body]
    if u.kind in _PATHS:
        on_fixture = body.rests_on not in (None, "floor")
        return (
            None if on_fixture and u.kind != "size" else f"{body.thing.name}.{_PATHS[u.kind].format(u.index)}"
        )
    if u.kind in ("friction", "restitution", "rolling_friction"):
        return f"{body.thing.name}.{u.kind}"
    return None
