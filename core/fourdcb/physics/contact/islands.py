"""Bodies that hang together through contacts: each such island is solved by itself."""

from __future__ import annotations

from fourdcb.physics.contact.compiled import compiled
from fourdcb.physics.contact.layout import (
    BODY_A,
    BODY_B,
    DYNAMIC,
    FLAGS,
    I64,
    ISLAND,
    LIVE,
    ROWS,
    Simulation,
)


@compiled
def find_islands(sim: Simulation) -> int:
    """Sorts the live rows by island, in ``order``, each island's in the order of its pairs.

    Returns:
        Number of islands. Rows of island k are ``order[group[k]] … order[group[k + 1] - 1]``.
    """
    tag, kind, parent = sim.tag, sim.kind, sim.parent
    n_rows, n_bodies = sim.counts[ROWS], len(kind)
    for n in range(n_bodies):
        parent[n] = n
    for i in range(n_rows):
        a, b = tag[i, BODY_A], tag[i, BODY_B]
        if tag[i, FLAGS] & LIVE and kind[a] == DYNAMIC and kind[b] == DYNAMIC:
            x, y = _root(parent, a), _root(parent, b)
            parent[max(x, y)] = min(x, y)
    n_islands = 0
    for n in range(n_bodies):
        sim.seen[n] = -1
    for i in range(n_rows):
        tag[i, ISLAND] = -1
        if not tag[i, FLAGS] & LIVE:
            continue
        a, b = tag[i, BODY_A], tag[i, BODY_B]
        root = _root(parent, a if kind[a] == DYNAMIC else b)
        if sim.seen[root] < 0:
            sim.seen[root] = n_islands
            n_islands += 1
        tag[i, ISLAND] = sim.seen[root]
    for k in range(n_islands + 1):
        sim.group[k] = 0
    for i in range(n_rows):
        if tag[i, ISLAND] >= 0:
            sim.group[tag[i, ISLAND] + 1] += 1
    for k in range(n_islands):
        sim.group[k + 1] += sim.group[k]
        sim.fill[k] = sim.group[k]
    for i in range(n_rows):
        k = tag[i, ISLAND]
        if k >= 0:
            sim.order[sim.fill[k]] = i
            sim.fill[k] += 1
    return n_islands


@compiled
def _root(parent: I64, n: int) -> int:
    while parent[n] != n:
        parent[n] = parent[parent[n]]
        n = parent[n]
    return n
