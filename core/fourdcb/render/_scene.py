"""A world compiled into the arrays that kernels read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourdcb.conventions import intrinsics_from_fov, linear_from_srgb, normalized
from fourdcb.errors import UserError
from fourdcb.render._ambient import albedo_table
from fourdcb.render._arrays import (
    AREA,
    DIRECTIONAL,
    POINT,
    Geometry,
    Lights,
    Materials,
    Shadows,
    View,
)
from fourdcb.render._textures import TextureSet
from fourdcb.world import AreaLight, Camera, DirectionalLight, Light, Object, Plane, World, intensity_at
from fourdcb.world.mesh import TriangleMesh, object_mesh, plane_mesh

AREA_GRID = 3  # samples of an area light along each side


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Arrays of one world, without poses.

    Attributes:
        is_moving: whether each body can move, int32, shape (N,).
        moving, still: indices of the bodies that can and cannot.
        casters: bodies with a shadow map: all objects (planes are intersected exactly).
        light_of_sample: index into ``world.lights`` of every light sample.
    """

    geometry: Geometry
    materials: Materials
    lights: Lights
    shadow_planes: tuple[NDArray[np.float64], ...]
    plane_body: NDArray[np.int32]
    is_moving: NDArray[np.int32]
    moving: NDArray[np.int32]
    still: NDArray[np.int32]
    casters: NDArray[np.int32]
    light_of_sample: NDArray[np.int32]


def compile_scene(world: World) -> Scene:
    """Pack meshes, materials and lights. Raises UserError for missing or unreadable files."""
    is_moving = np.array([body.kind_moves for body in map(_Body, world.bodies)], dtype=np.int32).reshape(-1)
    indices = np.arange(len(world.bodies), dtype=np.int32)
    lights, light_of_sample = _pack_lights(world.lights)
    planes, plane_body = _shadow_planes(world)
    return Scene(
        geometry=_pack_geometry(world),
        materials=_pack_materials(world),
        lights=lights,
        shadow_planes=planes,
        plane_body=plane_body,
        is_moving=is_moving,
        moving=indices[is_moving == 1],
        still=indices[is_moving == 0],
        casters=indices[: len(world.objects)].copy(),
        light_of_sample=light_of_sample,
    )


@dataclass(frozen=True, slots=True)
class _Body:
    body: Object | Plane

    @property
    def kind_moves(self) -> bool:
        return isinstance(self.body, Object) and self.body.kind != "static"


def _meshes(world: World) -> list[TriangleMesh]:
    return [
        object_mesh(body, base_dir=world.base_dir) if isinstance(body, Object) else plane_mesh(body)
        for body in world.bodies
    ]


def _pack_geometry(world: World) -> Geometry:
    meshes = _meshes(world)
    n = len(meshes)
    vertex_start = np.cumsum([0, *(len(m.vertices) for m in meshes)]).astype(np.int32)
    face_start = np.cumsum([0, *(len(m.faces) for m in meshes)]).astype(np.int32)
    vertices = np.concatenate([np.empty((0, 3)), *(m.vertices for m in meshes)])
    faces = [m.faces + start for m, start in zip(meshes, vertex_start[:-1], strict=True)]
    uv = [np.zeros((len(m.vertices), 2)) if m.uv is None else m.uv for m in meshes]
    centre = np.array([0.5 * (m.vertices.min(axis=0) + m.vertices.max(axis=0)) for m in meshes]).reshape(n, 3)
    radius = [
        np.linalg.norm(m.vertices - c, axis=-1).max() for m, c in zip(meshes, centre, strict=True)
    ]
    closed = [isinstance(body, Object) and body.geometry != "mesh" for body in world.bodies]
    v = len(vertices)
    return Geometry(
        local_vertices=np.ascontiguousarray(vertices),
        local_normals=np.concatenate([np.empty((0, 3)), *(m.normals for m in meshes)]),
        uv=np.concatenate([np.empty((0, 2)), *uv]),
        faces=np.concatenate([np.empty((0, 3), np.int32), *faces]).astype(np.int32),
        face_body=np.repeat(np.arange(n, dtype=np.int32), np.diff(face_start)),
        vertex_start=vertex_start,
        face_start=face_start,
        closed=np.array(closed, dtype=np.uint8).reshape(n),
        local_centre=centre,
        radius=np.array(radius, dtype=np.float64).reshape(n),
        vertices=np.zeros((v, 3)),
        normals=np.zeros((v, 3)),
        camera_vertices=np.zeros((v, 3)),
        screen=np.zeros((v, 2), np.int64),
        inverse_depth=np.zeros(v),
        outside=np.zeros(v, np.uint8),
        centre=np.zeros((n, 3)),
        rect=np.zeros((n, 4), np.int32),
    )


def _pack_materials(world: World) -> Materials:
    textures = TextureSet(world.base_dir)
    surfaces = [body.material for body in world.bodies]
    n = len(surfaces)
    maps = [
        (
            textures.index(m.base_color_map, is_color=True),
            textures.index(m.normal_map),
            textures.index(m.roughness_map),
            textures.index(m.metallic_map),
        )
        for m in surfaces
    ]
    info, texels = textures.packed()
    return Materials(
        base_color=np.array(linear_from_srgb([m.base_color for m in surfaces]), dtype=np.float64).reshape(n, 3),
        roughness=np.array([m.roughness for m in surfaces], dtype=np.float64),
        metallic=np.array([m.metallic for m in surfaces], dtype=np.float64),
        maps=np.array(maps, dtype=np.int32).reshape(n, 4),
        texture_info=info,
        texels=texels,
        albedo_table=albedo_table(),
    )


def _pack_lights(lights: tuple[Light, ...]) -> tuple[Lights, NDArray[np.int32]]:
    rows: list[tuple[int, int, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]] = []
    for i, light in enumerate(lights):
        power = np.asarray(linear_from_srgb(light.color), dtype=np.float64)
        if isinstance(light, DirectionalLight):
            rows.append((i, DIRECTIONAL, normalized(light.direction), np.zeros(3), power))
        elif isinstance(light, AreaLight):
            axis = normalized(light.direction)
            share = light.size**2 / AREA_GRID**2
            rows += [(i, AREA, point, axis, share * power) for point in _area_points(light, axis)]
        else:
            rows.append((i, POINT, np.asarray(light.pos, dtype=np.float64), np.zeros(3), power))
    owner, kind, vector, axes, powers = zip(*rows, strict=True) if rows else ((), (), (), (), ())
    n = len(rows)
    packed = Lights(
        kind=np.array(kind, dtype=np.int32),
        vector=np.array(vector, dtype=np.float64).reshape(n, 3),
        axis=np.array(axes, dtype=np.float64).reshape(n, 3),
        power=np.array(powers, dtype=np.float64).reshape(n, 3),
    )
    return packed, np.array(owner, dtype=np.int32)


def _area_points(light: AreaLight, axis: NDArray[np.float64]) -> NDArray[np.float64]:
    """Centres of the cells of a square emitter [m], shape (AREA_GRID², 3)."""
    helper = np.array([0.0, 1.0, 0.0]) if abs(axis[1]) < 0.9 else np.array([0.0, 0.0, 1.0])
    right = normalized(np.cross(helper, axis))
    up = np.cross(axis, right)
    steps = light.size * ((np.arange(AREA_GRID) + 0.5) / AREA_GRID - 0.5)
    a, b = np.meshgrid(steps, steps, indexing="ij")
    return np.asarray(light.pos) + a.reshape(-1, 1) * right + b.reshape(-1, 1) * up


def _shadow_planes(world: World) -> tuple[tuple[NDArray[np.float64], ...], NDArray[np.int32]]:
    n = len(world.planes)
    squares = [plane_mesh(p).vertices for p in world.planes]
    normal = np.array([normalized(p.normal) for p in world.planes], dtype=np.float64).reshape(n, 3)
    centre = np.array([square.mean(axis=0) for square in squares], dtype=np.float64).reshape(n, 3)
    half = np.array([0.5 * p.size for p in world.planes], dtype=np.float64)
    right = np.array([normalized(s[1] - s[0]) for s in squares], dtype=np.float64).reshape(n, 3)
    body = len(world.objects) + np.arange(n, dtype=np.int32)
    return (normal, centre, half, right), body.astype(np.int32)


def light_intensities(world: World, scene: Scene, t: float) -> NDArray[np.float64]:
    """Intensity of every light sample at time ``t`` [s], shape (L,)."""
    values = np.array([intensity_at(light, t, duration=world.duration) for light in world.lights], np.float64)
    return values[scene.light_of_sample]


def make_shadows(scene: Scene, *, size: int) -> Shadows:
    """Room for one map of up to ``size`` texels a side per light sample and caster."""
    lights, bodies = len(scene.lights.kind), len(scene.is_moving)
    first = np.zeros((lights, bodies), np.int64)
    slots = np.arange(lights * len(scene.casters), dtype=np.int64).reshape(lights, -1)
    first[:, scene.casters] = slots * size * size
    normal, centre, half, right = scene.shadow_planes
    return Shadows(
        texels=np.empty(slots.size * size * size, np.float32),
        first=first,
        size=np.zeros((lights, bodies), np.int32),
        origin=np.zeros((lights, bodies, 3)),
        rotation=np.zeros((lights, bodies, 3, 3)),
        extent=np.ones((lights, bodies)),
        plane_normal=normal,
        plane_centre=centre,
        plane_half=half,
        plane_right=right,
        plane_body=scene.plane_body,
    )


def make_view(camera: Camera, *, width: int, height: int, scale: int) -> View:
    """The camera at ``scale`` samples per pixel. Raises UserError for a degenerate view."""
    try:
        rotation = camera.world_from_camera()
    except ValueError as error:
        raise UserError("the camera has no view", where="camera", got=str(error)) from error
    k = intrinsics_from_fov(fov_y_deg=camera.fov_y_deg, width=width * scale, height=height * scale)
    return View(
        position=np.asarray(camera.pos, dtype=np.float64),
        world_from_camera=np.ascontiguousarray(rotation),
        focal=float(k[0, 0]),
        centre_x=float(k[0, 2]),
        centre_y=float(k[1, 2]),
        width=width * scale,
        height=height * scale,
    )
