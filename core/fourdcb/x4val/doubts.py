"""What sources may hide and no file check sees: copies, a biased choice, figures that do not fit together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from fourdcb.arrays import F64
from fourdcb.errors import Diagnostic
from fourdcb.evaluation.statistics import t_quantile
from fourdcb.identity import file_sha256
from fourdcb.randomness import generator
from fourdcb.x4val.combine import error_correlation
from fourdcb.x4val.estimate import Estimate
from fourdcb.x4val.evaluate import Evaluation, Material, SourceResult
from fourdcb.x4val.sources import Sample

_SHUFFLES = 999
_RARE = 0.01  # a choice as odd as one of a hundred random ones is told
_FEWEST = 8
_TAIL_SEEN = 50  # clusters below which a long tail may not have been drawn


def joined_copies(samples: Sequence[Sample]) -> tuple[tuple[Sample, ...], tuple[Diagnostic, ...]]:
    """Samples with copies of one file in one cluster, and what is to be told of them.

    Copies are no further evidence, and one that is scored must not be a neighbour or in the pool: clusters
    that hold copies of one another become one.
    """
    first: dict[str, Sample] = {}
    root: dict[str, str] = {}

    def top(name: str) -> str:
        while root.get(name, name) != name:
            name = root[name]
        return name

    copies: dict[tuple[str, str], list[str]] = {}
    torn: list[str] = []
    for sample in samples:
        known = first.setdefault(file_sha256(sample.path), sample)
        if known is sample:
            continue
        if known.cluster != sample.cluster:
            copies.setdefault((known.source, sample.source), []).append(f"{known.id} = {sample.id}")
            root[top(sample.cluster)] = top(known.cluster)
        if known.label and sample.label and known.label.name != sample.label.name:
            torn.append(f"{sample.source}/{sample.id}: {known.label.name}, {sample.label.name}")
    told = [
        _warning(
            "copies",
            f"{b}: {len(names)} files are copies of files of {a if a != b else 'the same source'} "
            f"({names[0]}); each set of copies counts once.",
            "leave copies out, or give them one cluster in the label file.",
        )
        for (a, b), names in copies.items()
    ]
    if torn:
        told.append(
            _warning("two-labels", f"{len(torn)} copies bear another label ({torn[0]}).", "mend the labels.")
        )
    merged = tuple(replace(s, joined=top(s.cluster)) if top(s.cluster) != s.cluster else s for s in samples)
    return merged, tuple(told)


def choice_doubts(material: Material, *, seed: int = 0) -> tuple[Diagnostic, ...]:
    """Sources whose scored samples are unlike their unscored ones: no correction mends a biased choice.

    Distance of the two mean embeddings among those of 999 random choices of as many clusters; told at
    p ≤ 0.01, so that one honest source of a hundred is told, too.
    """
    told = []
    for name in dict.fromkeys(sample.source for sample in material.samples):
        rows = [i for i, sample in enumerate(material.samples) if sample.source == name]
        clusters = sorted({material.samples[i].cluster for i in rows})
        number = {cluster: k for k, cluster in enumerate(clusters)}
        own = np.array([number[material.samples[i].cluster] for i in rows])
        scored = np.zeros(len(clusters), dtype=bool)
        scored[
            [n for n, i in zip(own, rows, strict=True) if _key(material.samples[i]) in material.scores]
        ] = True
        if min(scored.sum(), (~scored).sum()) < _FEWEST:
            continue
        sums = np.zeros((len(clusters), material.embeddings.shape[1]))
        np.add.at(sums, own, material.embeddings[rows].astype(np.float64))
        sizes = np.bincount(own, minlength=len(clusters)).astype(np.float64)
        rng = generator(seed, f"x4val/choice/{name}")
        found = _gap(sums, sizes, scored)
        beyond = sum(_gap(sums, sizes, rng.permutation(scored)) >= found for _ in range(_SHUFFLES))
        p = (1 + beyond) / (1 + _SHUFFLES)
        if p <= _RARE:
            told.append(
                _warning(
                    "biased-choice",
                    f"{name}: the scored samples look unlike the unscored ones (p = {p:.3f}): the figure "
                    "speaks of samples like the scored ones.",
                    "choose what is scored at random, as --scored does.",
                )
            )
    return tuple(told)


def _key(sample: Sample) -> tuple[str, str]:
    return sample.source, sample.id


def _gap(sums: F64, sizes: F64, chosen: np.ndarray) -> float:
    inside, outside = sums[chosen].sum(axis=0), sums[~chosen].sum(axis=0)
    return float(np.linalg.norm(inside / sizes[chosen].sum() - outside / sizes[~chosen].sum()))


def result_doubts(found: Evaluation) -> tuple[Diagnostic, ...]:
    """Sources too small to tell anything, sources that differ, and intervals that rest on an unseen tail."""
    told = []
    silent = [s for s in found.sources if s.estimate.interval is None]
    if silent:
        told.append(
            _warning(
                "no-interval",
                f"{_listed(silent)}: too few independent samples, or scores all alike: no interval.",
                "score more samples.",
            )
        )
    few = [
        s
        for s in found.sources
        if s.estimate.interval and s.estimate.method != "binomial" and s.estimate.clusters < _TAIL_SEEN
    ]
    if few:
        told.append(
            _warning(
                "tail",
                f"{_listed(few)}: the interval is right for scores without a long tail. Should a rare score "
                "lie far off and not have been drawn, it is too narrow (lognormal scores that look even: 70 "
                f"of 100 hold the truth, not {100 * few[0].estimate.confidence:g}).",
                f"score {_TAIL_SEEN} or more where rare bad scores are possible.",
            )
        )
    return (*told, *differing({s.name: s.estimate for s in found.sources}))


def _listed(sources: Sequence[SourceResult]) -> str:
    return ", ".join(f"{source.name} ({source.estimate.clusters} independent)" for source in sources)


def differing(estimates: Mapping[str, Estimate]) -> tuple[Diagnostic, ...]:
    """Pairs of sources whose figures differ by more than chance: one mean of both hides that.

    Student's t of the difference with the correlation of their errors, at 1 % over all pairs (Bonferroni).
    """
    names = [name for name, e in estimates.items() if e.standard_error]
    correlation = error_correlation([estimates[name].influence for name in names])
    pairs = [(i, j) for i in range(len(names)) for j in range(i)]
    told = []
    for i, j in pairs:
        a, b = estimates[names[j]], estimates[names[i]]
        assert a.standard_error is not None
        assert b.standard_error is not None
        shared = 2 * correlation[i, j] * a.standard_error * b.standard_error
        error = float(np.sqrt(max(a.standard_error**2 + b.standard_error**2 - shared, 0.0)))
        gap = abs(a.value - b.value)
        degrees = max(min(a.clusters, b.clusters) - 2, 1)
        if gap > t_quantile(1 - 0.005 / len(pairs), degrees) * error and gap > 1e-9:
            told.append(
                _warning(
                    "differ",
                    f"{names[j]} ({a.value:.3f}) and {names[i]} ({b.value:.3f}) differ by more than chance: "
                    "their common figure depends on the weights.",
                    "read the sources one by one.",
                )
            )  # fmt: skip
    return tuple(told)


def _warning(code: str, message: str, hint: str) -> Diagnostic:
    return Diagnostic(severity="warning", code=f"x4val-{code}", message=message, hint=hint)
