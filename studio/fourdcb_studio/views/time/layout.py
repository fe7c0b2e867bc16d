"""Where the rows of the time panel lie, and the map between frames and pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QRectF

from fourdcb.words import tr
from fourdcb_studio.views.time.data import TimelineData

RowKind = Literal[
    "ruler", "findings", "contacts", "x", "y", "z", "rotation", "energy", "curve", "ready"
]  # fmt: skip
LABEL_WIDTH = 128
VALUE_WIDTH = 120
ROW = 20
STACKED_ROW = 16
CURVE_MIN = 48
LEAST_SPAN = 4.0
"""Frames that are seen at least."""
READY = 12
AXES: tuple[RowKind, ...] = ("x", "y", "z")
FULL_HEIGHT = 8 * ROW + CURVE_MIN + READY
COMPACT_HEIGHT = 5 * ROW + CURVE_MIN + READY


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its kind, place [px], label, and for error strips the object."""

    kind: RowKind
    top: float
    height: float
    label: str
    object: str = ""

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @property
    def middle(self) -> float:
        return self.top + self.height / 2


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """Maps frames to widget px; frame k is a cell, and its time is the middle of it.

    Attributes:
        first: what lies at the left end [frames]; ``shown``: how many fit in the width, None is the clip.
    """

    left: float
    width: float
    n_frames: int
    first: float = 0.0
    shown: float | None = None

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def cell(self) -> float:
        """Width of a frame [px]."""
        return self.width / (self.shown or self.n_frames)

    @property
    def zoomed(self) -> bool:
        """Whether only a part of the clip is seen."""
        return self.shown is not None and self.shown < self.n_frames

    def whole(self, row: Row, inset: float = 0.0) -> QRectF:
        """Where the whole clip would lie, beyond both ends too."""
        height = row.height - 2 * inset
        return QRectF(self.edge(0), row.top + inset, self.n_frames * self.cell, height)

    def edge(self, frame: float) -> float:
        """Where a frame's cell begins [px]."""
        return self.left + (frame - self.first) * self.cell

    def x(self, frame: float) -> float:
        """Middle of a frame [px]."""
        return self.edge(frame + 0.5)

    def frame(self, x: float) -> int:
        """The frame under ``x``, held inside the clip."""
        return min(max(math.floor((x - self.left) / self.cell + self.first), 0), self.n_frames - 1)

    def contains(self, x: float) -> bool:
        return self.left <= x <= self.right

    def span(self, row: Row, inset: float = 0.0) -> QRectF:
        """The rectangle of a row between the label and the value columns."""
        return QRectF(self.left, row.top + inset, self.width, row.height - 2 * inset)


def time_axis(width: float, n_frames: int, span: tuple[float, float] | None = None) -> TimeAxis:
    """The time axis of a panel ``width`` px wide.

    Args:
        span: what is seen, from the start of one frame to the end of another; None is the whole clip.
    """
    count = max(n_frames, 1)
    first, last = span or (0.0, float(count))
    room = max(width - LABEL_WIDTH - VALUE_WIDTH, 16.0)
    return TimeAxis(LABEL_WIDTH, room, count, first, last - first)


def held_span(first: float, last: float, n_frames: int) -> tuple[float, float] | None:
    """A span of the same length inside the clip, at least four frames long; None is the whole clip."""
    shown = max(last - first, min(LEAST_SPAN, n_frames))
    if shown >= n_frames - 1e-6:
        return None
    start = min(max(first + (last - first - shown) / 2, 0.0), n_frames - shown)
    return start, start + shown


def layout_rows(height: float, data: TimelineData) -> tuple[Row, ...]:
    """Rows from top to bottom.

    A low panel leaves out rotation, energy and contacts, in this order; a high one stacks the strips of
    all objects.
    """
    kinds = _kinds(height)
    strips = _strip_rows(height, data)
    fixed = sum(ROW for k in kinds if k not in (*AXES, "curve", "ready")) + sum(h for _, _, h in strips)
    curve = max(height - fixed - READY, CURVE_MIN)
    rows: list[Row] = []
    y = 0.0
    for kind in kinds:
        if kind == "x":
            for name, axis, h in strips:
                label = f"{name}  {axis.upper()}" if len(strips) > 3 else axis.upper()
                rows.append(Row(axis, y, h, label, name))
                y += h
        elif kind not in AXES:
            h = {"curve": curve, "ready": float(READY)}.get(kind, float(ROW))
            label = _label(kind, data)
            if len(strips) > 3 and kind in ("rotation", "energy"):  # among the strips of several objects
                label = f"{data.selected}  {label}"
            rows.append(Row(kind, y, h, label, data.selected))
            y += h
    return tuple(rows)


def _kinds(height: float) -> list[RowKind]:
    kinds: list[RowKind] = ["ruler", "findings", "contacts", *AXES, "rotation", "energy", "curve", "ready"]
    missing = FULL_HEIGHT - height
    for kinds_out in (("rotation", "energy"), ("contacts",)):
        if missing > 0:
            kinds = [k for k in kinds if k not in kinds_out]
            missing -= ROW * len(kinds_out)
    return kinds


def _strip_rows(height: float, data: TimelineData) -> list[tuple[str, RowKind, float]]:
    names = [n for n in data.objects if n in data.errors]
    spare = height - FULL_HEIGHT + 3 * ROW - len(names) * 3 * STACKED_ROW
    if len(names) > 1 and spare >= 0:
        return [(name, axis, float(STACKED_ROW)) for name in names for axis in AXES]
    return [(data.selected, axis, float(ROW)) for axis in AXES]


def _label(kind: RowKind, data: TimelineData) -> str:
    if kind == "curve":
        return data.curve.label if data.curve else tr("plot")
    return tr({"ruler": "frame"}.get(kind, kind))


def row_at(rows: tuple[Row, ...], y: float) -> Row | None:
    """The row under ``y``."""
    return next((r for r in rows if r.top <= y < r.bottom), None)
