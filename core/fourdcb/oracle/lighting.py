"""The light of a clip: direction of the sun from shadows and shades, then all looks on pictures."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from fourdcb.arrays import F64
from fourdcb.oracle.looks import Look, body_looks, direction_of, light_looks
from fourdcb.oracle.picture_fit import PictureFit, PictureProblem, pictures_of
from fourdcb.oracle.unknowns import FLOOR, Hypothesis
from fourdcb.physics import Engine, preview_rate
from fourdcb.replay import FrameSequence
from fourdcb.world import DirectionalLight

_AZIMUTHS = np.deg2rad([-50.0, 0.0, 50.0])
_HEIGHT = 0.95  # [rad]
_WIDTH, _FRAMES = 80, 5
_BETTER = 0.92  # times the cost: a light that turns or fades must explain so much more


def fit_light(
    frames: FrameSequence, times: F64, hypothesis: Hypothesis, engine: Engine, *, deadline: float
) -> PictureFit:
    """Fit the light and all colours, the motion kept.

    The sun starts from three sides, since shades have dents; then it may turn, and its strength may change,
    each where that explains clearly more.
    """
    chosen = np.unique(np.linspace(0, len(frames) - 1, _FRAMES).round().astype(int))
    pictures = pictures_of(frames, chosen.tolist(), times, width=_WIDTH)
    problem = PictureProblem(
        pictures, engine, rate_hz=preview_rate(hypothesis.stage.fps), deadline=deadline, moves=False
    )
    plain = looks_of(hypothesis)
    rough = [*light_looks(), *body_looks(FLOOR, ground=True)]
    tries: list[PictureFit] = []
    for azimuth in _AZIMUTHS:
        if tries and time.monotonic() > deadline:
            break
        start = _with_sun(hypothesis, float(azimuth))
        tries.append(problem.fit(start, rough, rounds=4))
    best = problem.fit(min(tries, key=lambda f: f.cost).hypothesis, plain, rounds=6)
    for extra in ({"turns": True}, {"fades": True}):
        if time.monotonic() > deadline:
            break
        more = [*looks_of(hypothesis, **_more(best.looks, extra))]
        tried = problem.fit(best.hypothesis, more, rounds=5)
        if tried.cost < _BETTER * best.cost:
            best = tried
    return best


def looks_of(hypothesis: Hypothesis, *, turns: bool = False, fades: bool = False) -> list[Look]:
    """All looks of a hypothesis that are solved for."""
    looks = [*light_looks(turns=turns, fades=fades), *body_looks(FLOOR, ground=True)]
    for body in hypothesis.bodies:
        looks += body_looks(body.thing.name, gloss=not body.thing.fixed)
    return looks


def _more(looks: tuple[Look, ...], extra: dict[str, bool]) -> dict[str, bool]:
    kinds = {look.kind for look in looks}
    return {"turns": "turn" in kinds, "fades": "fade" in kinds} | extra


def _with_sun(hypothesis: Hypothesis, azimuth: float) -> Hypothesis:
    sun = hypothesis.stage.lights[0]
    assert isinstance(sun, DirectionalLight)  # the stage's own
    lights = (replace(sun, direction=direction_of(azimuth, _HEIGHT), direction_curve=()),)
    return replace(hypothesis, stage=replace(hypothesis.stage, lights=lights))
