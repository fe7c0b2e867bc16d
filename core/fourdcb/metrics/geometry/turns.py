"""Which turns of a pair of objects nobody sees: what their shapes hide and no pattern shows."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from fourdcb.arrays import F64
from fourdcb.sensitivity.shown_turns import ShownTurns
from fourdcb.world import Object, World
from fourdcb.world.mesh import TriangleMesh, object_mesh
from fourdcb.world.mesh_samples import distance_to, spread_points
from fourdcb.world.mesh_surface import middle
from fourdcb.world.mesh_symmetry import seen_free_axes
from fourdcb.world.symmetry import Symmetry, cube_rotations, size_error, symmetry

_TRIED = 400  # points of a surface
_SAMPLES = 4000
_QUANTILE = 0.95
_SIZE_TOLERANCE = 0.01
_SHAPE_TOLERANCE = 0.01  # of the diagonal


def pair_symmetry(
    reference: tuple[Object, World],
    candidate: tuple[Object, World],
    sizes: tuple[F64, F64],
    shown: ShownTurns | None,
) -> Symmetry:
    """Symmetry under which two matched objects are compared.

    That of primitives is known (:func:`fourdcb.world.symmetry.symmetry`); where one is a mesh file, the
    rotations of a cube count that bring the two surfaces onto each other as well as any does. A turn that a
    pattern of the reference shows is no symmetry.

    Args:
        reference, candidate: the objects and their worlds.
        sizes: full extents of reference and candidate [m], shape (3,).
        shown: the turns that the reference's pattern shows; None where it has none.

    Raises:
        UserError: when a mesh file is missing or unreadable.
    """
    (a, a_world), (b, _) = reference, candidate
    free = seen_free_axes(a, base_dir=a_world.base_dir)
    if "mesh" in (a.geometry, b.geometry):
        meshes = (object_mesh(o, base_dir=w.base_dir) for o, w in (reference, candidate))
        elements = covering_turns(*meshes)
    else:
        elements = symmetry(a, b, sizes[1], sizes[0], plain=True).elements
    if shown is None:
        return Symmetry(free, elements)
    kept = tuple(g for g in elements if shown.hides(g.T))
    return Symmetry(free, kept or elements[:1], shown.free, shown.resolution_deg)


@lru_cache(maxsize=128)
def covering_turns(a: TriangleMesh, b: TriangleMesh) -> tuple[F64, ...]:
    """Rotations g of a cube for which ``b``, turned back by g, covers ``a`` as well as for any."""
    size_a, size_b = (np.ptp(mesh.vertices, axis=0) for mesh in (a, b))
    errors = [size_error(g, size_b, size_a) for g in cube_rotations()]
    limit = min(errors) + _SIZE_TOLERANCE
    fitting = [g for g, error in zip(cube_rotations(), errors, strict=True) if error <= limit]
    if len(fitting) == 1:
        return tuple(fitting)
    triangles = [mesh.vertices[mesh.faces] - middle(mesh.vertices) for mesh in (a, b)]
    points = [spread_points(t, _TRIED)[0] for t in triangles]
    distance = [distance_to(t, _SAMPLES) for t in triangles]
    gaps = [
        max(
            float(np.quantile(distance[1](points[0] @ g.T), _QUANTILE)),
            float(np.quantile(distance[0](points[1] @ g), _QUANTILE)),
        )
        for g in fitting
    ]
    covering = min(gaps) + _SHAPE_TOLERANCE * float(np.linalg.norm(size_a))
    return tuple(g for g, gap in zip(fitting, gaps, strict=True) if gap <= covering)
