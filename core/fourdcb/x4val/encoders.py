"""Encoders: pictures to unit vectors. They embed and never predict."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from fourdcb.arrays import F32, F64
from fourdcb.errors import UserError
from fourdcb.x4val.config import SurrogateConfig
from fourdcb.x4val.pictures import Frames, resized

_SIDE = 96
_CELLS = 6
_BINS = 8
_COLOUR_CELLS = 4


class Encoder(Protocol):
    """Embeds the frames of a sample.

    Attributes:
        name: goes into reports and cache keys, with whatever else the embedding depends on.
        dimension: of an embedding.
    """

    @property
    def name(self) -> str: ...
    @property
    def dimension(self) -> int: ...

    def embed(self, frames: Frames) -> F32:
        """Unit vector of one sample, shape (dimension,), from RGB frames (T, H, W, 3)."""
        ...


def encoder_of(config: SurrogateConfig) -> Encoder:
    """The encoder that a configuration asks for.

    Raises:
        UserError: the backbone is not built.
    """
    if config.backbone != "handcrafted":
        raise UserError(
            f"the backbone {config.backbone} cannot embed yet", got=config.backbone, expected="handcrafted",
            hint="set surrogate.backbone: handcrafted",
        )  # fmt: skip
    return HandcraftedEncoder()


class HandcraftedEncoder:
    """Colour, gradients and motion, without any training.

    Colour: mean and deviation of CIE L*a*b* in 4 × 4 cells. Gradients: histograms of orientation in 6 × 6
    cells, normalised by cell and clipped at 0.2 (Dalal and Triggs 2005, without overlapping blocks). Motion:
    mean absolute change of brightness between frames in 4 × 4 cells (0 for a picture). Each of the three
    blocks is scaled to unit length, so that none drowns the others. A black picture embeds as zeros.
    """

    name = "handcrafted-1"
    dimension = 2 * 3 * _COLOUR_CELLS**2 + _BINS * _CELLS**2 + _COLOUR_CELLS**2

    def embed(self, frames: Frames) -> F32:
        import cv2

        small = resized(frames, _SIDE)
        colour, gradients = [], []
        for frame in small:
            lab = cv2.cvtColor(frame.astype(np.float32) / 255.0, cv2.COLOR_RGB2LAB)
            colour.append(_colour(lab))
            gradients.append(_gradients(lab[:, :, 0]))
        grey = small.astype(np.float64).mean(axis=3) / 255.0
        change = np.abs(np.diff(grey, axis=0)).mean(axis=0) if len(grey) > 1 else np.zeros((_SIDE, _SIDE))
        blocks = (np.mean(colour, axis=0), np.mean(gradients, axis=0), _cells(change, _COLOUR_CELLS).ravel())
        joined = np.concatenate([_unit(np.asarray(block, dtype=np.float64)) for block in blocks])
        return _unit(joined).astype(np.float32)


def _unit(vector: F64) -> F64:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 1e-12 else vector


def _cells(values: F64, cells: int) -> F64:
    """Means over a grid of cells of a square picture, shape (cells, cells)."""
    size = values.shape[0] // cells
    return values.reshape(cells, size, cells, size).mean(axis=(1, 3))


def _colour(lab: F32) -> F64:
    scaled = lab.astype(np.float64) / np.array([100.0, 128.0, 128.0])
    means = [_cells(scaled[:, :, k], _COLOUR_CELLS) for k in range(3)]
    squares = [_cells(scaled[:, :, k] ** 2, _COLOUR_CELLS) for k in range(3)]
    spread = [np.sqrt(np.maximum(s - m**2, 0.0)) for s, m in zip(squares, means, strict=True)]
    return np.concatenate([part.ravel() for part in (*means, *spread)])


def _gradients(brightness: F32) -> F64:
    rows, columns = np.gradient(brightness.astype(np.float64))
    strength = np.hypot(rows, columns)
    angle = np.mod(np.arctan2(rows, columns), np.pi) / np.pi * _BINS
    low = np.floor(angle).astype(np.int64)
    share = angle - low
    cell = np.arange(_SIDE) * _CELLS // _SIDE
    place = (cell[:, None] * _CELLS + cell[None, :]) * _BINS
    size = _CELLS**2 * _BINS
    histogram = np.bincount((place + low % _BINS).ravel(), ((1 - share) * strength).ravel(), size)
    histogram += np.bincount((place + (low + 1) % _BINS).ravel(), (share * strength).ravel(), size)
    by_cell = histogram.reshape(-1, _BINS)
    by_cell = by_cell / np.maximum(np.linalg.norm(by_cell, axis=1, keepdims=True), 1.0)
    return np.minimum(by_cell, 0.2).ravel()
