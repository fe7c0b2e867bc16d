"""What bodies look like: their script's material, and where that is silent the one of their GLB file."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourdcb.conventions import linear_from_srgb
from fourdcb.render._textures import TextureSet
from fourdcb.world import Material, Object, Plane, World
from fourdcb.world.mesh import MeshLook, mesh_look

F32 = NDArray[np.float32]
_SILENT = Material()


class Look(NamedTuple):
    """A body's row of the packed materials.

    Attributes:
        surface: linear base colour, roughness, metallic.
        maps: textures of base colour, normal, roughness, metallic; -1 for none.
    """

    surface: tuple[float, float, float, float, float]
    maps: tuple[int, int, int, int]


def look_of(body: Object | Plane, world: World, textures: TextureSet) -> Look:
    """The look of a body; its images are added to ``textures``.

    A GLB file's material counts only where the script names no map, and of it each of base colour, roughness
    and metallic only where the script leaves that at its default.
    """
    m = body.material
    red, green, blue = (float(c) for c in linear_from_srgb(m.base_color))
    look = Look(
        (red, green, blue, m.roughness, m.metallic),
        (
            textures.index(m.base_color_map, is_color=True),
            textures.index(m.normal_map),
            textures.index(m.roughness_map),
            textures.index(m.metallic_map),
        ),
    )
    if max(look.maps) >= 0 or not isinstance(body, Object):
        return look
    own = mesh_look(body, base_dir=world.base_dir)
    return look if own is None else _with_file_look(look, m, own, textures)


def _with_file_look(look: Look, m: Material, own: MeshLook, textures: TextureSet) -> Look:
    (red, green, blue, roughness, metallic), maps = look.surface, list(look.maps)
    shared = own.metallic_roughness_image
    if m.base_color == _SILENT.base_color:
        red, green, blue = own.base_color
        if own.base_color_image is not None:
            maps[0] = textures.own((own, "base"), lambda: _colours(own))
    if own.normal_image is not None:
        normals = own.normal_image
        maps[1] = textures.own((own, "normal"), lambda: _values(normals))
    if m.roughness == _SILENT.roughness:
        roughness = own.roughness
        if shared is not None:
            maps[2] = textures.own((own, "roughness"), lambda: _values(shared[..., 1:2].repeat(3, -1)))
    if m.metallic == _SILENT.metallic:
        metallic = own.metallic
        if shared is not None:
            maps[3] = textures.own((own, "metallic"), lambda: _values(shared[..., 2:3].repeat(3, -1)))
    return Look((red, green, blue, roughness, metallic), (maps[0], maps[1], maps[2], maps[3]))


def _colours(own: MeshLook) -> F32:
    assert own.base_color_image is not None
    linear = np.asarray(linear_from_srgb(own.base_color_image / 255.0)) * own.base_color
    return np.asarray(linear, dtype=np.float32)


def _values(image: NDArray[np.uint8]) -> F32:
    return np.asarray(image / 255.0, dtype=np.float32)
