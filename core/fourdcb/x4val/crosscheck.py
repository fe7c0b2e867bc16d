"""Badly scored samples: a weakness of the model, or noise of their source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fourdcb.arrays import F32, F64
from fourdcb.x4val.pairs import neighbour_scores

Suspicion = Literal["model", "source", "unclear"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossCheck:
    """What the neighbours in other sources say of one source's bad samples.

    Attributes:
        source: whose bad samples.
        bad: how many, from the worst quarter of scores (all zeros of a pass/fail metric).
        bad_elsewhere: mean score of their neighbours in other sources.
        good_elsewhere: the same of the source's other samples.
        p_value: one-sided, that the neighbours of bad samples fare no worse (Mann and Whitney 1947).
        suspicion: ``model`` where neighbours of bad samples fare badly, too; ``source`` where they fare as
            well as anyone's and there are enough to tell; else ``unclear``.
    """

    source: str
    bad: int
    bad_elsewhere: float | None
    good_elsewhere: float | None
    p_value: float | None
    suspicion: Suspicion


_FEWEST = 8


def cross_check(
    scores: Mapping[str, F64], embeddings: Mapping[str, F32], *, k: int
) -> tuple[CrossCheck, ...]:
    """One row for each source.

    Args:
        scores: of the scored samples by source, each (n,).
        embeddings: of the same samples, each (n, D).
        k: neighbours asked.
    """
    rows = []
    for name, own in scores.items():
        others = [other for other in scores if other != name and len(scores[other])]
        if not others or not len(own):
            continue
        gallery = np.concatenate([embeddings[other] for other in others])
        values = np.concatenate([scores[other] for other in others])
        elsewhere = neighbour_scores(embeddings[name], gallery, values, k=k)
        rows.append(_row(name, own, elsewhere))
    return tuple(rows)


def _row(name: str, own: F64, elsewhere: F64) -> CrossCheck:
    limit = float(np.quantile(own, 0.25))
    bad = own <= limit
    if bad.all():  # all alike: none is bad
        bad = np.zeros(len(own), dtype=bool)
    if bad.sum() < _FEWEST or (~bad).sum() < _FEWEST:
        return CrossCheck(
            source=name, bad=int(bad.sum()), bad_elsewhere=None, good_elsewhere=None, p_value=None,
            suspicion="unclear",
        )  # fmt: skip
    from scipy.stats import mannwhitneyu

    p = float(mannwhitneyu(elsewhere[bad], elsewhere[~bad], alternative="less").pvalue)
    # A high p with few bad samples says nothing: only a clear absence is blamed on the source.
    suspicion: Suspicion = "model" if p < 0.05 else "source" if p > 0.5 and bad.sum() >= 20 else "unclear"
    return CrossCheck(
        source=name, bad=int(bad.sum()), bad_elsewhere=float(elsewhere[bad].mean()),
        good_elsewhere=float(elsewhere[~bad].mean()), p_value=p, suspicion=suspicion,
    )  # fmt: skip
