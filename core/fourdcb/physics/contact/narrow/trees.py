"""Triangles of a surface: a tree of boxes over them, and what a contact on their borders needs to know."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F64, I64

_LEAF = 4  # triangles in a leaf, at most
# Angle up to which triangles that meet in an edge stand for a curved surface.
_CREASE_DEG = 23.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Surface:
    """A closed surface of triangles, ordered as the leaves of its tree.

    Attributes:
        corners: [m], shape (T, 3, 3).
        normal: unit, outward, shape (T, 3).
        corner_normal: of the curved surface that the triangles stand for, at their corners, shape (T, 3, 3);
            the triangle's own where its surroundings are flat or sharp.
        across: normal of the triangle across each side (side k from corner k on), shape (T, 3, 3).
        fold: of each side: 1 for a ridge, 0 for a flat joint, -1 for a valley; shape (T, 3).
        box: low and high corner of every node, shape (B, 6).
        node: (first triangle, count) of a leaf; (right child, -1) of an inner node, whose left child comes
            next; shape (B, 2).
    """

    corners: F64
    normal: F64
    corner_normal: F64
    across: F64
    fold: F64
    box: F64
    node: I64


def surface_of(vertices: F64, faces: I64) -> Surface:
    """The surface of a closed mesh, faces counter-clockwise from outside."""
    corners = vertices[faces]
    raw = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal = raw / np.linalg.norm(raw, axis=1)[:, None]
    neighbour = _neighbours(faces)
    across = normal[neighbour]
    opposite = _opposite(vertices, faces, neighbour)
    height = np.einsum("tkx,tx->tk", opposite - corners, normal)
    size = np.linalg.norm(opposite - corners, axis=2)
    fold = -np.sign(np.where(np.abs(height) > 1e-6 * size, height, 0.0))
    order, box, node = _tree(corners)
    smooth = _corner_normals(corners, faces, normal)
    return Surface(
        corners=corners[order],
        normal=normal[order],
        corner_normal=smooth[order],
        across=across[order],
        fold=fold[order],
        box=box,
        node=node,
    )


def _neighbours(faces: I64) -> I64:
    """Triangle across side k of every triangle, shape (T, 3)."""
    sides = np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2)
    order = np.lexsort(np.sort(sides, axis=1).T)
    found = np.empty(len(sides), dtype=np.int64)
    found[order[0::2]], found[order[1::2]] = order[1::2], order[0::2]  # every side has two triangles
    return (found // 3).reshape(-1, 3)


def _opposite(vertices: F64, faces: I64, neighbour: I64) -> F64:
    """The corner of each neighbour that is not on the common side, shape (T, 3, 3)."""
    found = np.empty((*faces.shape, 3))
    for k in range(3):
        other = faces[neighbour[:, k]]
        own = faces[:, [k, (k + 1) % 3]]
        away = (other[:, :, None] != own[:, None, :]).all(axis=2)
        found[:, k] = vertices[other[np.arange(len(faces)), np.argmax(away, axis=1)]]
    return found


def _corner_normals(corners: F64, faces: I64, normal: F64) -> F64:
    """Mean normal around each corner, by angle, of the triangles that do not meet at a crease."""
    e = np.roll(corners, -1, axis=1) - corners
    e /= np.linalg.norm(e, axis=2)[..., None]
    angle = np.arccos(np.clip(-np.einsum("tkx,tkx->tk", e, np.roll(e, 1, axis=1)), -1.0, 1.0))
    around: dict[int, list[tuple[int, int]]] = {}
    for t, face in enumerate(faces.tolist()):
        for k, v in enumerate(face):
            around.setdefault(v, []).append((t, k))
    smooth = np.repeat(normal[:, None], 3, axis=1)
    limit = np.cos(np.radians(_CREASE_DEG))
    for users in around.values():
        owner, corner = np.array(users).T
        alike = normal[owner] @ normal[owner].T >= limit
        mean = (alike * angle[owner, corner]) @ normal[owner]
        smooth[owner, corner] = mean / np.linalg.norm(mean, axis=1)[:, None]
    return smooth


def _tree(corners: F64) -> tuple[I64, F64, I64]:
    """(order of the triangles, boxes, nodes): halves by the middle of the longest side."""
    low, high = corners.min(axis=1), corners.max(axis=1)
    middle = 0.5 * (low + high)
    order: list[int] = []
    boxes: list[F64] = []
    nodes: list[list[int]] = []
    # The left half is done first, so that a node's left child comes right after it.
    waiting: list[tuple[I64, int]] = [(np.arange(len(corners)), -1)]
    while waiting:
        members, parent = waiting.pop()
        if parent >= 0:
            nodes[parent][0] = len(nodes)
        boxes.append(np.concatenate([low[members].min(axis=0), high[members].max(axis=0)]))
        if len(members) <= _LEAF:
            nodes.append([len(order), len(members)])
            order += members.tolist()
            continue
        axis = int(np.argmax(np.ptp(middle[members], axis=0)))
        ranked = members[np.argsort(middle[members, axis], kind="stable")]
        half = len(ranked) // 2
        nodes.append([-1, -1])
        waiting += [(ranked[half:], len(nodes) - 1), (ranked[:half], -1)]
    return np.array(order, dtype=np.int64), np.array(boxes), np.array(nodes, dtype=np.int64)
