"""Predictability horizon: how long a world's motion is decided by what its script says.

Rigid contact can be chaotic. Beyond the time at which starts that differ by less than anybody can see lead
to visibly different motion, a candidate's deviation says nothing about the candidate.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fourdcb.arrays import F64
from fourdcb.errors import SimulationDivergedError
from fourdcb.identity import content_hash, file_sha256, write_atomic
from fourdcb.physics import frame_poses_of, make_engine
from fourdcb.sensitivity.perturbation import perturbed_starts
from fourdcb.sensitivity.shown_turns import patterned, shown_turns
from fourdcb.trajectory import Trajectory
from fourdcb.world import Object, World
from fourdcb.world.camera import in_view
from fourdcb.world.mesh_symmetry import seen_free_axes
from fourdcb.world.parts import part_of
from fourdcb.world.symmetry import orientation_gap_deg

if TYPE_CHECKING:
    from fourdcb.physics import Engine

POSITION_LIMIT = 0.005
ROTATION_LIMIT_DEG = 1.0
PATTERN_LIMIT_DEG = (
    3.0  # of turns that only a pattern shows: as a ball rolls by 1 mm, one of 4 cm turns by 3°
)
_VERSION = 6
_log = logging.getLogger(__name__)
_memory: dict[str, dict[str, float]] = {}


def predictability_horizon(
    world: World,
    *,
    rate_hz: float,
    trajectory: Trajectory | None = None,
    engine: Engine | None = None,
) -> dict[str, float]:
    """First time [s] at which each object cannot be predicted any more; the clip's duration if never.

    That is when any of twelve slightly different starts (see :func:`perturbed_starts`) leads the object
    more than 5 mm or 1° away (3° for turns that only a pattern on it shows), or when it has left the camera's
    view for good. Results are kept by content hash, in memory and in the user's cache folder.

    Args:
        world: the reference.
        rate_hz: physics rate, the judging rate.
        trajectory: the world's own rollout at that rate, when it exists already.
        engine: reused engine; default a fresh one.
    """
    with nullcontext(engine) if engine is not None else make_engine() as running:
        key = _key(world, rate_hz, running)
        known = _memory.get(key) or _read(key, world)
        if known is None:
            known = _compute(world, rate_hz, trajectory, running)
            _write(key, known)
    _memory[key] = known
    return dict(known)


def _compute(world: World, rate_hz: float, trajectory: Trajectory | None, engine: Engine) -> dict[str, float]:
    own = engine.rollout(world, rate_hz=rate_hz) if trajectory is None else trajectory
    horizon = {obj.name: _view_end(own, obj, world) for obj in world.objects}
    if not any(obj.kind == "dynamic" for obj in world.objects):
        return horizon
    for other in frame_poses_of(perturbed_starts(world), rate_hz=rate_hz, engine=engine):
        if isinstance(other, SimulationDivergedError):
            _log.warning("a perturbed start diverged: %s", other)
            horizon = {name: min(t, other.time) for name, t in horizon.items()}
            continue
        for obj in world.objects:
            horizon[obj.name] = min(horizon[obj.name], departure(own, other, obj, world))
    return horizon


def departure(own: Trajectory, other: tuple[F64, F64], obj: Object, world: World) -> float:
    """Time of the first frame at which a rollout differs visibly from the poses of another one [s]."""
    steps, i = own.frame_steps(), own.index(obj.name)
    position, orientation = other
    gap = np.linalg.norm(own.position[steps, i] - position[:, i], axis=-1)
    pair = own.orientation_wxyz[steps, i], orientation[:, i]
    beyond = gap > POSITION_LIMIT
    beyond |= orientation_gap_deg(*pair, seen_free_axes(obj, base_dir=world.base_dir)) > ROTATION_LIMIT_DEG
    shown = shown_turns(obj, world, own.position[steps, i], own.orientation_wxyz[steps, i])
    if shown is not None:
        limit = PATTERN_LIMIT_DEG + shown.resolution_deg
        beyond |= orientation_gap_deg(*pair, shown.free) > limit
    found = np.flatnonzero(beyond)
    return float(own.times[steps[found[0]]]) if len(found) else world.duration


def _view_end(trajectory: Trajectory, obj: Object, world: World) -> float:
    """Time after which a sphere about the object stays outside the picture [s].

    An object that is never in view has no such time: hidden things are judged like others.
    """
    steps = trajectory.frame_steps()
    centre = trajectory.position[steps, trajectory.index(obj.name)]
    seen = np.flatnonzero(in_view(world.camera, centre, bounding_radius(obj, world)))
    if not len(seen) or seen[-1] == len(steps) - 1:
        return world.duration
    return float(trajectory.times[steps[seen[-1] + 1]])


def bounding_radius(obj: Object, world: World) -> float:
    """Of a sphere about ``pos`` that holds the object [m]; a mesh file has its own size and origin."""
    if obj.geometry != "mesh":
        return 0.5 * float(np.linalg.norm(obj.size))
    from fourdcb.world.mesh import object_mesh

    vertices = object_mesh(obj, base_dir=world.base_dir).vertices
    return float(np.linalg.norm(vertices, axis=-1).max())


def _key(world: World, rate_hz: float, engine: Engine) -> str:
    part = part_of(world, "horizon", engine=f"{engine.id} {engine.version}", file_key=_file_hash)
    key = {"version": _VERSION, "part": part, "rate_hz": rate_hz}
    if any(patterned(obj, world) for obj in world.objects):  # looks count only then
        key["looks"] = part_of(world, "looks", file_key=_file_hash)
    return content_hash(key)


def _file_hash(path: Path) -> str:
    return file_sha256(path) if path.is_file() else "missing"


def _path(key: str) -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("fourdcb") / "horizon" / f"{key}.json"


def _read(key: str, world: World) -> dict[str, float] | None:
    """A stored result, or None when there is none or it is not whole (it is then computed anew)."""
    try:
        stored: object = json.loads(_path(key).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    names = {obj.name for obj in world.objects}
    if not isinstance(stored, dict) or set(stored) != names:
        return None
    if not all(isinstance(t, int | float) and 0 <= t <= world.duration for t in stored.values()):
        return None
    return {name: float(t) for name, t in stored.items()}


def _write(key: str, horizon: Mapping[str, float]) -> None:
    path = _path(key)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, json.dumps(dict(horizon)))
    except OSError as error:  # a cache that cannot be written costs time, not correctness
        _log.info("the predictability horizon is not cached: %s", error)
