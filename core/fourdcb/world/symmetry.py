"""How far orientations are apart as an observer sees them: modulo the symmetry of the shapes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from typing import Literal

import numpy as np

from fourdcb.arrays import F64
from fourdcb.conventions import (
    multiply_quaternions,
    quaternion_from_rotation,
    rotation_angle_deg,
    rotation_from_quaternion,
)
from fourdcb.world.material import MAPS
from fourdcb.world.model import Geometry, Object

FreeAxes = Literal["none", "x", "y", "z", "all"]
_SIZE_TOLERANCE = 0.01
_FLIP = np.diag([1.0, -1.0, -1.0])


@dataclass(frozen=True, slots=True)
class Symmetry:
    """What a rotation may change without being seen.

    Attributes:
        free: continuous part, quotiented in every frame.
        elements: discrete part, rotation matrices g [3, 3]; ``R_candidate · g`` is compared with
            ``R_reference`` and one g holds for the whole clip.
        shown: what is left of ``free`` where a pattern on the surface shows turns that the shape hides; None
            where there is no such pattern.
        resolution_deg: a turn that the pattern alone shows costs what lies above this.
    """

    free: FreeAxes
    elements: tuple[F64, ...]
    shown: FreeAxes | None = None
    resolution_deg: float = 0.0


def free_axes(geometry: Geometry) -> FreeAxes:
    """About which of its own axes a shape may turn without being seen."""
    if geometry == "sphere":
        return "all"
    return "z" if geometry in ("cylinder", "cone", "capsule") else "none"


def orientation_gap_deg(a_wxyz: F64, b_wxyz: F64, free: FreeAxes) -> F64:
    """Angle between orientations [deg], shape (...); a free axis costs nothing."""
    if free == "all":
        return np.zeros(np.broadcast_shapes(a_wxyz.shape, b_wxyz.shape)[:-1])
    if free == "none":
        return rotation_angle_deg(a_wxyz, b_wxyz)
    axis = "xyz".index(free)
    return vector_angle_deg(
        rotation_from_quaternion(a_wxyz)[..., axis], rotation_from_quaternion(b_wxyz)[..., axis]
    )


def vector_angle_deg(a: F64, b: F64) -> F64:
    """Angle between vectors along the last axis [deg]; exactly 0 for equal ones."""
    return np.rad2deg(np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), np.sum(a * b, axis=-1)))


@cache
def cube_rotations() -> tuple[F64, ...]:
    """The 24 rotations of a cube, identity first."""
    found = [np.eye(3)]
    for order in permutations(range(3)):
        for signs in product((1.0, -1.0), repeat=3):
            matrix = np.zeros((3, 3))
            matrix[range(3), order] = signs
            if np.linalg.det(matrix) > 0 and not np.array_equal(matrix, np.eye(3)):
                found.append(matrix)
    return tuple(found)


def textured(obj: Object) -> bool:
    """Whether an image on the surface makes turns visible."""
    return any(getattr(obj.material, name) for name in MAPS)


def symmetry(
    reference: Object,
    candidate: Object,
    candidate_size: F64,
    reference_size: F64,
    *,
    plain: bool = False,
) -> Symmetry:
    """Symmetry under which two matched objects are compared.

    A box may name its extents in another order and be turned to match, so the discrete elements of a box
    are those cube rotations that bring the candidate's extents onto the reference's as well as any does.

    Args:
        candidate_size, reference_size: full extents [m], shape (3,).
        plain: of the shapes alone, whatever textures are on them.
    """
    free = free_axes(reference.geometry)
    if not plain and (textured(reference) or textured(candidate)):
        return Symmetry(free, (np.eye(3),))
    if reference.geometry == "box" and candidate.geometry == "box":
        errors = [size_error(g, candidate_size, reference_size) for g in cube_rotations()]
        limit = min(errors) + _SIZE_TOLERANCE
        fitting = [g for g, e in zip(cube_rotations(), errors, strict=True) if e <= limit]
        return Symmetry(free, tuple(fitting))
    if reference.geometry in ("cylinder", "capsule"):
        return Symmetry(free, (np.eye(3), _FLIP))
    return Symmetry(free, (np.eye(3),))


def size_error(g: F64, candidate_size: F64, reference_size: F64) -> float:
    """Largest relative error of the extents after turning the candidate by ``g``."""
    return float(np.max(np.abs((np.abs(g).T @ candidate_size) / reference_size - 1.0)))


def rotation_errors(
    reference_wxyz: F64, candidate_wxyz: F64, sym: Symmetry, *, frames: int | None = None
) -> tuple[F64, F64]:
    """Angle between orientations in every frame [deg], shape (T,), and the element g that was chosen.

    Args:
        reference_wxyz, candidate_wxyz: shape (T, 4).
        frames: g is the best over so many first frames, those that can be predicted; default all.
    """
    if sym.free == "all" and sym.shown is None:
        return np.zeros(len(reference_wxyz)), sym.elements[0]
    candidates = [(_angles(reference_wxyz, candidate_wxyz, g, sym), g) for g in sym.elements]
    return min(candidates, key=lambda pair: float(np.sum(pair[0][:frames] ** 2)))


def _angles(reference: F64, candidate: F64, g: F64, sym: Symmetry) -> F64:
    turned = multiply_quaternions(candidate, quaternion_from_rotation(g))
    tilt = orientation_gap_deg(reference, turned, sym.free)
    if sym.shown is None:
        return tilt
    return np.maximum(tilt, orientation_gap_deg(reference, turned, sym.shown) - sym.resolution_deg)
