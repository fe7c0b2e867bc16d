"""Coverage of the intervals by simulation: what 95 % means here, for each kind of metric and few samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fourdcb.arrays import F64
from fourdcb.randomness import generator
from fourdcb.x4val.estimate import control_variate_estimate

Kind = Literal["gaussian", "skewed", "pass_fail", "clustered"]
KINDS: tuple[Kind, ...] = ("gaussian", "skewed", "pass_fail", "clustered")
SIZES = (8, 10, 20, 50, 200)
CORRELATIONS = (-0.9, 0.0, 0.5, 0.9)
_POOL = 2_000
_CLUSTER = 3
_INTRA = 0.5  # correlation of samples of one cluster
Rival = Callable[[F64, F64, F64], tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageRow:
    """One cell of the table.

    Attributes:
        kind, samples, correlation: the situation; ``samples`` counts clusters where they are clustered, and
            ``correlation`` is that of the normal variables behind score and control.
        coverage: share of intervals that hold the truth.
        raw_coverage: of the plain mean's interval.
        corrected: share of repetitions in which the correction was made.
        width_ratio: mean width over that of the plain mean's interval.
        rmse_ratio: root mean squared error over that of the plain mean.
        rival: coverage of another library's interval on the same draws, or None.
        rival_width_ratio: its mean width over that of the plain mean's interval, or None.
        repetitions: how many.
    """

    kind: Kind
    samples: int
    correlation: float
    coverage: float
    raw_coverage: float
    corrected: float
    width_ratio: float
    rmse_ratio: float
    rival: float | None
    rival_width_ratio: float | None
    repetitions: int


def coverage_table(
    *,
    kinds: Sequence[Kind] = KINDS,
    sizes: Sequence[int] = SIZES,
    correlations: Sequence[float] = CORRELATIONS,
    repetitions: int = 1_000,
    seed: int = 0,
    rival: Rival | None = None,
) -> Iterator[CoverageRow]:
    """Every combination, one row at a time."""
    for kind in kinds:
        for samples in sizes:
            for correlation in correlations:
                yield coverage_row(
                    kind, samples, correlation, repetitions=repetitions, seed=seed, rival=rival
                )


def coverage_row(
    kind: Kind,
    samples: int,
    correlation: float,
    *,
    repetitions: int,
    seed: int = 0,
    rival: Rival | None = None,
) -> CoverageRow:
    """Draw, estimate and count.

    Args:
        kind: distribution of the score.
        samples: scored samples (clusters of three where ``kind`` is ``clustered``).
        correlation: of the normal variables behind score and control.
        repetitions: how often.
        seed: of the draws.
        rival: another interval from (scores, control, pool), to stand beside.
    """
    rng = generator(seed, f"x4val/coverage/{kind}/{samples}/{correlation}")
    truth = _TRUTHS[kind]
    held = raw_held = corrected = rival_held = 0
    widths, raw_widths, rival_widths, errors, raw_errors = [], [], [], [], []
    for k in range(repetitions):
        scores, control, clusters = _draw(kind, samples, correlation, rng)
        pool = rng.normal(size=_POOL)
        found = control_variate_estimate(scores, control, pool, clusters=clusters, seed=k)
        corrected += found.corrected
        errors.append(found.value - truth)
        raw_errors.append(found.raw_value - truth)
        if found.interval is not None and found.raw_interval is not None:
            held += found.interval[0] <= truth <= found.interval[1]
            raw_held += found.raw_interval[0] <= truth <= found.raw_interval[1]
            widths.append(found.interval[1] - found.interval[0])
            raw_widths.append(found.raw_interval[1] - found.raw_interval[0])
        if rival is not None:
            low, high = rival(scores, control, pool)
            rival_held += low <= truth <= high
            rival_widths.append(high - low)
    plain_width = float(np.mean(raw_widths))
    return CoverageRow(
        kind=kind, samples=samples, correlation=correlation, repetitions=repetitions,
        coverage=held / repetitions, raw_coverage=raw_held / repetitions, corrected=corrected / repetitions,
        width_ratio=float(np.mean(widths)) / plain_width,
        rmse_ratio=float(np.sqrt(np.mean(np.square(errors)) / np.mean(np.square(raw_errors)))),
        rival=None if rival is None else rival_held / repetitions,
        rival_width_ratio=None if rival is None else float(np.mean(rival_widths)) / plain_width,
    )  # fmt: skip


_TRUTHS: dict[Kind, float] = {
    "gaussian": 0.7, "skewed": float(np.exp(0.5)), "pass_fail": 0.7, "clustered": 0.7,
}  # fmt: skip


def _draw(
    kind: Kind, samples: int, correlation: float, rng: np.random.Generator
) -> tuple[F64, F64, list[str] | None]:
    """Scores, controls and clusters; the control is standard normal in every kind."""
    own = float(np.sqrt(1 - correlation**2))
    if kind == "clustered":
        shared, single = np.sqrt(_INTRA), np.sqrt(1 - _INTRA)
        shape = (samples, _CLUSTER)
        control = (shared * rng.normal(size=(samples, 1)) + single * rng.normal(size=shape)).ravel()
        rest = (shared * rng.normal(size=(samples, 1)) + single * rng.normal(size=shape)).ravel()
        names = [f"cluster {k}" for k in range(samples) for _ in range(_CLUSTER)]
        return 0.7 + correlation * control + own * rest, control, names
    control = rng.normal(size=samples)
    behind = correlation * control + own * rng.normal(size=samples)
    if kind == "gaussian":
        return 0.7 + behind, control, None
    if kind == "skewed":
        return np.exp(behind), control, None
    from scipy.special import ndtri

    return (behind < ndtri(0.7)).astype(np.float64), control, None
