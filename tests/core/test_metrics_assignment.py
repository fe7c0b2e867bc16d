"""Cheapest assignment against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from fourdcb.metrics.assignment import cheapest_assignment


@given(st.integers(0, 10_000), st.integers(1, 9), st.integers(1, 9), st.booleans())
@settings(max_examples=150, deadline=None)
def test_cost_equals_scipy(seed: int, rows: int, columns: int, ties: bool) -> None:
    rng = np.random.default_rng(seed)
    cost = rng.integers(0, 4, (rows, columns)) * 1.0 if ties else rng.normal(size=(rows, columns))
    pairs = cheapest_assignment(cost)
    expected = cost[linear_sum_assignment(cost)].sum()
    assert sum(cost[i, j] for i, j in pairs) == pytest.approx(expected)
    assert len(pairs) == min(rows, columns)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
