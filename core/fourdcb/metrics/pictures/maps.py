"""Errors at each pixel, as pictures lay them over other pictures."""

from __future__ import annotations

from typing import Literal

import numpy as np

from fourdcb.metrics.pictures.measures import FlowEstimator, Image, Map, flow_moves, ssim_map

MapMeasure = Literal["ssim", "flow"]


def error_map(
    measure: MapMeasure,
    reference: Image,
    candidate: Image,
    *,
    reference_before: Image | None = None,
    candidate_before: Image | None = None,
) -> Map:
    """How far a candidate's picture is from the reference's at each pixel, float32, shape (H, W), 0 = alike.

    ``ssim`` is 1 - the structural similarity at the pixel, whose mean over a picture is 1 - SSIM but for the
    borders (mirrored here, left out there); ``flow`` is the end-point error between the optical flows from
    the pictures before [px], 0 where neither flow moves. Flow is estimated at the pictures' own size; the
    metric takes it on smaller ones.

    Args:
        reference, candidate: uint8, shape (H, W, 3), of one size.
        reference_before, candidate_before: one frame earlier; needed for ``flow`` only.

    Raises:
        UserError: for pictures of different sizes, or too small for the measure.
        ValueError: for a flow without the pictures before.
    """
    if measure == "ssim":
        return np.asarray(1.0 - ssim_map(reference, candidate), dtype=np.float32)
    if reference_before is None or candidate_before is None:
        raise ValueError("a flow needs the pictures before")
    a = FlowEstimator().flow(reference_before, reference)
    b = FlowEstimator().flow(candidate_before, candidate)
    gap = np.linalg.norm(a - b, axis=2)
    return np.where(flow_moves(a) | flow_moves(b), gap, 0.0).astype(np.float32)
