"""What the 3D view draws of a world at a frame: faces, paths, arrows, as arrays in the world frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from fourdcb.arrays import F64
from fourdcb.conventions import rotation_from_quaternion
from fourdcb.world import AreaLight, Camera, DirectionalLight, Light, PointLight, World, light_at
from fourdcb.world.camera import unproject
from fourdcb.world.lights import moves
from fourdcb.world.looks import stated_look
from fourdcb_studio.views.space.mesh import Solid, solid_of

_LIGHT_MOMENTS = 5
_VELOCITY_SECONDS = 0.1
"""A velocity arrow is as long as the way of this time [s]."""


@dataclass(frozen=True, slots=True, eq=False)
class SpaceBody:
    """A body that can be drawn: ``color`` is sRGB 0 … 1; the pose is the one at t = 0."""

    name: str
    solid: Solid
    color: tuple[float, float, float]
    position: F64
    rotation: F64


@dataclass(frozen=True, slots=True, eq=False)
class SpaceMotion:
    """Poses at the frames: position [m], shape (T, N, 3); orientation, shape (T, N, 4)."""

    names: tuple[str, ...]
    position: F64
    orientation_wxyz: F64


@dataclass(frozen=True, slots=True, eq=False)
class SpaceWorld:
    """One world as it is drawn. Segments have shape (S, 2, 3) [m]."""

    bodies: tuple[SpaceBody, ...] = ()
    floors: tuple[float, ...] = ()
    camera: F64 = field(default_factory=lambda: np.empty((0, 2, 3)))
    lights: F64 = field(default_factory=lambda: np.empty((0, 2, 3)))
    fps: float = 30.0

    def points(self) -> F64:
        """Corners of all bodies at t = 0 [m], shape (M, 3)."""
        clouds = [body.solid.vertices @ body.rotation.T + body.position for body in self.bodies]
        return np.concatenate(clouds) if clouds else np.empty((0, 3))


def space_world(world: World) -> SpaceWorld:
    """The drawable parts of a world.

    Raises:
        UserError: when a mesh file cannot be read.
    """
    bodies = tuple(
        SpaceBody(
            obj.name,
            solid_of(obj, base_dir=world.base_dir),
            stated_look(obj, world).base_color,
            np.asarray(obj.pos, dtype=np.float64),
            rotation_from_quaternion(obj.rot),
        )
        for obj in world.objects
    )
    floors = tuple(p.offset for p in world.planes if p.normal[2] > 0.99)
    empty = SpaceWorld(bodies)
    middle = empty.points().mean(axis=0) if bodies else np.zeros(3)
    lights = [segment for light in _stations(world) for segment in _light(light, middle)]
    return SpaceWorld(
        bodies,
        floors,
        _frustum(world.camera),
        np.array(lights).reshape(-1, 2, 3),
        world.fps,
    )


def poses(world: SpaceWorld, motion: SpaceMotion | None, frame: int) -> list[tuple[F64, F64]]:
    """(position, rotation matrix) of each body at a frame; its start where the motion has none."""
    found = []
    for body in world.bodies:
        if motion is None or body.name not in motion.names or not len(motion.position):
            found.append((body.position, body.rotation))
            continue
        i = motion.names.index(body.name)
        k = min(frame, len(motion.position) - 1)
        found.append((motion.position[k, i], rotation_from_quaternion(motion.orientation_wxyz[k, i])))
    return found


def paths(world: SpaceWorld, motion: SpaceMotion | None) -> list[F64]:
    """Ways of the bodies that move [m], shape (T, 3) each."""
    if motion is None:
        return []
    names = {body.name for body in world.bodies}
    ways = [motion.position[:, i] for i, name in enumerate(motion.names) if name in names]
    return [way for way in ways if len(way) > 1 and np.ptp(way, axis=0).max() > 1e-4]


def velocities(world: SpaceWorld, motion: SpaceMotion | None, frame: int) -> F64:
    """Arrows of the moving bodies at a frame [m], shape (S, 2, 3)."""
    arrows = []
    for way in paths(world, motion):
        k = min(max(frame, 0), len(way) - 1)
        a, b = max(k - 1, 0), min(k + 1, len(way) - 1)
        velocity = (way[b] - way[a]) * world.fps / max(b - a, 1)
        arrows.append([way[k], way[k] + _VELOCITY_SECONDS * velocity])
    return np.array(arrows).reshape(-1, 2, 3)


def _frustum(camera: Camera) -> F64:
    """Lines from the camera's centre to its picture, a quarter of the way to the target."""
    centre = np.asarray(camera.pos, dtype=np.float64)
    reach = 0.25 * float(np.linalg.norm(np.asarray(camera.target) - centre))
    places = np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) * [camera.width, camera.height]
    corners = unproject(camera, places, np.full(4, reach))
    rays: list[Sequence[F64]] = [(centre, c) for c in corners]
    edges: list[Sequence[F64]] = [(corners[i], corners[(i + 1) % 4]) for i in range(4)]
    return np.array(rays + edges)


def _stations(world: World) -> Iterator[Light]:
    """Every light where it stands; one that moves, at some moments of the clip."""
    for light in world.lights:
        for t in np.linspace(0.0, world.duration, _LIGHT_MOMENTS if moves(light) else 1):
            yield light_at(light, float(t), duration=world.duration)


def _light(light: Light, middle: F64) -> list[tuple[F64, F64]]:
    if isinstance(light, DirectionalLight):
        along = np.asarray(light.direction, dtype=np.float64)
        along = along / max(float(np.linalg.norm(along)), 1e-9)
        return [(middle - 0.6 * along, middle - 0.3 * along)]
    assert isinstance(light, PointLight | AreaLight)
    place = np.asarray(light.pos, dtype=np.float64)
    return [(place - 0.05 * axis, place + 0.05 * axis) for axis in np.eye(3)]
