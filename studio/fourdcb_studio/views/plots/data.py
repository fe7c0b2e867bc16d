"""What the plots view shows, as immutable values; and the table that it exports."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F64
from fourdcb_studio.session.messages import Role


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """One curve: the value at frame k is ``values[k]``, shape (T,), NaN where there is none.

    Attributes:
        object: whose it is, "" for the pictures'.
        hue: its place among the colours that tell objects apart.
    """

    object: str
    role: Role
    hue: int
    values: F64


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One quantity; ``threshold`` is drawn as a line, None is none."""

    id: str
    label: str
    unit: str
    series: tuple[Series, ...] = ()
    threshold: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class HeatMap:
    """Errors of all objects over time, candidate − reference.

    Attributes:
        values: shape (N, T), NaN where nothing was measured.
        limit: at the end of the colours; sizes up to ``within`` are neutral.
        signed: whether the sign is shown.
    """

    id: str
    label: str
    unit: str
    names: tuple[str, ...]
    values: F64
    limit: float
    within: float = 0.0
    signed: bool = False


@dataclass(frozen=True, slots=True)
class EventMark:
    """Something that happened to the candidate: ``kind`` is ``bounce``, ``touch`` or ``slide``."""

    frame: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class PlotsData:
    """Everything that lies on the time axis of the plots; ``horizon`` is the first unpredictable frame."""

    n_frames: int = 1
    fps: float = 30.0
    panels: tuple[Panel, ...] = ()
    maps: tuple[HeatMap, ...] = ()
    events: tuple[EventMark, ...] = ()
    horizon: int | None = None


def curves_table(data: PlotsData) -> str:
    """CSV: a line a frame, a column a curve, empty where there is no value."""
    columns = [
        (" ".join(filter(None, (s.object, panel.id, s.role))), panel.unit, s.values)
        for panel in data.panels
        for s in panel.series
    ]
    return _table(data, columns)


def maps_table(data: PlotsData) -> str:
    """CSV: a line a frame, a column an object's error."""
    columns = [
        (f"{name} {shown.id} error", shown.unit, row)
        for shown in data.maps
        for name, row in zip(shown.names, shown.values, strict=True)
    ]
    return _table(data, columns)


def _table(data: PlotsData, columns: Sequence[tuple[str, str, F64]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    heads = [f"{name} [{unit}]" if unit else name for name, unit, _ in columns]
    writer.writerow(["frame", "time [s]", *heads])
    for frame in range(data.n_frames):
        values = [track[frame] if frame < len(track) else np.nan for _, _, track in columns]
        cells = [f"{v:.9g}" if np.isfinite(v) else "" for v in values]
        writer.writerow([frame, f"{frame / data.fps:.6f}", *cells])
    return out.getvalue()
