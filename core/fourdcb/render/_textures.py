"""Texture images, decoded once and packed into one array."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourdcb.conventions import linear_from_srgb
from fourdcb.errors import UserError


class TextureSet:
    """Collects the images that materials name; paths are relative to ``base_dir``."""

    def __init__(self, base_dir: str) -> None:
        self._base_dir = Path(base_dir)
        self._images: dict[tuple[str, bool], NDArray[np.float32]] = {}

    def index(self, name: str | None, *, is_color: bool = False) -> int:
        """Number of an image, -1 for None. Raises UserError when it cannot be read."""
        if name is None:
            return -1
        key = (name, is_color)
        if key not in self._images:
            path = self._base_dir / name
            if not path.is_file():
                raise UserError("texture not found", got=name, expected="an image beside the script")
            self._images[key] = _read(str(path.resolve()), path.stat().st_mtime_ns, is_color)
        return list(self._images).index(key)

    def packed(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """(first texel, width, height) per image, and all texels [*, 3]."""
        images = list(self._images.values())
        info, first = np.zeros((len(images), 3), np.int64), 0
        for row, image in zip(info, images, strict=True):
            row[:] = first, image.shape[1], image.shape[0]
            first += image.shape[0] * image.shape[1]
        return info, np.concatenate([np.empty((0, 3), np.float32), *(i.reshape(-1, 3) for i in images)])


@lru_cache(maxsize=32)
def _read(path: str, _modified_ns: int, is_color: bool) -> NDArray[np.float32]:
    import cv2

    image = cv2.imread(path, cv2.IMREAD_COLOR)
    if image is None:
        raise UserError("the texture cannot be read", where=path, expected="a PNG or JPEG image")
    rgb = image[..., ::-1].astype(np.float64) / 255.0
    return np.ascontiguousarray(linear_from_srgb(rgb) if is_color else rgb, dtype=np.float32)
