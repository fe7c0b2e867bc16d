"""Mesh files as solids: closed surfaces, their centre of mass and principal axes, for every engine."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64
from fourdcb.conventions import quaternion_from_rotation, rotation_from_quaternion
from fourdcb.errors import UserError
from fourdcb.world.mesh_surface import middle, surface_fault, welded_surface


def closed_surface(vertices: F64, faces: NDArray[np.int64], *, name: str, file: str) -> tuple[Any, F64]:
    """The welded surface about the middle of its box, and that middle [m] in the object's frame.

    Args:
        vertices: [m], shape (V, 3).
        faces: shape (F, 3), counter-clockwise from outside.
        name, file: of the object, for errors.

    Raises:
        UserError: when the surface is not closed, or has no volume.
    """
    surface = welded_surface(vertices, faces)
    fault = surface_fault(surface)
    if fault is not None:
        raise UserError(
            f"the mesh of object {name!r} {fault}",
            where=file,
            expected="a closed surface whose triangles face outwards",
        )
    return surface, middle(vertices)


def principal_frame(surface: Any) -> tuple[F64, F64, F64]:
    """(centre of mass [m], rotation object_from_body, principal moments per mass [m²]) of an even solid."""
    center = np.asarray(surface.center_mass, dtype=np.float64)
    tensor = np.asarray(surface.moment_inertia, dtype=np.float64) / float(surface.volume)
    if np.abs(tensor - np.diag(np.diag(tensor))).max() < 1e-6 * np.trace(tensor):
        return center, np.eye(3), np.diag(tensor).copy()  # keep the file's axes where they are principal
    moments, rotation = np.linalg.eigh(tensor)
    if np.linalg.det(rotation) < 0:
        rotation[:, 0] *= -1
    # Through a quaternion and back: the frame that an engine is told and the vertices must agree exactly.
    return center, rotation_from_quaternion(quaternion_from_rotation(rotation)), moments
