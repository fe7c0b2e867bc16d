"""The polygon in which two faces meet: Sutherland and Hodgman, Reentrant Polygon Clipping, CACM 17 (1974)."""

from __future__ import annotations

from fourdcb.physics.contact.compiled import compiled
from fourdcb.physics.contact.narrow.table import ShapeTable, Workspace
from fourdcb.physics.contact.narrow.vectors import Mat, Vec, add, turn

_SIDES = 4096  # more than a face has; sides of the clipping face are numbered from here on


@compiled
def load_face(table: ShapeTable, work: Workspace, part: int, face: int, m: Mat, t: Vec) -> int:
    """Corners of a face, moved by m, t, into work.polygon (x, y, z, number of the side from there on)."""
    l0 = table.loop0[face]
    count = table.loop0[face + 1] - l0
    for k in range(count):
        v = table.loop[l0 + k]
        p = add(turn(m, (table.vertex[v, 0], table.vertex[v, 1], table.vertex[v, 2])), t)
        work.polygon[k, 0], work.polygon[k, 1], work.polygon[k, 2] = p[0], p[1], p[2]
        work.polygon[k, 3] = k
        work.ids[k] = v - table.vertex0[part]
    return count


@compiled
def clip_by_face(table: ShapeTable, work: Workspace, face: int, count: int) -> int:
    """Cuts work.polygon to what lies over a face (same frame); returns the number of corners left."""
    nx, ny, nz = table.face_normal[face, 0], table.face_normal[face, 1], table.face_normal[face, 2]
    l0, l1 = table.loop0[face], table.loop0[face + 1]
    for k in range(l0, l1):
        v, w = table.loop[k], table.loop[k + 1 if k + 1 < l1 else l0]
        ex = table.vertex[w, 0] - table.vertex[v, 0]
        ey = table.vertex[w, 1] - table.vertex[v, 1]
        ez = table.vertex[w, 2] - table.vertex[v, 2]
        ox, oy, oz = ey * nz - ez * ny, ez * nx - ex * nz, ex * ny - ey * nx
        d = ox * table.vertex[v, 0] + oy * table.vertex[v, 1] + oz * table.vertex[v, 2]
        count = _cut(work, count, ox, oy, oz, d, k - l0)
        if count == 0:
            break
    return count


@compiled
def _cut(work: Workspace, count: int, ox: float, oy: float, oz: float, d: float, side: int) -> int:
    """Keeps what lies on the inner side of one plane."""
    p, q = work.polygon, work.clipped
    # What lies on the plane within rounding stays: a corner does not turn into two crossings and back.
    near = 1e-9 * (ox * ox + oy * oy + oz * oz)
    any_out = False
    for k in range(count):
        s = ox * p[k, 0] + oy * p[k, 1] + oz * p[k, 2] - d
        work.corners[k, 0] = s
        any_out = any_out or s > near
    if not any_out:
        return count
    kept = 0
    for k in range(count):
        m = k + 1 if k + 1 < count else 0
        s, e = work.corners[k, 0], work.corners[m, 0]
        if s <= near:
            for x in range(4):
                q[kept, x] = p[k, x]
            work.new_ids[kept] = work.ids[k]
            kept += 1
        if (s <= near) != (e <= near) and kept < q.shape[0]:
            f = min(max(s / (s - e), 0.0), 1.0)
            for x in range(3):
                q[kept, x] = p[k, x] + f * (p[m, x] - p[k, x])
            q[kept, 3] = _SIDES + side if s <= near else p[k, 3]
            work.new_ids[kept] = _SIDES + (int(p[k, 3]) * _SIDES + side)
            kept += 1
    for k in range(kept):
        for x in range(4):
            p[k, x] = q[k, x]
        work.ids[k] = work.new_ids[k]
    return kept
