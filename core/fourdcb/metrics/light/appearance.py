"""The reference's world in the candidate's materials and lights: what is left differs in looks alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fourdcb.conventions import linear_from_srgb, srgb_from_linear
from fourdcb.metrics.matching import Matching
from fourdcb.world import Material, Object, Plane, World
from fourdcb.world.material import MAPS
from fourdcb.world.mesh import MeshLook, mesh_look

_SILENT = Material()
_IMAGES = ("base_color_image", "normal_image", "metallic_roughness_image")
_HARDLY = 1e-12  # what a value departs by from a default that is meant


def stand_ins(matching: Matching) -> dict[str, str]:
    """Reference body → the candidate body whose material it is compared with."""
    return dict(matching.static.stand_in) | {m.reference: m.candidate for m in matching.pairs}


def dressed(
    reference: World, candidate: World, matching: Matching, *, parts: Mapping[str, str] | None = None
) -> World:
    """The reference's world with the candidate's materials and lights.

    Where the looks of mesh files differ, the candidate's counts: its factors and the mean of its images.

    Args:
        parts: other bodies of the candidate than the stand-ins, by reference body.

    Raises:
        UserError: when a mesh file is missing or unreadable.
    """
    partner = stand_ins(matching) | dict(parts or {})
    bodies = {body.name: body for body in candidate.bodies}

    def wear(body: Object | Plane) -> Material:
        if body.name not in partner:
            return body.material
        other = bodies[partner[body.name]]
        if _same(_file_look(other, candidate), _file_look(body, reference)):
            return _placed(other.material, candidate.base_dir)
        return _meant(stated_material(other, candidate))

    return replace(
        reference,
        objects=tuple(replace(o, material=wear(o)) for o in reference.objects),
        planes=tuple(replace(p, material=wear(p)) for p in reference.planes),
        lights=candidate.lights,
        ambient=candidate.ambient,
        background=candidate.background,
    )


def _placed(material: Material, base_dir: str) -> Material:
    """Texture paths made absolute: the material moves to another script's folder."""
    changes: dict[str, Any] = {
        name: str((Path(base_dir) / path).resolve()) for name in MAPS if (path := getattr(material, name))
    }
    return replace(material, **changes)


def _file_look(body: Object | Plane, world: World) -> MeshLook | None:
    return mesh_look(body, base_dir=world.base_dir) if isinstance(body, Object) else None


def stated_material(body: Object | Plane, world: World) -> Material:
    """A body's material, with what its mesh file says put into words; a map in the script silences the file.

    Raises:
        UserError: when a mesh file is missing or unreadable.
    """
    material, look = _placed(body.material, world.base_dir), _file_look(body, world)
    if look is None or _has_map(material):
        return material
    _, rough, metal = _mean(look.metallic_roughness_image)
    silent = (
        material.base_color == _SILENT.base_color,
        material.roughness == _SILENT.roughness,
        material.metallic == _SILENT.metallic,
    )
    return replace(
        material,
        base_color=_mean_color(look) if silent[0] else material.base_color,
        roughness=look.roughness * rough if silent[1] else material.roughness,
        metallic=look.metallic * metal if silent[2] else material.metallic,
    )


def _meant(material: Material) -> Material:
    """The material with no value at its default: nothing is left for a wearer's file to say."""
    if _has_map(material):
        return material
    (red, green, blue), roughness, metallic = material.base_color, material.roughness, material.metallic
    return replace(
        material,
        base_color=(red, green - _HARDLY if material.base_color == _SILENT.base_color else green, blue),
        roughness=roughness - _HARDLY if roughness == _SILENT.roughness else roughness,
        metallic=metallic + _HARDLY if metallic == _SILENT.metallic else metallic,
    )


def _has_map(material: Material) -> bool:
    return any(getattr(material, name) for name in MAPS)


def _same(a: MeshLook | None, b: MeshLook | None) -> bool:
    if a is None or b is None or a is b:
        return a is b
    factors = [(look.base_color, look.roughness, look.metallic) for look in (a, b)]
    images = ((getattr(a, name), getattr(b, name)) for name in _IMAGES)
    return factors[0] == factors[1] and all(np.array_equal(x, y) for x, y in images)


def _mean(values: Any) -> tuple[float, float, float]:
    """Mean of an image by channel, 0 … 1; ones where there is none."""
    if values is None:
        return (1.0, 1.0, 1.0)
    red, green, blue = (values.reshape(-1, 3).mean(axis=0) / 255.0).tolist()
    return red, green, blue


def _mean_color(look: MeshLook) -> tuple[float, float, float]:
    """Mean base colour, sRGB."""
    linear = np.array(look.base_color)
    if look.base_color_image is not None:
        linear = linear * np.asarray(linear_from_srgb(look.base_color_image / 255.0)).mean(axis=(0, 1))
    red, green, blue = np.asarray(srgb_from_linear(linear)).tolist()
    return red, green, blue
