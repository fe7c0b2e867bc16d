"""What moves in two clips' pictures: silhouettes against what stands still, and the flow between neighbours.

The one meaning of ``silhouette_iou`` and ``flow_error``, whoever asks: a replay judged against a video, with
or without a truth script, or two videos. A *pair* is a picture of the reference and one of the candidate, of
one size; measures are taken on pictures of at most 256 px a side.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fourdcb.errors import UserError
from fourdcb.metrics.pictures.measures import FLOW_SIDE, FlowEstimator, Image, Map, flow_error

MOTION_SIZE = 256
BACKGROUND_SAMPLES = 25
# A pixel moves when a channel leaves the background by more than this; H.264 noise at CRF 23 stays below.
_MOVING_THRESHOLD = 24
# Of a noisy picture the median gap is 1.3 σ (the largest of three channels); so many leave noise behind.
_NOISE_FACTOR = 4.0
Pair = tuple[Image, Image]


@dataclass(frozen=True, slots=True, eq=False)
class Backgrounds:
    """What stands still in each clip, on the motion picture's size.

    Attributes:
        reference, candidate: see :func:`background_of`.
        samples: the pairs that they were taken from, on the motion picture's size.
    """

    reference: Image
    candidate: Image
    samples: tuple[Pair, ...] = ()

    @classmethod
    def of(cls, pairs: Iterable[Pair]) -> Backgrounds:
        """From pairs spread over both clips (:func:`background_indices`), taken one by one.

        Raises:
            UserError: when there are none.
        """
        small = tuple(motion_pair(pair) for pair in pairs)
        return cls(background_of([a for a, _ in small]), background_of([b for _, b in small]), small)


@dataclass(frozen=True, slots=True, kw_only=True)
class Silhouettes:
    """Areas of what leaves the backgrounds [px of the motion picture], of one pair or of many."""

    reference: int
    candidate: int
    shared: int

    @property
    def overlap(self) -> float:
        """Intersection over union; NaN when there is nothing in either."""
        union = self.reference + self.candidate - self.shared
        return self.shared / union if union else math.nan

    def __add__(self, other: Silhouettes) -> Silhouettes:
        return Silhouettes(
            reference=self.reference + other.reference,
            candidate=self.candidate + other.candidate,
            shared=self.shared + other.shared,
        )


def silhouettes(pair: Pair, backgrounds: Backgrounds) -> Silhouettes:
    """What moves, or moved before and rests now, in the two pictures of a pair."""
    return overlapping(
        moving_mask(pair[0], backgrounds.reference), moving_mask(pair[1], backgrounds.candidate)
    )


def overlapping(reference: NDArray[np.bool_], candidate: NDArray[np.bool_]) -> Silhouettes:
    """Areas of two masks of one size."""
    return Silhouettes(
        reference=int(np.count_nonzero(reference)),
        candidate=int(np.count_nonzero(candidate)),
        shared=int(np.count_nonzero(reference & candidate)),
    )


def pooled(areas: Iterable[Silhouettes]) -> Silhouettes:
    """The areas of many pairs together: a long rest counts by what it shows, not by its frames."""
    return sum(areas, Silhouettes(reference=0, candidate=0, shared=0))


@dataclass(frozen=True, slots=True)
class FlowGap:
    """How far the flow of a candidate is from the reference's, and that of a picture without motion.

    Attributes:
        error: mean end-point error where either moves [px of the pictures]; NaN where neither does.
        unmoved: the same for pictures in which nothing moves; NaN where the reference stands still.
    """

    error: float
    unmoved: float

    def times(self, scale: float) -> FlowGap:
        """In pixels of pictures that are ``scale`` times as large."""
        return FlowGap(self.error * scale, self.unmoved * scale)


class MotionGap:
    """Compares the motion of two clips from pair to pair; buffers are kept between calls. One thread's."""

    def __init__(self) -> None:
        self._estimators = FlowEstimator(), FlowEstimator()

    def between(self, before: Pair, now: Pair) -> FlowGap:
        """The clips' flows from one pair to the next; NaN for pictures that are too small for a flow."""
        small = motion_pair(before), motion_pair(now)
        if min(small[0][0].shape[:2]) < FLOW_SIDE:
            return FlowGap(math.nan, math.nan)
        a, b = (e.flow(p, n) for e, p, n in zip(self._estimators, *small, strict=True))
        found = FlowGap(flow_error(a, b), flow_error(a, np.zeros_like(a)))
        return found.times(max(now[0].shape[:2]) / max(small[1][0].shape[:2]))


def both_go_on(index_a: ArrayLike, index_b: ArrayLike) -> NDArray[np.bool_]:
    """Pairs before which neither clip's picture stood still, shape (P,): there motion can be compared.

    A clip of half the rate shows each picture twice, and between the two nothing can have moved.

    Args:
        index_a, index_b: frames of the clips that are paired, shape (P,).
    """
    steps = np.minimum(np.diff(np.asarray(index_a)), np.diff(np.asarray(index_b)))
    return np.concatenate([[False], steps > 0])[: np.size(index_a)]


def background_of(frames: Sequence[Image]) -> Image:
    """What stands still, without what moves, on the motion picture's size.

    The median over frames spread over a clip; where something rested so long that the median shows it, the
    frame that does not. A region in which the first or the last frame differs from the median holds an
    object in one of them: its outline has edges there, bare ground does not.
    """
    if not frames:
        raise UserError("a background needs at least one frame")
    pictures = [motion_picture(f) for f in frames]
    still = _median(pictures)
    changed = moving_mask(pictures[0], still) | moving_mask(pictures[-1], still)
    return _without_rests(still, pictures, changed) if changed.any() else still


_LEAST_REGION = 12  # [px]
_CLEARER = 0.6  # another picture is taken for a region whose outline is so much fainter there


def _without_rests(still: Image, pictures: list[Image], changed: NDArray[np.bool_]) -> Image:
    import cv2

    closed = cv2.morphologyEx(changed.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(closed, connectivity=8)
    regions = [i for i in range(1, count) if stats[i, cv2.CC_STAT_AREA] >= _LEAST_REGION]
    if not regions:
        return still
    choices = [still, *pictures]
    edges = [_edges(picture) for picture in choices]
    found, wide = still.copy(), np.ones((5, 5), np.uint8)
    for i in regions:
        region = (labels == i).astype(np.uint8)
        grown = cv2.dilate(region, wide).astype(bool)
        outline = grown & ~cv2.erode(region, wide).astype(bool)
        if not outline.any():
            continue  # all of the picture changed
        strengths = [float(edge[outline].mean()) for edge in edges]
        faintest = int(np.argmin(strengths))
        if strengths[faintest] < _CLEARER * strengths[0]:
            found[grown] = choices[faintest][grown]
    return found


def _edges(picture: Image) -> Map:
    import cv2

    across, down = (cv2.Sobel(picture, cv2.CV_32F, *axes) for axes in ((1, 0), (0, 1)))
    strength = cv2.magnitude(across, down)
    return np.asarray(strength if strength.ndim == 2 else strength.max(axis=2), dtype=np.float32)


def _median(images: Sequence[Image]) -> Image:
    """Median of some images at every sample, rounded down where two lie in the middle.

    A bubble sort of whole images that stops in the middle: on bytes it takes a twentieth of ``np.median``.
    """
    planes, spare = [np.array(image) for image in images], np.empty_like(images[0])
    middle = len(planes) // 2
    for sorted_ones in range(middle + 1):
        for k in range(len(planes) - 1, sorted_ones, -1):
            np.minimum(planes[k - 1], planes[k], out=spare)
            np.maximum(planes[k - 1], planes[k], out=planes[k])
            planes[k - 1], spare = spare, planes[k - 1]
    if len(planes) % 2:
        return planes[middle]
    return ((planes[middle - 1].astype(np.uint16) + planes[middle]) // 2).astype(np.uint8)


def background_indices(n_frames: int) -> list[int]:
    """Frames from which to take a background, spread over the clip."""
    count = min(n_frames, BACKGROUND_SAMPLES)
    return sorted({round(i) for i in np.linspace(0, n_frames - 1, count)})


def moving_mask(frame: Image, background: Image) -> NDArray[np.bool_]:
    """Pixels that differ from the background, on the motion picture's size, shape (h, w)."""
    import cv2

    red, green, blue = cv2.split(cv2.absdiff(motion_picture(frame), background))
    gap = np.asarray(cv2.max(cv2.max(red, green), blue))
    # Of a sparse sample, which a median of noise needs no more than.
    noise = _NOISE_FACTOR * float(np.median(gap[::2, ::2]))
    return np.asarray(gap > max(_MOVING_THRESHOLD, noise), dtype=np.bool_)


def motion_pair(pair: Pair) -> Pair:
    """Both pictures on the motion picture's size."""
    return motion_picture(pair[0]), motion_picture(pair[1])


def motion_picture(frame: Image) -> Image:
    """A frame with at most :data:`MOTION_SIZE` px a side."""
    import cv2

    longest = max(frame.shape[:2])
    if longest <= MOTION_SIZE:
        return frame
    scale = MOTION_SIZE / longest
    size = (max(1, round(frame.shape[1] * scale)), max(1, round(frame.shape[0] * scale)))
    return np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
