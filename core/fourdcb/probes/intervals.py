"""Intervals of balanced accuracy and of differences: whole groups are drawn, never single windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fourdcb.arrays import F64, I64

RESAMPLES = 4_999
METHOD = (
    "percentile bootstrap over groups, widened for few groups (Hesterberg 2015, 4.4) and, where nearly all "
    "or nearly none are right, to the exact binomial interval (Clopper and Pearson 1934)"
)
_ENOUGH = 5.0  # groups right and groups wrong, below which resamples know too little of what could happen


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A figure with its interval; None where fewer than three groups were tested."""

    value: float
    low: float | None
    high: float | None
    groups: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Tested:
    """What a probe answered on test parts, over all seeds.

    Attributes:
        truth, predicted: class indices, shape (n,); a sample that two seeds tested stands twice.
        groups: of each.
        classes: C.
    """

    truth: I64
    predicted: I64
    groups: tuple[str, ...]
    classes: int

    def tables(self) -> F64:
        """Confusion matrix of every group, in alphabetical order, shape (G, C, C)."""
        names, index = np.unique(np.asarray(self.groups), return_inverse=True)
        flat = (index * self.classes + self.truth) * self.classes + self.predicted
        counts = np.bincount(flat, minlength=len(names) * self.classes**2)
        return counts.reshape(len(names), self.classes, self.classes).astype(np.float64)


def balanced(tables: F64) -> F64:
    """Balanced accuracy of confusion matrices, shape (..., C, C); classes that do not occur are left out."""
    support = tables.sum(axis=-1)
    hits = np.diagonal(tables, axis1=-2, axis2=-1)
    recall = np.where(support > 0, hits / np.maximum(support, 1e-300), np.nan)
    return np.nanmean(recall, axis=-1)


def balanced_estimate(tested: Tested, *, rng: np.random.Generator, confidence: float = 0.95) -> Estimate:
    """Balanced accuracy over all tested samples, with a cluster bootstrap interval.

    Resamples of groups that are all right are all right, however few they are: there the interval is not
    narrower than the binomial one of as many groups a class as the rarest class has.
    """
    tables = tested.tables()
    value = float(balanced(tables.sum(axis=0)))
    found = bootstrap_estimate(
        value, lambda drawn: balanced(_drawn(drawn, tables)), len(tables), rng, confidence
    )
    if found.low is None or found.high is None:
        return found
    low, high = max(found.low, 0.0), min(found.high, 1.0)
    holders = (tables.sum(axis=2) > 0).sum(axis=0)  # groups of every class
    trials = float(holders[holders > 0].min() * (holders > 0).sum())
    if min(value, 1.0 - value) * trials < _ENOUGH:
        exact = _binomial(value * trials, trials, confidence)
        low, high = min(low, exact[0]), max(high, exact[1])
    return replace(found, low=low, high=high)


def _binomial(hits: float, trials: float, confidence: float) -> tuple[float, float]:
    """Exact interval of a share (Clopper and Pearson 1934); hits may be broken."""
    from scipy.special import betaincinv

    tail = 0.5 - confidence / 2
    low = 0.0 if hits <= 0.0 else float(betaincinv(hits, trials - hits + 1.0, tail))
    high = 1.0 if hits >= trials else float(betaincinv(hits + 1.0, trials - hits, 1.0 - tail))
    return low, high


def balanced_difference(
    a: Tested, b: Tested, *, rng: np.random.Generator, confidence: float = 0.95
) -> Estimate:
    """Balanced accuracy of ``a`` less that of ``b`` on the same samples, drawn together.

    Where so few groups tell them apart that even all for one side could be a throw of coins (a sign test's
    ``2 · 0.5^d``), the interval holds zero.

    Raises:
        ValueError: they were not tested on the same samples.
    """
    if a.groups != b.groups or not np.array_equal(a.truth, b.truth):
        raise ValueError("two probes can be compared on the same test samples only")
    first, second = a.tables(), b.tables()
    value = float(balanced(first.sum(axis=0)) - balanced(second.sum(axis=0)))
    found = bootstrap_estimate(
        value,
        lambda drawn: balanced(_drawn(drawn, first)) - balanced(_drawn(drawn, second)),
        len(first), rng, confidence,
    )  # fmt: skip
    if found.low is None or found.high is None:
        return found
    hits = np.diagonal(first - second, axis1=1, axis2=2)
    apart = int((hits != 0).any(axis=1).sum())
    if 2.0 * 0.5**apart > 1.0 - confidence:
        return replace(found, low=min(found.low, 0.0), high=max(found.high, 0.0))
    return found


def _drawn(counts: F64, tables: F64) -> F64:
    """Confusion matrices of resamples in which group g occurs ``counts[:, g]`` times, shape (R, C, C)."""
    flat = counts @ tables.reshape(len(tables), -1)
    return flat.reshape(len(counts), *tables.shape[1:])


def bootstrap_estimate(
    value: float,
    statistic: Callable[[F64], F64],
    groups: int,
    rng: np.random.Generator,
    confidence: float = 0.95,
) -> Estimate:
    """A figure with its interval from resamples of whole groups.

    Args:
        value: the figure over all groups.
        statistic: the figure of every resample from how often it drew each group, shape (R, G) to (R,).
        groups: G.
        rng: draws.
        confidence: nominal coverage.
    """
    if groups < 3:
        return Estimate(value=value, low=None, high=None, groups=groups, confidence=confidence)
    from scipy.special import ndtri, stdtrit

    drawn = rng.multinomial(groups, np.full(groups, 1.0 / groups), size=RESAMPLES).astype(np.float64)
    found = statistic(drawn)
    low, high = np.quantile(found, [0.5 - confidence / 2, 0.5 + confidence / 2])
    tail = 0.5 + confidence / 2
    factor = float(stdtrit(groups - 1, tail) / ndtri(tail)) * float(np.sqrt(groups / (groups - 1)))
    return Estimate(
        value=value, low=value + factor * (float(low) - value), high=value + factor * (float(high) - value),
        groups=groups, confidence=confidence,
    )  # fmt: skip


def pooled(parts: Sequence[Tested]) -> Tested:
    """The tests of several seeds as one; a group that was tested twice still counts as one."""
    return Tested(
        np.concatenate([part.truth for part in parts]),
        np.concatenate([part.predicted for part in parts]),
        tuple(group for part in parts for group in part.groups),
        parts[0].classes,
    )
