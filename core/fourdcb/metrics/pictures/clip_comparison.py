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
from fourdcb.metrics.pictures.baselines import Beside, NoMotion, beside_no_motion
from fourdcb.metrics.pictures.measures import PSNR_CAP, Image, Map, difference, mse, pooled_psnr, ssim
from fourdcb.metrics.pictures.motion import (
    Backgrounds,
    FlowGap,
    MotionGap,
    Pair,
    Silhouettes,
    motion_pair,
    pooled,
    silhouettes,
)
from fourdcb.metrics.result import MetricValue
from fourdcb.metrics.specs import spec_of
from fourdcb.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClipComparison:
    """Per-pair measures of two clips, each of shape (P,); NaN where a measure does not exist.

    Attributes:
        mse: mean squared error [code values²].
        psnr: [dB], capped at :data:`fourdcb.metrics.pictures.measures.PSNR_CAP`.
        ssim: mean structural similarity.
        difference: mean absolute difference, in [0, 1].
        silhouette_iou: of what differs from each clip's own background; NaN without backgrounds, and where
            nothing does in either.
        flow_error: mean end-point error of the motion since the pair before, where either moves [px of the
            frames]; NaN at the first pair, where one clip's picture stood still, and where nothing moves.
        areas: silhouettes over all pairs; None without backgrounds.
        beside: the same figures of pictures that show no motion; None without backgrounds.
        heatmap: mean over the clip of the absolute difference, in [0, 1], shape (H, W).
    """

    mse: F64
    psnr: F64
    ssim: F64
    difference: F64
    silhouette_iou: F64
    flow_error: F64
    areas: Silhouettes | None
    beside: NoMotion | None
    heatmap: Map

    def series(self) -> dict[str, list[float | None]]:
        """JSON-safe lists by measure; None where a measure does not exist."""
        return {name: _jsonable_list(getattr(self, name)) for name in _MEASURES}

    def metrics(self) -> dict[str, MetricValue]:
        """One figure a measure, with the worst pair and what shows no motion in ``detail``.

        PSNR and overlap are pooled over the pairs, the others are means.
        """
        whole = {"psnr": pooled_psnr(self.mse.tolist())}
        if self.areas is not None:
            whole["silhouette_iou"] = self.areas.overlap
        beside = {} if self.beside is None else self.beside.figures
        return {
            name: _figure(name, getattr(self, name), whole.get(name), beside.get(name)) for name in _MEASURES
        }


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
    rows: list[tuple[float, ...]] = []
    heat: NDArray[np.float64] | None = None
    gaps = MotionGap() if motion else None
    flows: list[FlowGap] = []
    areas: list[Silhouettes] = []
    before: Pair | None = None
    for k, (a, b) in enumerate(pairs):
        gap = difference(a, b)
        heat = gap.astype(np.float64) if heat is None else np.add(heat, gap, out=heat)
        now = motion_pair((a, b))
        if backgrounds is not None:
            areas.append(silhouettes(now, backgrounds))
        flow = math.nan
        if gaps is not None and before is not None and (goes_on is None or goes_on[k]):
            flows.append(gaps.between(before, now).times(max(a.shape[:2]) / max(now[0].shape[:2])))
            flow = flows[-1].error
        before = now
        overlap = areas[-1].overlap if areas else math.nan
        error = mse(a, b)
        rows.append(
            (error, pooled_psnr([error]), ssim(a, b), float(gap.mean(dtype=np.float64)), overlap, flow)
        )
        if progress is not None:
            progress.advance()
    if heat is None:
        raise UserError("there are no frames to compare")
    columns = np.array(rows, dtype=np.float64).T
    values: dict[str, F64] = dict(zip(("mse", *_MEASURES), columns, strict=True))
    return ClipComparison(
        **values,
        areas=pooled(areas) if areas else None,
        beside=None if backgrounds is None else beside_no_motion(backgrounds, flows),
        heatmap=(heat / len(rows)).astype(np.float32),
    )


_MEASURES = ("psnr", "ssim", "difference", "silhouette_iou", "flow_error")  # as their columns come


def _figure(name: str, values: F64, whole: float | None, beside: Beside | None) -> MetricValue:
    """A measure of the clip: ``whole``, or else the mean of what is known of its pairs."""
    spec = spec_of(name)
    larger_is_better = spec.direction == "above"
    known = np.flatnonzero(np.isfinite(values))
    if not known.size:
        return MetricValue(
            unit=spec.unit,
            status="not_measured",
            reason="not asked for, the clip is too short for it, or nothing moves",
        )
    worst = int(known[np.argmin(values[known]) if larger_is_better else np.argmax(values[known])])
    detail: dict[str, Any] = {"worst": float(values[worst]), "worst_pair": worst, "pairs": int(known.size)}
    if name == "psnr":
        detail |= {"capped_at": PSNR_CAP, "mean": float(values[known].mean())}
    if beside is not None:
        detail |= beside.detail()
    return MetricValue(
        value=float(values[known].mean()) if whole is None else whole,
        unit=spec.unit,
        direction=spec.direction,
        detail=detail,
    )


def _jsonable_list(values: F64) -> list[float | None]:
    return [float(v) if np.isfinite(v) else None for v in values]
