"""Colours of clips whose matrix, range and depth are known, against the textbook's formulas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from av.video.reformatter import ColorRange, Colorspace

from fourdcb.video import VideoReader


@pytest.mark.parametrize("space", [Colorspace.ITU601, Colorspace.ITU709])
@pytest.mark.parametrize("color_range", [ColorRange.MPEG, ColorRange.JPEG])
@pytest.mark.parametrize("depth", [8, 10])
def test_matrix_and_range_are_respected(
    tmp_path: Path, space: Colorspace, color_range: ColorRange, depth: int
) -> None:
    colours = np.random.default_rng(3).integers(0, 256, size=(24, 3))
    path = tmp_path / "patches.mkv"
    _encode_patches(path, colours, space, color_range, depth)
    with VideoReader(path) as reader:
        frame, info = reader.frame(0), reader.info
    assert info.color_space == ("bt709" if space == Colorspace.ITU709 else "bt601")
    assert info.full_range == (color_range == ColorRange.JPEG)
    patches = frame.reshape(4, 16, 6, 16, 3)[:, 8, :, 8].reshape(-1, 3)
    assert np.abs(patches.astype(int) - colours).max() <= 2


def _encode_patches(
    path: Path, colours: np.ndarray, space: Colorspace, color_range: ColorRange, depth: int
) -> None:
    """Patches converted by the textbook formulas of BT.601 and BT.709, coded without loss."""
    kr, kb = (0.2126, 0.0722) if space == Colorspace.ITU709 else (0.299, 0.114)
    r, g, b = colours.T / 255.0
    luma = kr * r + (1 - kr - kb) * g + kb * b
    planes = np.stack([luma, (b - luma) / (2 * (1 - kb)), (r - luma) / (2 * (1 - kr))])
    limited = color_range == ColorRange.MPEG
    scale, offset = (
        np.array([219, 224, 224] if limited else [255, 255, 255]),
        np.array([16 if limited else 0, 128, 128]),
    )
    step = 1 if depth == 8 else 4
    codes = np.rint((planes * scale[:, None] + offset[:, None]) * step)
    codes = np.clip(codes, 0, 255 * step + step - 1).astype(np.uint8 if depth == 8 else np.uint16)
    image = np.repeat(np.repeat(codes.reshape(3, 4, 6), 16, axis=1), 16, axis=2)
    pix_fmt = "yuv444p" if depth == 8 else "yuv444p10le"
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("ffv1", rate=10)
        stream.width, stream.height, stream.pix_fmt = 96, 64, pix_fmt
        stream.codec_context.colorspace = 1 if space == Colorspace.ITU709 else 6
        stream.codec_context.color_range = int(color_range)
        frame = av.VideoFrame(96, 64, pix_fmt)
        for plane, samples in zip(frame.planes, image, strict=True):
            rows = np.zeros((64, plane.line_size), dtype=np.uint8)
            rows[:, : 96 * samples.itemsize] = np.ascontiguousarray(samples).view(np.uint8)
            plane.update(rows.tobytes())
        frame.colorspace, frame.color_range = stream.codec_context.colorspace, int(color_range)
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
