"""Solves for parameters from the pictures, in a process of its own."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fourdcb.progress import Progress
from fourdcb.world import World
from fourdcb_studio.jobs.contract import FitRequest, FitResult, FittedValue

if TYPE_CHECKING:
    from fourdcb.physics import Engine


def fit_values(request: FitRequest, progress: Progress) -> FitResult:
    """Fit the named parameters to the video, or to the reference's pictures.

    Raises:
        UserError: when the video or a world cannot be used.
    """
    from fourdcb.oracle import fit
    from fourdcb.physics import make_engine

    begun = time.perf_counter()
    frames = _frames(request, progress)
    world, frames = _one_length(request.world, frames)
    with make_engine() as engine:
        found = fit(world, request.paths, frames, engine=engine, progress=progress)
        distances = [_distance_mm(w, request.reference, engine) for w in (request.world, found.world)]
    values = tuple(
        FittedValue(
            path=p.path,
            start=p.start,
            value=p.rounded if p.identifiable else p.start,
            error=p.standard_error if p.identifiable else None,
        )
        for p in found.parameters
    )
    return FitResult(
        values=values,
        residual_before=found.residual_before,
        residual_after=found.residual_after,
        explains=found.explains_the_video,
        distance_before_mm=distances[0],
        distance_after_mm=distances[1],
        seconds=time.perf_counter() - begun,
    )


def _frames(request: FitRequest, progress: Progress) -> NDArray[np.uint8]:
    if request.video is not None:
        from fourdcb.replay import read_on_stage

        return np.asarray(read_on_stage(Path(request.video), request.world, progress=progress).frames)
    assert request.reference is not None
    from fourdcb.replay import replay

    drawn = replay(request.reference, progress=progress).frames
    assert drawn is not None
    return np.asarray(drawn)


def _one_length(world: World, frames: NDArray[np.uint8]) -> tuple[World, NDArray[np.uint8]]:
    """The part of the clip that video and world share."""
    count = min(world.n_frames, len(frames))
    return (world if count == world.n_frames else replace(world, duration=count / world.fps)), frames[:count]


def _distance_mm(world: World, reference: World | None, engine: Engine) -> float | None:
    """Root mean square distance of the objects that both worlds have by name [mm]."""
    from fourdcb.errors import SimulationDivergedError
    from fourdcb.physics import judging_rate

    if reference is None:
        return None
    known = [b.name for b in reference.bodies]
    moving = [o.name for o in world.objects if o.kind == "dynamic" and o.name in known]
    names = [b.name for b in world.bodies]
    if not moving:
        return None
    try:
        own, _ = engine.frame_poses(world, rate_hz=judging_rate(world.fps))
        true, _ = engine.frame_poses(reference, rate_hz=judging_rate(reference.fps))
    except SimulationDivergedError:
        return None
    count = min(len(own), len(true))
    gaps = own[:count, [names.index(n) for n in moving]] - true[:count, [known.index(n) for n in moving]]
    return 1000.0 * float(np.sqrt(np.mean(np.sum(gaps**2, axis=-1))))
