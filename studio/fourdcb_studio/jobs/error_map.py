"""Errors at each pixel of the pictures on screen, which need libraries that the window does not load."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fourdcb_studio.jobs.contract import JobKind
from fourdcb_studio.session.comparison import MapMeasure
from fourdcb_studio.session.messages import WorkRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorMapRequest(WorkRequest):
    """The pictures to compare, each uint8, shape (H, W, 3).

    Attributes:
        measure: what is measured at each pixel.
        reference, candidate: of this moment.
        reference_before, candidate_before: of the moment before; for the flow only.
    """

    kind: ClassVar[str] = "error_map"
    work: ClassVar[str] = "fourdcb_studio.workers.error_map:measure_map"

    measure: MapMeasure
    reference: NDArray[np.uint8]
    candidate: NDArray[np.uint8]
    reference_before: NDArray[np.uint8] | None = None
    candidate_before: NDArray[np.uint8] | None = None


ERROR_MAP = JobKind(name="error_map", request=ErrorMapRequest, place="simulation")
