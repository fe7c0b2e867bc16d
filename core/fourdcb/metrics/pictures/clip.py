"""Image metrics of a whole replay against the video, aligned by presentation time."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64
from fourdcb.metrics.kinds import finding
from fourdcb.metrics.pictures.baselines import Beside, NoMotion, beside_no_motion
from fourdcb.metrics.pictures.measures import FLOW_SIDE, SSIM_SIDE, mse, pooled_psnr, ssim
from fourdcb.metrics.pictures.motion import (
    Backgrounds,
    FlowGap,
    MotionGap,
    Pair,
    background_indices,
    both_go_on,
    motion_pair,
)
from fourdcb.metrics.result import Finding, MetricValue
from fourdcb.metrics.specs import spec_of
from fourdcb.video import Alignment, Timeline, align

if TYPE_CHECKING:
    from fourdcb.replay import FrameSequence

Picture = NDArray[np.uint8]
Quality = tuple[float, float | None]
_FLOW_PAIRS = 10
_LENGTH_SLACK = 1.5  # frames
_THREADS = 2
_AHEAD = 4  # pairs of pictures that wait to be measured


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipQuality:
    """Per-frame image quality.

    Attributes:
        partner: video frame nearest to each replay frame's time, -1 beyond the video's ends, shape (T,).
        mse [code values²], psnr [dB], ssim: per replay frame that has a partner, else None.
        beside: ``flow_error`` [px] of some pairs of neighbouring frames and ``silhouette_iou`` of some
            frames, with the figures of pictures that show no motion; None without partners.
        mismatch: warnings about length and rate.
    """

    partner: NDArray[np.int64]
    mse: tuple[float | None, ...]
    psnr: tuple[float | None, ...]
    ssim: tuple[float | None, ...]
    beside: NoMotion | None
    mismatch: tuple[Finding, ...]

    @property
    def flow(self) -> float | None:
        """``flow_error`` [px]; None when too few frames have partners of their own, or nothing moves."""
        error = math.nan if self.beside is None else self.beside.figures["flow_error"].candidate
        return error if math.isfinite(error) else None

    def metrics(self) -> dict[str, MetricValue]:
        """Figures of the clip; no threshold: the four axes judge, pictures illustrate.

        Beside each stand those of pictures that show no motion. PSNR and overlap are pooled over the frames.
        """
        pooled = pooled_psnr([error for error in self.mse if error is not None])
        likeness = [v for v in self.ssim if v is not None]
        figures = {} if self.beside is None else self.beside.figures
        whole = {
            "psnr": (pooled, self.psnr),
            "ssim": (float(np.mean(likeness)) if likeness else math.nan, self.ssim),
        }
        for name in ("flow_error", "silhouette_iou"):
            whole[name] = (figures[name].candidate if figures else math.nan, ())
        return {name: _figure(name, *whole[name], figures.get(name)) for name in whole}

    def series(self) -> dict[str, list[float | None]]:
        """Lists as long as the replay."""
        return {"psnr": list(self.psnr), "ssim": list(self.ssim)}


def clip_findings(clip: ClipQuality | None) -> tuple[Finding, ...]:
    """Length and rate mismatches, and a replay that does not show the motion, as warnings."""
    if clip is None:
        return ()
    unmoved = None if clip.beside is None else clip.beside.finding()
    return clip.mismatch if unmoved is None else (*clip.mismatch, unmoved)


def _figure(name: str, value: float, frames: Sequence[float | None], beside: Beside | None) -> MetricValue:
    spec = spec_of(name)
    if not math.isfinite(value):
        reason = "no frame overlaps in time, the pictures are too small, or nothing moves"
        return MetricValue(unit=spec.unit, status="not_measured", reason=reason)
    detail: dict[str, Any] = {}
    if frames:
        worst = int(np.argmin([np.inf if v is None else v for v in frames]))
        known = [v for v in frames if v is not None]
        detail = {"worst": min(known), "worst_frame": worst, "frames": len(known)}
    if beside is not None:
        detail |= beside.detail()
    return MetricValue(value=value, unit=spec.unit, direction=spec.direction, detail=detail)


def partners(replay_times: F64, video_times: F64 | Timeline) -> NDArray[np.int64]:
    """Index of the video frame nearest to each replay time, -1 beyond the video's ends, shape (T,).

    See :func:`fourdcb.video.align`.
    """
    shown = Timeline.of(video_times)
    pairs = align(replay_times, shown.times, duration_b=shown.end)
    partner = np.full(len(replay_times), -1, dtype=np.int64)
    partner[pairs.index_a] = pairs.index_b
    return partner


def clip_quality(
    frames: FrameSequence, times: F64, video: FrameSequence, video_times: F64 | Timeline
) -> ClipQuality:
    """PSNR and SSIM of every replay frame against the video frame of its time, and how what moves agrees.

    Pictures are taken in order, each but a few times, so that sequences may make them when asked.

    Args:
        frames, video: sRGB, shape (T, H, W, 3), of equal picture size.
        times, video_times: presentation times [s].
    """
    partner = partners(times, video_times)
    paired = np.flatnonzero(partner >= 0)
    quality: list[Quality | None] = [None] * len(partner)
    flowing, gaps = _flowing(paired, partner[paired], frames.shape), list[Future[FlowGap]]()
    sampled = frozenset(paired[background_indices(len(paired))].tolist()) if len(paired) else frozenset()
    samples: list[Pair] = []
    before: Pair | None = None
    with ThreadPoolExecutor(_THREADS) as pool:  # most of the work is done without the GIL
        waiting: deque[tuple[int, Future[Quality]]] = deque()
        for k in map(int, paired):
            pair = video[int(partner[k])], frames[k]
            waiting.append((k, pool.submit(_quality, *pair)))
            if before is not None and k in flowing:
                gaps.append(pool.submit(MotionGap().between, before, pair))
            if k in sampled:
                samples.append(motion_pair(pair))
            before = pair
            while len(waiting) > _AHEAD:  # few pairs are held at a time
                done, future = waiting.popleft()
                quality[done] = future.result()
        for done, future in waiting:
            quality[done] = future.result()
    flows = [gap.result() for gap in gaps]
    return ClipQuality(
        partner=partner,
        mse=tuple(None if q is None else q[0] for q in quality),
        psnr=tuple(None if q is None else round(pooled_psnr([q[0]]), 4) for q in quality),
        ssim=tuple(None if q is None else q[1] for q in quality),
        beside=beside_no_motion(Backgrounds.of(samples), flows) if samples else None,
        mismatch=_mismatch(times, video_times),
    )


def _quality(a: Picture, b: Picture) -> Quality:
    likeness = round(ssim(a, b), 6) if min(a.shape[:2]) >= SSIM_SIDE else None
    return mse(a, b), likeness


def _flowing(paired: NDArray[np.int64], partner: NDArray[np.int64], shape: tuple[int, ...]) -> frozenset[int]:
    """At most ten evenly spread frames at which both clips have gone on since the frame before."""
    usable = paired[both_go_on(paired, partner)]
    if not len(usable) or min(shape[1:3]) < FLOW_SIDE:
        return frozenset()
    return frozenset(usable[np.linspace(0, len(usable) - 1, _FLOW_PAIRS).astype(int)].tolist())


def length_mismatch(times: F64, video_times: F64 | Timeline) -> Finding | None:
    """A warning when a video and a script's clip end at different times, by more than 1.5 frames."""
    clips = _aligned(times, video_times)
    if abs(clips.duration_a - clips.duration_b) <= _LENGTH_SLACK / min(clips.fps_a, clips.fps_b):
        return None
    return finding("clip", form="length", video=clips.duration_b, clip=clips.duration_a)


def _aligned(times: F64, video_times: F64 | Timeline) -> Alignment:
    """The clips side by side; a lone frame has no interval of its own and lasts as long as the other's."""
    shown = Timeline.of(video_times)
    if len(shown.times) == 1 and len(times) > 1:
        interval = float(times[-1] - times[0]) / (len(times) - 1)
        lasting = float(shown.times[0]) + interval
        if isinstance(video_times, Timeline):  # a file may say itself how long its one picture stands
            lasting = max(lasting, shown.end)
        return align(times, shown.times, duration_b=lasting)
    return align(times, shown.times, duration_b=shown.end)


def _mismatch(times: F64, video_times: F64 | Timeline) -> tuple[Finding, ...]:
    clips = _aligned(times, video_times)
    found = []
    if not clips.same_rate and min(clips.frames_a, clips.frames_b) > 1:
        found.append(finding("clip", form="rate", video=clips.fps_b, clip=clips.fps_a))
    length = length_mismatch(times, video_times)
    return (*found, length) if length is not None else tuple(found)
