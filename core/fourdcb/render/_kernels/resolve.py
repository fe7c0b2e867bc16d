"""From per-sample radiance to pixels."""

from __future__ import annotations

import numpy as np

from fourdcb.conventions import srgb_from_linear
from fourdcb.kernels.jit import inline, kernel
from fourdcb.render._kernels.arrays import F32, I32, U8

_STEPS = 1 << 14


def encoding_table() -> U8:
    """sRGB bytes of the roots ``i / (len - 1)``: the root spends the steps where the curve is steep."""
    root = np.arange(_STEPS + 1) / _STEPS
    return np.round(255.0 * srgb_from_linear(root * root)).astype(np.uint8)


@inline
def _is_changed(x: int, y: int, width: int, supersample: int, delta: F32) -> bool:
    """Whether any sample of a pixel differs from the static layer."""
    for v in range(y * supersample, (y + 1) * supersample):
        first = (v * width + x) * supersample
        for p in range(first, first + supersample):
            for g in range(delta.shape[0]):
                if delta[g, p, 0] != 0.0 or delta[g, p, 1] != 0.0 or delta[g, p, 2] != 0.0:
                    return True
    return False


@kernel
def resolve_tiles(
    tiles: I32, pixels: int, width: int, height: int, supersample: int, whole: bool, samples: int,
    exposure: float, table: U8, base: F32, delta: F32, linear: F32, rgb: U8,
) -> None:  # fmt: skip
    """Average ``base + Σ delta / samples`` over each pixel of ``tiles`` and encode it; clears ``delta``.

    A tile has ``pixels`` output pixels a side. Unless ``whole``, pixels without a change keep what they are.
    """
    across = (width + pixels - 1) // pixels
    share, last = 1.0 / (supersample * supersample), len(table) - 1
    part = 1.0 / samples
    for t in range(len(tiles)):
        j, i = tiles[t] // across, tiles[t] % across
        for y in range(j * pixels, min((j + 1) * pixels, height)):
            for x in range(i * pixels, min((i + 1) * pixels, width)):
                if not whole and not _is_changed(x, y, width, supersample, delta):
                    continue
                for k in range(3):
                    total = 0.0
                    for v in range(y * supersample, (y + 1) * supersample):
                        first = (v * width + x) * supersample
                        for p in range(first, first + supersample):
                            change = 0.0
                            for g in range(delta.shape[0]):
                                change += delta[g, p, k]
                                delta[g, p, k] = 0.0
                            total += base[p, k] + part * change
                    value = max(total * share, 0.0)
                    linear[y, x, k] = value
                    rgb[y, x, k] = table[int(min(value * exposure, 1.0) ** 0.5 * last + 0.5)]
