"""Theil–Sen against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import theilslopes

from fourdcb.metrics.drift import theil_sen_slope


@given(st.integers(0, 2**32 - 1), st.integers(3, 150))
@settings(max_examples=25, deadline=None)
def test_slope_equals_scipy(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = np.arange(count, dtype=np.float64), rng.normal(size=count).cumsum()
    assert theil_sen_slope(x, y) == pytest.approx(theilslopes(y, x).slope, abs=1e-12)


def test_a_third_of_outliers_does_not_move_it() -> None:
    x = np.arange(99, dtype=np.float64)
    y = 0.25 * x
    y[::4] += 100.0
    assert theil_sen_slope(x, y) == pytest.approx(0.25, abs=0.05)


def test_long_clips_are_thinned() -> None:
    x = np.arange(5000, dtype=np.float64)
    assert theil_sen_slope(x, 0.5 * x + 3.0) == pytest.approx(0.5)
