"""How much each source counts in the combined figure: how steady it was, and how like itself it is today."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F32, F64

REMEMBERED = 10
_FEWEST = 3
_DRIFT = 3.0  # usual distances from which a source is said to have drifted


@dataclass(frozen=True, slots=True, kw_only=True)
class PastEvaluation:
    """One source in one earlier evaluation.

    Attributes:
        source: name.
        value: its estimate then.
        centre: mean embedding of its samples then, shape (D,).
        spread: root mean squared distance of its samples from that centre.
    """

    source: str
    value: float
    centre: F64
    spread: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceWeight:
    """A source's part in the combined figure.

    Attributes:
        source: name.
        initial: from the configuration.
        stability: 1 for a source as steady as the steadiest, less where its last ten values strayed more.
        likeness: 1 while its samples lie where they used to, less the farther they have moved.
        distance: of today's centre from the usual one, in usual distances of such centres; None without
            a past.
        weight: normalised over the sources.
        drifted: whether it moved farther than :data:`_DRIFT` usual distances.
        past: earlier evaluations that were used.
    """

    source: str
    initial: float
    stability: float
    likeness: float
    distance: float | None
    weight: float
    drifted: bool
    past: int


def centre_and_spread(embeddings: F32) -> tuple[F64, float]:
    """Mean embedding (D,), and root mean squared distance from it."""
    values = embeddings.astype(np.float64)
    centre = values.mean(axis=0)
    return centre, float(np.sqrt(((values - centre) ** 2).sum(axis=1).mean()))


def source_weights(
    today: Mapping[str, F32], initial: Mapping[str, float], history: Sequence[PastEvaluation]
) -> tuple[SourceWeight, ...]:
    """Weights of the sources that have samples today.

    ``weight ∝ initial · stability · likeness`` with ``stability = s_min / s`` over the standard deviations s
    of the last ten values (floored at a hundredth, so that luck does not make a source alone count), and
    ``likeness = 1 / (1 + (d/3)²)`` where d is the distance of today's centre from the mean of the past ones,
    over what chance makes it: ``spread · √(1/n + 1/past n)`` is not known of the past, so d is measured in
    root mean squares of the past centres' own distances, never below ``spread / √n``.

    Args:
        today: embeddings by source, each (n, D).
        initial: ``weight_init`` by source.
        history: earlier evaluations, oldest first.
    """
    past = {name: [p for p in history if p.source == name][-REMEMBERED:] for name in today}
    strays = {
        name: max(float(np.std([p.value for p in each], ddof=1)), 0.01)
        for name, each in past.items()
        if len(each) >= _FEWEST
    }
    steadiest = min(strays.values(), default=0.0)
    rows = []
    for name, embeddings in today.items():
        stability = steadiest / strays[name] if name in strays else 1.0
        distance = _distance(embeddings, past[name])
        likeness = 1.0 if distance is None else 1.0 / (1.0 + (distance / _DRIFT) ** 2)
        rows.append((name, initial[name], stability, likeness, distance, len(past[name])))
    total = sum(first * stability * likeness for _, first, stability, likeness, _, _ in rows)
    return tuple(
        SourceWeight(
            source=name, initial=first, stability=stability, likeness=likeness, distance=distance,
            weight=first * stability * likeness / total, past=count,
            drifted=distance is not None and distance > _DRIFT,
        )
        for name, first, stability, likeness, distance, count in rows
    )  # fmt: skip


def _distance(embeddings: F32, past: Sequence[PastEvaluation]) -> float | None:
    if not past:
        return None
    centre, spread = centre_and_spread(embeddings)
    centres = np.array([p.centre for p in past])
    usual = centres.mean(axis=0)
    chance = spread / np.sqrt(len(embeddings))
    strayed = float(np.sqrt(((centres - usual) ** 2).sum(axis=1).mean())) if len(past) >= _FEWEST else 0.0
    return float(np.linalg.norm(centre - usual)) / max(strayed, chance, 1e-9)
