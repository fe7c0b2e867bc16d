"""Whether a truth script shows a video's picture, told by edges: where too little moves to tell by motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64

if TYPE_CHECKING:
    from fourdcb.replay import FrameSequence, Replay

_MOMENTS = 7
_SIZE = 96  # height of the pictures that are compared [px]
_BLUR = 1.0  # [px]
_LEAST_SPREAD = 0.3  # [grey levels per px]: of edges that could tell anything


@dataclass(frozen=True, slots=True)
class EdgeAgreement:
    """How well a video's picture has the edges of a truth script's.

    Attributes:
        score: correlation, −1 … 1: above 0.9 for a truth's own video, below 0.5 for others; None where one of
            the two has no edges.
    """

    score: float | None


def edge_agreement(
    reference: Replay, frames: FrameSequence, partner: NDArray[np.int64]
) -> EdgeAgreement | None:
    """Compare the edges of two median pictures, the truth's and the video's.

    Neither brightness nor contrast enters. What moves is in neither median; what stands and rests is in both.

    Args:
        reference: the truth's replay.
        frames: the video.
        partner: video frame on show at each of the truth's frames, -1 where there is none.

    Returns:
        None when no frame is shown.
    """
    shown = np.flatnonzero(partner >= 0)
    if not len(shown):
        return None
    moments = np.unique(shown[np.linspace(0, len(shown) - 1, _MOMENTS).astype(int)])
    own = _truth_pictures(reference, moments)
    a, b = _edges(own), _edges([frames[int(partner[k])] for k in moments], shape=own[0].shape[:2])
    if min(a.std(), b.std()) < _LEAST_SPREAD:
        return EdgeAgreement(None)
    return EdgeAgreement(float(np.corrcoef(a.ravel(), b.ravel())[0, 1]))


def _truth_pictures(reference: Replay, moments: NDArray[np.int64]) -> list[NDArray[np.uint8]]:
    from fourdcb.render import RasterRenderer, RenderSettings

    camera = reference.world.camera
    width = max(8, round(_SIZE * camera.width / camera.height))
    settings = RenderSettings(samples=1, supersample=2, width=width, height=_SIZE)
    renderer = RasterRenderer(reference.world, settings)
    t = reference.trajectory
    return [renderer.render(t, float(k) / t.fps, aux=False).rgb for k in moments]


def _edges(pictures: list[NDArray[Any]], *, shape: tuple[int, int] | None = None) -> F64:
    """Size of the gradient of the median picture [grey levels per px], shape (H, W)."""
    import cv2

    if shape is not None:
        size = (shape[1], shape[0])
        pictures = [cv2.resize(p, size, interpolation=cv2.INTER_AREA) for p in pictures]
    grey = np.median(np.stack(pictures), axis=0).mean(axis=-1)
    soft = cv2.GaussianBlur(grey, (0, 0), _BLUR)
    across, down = np.gradient(soft, axis=1), np.gradient(soft, axis=0)
    return np.asarray(np.hypot(across, down))
