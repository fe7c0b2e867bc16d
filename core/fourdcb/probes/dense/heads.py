"""Light heads over patch tokens: a segmentation head, and a tracker that carries a mask along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F32, F64, I64, Mask
from fourdcb.errors import UserError
from fourdcb.probes.dense.scores import mean_iou, overlap, region
from fourdcb.probes.dense.truth import SIDE, shares
from fourdcb.probes.standardise import Standardiser

Things = NDArray[np.int16]
_PENALTIES = tuple(float(p) for p in np.geomspace(1e-1, 1e6, 8))
_CUTS = tuple(float(c) for c in np.linspace(0.1, 0.9, 9))
_NEIGHBOURS, _WARMTH = (1, 3, 5, 10), (0.03, 0.1, 0.3)


@dataclass(frozen=True, slots=True)
class SegmentationHead:
    """A linear map from a token to the share of its cell that moves, and where it is cut.

    Attributes:
        standardiser: of tokens, from train.
        weight, level: of the map, shapes (D,) and ().
        cut: share above which a pixel counts as moving; chosen on validation, as the penalty is.
    """

    standardiser: Standardiser
    weight: F64
    level: float
    cut: float

    def masks(self, tokens: F32) -> Mask:
        """Masks (F, 56, 56) of tokens (F, h, w, D), bilinear between the cells' centres."""
        return self.maps(tokens) > self.cut

    def maps(self, tokens: F32) -> F32:
        """Predicted shares, before the cut."""
        found = self.standardiser.apply(tokens).astype(np.float64) @ self.weight + self.level
        return np.stack([enlarged(one.astype(np.float32)) for one in found])


def enlarged(cells: F32) -> F32:
    """A map of cells as a picture of 56 × 56, bilinear."""
    import cv2

    return np.asarray(cv2.resize(cells, (SIDE, SIDE), interpolation=cv2.INTER_LINEAR), np.float32)


def fit_segmentation(tokens: F32, things: Sequence[Things], train: I64, validation: I64) -> SegmentationHead:
    """Ridge regression of the moving share of every cell; penalty and cut by mIoU on validation.

    Args:
        tokens: at the fixed frames, shape (N, F, h, w, D).
        things: masks of every window, shape (F, 56, 56).
        train, validation: windows.
    """
    high, wide, depth = tokens.shape[2:]
    standardiser = Standardiser.fit(tokens[train].reshape(len(train), -1, depth))
    x = standardiser.apply(tokens[train]).reshape(-1, depth).astype(np.float64)
    y = np.concatenate([shares(mask > 0, high, wide).ravel() for i in train for mask in things[i]])
    level = float(y.mean())
    gram, target = x.T @ x, x.T @ (y - level)
    values, vectors = np.linalg.eigh(gram)
    best: tuple[float, SegmentationHead] | None = None
    for penalty in _PENALTIES:
        weight = vectors @ ((vectors.T @ target) / (np.maximum(values, 0.0) + penalty))
        head = SegmentationHead(standardiser, weight, level, 0.5)
        maps = [head.maps(tokens[i]) for i in validation]
        for cut in _CUTS:
            summed = sum(overlap(m > cut, things[i] > 0) for m, i in zip(maps, validation, strict=True))
            score = float(mean_iou(np.asarray(summed)))
            if best is None or score > best[0]:
                best = score, SegmentationHead(standardiser, weight, level, cut)
    assert best is not None
    return best[1]


@dataclass(frozen=True, slots=True)
class Tracker:
    """Carries a mask from the first frame to others by the likeness of tokens (Caron et al. 2021, DINO).

    Attributes:
        neighbours: most similar tokens of the first frame that a token asks.
        warmth: temperature of their weights (cosine similarity).
        cut: share above which a pixel belongs to the object.
    """

    neighbours: int
    warmth: float
    cut: float

    def map(self, first: F32, later: F32, mask: Mask) -> F32:
        """Shares of the object in a later frame, shape (56, 56), from tokens (h, w, D) and its first mask."""
        high, wide, depth = first.shape
        known = shares(mask, high, wide).ravel()
        likeness = unit(later.reshape(-1, depth)) @ unit(first.reshape(-1, depth)).T
        count = min(self.neighbours, likeness.shape[1])
        near = np.argpartition(-likeness, count - 1, axis=1)[:, :count]
        close = np.take_along_axis(likeness, near, axis=1)
        weight = np.exp((close - close.max(axis=1, keepdims=True)) / self.warmth)
        carried = (weight * known[near]).sum(axis=1) / weight.sum(axis=1)
        return enlarged(carried.reshape(high, wide).astype(np.float32))


def fit_tracker(tokens: F32, things: Sequence[Things], acting: Sequence[int], validation: I64) -> Tracker:
    """Neighbours, warmth and cut by mean J on validation; nothing else is trained.

    Raises:
        UserError: no object is seen in the first and another fixed frame.
    """
    best: tuple[float, Tracker] | None = None
    for neighbours in _NEIGHBOURS:
        for warmth in _WARMTH:
            tracker = Tracker(neighbours, warmth, 0.5)
            maps = [
                (
                    tracker.map(tokens[i, 0], tokens[i, f], things[i][0] == acting[i]),
                    things[i][f] == acting[i],
                )
                for i in validation
                for f in tracked_frames(things[i], acting[i])
            ]
            for cut in _CUTS if maps else ():
                score = float(np.mean([region(found > cut, truth) for found, truth in maps]))
                if best is None or score > best[0]:
                    best = score, Tracker(neighbours, warmth, cut)
    if best is None:
        raise UserError(
            "nothing can be tracked: no clip of validation shows its object in two fixed frames",
            hint="use more clips, or longer windows",
        )
    return best[1]


def tracked_frames(things: Things, acting: int) -> list[int]:
    """Frames after the first in which an object that the first one shows is seen."""
    if not (things[0] == acting).any():
        return []
    return [f for f in range(1, len(things)) if (things[f] == acting).any()]


def query_point(first: F32, later: F32, mask: Mask) -> F64:
    """Where the token under an object's middle finds its like in a later frame: (x, y), shares of the sides.

    Cosine similarity of the query's token with every token of the frame, and the mean place around the best
    one, weighted by it.
    """
    high, wide, depth = first.shape
    cells = shares(mask, high, wide)
    row, column = np.unravel_index(int(np.argmax(cells)), cells.shape)
    likeness = (unit(later.reshape(-1, depth)) @ unit(first[row, column][None]).T).reshape(high, wide)
    r, c = np.unravel_index(int(np.argmax(likeness)), likeness.shape)
    rows, columns = np.mgrid[max(r - 1, 0) : min(r + 2, high), max(c - 1, 0) : min(c + 2, wide)]
    weight = np.exp((likeness[rows, columns] - likeness[r, c]) / 0.05)
    x = float((weight * (columns + 0.5)).sum() / weight.sum() / wide)
    y = float((weight * (rows + 0.5)).sum() / weight.sum() / high)
    return np.array([x, y])


def unit(tokens: F32) -> F32:
    """Tokens of length one, in single precision."""
    values = np.asarray(tokens, np.float32)
    found: F32 = values / np.maximum(np.linalg.norm(values, axis=-1, keepdims=True), 1e-12)
    return found
