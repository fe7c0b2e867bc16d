"""Nearest neighbours among embeddings: exact for few, by inverted lists for many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fourdcb.arrays import F32, I64
from fourdcb.errors import MissingDependencyError, UserError

EXACT_BELOW = 100_000
_PROBES = 32
_TRAINING = 64  # vectors per list that the lists' centres are fitted to


@dataclass(frozen=True, slots=True)
class EmbeddingIndex:
    """Unit vectors that can be asked for the nearest of a query.

    Attributes:
        index: of FAISS: ``IndexFlatL2`` below :data:`EXACT_BELOW` vectors, else ``IndexIVFFlat`` with √N
            lists. It is never written to after it was built: growing makes another one.
        count: vectors.
        exact: whether neighbours are exact.
    """

    index: Any
    count: int
    exact: bool

    def nearest(self, queries: F32, k: int) -> tuple[I64, F32]:
        """Numbers of the k nearest and their squared distances, nearest first, each of shape (Q, k).

        Raises:
            UserError: the index holds fewer than k vectors.
        """
        if not 1 <= k <= self.count:
            raise UserError(
                "there are too few samples to ask for neighbours",
                got=f"k = {k}",
                expected=f"1 … {self.count}",
            )
        distances, numbers = self.index.search(np.ascontiguousarray(queries, dtype=np.float32), k)
        return numbers, distances

    def grown(self, vectors: F32) -> EmbeddingIndex:
        """Another index with more vectors; this one goes on answering as before.

        New vectors are numbered on. The lists' centres stay (train again, nightly say, by
        :func:`build_index`).
        """
        faiss = _faiss()
        copy = faiss.clone_index(self.index)
        copy.add(np.ascontiguousarray(vectors, dtype=np.float32))
        return EmbeddingIndex(copy, self.count + len(vectors), self.exact)


def build_index(vectors: F32, *, exact: bool | None = None) -> EmbeddingIndex:
    """Index of embeddings, shape (N, D).

    Args:
        vectors: finite, N ≥ 1.
        exact: None decides by the number of vectors.

    Raises:
        MissingDependencyError: faiss-cpu is not installed.
        UserError: there are no vectors.
    """
    faiss = _faiss()
    data = np.ascontiguousarray(vectors, dtype=np.float32)
    if data.ndim != 2 or not len(data):
        raise UserError("there are no embeddings to search in", got=f"shape {data.shape}")
    flat = len(data) < EXACT_BELOW if exact is None else exact
    dimension = data.shape[1]
    if flat:
        index = faiss.IndexFlatL2(dimension)
    else:
        lists = max(1, int(np.sqrt(len(data))))
        index = faiss.IndexIVFFlat(faiss.IndexFlatL2(dimension), dimension, lists)
        index.nprobe = min(_PROBES, lists)
        index.cp.seed = 0
        index.cp.niter = 10
        index.cp.min_points_per_centroid = 1
        step = max(1, len(data) // (_TRAINING * lists))
        index.train(np.ascontiguousarray(data[::step]))
    index.add(data)
    return EmbeddingIndex(index, len(data), flat)


def _faiss() -> Any:
    try:
        import faiss
    except ImportError as error:
        raise MissingDependencyError("faiss-cpu", extra="x4val", purpose="searching neighbours") from error
    return faiss
