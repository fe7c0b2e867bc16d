"""Samples of a source as pictures: files found, read as RGB, a clip as a few frames over its length."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourdcb.errors import UserError

Frames = NDArray[np.uint8]
"""RGB frames of one sample, shape (T, H, W, 3); a picture has T = 1."""

PICTURE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp"})
CLIP_FRAMES = 8


def find_samples(folder: Path) -> tuple[Path, ...]:
    """Pictures and clips below a folder, sorted by their path.

    Raises:
        UserError: the folder is missing or holds neither.
    """
    from fourdcb.video.suffixes import VIDEO_SUFFIXES

    if not folder.is_dir():
        raise UserError("the source's folder is missing", where=str(folder))
    known = PICTURE_SUFFIXES | VIDEO_SUFFIXES
    found = sorted(path for path in folder.rglob("*") if path.suffix.lower() in known and path.is_file())
    if not found:
        raise UserError(
            "the source's folder holds neither pictures nor clips", where=str(folder),
            expected=", ".join(sorted(known)),
        )  # fmt: skip
    return tuple(found)


def read_frames(path: Path, *, count: int = CLIP_FRAMES) -> Frames:
    """A picture, or ``count`` frames spread evenly over a clip (fewer if it has fewer).

    Raises:
        UserError: the file cannot be read.
    """
    if path.suffix.lower() in PICTURE_SUFFIXES:
        return read_picture(path)[np.newaxis]
    from fourdcb.video.reader import VideoReader

    with VideoReader(path) as reader:
        picks = np.unique(np.linspace(0, len(reader) - 1, min(count, len(reader))).round().astype(int))
        return np.stack([reader.frame(int(k)) for k in picks])


def read_picture(path: Path) -> Frames:
    """A picture as RGB, shape (H, W, 3); grey is repeated, sixteen bits are scaled to eight.

    Raises:
        UserError: the file is no picture.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as image:
            if image.mode.startswith("I;16") or image.mode in ("I", "F"):
                values = np.asarray(image, dtype=np.float64)
                top = 65535.0 if values.max(initial=0.0) > 255.0 else 255.0
                grey = np.clip(values / top * 255.0, 0, 255).round().astype(np.uint8)
                return np.repeat(grey[:, :, np.newaxis], 3, axis=2)
            return np.asarray(image.convert("RGB"))
    except (OSError, UnidentifiedImageError, ValueError) as error:
        raise UserError("the picture cannot be read", where=str(path), got=str(error)[:120]) from error


def resized(frames: Frames, side: int) -> Frames:
    """Frames scaled so that the shorter side is ``side``, and the middle square cut out."""
    import cv2

    height, width = frames.shape[1:3]
    scale = side / min(height, width)
    shape = max(side, round(width * scale)), max(side, round(height * scale))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    scaled = np.stack([cv2.resize(frame, shape, interpolation=method) for frame in frames])
    top, left = (shape[1] - side) // 2, (shape[0] - side) // 2
    return np.ascontiguousarray(scaled[:, top : top + side, left : left + side])
