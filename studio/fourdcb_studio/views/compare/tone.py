"""How pictures are brightened for the eye: black and white point, exposure, one channel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from fourdcb.arrays import U8
from fourdcb.conventions import LUMINANCE, linear_from_srgb, srgb_from_linear
from fourdcb.words import tr

Channel = Literal["rgb", "red", "green", "blue", "luma"]
CHANNELS: tuple[tuple[Channel, str, str], ...] = (
    ("rgb", "RGB", tr("All channels")),
    ("red", "R", tr("Red alone, as grey")),
    ("green", "G", tr("Green alone, as grey")),
    ("blue", "B", tr("Blue alone, as grey")),
    ("luma", "Y", tr("Brightness alone, as grey")),
)
MOST_EV = 6.0
CHANNEL_INDEX = {"red": 0, "green": 1, "blue": 2}


@dataclass(frozen=True, slots=True)
class Tone:
    """Range and channel of what is shown.

    Attributes:
        black, white: 8-bit levels that become black and white; black < white.
        ev: exposure in stops, applied to linear light before the points.
        channel: all channels, or one of them as grey.
    """

    black: float = 0.0
    white: float = 255.0
    ev: float = 0.0
    channel: Channel = "rgb"

    @property
    def is_plain(self) -> bool:
        """Whether pictures are shown as they are."""
        return self == Tone()

    def apply(self, rgb: U8) -> U8:
        """The picture as it is shown, uint8, shape (H, W, 3)."""
        if self.is_plain:
            return rgb
        table = _table(self.black, self.white, self.ev)
        if self.channel == "rgb":
            return table[rgb]
        if self.channel == "luma":
            grey = np.rint(rgb @ np.array(LUMINANCE)).astype(np.uint8)
        else:
            grey = rgb[..., CHANNEL_INDEX[self.channel]]
        return np.repeat(table[grey][..., None], 3, axis=2)


@lru_cache(maxsize=64)
def _table(black: float, white: float, ev: float) -> U8:
    """Displayed level of every stored level, shape (256,)."""
    exposed = 255.0 * srgb_from_linear(linear_from_srgb(np.arange(256) / 255.0) * 2.0**ev)
    spread = max(white - black, 1.0)
    return np.rint(255.0 * np.clip((exposed - black) / spread, 0.0, 1.0)).astype(np.uint8)
