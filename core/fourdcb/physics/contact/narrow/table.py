"""What the narrow phase reads and writes: flat arrays, made once, used in every substep."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

# Kinds of convex parts, in the order in which a pair is sorted; MESH is a static surface of triangles.
SPHERE, CAPSULE, BOX, HULL, CYLINDER, CONE, HALF_SPACE, MESH = range(8)
MAX_CONTACTS = 16  # of one pair of convex parts


class ShapeTable(NamedTuple):
    """Shapes of N bodies made of P parts; lengths in metres, everything in the body's frame.

    Attributes:
        part0: parts of body i are ``part0[i] … part0[i + 1] - 1``; shape (N + 1,).
        reach: radius of a ball around the body's origin that holds it; inf for a half space; shape (N,).
        kind: SPHERE … MESH, shape (P,).
        size: shape (P, 3). Sphere (radius, 0, 0); capsule (radius, half length of its segment, 0); box half
            extents; cylinder (radius, half height, 0); cone (radius, height, 0), its base at z = -height / 4;
            hull, half space and mesh 0.
        turned: whether a part has a place of its own in the body, shape (P,).
        place: its origin, inside it, shape (P, 3).
        axes: rotation body_from_part, shape (P, 3, 3).
        part_reach: radius of a ball around the part's origin that holds it, shape (P,).
        vertex0, face0, edge0: ranges of part p in the arrays below, shape (P + 1,); boxes have them, too.
        vertex: in the part's frame, shape (V, 3).
        face_normal: unit, outward, shape (F, 3).
        face_offset: normal · x on the face, shape (F,).
        face_area: [m²], shape (F,).
        loop0: corners of face f are ``loop[loop0[f]] … loop[loop0[f + 1] - 1]``, counter-clockwise from
            outside; shape (F + 1,).
        loop: indices into ``vertex``.
        edge: its two vertices and, after them, its two faces, shape (E, 4).
        triangle0: triangles of part p (a MESH), shape (P + 1,).
        triangle: indices into ``vertex``, counter-clockwise from outside, shape (T, 3).
        triangle_normal: unit, shape (T, 3).
        triangle_bend: of edge k (from corner k on): cosine-like bend towards the neighbour, > 0 for a ridge,
            0 for a flat one, < 0 for a valley; shape (T, 3).
        triangle_neighbour: triangle across edge k, -1 for none, shape (T, 3).
        node0: nodes of part p's tree of boxes, shape (P + 1,).
        node_box: low and high corner, shape (B, 6).
        node: (first triangle in ``leaf``, count) of a leaf; (index of the right child, -1) of an inner node,
            whose left child comes next; shape (B, 2).
        leaf: triangles in the order of the leaves, shape (T,).
    """

    part0: I64
    reach: F64
    kind: I64
    size: F64
    turned: I64
    place: F64
    axes: F64
    part_reach: F64
    vertex0: I64
    vertex: F64
    face0: I64
    face_normal: F64
    face_offset: F64
    face_area: F64
    loop0: I64
    loop: I64
    edge0: I64
    edge: I64
    triangle0: I64
    triangle: I64
    triangle_normal: F64
    triangle_bend: F64
    triangle_neighbour: I64
    node0: I64
    node_box: F64
    node: I64
    leaf: I64


class Contacts(NamedTuple):
    """Rows that :func:`collide` fills in, K of them at most.

    Attributes:
        point: midway between the two surfaces [m], world, shape (K, 3). The surface of i is at
            ``point + 0.5 distance normal``, that of j at ``point - 0.5 distance normal``.
        normal: unit, from j to i, world, shape (K, 3).
        distance: [m], negative where the bodies overlap, shape (K,).
        feature: key of the meeting features, the same in the next substep, shape (K,).
        patch: area [m²] of the manifold that the row belongs to and mean distance [m] of its points from its
            centroid (the lever of torsional friction under even pressure); 0, 0 for points and lines;
            shape (K, 2).
    """

    point: F64
    normal: F64
    distance: F64
    feature: I64
    patch: F64


class Workspace(NamedTuple):
    """Scratch memory of one thread."""

    polygon: F64
    clipped: F64
    corners: F64
    ids: I64
    new_ids: I64
    simplex: F64
    stack: I64
    points: F64
    point_ids: I64


def contacts(capacity: int) -> Contacts:
    """Empty rows for ``capacity`` contacts."""
    return Contacts(
        point=np.zeros((capacity, 3)),
        normal=np.zeros((capacity, 3)),
        distance=np.zeros(capacity),
        feature=np.zeros(capacity, dtype=np.int64),
        patch=np.zeros((capacity, 2)),
    )


def workspace(table: ShapeTable) -> Workspace:
    """Scratch memory for one thread that works on ``table``."""
    corners = 64 + 2 * int(np.diff(table.loop0).max(initial=0))
    return Workspace(
        polygon=np.zeros((corners, 4)),
        clipped=np.zeros((corners, 4)),
        corners=np.zeros((corners, 4)),
        ids=np.zeros(corners, dtype=np.int64),
        new_ids=np.zeros(corners, dtype=np.int64),
        simplex=np.zeros((4, 9)),
        stack=np.zeros(256, dtype=np.int64),
        points=np.zeros((64, 3)),
        point_ids=np.zeros(64, dtype=np.int64),
    )
