"""Look-up tables of the two error maps: signed (diverging) and size (sequential)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fourdcb.conventions import linear_from_srgb, srgb_from_linear
from fourdcb_studio.theme.tokens import Tokens, tokens

Lut = NDArray[np.uint8]
_SEEN = 0.25  # of a map: where it begins for what is just beyond a threshold

# Cividis at ten even steps (Nuñez, Anderton, Renslow 2018): reads alike with colour vision deficiency.
_CIVIDIS = (
    "#00204d", "#00336f", "#39486b", "#575c6d", "#707173",
    "#8a8779", "#a69d75", "#c4b56c", "#e4cf5b", "#ffea46",
)  # fmt: skip


def signed_colormap() -> Lut:
    """Blue (negative) ← the theme's neutral → orange (positive), uint8, shape (256, 3).

    Index 127.5 is zero. Straight lines in OKLab, so that equal errors look equally strong on both sides.
    """
    return _signed(tokens())


@lru_cache(maxsize=4)
def _signed(theme: Tokens) -> Lut:
    ends = _oklab(np.stack([_rgb(c) for c in (theme.negative, theme.neutral, theme.positive)]))
    # Small errors are lifted: on a straight ramp the first tenth cannot be told from zero.
    position = np.linspace(-1, 1, 256)
    strength = np.abs(position) ** 0.8
    arm = np.where(position[:, None] < 0, ends[0], ends[2])
    lab = ends[1] + (arm - ends[1]) * strength[:, None]
    return _frozen(_srgb(lab))


def magnitude_colormap() -> Lut:
    """Cividis, uint8, shape (256, 3): dark is small and bright is large, in both themes."""
    return _cividis()


def signed_colors(values: NDArray[np.floating], limit: float, within: float = 0.0) -> Lut:
    """Colours of signed values, ``limit`` > 0 at the ends; shape of values + (3,). NaN becomes zero.

    Args:
        within: sizes up to this are neutral; what is beyond it is seen at once.
    """
    x = np.nan_to_num(np.asarray(values, dtype=np.float64))
    size = np.abs(x) / max(limit, 1e-12)
    if within > 0:
        size = np.where(np.abs(x) <= within, 0.0, _SEEN + (1 - _SEEN) * _beyond(np.abs(x), limit, within))
    index = np.rint((np.clip(np.copysign(size, x), -1, 1) + 1) * 127.5).astype(np.intp)
    return signed_colormap()[index]


def magnitude_colors(values: NDArray[np.floating], limit: float, within: float = 0.0) -> Lut:
    """Colours of sizes from 0 to ``limit`` > 0; shape of values + (3,). NaN becomes zero.

    Args:
        within: sizes up to this are the theme's neutral, no colour of the map.
    """
    x = np.nan_to_num(np.asarray(values, dtype=np.float64))
    share = x / max(limit, 1e-12)
    if within > 0:
        share = _SEEN + (1 - _SEEN) * _beyond(x, limit, within)
    found = magnitude_colormap()[np.rint(np.clip(share, 0, 1) * 255).astype(np.intp)]
    if within > 0:
        found[x <= within] = np.rint(255 * _rgb(tokens().neutral)).astype(np.uint8)
    return found


def _beyond(size: NDArray[np.float64], limit: float, within: float) -> NDArray[np.float64]:
    """How far a size is on the way from ``within`` to ``limit``."""
    return (size - within) / max(limit - within, 1e-12)


def strip_colors(errors: NDArray[np.floating]) -> Lut:
    """Colours of errors ≥ 0 up to their largest, dark for small ones in both themes; shape of errors + (3,).

    The square root shows the neighbourhood of the best value, where errors are small. NaN, where nothing is
    known, is the theme's line colour and none of the map's.
    """
    size = np.sqrt(np.maximum(np.asarray(errors, dtype=np.float64), 0.0))
    finite = size[np.isfinite(size)]
    limit = max(float(finite.max()) if finite.size else 1.0, 1e-12)
    index = np.rint(np.nan_to_num(size / limit) * 255).astype(np.intp)
    found = _cividis()[np.clip(index, 0, 255)]
    found[~np.isfinite(size)] = np.rint(255 * _rgb(tokens().line)).astype(np.uint8)
    return found


@lru_cache(maxsize=1)
def _cividis() -> Lut:
    anchors = np.stack([_rgb(c) for c in _CIVIDIS])
    at, x = np.linspace(0, 1, len(anchors)), np.linspace(0, 1, 256)
    return _frozen(np.stack([np.interp(x, at, anchors[:, i]) for i in range(3)], axis=1))


def _frozen(rgb: NDArray[np.float64]) -> Lut:
    lut = np.rint(np.clip(rgb, 0, 1) * 255).astype(np.uint8)
    lut.setflags(write=False)
    return lut


def _rgb(color: str) -> NDArray[np.float64]:
    return np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])


# OKLab: B. Ottosson, "A perceptual color space for image processing", 2020.
_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def _oklab(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.cbrt(linear_from_srgb(rgb) @ _LMS.T) @ _LAB.T)


def _srgb(lab: NDArray[np.float64]) -> NDArray[np.float64]:
    return srgb_from_linear((lab @ np.linalg.inv(_LAB).T) ** 3 @ np.linalg.inv(_LMS).T)
