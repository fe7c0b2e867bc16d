"""The control: how far a sample's neighbours in an embedding space agree with it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64

_CHUNK = 1024


def nearest_neighbours(
    queries: F64, gallery: F64, *, k: int, exclude_self: bool = False
) -> NDArray[np.int64]:
    """Indices of the k nearest gallery rows by cosine similarity, nearest first, shape (Q, k).

    Exact, in chunks of queries, so memory stays at chunk × gallery. With ``exclude_self`` row i of the
    queries is row i of the gallery and never its own neighbour.

    Raises:
        ValueError: when the gallery holds fewer than k candidates.
    """
    available = len(gallery) - int(exclude_self)
    if not 1 <= k <= available:
        raise ValueError(f"k must lie in 1 … {available}, got {k}")
    unit = _unit(gallery)
    found = np.empty((len(queries), k), dtype=np.int64)
    for start in range(0, len(queries), _CHUNK):
        similarity = _unit(queries[start : start + _CHUNK]) @ unit.T
        if exclude_self:
            rows = np.arange(len(similarity))
            similarity[rows, start + rows] = -np.inf
        nearest = np.argpartition(-similarity, k - 1, axis=1)[:, :k]
        order = np.argsort(-np.take_along_axis(similarity, nearest, axis=1), axis=1, kind="stable")
        found[start : start + _CHUNK] = np.take_along_axis(nearest, order, axis=1)
    return found


def neighbour_mean(
    queries: F64, gallery: F64, gallery_scores: F64, *, k: int, exclude_self: bool = False
) -> F64:
    """Mean score of each query's k nearest gallery samples, shape (Q,): the surrogate's prediction."""
    return gallery_scores[nearest_neighbours(queries, gallery, k=k, exclude_self=exclude_self)].mean(axis=1)


def _unit(rows: F64) -> F64:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
