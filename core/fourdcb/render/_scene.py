"""A world compiled into the arrays that kernels read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourdcb.conventions import linear_from_srgb, normalized
from fourdcb.render._fluid import MOST_FACES, MOST_VERTICES
from fourdcb.render._kernels.ambient import albedo_table
from fourdcb.render._kernels.arrays import (
    AREA,
    DIRECTIONAL,
    POINT,
    Lights,
    Materials,
    Mesh,
    Scratch,
    Shadows,
    View,
)
from fourdcb.render._kernels.rasterise import MAX_CLIPPED
from fourdcb.render._looks import look_of
from fourdcb.render._stage import camera_axes
from fourdcb.render._textures import TextureSet
from fourdcb.world import AreaLight, Camera, DirectionalLight, Object, World, intensity_at, light_at
from fourdcb.world.mesh import TriangleMesh, object_mesh, plane_mesh


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Arrays of one world, without poses.

    Attributes:
        moving, still: indices of the bodies that can and cannot; fluids come after all bodies, and move.
        casters: bodies with a shadow map: all objects (planes are intersected exactly).
        light_of_sample: index into ``world.lights`` of every light sample.
    """

    mesh: Mesh
    materials: Materials
    lights: Lights
    planes: NDArray[np.float64]
    moving: NDArray[np.int32]
    still: NDArray[np.int32]
    casters: NDArray[np.int32]
    light_of_sample: NDArray[np.int32]


def compile_scene(world: World, *, area_samples: int = 3) -> Scene:
    """Pack meshes, materials and lights; an area light becomes ``area_samples``² samples.

    Raises:
        UserError: for missing or unreadable files.
    """
    mesh = _pack_mesh(world)
    lights, light_of_sample = _pack_lights(world, 0.0, area_samples)
    indices = np.arange(len(mesh.bodies), dtype=np.int32)
    is_moving = mesh.bodies[:, 5] == 1
    return Scene(
        mesh=mesh,
        materials=_pack_materials(world),
        lights=lights,
        planes=_plane_rows(world),
        moving=indices[is_moving],
        still=indices[~is_moving],
        casters=indices[: len(world.objects)].copy(),
        light_of_sample=light_of_sample,
    )


def _meshes(world: World) -> list[TriangleMesh]:
    bodies = [
        object_mesh(body, base_dir=world.base_dir) if isinstance(body, Object) else plane_mesh(body)
        for body in world.bodies
    ]
    return bodies + [_room()] * len(world.fluids)


def _room() -> TriangleMesh:
    """Room for the surface of a fluid, which is another one at every time."""
    blank = np.zeros((MOST_VERTICES, 3))
    return TriangleMesh(blank, np.zeros((MOST_FACES, 3), np.int32), blank, None)


def _pack_mesh(world: World) -> Mesh:
    meshes = _meshes(world)
    drawn = (*world.bodies, *world.fluids)
    n, objects = len(meshes), [isinstance(body, Object) for body in drawn]
    vertex_start = np.cumsum([0, *(len(m.vertices) for m in meshes)])
    face_start = np.cumsum([0, *(len(m.faces) for m in meshes)])
    uv = [np.zeros((len(m.vertices), 2)) if m.uv is None else m.uv for m in meshes]
    points = np.zeros((vertex_start[-1], 8))
    points[:, 6:] = np.concatenate([np.empty((0, 2)), *uv])
    local = [np.concatenate([m.vertices, m.normals], axis=1) for m in meshes]
    faces = np.empty((face_start[-1], 4), np.int32)
    spheres, bodies = np.zeros((n, 7)), np.zeros((n, 6), np.int32)
    for b, (m, body) in enumerate(zip(meshes, drawn, strict=True)):
        faces[face_start[b] : face_start[b + 1], :3] = m.faces + vertex_start[b]
        faces[face_start[b] : face_start[b + 1], 3] = b
        spheres[b, :3] = 0.5 * (m.vertices.min(axis=0) + m.vertices.max(axis=0))
        spheres[b, 3] = np.linalg.norm(m.vertices - spheres[b, :3], axis=-1).max()
        bodies[b, 4] = objects[b] and body.geometry != "mesh"  # type: ignore[union-attr]
        bodies[b, 5] = objects[b] and body.kind != "static"  # type: ignore[union-attr]
    bodies[:, 0], bodies[:, 1] = vertex_start[:-1], vertex_start[1:]
    bodies[:, 2], bodies[:, 3] = face_start[:-1], face_start[1:]
    for b in range(len(world.bodies), n):  # empty until it is poured
        bodies[b, 1], bodies[b, 3], bodies[b, 5] = bodies[b, 0], bodies[b, 2], 1
    return Mesh(
        local=np.concatenate([np.empty((0, 6)), *local]),
        points=points,
        camera=np.zeros((len(points), 4)),
        screen=np.zeros((len(points), 3), np.int64),
        faces=faces,
        bodies=bodies,
        spheres=spheres,
        rects=np.zeros((n, 4), np.int32),
        colors=_vertex_colors(meshes),
    )


def _vertex_colors(meshes: list[TriangleMesh]) -> NDArray[np.float32]:
    if all(m.colors is None for m in meshes):
        return np.zeros((0, 3), np.float32)
    rows = [np.ones((len(m.vertices), 3)) if m.colors is None else m.colors for m in meshes]
    return np.concatenate(rows).astype(np.float32)


def make_scratch(mesh: Mesh) -> Scratch:
    """Room for the drawing kernel."""
    n = max(len(mesh.points), MAX_CLIPPED)
    return Scratch(
        np.empty((MAX_CLIPPED, 3)), np.empty((MAX_CLIPPED, 3)), np.empty((n, 2), np.int64), np.empty(n)
    )


def _pack_materials(world: World) -> Materials:
    textures = TextureSet(world.base_dir)
    looks = [look_of(body, world, textures) for body in (*world.bodies, *world.fluids)]
    info, texels = textures.packed()
    n = len(looks)
    surface = np.array([look.surface for look in looks], dtype=np.float64).reshape(n, 10)
    maps = [(*look.maps, max(look.maps) >= 0, look.vertex_colors) for look in looks]
    return Materials(
        surface=surface,
        maps=np.array(maps, dtype=np.int32).reshape(n, 6),
        images=info,
        texels=texels,
        albedo=albedo_table(),
    )


def light_rows(world: World, t: float, *, area_samples: int) -> NDArray[np.float64]:
    """Where the light samples stand at time ``t`` [s]: ``Lights.rows``, shape (L, 9)."""
    return _pack_lights(world, t, area_samples)[0].rows


def _pack_lights(world: World, t: float, area_samples: int) -> tuple[Lights, NDArray[np.int32]]:
    lights = [light_at(light, t, duration=world.duration) for light in world.lights]
    rows: list[tuple[int, int, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]] = []
    for i, light in enumerate(lights):
        power = np.asarray(linear_from_srgb(light.color), dtype=np.float64)
        if isinstance(light, DirectionalLight):
            rows.append((i, DIRECTIONAL, normalized(light.direction), np.zeros(3), power))
        elif isinstance(light, AreaLight):
            axis = normalized(light.direction)
            share = (light.size / area_samples) ** 2
            rows += [(i, AREA, point, axis, share * power) for point in _area_points(light, area_samples)]
        else:
            rows.append((i, POINT, np.asarray(light.pos, dtype=np.float64), np.zeros(3), power))
    n = len(rows)
    packed = Lights(
        kind=np.array([row[1] for row in rows], dtype=np.int32),
        rows=np.array([np.concatenate(row[2:]) for row in rows], dtype=np.float64).reshape(n, 9),
    )
    return packed, np.array([row[0] for row in rows], dtype=np.int32)


def area_axes(light: AreaLight) -> NDArray[np.float64]:
    """Unit directions of an emitter's two sides and the way that it faces, right-handed, shape (3, 3)."""
    axis = normalized(light.direction)
    helper = np.array([0.0, 1.0, 0.0]) if abs(axis[1]) < 0.9 else np.array([0.0, 0.0, 1.0])
    right = normalized(np.cross(helper, axis))
    return np.stack([right, np.cross(axis, right), axis])


def _area_points(light: AreaLight, n: int) -> NDArray[np.float64]:
    """Centres of the cells of a square emitter [m], shape (n², 3)."""
    right, up, _ = area_axes(light)
    steps = light.size * ((np.arange(n) + 0.5) / n - 0.5)
    a, b = np.meshgrid(steps, steps, indexing="ij")
    return np.asarray(light.pos) + a.reshape(-1, 1) * right + b.reshape(-1, 1) * up


def _plane_rows(world: World) -> NDArray[np.float64]:
    rows = np.zeros((len(world.planes), 11))
    for i, plane in enumerate(world.planes):
        square = plane_mesh(plane).vertices
        rows[i, :3] = normalized(plane.normal)
        rows[i, 3:6] = square.mean(axis=0)
        rows[i, 6:9] = normalized(square[1] - square[0])
        rows[i, 9] = 0.5 * plane.size
        rows[i, 10] = len(world.objects) + i
    return rows


def light_intensities(world: World, scene: Scene, t: float) -> NDArray[np.float64]:
    """Intensity of every light sample at time ``t`` [s], shape (L,)."""
    values = np.array([intensity_at(light, t, duration=world.duration) for light in world.lights], np.float64)
    return values[scene.light_of_sample]


def make_shadows(scene: Scene, *, size: int) -> Shadows:
    """Room for one map of up to ``size`` texels a side per light sample and caster."""
    return shadows_of_workers(scene, size=size, workers=1)[0]


def shadows_of_workers(scene: Scene, *, size: int, workers: int) -> list[Shadows]:
    """Room for one map of up to ``size`` texels a side per light sample and caster, for every worker.

    Workers share the maps of casters that never move.
    """
    lights, bodies = len(scene.lights.kind), len(scene.mesh.bodies)
    still = np.intersect1d(scene.casters, scene.still)
    moving = np.setdiff1d(scene.casters, still)
    n_still, n_moving = lights * len(still), lights * len(moving)
    texels = np.empty((n_still + workers * n_moving) * size * size, np.float32)
    made = []
    for worker in range(workers):
        slots = np.zeros((lights, bodies, 2), np.int64)
        slots[:, :, 0] = -1
        slots[:, still, 0] = np.arange(n_still).reshape(lights, len(still)) * size * size
        first = n_still + worker * n_moving
        slots[:, moving, 0] = np.arange(first, first + n_moving).reshape(lights, len(moving)) * size * size
        made.append(
            Shadows(texels=texels, slots=slots, frames=np.ones((lights, bodies, 13)), planes=scene.planes)
        )
    return made


def make_view(
    camera: Camera, intrinsics: NDArray[np.float64], *, width: int, height: int, scale: int
) -> View:
    """The camera at ``scale`` samples per pixel of a picture. Raises UserError for a degenerate view."""
    rotation = camera_axes(camera)
    return View(
        position=(float(camera.pos[0]), float(camera.pos[1]), float(camera.pos[2])),
        rotation=tuple(rotation.ravel().tolist()),  # type: ignore[arg-type]
        focal=float(intrinsics[0, 0]) * scale,
        centre_x=float(intrinsics[0, 2]) * scale,
        centre_y=float(intrinsics[1, 2]) * scale,
        width=width * scale,
        height=height * scale,
    )
