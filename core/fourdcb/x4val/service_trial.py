"""What it costs to ask a large gallery, and whether anybody notices when it is exchanged meanwhile."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F32
from fourdcb.randomness import generator
from fourdcb.x4val.consistency import Gallery
from fourdcb.x4val.encoders import HandcraftedEncoder
from fourdcb.x4val.index import build_index
from fourdcb.x4val.online import OnlineScorer

_CLASSES, _LATENT = 40, 24
_QUERIES = 500
_THREADS = 4
_GROWTH = 500  # samples added at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexTrial:
    """Inverted lists beside exact search over the same vectors.

    Attributes:
        vectors: N.
        recall: share of the 5 exact neighbours that inverted lists find.
        exact_ms, lists_ms: of one query, by one thread.
        build_s: of the lists, training included.
    """

    vectors: int
    recall: float
    exact_ms: float
    lists_ms: float
    build_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceTrial:
    """Single samples, embedding included.

    Attributes:
        p50_ms, p95_ms: of a sample of 256 × 256 pixels, alone.
        busy_p95_ms: the same by four threads while the gallery grows and is exchanged.
        answered, failed: questions of those threads.
        exchanged: how often the gallery was another one meanwhile.
        lost: samples added and not in the last gallery.
    """

    p50_ms: float
    p95_ms: float
    busy_p95_ms: float
    answered: int
    failed: int
    exchanged: int
    lost: int


def made_vectors(count: int, *, seed: int) -> tuple[F32, tuple[str, ...]]:
    """Unit vectors of the handcrafted encoder's length in classes, and the classes.

    They lie near a surface of 24 dimensions, as embeddings do; vectors without such structure have no
    neighbours worth the name.
    """
    rng = generator(seed, "x4val/service")
    dimension = HandcraftedEncoder.dimension
    plane = rng.standard_normal((_LATENT, dimension)) / np.sqrt(_LATENT)
    centres = 2.0 * rng.standard_normal((_CLASSES, _LATENT))
    own = rng.integers(0, _CLASSES, count)
    vectors = (centres[own] + rng.standard_normal((count, _LATENT))) @ plane
    vectors += 0.05 * rng.standard_normal((count, dimension))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors.astype(np.float32), tuple(f"class{k}" for k in own)


def index_trial(count: int, *, seed: int = 0) -> IndexTrial:
    """Recall and time of inverted lists against exact search."""
    vectors, _ = made_vectors(count + _QUERIES, seed=seed)
    gallery, queries = vectors[:count], vectors[count:]
    exact = build_index(gallery, exact=True)
    begun = time.perf_counter()
    lists = build_index(gallery, exact=False)
    build_s = time.perf_counter() - begun
    times, found = [], []
    for index in (exact, lists):
        begun = time.perf_counter()
        found.append(np.concatenate([index.nearest(query[None, :], 5)[0] for query in queries]))
        times.append(1e3 * (time.perf_counter() - begun) / len(queries))
    recall = np.mean([len(set(a) & set(b)) / 5 for a, b in zip(*map(np.ndarray.tolist, found), strict=True)])
    return IndexTrial(
        vectors=count, recall=float(recall), exact_ms=times[0], lists_ms=times[1], build_s=build_s
    )


def service_trial(count: int, *, seconds: float, seed: int = 0) -> ServiceTrial:
    """Ask a service of so many vectors: alone, then from four threads while its gallery is exchanged."""
    vectors, labels = made_vectors(count, seed=seed)
    clusters = tuple(map(str, range(count)))
    scorer = OnlineScorer(HandcraftedEncoder(), Gallery(build_index(vectors), labels, clusters))
    rng = generator(seed, "x4val/pictures")
    pictures = rng.integers(0, 256, (32, 1, 256, 256, 3), dtype=np.uint8)
    alone = [_asked(scorer, pictures[k % 32]) for k in range(_QUERIES)]

    over, failures, busy = threading.Event(), [], []

    def ask() -> None:
        k = 0
        while not over.is_set():
            try:
                busy.append(_asked(scorer, pictures[k % 32]))
            except Exception as error:  # noqa: BLE001  # counted: a service must not fail
                failures.append(error)
            k += 1

    readers = [threading.Thread(target=ask) for _ in range(_THREADS)]
    for reader in readers:
        reader.start()
    exchanged, end = 0, time.perf_counter() + seconds
    more, of_more = made_vectors(_GROWTH, seed=seed + 1)
    while time.perf_counter() < end:
        scorer.grow(more, of_more, tuple(f"{exchanged}/{k}" for k in range(_GROWTH)))
        exchanged += 1
    lost = count + exchanged * _GROWTH - scorer.gallery.index.count
    scorer.replace(Gallery(build_index(vectors), labels, clusters))
    over.set()
    for reader in readers:
        reader.join()
    return ServiceTrial(
        p50_ms=float(np.percentile(alone, 50)), p95_ms=float(np.percentile(alone, 95)),
        busy_p95_ms=float(np.percentile(busy, 95)) if busy else float("nan"),
        answered=len(busy), failed=len(failures), exchanged=exchanged + 1, lost=lost,
    )  # fmt: skip


def _asked(scorer: OnlineScorer, frames: np.ndarray) -> float:
    begun = time.perf_counter()
    scorer.score(frames, "class0")
    return 1e3 * (time.perf_counter() - begun)
