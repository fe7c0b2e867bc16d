"""Per-frame series for heatmaps and plots. Plain lists, finite numbers only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fourdcb.arrays import F64
from fourdcb.metrics.states import PairStates


def object_series(states: tuple[PairStates, ...]) -> dict[str, dict[str, Any]]:
    """Errors [m], [deg], [m/s], energies [J] and positions [m] of every matched object over the frames."""
    return {
        s.name: {
            "candidate": s.match.candidate,
            "position_error": _rounded(s.position_error),
            "rotation_error_deg": _rounded(s.rotation_error),
            "velocity_error": _rounded(s.velocity_error),
            "energy": _rounded(s.candidate_energy),
            "reference_energy": _rounded(s.reference_energy),
            "position": _rounded(s.candidate_position),
            "reference_position": _rounded(s.reference_position),
            "frames_in_horizon": s.frames,
        }
        for s in states
    }


def all_series(
    times: F64, states: tuple[PairStates, ...], image: Mapping[str, list[float | None]]
) -> dict[str, Any]:
    """``times`` [s], ``objects`` by reference name, and the image series (``psnr``, ``ssim``)."""
    return {"times": _rounded(times), "objects": object_series(states), **image}


def _rounded(values: F64) -> list[Any]:
    """A micrometre is more than any reader resolves, and short numbers keep the report small."""
    return np.round(values, 6).tolist()
