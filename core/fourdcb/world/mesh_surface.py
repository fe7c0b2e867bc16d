"""What is wrong with the surface of a mesh, in words of the mesh: one answer for checks and for physics."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64

Faces = NDArray[np.integer[Any]]


def welded_surface(vertices: F64, faces: Faces) -> Any:
    """The surface as a mesh of trimesh's about the middle of its box: places joined, no empty triangles.

    Args:
        vertices: [m], shape (V, 3); split where normals or textures are.
    """
    import trimesh

    surface = trimesh.Trimesh(
        vertices=np.asarray(vertices, dtype=np.float64) - middle(vertices),
        faces=np.asarray(faces, dtype=np.int64),
        process=False,
    )
    surface.merge_vertices(merge_tex=True, merge_norm=True)
    surface.update_faces(surface.nondegenerate_faces())
    return surface


def middle(vertices: F64) -> F64:
    """Centre of the bounding box [m], shape (3,)."""
    return np.asarray(0.5 * (vertices.min(axis=0) + vertices.max(axis=0)), dtype=np.float64)


def surface_fault(surface: Any) -> str | None:
    """Why a welded surface encloses no volume, as the end of ``the mesh …``; None where it does."""
    n = len(surface.faces)
    _, count = np.unique(np.sort(surface.edges, axis=1), axis=0, return_counts=True)
    if (count == 1).any():
        return f"is open: {int((count == 1).sum())} edges of its {n} triangles have no neighbour"
    if (count > 2).any():
        return f"meets itself: {int((count > 2).sum())} edges have more than two triangles"
    turned = turned_faces(surface)
    if turned:
        return f"has triangles that face both ways: {turned} of {n} face the other way"
    if surface.volume < 0:
        return f"is inside out: its {n} triangles face inwards"
    if surface.volume <= 1e-12 * float(np.prod(np.maximum(surface.extents, 1e-300))):
        return "is flat and encloses no volume"
    return None


def turned_faces(surface: Any) -> int:
    """Triangles that face the other way than most of their connected piece.

    Two neighbours agree when their common edge runs in opposite directions. Faces and their turned copies
    are the nodes of a graph whose components are consistent orientations.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    n = len(surface.faces)
    edges, owner = surface.edges, surface.edges_face
    order = np.lexsort(np.sort(edges, axis=1).T)
    first, second = order[0::2], order[1::2]  # every edge has exactly two triangles
    a, b = owner[first], owner[second]
    same = (edges[first] == edges[second]).all(axis=1)
    rows = np.concatenate([a, a + n])
    columns = np.concatenate([np.where(same, b + n, b), np.where(same, b, b + n)])
    graph = coo_matrix((np.ones(len(rows)), (rows, columns)), shape=(2 * n, 2 * n))
    label = connected_components(graph, directed=False)[1]
    sizes: dict[tuple[int, int], list[int]] = {}
    for plain, turned in zip(label[:n], label[n:], strict=True):
        pair = sizes.setdefault((min(plain, turned), max(plain, turned)), [0, 0])
        pair[int(plain > turned)] += 1
    return sum(min(pair) for pair in sizes.values())
