"""Measures a picture against another pixel by pixel, in the simulation process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fourdcb.metrics.pictures.maps import error_map

if TYPE_CHECKING:
    from collections.abc import Generator

    from fourdcb.replay import ReplayCache
    from fourdcb_studio.jobs.error_map import ErrorMapRequest


def measure_map(replays: ReplayCache, request: ErrorMapRequest) -> Generator[None, None, NDArray[np.float16]]:
    """The map, shape (H, W); half precision is finer than any colour map. Raises UserError."""
    yield
    found = error_map(
        request.measure,
        request.reference,
        request.candidate,
        reference_before=request.reference_before,
        candidate_before=request.candidate_before,
    )
    return found.astype(np.float16)
