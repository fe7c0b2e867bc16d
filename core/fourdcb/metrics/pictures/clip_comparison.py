"""Image measures over aligned pairs of frames, streamed: memory does not grow with the clip."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.errors import UserError
from fourdcb.metrics.pictures.measures import (
    FLOW_SIDE,
    PSNR_CAP,
    FlowEstimator,
    Image,
    Map,
    difference,
    flow_error,
    psnr,
    reportable_psnr,
    silhouette_iou,
    ssim,
)
from fourdcb.metrics.result import MetricValue
from fourdcb.metrics.specs import spec_of
from fourdcb.progress import Progress

# Silhouettes and flow are taken on pictures of at most this side length [px].
MOTION_SIZE = 256
# A pixel moves when a channel leaves the background by more than this; H.264 noise at CRF 23 stays below.
_MOVING_THRESHOLD = 24
BACKGROUND_SAMPLES = 25

F64 = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClipComparison:
    """Per-pair measures of two clips, each of shape (P,); NaN where a measure does not exist.

    Attributes:
        psnr: [dB], capped at :data:`fourdcb.metrics.pictures.measures.PSNR_CAP`.
        ssim: mean structural similarity.
        difference: mean absolute difference, in [0, 1].
        silhouette_iou: of what differs from each clip's own background; NaN without backgrounds.
        flow_error: mean end-point error of the motion since the pair before [px of the frames]; NaN at
            the first pair.
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
    background_a: Image | None = None,
    background_b: Image | None = None,
    motion: bool = True,
    total: int | None = None,
    progress: Progress | None = None,
) -> ClipComparison:
    """Measure aligned pairs of frames of one size.

    Args:
        pairs: frames of the reference and the candidate, uint8, shape (H, W, 3); taken one by one.
        background_a, background_b: what stands still in each clip (see :func:`background_of`).
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
    track = _MotionTrack(background_a, background_b, motion=motion)
    for a, b in pairs:
        gap = difference(a, b)
        heat = gap.astype(np.float64) if heat is None else np.add(heat, gap, out=heat)
        mean_gap = float(gap.mean(dtype=np.float64))
        rows.append((reportable_psnr(psnr(a, b)), ssim(a, b), mean_gap, *track.measure(a, b)))
        if progress is not None:
            progress.advance()
    if heat is None:
        raise UserError("there are no frames to compare")
    columns = np.array(rows, dtype=np.float64).T
    values: dict[str, F64] = dict(zip(_MEASURES, columns, strict=True))
    return ClipComparison(**values, heatmap=(heat / len(rows)).astype(np.float32))


def background_of(frames: Sequence[Image]) -> Image:
    """What stands still: the median over frames spread over a clip, on the motion picture's size."""
    if not frames:
        raise UserError("a background needs at least one frame")
    return np.median(np.stack([_motion_picture(f) for f in frames]), axis=0).astype(np.uint8)


def background_indices(n_frames: int) -> list[int]:
    """Frames from which to take a background, spread over the clip."""
    count = min(n_frames, BACKGROUND_SAMPLES)
    return sorted({round(i) for i in np.linspace(0, n_frames - 1, count)})


def moving_mask(frame: Image, background: Image) -> NDArray[np.bool_]:
    """Pixels that differ from the background, on the motion picture's size, shape (h, w)."""
    import cv2

    gap = cv2.absdiff(_motion_picture(frame), background).max(axis=2)
    return np.asarray(gap > _MOVING_THRESHOLD, dtype=np.bool_)


class _MotionTrack:
    """Silhouettes against the backgrounds and flow since the pair before."""

    def __init__(self, background_a: Image | None, background_b: Image | None, *, motion: bool) -> None:
        self._backgrounds = (background_a, background_b)
        self._estimators = (FlowEstimator(), FlowEstimator()) if motion else None
        self._before: tuple[Image, Image] | None = None

    def measure(self, a: Image, b: Image) -> tuple[float, float]:
        """Silhouette IoU and flow error [px] of the next pair."""
        now = (_motion_picture(a), _motion_picture(b))
        iou, error = self._silhouettes(*now), self._flow_error(now)
        self._before = now
        return iou, error * max(a.shape[:2]) / max(now[0].shape[:2])

    def _silhouettes(self, a: Image, b: Image) -> float:
        background_a, background_b = self._backgrounds
        if background_a is None or background_b is None:
            return float("nan")
        return silhouette_iou(moving_mask(a, background_a), moving_mask(b, background_b))

    def _flow_error(self, now: tuple[Image, Image]) -> float:
        if self._estimators is None or self._before is None or min(now[0].shape[:2]) < FLOW_SIDE:
            return float("nan")
        flows = (e.flow(p, n) for e, p, n in zip(self._estimators, self._before, now, strict=True))
        return flow_error(*flows)


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


def _motion_picture(frame: Image) -> Image:
    import cv2

    longest = max(frame.shape[:2])
    if longest <= MOTION_SIZE:
        return frame
    scale = MOTION_SIZE / longest
    size = (max(1, round(frame.shape[1] * scale)), max(1, round(frame.shape[0] * scale)))
    return np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
