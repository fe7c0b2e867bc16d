"""The arrays that kernels share, as named tuples (numba knows them). N bodies, V vertices, F faces, L lights."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U8 = NDArray[np.uint8]

DIRECTIONAL, POINT, AREA = 0, 1, 2


class Geometry(NamedTuple):
    """Meshes of all bodies, one after the other; the second half is rewritten for every pose."""

    local_vertices: F64
    local_normals: F64
    uv: F64
    faces: I32
    face_body: I32
    vertex_start: I32  # [N + 1]
    face_start: I32  # [N + 1]
    closed: U8  # [N] convex closed primitives: back faces are never seen, never shadow themselves
    local_centre: F64  # [N, 3] of the bounding sphere
    radius: F64  # [N]
    vertices: F64  # [V, 3] in the world
    normals: F64
    camera_vertices: F64
    screen: I64  # [V, 2] in 1/4096 px
    inverse_depth: F64  # [V]
    outside: U8  # [V] needs clipping
    centre: F64  # [N, 3] in the world
    rect: I32  # [N, 4] x0, y0, x1, y1 [px], upper bounds exclusive


class View(NamedTuple):
    """A pinhole camera."""

    position: F64
    world_from_camera: F64
    focal: float
    centre_x: float
    centre_y: float
    width: int
    height: int


class Materials(NamedTuple):
    """Appearance per body; ``maps`` holds texture indices: base, normal, roughness, metallic; -1 none."""

    base_color: F64  # [N, 3] linear
    roughness: F64
    metallic: F64
    maps: I32  # [N, 4]
    texture_info: I64  # [textures, 3] first texel, width, height
    texels: F32  # [*, 3], row 0 on top
    albedo_table: F32  # see ambient.py


class Lights(NamedTuple):
    """Light samples: an area light is several. ``power`` includes colour and share, not intensity."""

    kind: I32
    vector: F64  # [L, 3] direction of travel, or position
    axis: F64  # [L, 3] the way an area light faces
    power: F64  # [L, 3]


class Shadows(NamedTuple):
    """One depth map per light and caster, fitted to the caster. Keys fall with the distance from the light."""

    texels: F32
    first: I64  # [L, N] first texel of each map
    size: I32  # [L, N] side, 0 when the caster has no map
    origin: F64  # [L, N, 3]
    rotation: F64  # [L, N, 3, 3] light_from_world
    extent: F64  # [L, N] half side at unit depth (point) or [m] (directional)
    plane_normal: F64  # [P, 3]
    plane_centre: F64  # [P, 3]
    plane_half: F64  # [P]
    plane_right: F64  # [P, 3]
    plane_body: I32  # [P]


class Buffers(NamedTuple):
    """Per-sample images at the internal resolution."""

    face: I32  # [h, w]
    inverse_depth: F32  # [h, w]


class StaticLayer(NamedTuple):
    """What the camera sees of the bodies that never move."""

    face: I32  # [h, w]
    inverse_depth: F32
    ambient: F32  # [h, w, 3]; the background's radiance where nothing is hit
    direct: F32  # [L, h, w, 3] unshadowed, per unit intensity
    visible: F32  # [L, h, w] share that static casters let through
    bounds: F64  # [tiles_y, tiles_x, 4] bounding sphere of the tile's surface points; radius < 0: none

