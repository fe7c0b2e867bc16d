"""The cheapest one-to-one assignment.

SciPy has one too, but importing it takes longer than a whole quick judgement.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64


def cheapest_assignment(cost: F64) -> list[tuple[int, int]]:
    """(row, column) pairs of least total cost; as many as the shorter side has.

    Shortest augmenting paths with dual prices (Kuhn 1955, Munkres 1957; Jonker & Volgenant 1987), O(n³).
    """
    if cost.shape[0] > cost.shape[1]:
        return sorted((row, column) for column, row in cheapest_assignment(cost.T))
    rows, columns = cost.shape
    row_price, column_price = np.zeros(rows), np.zeros(columns)
    owner = np.full(columns, -1)
    for row in range(rows):
        _augment(row, cost, row_price, column_price, owner)
    return sorted((int(owner[column]), int(column)) for column in np.flatnonzero(owner >= 0))


def _augment(row: int, cost: F64, row_price: F64, column_price: F64, owner: NDArray[np.int64]) -> None:
    """Give ``row`` a column, moving other rows along the cheapest alternating path; updates in place."""
    columns = len(column_price)
    distance, previous = np.full(columns, np.inf), np.full(columns, -1)
    done = np.zeros(columns, dtype=bool)
    current, reached, column = row, 0.0, -1
    while True:
        through = reached + cost[current] - row_price[current] - column_price
        better = ~done & (through < distance)
        distance[better], previous[better] = through[better], column
        column = int(np.argmin(np.where(done, np.inf, distance)))
        reached = float(distance[column])
        if owner[column] < 0:
            break
        done[column] = True
        current = int(owner[column])
    row_price[row] += reached
    row_price[owner[done]] += reached - distance[done]
    column_price[done] -= reached - distance[done]
    while column >= 0:
        before = int(previous[column])
        owner[column] = row if before < 0 else owner[before]
        column = before
