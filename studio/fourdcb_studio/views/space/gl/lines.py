"""Lines and arrows as ribbons: every line has a width in pixels, an arrow's head narrows to nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from fourdcb.arrays import F64

F32 = NDArray[np.float32]
_CORNERS = np.array([(0, -1), (0, 1), (1, -1), (1, 1)])  # (end, side)
_TRIANGLES = np.array([0, 1, 2, 2, 1, 3], dtype=np.uint32)
RIBBON = np.dtype(
    [
        ("a_here", np.float32, 3), ("a_there", np.float32, 3), ("a_side", np.float32),
        ("a_width", np.float32), ("a_color", np.float32, 4),
    ]
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Segments [m], shape (S, 2, 3); widths of both ends [px], (S, 2); colours of both, (S, 2, 4)."""

    ends: F64
    width: F64
    color: F64

    @classmethod
    def of(cls, ends: F64, color: QColor, width: float) -> Lines:
        """Segments of one colour and width."""
        count = len(ends)
        return cls(ends, np.full((count, 2), width), np.tile(np.array(color.getRgbF()), (count, 2, 1)))


def joined(lines: list[Lines]) -> Lines:
    """All of them as one."""
    if not lines:
        return Lines(np.empty((0, 2, 3)), np.empty((0, 2)), np.empty((0, 2, 4)))
    return Lines(
        *(np.concatenate([getattr(line, key) for line in lines]) for key in ("ends", "width", "color"))
    )


def arrows(segments: F64, color: QColor, *, width: float = 2.0, head: float = 0.3) -> Lines:
    """Shafts with heads; ``head`` is the part of an arrow that its head takes."""
    neck = segments[:, 1] - head * (segments[:, 1] - segments[:, 0])
    shafts = Lines.of(np.stack([segments[:, 0], neck], axis=1), color, width)
    heads = Lines.of(np.stack([neck, segments[:, 1]], axis=1), color, 0.0)
    heads.width[:, 0] = 4.5 * width
    return joined([shafts, heads])


def trail(way: F64, frame: int, color: QColor) -> Lines:
    """A way [m], shape (T, 3): bright where the body was lately, faint where it was long ago or will be."""
    ends = np.stack([way[:-1], way[1:]], axis=1)
    lines = Lines.of(ends, color, 2.4)
    age = frame - np.arange(len(way))
    alpha = np.where(age >= 0, 0.30 + 0.70 * np.exp(-age / 18.0), 0.22)
    lines.color[:, 0, 3], lines.color[:, 1, 3] = alpha[:-1], alpha[1:]
    lines.width[age[:-1] <= 0] = 1.4
    return lines


def ribbons(lines: Lines) -> tuple[NDArray[np.void], NDArray[np.uint32]]:
    """(vertices of :data:`RIBBON`, four a segment; corners of triangles)."""
    count = len(lines.ends)
    found = np.zeros((count, 4), dtype=RIBBON)
    for corner, (end, side) in enumerate(_CORNERS.tolist()):
        found["a_here"][:, corner] = lines.ends[:, end]
        found["a_there"][:, corner] = lines.ends[:, 1 - end]
        found["a_side"][:, corner] = side * (1 if end == 0 else -1)
        found["a_width"][:, corner] = lines.width[:, end]
        found["a_color"][:, corner] = lines.color[:, end]
    triangles = (4 * np.arange(count, dtype=np.uint32)[:, None] + _TRIANGLES).ravel()
    return found.ravel(), triangles
