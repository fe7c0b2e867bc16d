"""One picture of all templates: moments of a bundled clip of each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourdcb.dataset.layout import CLEAN_NAME, VIDEO_NAME
from fourdcb.errors import UserError

_NAMED = {"table_slide": "slide_cup", "bounce": "bounce_ball", "elastic_collision": "collide_pair"}
_MOMENTS, _COLUMNS = 4, 2
_SIDE, _TITLE, _GAP, _SEAM = 144, 24, 12, 2  # [px]
_PAPER, _INK = 255, (40, 44, 52)
Picture = NDArray[np.uint8]


def gallery(names: Sequence[str], root: Path) -> Picture:
    """Templates with four moments of a clip each, sRGB, shape (H, W, 3).

    Args:
        names: of templates.
        root: folder of the bundled scenes.

    Raises:
        UserError: when a clip cannot be read.
    """
    cells = [_cell(name, root / _NAMED.get(name, name)) for name in names]
    height, width = cells[0].shape[:2]
    rows = -(-len(cells) // _COLUMNS)
    page = np.full(
        (rows * (height + _GAP) + _GAP, _COLUMNS * (width + _GAP) + _GAP, 3), _PAPER, dtype=np.uint8
    )
    for k, cell in enumerate(cells):
        y, x = _GAP + k // _COLUMNS * (height + _GAP), _GAP + k % _COLUMNS * (width + _GAP)
        page[y : y + height, x : x + width] = cell
    return page


def write_gallery(path: Path, names: Sequence[str], root: Path) -> None:
    """Write it, PNG or JPEG. Raises UserError when it cannot be written, or has another suffix."""
    import cv2

    if path.suffix.lower() not in (".png", ".jpg", ".jpeg"):
        raise UserError("no such kind of picture", got=path.suffix or "none", expected=".png, .jpg")
    _, data = cv2.imencode(path.suffix.lower(), gallery(names, root)[..., ::-1])
    try:
        path.write_bytes(data.tobytes())
    except OSError as error:
        raise UserError("the picture cannot be written", where=str(path), got=error.strerror) from error


def _cell(name: str, scene: Path) -> Picture:
    import cv2

    from fourdcb.video import VideoReader

    clip = scene / CLEAN_NAME if (scene / CLEAN_NAME).is_file() else scene / VIDEO_NAME
    with VideoReader(clip) as stored:
        frames = list(stored.frames())
    chosen = np.linspace(0.0, 0.9 * (len(frames) - 1), _MOMENTS).round().astype(int)
    cell = np.full((_TITLE + _SIDE, _MOMENTS * (_SIDE + _SEAM) - _SEAM, 3), _PAPER, dtype=np.uint8)
    for k, i in enumerate(chosen):
        x = k * (_SIDE + _SEAM)
        cell[_TITLE:, x : x + _SIDE] = cv2.resize(frames[i], (_SIDE, _SIDE), interpolation=cv2.INTER_AREA)
    cv2.putText(cell, name, (1, _TITLE - 8), cv2.FONT_HERSHEY_SIMPLEX, 0.5, _INK, 1, cv2.LINE_AA)
    return cell
