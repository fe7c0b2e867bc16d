"""The evaluation: sources, scores and embeddings in; figures with their reasons out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fourdcb.arrays import F32, F64, I64
from fourdcb.errors import UserError
from fourdcb.randomness import generator
from fourdcb.x4val.answers import Key, Scores
from fourdcb.x4val.combine import Combined, combine
from fourdcb.x4val.consistency import (
    Centres,
    Gallery,
    class_consistency,
    cluster_consistency,
    find_centres,
    make_gallery,
)
from fourdcb.x4val.crosscheck import CrossCheck, cross_check
from fourdcb.x4val.estimate import Estimate, estimate_tally
from fourdcb.x4val.pairs import PairCorrelation, pair_correlation
from fourdcb.x4val.sources import Sample
from fourdcb.x4val.tally import Tally, control_mean
from fourdcb.x4val.weights import PastEvaluation, SourceWeight, source_weights

ControlKind = Literal["class", "cluster", "none"]
_FEWEST_POOL = 20
_CENTRES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceResult:
    """What was found of one source.

    Attributes:
        name: of the source.
        estimate: of its mean score.
        control: how neighbours' agreement was taken: by class, by distance to cluster centres, or not.
        consistency: mean of the control over the scored samples; None without one.
        pool: samples that the control's expectation comes from.
    """

    name: str
    estimate: Estimate
    control: ControlKind
    consistency: float | None
    pool: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The whole result.

    Attributes:
        sources: one for each source with scored samples.
        combined: their weighted figure.
        weights: of all sources, scored or not.
        pairs: correlation of each two scored sources.
        checks: what neighbours elsewhere say of bad samples.
        consistency: mean over all scored samples that have one; None without.
        neighbours: k that was used.
        encoder: name of the encoder.
    """

    sources: tuple[SourceResult, ...]
    combined: Combined
    weights: tuple[SourceWeight, ...]
    pairs: tuple[PairCorrelation, ...]
    checks: tuple[CrossCheck, ...]
    consistency: float | None
    neighbours: int
    encoder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """All samples with what the evaluation needs of them, rows alike.

    Attributes:
        samples: of all sources.
        embeddings: shape (n, D), unit length.
        scores: of the scored ones, by source and sample.
        initial_weights: by source.
        encoder: name of what embedded.
    """

    samples: tuple[Sample, ...]
    embeddings: F32
    scores: Scores
    initial_weights: Mapping[str, float]
    encoder: str


def evaluate(
    material: Material,
    *,
    k: int = 5,
    confidence: float = 0.95,
    history: Sequence[PastEvaluation] = (),
    seed: int = 0,
) -> Evaluation:
    """Estimate each source's mean score, combine them, and say how far sources agree.

    The unscored samples are divided once, by cluster: one half is asked as neighbours (the gallery), the
    other tells the control's expectation. Scored samples and pool so meet the same gallery, and μ_C never
    comes from a sample that is scored or asked.

    Args:
        material: samples, embeddings and scores.
        k: neighbours asked.
        confidence: of the intervals.
        history: earlier evaluations, for the weights.
        seed: of the division and the bootstrap.

    Raises:
        UserError: no source has a scored sample.
    """
    scored, gallery_rows, pool_rows = _divide(material, seed)
    if not any(scored):
        raise UserError("no sample is scored")
    neighbours = _Neighbours.of(material, gallery_rows, k, seed)
    names = list(dict.fromkeys(sample.source for sample in material.samples))
    rows_of = {name: [i for i, s in enumerate(material.samples) if s.source == name] for name in names}
    results, scores, places = [], {}, {}
    for name in names:
        rows = np.array([i for i in rows_of[name] if scored[i]], dtype=np.int64)
        if not len(rows):
            continue
        y = np.array([material.scores[_key(material.samples[i])] for i in rows])
        pool = np.array([i for i in rows_of[name] if pool_rows[i]], dtype=np.int64)
        results.append(_source_result(name, material, rows, y, pool, neighbours, confidence, seed))
        scores[name], places[name] = y, material.embeddings[rows]
    today = {name: material.embeddings[rows_of[name]] for name in names}
    weights = source_weights(today, material.initial_weights, history)
    combined = combine({r.name: r.estimate for r in results}, {w.source: w.weight for w in weights})
    told = [r.name for r in results]
    pairs = tuple(
        pair_correlation(a, b, scores[a], places[a], scores[b], places[b], k=k)
        for i, a in enumerate(told)
        for b in told[i + 1 :]
    )
    known = [(r.consistency, r.estimate.samples) for r in results if r.consistency is not None]
    return Evaluation(
        sources=tuple(results), combined=combined, weights=weights, pairs=pairs,
        checks=cross_check(scores, places, k=k),
        consistency=sum(c * n for c, n in known) / sum(n for _, n in known) if known else None,
        neighbours=k, encoder=material.encoder,
    )  # fmt: skip


def _key(sample: Sample) -> Key:
    return sample.source, sample.id


def _divide(material: Material, seed: int) -> tuple[list[bool], list[bool], list[bool]]:
    """Which samples are scored, which are asked, and which tell the expectation."""
    scored = [_key(sample) in material.scores for sample in material.samples]
    taken = {s.cluster for s, yes in zip(material.samples, scored, strict=True) if yes}
    asked: set[str] = set()
    telling: set[str] = set()
    for name in dict.fromkeys(sample.source for sample in material.samples):  # each source gives both halves
        own = {s.cluster for s in material.samples if s.source == name}
        free = sorted(own - taken - asked - telling)
        order = generator(seed, f"x4val/divide/{name}").permutation(len(free))
        asked |= {free[i] for i in order[: len(free) // 2]}
        telling |= {free[i] for i in order[len(free) // 2 :]}
    gallery = [s.cluster in asked for s in material.samples]
    pool = [s.cluster in telling for s in material.samples]
    return scored, gallery, pool


@dataclass(frozen=True, slots=True)
class _Neighbours:
    gallery: Gallery | None
    centres: Centres | None
    k: int

    @classmethod
    def of(cls, material: Material, rows: Sequence[bool], k: int, seed: int) -> _Neighbours:
        asked = np.flatnonzero(rows)
        if len(asked) < max(_FEWEST_POOL, 2 * k):
            return cls(None, None, k)
        members = [material.samples[i] for i in asked]
        labels = [m.label.name if m.label is not None else None for m in members]
        embeddings = material.embeddings[asked]
        classes = len({label for label in labels if label is not None})
        centres = find_centres(embeddings, count=max(classes, _CENTRES), seed=seed)
        return cls(make_gallery(embeddings, labels, [m.cluster for m in members]), centres, k)

    def by_class(self, material: Material, rows: I64) -> F64:
        """Control of each row, NaN where it has no class or too few neighbours with one."""
        values = np.full(len(rows), np.nan)
        if self.gallery is None:
            return values
        named = [(j, i, material.samples[i].label) for j, i in enumerate(rows)]
        labelled = [(j, i, label.name) for j, i, label in named if label is not None]
        if labelled:
            values[[j for j, _, _ in labelled]] = class_consistency(
                material.embeddings[[i for _, i, _ in labelled]], [name for _, _, name in labelled],
                [material.samples[i].cluster for _, i, _ in labelled], self.gallery, k=self.k,
            )  # fmt: skip
        return values

    def by_cluster(self, material: Material, rows: I64) -> F64:
        """Control of each row from its distance to the centres."""
        if self.centres is None:
            return np.full(len(rows), np.nan)
        return cluster_consistency(material.embeddings[rows], self.centres)


def _source_result(
    name: str,
    material: Material,
    rows: I64,
    y: F64,
    pool: I64,
    neighbours: _Neighbours,
    confidence: float,
    seed: int,
) -> SourceResult:
    clusters = [material.samples[i].cluster for i in rows]
    kind, control, expected = _control(material, rows, pool, neighbours)
    if kind == "none":
        tally = Tally().add(y, np.zeros(len(y)), clusters)
        estimate = estimate_tally(tally, None, confidence=confidence, seed=seed)
        return SourceResult(name=name, estimate=estimate, control=kind, consistency=None, pool=len(pool))
    pool_clusters = [material.samples[i].cluster for i in pool]
    estimate = estimate_tally(
        Tally().add(y, control, clusters), control_mean(expected, pool_clusters), confidence=confidence,
        seed=seed,
    )  # fmt: skip
    return SourceResult(
        name=name, estimate=estimate, control=kind, consistency=float(control.mean()), pool=len(pool)
    )


def _control(
    material: Material, rows: I64, pool: I64, neighbours: _Neighbours
) -> tuple[ControlKind, F64, F64]:
    """The control of scored samples and pool, made the same way for both."""
    if len(pool) >= _FEWEST_POOL and neighbours.gallery is not None:
        scored, expected = neighbours.by_class(material, rows), neighbours.by_class(material, pool)
        if np.isfinite(scored).all() and np.isfinite(expected).all():
            return "class", scored, expected
        return "cluster", neighbours.by_cluster(material, rows), neighbours.by_cluster(material, pool)
    return "none", np.zeros(0), np.zeros(0)
