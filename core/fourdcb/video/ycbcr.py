"""YUV to R'G'B' in floating point: for wide colour, and for matrices that swscale does not know."""

from __future__ import annotations

import numpy as np

from fourdcb.arrays import F32

YCGCO, BT2020_CL = 8, 10
# Numbers of ITU-T H.273, table 4.
RARE_MATRICES = {YCGCO: "ycgco", BT2020_CL: "bt2020_cl"}
# Luminance of red and blue by matrix number.
_WEIGHTS = {
    1: (0.2126, 0.0722),
    4: (0.30, 0.11),
    5: (0.299, 0.114),
    6: (0.299, 0.114),
    7: (0.212, 0.087),
    9: (0.2627, 0.0593),
}

# BT.2020, table 4: luminance of red and blue; scales of the colour differences below and above 0.
_KR, _KB = 0.2627, 0.0593
_BLUE, _RED = (1.9404, 1.5816), (1.7184, 0.9936)


def rgb_from_ycbcr(codes: F32, matrix: int, *, full_range: bool, depth: int) -> F32:
    """R'G'B' in [0, 1], shape (H, W, 3).

    Sources: ITU-T H.273 (04/2021), equations 20–25 (ranges), 38–40, 52–59 (YCgCo); ITU-R BT.2020-2, table 4
    (Y'cC'bcC'rc).

    Args:
        codes: samples of full resolution, shape (3, H, W).
        matrix: number of H.273, one that is known here.
        full_range: whether the codes span all values of their depth.
        depth: bits of a sample.
    """
    middle, top = float(1 << (depth - 1)), float((1 << depth) - 1)
    unit = float(1 << (depth - 8))
    if full_range:
        luma, blue, red = codes[0] / top, (codes[1] - middle) / top, (codes[2] - middle) / top
    else:
        luma = (codes[0] / unit - 16.0) / 219.0
        blue, red = (codes[1] - middle) / unit / 224.0, (codes[2] - middle) / unit / 224.0
    if matrix == YCGCO:
        parts = _from_ycgco(luma, blue, red)
    elif matrix == BT2020_CL:
        parts = _from_constant_luminance(luma, blue, red)
    else:
        parts = _from_weights(luma, blue, red, *_WEIGHTS[matrix])
    return np.clip(np.stack(parts, axis=-1), 0.0, 1.0).astype(np.float32)


def _from_weights(luma: F32, blue: F32, red: F32, kr: float, kb: float) -> tuple[F32, F32, F32]:
    r, b = luma + np.float32(2.0 * (1.0 - kr)) * red, luma + np.float32(2.0 * (1.0 - kb)) * blue
    return r, np.asarray((luma - kr * r - kb * b) / (1.0 - kr - kb), dtype=np.float32), b


def _from_ycgco(luma: F32, green: F32, orange: F32) -> tuple[F32, F32, F32]:
    rest = luma - green
    return rest + orange, luma + green, rest - orange


def _from_constant_luminance(luma: F32, blue: F32, red: F32) -> tuple[F32, F32, F32]:
    b = luma + blue * np.where(blue <= 0.0, *_BLUE)
    r = luma + red * np.where(red <= 0.0, *_RED)
    rest = _linear(luma) - _KR * _linear(r) - _KB * _linear(b)
    return r.astype(np.float32), _coded(rest / (1.0 - _KR - _KB)), b.astype(np.float32)


def _linear(signal: F32) -> F32:
    """Inverse of BT.2020's transfer function."""
    value = np.clip(signal, 0.0, 1.0)
    high = ((value + 0.0993) / 1.0993) ** np.float32(1.0 / 0.45)
    return np.where(value < 0.0181 * 4.5, value / 4.5, high).astype(np.float32)


def _coded(light: F32) -> F32:
    value = np.clip(light, 0.0, 1.0)
    high = 1.0993 * value ** np.float32(0.45) - 0.0993
    return np.where(value < 0.0181, 4.5 * value, high).astype(np.float32)
