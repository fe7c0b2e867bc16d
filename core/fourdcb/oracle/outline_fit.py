"""Fits a hypothesis to observed outlines: trajectories from the engine, silhouettes in closed form."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64
from fourdcb.errors import FourDCBError, SimulationDivergedError
from fourdcb.oracle.silhouette import silhouette
from fourdcb.oracle.unknowns import Hypothesis, Unknown
from fourdcb.physics import Engine

_SIGMA = 0.35  # [px] of an outline's reach in one direction
# Blur and a dim rim make a whole outline wider or narrower: its mean is known that much worse than its place.
_WIDTH_SIGMA = 1.2  # [px]
_FAR = 60.0  # [px] at which a body out of sight stands
_MOST_FRAMES = 36
_ROBUST = 3.0  # standard deviations beyond which an outline counts less: something hid it


@dataclass(frozen=True, slots=True, eq=False)
class Outlines:
    """What is to be met: support functions by body name, shape (T, D) [px], NaN where not seen."""

    by_name: Mapping[str, F64]
    fps: float

    def until(self, frame: int) -> Outlines:
        """The first frames only."""
        return Outlines({name: seen[: frame + 1] for name, seen in self.by_name.items()}, self.fps)

    @property
    def n_frames(self) -> int:
        """How many frames there are."""
        return max(len(seen) for seen in self.by_name.values())


@dataclass(frozen=True, slots=True, eq=False)
class OutlineFit:
    """The outcome: ``cost`` is the mean robust squared residual [σ²], ``rms`` by body [px]."""

    hypothesis: Hypothesis
    cost: float
    rms: Mapping[str, float]
    jacobian: F64
    residual: F64


class OutlineProblem:
    """Residuals of hypotheses against outlines.

    Args:
        outlines: what was seen.
        engine: rolls worlds out.
        rate_hz: of the rollouts.
        deadline: on ``time.monotonic``'s clock; a fit stops at it with the best so far.
    """

    def __init__(self, outlines: Outlines, engine: Engine, *, rate_hz: float, deadline: float) -> None:
        self._outlines, self._engine, self._rate = outlines, engine, rate_hz
        self._deadline = deadline
        self.rollouts = 0
        frames = {name: np.flatnonzero(np.isfinite(s[:, 0])) for name, s in outlines.by_name.items()}
        self._frames = {name: _spread(k, _MOST_FRAMES) for name, k in frames.items()}

    def residuals(self, hypothesis: Hypothesis) -> F64:
        """In standard deviations, body by body, shape (R,)."""
        return np.concatenate([_scaled(gap).ravel() for gap in self._gaps(hypothesis).values()])

    def cost(self, hypothesis: Hypothesis) -> float:
        """Mean robust squared residual."""
        return float(np.mean(_robust(self.residuals(hypothesis))))

    def fit(self, start: Hypothesis, *, rounds: int = 12) -> OutlineFit:
        """Bounded least squares from a start (Levenberg-Marquardt with robust weights)."""
        from scipy.optimize import least_squares

        unknowns = start.unknowns()
        x0 = start.vector()
        if not unknowns:
            return self._outcome(start, np.zeros((0, 0)))
        low = np.array([u.lower / u.scale for u in unknowns])
        high = np.array([u.upper / u.scale for u in unknowns])
        best = _Best(x0)

        def residual(x: F64) -> F64:
            r = np.concatenate([_soft(self.residuals(start.at(x))), _priors(unknowns, x)])
            best.offer(x, float(r @ r))
            return r

        def jacobian(x: F64) -> F64:
            return self._jacobian(start, x, low, high, residual)

        with suppress(_OutOfTimeError):  # the best so far counts
            least_squares(
                residual, np.clip(x0, low + 1e-9, high - 1e-9), jac=jacobian, bounds=(low, high),
                max_nfev=rounds, xtol=1e-5, ftol=1e-5,
            )  # fmt: skip
        done = start.at(best.x)
        return self._outcome(done, np.zeros((0, 0)))

    def jacobian(self, hypothesis: Hypothesis) -> F64:
        """Derivatives of :meth:`residuals` by the unknowns in their scales, shape (R, P)."""
        unknowns = hypothesis.unknowns()
        low = np.array([u.lower / u.scale for u in unknowns])
        high = np.array([u.upper / u.scale for u in unknowns])
        return self._jacobian(
            hypothesis, hypothesis.vector(), low, high, lambda x: self.residuals(hypothesis.at(x))
        )

    def _jacobian(self, start: Hypothesis, x: F64, low: F64, high: F64, residual) -> F64:  # type: ignore[no-untyped-def]
        if time.monotonic() > self._deadline:
            raise _OutOfTimeError
        columns = []
        for i, u in enumerate(start.unknowns()):
            forward, backward = x.copy(), x.copy()
            forward[i] = min(x[i] + u.step, high[i])
            backward[i] = max(x[i] - u.step, low[i])
            columns.append((residual(forward) - residual(backward)) / (forward[i] - backward[i]))
        return np.stack(columns, axis=1)

    def _outcome(self, hypothesis: Hypothesis, jacobian: F64) -> OutlineFit:
        gaps = self._gaps(hypothesis)
        residual = np.concatenate([_scaled(g).ravel() for g in gaps.values()])
        rms = {name: float(np.sqrt(np.median(g**2) / 0.455)) for name, g in gaps.items() if g.size}
        return OutlineFit(hypothesis, float(np.mean(_robust(residual))), rms, jacobian, residual)

    def _gaps(self, hypothesis: Hypothesis) -> dict[str, F64]:
        """Model minus observation by body [px], (F, D) each."""
        world = hypothesis.world()
        self.rollouts += 1
        try:
            duration = self._outlines.n_frames / self._outlines.fps
            position, turn = self._engine.frame_poses(world, rate_hz=self._rate, duration=duration)
        except (SimulationDivergedError, FourDCBError):
            return {n: np.full((len(f), 24), _FAR) for n, f in self._frames.items()}
        gaps = {}
        names = [o.name for o in world.objects]
        for name, frames in self._frames.items():
            i = names.index(name)
            k = np.minimum(frames, len(position) - 1)
            drawn = silhouette(world.objects[i], world.camera, position[k, i], turn[k, i])
            gap = np.nan_to_num(drawn - self._outlines.by_name[name][frames], nan=_FAR)
            gaps[name] = np.clip(gap, -4 * _FAR, 4 * _FAR)
        return gaps


class _OutOfTimeError(Exception):
    """The deadline has passed; the best so far stands."""


class _Best:
    """The best vector that was looked at."""

    def __init__(self, x: F64) -> None:
        self.x, self._cost = x, np.inf

    def offer(self, x: F64, cost: float) -> None:
        if cost < self._cost:
            self.x, self._cost = x.copy(), cost


def _spread(frames: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    if len(frames) <= count:
        return frames
    return np.unique(frames[np.linspace(0, len(frames) - 1, count).round().astype(int)])


def _scaled(gap: F64) -> F64:
    """Gaps (F, D) in standard deviations, their mean over the directions counted less."""
    mean = gap.mean(axis=1, keepdims=True)
    return np.asarray((gap - mean) / _SIGMA + mean / _WIDTH_SIGMA)


def _soft(r: F64) -> F64:
    """Residuals whose squares are the soft-L1 loss of the given ones."""
    scaled = r / _ROBUST
    return np.asarray(np.sign(r) * _ROBUST * np.sqrt(2.0 * (np.sqrt(1.0 + scaled**2) - 1.0)))


def _robust(r: F64) -> F64:
    return np.asarray(_soft(r) ** 2)


def _priors(unknowns: tuple[Unknown, ...], x: F64) -> F64:
    return np.array(
        [
            0.0 if u.prior is None else (value * u.scale - u.prior[0]) / u.prior[1]
            for u, value in zip(unknowns, x, strict=True)
        ]
    )
