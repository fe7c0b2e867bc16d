"""Inverts a clip: from pictures and a camera to a world, without a start script."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F64
from fourdcb.conventions import linear_from_srgb
from fourdcb.metrics.pictures.motion import background_indices
from fourdcb.oracle.answer import Inversion
from fourdcb.oracle.lighting import fit_light
from fourdcb.oracle.observe import ClipObservation, ObservedThing, observe_clip
from fourdcb.oracle.outline_fit import Outlines
from fourdcb.oracle.picture_fit import PictureFit
from fourdcb.oracle.refine import known_values, polish, refine
from fourdcb.oracle.search import Search, alone, together
from fourdcb.oracle.spheres import GRAVITY, radius_on_floor, sphere_path, start_motion
from fourdcb.oracle.staging import colour_of, stage_of
from fourdcb.oracle.unknowns import FLOOR, Body, Hypothesis, Kind
from fourdcb.physics import Engine, judging_rate, make_engine
from fourdcb.progress import NullProgress, Progress
from fourdcb.render import RasterRenderer, RenderSettings
from fourdcb.replay import FrameSequence
from fourdcb.trajectory import Trajectory
from fourdcb.world import Camera, Material, Object, World

TIME_LIMIT = 120.0  # [s]
_SHARE_MOTION, _SHARE_LIGHT, _SHARE_PICTURES, _SHARE_POLISH = (
    0.4,
    0.5,
    0.8,
    0.88,
)  # of the time limit, at which these stages end
_STEPS = 5
_ON_FLOOR = 0.02  # [m] a start so near above the floor is on it
_STANDS = 0.12  # [m/s] a start so slow along the vertical does not leave it
_BALL: frozenset[Kind] = frozenset(
    {"size", "pos", "vel", "spin", "friction", "restitution", "rolling_friction"}
)
ASSUMED = (
    "Assumed: the floor is z = 0 of the declared camera's world, gravity is 9.81 m/s² downwards, static "
    "surfaces have contact factors 1, bodies are as dense as water."
)


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    frames: FrameSequence
    times: F64
    camera: Camera
    fps: float
    duration: float
    engine: Engine
    begun: float
    limit: float

    def deadline(self, share: float = 1.0) -> float:
        return self.begun + share * self.limit


def invert(
    frames: FrameSequence,
    camera: Camera,
    *,
    fps: float,
    times: F64 | None = None,
    time_limit: float = TIME_LIMIT,
    progress: Progress | None = None,
) -> Inversion:
    """Invert a clip.

    Args:
        frames: sRGB, uint8, on the camera's picture size, shape (T, H, W, 3).
        camera: the declared one; the floor is the plane z = 0 of its world.
        fps: frames a second.
        times: presentation times [s], shape (T,); default k / fps.
        time_limit: [s] on the wall's clock; the best so far is answered when it passes.
        progress: told of the stages; may cancel.

    Returns:
        A world that is valid in any case; ``notes`` say what it lacks.
    """
    progress = progress or NullProgress()
    progress.start("inverting", _STEPS)
    begun = time.monotonic()
    times = np.arange(len(frames)) / fps if times is None else times
    duration = len(frames) / fps
    seen = observe_clip(frames)
    progress.advance()
    stage = stage_of(seen.background, camera, duration=duration, fps=fps)
    if not seen.bodies:
        return _nothing(seen, stage, time.monotonic() - begun)
    with make_engine() as engine:
        task = _Task(frames, times, camera, fps, duration, engine, begun, time_limit)
        return _solved(task, seen, stage, progress)


def _nothing(seen: ClipObservation, stage: World, seconds: float) -> Inversion:
    note = (
        "Partial: nothing was found that moves and is seen whole; only the floor and the light are guessed."
    )
    return Inversion(
        world=stage, known=(), explained=False, notes=(note, *seen.notes, ASSUMED), overlap=float("nan"),
        seconds={"observe": seconds},
    )  # fmt: skip


def _solved(task: _Task, seen: ClipObservation, stage: World, progress: Progress) -> Inversion:
    seconds = {"observe": time.monotonic() - task.begun}
    start = Hypothesis(stage, tuple(_ball(task, seen, i, b) for i, b in enumerate(seen.bodies)))
    outlines = Outlines({name_of(i): b.outline for i, b in enumerate(seen.bodies)}, task.fps)
    search = Search(outlines, task.engine, task.deadline(_SHARE_MOTION))
    found = start
    for i, body in enumerate(seen.bodies):
        found = alone(search, found, name_of(i), body.kinks, seen.end - 1)
    if len(seen.bodies) > 1 and not search.over():
        found = together(search, found, rounds=6).hypothesis
    seconds["motion"] = time.monotonic() - task.begun - sum(seconds.values())
    progress.advance()
    shot = task.frames[: seen.end] if isinstance(task.frames, np.ndarray) else task.frames
    lit = fit_light(shot, task.times[: seen.end], found, task.engine, deadline=task.deadline(_SHARE_LIGHT))
    seconds["light"] = time.monotonic() - task.begun - sum(seconds.values())
    progress.advance()
    fitted = refine(shot, task.times[: seen.end], lit, task.engine, deadline=task.deadline(_SHARE_PICTURES))
    fitted = polish(shot, task.times[: seen.end], fitted, task.engine, deadline=task.deadline(_SHARE_POLISH))
    seconds["pictures"] = time.monotonic() - task.begun - sum(seconds.values())
    progress.advance()
    return _answer(task, seen, fitted, seconds)


def _answer(task: _Task, seen: ClipObservation, fitted: PictureFit, seconds: dict[str, float]) -> Inversion:
    world = fitted.hypothesis.world()
    trajectory = task.engine.rollout(world, rate_hz=judging_rate(world.fps))
    overlap = _overlap(world, trajectory, seen)
    known, explained = known_values(fitted, overlap)
    notes = [*seen.notes, ASSUMED]
    if not explained:
        notes.insert(0, "Partial: the replay does not explain the clip; no value's error is given.")
    return Inversion(
        world=world, known=known, explained=explained, notes=tuple(notes), overlap=overlap, seconds=seconds
    )


def _overlap(world: World, trajectory: Trajectory, seen: ClipObservation) -> float:
    """IoU of the replay's bodies and the observed ones, pooled over frames in which they are seen whole."""
    renderer = RasterRenderer(world, RenderSettings(supersample=1, shadows=False))
    shared = either = 0
    for k in background_indices(seen.end):
        drawn = renderer.render(trajectory, k / world.fps).instance
        for i, body in enumerate(seen.bodies):
            mask = body.masks[k]
            if mask is None or not body.whole[k]:
                continue
            own = drawn == [o.name for o in world.objects].index(name_of(i))
            shared += int(np.count_nonzero(own & mask))
            either += int(np.count_nonzero(own | mask))
    return shared / either if either else float("nan")


def name_of(i: int) -> str:
    """Name of the i-th body."""
    return f"body_{i + 1}"


def _ball(task: _Task, seen: ClipObservation, i: int, thing: ObservedThing) -> Body:
    """A first guess of a body as a sphere."""
    path = sphere_path(thing.outline, task.camera)
    radius = radius_on_floor(path)
    last = thing.kinks[0] if thing.kinks else min(12, seen.end - 1)
    place, velocity = start_motion(path, radius, last=last, fps=task.fps, falls=True)
    if place[2] - radius < _ON_FLOOR or not _falls(path.centres(radius), path.frames, last):
        place, velocity = start_motion(path, radius, last=min(last, 8), fps=task.fps, falls=False)
    on_floor = place[2] - radius < _ON_FLOOR and abs(velocity[2]) < _STANDS
    thing_ = Object(
        name=name_of(i), geometry="sphere", size=(2 * radius,) * 3, mass=1000.0 * 4.18879 * radius**3,
        pos=_triple(place), vel=_triple(velocity), acc=(0.0, 0.0, -GRAVITY),
        friction=0.3, restitution=0.5, rolling_friction=0.003,
        material=Material(base_color=_colour(task, thing), roughness=0.4, metallic=0.0),
    )  # fmt: skip
    return Body(thing=thing_, rests_on=FLOOR if on_floor else None, fitted=_BALL)


def _falls(centres: F64, frames: F64, last: int) -> bool:
    early = frames <= last
    if early.sum() < 4:
        return True
    return float(np.ptp(centres[early, 2])) > _ON_FLOOR


def _colour(task: _Task, thing: ObservedThing) -> tuple[float, float, float]:
    k = int(np.flatnonzero(thing.whole)[0])
    mask = thing.masks[k]
    assert mask is not None
    return colour_of(linear_from_srgb(task.frames[k][mask] / 255.0))


def _triple(values: F64) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in values)
    return x, y, z
