"""The baseline without training: colours, edges and motion of the cells of a grid."""

from __future__ import annotations

import numpy as np

from fourdcb.arrays import F32
from fourdcb.probes.encoders.contract import EncoderSpec, Features, check_features, check_input

_GRID = 8


class ColourMotionEncoder:
    """What colours and differences of neighbouring frames say by themselves.

    A token describes a cell of an 8 × 8 grid in one frame: mean and deviation of red, green and blue, mean
    strength of the gradients along x and y, and, against the frame before, mean change, mean absolute change
    and the products change × gradient along x and y, whose signs tell the way of a motion (the terms of Lucas
    and Kanade 1981). [CLS] is mean and deviation over time of the tokens on a 4 × 4 grid.
    """

    spec = EncoderSpec(name="colour_motion", revision="1", causal=True)

    def encode(self, clips: F32) -> Features:
        """Features of windows, shape (B, 3, T, H, W), in [0, 1]; sides of eight pixels or more."""
        check_input(clips, self.spec)
        patches = np.stack([_tokens(clip) for clip in clips])
        batch, frames, _, _, depth = patches.shape
        coarse = patches.reshape(batch, frames, 4, 2, 4, 2, depth).mean(axis=(3, 5))
        summary = np.concatenate([coarse.mean(axis=1), coarse.std(axis=1)], axis=-1)
        found = Features(summary.reshape(batch, -1), patches)
        check_features(found, clips, self.spec)
        return found

    def digest(self) -> str:
        """It has no parameters."""
        return ""


def _tokens(clip: F32) -> F32:
    """Tokens of one window (3, T, H, W), shape (T, 8, 8, 12)."""
    high, wide = (side // _GRID * _GRID for side in clip.shape[2:])
    clip = clip[:, :, :high, :wide]
    if min(high, wide) >= 16 * _GRID:  # half the size says the same, and is four times as quick
        halves = clip.reshape(3, -1, high // 2, 2, wide // 2, 2).mean(axis=(3, 5), dtype=np.float32)
        if halves.shape[2] % _GRID == 0 and halves.shape[3] % _GRID == 0:
            clip = halves
    grey = clip.mean(axis=0)
    down, right = np.gradient(grey, axis=(1, 2))
    change = np.diff(grey, axis=0, prepend=grey[:1])
    maps = [*clip, np.abs(right), np.abs(down), change, np.abs(change), change * right, change * down]
    means = [_cells(values) for values in maps]
    spread = [
        np.sqrt(np.maximum(_cells(channel**2) - mean**2, 0.0))
        for channel, mean in zip(clip, means[:3], strict=True)
    ]
    return np.stack([*means, *spread], axis=-1).astype(np.float32)


def _cells(values: F32) -> F32:
    """Means over the grid, shape (T, 8, 8)."""
    frames, high, wide = values.shape
    return values.reshape(frames, _GRID, high // _GRID, _GRID, wide // _GRID).mean(axis=(2, 4))
