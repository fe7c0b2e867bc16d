"""The reference's world in the candidate's materials and lights: what is left differs in looks alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fourdcb.metrics.matching import Matching
from fourdcb.world import Material, Object, Plane, World
from fourdcb.world.looks import stated_look
from fourdcb.world.material import MAPS
from fourdcb.world.mesh import mesh_look
from fourdcb.world.mesh_look import MeshLook

_IMAGES = ("base_color_image", "normal_image", "metallic_roughness_image")


def stand_ins(matching: Matching) -> dict[str, str]:
    """Reference body → the candidate body whose material it is compared with."""
    return dict(matching.static.stand_in) | {m.reference: m.candidate for m in matching.pairs}


def transfer_appearance(
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

    def material_of(body: Object | Plane) -> Material:
        if body.name not in partner:
            return body.material
        other = bodies[partner[body.name]]
        if _same(_file_look(other, candidate), _file_look(body, reference)):
            return _placed(other.material, candidate.base_dir)
        return stated_material(other, candidate)

    return replace(
        reference,
        objects=tuple(replace(o, material=material_of(o)) for o in reference.objects),
        planes=tuple(replace(p, material=material_of(p)) for p in reference.planes),
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
    """A body's material with every look stated: nothing is left for another body's file to say.

    Raises:
        UserError: when a mesh file is missing or unreadable.
    """
    look = stated_look(body, world)
    return replace(_placed(body.material, world.base_dir), **look._asdict())


def _same(a: MeshLook | None, b: MeshLook | None) -> bool:
    if a is None or b is None or a is b:
        return a is b
    factors = [(look.base_color, look.roughness, look.metallic) for look in (a, b)]
    images = ((getattr(a, name), getattr(b, name)) for name in _IMAGES)
    return factors[0] == factors[1] and all(np.array_equal(x, y) for x, y in images)
