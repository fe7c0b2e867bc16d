"""One figure from the sources' estimates, weighted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F64
from fourdcb.evaluation.statistics import t_quantile
from fourdcb.x4val.estimate import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Combined:
    """A weighted mean of sources.

    Attributes:
        value: Σ w θ over the sources that were scored.
        standard_error: √(Σ w² SE²): the sources are independent.
        interval: Student's t with Welch and Satterthwaite's degrees of freedom, cut to [0, 1] where all
            scores are 0 or 1; None where a source has no standard error.
        raw_value, raw_standard_error, raw_interval: the same of the plain means.
        variance_ratio: variance of the corrected figure over that of the plain one.
        effective_sample_size: samples that plain means would need for the same variance.
    """

    value: float
    standard_error: float | None
    interval: tuple[float, float] | None
    raw_value: float
    raw_standard_error: float | None
    raw_interval: tuple[float, float] | None
    variance_ratio: float
    effective_sample_size: float


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
    degrees = [e.clusters - (2 if e.corrected else 1) for e in each]
    binary = all(e.method == "binomial" for e in each)
    error, interval = _interval(value, share, [e.standard_error for e in each], degrees, confidence, binary)
    raw_error, raw_interval = _interval(
        raw, share, [e.raw_standard_error for e in each], [e.clusters - 1 for e in each], confidence, binary
    )
    ratio = 1.0
    if error is not None and raw_error:
        ratio = (error / raw_error) ** 2
    total = sum(e.samples for e in each)
    return Combined(
        value=value, standard_error=error, interval=interval, raw_value=raw, raw_standard_error=raw_error,
        raw_interval=raw_interval, variance_ratio=ratio,
        effective_sample_size=total / ratio if ratio > 0 else float(total),
    )  # fmt: skip


def _interval(
    value: float,
    share: F64,
    errors: list[float | None],
    degrees: list[int],
    confidence: float,
    binary: bool,
) -> tuple[float | None, tuple[float, float] | None]:
    known = [e for e in errors if e is not None]
    if len(known) < len(errors):
        return None, None
    parts = (share * np.array(known)) ** 2
    error = float(np.sqrt(parts.sum()))
    if error == 0.0:
        return error, None
    freedom = float(parts.sum() ** 2 / np.sum(parts**2 / np.maximum(degrees, 1)))
    half = t_quantile(0.5 + confidence / 2, max(int(freedom), 1)) * error
    low, high = value - half, value + half
    return error, (max(low, 0.0), min(high, 1.0)) if binary else (low, high)
