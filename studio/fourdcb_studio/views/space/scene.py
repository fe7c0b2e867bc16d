"""What the 3D view draws of a world at a frame: faces, paths, arrows, as arrays in the world frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64
from fourdcb.conventions import rotation_from_quaternion
from fourdcb.world import (
    AreaLight,
    Camera,
    DirectionalLight,
    Light,
    Object,
    Plane,
    PointLight,
    World,
    light_at,
)
from fourdcb.world.camera import unproject
from fourdcb.world.lights import moves
from fourdcb.world.looks import stated_look
from fourdcb.world.mesh import TriangleMesh, mesh_look, object_mesh, plane_mesh
from fourdcb_studio.session.motion import FrameContacts
from fourdcb_studio.views.space.mesh import Solid, solid_of

_LIGHT_MOMENTS = 5
_VELOCITY_SECONDS = 0.1
"""A velocity arrow is as long as the way of this time [s]."""


@dataclass(frozen=True, slots=True, eq=False)
class SpaceBody:
    """A body that can be drawn; the pose is the one at t = 0.

    Attributes:
        solid: coarse, for painting and picking; ``mesh`` is whole.
        color: sRGB 0 … 1; ``roughness`` is perceptual.
        texture: image of the base colour, sRGB uint8 (H, W, 3), or its file; None for none.
        still: whether it never moves.
    """

    name: str
    solid: Solid
    color: tuple[float, float, float]
    position: F64
    rotation: F64
    mesh: TriangleMesh
    roughness: float = 0.5
    metallic: float = 0.0
    texture: NDArray[np.uint8] | str | None = None
    still: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class SpaceMotion:
    """Poses at the frames: position [m], shape (T, N, 3); orientation, shape (T, N, 4).

    Attributes:
        contacts: impulses by frame, None where none are known.
        particles: centres at the frames [m], shape (T, P, 3), None for none.
    """

    names: tuple[str, ...]
    position: F64
    orientation_wxyz: F64
    contacts: FrameContacts | None = None
    particles: NDArray[np.floating] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SpaceWorld:
    """One world as it is drawn. Segments have shape (S, 2, 3) [m].

    Attributes:
        slopes: planes that are no floor; ``floors`` are the heights of those that are [m].
        sun: where the light comes down along that throws the shadows.
        view: the scene's camera; ``camera`` are its lines.
    """

    bodies: tuple[SpaceBody, ...] = ()
    slopes: tuple[SpaceBody, ...] = ()
    sun: F64 = field(default_factory=lambda: np.array([0.3, 0.2, -1.0]))
    view: Camera | None = None
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
    bodies = tuple(_body(obj, world) for obj in world.objects)
    floors = tuple(p.offset for p in world.planes if p.normal[2] > 0.99)
    slopes = tuple(_slope(p, world) for p in world.planes if p.normal[2] <= 0.99)
    empty = SpaceWorld(bodies)
    middle = empty.points().mean(axis=0) if bodies else np.zeros(3)
    lights = [segment for light in _stations(world) for segment in _light(light, middle)]
    return SpaceWorld(
        bodies,
        slopes,
        _sun(world, middle),
        world.camera,
        floors,
        _frustum(world.camera),
        np.array(lights).reshape(-1, 2, 3),
        world.fps,
    )


def _body(obj: Object, world: World) -> SpaceBody:
    look = stated_look(obj, world)
    return SpaceBody(
        obj.name,
        solid_of(obj, base_dir=world.base_dir),
        look.base_color,
        np.asarray(obj.pos, dtype=np.float64),
        rotation_from_quaternion(obj.rot),
        object_mesh(obj, base_dir=world.base_dir),
        look.roughness,
        look.metallic,
        _texture(obj, world),
        obj.kind == "static",
    )


def _slope(plane: Plane, world: World) -> SpaceBody:
    mesh, look = plane_mesh(plane), stated_look(plane, world)
    square = Solid(mesh.vertices, np.array([[0, 1, 2, 3]], dtype=np.intp))
    return SpaceBody(
        plane.name, square, look.base_color, np.zeros(3), np.eye(3), mesh, look.roughness, look.metallic,
        None, True,
    )  # fmt: skip


def _texture(obj: Object, world: World) -> NDArray[np.uint8] | str | None:
    named = obj.material.base_color_map
    if named is not None:
        return str(Path(world.base_dir) / named)
    look = mesh_look(obj, base_dir=world.base_dir)
    return None if look is None or obj.material.base_color is not None else look.base_color_image


def _sun(world: World, middle: F64) -> F64:
    """Along which the brightest light that comes from above falls; from above where none does."""
    found = np.array([0.3, 0.2, -1.0])
    for light in world.lights:
        fixed = light_at(light, 0.0, duration=world.duration)
        if isinstance(fixed, DirectionalLight):
            along = np.asarray(fixed.direction, dtype=np.float64)
        else:
            assert isinstance(fixed, PointLight | AreaLight)
            along = middle - np.asarray(fixed.pos, dtype=np.float64)
        if along[2] < -0.2 * float(np.linalg.norm(along)):
            found = along
            break
    return found / float(np.linalg.norm(found))


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
    return [way for _, way in ways(world, motion)]


def ways(world: SpaceWorld, motion: SpaceMotion | None) -> list[tuple[int, F64]]:
    """(place among the bodies that can move, way [m], shape (T, 3)) of those that do."""
    if motion is None:
        return []
    hues = {name: hue for hue, name in enumerate(body.name for body in world.bodies if not body.still)}
    found = [(hues.get(name, 0), motion.position[:, i]) for i, name in enumerate(motion.names)]
    known = {body.name for body in world.bodies}
    return [
        (hue, way)
        for (hue, way), name in zip(found, motion.names, strict=True)
        if name in known and len(way) > 1 and np.ptp(way, axis=0).max() > 1e-4
    ]


def velocities(world: SpaceWorld, motion: SpaceMotion | None, frame: int) -> F64:
    """Arrows of the moving bodies at a frame [m], shape (S, 2, 3)."""
    arrows = []
    for way in paths(world, motion):
        k = min(max(frame, 0), len(way) - 1)
        a, b = max(k - 1, 0), min(k + 1, len(way) - 1)
        velocity = (way[b] - way[a]) * world.fps / max(b - a, 1)
        arrows.append([way[k], way[k] + _VELOCITY_SECONDS * velocity])
    return np.array(arrows).reshape(-1, 2, 3)


def impulses(motion: SpaceMotion | None, frame: int, reach: float) -> F64:
    """Arrows of the contacts' impulses at a frame [m], shape (S, 2, 3).

    Their lengths go with the root of the impulse, so that resting is seen beside hits; the greatest one of
    the clip is ``reach`` [m] long.
    """
    if motion is None or motion.contacts is None or not len(motion.contacts.frame):
        return np.empty((0, 2, 3))
    greatest = float(np.linalg.norm(motion.contacts.impulse, axis=1).max())
    position, impulse = motion.contacts.at(frame)
    size = np.linalg.norm(impulse, axis=1, keepdims=True)
    along = impulse / np.maximum(size, 1e-12)
    return np.stack([position, position + reach * np.sqrt(size / max(greatest, 1e-12)) * along], axis=1)


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
