"""What moves in two clips' pictures: silhouettes against what stands still, and the flow between neighbours.

The one meaning of ``silhouette_iou`` and ``flow_error``, whoever asks: a replay judged against a video, with
or without a truth script, or two videos. A *pair* is a picture of the reference and one of the candidate, of
one size; measures are taken on pictures of at most 256 px a side.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fourdcb.errors import UserError
from fourdcb.metrics.pictures.measures import FLOW_SIDE, FlowEstimator, Image, flow_error, silhouette_iou

MOTION_SIZE = 256
BACKGROUND_SAMPLES = 25
# A pixel moves when a channel leaves the background by more than this; H.264 noise at CRF 23 stays below.
_MOVING_THRESHOLD = 24
Pair = tuple[Image, Image]


@dataclass(frozen=True, slots=True, eq=False)
class Backgrounds:
    """What stands still in each clip, on the motion picture's size."""

    reference: Image
    candidate: Image

    @classmethod
    def of(cls, pairs: Iterable[Pair]) -> Backgrounds:
        """From pairs spread over both clips (:func:`background_indices`), taken one by one.

        Raises:
            UserError: when there are none.
        """
        small = [motion_pair(pair) for pair in pairs]
        return cls(background_of([a for a, _ in small]), background_of([b for _, b in small]))


def silhouette_overlap(pair: Pair, backgrounds: Backgrounds) -> float:
    """Intersection over union of what moves in the two pictures of a pair; 1 when nothing does in either."""
    a, b = pair
    return silhouette_iou(moving_mask(a, backgrounds.reference), moving_mask(b, backgrounds.candidate))


class MotionGap:
    """Compares the motion of two clips from pair to pair; buffers are kept between calls. One thread's."""

    def __init__(self) -> None:
        self._estimators = FlowEstimator(), FlowEstimator()

    def between(self, before: Pair, now: Pair) -> float:
        """Mean end-point error between the clips' flows from one pair to the next [px of the pictures].

        NaN for pictures that are too small for a flow.
        """
        small = motion_pair(before), motion_pair(now)
        if min(small[0][0].shape[:2]) < FLOW_SIDE:
            return float("nan")
        flows = (e.flow(p, n) for e, p, n in zip(self._estimators, *small, strict=True))
        return flow_error(*flows) * max(now[0].shape[:2]) / max(small[1][0].shape[:2])


def both_go_on(index_a: ArrayLike, index_b: ArrayLike) -> NDArray[np.bool_]:
    """Pairs before which neither clip's picture stood still, shape (P,): there motion can be compared.

    A clip of half the rate shows each picture twice, and between the two nothing can have moved.

    Args:
        index_a, index_b: frames of the clips that are paired, shape (P,).
    """
    steps = np.minimum(np.diff(np.asarray(index_a)), np.diff(np.asarray(index_b)))
    return np.concatenate([[False], steps > 0])[: np.size(index_a)]


def background_of(frames: Sequence[Image]) -> Image:
    """What stands still: the median over frames spread over a clip, on the motion picture's size."""
    if not frames:
        raise UserError("a background needs at least one frame")
    return _median([motion_picture(f) for f in frames])


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
    return np.asarray(cv2.max(cv2.max(red, green), blue) > _MOVING_THRESHOLD, dtype=np.bool_)


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
