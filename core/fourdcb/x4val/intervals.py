"""Intervals of a mean from the contributions of its clusters, each by a method with a name."""

from __future__ import annotations

from typing import Literal

import numpy as np

from fourdcb.arrays import F64
from fourdcb.evaluation.statistics import t_quantile

Method = Literal["student_t", "bootstrap_t", "binomial", "none"]
_RESAMPLES = 1_999


def skewness_z(values: F64) -> float:
    """Skewness of a sample over its standard error for normal data (Cramér 1946); 0 for fewer than 3.

    The standard error is that of g1, ``√(6(n-2)/((n+1)(n+3)))``.
    """
    n = len(values)
    centred = values - values.mean()
    second = float(np.mean(centred**2))
    if n < 3 or second <= 0.0:
        return 0.0
    g1 = float(np.mean(centred**3)) / second**1.5
    return g1 / float(np.sqrt(6 * (n - 2) / ((n + 1) * (n + 3))))


def student_t(value: float, error: float, *, degrees: int, confidence: float) -> tuple[float, float]:
    """``value ± t error``."""
    half = t_quantile(0.5 + confidence / 2, degrees) * error
    return value - half, value + half


def bootstrap_t(
    value: float, error: float, contributions: F64, *, confidence: float, rng: np.random.Generator
) -> tuple[float, float]:
    """Studentised bootstrap (Efron 1979; Hall 1988): asymmetric where the data are skewed.

    Resamples without spread have no studentised value and are left out, as they would be infinite. The
    interval always holds the estimate itself.

    Args:
        value: the estimate.
        error: its standard error.
        contributions: of the clusters, centred, shape (G,).
        confidence: nominal coverage.
        rng: draws the resamples.
    """
    count = len(contributions)
    drawn = contributions[rng.integers(0, count, size=(_RESAMPLES, count))]
    spread = drawn.std(axis=1, ddof=1)
    whole = spread > 1e-12 * max(float(np.abs(contributions).max()), 1e-300)
    studentised = np.sqrt(count) * drawn[whole].mean(axis=1) / spread[whole]
    if not len(studentised):
        return student_t(value, error, degrees=count - 1, confidence=confidence)
    low, high = np.quantile(studentised, [0.5 - confidence / 2, 0.5 + confidence / 2])
    return value - max(float(high), 0.0) * error, value - min(float(low), 0.0) * error


def binomial(
    share: float, error: float, *, count: int, clusters: int, degrees: int, confidence: float
) -> tuple[float, float]:
    """Exact interval of a share at its effective sample size (Korn and Graubard 1998).

    Clopper and Pearson's interval for as many independent trials as the standard error amounts to; never
    leaves [0, 1] and never shrinks to a point.

    Args:
        share: the estimate; clipped to [0, 1].
        error: its standard error; 0 where all clusters agree, then the clusters count.
        count: samples.
        clusters: independent ones among them.
        degrees: of freedom of the standard error.
        confidence: nominal coverage.
    """
    from scipy.special import betaincinv

    share = min(max(share, 0.0), 1.0)
    effective = float(clusters)
    if 0.0 < share < 1.0 and error > 0.0:
        upper = 0.5 + confidence / 2
        widening = (t_quantile(upper, max(count - 1, 1)) / t_quantile(upper, max(degrees, 1))) ** 2
        effective = share * (1 - share) / error**2 * widening
    hits, misses, tail = share * effective, (1 - share) * effective, (1 - confidence) / 2
    low = 0.0 if hits <= 0 else float(betaincinv(hits, misses + 1, tail))
    high = 1.0 if misses <= 0 else float(betaincinv(hits + 1, misses, 1 - tail))
    return low, high


def chebyshev(value: float, error: float, *, confidence: float) -> tuple[float, float]:
    """``value ± error / √(1 - confidence)``: holds for every distribution, given the true error."""
    half = error / float(np.sqrt(1 - confidence))
    return value - half, value + half
