"""Intervals of means over samples that come in groups.

Samples of one template resemble one another: the groups are the independent things, and an interval that
    counts
samples is too narrow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourdcb.evaluation.api.metric import Aggregate, SampleScore

F64 = NDArray[np.float64]
SHARE_METHOD = "Korn-Graubard: exact binomial at the effective sample size of the groups"
METHOD = "cluster-robust standard error, Student t with (groups - 1) degrees of freedom"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A mean with its interval; ``low`` and ``high`` are None where there is only one group."""

    mean: float
    standard_error: float | None
    low: float | None
    high: float | None
    groups: int


def grouped_interval(values: F64, groups: Sequence[str], *, confidence: float = 0.95) -> Interval:
    """Mean of all values with an interval that respects their groups.

    The mean is a ratio of sums over groups; its variance is linearised:
    ``G/(G-1) · Σ_g (Σ_{i∈g} (y_i - ȳ))² / n²`` (Liang and Zeger 1986, with the usual small-sample factor).
    With
    groups of one size this is the t interval of the groups' means.

    Args:
        values: shape (n,), finite.
        groups: name of each value's group, length n.
        confidence: nominal coverage.

    Raises:
        ValueError: without values, or with lengths that differ.
    """
    if len(values) != len(groups) or len(values) == 0:
        raise ValueError(f"{len(values)} values in {len(groups)} groups")
    names, index = np.unique(np.asarray(groups), return_inverse=True)
    # Summed in an order that does not depend on how the samples lie: names are sorted, and within a group
    # sums
    # go by the given order, which is the plan's.
    mean = float(np.mean(values))
    count = len(names)
    if count < 2:
        return Interval(mean=mean, standard_error=None, low=None, high=None, groups=count)
    sums = np.bincount(index, weights=values - mean, minlength=count)
    error = float(np.sqrt(count / (count - 1) * np.sum(sums**2)) / len(values))
    half = t_quantile(0.5 + confidence / 2, count - 1) * error
    return Interval(mean=mean, standard_error=error, low=mean - half, high=mean + half, groups=count)


def share_interval(values: F64, groups: Sequence[str], *, confidence: float = 0.95) -> Interval:
    """Share of ones among zeros and ones, with an interval that never leaves [0, 1] or shrinks to a point.

    Korn and Graubard (1998): the exact binomial interval (Clopper and Pearson) for as many independent
    samples
    as the clustered variance amounts to. Where all values are equal, nothing shows how alike the samples of a
    group are: then the groups count.

    Args:
        values: shape (n,), each 0 or 1.
        groups: name of each value's group, length n.
        confidence: nominal coverage.
    """
    plain = grouped_interval(values, groups, confidence=confidence)
    if plain.standard_error is None:
        return plain
    share, count = plain.mean, len(values)
    effective = float(plain.groups)
    if 0.0 < share < 1.0 and plain.standard_error > 0.0:
        upper = 0.5 + confidence / 2
        widening = (t_quantile(upper, max(count - 1, 1)) / t_quantile(upper, plain.groups - 1)) ** 2
        effective = min(float(count), share * (1 - share) / plain.standard_error**2 * widening)
    from scipy.special import betaincinv

    tail, hits = (1 - confidence) / 2, share * effective
    misses = effective - hits
    low = 0.0 if hits <= 0 else float(betaincinv(hits, misses + 1, tail))
    high = 1.0 if misses <= 0 else float(betaincinv(hits + 1, misses, 1 - tail))
    return Interval(mean=share, standard_error=plain.standard_error, low=low, high=high, groups=plain.groups)


def t_quantile(probability: float, degrees: int) -> float:
    """Quantile of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, probability))


def aggregate_mean(
    scores: Sequence[SampleScore],
    groups: Mapping[str, str],
    *,
    confidence: float = 0.95,
    share: bool = False,
) -> Aggregate:
    """Mean of the scores of one metric over the samples that have a number.

    Samples for which the metric does not apply leave the denominator; every other sample stays in it.

    Args:
        scores: of one metric, in the plan's order.
        groups: name of each sample's group, by sample id; a sample without one is a group of its own.
        confidence: nominal coverage of the interval.
        share: whether every value is 0 or 1; the interval is then an exact one of shares.
    """
    applied = [score for score in scores if score.status != "not_applicable"]
    there = [score for score in applied if score.status == "ok" and score.value is not None]
    if not there:
        return Aggregate(value=None, total=len(applied), skipped=len(applied), confidence=confidence)
    values = np.array([score.value for score in there], dtype=np.float64)
    names = [groups.get(score.sample_id, score.sample_id) for score in there]
    interval = share_interval if share else grouped_interval
    found = interval(values, names, confidence=confidence)
    return Aggregate(
        value=found.mean,
        low=found.low,
        high=found.high,
        std=float(np.std(values, ddof=1)) if len(values) > 1 else None,
        count=len(there),
        total=len(applied),
        skipped=len(applied) - len(there),
        groups=found.groups,
        confidence=confidence,
        method=SHARE_METHOD if share else METHOD,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedDifference:
    """How two runs differ on the samples that both scored.

    Attributes:
        mean: of B - A.
        low, high: of the cluster bootstrap, percentiles; None with one group, or where all pairs differ
            alike.
        detectable: difference that a repetition would find in 80 % of cases at 5 % error, or None.
        pairs, groups: how many.
    """

    mean: float
    low: float | None
    high: float | None
    detectable: float | None
    pairs: int
    groups: int


def paired_difference(
    a: F64,
    b: F64,
    groups: Sequence[str],
    *,
    rng: np.random.Generator,
    resamples: int = 9_999,
    confidence: float = 0.95,
) -> PairedDifference:
    """Mean difference B - A over pairs, with a bootstrap that draws whole groups.

    Args:
        a, b: values of the same samples in two runs, shape (n,).
        groups: name of each sample's group.
        rng: draws the groups.
        resamples: bootstrap samples.
        confidence: nominal coverage.
    """
    difference = np.asarray(b, dtype=np.float64) - np.asarray(a, dtype=np.float64)
    plain = grouped_interval(difference, groups, confidence=confidence)
    if plain.groups < 2:
        return PairedDifference(
            mean=plain.mean, low=None, high=None, detectable=None, pairs=len(difference), groups=plain.groups
        )
    if plain.standard_error == 0.0:  # all pairs differ alike: how far others would stray was not seen
        return PairedDifference(
            mean=plain.mean, low=None, high=None, detectable=None, pairs=len(difference), groups=plain.groups
        )
    _, index = np.unique(np.asarray(groups), return_inverse=True)
    sums = np.bincount(index, weights=difference)
    sizes = np.bincount(index).astype(np.float64)
    drawn = rng.integers(0, plain.groups, size=(resamples, plain.groups))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.quantile(means, [0.5 - confidence / 2, 0.5 + confidence / 2])
    # The percentile bootstrap of few groups is too narrow; widen it as Student's t is wider than the normal
    # (Hesterberg 2015, section 4.4: "expanded percentile interval").
    from scipy.special import ndtri

    degrees = plain.groups - 1
    factor = t_quantile(0.5 + confidence / 2, degrees) / float(ndtri(0.5 + confidence / 2))
    factor *= float(np.sqrt(plain.groups / degrees))
    assert plain.standard_error is not None
    power = t_quantile(0.8, degrees) + t_quantile(0.5 + confidence / 2, degrees)
    return PairedDifference(
        mean=plain.mean,
        low=plain.mean + factor * float(low - plain.mean),
        high=plain.mean + factor * float(high - plain.mean),
        detectable=power * plain.standard_error,
        pairs=len(difference),
        groups=plain.groups,
    )
