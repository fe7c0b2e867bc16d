"""Classification and retrieval scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64

IntArray = NDArray[np.int64]


def confusion_matrix(truth: IntArray, predicted: IntArray, *, n_classes: int) -> IntArray:
    """Counts, rows = truth, columns = prediction, shape (C, C)."""
    table = np.zeros((n_classes, n_classes), dtype=np.int64)
    np.add.at(table, (truth, predicted), 1)
    return table


def accuracy(confusion: IntArray) -> float:
    """Share of samples on the diagonal."""
    return float(np.trace(confusion) / confusion.sum())


def balanced_accuracy(confusion: IntArray) -> float:
    """Mean recall over the classes that occur in the truth."""
    support = confusion.sum(axis=1)
    present = support > 0
    return float(np.mean(np.diag(confusion)[present] / support[present]))


def macro_f1(confusion: IntArray) -> float:
    """Unweighted mean F1 over the classes that occur in truth or prediction."""
    hits = np.diag(confusion).astype(np.float64)
    total = confusion.sum(axis=0) + confusion.sum(axis=1)
    present = total > 0
    return float(np.mean(2 * hits[present] / total[present]))


def retrieval_scores(
    queries: F64,
    gallery: F64,
    relevant: NDArray[np.bool_],
    *,
    ks: tuple[int, ...],
    excluded: NDArray[np.bool_] | None = None,
) -> dict[str, float]:
    """Recall@k and mean average precision by cosine similarity.

    Args:
        queries: features, shape (Q, D); gallery: shape (G, D).
        relevant: whether gallery item g answers query q, shape (Q, G); every query needs one.
        ks: cut-offs of recall (a query counts when any of its first k is relevant).
        excluded: items that are taken out of a query's gallery, shape (Q, G): those of its own group.

    Raises:
        ValueError: when a query has no relevant item (remove it, or its gallery lacks near kin).
    """
    out = np.zeros(relevant.shape, np.bool_) if excluded is None else excluded
    relevant = relevant & ~out
    if not relevant.any(axis=1).all():
        raise ValueError("every query needs at least one relevant gallery item")
    similarity = np.where(out, -np.inf, _unit(queries) @ _unit(gallery).T)
    order = np.argsort(-similarity, axis=1, kind="stable")  # what is taken out comes last, and never counts
    hits = np.take_along_axis(relevant, order, axis=1)
    scores = {f"recall@{k}": float(hits[:, :k].any(axis=1).mean()) for k in ks}
    precision = np.cumsum(hits, axis=1) / np.arange(1, hits.shape[1] + 1)
    scores["map"] = float(np.mean(np.sum(precision * hits, axis=1) / hits.sum(axis=1)))
    return scores


def _unit(features: F64) -> F64:
    return features / np.maximum(np.linalg.norm(features, axis=1, keepdims=True), 1e-12)
