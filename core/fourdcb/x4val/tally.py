"""Sums of scores and controls by cluster: all that an estimate needs, and what grows as samples arrive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from fourdcb.arrays import F64
from fourdcb.errors import UserError

NAMELESS = "\0"  # begins the cluster of a sample without one: no other tally has it, whatever its number


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Scores y and controls c of samples, summed by cluster (scene, patient, device).

    A cluster is what is independent of the others; a sample without one is a cluster of its own. Adding
    returns a new tally, and the order in which samples were added does not change the estimate beyond
    rounding.

    Attributes:
        sums: by cluster: number of samples, sum of y, sum of c.
        binary: whether every score so far is 0 or 1.
        added: samples so far.
    """

    sums: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    binary: bool = True
    added: int = 0

    def add(self, scores: F64, control: F64, clusters: Sequence[str] | None = None) -> Tally:
        """A tally with more samples.

        Args:
            scores: y, shape (n,).
            control: c, shape (n,).
            clusters: name of each sample's cluster; None makes every sample its own.

        Raises:
            UserError: lengths differ, or a value is not finite.
        """
        y, c = np.asarray(scores, dtype=np.float64), np.asarray(control, dtype=np.float64)
        names = [f"{NAMELESS}{self.added + i}" for i in range(len(y))] if clusters is None else list(clusters)
        if len(c) != len(y) or len(names) != len(y):
            raise UserError(
                "every score needs its control and its cluster",
                got=f"{len(y)} scores, {len(c)} controls, {len(names)} clusters",
            )
        if not (np.isfinite(y).all() and np.isfinite(c).all()):
            raise UserError("scores or controls hold NaN or infinity", hint="leave such samples out by name")
        found, index = np.unique(np.asarray(names, dtype=object).astype(str), return_inverse=True)
        sizes = np.bincount(index, minlength=len(found)).astype(np.float64)
        of_y = np.bincount(index, weights=y, minlength=len(found))
        of_c = np.bincount(index, weights=c, minlength=len(found))
        merged = dict(self.sums)
        for k, name in enumerate(found.tolist()):
            n, sum_y, sum_c = merged.get(name, (0.0, 0.0, 0.0))
            merged[name] = (n + float(sizes[k]), sum_y + float(of_y[k]), sum_c + float(of_c[k]))
        binary = self.binary and bool(np.isin(y, (0.0, 1.0)).all())
        return Tally(sums=merged, binary=binary, added=self.added + len(y))

    def arrays(self) -> tuple[F64, F64, F64]:
        """Sizes, sums of y and sums of c, each of shape (clusters,), in the order of the clusters' names."""
        rows = np.array([self.sums[name] for name in sorted(self.sums)], dtype=np.float64).reshape(-1, 3)
        return rows[:, 0], rows[:, 1], rows[:, 2]


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlMean:
    """What the independent pool says of the control's expectation.

    Attributes:
        mean: μ_C.
        variance: of that mean.
        count: samples of the pool.
    """

    mean: float
    variance: float
    count: int


def control_mean(pool: F64, clusters: Sequence[str] | None = None) -> ControlMean:
    """Mean of the control over a pool that holds none of the scored samples.

    Args:
        pool: c of the pool, shape (N,).
        clusters: name of each pool sample's cluster, or None.

    Raises:
        UserError: fewer than two independent samples, or a value is not finite.
    """
    if clusters is None:  # the same as below without a name for each of many
        sums = np.asarray(pool, dtype=np.float64)
        sizes = np.ones(len(sums))
        if not np.isfinite(sums).all():
            raise UserError("the pool holds NaN or infinity")
    else:
        sizes, _, sums = Tally().add(np.zeros(len(pool)), pool, clusters).arrays()
    groups, total = len(sizes), float(sizes.sum())
    if groups < 2:
        raise UserError(
            "the pool is too small to tell the control's mean",
            got=f"{groups} independent samples", expected="at least 2 (hundreds are better)",
        )  # fmt: skip
    mean = float(sums.sum() / total)
    spread = sums - sizes * mean
    variance = groups / (groups - 1) * float(spread @ spread) / total**2
    return ControlMean(mean=mean, variance=variance, count=len(pool))
