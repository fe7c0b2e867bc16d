"""Means with intervals, sharpened by a control variate that is known on many more samples."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from fourdcb.arrays import F64
from fourdcb.errors import UserError


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean and what is known of its error.

    Attributes:
        value: the corrected estimate.
        standard_error: of the corrected estimate.
        interval: two-sided, at ``confidence``.
        confidence: coverage that the interval aims at (normal approximation).
        raw_value, raw_standard_error: the plain mean of the scored samples.
        beta: weight of the control variate.
        variance_ratio: variance of the corrected over that of the plain estimate; < 1 is a gain.
    """

    value: float
    standard_error: float
    interval: tuple[float, float]
    confidence: float
    raw_value: float
    raw_standard_error: float
    beta: float
    variance_ratio: float


def control_variate_estimate(
    scores: F64, control: F64, pool_control: F64, *, confidence: float = 0.95
) -> Estimate:
    """Mean score of a population from few scored samples and a control on many.

    value = mean(y) − β (mean(c) − mean(pool c)) with β = cov(y, c) / (var(c) (1 + n/N)), which minimises
    the variance var(y − βc)/n + β² var(c)/N (the power-tuned prediction-powered mean of Angelopoulos,
    Duchi and Zrnic 2023; with N → ∞ the classical control variate). The control may be as wrong as it
    likes: a bad one costs precision, never correctness, provided that scored samples and pool come from
    the same population.

    Args:
        scores: y of the scored samples, shape (n,), n >= 10.
        control: c of the same samples, shape (n,).
        pool_control: c of the unscored pool, shape (N,).
        confidence: coverage of the interval, in (0, 1).

    Raises:
        UserError: for too few samples, unequal lengths or non-finite values.
    """
    n, pool_size = len(scores), len(pool_control)
    if n < 10 or pool_size < 1 or len(control) != n:
        raise UserError(
            "not enough matching samples for a control-variate estimate",
            got=f"{n} scores, {len(control)} controls, {pool_size} in the pool",
            expected="at least 10 scores with one control each, and a pool",
        )
    if not all(np.isfinite(values).all() for values in (scores, control, pool_control)):
        raise UserError("scores or controls hold NaN or infinity")
    if not 0 < confidence < 1:
        raise UserError("confidence must lie between 0 and 1", got=str(confidence))
    covariance = np.cov(scores, control, ddof=1)
    control_variance = float(np.var(np.concatenate([control, pool_control]), ddof=1))
    beta = (
        0.0
        if control_variance < 1e-15
        else float(covariance[0, 1]) / (control_variance * (1 + n / pool_size))
    )
    residual = scores - beta * control
    variance = float(np.var(residual, ddof=1)) / n + beta**2 * control_variance / pool_size
    raw_variance = float(covariance[0, 0]) / n
    value = float(residual.mean() + beta * pool_control.mean())
    error = float(np.sqrt(variance))
    reach = NormalDist().inv_cdf(0.5 + confidence / 2) * error
    return Estimate(
        value=value,
        standard_error=error,
        interval=(value - reach, value + reach),
        confidence=confidence,
        raw_value=float(scores.mean()),
        raw_standard_error=float(np.sqrt(raw_variance)),
        beta=beta,
        variance_ratio=1.0 if raw_variance == 0 else variance / raw_variance,
    )
