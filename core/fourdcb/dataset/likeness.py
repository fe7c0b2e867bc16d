"""How alike two clips are, collected picture by picture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourdcb.metrics.pictures.measures import mse, pooled_psnr, ssim


class Likeness:
    """PSNR of the whole clip and mean SSIM of its pictures."""

    def __init__(self) -> None:
        self._errors: list[float] = []
        self._similar: list[float] = []

    def add(self, one: NDArray[np.uint8], other: NDArray[np.uint8]) -> None:
        """Compare one picture of each, sRGB, shape (H, W, 3)."""
        self._errors.append(mse(one, other))
        self._similar.append(ssim(one, other))

    @property
    def psnr(self) -> float:
        """[dB]."""
        return pooled_psnr(self._errors)

    @property
    def ssim(self) -> float:
        """Mean over the pictures, at most 1."""
        return float(np.mean(self._similar))

    def figures(self) -> dict[str, float]:
        """Both, in numbers that a record holds."""
        return {"psnr": round(self.psnr, 2), "ssim": round(self.ssim, 4)}
