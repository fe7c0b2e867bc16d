"""What a body looks like once everybody has been asked: its script (presets included), its file, the default.

The one place that fills in what a script leaves unstated (``None`` in :class:`~fourdcb.world.Material`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourdcb.conventions import linear_from_srgb, srgb_from_linear
from fourdcb.world.fields import Vec3
from fourdcb.world.material import MAPS, Material
from fourdcb.world.mesh import mesh_look, object_mesh
from fourdcb.world.mesh_look import MeshLook
from fourdcb.world.model import Object, Surfaced, World
from fourdcb.world.presets import material_preset

LookField = Literal["base_color", "roughness", "metallic"]
LOOK_FIELDS: tuple[LookField, ...] = ("base_color", "roughness", "metallic")
# What no mesh file says here, and what holds where a script is silent, too.
FINISH: Mapping[str, float] = {"specular": 0.5, "opacity": 1.0, "subsurface": 0.0}
FINISH_FIELDS = (*FINISH, "subsurface_color")
_WHITE = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class ResolvedLook:
    """A body's surface without blanks.

    Attributes:
        base_color: linear factor.
        roughness, metallic: factors.
        file: the mesh file's material, whose normal map counts; None when it has none or the script silences
            it by naming a map.
        of_file: the fields that the script leaves to the file: its images of them count, too.
        specular, opacity, subsurface: as the script says, else :data:`FINISH`.
        subsurface_color: linear; None is the base colour.
        vertex_colors: whether the mesh's colours multiply the base colour: where the script states none.
    """

    base_color: Vec3
    roughness: float
    metallic: float
    file: MeshLook | None
    of_file: frozenset[LookField]
    specular: float = FINISH["specular"]
    opacity: float = FINISH["opacity"]
    subsurface: float = FINISH["subsurface"]
    subsurface_color: Vec3 | None = None
    vertex_colors: bool = False


class StatedLook(NamedTuple):
    """A surface as a script states it: base colour (sRGB), perceptual roughness, metallic."""

    base_color: Vec3
    roughness: float
    metallic: float


def default_material() -> Material:
    """The look of what nobody says anything about: the preset of that name."""
    return material_preset(Material().name)


def has_map(material: Material) -> bool:
    """Whether the script names an image of its own."""
    return any(getattr(material, name) for name in MAPS)


def unstated(material: Material) -> frozenset[LookField]:
    """The fields of a look that a script says nothing about."""
    return frozenset(name for name in LOOK_FIELDS if getattr(material, name) is None)


def resolved_look(body: Surfaced, world: World) -> ResolvedLook:
    """The look of a body: by field what the script states, else its GLB file, else the default.

    A file counts only where the script names no map for the body.

    Raises:
        UserError: when the mesh file is missing or unreadable.
    """
    material, silent, default = body.material, unstated(body.material), default_material()
    file = (
        None
        if has_map(material) or not isinstance(body, Object)
        else mesh_look(body, base_dir=world.base_dir)
    )
    of_file: frozenset[LookField] = frozenset() if file is None else silent
    plain = replace(material, **{name: getattr(default, name) for name in silent - of_file})

    def value(name: LookField) -> Any:
        return getattr(file if name in of_file else plain, name)

    color, colored = value("base_color"), "base_color" in silent and has_vertex_colors(body, world)
    white = colored and "base_color" not in of_file
    scattered = material.subsurface_color
    finish = {name: _or(getattr(material, name), default) for name, default in FINISH.items()}
    linear = color if "base_color" in of_file else _vector(linear_from_srgb(color))
    return ResolvedLook(
        base_color=_WHITE if white else linear,
        roughness=value("roughness"),
        metallic=value("metallic"),
        file=file,
        of_file=of_file,
        subsurface_color=None if scattered is None else _vector(linear_from_srgb(scattered)),
        vertex_colors=colored,
        **finish,
    )


def has_vertex_colors(body: Surfaced, world: World) -> bool:
    """Whether a body's mesh file colours its vertices, and the script names no image for it.

    Raises:
        UserError: when the mesh file is missing or unreadable.
    """
    if not isinstance(body, Object) or body.geometry != "mesh" or has_map(body.material):
        return False
    return object_mesh(body, base_dir=world.base_dir).colors is not None


def stated_finish(body: Surfaced, base_color: Vec3) -> dict[str, Any]:
    """Specular, opacity, subsurface and its colour (sRGB) as a script states them, else what holds then."""
    own = body.material
    finish: dict[str, Any] = {name: _or(getattr(own, name), default) for name, default in FINISH.items()}
    return finish | {"subsurface_color": own.subsurface_color or base_color}


def _or(stated: float | None, default: float) -> float:
    return default if stated is None else stated


def stated_look(body: Surfaced, world: World) -> StatedLook:
    """A body's look in the words of a script; what a file says by images is the images' mean.

    Raises:
        UserError: when the mesh file is missing or unreadable.
    """
    look, default = resolved_look(body, world), default_material()
    said = default if look.file is None else _means(look.file)
    own = body.material
    values = {name: getattr(said if getattr(own, name) is None else own, name) for name in LOOK_FIELDS}
    if look.vertex_colors and isinstance(body, Object):
        colors = object_mesh(body, base_dir=world.base_dir).colors
        mean = np.ones(3) if colors is None else colors.mean(axis=0)
        values["base_color"] = _vector(srgb_from_linear(mean * look.base_color))
    return StatedLook(**values)


@lru_cache(maxsize=64)
def _means(file: MeshLook) -> StatedLook:
    """What a file says: factors times the means of its images.

    By glTF the images of colours are sRGB and their linear values are averaged; of the shared image green
    tells roughness and blue metalness.
    """
    linear = np.array(file.base_color)
    if file.base_color_image is not None:
        linear = linear * np.asarray(linear_from_srgb(file.base_color_image / 255.0)).mean(axis=(0, 1))
    rough = metal = 1.0
    if (shared := file.metallic_roughness_image) is not None:
        _, rough, metal = (shared.reshape(-1, 3).mean(axis=0) / 255.0).tolist()
    return StatedLook(_vector(srgb_from_linear(linear)), file.roughness * rough, file.metallic * metal)


def _vector(values: NDArray[np.float64] | Sequence[float]) -> Vec3:
    red, green, blue = (float(v) for v in values)
    return red, green, blue
