"""The control: how far a sample's neighbours in the embedding space agree with it, in [0, 1]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F32, F64
from fourdcb.randomness import generator
from fourdcb.x4val.index import EmbeddingIndex, build_index

_SPARE = 20  # further neighbours fetched, since those of the sample's own cluster do not count
_ROUNDS = 25


def advised_k(total: int) -> int:
    """``5 log10 N`` neighbours for N samples, at least 5: the source's rule of thumb."""
    return max(5, round(5 * float(np.log10(max(total, 1)))))


@dataclass(frozen=True, slots=True)
class Gallery:
    """Samples whose agreement is asked: none of them is scored.

    Attributes:
        index: of their embeddings.
        labels: class of each, length G; None where it has none.
        clusters: of each, length G.
    """

    index: EmbeddingIndex
    labels: tuple[str | None, ...]
    clusters: tuple[str, ...]


def make_gallery(embeddings: F32, labels: Sequence[str | None], clusters: Sequence[str]) -> Gallery:
    """A gallery from embeddings, shape (G, D)."""
    return Gallery(build_index(embeddings), tuple(labels), tuple(clusters))


def class_consistency(
    queries: F32, labels: Sequence[str], clusters: Sequence[str], gallery: Gallery, *, k: int
) -> F64:
    """Share of each query's k nearest labelled neighbours that are of its class, shape (Q,).

    Neighbours of the query's own cluster are passed over: frames of one scene agree with one another
    whatever the class. NaN where fewer than k others are left near it.

    Args:
        queries: embeddings, shape (Q, D).
        labels, clusters: of the queries.
        gallery: whom to ask.
        k: how many.
    """
    labelled = sum(label is not None for label in gallery.labels)
    fetch = min(gallery.index.count, k + _SPARE + (len(gallery.labels) - labelled))
    numbers, _ = gallery.index.nearest(queries, fetch)
    shares = np.full(len(queries), np.nan)
    for row, (found, own, cluster) in enumerate(zip(numbers, labels, clusters, strict=True)):
        asked = [
            gallery.labels[i] == own
            for i in found.tolist()
            if i >= 0 and gallery.labels[i] is not None and gallery.clusters[i] != cluster
        ][:k]
        if len(asked) == k:
            shares[row] = float(np.mean(asked))
    return shares


@dataclass(frozen=True, slots=True)
class Centres:
    """Centres of clusters of embeddings, and how far samples usually lie from the nearest one.

    Attributes:
        points: shape (C, D).
        distances: of the samples that the centres were found among, sorted.
    """

    points: F32
    distances: F64


def find_centres(embeddings: F32, *, count: int, seed: int = 0) -> Centres:
    """Centres by k-means (Lloyd 1982), begun at samples far from one another (Arthur and Vassilvitskii 2007).

    Args:
        embeddings: shape (N, D), N ≥ count.
        count: of centres.
        seed: of the first centres.
    """
    from scipy.cluster.vq import kmeans2

    count = max(1, min(count, len(embeddings) // 2))
    rng = generator(seed, "x4val/centres")
    points, _ = kmeans2(embeddings.astype(np.float64), count, iter=_ROUNDS, minit="++", rng=rng)
    centres = points.astype(np.float32)
    return Centres(centres, np.sort(_to_nearest(embeddings, centres)))


def cluster_consistency(queries: F32, centres: Centres) -> F64:
    """For samples without a class: share of the reference samples that lie farther from their centre, (Q,).

    1 lies at a centre, 0 farther from all centres than any reference sample; ½ on average for samples like
    the reference's.
    """
    distance = _to_nearest(queries, centres.points)
    nearer = np.searchsorted(centres.distances, distance, side="left")
    as_near = np.searchsorted(centres.distances, distance, side="right")
    return 1.0 - 0.5 * (nearer + as_near) / len(centres.distances)


def _to_nearest(embeddings: F32, points: F32) -> F64:
    products = embeddings.astype(np.float64) @ points.astype(np.float64).T
    squares = (embeddings.astype(np.float64) ** 2).sum(axis=1)[:, None] + (
        points.astype(np.float64) ** 2
    ).sum(axis=1)
    return np.sqrt(np.maximum(squares - 2 * products, 0.0).min(axis=1))
