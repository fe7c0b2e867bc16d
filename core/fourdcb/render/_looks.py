"""Looks of bodies as rows and textures that the kernels read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F32
from fourdcb.conventions import linear_from_srgb
from fourdcb.render._textures import TextureSet
from fourdcb.render.brdf import eta_from_specular
from fourdcb.world import Surfaced, World
from fourdcb.world.fields import Vec3
from fourdcb.world.looks import LookField, resolved_look
from fourdcb.world.mesh_look import MeshLook


class Look(NamedTuple):
    """A body's row of the packed materials.

    Attributes:
        surface: a row of ``Materials.surface``.
        maps: textures of base colour, normal, roughness, metallic; -1 for none.
        vertex_colors: whether the mesh's vertex colours count.
    """

    surface: tuple[float, ...]
    maps: tuple[int, int, int, int]
    vertex_colors: bool


def look_of(body: Surfaced, world: World, textures: TextureSet) -> Look:
    """The look of a body as the kernels read it; its images are added to ``textures``."""
    m, look = body.material, resolved_look(body, world)
    maps = [
        textures.index(m.base_color_map, is_color=True),
        textures.index(m.normal_map),
        textures.index(m.roughness_map),
        textures.index(m.metallic_map),
    ]
    if look.file is not None:
        for place, index in _file_maps(look.file, look.of_file, textures):
            maps[place] = index
    scattered = look.subsurface_color or (-1.0, -1.0, -1.0)
    eta = eta_from_specular(look.specular)
    surface = (*look.base_color, look.roughness, look.metallic, eta, look.subsurface, *scattered)
    return Look(surface, (maps[0], maps[1], maps[2], maps[3]), look.vertex_colors)


def _file_maps(
    file: MeshLook, speaks: frozenset[LookField], textures: TextureSet
) -> Iterator[tuple[int, int]]:
    """(place among the maps, texture) of a mesh file's images that count."""
    color, normals, shared = file.base_color_image, file.normal_image, file.metallic_roughness_image
    if color is not None and "base_color" in speaks:
        yield 0, textures.own((file, "base"), lambda: _colours(color, file.base_color))
    if normals is not None:
        yield 1, textures.own((file, "normal"), lambda: _values(normals))
    if shared is not None and "roughness" in speaks:
        yield 2, textures.own((file, "roughness"), lambda: _values(shared[..., 1:2].repeat(3, -1)))
    if shared is not None and "metallic" in speaks:
        yield 3, textures.own((file, "metallic"), lambda: _values(shared[..., 2:3].repeat(3, -1)))


def _colours(image: NDArray[np.uint8], factor: Vec3) -> F32:
    return np.asarray(np.asarray(linear_from_srgb(image / 255.0)) * factor, dtype=np.float32)


def _values(image: NDArray[np.uint8]) -> F32:
    return np.asarray(image / 255.0, dtype=np.float32)
