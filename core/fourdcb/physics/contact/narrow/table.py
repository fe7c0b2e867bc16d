"""What the narrow phase reads and writes: two flat arrays a piece, so that a call costs next to nothing.

Compiled code passes every array as seven numbers, so the shapes of a world lie in one array of reals and one
of whole numbers; the functions below say what is where.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fourdcb.arrays import F64, I64
from fourdcb.physics.contact.compiled import inline
from fourdcb.physics.contact.narrow.vectors import Mat, Vec

# Kinds of convex parts, in the order in which a pair is sorted; MESH is a static surface of triangles.
SPHERE, CAPSULE, BOX, HULL, CYLINDER, CONE, HALF_SPACE, MESH = range(8)
MAX_CONTACTS = 16  # of one pair of convex parts

# Whole numbers: where the blocks of both arrays start, then the parts.
BODIES, EDGES, LOOPS, CORNERS, NODES, VERTICES, FACES, BORDERS, BOXES = range(9)
PARTS, PART_WIDTH, PART_REALS = 16, 8, 16
_KIND, _TURNED, _VERTEX, _FACE, _EDGE, _TRIANGLE, _NODE = range(7)
FACE_WIDTH, EDGE_WIDTH, BORDER_WIDTH, NODE_WIDTH, BOX_WIDTH = 5, 4, 21, 2, 6


class ShapeTable(NamedTuple):
    """Shapes of N bodies made of P parts; lengths in metres, everything in the body's frame.

    Attributes:
        real, whole: read by the functions below; see ``build``.
        reach: radius of a ball around each body's origin that holds it; inf for a half space; shape (N,).
    """

    real: F64
    whole: I64
    reach: F64


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
    """Scratch memory of one thread; laid out in ``scratch``."""

    real: F64
    whole: I64


def contacts(capacity: int) -> Contacts:
    """Empty rows for ``capacity`` contacts."""
    return Contacts(
        point=np.zeros((capacity, 3)),
        normal=np.zeros((capacity, 3)),
        distance=np.zeros(capacity),
        feature=np.zeros(capacity, dtype=np.int64),
        patch=np.zeros((capacity, 2)),
    )


@inline
def part0(table: ShapeTable, body: int) -> int:
    """First part of a body; the next body's is one past its last."""
    return table.whole[table.whole[BODIES] + body]


@inline
def kind_of(table: ShapeTable, part: int) -> int:
    """SPHERE … MESH."""
    return table.whole[PARTS + PART_WIDTH * part + _KIND]


@inline
def size_of(table: ShapeTable, part: int, k: int) -> float:
    """Sizes [m]: sphere (radius); capsule (radius, half length of its segment); box half extents; cylinder
    (radius, half height); cone (radius, height), its base at z = -height / 4; else 0.
    """
    return table.real[PART_REALS * part + k]


@inline
def is_turned(table: ShapeTable, part: int) -> bool:
    """Whether a part has a frame of its own in the body."""
    return table.whole[PARTS + PART_WIDTH * part + _TURNED] != 0


@inline
def place_of(table: ShapeTable, part: int) -> Vec:
    """A part's origin, inside it [m]."""
    k = PART_REALS * part + 3
    return (table.real[k], table.real[k + 1], table.real[k + 2])


@inline
def axes_of(table: ShapeTable, part: int) -> Mat:
    """Rotation body_from_part."""
    r, k = table.real, PART_REALS * part + 6
    return (r[k], r[k + 1], r[k + 2], r[k + 3], r[k + 4], r[k + 5], r[k + 6], r[k + 7], r[k + 8])


@inline
def reach_of(table: ShapeTable, part: int) -> float:
    """Radius of a ball around the part's origin that holds it [m]."""
    return table.real[PART_REALS * part + 15]


@inline
def vertex0(table: ShapeTable, part: int) -> int:
    """First vertex of a part; the next part's is one past its last. Boxes have vertices, too."""
    return table.whole[PARTS + PART_WIDTH * part + _VERTEX]


@inline
def vertex(table: ShapeTable, v: int) -> Vec:
    """In the part's frame [m]."""
    k = table.whole[VERTICES] + 3 * v
    return (table.real[k], table.real[k + 1], table.real[k + 2])


@inline
def face0(table: ShapeTable, part: int) -> int:
    """First face of a part's polyhedron."""
    return table.whole[PARTS + PART_WIDTH * part + _FACE]


@inline
def face_normal(table: ShapeTable, f: int) -> Vec:
    """Unit, outward, in the part's frame."""
    k = table.whole[FACES] + FACE_WIDTH * f
    return (table.real[k], table.real[k + 1], table.real[k + 2])


@inline
def face_offset(table: ShapeTable, f: int) -> float:
    """normal · x on the face [m]."""
    return table.real[table.whole[FACES] + FACE_WIDTH * f + 3]


@inline
def polygon_area(table: ShapeTable, f: int) -> float:
    """Area of a face [m²]."""
    return table.real[table.whole[FACES] + FACE_WIDTH * f + 4]


@inline
def loop0(table: ShapeTable, f: int) -> int:
    """First corner of a face; the next face's is one past its last."""
    return table.whole[table.whole[LOOPS] + f]


@inline
def loop(table: ShapeTable, k: int) -> int:
    """Vertex at a corner; a face's corners run counter-clockwise as seen from outside."""
    return table.whole[table.whole[CORNERS] + k]


@inline
def edge0(table: ShapeTable, part: int) -> int:
    """First edge of a part's polyhedron."""
    return table.whole[PARTS + PART_WIDTH * part + _EDGE]


@inline
def edge(table: ShapeTable, e: int, k: int) -> int:
    """Vertices (k = 0, 1) and faces (k = 2, 3) of an edge."""
    return table.whole[table.whole[EDGES] + EDGE_WIDTH * e + k]


@inline
def triangle0(table: ShapeTable, part: int) -> int:
    """The part that is a surface's first triangle: a hull of three vertices and one face."""
    return table.whole[PARTS + PART_WIDTH * part + _TRIANGLE]


@inline
def _border(table: ShapeTable, triangle: int) -> int:
    number = table.whole[PARTS + PART_WIDTH * triangle + _TRIANGLE]
    return table.whole[BORDERS] + BORDER_WIDTH * number


@inline
def corner_normal(table: ShapeTable, triangle: int, k: int) -> Vec:
    """Normal of the curved surface that a triangle stands for, at corner k."""
    c = _border(table, triangle) + 3 * k
    return (table.real[c], table.real[c + 1], table.real[c + 2])


@inline
def normal_across(table: ShapeTable, triangle: int, k: int) -> Vec:
    """Normal of the neighbour across side k."""
    c = _border(table, triangle) + 9 + 3 * k
    return (table.real[c], table.real[c + 1], table.real[c + 2])


@inline
def fold_of(table: ShapeTable, triangle: int, k: int) -> float:
    """1 where side k is a ridge, 0 where it joins flat, -1 where it is a valley."""
    return table.real[_border(table, triangle) + 18 + k]


@inline
def node0(table: ShapeTable, part: int) -> int:
    """Root of a surface's tree."""
    return table.whole[PARTS + PART_WIDTH * part + _NODE]


@inline
def node_bound(table: ShapeTable, node: int, k: int) -> float:
    """Low (k = 0, 1, 2) and high corner of a node's box [m]."""
    return table.real[table.whole[BOXES] + BOX_WIDTH * node + k]


@inline
def child_of(table: ShapeTable, node: int) -> int:
    """First triangle of a leaf, counted in its surface; right child of an inner node, counted in its tree."""
    return table.whole[table.whole[NODES] + NODE_WIDTH * node]


@inline
def count_of(table: ShapeTable, node: int) -> int:
    """Triangles of a leaf; -1 for an inner node, whose left child comes next."""
    return table.whole[table.whole[NODES] + NODE_WIDTH * node + 1]
