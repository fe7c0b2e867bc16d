"""The arrays that kernels share, as named tuples (numba knows them).

N bodies, V vertices, F faces, L light samples, P samples of the image (row by row). Columns that are read
together lie in one array: a kernel's compile time grows with the number of arrays that it is given.
"""

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
BASE_COLOR, NORMAL, ROUGHNESS, METALLIC = 0, 1, 2, 3  # columns of ``Materials.maps``


class Mesh(NamedTuple):
    """Meshes of all bodies, one after the other. ``points``, ``camera``, ``screen``, ``rects`` and the last
    three columns of ``spheres`` are rewritten for every pose.

    Attributes:
        local: position and normal in the body's frame, [V, 6].
        points: position and normal in the world, texture coordinates, [V, 8].
        camera: position in the camera frame and 1 / z, [V, 4].
        screen: x, y in 1/4096 px, and whether the vertex needs clipping, [V, 3].
        faces: three vertices and the body, [F, 4].
        bodies: first vertex, end of vertices, first face, end of faces, closed (a convex primitive: its back
            is never seen and it never shadows itself), moving, [N, 6].
        spheres: centre in the body's frame, radius, centre in the world, [N, 7].
        rects: pixels that a body may cover: x0, y0, x1, y1, upper bounds exclusive, [N, 4].
        colors: linear factors of the base colour, [V, 3]; [0, 3] where no body has any.
    """

    local: F64
    points: F64
    camera: F64
    screen: I64
    faces: I32
    bodies: I32
    spheres: F64
    rects: I32
    colors: F32


class View(NamedTuple):
    """A pinhole camera; the rotation world_from_camera row by row."""

    position: tuple[float, float, float]
    rotation: tuple[float, float, float, float, float, float, float, float, float]
    focal: float
    centre_x: float
    centre_y: float
    width: int
    height: int


class Materials(NamedTuple):
    """Appearance per body.

    Attributes:
        surface: linear base colour, roughness, metallic, index of refraction, share of subsurface scattering
            and its linear colour (-1: the base colour), [N, 10].
        maps: textures of base colour, normal, roughness, metallic (-1 none), whether any, and whether the
            mesh's vertex colours count, [N, 6].
        images: first texel, width, height, [images, 3]. A texture is followed by its pyramid: images of half
            the sides (rounded down) until one texel is left.
        texels: all images, row 0 on top, [*, 3].
        albedo: see ``_ambient``.
    """

    surface: F64
    maps: I32
    images: I64
    texels: F32
    albedo: F32


class Lights(NamedTuple):
    """Light samples; an area light is several.

    Attributes:
        kind: DIRECTIONAL, POINT or AREA, [L].
        rows: direction of travel or position; the way an area light faces; power per unit intensity, [L, 9].
    """

    kind: I32
    rows: F64


class Shadows(NamedTuple):
    """One depth map per light and caster, fitted to the caster.

    Attributes:
        texels: keys, which fall with the distance from the light.
        slots: first texel and side (0: no map), [L, N, 2].
        frames: light_from_world rotation row by row, origin, half side (at unit depth for point lights),
            [L, N, 13].
        planes: normal, centre, right, half side, body, [planes, 11].
    """

    texels: F32
    slots: I64
    frames: F64
    planes: F64


class Drawn(NamedTuple):
    """A z-buffer: face (-1 none) and 1 / z per sample, [P] each."""

    face: I32
    inverse_depth: F32


class Scratch(NamedTuple):
    """Room that drawing works in: two clip polygons [9, 3], a map's vertices [V, 2] and keys [V].

    Kernels that run at the same time each need their own.
    """

    ping: F64
    pong: F64
    grid: I64
    key: F64


class Layer(NamedTuple):
    """Shaded samples, kept by light so that shadows and intensities can change over them.

    Attributes:
        ambient: radiance that no light sample causes (background included), [P, 3].
        direct: unshadowed radiance per unit intensity, [L, P, 3].
        visible: share of each light that arrives, [L, P].
        normal: towards the camera, [P, 3].
        albedo: linear base colour, [P, 3].
    """

    ambient: F32
    direct: F32
    visible: F32
    normal: F32
    albedo: F32
