"""The same world told otherwise must move alike: how far it departs, as long as the world can be foretold."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from fourdcb.arrays import F64, Poses
from fourdcb.conventions import (
    multiply_quaternions,
    quaternion_from_axis_angle,
    quaternion_from_rotation,
    rotation_from_quaternion,
)
from fourdcb.errors import SimulationDivergedError
from fourdcb.physics import Engine, frame_poses_of
from fourdcb.physics.conformance.variants import mirrored, of_mass, reordered, scaled, shifted, turned
from fourdcb.sensitivity.horizon import departure
from fourdcb.sensitivity.perturbation import perturbed_starts
from fourdcb.trajectory import Trajectory
from fourdcb.world import World
from fourdcb.world.symmetry import free_axes, orientation_gap_deg

POSITION_LIMIT, ROTATION_LIMIT_DEG = 1e-3, 0.5
_MIRROR: F64 = np.diag([1.0, -1.0, 1.0])
_SLANTED = (1.0, 2.0, -0.5)
_Z = (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Retold:
    """A world told otherwise, and where its bodies must then be.

    Attributes:
        world: it.
        turn: takes directions of the first world to its own, shape (3, 3); a mirror has determinant -1.
        shift: [m], after the turn.
        scale: its lengths over the first one's; times go by the root of it.
    """

    world: World
    turn: F64 = field(default_factory=lambda: np.eye(3))
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)
    scale: float = 1.0

    def expected(self, position: F64, orientation_wxyz: F64) -> Poses:
        """Where poses of the first world, (…, 3) and (…, 4), belong in this one."""
        turn, own = self.turn, orientation_wxyz
        if np.linalg.det(turn) < 0:
            turn, own = turn @ _MIRROR, own * np.array([1.0, -1.0, 1.0, -1.0])
        moved = multiply_quaternions(quaternion_from_rotation(turn), own)
        return self.scale * (position @ self.turn.T) + np.array(self.shift), moved


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """The largest difference of one retold world inside the horizon.

    Attributes:
        scene, way: which.
        position: [m], in lengths of the first world; rotation_deg: [°].
        horizon: how long the first world can be foretold, of its most predictable body [s].
    """

    scene: str
    way: str
    position: float
    rotation_deg: float
    horizon: float

    @property
    def holds(self) -> bool:
        """Whether nobody could see it."""
        return self.position <= POSITION_LIMIT and self.rotation_deg <= ROTATION_LIMIT_DEG


def _turned(axis: tuple[float, float, float], degrees: float) -> Callable[[World], Retold]:
    def tell(world: World) -> Retold:
        turn = rotation_from_quaternion(quaternion_from_axis_angle(axis, math.radians(degrees)))
        return Retold(world=turned(world, axis, math.radians(degrees)), turn=turn)

    return tell


def _mirrored(world: World) -> Retold:
    return Retold(world=mirrored(world), turn=_MIRROR)


def _shifted(world: World) -> Retold:
    way = (3.1, -2.3, 0.7)
    return Retold(world=shifted(world, way), shift=way)


def _reordered(world: World) -> Retold:
    return Retold(world=reordered(world, range(len(world.objects))[::-1]))


def _scaled(factor: float) -> Callable[[World], Retold]:
    return lambda world: Retold(world=scaled(world, factor), scale=factor)


def _of_mass(factor: float) -> Callable[[World], Retold]:
    return lambda world: Retold(world=of_mass(world, factor))


WAYS: Mapping[str, Callable[[World], Retold]] = MappingProxyType(
    {
        "turned 37° about the vertical": _turned(_Z, 37.0),
        "turned 70° about a slanted axis": _turned(_SLANTED, 70.0),
        "mirrored": _mirrored,
        "shifted": _shifted,
        "reordered": _reordered,
        "lengths × 0.1": _scaled(0.1),
        "lengths × 25": _scaled(25.0),
        "masses × 0.001": _of_mass(1e-3),
        "masses × 10000": _of_mass(1e4),
    }
)


def departures(name: str, world: World, *, rate_hz: float, engine: Engine) -> Iterator[Departure]:
    """Every way of :data:`WAYS` to tell a world, and how far its motion is from the world's own.

    Args:
        name: of the scene.
        world: the first telling.
        rate_hz: substeps per second.
        engine: reused engine.

    Raises:
        SimulationDivergedError: when the world itself, or one told otherwise, explodes.
    """
    own = engine.rollout(world, rate_hz=rate_hz)
    horizon = _horizons(world, own, rate_hz, engine)
    for way, tell in WAYS.items():
        retold = tell(world)
        position, rotation = _apart(world, own, retold, horizon, rate_hz, engine)
        yield Departure(
            scene=name, way=way, position=position, rotation_deg=rotation, horizon=max(horizon.values())
        )


def _horizons(world: World, own: Trajectory, rate_hz: float, engine: Engine) -> dict[str, float]:
    """When slightly other starts have led each moving body visibly away [s], wherever a camera looks."""
    moving = [o for o in world.objects if o.kind == "dynamic"]
    horizon = {o.name: world.duration for o in moving}
    for other in frame_poses_of(perturbed_starts(world), rate_hz=rate_hz, engine=engine):
        if isinstance(other, SimulationDivergedError):
            raise other
        for o in moving:
            horizon[o.name] = min(horizon[o.name], departure(own, other, o, world))
    return horizon


def _apart(
    world: World,
    own: Trajectory,
    retold: Retold,
    horizon: Mapping[str, float],
    rate_hz: float,
    engine: Engine,
) -> tuple[float, float]:
    """Largest difference of position [m] and of orientation [°] inside the horizon."""
    other = engine.frame_poses(retold.world, rate_hz=rate_hz / math.sqrt(retold.scale))
    names = [body.name for body in retold.world.bodies]
    steps = own.frame_steps()
    times = own.times[steps]
    farthest = widest = 0.0
    for o in world.objects:
        if o.kind != "dynamic":
            continue
        seen = times < horizon[o.name]
        k, n = own.index(o.name), names.index(o.name)
        position, orientation = retold.expected(
            own.position[steps, k][seen], own.orientation_wxyz[steps, k][seen]
        )
        away = np.linalg.norm(other[0][: len(times), n][seen] - position, axis=1) / retold.scale
        turn = orientation_gap_deg(other[1][: len(times), n][seen], orientation, free_axes(o.geometry))
        farthest = max(farthest, float(away.max(initial=0.0)))
        widest = max(widest, float(turn.max(initial=0.0)))
    return farthest, widest
