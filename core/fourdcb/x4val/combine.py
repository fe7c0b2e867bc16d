"""One figure from the sources' estimates, weighted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F64
from fourdcb.evaluation.statistics import t_quantile
from fourdcb.x4val.estimate import Estimate
from fourdcb.x4val.tally import NAMELESS


@dataclass(frozen=True, slots=True, kw_only=True)
class Combined:
    """A weighted mean of sources.

    Attributes:
        value: Σ w θ over the sources that were scored.
        standard_error: √(Σ w w' ρ SE SE') over all pairs, where ρ is the correlation of the errors of two
            sources over the clusters that both scored: one scene in three degradations is hard in all
            three. Sources without a cluster in common are independent.
        interval: Student's t with Welch and Satterthwaite's degrees of freedom, at most those of the
            sharing sources; cut to [0, 1] where all scores are 0 or 1; None where a source has no
            standard error.
        shared: clusters that more than one source scored.
        raw_value, raw_standard_error, raw_interval: the same of the plain means.
        variance_ratio: variance of the corrected figure over that of the plain one.
        effective_sample_size: samples that plain means would need for the same variance; clusters where
            sources share some.
    """

    value: float
    standard_error: float | None
    interval: tuple[float, float] | None
    raw_value: float
    raw_standard_error: float | None
    raw_interval: tuple[float, float] | None
    variance_ratio: float
    effective_sample_size: float
    shared: int = 0


def combine(estimates: Mapping[str, Estimate], weights: Mapping[str, float]) -> Combined:
    """The weighted figure of the scored sources; weights are normalised over them.

    Args:
        estimates: by source, at least one.
        weights: by source, > 0 in sum over those estimated.
    """
    names = sorted(estimates)
    share = np.array([weights[name] for name in names])
    share = share / share.sum()
    each = [estimates[name] for name in names]
    confidence = each[0].confidence
    value = float(share @ np.array([e.value for e in each]))
    raw = float(share @ np.array([e.raw_value for e in each]))
    binary = all(e.method == "binomial" for e in each)
    error, interval = _interval(
        value, share, [e.standard_error for e in each], [e.influence for e in each],
        [e.clusters - (2 if e.corrected else 1) for e in each], confidence, binary,
    )  # fmt: skip
    raw_error, raw_interval = _interval(
        raw, share, [e.raw_standard_error for e in each], [e.raw_influence for e in each],
        [e.clusters - 1 for e in each], confidence, binary,
    )  # fmt: skip
    ratio = 1.0
    if error is not None and raw_error:
        ratio = (error / raw_error) ** 2
    shared = sum(
        times > 1 and not name.startswith(NAMELESS)
        for name, times in Counter(name for e in each for name in e.raw_influence).items()
    )
    # A scene that several sources scored is one scene, however often it was filmed.
    total = sum(e.samples for e in each) if not shared else len({c for e in each for c in e.raw_influence})
    return Combined(
        value=value, standard_error=error, interval=interval, raw_value=raw, raw_standard_error=raw_error,
        raw_interval=raw_interval, variance_ratio=ratio,
        effective_sample_size=total / ratio if ratio > 0 else float(total),
        shared=shared,
    )  # fmt: skip


def error_correlation(influences: Sequence[Mapping[str, float]]) -> F64:
    """Correlation of the errors of estimates over the clusters that they share, shape (S, S).

    Clusters without a counterpart enter the norms alone, so that few shared ones correlate little. Of
    magnitude at most 1 by Cauchy and Schwarz, and positive semidefinite as a matrix of scalar products.

    Args:
        influences: by cluster, for each estimate.
    """
    named = [{k: v for k, v in one.items() if not k.startswith(NAMELESS)} for one in influences]
    clusters = sorted({name for one in named for name in one})
    rows = np.array([[one.get(name, 0.0) for name in clusters] for one in named])
    norms = np.array([np.linalg.norm(list(one.values())) for one in influences])
    unit = rows / np.where(norms > 0, norms, 1.0)[:, None]
    found = unit @ unit.T
    np.fill_diagonal(found, 1.0)
    return np.asarray(found, dtype=np.float64)


def _interval(
    value: float,
    share: F64,
    errors: Sequence[float | None],
    influences: Sequence[Mapping[str, float]],
    degrees: Sequence[int],
    confidence: float,
    binary: bool,
) -> tuple[float | None, tuple[float, float] | None]:
    known = [e for e in errors if e is not None]
    if len(known) < len(errors):
        return None, None
    parts = share * np.array(known)
    correlation = error_correlation(influences)
    error = float(np.sqrt(max(float(parts @ correlation @ parts), 0.0)))
    if error == 0.0:
        return error, None
    squares = parts**2
    freedom = float(squares.sum() ** 2 / np.sum(squares**2 / np.maximum(degrees, 1)))
    apart = np.abs(correlation - np.eye(len(parts))).max(axis=1) == 0.0
    if not apart.all():  # sources that share clusters know no more of their spread than one of them
        freedom = min(freedom, min(d for d, alone in zip(degrees, apart, strict=True) if not alone))
    half = t_quantile(0.5 + confidence / 2, max(int(freedom), 1)) * error
    low, high = value - half, value + half
    return error, (max(low, 0.0), min(high, 1.0)) if binary else (low, high)
