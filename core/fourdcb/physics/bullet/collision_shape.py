"""What Bullet collides with, and how its mass lies in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64

IDENTITY = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One collision element: a URDF geometry tag at a place in the body frame [m]."""

    geometry: str
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hull:
    """One polyhedron in the body frame: vertices [m], shape (V, 3); faces, shape (F, 3), outward."""

    vertices: F64
    faces: NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Collision geometry and mass distribution of one body.

    Attributes:
        parts: primitive elements.
        hulls: convex polyhedra.
        surface: triangles that bodies collide with as they are, concave or not; for what never moves.
        center: centre of mass in the object's frame [m].
        axes_wxyz: rotation ``object_from_body`` (principal axes in the object's frame).
        unit_inertia: principal moments for a mass of 1 kg [m²].
        volume: [m³].
        polyhedral: whether hulls collide face against face (full contact patch in one step).
    """

    parts: tuple[Part, ...] = ()
    hulls: tuple[Hull, ...] = ()
    surface: Hull | None = None
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)
    axes_wxyz: tuple[float, float, float, float] = IDENTITY
    unit_inertia: tuple[float, float, float]
    volume: float
    polyhedral: bool = True
