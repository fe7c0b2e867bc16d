"""Scratch memory: polygons that are clipped, the simplex of a distance search, rows in the making."""

from __future__ import annotations

import numpy as np

from fourdcb.physics.contact.narrow.table import LOOPS, ShapeTable, Workspace

# Reals: 256 rows of (point, normal, distance, area, lever, key); candidate points with their keys; the
# simplex, four corners of nine; the triangle that is looked at; polygons.
ROW_WIDTH, MAX_ROWS = 10, 256
POINTS = ROW_WIDTH * MAX_ROWS
SIMPLEX = POINTS + 4 * 64
TRIANGLE = SIMPLEX + 36
POLYGON = TRIANGLE + 9
# Whole numbers: corners that a polygon has room for, then a stack, then the keys of two polygons' corners.
ROOM, STACK = 0, 1
IDS = STACK + 255


def workspace(table: ShapeTable) -> Workspace:
    """Scratch memory for one thread that works on ``table``."""
    loop0 = table.whole[table.whole[LOOPS] : table.whole[LOOPS + 1]]
    room = 64 + 2 * int(np.diff(loop0).max(initial=0))
    whole = np.zeros(IDS + 2 * room, dtype=np.int64)
    whole[ROOM] = room
    return Workspace(real=np.zeros(POLYGON + 12 * room), whole=whole)
