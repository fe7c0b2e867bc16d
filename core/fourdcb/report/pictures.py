"""Pictures of failures: original | replay | difference with a caption, and the side-by-side clip."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from fourdcb.arrays import U8
from fourdcb.conventions import LUMINANCE

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

BACKGROUND, TEXT, MUTED = (21, 23, 27), (230, 233, 239), (141, 150, 165)
_SAME = (28, 31, 37)  # where two pictures do not differ
_FAINT, _STRONG, _RARE = 48, 128, 5e-4  # grey levels beside that; share of the pixels
GAP, BAR = 8, 26
DIFFERENCE_GAIN = 4.0
_TEXT_SIZE = 13  # [px]
_FIRST_CJK = 0x2E80
_CJK_FILES = (  # as Linux, macOS and Windows install them
    "NotoSansCJK-Regular.ttc", "NotoSansCJK-Medium.ttc", "SourceHanSansSC-Regular.otf", "wqy-zenhei.ttc",
    "wqy-microhei.ttc", "DroidSansFallbackFull.ttf", "PingFang.ttc",
    "Hiragino Sans GB.ttc", "msyh.ttc", "simsun.ttc",
)  # fmt: skip


def difference_picture(original: U8, replay: U8, *, gain: float = DIFFERENCE_GAIN) -> U8:
    """Signed difference of brightness, replay − original, blue (darker) to orange (brighter), [H, W, 3].

    Zero is the page's own dark; the strength is ``gain`` times the difference of BT.709 luma.
    """
    signed = (replay.astype(np.float64) - original.astype(np.float64)) @ np.array(LUMINANCE) / 255.0
    strength = np.clip(np.abs(signed) * gain, 0.0, 1.0)[..., None]
    hue = np.where(signed[..., None] >= 0, [238.0, 108.0, 58.0], [59.0, 142.0, 237.0])
    base = np.array(_SAME, dtype=np.float64)
    return np.round(base + strength * (hue - base)).astype(np.uint8)


def comparison_picture(original: U8 | None, replay: U8, *, caption: str, gain: float = DIFFERENCE_GAIN) -> U8:
    """Original, replay and difference in a row under a caption, uint8, shape (H + bars, W', 3).

    Where nothing of a difference would show, it is left out and its absence told.

    Args:
        original: frame of the video, [H, W, 3]; None leaves only the replay.
        replay: frame of the candidate, same shape.
        caption: one line above the pictures; cut with an ellipsis where it is too long.
        gain: of the difference.
    """
    tiles: list[tuple[str, U8]] = [("replay", replay)]
    if original is not None:
        difference = difference_picture(original, replay, gain=gain)
        tiles = [("original", original), *tiles, (f"difference × {gain:g}", difference)]
        if _is_blank(difference):
            tiles = [("original", original), ("replay: no difference that shows", replay)]
    height, width = replay.shape[:2]
    canvas = np.empty((height + 2 * BAR + GAP, GAP + (width + GAP) * len(tiles), 3), dtype=np.uint8)
    canvas[:] = BACKGROUND
    for index, (_, tile) in enumerate(tiles):
        left = GAP + index * (width + GAP)
        canvas[2 * BAR : 2 * BAR + height, left : left + width] = tile
    labels = [(GAP + index * (width + GAP), BAR + 6, label, MUTED) for index, (label, _) in enumerate(tiles)]
    return with_text(canvas, [(GAP, 7, caption, TEXT), *labels])


def _is_blank(difference: U8) -> bool:
    """Whether a difference picture looks like its background; what coding leaves is faint or rare."""
    strength = np.abs(difference.astype(np.int16) - np.array(_SAME, dtype=np.int16)).max(axis=-1)
    rare = np.count_nonzero(strength > _FAINT) < _RARE * strength.size
    return bool(rare and strength.max() <= _STRONG)


def side_by_side(pairs: Iterable[tuple[U8 | None, U8]]) -> Iterator[U8]:
    """Frames of the comparison clip: original | replay under a label row, even-sized.

    Args:
        pairs: video frame (None where the video has none at that time) and replay frame, both [H, W, 3].
    """
    canvas: U8 | None = None
    for original, replay in pairs:
        height, width = replay.shape[:2]
        if canvas is None:
            canvas = _labelled_canvas(width, height)
        frame = canvas.copy()
        if original is not None:
            frame[BAR : BAR + height, GAP : GAP + width] = original
        frame[BAR : BAR + height, width + 2 * GAP : 2 * width + 2 * GAP] = replay
        yield frame


def _labelled_canvas(width: int, height: int) -> U8:
    canvas = np.empty((height + BAR + GAP, 2 * width + 3 * GAP, 3), dtype=np.uint8)
    canvas[:] = BACKGROUND
    canvas = np.pad(canvas, ((0, canvas.shape[0] % 2), (0, canvas.shape[1] % 2), (0, 0)), mode="edge")
    return with_text(canvas, [(GAP, 6, "original", MUTED), (width + 2 * GAP, 6, "replay", MUTED)])


def png_bytes(image: U8) -> bytes:
    """PNG file of an RGB image [H, W, 3]."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(image)).save(buffer, format="PNG", optimize=True)
    return buffer.getvalue()


def with_text(image: U8, lines: Sequence[tuple[int, int, str, tuple[int, int, int]]]) -> U8:
    """Copy of the image with (x, y, text, colour) drawn in the bundled face."""
    from PIL import Image, ImageDraw

    picture = Image.fromarray(image)
    draw = ImageDraw.Draw(picture)
    for x, y, text, colour in lines:
        font = _font_for(text)
        draw.text((x, y), _shortened(text, image.shape[1] - x - GAP, font), font=font, fill=colour)
    return np.asarray(picture)


def _shortened(text: str, width: int, font: FreeTypeFont) -> str:
    if font.getlength(text) <= width:
        return text
    kept = text
    while kept and font.getlength(kept + "…") > width:
        kept = kept[:-1]
    return kept + "…"


def _font_for(text: str) -> FreeTypeFont:
    """The bundled face, or the system's for scripts of East Asia that it does not hold."""
    needs_cjk = any(ord(letter) >= _FIRST_CJK for letter in text)
    return (_cjk_font() if needs_cjk else None) or _font()


@lru_cache(maxsize=1)
def _font() -> FreeTypeFont:
    from PIL import ImageFont

    data = resources.files("fourdcb_resources").joinpath("fonts", "Inter-Medium.ttf").read_bytes()
    return ImageFont.truetype(io.BytesIO(data), size=_TEXT_SIZE)


@lru_cache(maxsize=1)
def _cjk_font() -> FreeTypeFont | None:
    from PIL import ImageFont

    for file in _CJK_FILES:
        try:
            return ImageFont.truetype(file, size=_TEXT_SIZE)
        except OSError:  # this machine has another one, or none
            continue
    return None
