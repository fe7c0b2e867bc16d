"""Texture images, decoded once, with their pyramids, packed into one array."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F32
from fourdcb.conventions import linear_from_srgb
from fourdcb.errors import UserError


class TextureSet:
    """Collects the images that materials name; paths are relative to ``base_dir``."""

    def __init__(self, base_dir: str) -> None:
        self._base_dir = Path(base_dir)
        self._first: dict[object, int] = {}
        self._levels: list[F32] = []

    def index(self, name: str | None, *, is_color: bool = False) -> int:
        """Number of an image, -1 for None. Raises UserError when it cannot be read."""
        if name is None:
            return -1
        path = self._base_dir / name
        if not path.is_file():
            raise UserError("texture not found", got=name, expected="an image beside the script")
        status = path.stat()
        key = (str(path.resolve()), status.st_mtime_ns, status.st_size, is_color)
        return self._add(key, lambda: _read(*key))

    def own(self, key: object, image: Callable[[], F32]) -> int:
        """Number of an image that no file of its own holds: linear values, row 0 on top, known by ``key``."""
        return self._add(key, lambda: pyramid(image()))

    def _add(self, key: object, levels: Callable[[], tuple[F32, ...]]) -> int:
        if key not in self._first:
            pyramid = levels()
            self._first[key] = len(self._levels)
            self._levels += pyramid
        return self._first[key]

    def packed(self) -> tuple[NDArray[np.int64], F32]:
        """(first texel, width, height) per image, and all texels [*, 3]."""
        info, first = np.zeros((len(self._levels), 3), np.int64), 0
        for row, image in zip(info, self._levels, strict=True):
            row[:] = first, image.shape[1], image.shape[0]
            first += image.shape[0] * image.shape[1]
        return info, np.concatenate([np.empty((0, 3), np.float32), *(i.reshape(-1, 3) for i in self._levels)])


@lru_cache(maxsize=32)
def _read(path: str, _modified_ns: int, _size: int, is_color: bool) -> tuple[F32, ...]:
    import cv2

    image = cv2.imread(path, cv2.IMREAD_COLOR)
    if image is None:
        raise UserError("the texture cannot be read", where=path, expected="a PNG or JPEG image")
    rgb = image[..., ::-1].astype(np.float64) / 255.0
    return pyramid(np.asarray(linear_from_srgb(rgb) if is_color else rgb, dtype=np.float32))


def pyramid(image: F32) -> tuple[F32, ...]:
    """An image [H, W, 3] and its area averages of half the sides, down to one texel."""
    import cv2

    levels = [np.ascontiguousarray(image)]
    while levels[-1].shape[0] > 1 or levels[-1].shape[1] > 1:
        height, width = levels[-1].shape[:2]
        smaller = cv2.resize(
            levels[-1], (max(width // 2, 1), max(height // 2, 1)), interpolation=cv2.INTER_AREA
        )
        levels.append(smaller.astype(np.float32).reshape(max(height // 2, 1), max(width // 2, 1), 3))
    return tuple(levels)
