"""Per-frame series for heatmaps and plots, one row each. Plain lists, finite numbers only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fourdcb.arrays import F64

if TYPE_CHECKING:
    from fourdcb.metrics.states import PairStates


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesSpec:
    """One series of every matched object.

    Attributes:
        id: its name in ``report.series["objects"][NAME]``, in SI units but for ``_deg``.
        states: the attribute of the states that it is, shape (T,), or (T, 3) of a vector.
        vector: whether it has x, y and z.
        heatmap: the matrix that is drawn of it, with ``{}`` where a vector's axis stands; "" for none.
        factor: from the series' unit to the matrix's.
        minus: the series that is taken off in the matrix.
        required: whether a report without it is malformed; not where older releases had none.
    """

    id: str
    states: str
    vector: bool = False
    heatmap: str = ""
    factor: float = 1.0
    minus: str = ""
    required: bool = True


SERIES: tuple[SeriesSpec, ...] = (
    SeriesSpec(
        id="position_error", states="position_error", vector=True, heatmap="position_{}_mm", factor=1000.0
    ),
    SeriesSpec(id="rotation_error_deg", states="rotation_error", heatmap="rotation_deg"),
    SeriesSpec(id="velocity_error", states="velocity_error", heatmap="velocity_m_s"),
    SeriesSpec(id="energy", states="candidate_energy", heatmap="energy_j", minus="reference_energy"),
    SeriesSpec(id="reference_energy", states="reference_energy"),
    SeriesSpec(id="position", states="candidate_position", vector=True),
    SeriesSpec(id="reference_position", states="reference_position", vector=True),
)


def object_series(states: tuple[PairStates, ...]) -> dict[str, dict[str, Any]]:
    """The series of every matched object over the frames, by reference name."""
    return {
        s.name: {
            "candidate": s.match.candidate,
            **{row.id: _rounded(getattr(s, row.states)) for row in SERIES},
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
