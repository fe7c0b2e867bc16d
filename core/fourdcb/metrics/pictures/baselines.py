"""The figures of pictures that show no motion, beside those of a candidate.

A still of the reference's first frame and its background without what moves are the two answers that take no
understanding. A candidate whose silhouettes and motion are no better than theirs does not show the motion,
whatever its PSNR: where little of a picture moves, a blank one differs little.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fourdcb.metrics.kinds import finding
from fourdcb.metrics.pictures.measures import SSIM_SIDE, Image, mse, pooled_psnr, ssim
from fourdcb.metrics.pictures.motion import (
    Backgrounds,
    FlowGap,
    Pair,
    Silhouettes,
    moving_mask,
    overlapping,
    pooled,
    silhouettes,
)
from fourdcb.metrics.result import Finding

_LEAST_AREA = 1e-4  # share of the pictures that must move for motion to be missed
_LEAST_SAMPLES = 3
_BLANK = 0.25  # a candidate in which less than this share of the reference's area moves is as good as blank
# So much better than without motion counts: anything that moves somewhere lowers the error a little.
_BETTER_OVERLAP, _BETTER_ERROR = 0.01, 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """One figure of the candidate and of two pictures without motion, on the same samples of the clip.

    NaN where it does not exist.
    """

    candidate: float
    still: float
    empty: float

    def detail(self) -> dict[str, Any]:
        """JSON-safe entries for a metric's detail."""
        values = {"sampled": self.candidate, "still": self.still, "empty": self.empty}
        return {name: value for name, value in values.items() if math.isfinite(value)}


@dataclass(frozen=True, slots=True, kw_only=True)
class NoMotion:
    """A candidate against pictures that show no motion.

    Attributes:
        figures: by metric.
        areas: silhouettes over the samples.
        pixels: of all samples together.
        samples: how many pairs were looked at.
    """

    figures: Mapping[str, Beside]
    areas: Silhouettes
    pixels: int
    samples: int

    def finding(self) -> Finding | None:
        """The warning that a candidate does not show the motion, or None."""
        if self.samples < _LEAST_SAMPLES or self.areas.reference <= _LEAST_AREA * self.pixels:
            return None
        overlap, error = self.figures["silhouette_iou"], self.figures["flow_error"]
        best = max(overlap.still, overlap.empty)
        # A comparison with NaN is false: a figure that does not exist excuses nobody.
        if overlap.candidate > best + _BETTER_OVERLAP or error.candidate < _BETTER_ERROR * error.still:
            return None
        share = self.areas.candidate / self.areas.reference
        return finding(
            "no_motion", form="blank" if share < _BLANK else "elsewhere", share=share, expected=best,
            measured=overlap.candidate if math.isfinite(overlap.candidate) else 0.0,
        )  # fmt: skip


def beside_no_motion(backgrounds: Backgrounds, flows: Iterable[FlowGap]) -> NoMotion:
    """Measure the samples of a clip as the candidate shows them, as a still and as an empty scene."""
    samples = backgrounds.samples
    still, empty = (samples[0][0] if samples else backgrounds.reference), backgrounds.reference
    masks = [moving_mask(a, backgrounds.reference) for a, _ in samples]
    areas = pooled(silhouettes(pair, backgrounds) for pair in samples)
    known = [gap for gap in flows if math.isfinite(gap.error)]
    unmoved = _mean([gap.unmoved for gap in known if math.isfinite(gap.unmoved)])
    return NoMotion(
        figures={
            "psnr": _beside(samples, still, empty, _psnr),
            "ssim": _beside(samples, still, empty, _ssim),
            "silhouette_iou": Beside(
                candidate=areas.overlap,
                still=pooled(overlapping(mask, masks[0]) for mask in masks).overlap,
                empty=0.0 if areas.reference else math.nan,
            ),
            "flow_error": Beside(candidate=_mean([g.error for g in known]), still=unmoved, empty=unmoved),
        },
        areas=areas,
        pixels=sum(mask.size for mask in masks),
        samples=len(samples),
    )


def _beside(samples: Sequence[Pair], still: Image, empty: Image, measure: Any) -> Beside:
    return Beside(
        candidate=measure(samples),
        still=measure([(a, still) for a, _ in samples]),
        empty=measure([(a, empty) for a, _ in samples]),
    )


def _psnr(pairs: Sequence[Pair]) -> float:
    return pooled_psnr([mse(*pair) for pair in pairs])


def _ssim(pairs: Sequence[Pair]) -> float:
    if not pairs or min(pairs[0][0].shape[:2]) < SSIM_SIDE:
        return math.nan
    return _mean([ssim(*pair) for pair in pairs])


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else math.nan
