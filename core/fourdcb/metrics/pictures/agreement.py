"""Whether a truth script shows the video that it is said to be the truth of.

The truth says where something moves: pixels that a moving object covers at one of two moments only must
change between them, and pixels that none covers must not. How well the video's own changes tell these
pixels apart is measured; neither colours nor brightness enter, so a noisy, dark or distorted copy of the
video agrees as well as the original.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64, I64, Mask
from fourdcb.metrics.criteria import Criteria
from fourdcb.metrics.kinds import finding
from fourdcb.metrics.pictures.edges import EdgeAgreement
from fourdcb.metrics.result import Finding

if TYPE_CHECKING:
    from fourdcb.replay import FrameSequence, Replay

_MOMENTS = 10
_SIZE = 64  # height of the pictures that are compared [px]: noise averages out
_SHIFTS = (0, -1, 1)  # frames: clips are stamped at the beginning or the middle of a frame
_MIN_PATH = 0.02  # [m] that all objects together must move
_MIN_PIXELS = 4
_MIN_MOMENTS = 3
_MIN_PAIRS = 3
_RESTLESS = 1.5  # a pixel changes when it does so this many times as much as most
_STEP = 4.0  # and by this many grey levels


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well a video shows the motion of a truth script.

    Attributes:
        score: chance that a pixel which must change does so more than one that must not, 0 … 1; 0.5 is what
            an unrelated video gives.
        seen: share of the pixels that moving objects cover at times in which the video changes at all.
    """

    score: float
    seen: float


def foreign_finding(
    agreement: Agreement | None, edges: EdgeAgreement | None, criteria: Criteria
) -> tuple[Finding, ...]:
    """The remark that the truth script is another video's, or that nobody can tell; else nothing.

    Args:
        agreement: of motions; None where too little moves.
        edges: of pictures; counts where there is no ``agreement``.
    """
    if agreement is None:
        return () if edges is None else _foreign_picture(edges.score, criteria.video_edges)
    if agreement.score >= criteria.video_agreement and agreement.seen >= criteria.video_seen:
        return ()
    told: dict[str, Any] = {"form": "elsewhere"}
    if agreement.seen < criteria.video_seen:
        told = {"form": "still", "still": 1.0 - agreement.seen}
    return (finding("foreign", measured=agreement.score, expected=criteria.video_agreement, **told),)


def _foreign_picture(score: float | None, needed: float) -> tuple[Finding, ...]:
    if score is None:
        return (finding("foreign", form="untold"),)
    return () if score >= needed else (finding("foreign", form="picture", measured=score, expected=needed),)


def video_agreement(reference: Replay, frames: FrameSequence, partner: NDArray[np.int64]) -> Agreement | None:
    """Compare a truth's motion with a video's.

    Args:
        reference: the truth's replay.
        frames: the video.
        partner: video frame on show at each of the truth's frames, -1 where there is none.

    Returns:
        None when nothing moves enough to tell, or too few pictures are there.
    """
    moments = _first_shown(_moments(reference, partner >= 0), partner)
    if len(moments) < _MIN_MOMENTS:
        return None
    masks = _moving(reference, moments)
    told = [np.count_nonzero(masks[i] ^ masks[j]) >= _MIN_PIXELS for i, j in _pairs(len(masks))]
    if sum(told) < _MIN_PAIRS:
        return None
    found = [_agreement(masks, frames, partner[moments] + shift) for shift in _SHIFTS]
    return max(found, key=lambda a: a.score)


def _moments(reference: Replay, shown: Mask) -> I64:
    """Frames between which the objects travel equally far, shape (K,); empty when they hardly move."""
    t = reference.trajectory
    moving = [i for i, kind in enumerate(t.kinds) if kind != "static"]
    path = t.position[t.frame_steps()[: len(shown)]][:, moving]
    way = np.linalg.norm(np.diff(path, axis=0), axis=-1).sum(axis=-1)
    travelled = np.concatenate([[0.0], np.cumsum(way)])
    if travelled[-1] < _MIN_PATH:
        return np.zeros(0, dtype=np.int64)
    chosen = np.searchsorted(travelled, np.linspace(0.0, travelled[-1], _MOMENTS))
    chosen = np.unique(np.minimum(chosen, len(travelled) - 1))
    return chosen[shown[chosen]].astype(np.int64)


def _first_shown(moments: I64, partner: NDArray[np.int64]) -> I64:
    """The moments at which the pictures appear that are on show then: a slow video shows each for long."""
    pictures, first = np.unique(partner, return_index=True)
    return np.unique(first[np.searchsorted(pictures, partner[moments])])


def _moving(reference: Replay, moments: I64) -> Mask:
    """Pixels that moving objects cover, shape (K, H, W)."""
    from fourdcb.render import RasterRenderer, RenderSettings

    world = reference.world
    width = max(8, round(_SIZE * world.camera.width / world.camera.height))
    settings = RenderSettings(samples=1, supersample=1, shadows=False, width=width, height=_SIZE)
    renderer = RasterRenderer(world, settings)
    moving = [i for i, obj in enumerate(world.objects) if obj.kind != "static"]
    pictures = (renderer.render(reference.trajectory, float(k) / reference.trajectory.fps) for k in moments)
    return np.stack([np.isin(picture.instance, moving) for picture in pictures])


def _agreement(masks: Mask, frames: FrameSequence, chosen: I64) -> Agreement:
    import cv2

    height, width = masks.shape[1:]
    chosen = np.clip(chosen, 0, len(frames) - 1)
    small = [cv2.resize(frames[k], (width, height), interpolation=cv2.INTER_AREA) for k in chosen]
    pictures = np.stack(small).astype(np.float64)
    change = np.linalg.norm(np.ptp(pictures, axis=0), axis=-1)
    restless = change > _RESTLESS * float(np.median(change)) + _STEP
    covered = masks.any(axis=0) & ~masks.all(axis=0)
    scores = list(_scores(masks, pictures, restless))
    seen = float(np.count_nonzero(restless & covered) / np.count_nonzero(covered))
    return Agreement(float(np.mean(scores)) if len(scores) >= _MIN_PAIRS else 0.5, seen)


def _scores(masks: Mask, pictures: F64, restless: Mask) -> Iterator[float]:
    """Of each two moments near each other.

    Pixels that never change are left out: something may stand before them.
    """
    for i, j in _pairs(len(masks)):
        a, b = masks[i], masks[j]
        gap = np.linalg.norm(pictures[i] - pictures[j], axis=-1)
        must, must_not = gap[restless & (a ^ b)], gap[restless & ~(a | b)]
        if min(len(must), len(must_not)) >= _MIN_PIXELS:
            yield chance_above(must, must_not)


def _pairs(count: int) -> Iterator[tuple[int, int]]:
    """Each two moments that follow each other directly or with one between."""
    for step in (1, 2):
        yield from ((i, i + step) for i in range(count - step))


def chance_above(these: F64, others: F64) -> float:
    """Chance that one of ``these`` exceeds one of ``others``, equal ones counting half (Mann-Whitney U)."""
    ordered = np.sort(others)
    below = np.searchsorted(ordered, these, side="left")
    not_above = np.searchsorted(ordered, these, side="right")
    return float(np.mean(below + not_above) / (2 * len(others)))
