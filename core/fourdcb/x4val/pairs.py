"""Do two unpaired sources see a model alike: rank correlation over matched neighbourhoods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from fourdcb.arrays import F32, F64
from fourdcb.x4val.index import build_index

Strength = Literal["unknown", "none", "weak", "moderate", "strong"]
DOUBTFUL_BELOW = 0.3
_FEWEST = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCorrelation:
    """Spearman's ρ between the scores of one source and those of their neighbours in another.

    Attributes:
        first, second: names of the sources.
        rho: correlation, or None where scores are too few or all alike.
        p_value: of ρ = 0, two-sided.
        low, high: 95 % interval by Fisher's z with the standard error of Bonett and Wright (2000).
        strength: in words; ``none`` where zero lies within the interval.
        pairs: matched samples.
    """

    first: str
    second: str
    rho: float | None
    p_value: float | None
    low: float | None
    high: float | None
    strength: Strength
    pairs: int

    @property
    def doubtful(self) -> bool:
        """Whether the two sources disagree enough to look into (ρ below 0.3)."""
        return self.rho is not None and self.rho < DOUBTFUL_BELOW


def neighbour_scores(queries: F32, gallery: F32, gallery_scores: F64, *, k: int) -> F64:
    """Mean score of each query's k nearest gallery samples, shape (Q,)."""
    numbers, _ = build_index(gallery).nearest(queries, min(k, len(gallery)))
    return np.asarray(gallery_scores, dtype=np.float64)[numbers].mean(axis=1)


def pair_correlation(
    first: str,
    second: str,
    first_scores: F64,
    first_embeddings: F32,
    second_scores: F64,
    second_embeddings: F32,
    *,
    k: int,
) -> PairCorrelation:
    """Match in both directions, and correlate the ranks.

    Each scored sample of the one source stands with the mean score of its k nearest scored samples of the
    other; ρ is the mean of both directions, weighted by their samples. Its effective size is the smaller of
    the two sources: neighbours are used again and again.
    """
    count = min(len(first_scores), len(second_scores))
    unknown = PairCorrelation(
        first=first, second=second, rho=None, p_value=None, low=None, high=None, strength="unknown",
        pairs=count,
    )  # fmt: skip
    if count < _FEWEST:
        return unknown
    there = _rank_correlation(
        first_scores, neighbour_scores(first_embeddings, second_embeddings, second_scores, k=k)
    )
    back = _rank_correlation(
        second_scores, neighbour_scores(second_embeddings, first_embeddings, first_scores, k=k)
    )
    known = [(r, n) for r, n in ((there, len(first_scores)), (back, len(second_scores))) if r is not None]
    if not known:
        return unknown
    rho = sum(r * n for r, n in known) / sum(n for _, n in known)
    p_value, low, high = _uncertainty(rho, count)
    return PairCorrelation(
        first=first, second=second, rho=rho, p_value=p_value, low=low, high=high,
        strength=_strength(rho, low, high), pairs=count,
    )  # fmt: skip


def _rank_correlation(a: F64, b: F64) -> float | None:
    from scipy.stats import rankdata

    x, y = rankdata(a), rankdata(b)
    x, y = x - x.mean(), y - y.mean()
    scale = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / scale if scale > 0 else None


def _uncertainty(rho: float, count: int) -> tuple[float, float, float]:
    from scipy.special import ndtri, stdtr

    bounded = min(max(rho, -0.999999), 0.999999)
    t = bounded * float(np.sqrt((count - 2) / (1 - bounded**2)))
    p_value = 2 * float(stdtr(count - 2, -abs(t)))
    error = float(np.sqrt((1 + bounded**2 / 2) / (count - 3)))
    z, half = float(np.arctanh(bounded)), float(ndtri(0.975)) * error
    return p_value, float(np.tanh(z - half)), float(np.tanh(z + half))


def _strength(rho: float, low: float, high: float) -> Strength:
    if low <= 0.0 <= high:
        return "none"
    size = abs(rho)
    return "strong" if size >= 0.7 else "moderate" if size >= 0.4 else "weak"
