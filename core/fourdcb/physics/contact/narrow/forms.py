"""Bodies as the narrow phase knows them: convex parts (or a surface), centre of mass, principal inertia."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64
from fourdcb.physics.contact.narrow.hulls import Polyhedron
from fourdcb.physics.contact.narrow.table import HALF_SPACE

Vec3 = tuple[float, float, float]
Quat = tuple[float, float, float, float]
_UPRIGHT: Quat = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartForm:
    """One convex part, or a surface of triangles.

    Attributes:
        kind: SPHERE … MESH.
        size: as :class:`ShapeTable` has it.
        place: the part's origin in the body's frame [m].
        axes: rotation body_from_part; None where the axes are the body's.
        solid: its polyhedron (a box, a hull).
        triangles: of a MESH: vertices [m], shape (V, 3), and faces, shape (T, 3), outward.
    """

    kind: int
    size: Vec3 = (0.0, 0.0, 0.0)
    place: Vec3 = (0.0, 0.0, 0.0)
    axes: F64 | None = None
    solid: Polyhedron | None = None
    triangles: tuple[F64, NDArray[np.int64]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BodyForm:
    """Geometry and mass distribution of one body.

    The body's frame has its origin in the centre of mass and its axes along the principal axes. A half space
    fills z ≤ 0 of its frame.

    Attributes:
        parts: what it is made of.
        center: centre of mass in the object's frame [m].
        axes_wxyz: rotation object_from_body.
        unit_inertia: principal moments for a mass of 1 kg [m²].
        volume: [m³]; inf for a half space.
    """

    parts: tuple[PartForm, ...]
    center: Vec3 = (0.0, 0.0, 0.0)
    axes_wxyz: Quat = _UPRIGHT
    unit_inertia: Vec3 = (1.0, 1.0, 1.0)
    volume: float = np.inf


HALF_SPACE_FORM = BodyForm(parts=(PartForm(kind=HALF_SPACE),))
