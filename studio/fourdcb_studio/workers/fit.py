"""Solves for parameters from the pictures, in a process of its own."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fourdcb.progress import Progress
from fourdcb.world import World, with_value
from fourdcb_studio.jobs.fit import FitRequest, FitResult, FittedValue

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
    world, frames, times = _observed(request, progress)
    with make_engine() as engine:
        found = fit(world, request.paths, frames, times=times, engine=engine, progress=progress)
        fitted = request.world
        for p in found.parameters:
            fitted = with_value(fitted, p.path, p.value)
        distances = [_distance_mm(w, request.reference, engine) for w in (request.world, fitted)]
    values = tuple(
        FittedValue(
            path=p.path,
            start=p.start,
            value=p.rounded if p.identifiable else p.start,
            error=p.standard_error,
            bound=p.bound,
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


_Observed = tuple[World, NDArray[np.uint8], NDArray[np.float64]]


def _observed(request: FitRequest, progress: Progress) -> _Observed:
    """The world on the clock of what it is fitted to, the frames, and when they are shown [s]."""
    from fourdcb.replay import on_clock_of, read_on_stage, replay

    if request.video is not None:
        clip = read_on_stage(Path(request.video), request.world, progress=progress)
        return on_clock_of(request.world, clip.info), np.asarray(clip.frames), clip.info.times
    assert request.reference is not None
    drawn = replay(request.reference, progress=progress).frames
    assert drawn is not None
    times = request.reference.frame_times()[: len(drawn)]
    shared = times < request.world.duration
    return request.world, np.asarray(drawn)[shared], times[shared]


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
