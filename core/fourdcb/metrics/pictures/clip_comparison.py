"""Image measures over aligned pairs of frames, streamed: memory does not grow with the clip."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64
from fourdcb.errors import UserError
from fourdcb.metrics.pictures.measures import (
    PSNR_CAP,
    Image,
    Map,
    difference,
    psnr,
    reportable_psnr,
    ssim,
)
from fourdcb.metrics.pictures.motion import Backgrounds, MotionGap, Pair, motion_pair, silhouette_overlap
from fourdcb.metrics.result import MetricValue
from fourdcb.metrics.specs import spec_of
from fourdcb.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClipComparison:
    """Per-pair measures of two clips, each of shape (P,); NaN where a measure does not exist.

    Attributes:
        psnr: [dB], capped at :data:`fourdcb.metrics.pictures.measures.PSNR_CAP`.
        ssim: mean structural similarity.
        difference: mean absolute difference, in [0, 1].
        silhouette_iou: of what differs from each clip's own background; NaN without backgrounds.
        flow_error: mean end-point error of the motion since the pair before [px of the frames]; NaN at
            the first pair, and where one clip's picture stood still.
        heatmap: mean over the clip of the absolute difference, in [0, 1], shape (H, W).
    """

    psnr: F64
    ssim: F64
    difference: F64
    silhouette_iou: F64
    flow_error: F64
    heatmap: Map

    def series(self) -> dict[str, list[float | None]]:
        """JSON-safe lists by measure; None where a measure does not exist."""
        return {name: _jsonable_list(getattr(self, name)) for name in _MEASURES}

    def metrics(self) -> dict[str, MetricValue]:
        """Means over the clip by measure, with the worst pair in ``detail``."""
        return {name: _mean_value(name, getattr(self, name)) for name in _MEASURES}


def compare_clips(
    pairs: Iterable[tuple[Image, Image]],
    *,
    backgrounds: Backgrounds | None = None,
    goes_on: Sequence[bool] | NDArray[np.bool_] | None = None,
    motion: bool = True,
    total: int | None = None,
    progress: Progress | None = None,
) -> ClipComparison:
    """Measure aligned pairs of frames of one size.

    Args:
        pairs: frames of the reference and the candidate, uint8, shape (H, W, 3); taken one by one.
        backgrounds: what stands still in each clip; without them there are no silhouettes.
        goes_on: pairs whose motion since the pair before can be compared (:func:`both_go_on`); default all.
        motion: also estimate flow and compare it.
        total: how many pairs will come, for the progress.
        progress: told of each pair.

    Raises:
        UserError: when there are no pairs, or sizes differ.
    """
    if progress is not None:
        progress.start("comparing images", total or 0)
    rows: list[tuple[float, float, float, float, float]] = []
    heat: NDArray[np.float64] | None = None
    gaps = MotionGap() if motion else None
    before: Pair | None = None
    for k, (a, b) in enumerate(pairs):
        gap = difference(a, b)
        heat = gap.astype(np.float64) if heat is None else np.add(heat, gap, out=heat)
        mean_gap = float(gap.mean(dtype=np.float64))
        now = motion_pair((a, b))
        overlap = math.nan if backgrounds is None else silhouette_overlap(now, backgrounds)
        flow = math.nan
        if gaps is not None and before is not None and (goes_on is None or goes_on[k]):
            flow = gaps.between(before, now) * max(a.shape[:2]) / max(now[0].shape[:2])
        before = now
        rows.append((reportable_psnr(psnr(a, b)), ssim(a, b), mean_gap, overlap, flow))
        if progress is not None:
            progress.advance()
    if heat is None:
        raise UserError("there are no frames to compare")
    columns = np.array(rows, dtype=np.float64).T
    values: dict[str, F64] = dict(zip(_MEASURES, columns, strict=True))
    return ClipComparison(**values, heatmap=(heat / len(rows)).astype(np.float32))


_MEASURES = ("psnr", "ssim", "difference", "silhouette_iou", "flow_error")  # as their columns come


def _mean_value(name: str, values: F64) -> MetricValue:
    spec = spec_of(name)
    larger_is_better = spec.direction == "above"
    known = np.flatnonzero(np.isfinite(values))
    if not known.size:
        return MetricValue(
            unit=spec.unit, status="not_measured", reason="not asked for, or the clip is too short for it"
        )
    worst = int(known[np.argmin(values[known]) if larger_is_better else np.argmax(values[known])])
    detail: dict[str, Any] = {"worst": float(values[worst]), "worst_pair": worst, "pairs": int(known.size)}
    if name == "psnr":
        detail |= {"capped_at": PSNR_CAP, "pooled": _pooled_psnr(values)}
    return MetricValue(
        value=float(values[known].mean()),
        unit=spec.unit,
        direction=spec.direction,
        detail=detail,
    )


def _pooled_psnr(values: F64) -> float:
    """PSNR [dB] of the mean squared error over all pairs."""
    return float(-10.0 * np.log10(np.mean(10.0 ** (-values / 10.0))))


def _jsonable_list(values: F64) -> list[float | None]:
    return [float(v) if np.isfinite(v) else None for v in values]
