"""A mean sharpened by a control variate, with the interval that its data allow and the reasons for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from fourdcb.arrays import F64
from fourdcb.errors import UserError
from fourdcb.randomness import generator
from fourdcb.x4val.intervals import Method, binomial, bootstrap_t, chebyshev, skewness_z, student_t
from fourdcb.x4val.tally import ControlMean, Tally, control_mean

Gate = Literal["corrected", "does_not_pay", "too_few", "no_spread", "skewed", "no_pool"]

_FEWEST_FOR_INTERVAL = 3
_FEWEST_CORRECTED = 5  # LOO coefficients of fewer clusters have no spread worth the name
_FEWEST_SKEWED = 50  # below, a linear control makes intervals of skewed scores too narrow
_CLEARLY_SKEWED = 3.0  # standard errors of skewness; normal scores seldom reach them
_SKEWED = 1.0  # standard errors of skewness from which the bootstrap takes over: harmless if wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean and what is known of its error.

    Attributes:
        value: the estimate: corrected where that pays, else the plain mean.
        standard_error: of it; None with one cluster.
        interval: two-sided, at ``confidence``; None where the data cannot tell.
        method: how the interval was made.
        chebyshev: interval that holds whatever the distribution, beside it.
        gate: ``corrected``, or why the plain mean is reported.
        raw_value, raw_standard_error, raw_interval: of the plain mean of the scored samples.
        beta: weight of the control variate, as fitted to all clusters (applied only if corrected).
        correlation: of score and control over clusters.
        variance_ratio: variance of ``value`` over that of the plain mean; 1 where not corrected.
        offered_ratio: that ratio had the correction been made; None where it could not be computed.
        effective_sample_size: samples that a plain mean of the same variance would need.
        samples, clusters: how many were scored, and how many of them are independent.
        skewed: whether the contributions are skewed; then intervals of small samples are too narrow.
        confidence: coverage that the intervals aim at.
        influence, raw_influence: what each cluster adds to the error of ``value`` and of the plain mean,
            by its name; estimates that share clusters err together.
    """

    value: float
    standard_error: float | None
    interval: tuple[float, float] | None
    method: Method
    chebyshev: tuple[float, float] | None
    gate: Gate
    raw_value: float
    raw_standard_error: float | None
    raw_interval: tuple[float, float] | None
    beta: float
    correlation: float
    variance_ratio: float
    offered_ratio: float | None
    effective_sample_size: float
    samples: int
    clusters: int
    skewed: bool
    confidence: float
    influence: Mapping[str, float] = field(default_factory=dict, repr=False)
    raw_influence: Mapping[str, float] = field(default_factory=dict, repr=False)

    @property
    def corrected(self) -> bool:
        """Whether the control variate was used."""
        return self.gate == "corrected"

    @property
    def reduction_rate(self) -> float:
        """Share of the plain mean's variance that the correction removed."""
        return 1.0 - self.variance_ratio


def control_variate_estimate(
    scores: F64,
    control: F64,
    pool_control: F64,
    *,
    clusters: Sequence[str] | None = None,
    pool_clusters: Sequence[str] | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Mean score of a population from few scored samples and a control that is known on many.

    ``value = mean(y) - β (mean(c) - μ_C)`` with μ_C from the pool and
    ``β = Cov(ȳ, c̄) / (Var(c̄) + Var(μ_C))``, for independent samples ``N/(N+n) · Cov(y, c)/Var(c)``: the
    minimiser of the variance (Lavenberg and Welch 1981; the power-tuned prediction-powered mean of
    Angelopoulos, Duchi and Zrnic 2023). Each cluster's own residual is taken with the β of the others
    (leave one out), so that β does not fit the noise that it is to remove. The control may be as wrong as
    it likes: a bad one costs precision, never correctness, provided that scored samples and pool come from
    one population.

    The correction is made only where its cross-fitted variance, times ``1 + 1/(G-3)`` for the price of
    estimating β from G clusters, is below that of the plain mean; ``Estimate.gate`` says so.

    Args:
        scores: y of the scored samples, shape (n,), n ≥ 1.
        control: c of the same samples, shape (n,).
        pool_control: c of an independent pool, shape (N,); none of the scored samples among them.
        clusters, pool_clusters: name of each sample's cluster; None makes every sample its own.
        confidence: coverage of the intervals, in (0, 1).
        seed: of the bootstrap's draws.

    Raises:
        UserError: no scores, unequal lengths, non-finite values, or a pool of one.
    """
    tally = Tally().add(scores, control, clusters)
    return estimate_tally(tally, control_mean(pool_control, pool_clusters), confidence=confidence, seed=seed)


def estimate_tally(
    tally: Tally, pool: ControlMean | None, *, confidence: float = 0.95, seed: int = 0
) -> Estimate:
    """The estimate of :func:`control_variate_estimate` from sums; ``pool`` None leaves the plain mean.

    Raises:
        UserError: the tally is empty, or the confidence lies outside (0, 1).
    """
    if not 0 < confidence < 1:
        raise UserError("confidence must lie between 0 and 1", got=str(confidence))
    if not tally.added:
        raise UserError("there are no scored samples to estimate a mean from")
    plain = _Plain.of(tally)
    fit = None if pool is None else _fit(plain, pool)
    gate = _gate(plain, fit, has_pool=pool is not None, binary=tally.binary)
    contributions = plain.deviation
    value, variance, degrees = plain.mean, plain.variance, plain.clusters - 1
    if gate == "corrected" and fit is not None:
        value, variance, degrees = plain.mean + float(fit.residual.mean()), fit.variance, plain.clusters - 2
        if tally.binary:  # a share: what lies beyond is farther from every truth
            value = min(max(value, 0.0), 1.0)
        contributions = fit.residual - fit.residual.mean()
    rng = generator(seed, "x4val/intervals")
    method, interval = _interval(value, variance, degrees, contributions, tally, confidence, rng)
    raw_degrees = plain.clusters - 1
    _, raw_interval = _interval(
        plain.mean, plain.variance, raw_degrees, plain.deviation, tally, confidence, rng
    )
    error = None if variance is None else float(np.sqrt(variance))
    anyhow = None
    if interval is not None and error is not None:
        anyhow = chebyshev(value, error, confidence=confidence)
    ratio = 1.0
    if gate == "corrected" and variance is not None and plain.variance:
        ratio = variance / plain.variance
    return Estimate(
        value=value, standard_error=error, interval=interval, method=method, gate=gate,
        chebyshev=anyhow,
        raw_value=plain.mean, raw_interval=raw_interval,
        raw_standard_error=None if plain.variance is None else float(np.sqrt(plain.variance)),
        beta=0.0 if fit is None else fit.beta, correlation=plain.correlation,
        variance_ratio=ratio, effective_sample_size=tally.added / ratio,
        offered_ratio=fit.variance / plain.variance if fit is not None and plain.variance else None,
        samples=tally.added, clusters=plain.clusters, skewed=_is_skewed(contributions, tally.binary),
        confidence=confidence,
        influence=dict(zip(sorted(tally.sums), contributions.tolist(), strict=True)),
        raw_influence=dict(zip(sorted(tally.sums), plain.deviation.tolist(), strict=True)),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Plain:
    """The plain mean and the clusters' deviations from it, of scores (u) and of controls (v)."""

    mean: float
    control: float
    deviation: F64
    control_deviation: F64
    weights: F64  # sizes over the mean size

    @classmethod
    def of(cls, tally: Tally) -> _Plain:
        sizes, sum_y, sum_c = tally.arrays()
        total = float(sizes.sum())
        mean, control = float(sum_y.sum() / total), float(sum_c.sum() / total)
        scale = len(sizes) / total
        u, v = scale * (sum_y - sizes * mean), scale * (sum_c - sizes * control)
        return cls(mean, control, u, v, scale * sizes)

    @property
    def clusters(self) -> int:
        return len(self.deviation)

    @property
    def variance(self) -> float | None:
        """Of the mean; None with one cluster."""
        return _variance_of_mean(self.deviation)

    @property
    def correlation(self) -> float:
        u, v = self.deviation, self.control_deviation
        scale = float(np.sqrt((u @ u) * (v @ v)))
        return float(u @ v) / scale if scale > 0 else 0.0


@dataclass(frozen=True, slots=True)
class _Fit:
    beta: float
    residual: F64
    variance: float


def _fit(plain: _Plain, pool: ControlMean) -> _Fit | None:
    """β, the residuals with the β of the other clusters, and the variance of the corrected mean."""
    groups, u, v = plain.clusters, plain.deviation, plain.control_deviation
    uv, vv = float(u @ v), float(v @ v)
    if groups < _FEWEST_CORRECTED or vv <= 1e-24 * max(1.0, plain.control**2):
        return None
    beta = (uv / (groups - 1) / groups) / (vv / (groups - 1) / groups + pool.variance)
    rest = groups - 1
    without = groups / rest  # removing one cluster moves the means of the others, too
    rest_uv, rest_vv = (uv - without * u * v) / (rest - 1) / rest, (vv - without * v * v) / (rest - 1) / rest
    own_beta = rest_uv / np.maximum(rest_vv + pool.variance, 1e-300)
    distance = v + plain.weights * (plain.control - pool.mean)
    residual = u - own_beta * distance
    spread = _variance_of_mean(residual)
    assert spread is not None
    return _Fit(beta, residual, (spread + beta**2 * pool.variance) * (1 + 1 / (groups - 3)))


def _variance_of_mean(contributions: F64) -> float | None:
    count = len(contributions)
    return float(contributions.var(ddof=1)) / count if count > 1 else None


def _gate(plain: _Plain, fit: _Fit | None, *, has_pool: bool, binary: bool) -> Gate:
    if not has_pool:
        return "no_pool"
    if plain.clusters < _FEWEST_CORRECTED:
        return "too_few"
    if fit is None or not plain.variance:
        return "no_spread"
    if plain.clusters < _FEWEST_SKEWED and not binary and abs(skewness_z(plain.deviation)) > _CLEARLY_SKEWED:
        return "skewed"
    return "corrected" if fit.variance < plain.variance else "does_not_pay"


def _is_skewed(contributions: F64, binary: bool) -> bool:
    return not binary and abs(skewness_z(contributions)) > _SKEWED


def _interval(
    value: float,
    variance: float | None,
    degrees: int,
    contributions: F64,
    tally: Tally,
    confidence: float,
    rng: np.random.Generator,
) -> tuple[Method, tuple[float, float] | None]:
    clusters = len(contributions)
    if variance is None or clusters < _FEWEST_FOR_INTERVAL:
        return "none", None
    error = float(np.sqrt(variance))
    if tally.binary:
        return "binomial", binomial(
            value, error, count=tally.added, clusters=clusters, degrees=degrees, confidence=confidence
        )
    if error <= 1e-12 * max(abs(value), 1e-300):  # all alike: how far others would stray was not seen
        return "none", None
    if _is_skewed(contributions, binary=False):
        return "bootstrap_t", bootstrap_t(value, error, contributions, confidence=confidence, rng=rng)
    return "student_t", student_t(value, error, degrees=degrees, confidence=confidence)
