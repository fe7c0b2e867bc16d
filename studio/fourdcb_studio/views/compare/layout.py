"""Which image lies in which cell in each compare mode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QRectF

from fourdcb.words import tr
from fourdcb_studio.theme import GRID
from fourdcb_studio.widgets.image_paint import Message

CompareMode = Literal["side", "three", "wipe", "blink", "difference", "before_after", "with_difference"]
Source = Literal["reference", "candidate", "before", "difference"]
MODES: tuple[tuple[CompareMode, str, str], ...] = (
    ("side", tr("Side by side"), tr("Original and replay next to each other")),
    ("three", tr("Three-up"), tr("Original, replay before the edit, replay after it")),
    ("wipe", tr("Wipe"), tr("One image over the other; the edge follows the mouse")),
    ("blink", tr("Blink"), tr("Original and replay in turn in one place")),
    ("difference", tr("Difference"), tr("Replay minus original, per pixel")),
    (
        "before_after",
        tr("Before / after"),
        tr("Replay before the edit and after it; the edge follows the mouse"),
    ),
    ("with_difference", tr("With difference"), tr("Original, replay and their difference")),
)
"""Mode, its word, and what it shows."""
LABELS: dict[Source, str] = {
    "reference": tr("Original"),
    "candidate": tr("Replay"),
    "before": tr("Before"),
    "difference": tr("Difference"),
}
MESSAGES: dict[Source, Message] = {
    "reference": Message("empty", tr("No original"), tr("Open a video, or a scene folder that holds one.")),
    "candidate": Message("empty", tr("No replay"), tr("Open a candidate script to replay it.")),
    "before": Message("empty", tr("Nothing to compare with yet"), tr("Save the script or take a snapshot.")),
    "difference": Message(
        "empty", tr("No difference"), tr("It needs the original and the replay in one size.")
    ),
}
"""Words in the place of a missing source."""
_CELLS: dict[CompareMode, tuple[tuple[Source, ...], ...]] = {
    "side": (("reference",), ("candidate",)),
    "three": (("reference",), ("before",), ("candidate",)),
    "wipe": (("reference", "candidate"),),
    "blink": (("reference", "candidate"),),
    "difference": (("difference",),),
    "before_after": (("before", "candidate"),),
    "with_difference": (("reference",), ("candidate",), ("difference",)),
}
_GAP = GRID + GRID // 2


@dataclass(frozen=True, slots=True)
class Cell:
    """One place for an image; two sources share it in the modes that lay one over the other."""

    sources: tuple[Source, ...]
    rect: QRectF


def label_of(source: Source, mode: CompareMode) -> str:
    """The name of a source as a mode calls it."""
    after = source == "candidate" and mode in ("three", "before_after")
    return tr("After") if after else LABELS[source]


def is_wipe(mode: CompareMode) -> bool:
    """Whether one image is wiped over another."""
    return mode in ("wipe", "before_after")


def cells(mode: CompareMode, area: QRectF, aspect: float) -> tuple[Cell, ...]:
    """The cells of ``mode``, as large as they go in ``area`` at ``aspect`` (width / height), centred."""
    groups = _CELLS[mode]
    n = len(groups)
    width = (area.width() - _GAP * (n - 1)) / n
    height = min(area.height(), width / aspect)
    width = min(width, height * aspect)
    left = area.center().x() - (n * width + (n - 1) * _GAP) / 2
    top = area.center().y() - height / 2
    return tuple(
        Cell(sources, QRectF(round(left + i * (width + _GAP)), round(top), round(width), round(height)))
        for i, sources in enumerate(groups)
    )
