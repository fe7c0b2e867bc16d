"""Fit parameters of a world to a video: analysis by synthesis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F32, F64
from fourdcb.errors import SimulationDivergedError, UserError
from fourdcb.oracle.observation import LADDER, Level, Observation, Residual, observe, residual_of
from fourdcb.physics import Engine, judging_rate, make_engine
from fourdcb.progress import NullProgress, Progress
from fourdcb.render import RasterRenderer, RenderSettings
from fourdcb.replay import FrameSequence
from fourdcb.sensitivity.differences import slider_slope
from fourdcb.trajectory import Trajectory
from fourdcb.world import Parameter, World, parameter, with_value

_SEEN = 3.0
# A moving body covers a small part of the picture: its share of the RMS over all pixels is faint.
_FAINT = 0.02
_STARTS = 8
_NEARBY = (-0.09, -0.06, -0.03, 0.03, 0.06, 0.09)  # shares of a slider
_MAX_EVALUATIONS = 12
_AT_BOUND = 1e-4  # shares of a slider


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedParameter:
    """One fitted number.

    Attributes:
        path: where it lives in the world.
        start, value: before and after the fit.
        standard_error: statistical only, from the residual and the Jacobian at the solution: what engine and
            renderer do unlike the video's world shifts the value besides. None when not identifiable, and at
            a bound, where the error is one-sided.
        identifiable: whether the video shows it at all, next to the other fitted parameters.
        bound: the end of the legal range at which the value lies, ``lower`` or ``upper``: what fits best may
            lie beyond. None elsewhere.
    """

    path: str
    start: float
    value: float
    standard_error: float | None
    identifiable: bool
    bound: Literal["lower", "upper"] | None = None

    @property
    def rounded(self) -> float:
        """The value to the second digit of its standard error."""
        if not self.standard_error:
            return self.value
        return round(self.value, max(0, 1 - math.floor(math.log10(self.standard_error))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """The outcome.

    Attributes:
        world: the fitted world, on the video's clock.
        parameters: in the order asked for.
        before, after: how far the start and the outcome are from the video.
        evaluations: how many replays were looked at.
    """

    world: World
    parameters: tuple[FittedParameter, ...]
    before: Residual
    after: Residual
    evaluations: int

    @property
    def residual_before(self) -> float:
        """RMS of the start's residual where anything moves, in [0, 1]."""
        return self.before.moving

    @property
    def residual_after(self) -> float:
        """RMS of what is left over where anything moves, in [0, 1]."""
        return self.after.moving

    @property
    def explains_the_video(self) -> bool:
        """Whether what is left over is as small as noise and compression leave it; else no value counts."""
        return self.after.explained


def fit(
    world: World,
    paths: Sequence[str],
    frames: FrameSequence,
    *,
    times: F64 | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Fit:
    """Find the values of ``paths`` that make the world's replay look like ``frames``.

    Starts from the best of the given values and a low-discrepancy sample of the sliders, then descends a
    coarse-to-fine ladder by bounded least squares (trust region reflective) on the image residual. The
    sliders only scale the search; it ends where the legal range of a value does.

    Args:
        world: start; everything not named in ``paths`` stays as it is.
        paths: parameters to fit, at least one.
        frames: the video on the world's picture size, uint8, shape (T, H, W, 3).
        times: when they are shown [s], shape (T,), within the world's duration; default its frame times.
        engine: reused engine; default a fresh one.
        progress: told of evaluations; may cancel.

    Raises:
        UserError: for unknown parameters, frames of another size, or frames beyond the world's duration.
    """
    if not paths:
        raise UserError("no parameter to fit", hint="name at least one, such as cup.restitution")
    times = world.frame_times() if times is None else np.asarray(times, dtype=np.float64)
    _check_frames(world, frames, times)
    if engine is None:
        with make_engine() as own:
            return fit(world, paths, frames, times=times, engine=own, progress=progress)
    known = [parameter(world, path) for path in paths]
    observation = Observation(frames, times)
    return _Problem(world, known, observation, engine, progress or NullProgress()).solve()


def _check_frames(world: World, frames: FrameSequence, times: F64) -> None:
    size = (world.camera.height, world.camera.width, 3)
    if tuple(frames.shape[1:]) != size:
        raise UserError(
            "the video does not fit the world: another picture size",
            got=f"{frames.shape[2]} x {frames.shape[1]} px", expected=f"{size[1]} x {size[0]} px",
        )  # fmt: skip
    if len(frames) != len(times):
        raise UserError(
            "the video does not fit the world: another number of frames",
            got=f"{len(frames)} frames",
            expected=f"{len(times)}, of which the times are given",
        )
    if times[-1] > world.duration:
        raise UserError(
            "the video does not fit the world: it is longer",
            got=f"a frame at {times[-1]:.3g} s",
            expected=f"none after {world.duration:.3g} s",
        )


class _Problem:
    """Residuals of one fit over normalised parameters u: 0 and 1 are a slider's ends, the search goes on."""

    def __init__(
        self,
        world: World,
        known: list[Parameter],
        video: Observation,
        engine: Engine,
        progress: Progress,
    ) -> None:
        self._world, self._known, self._video = world, known, video
        self._engine, self._progress = engine, progress
        self._rate = judging_rate(world.fps)
        self._moves = any(p.stage == "physics" for p in known)
        self._trajectory: Trajectory | None = None
        self._low, self._high = np.array([_legal(p) for p in known]).T
        self.evaluations = 0

    def solve(self) -> Fit:
        from scipy.optimize import least_squares

        start = np.array([_to_unit(p, p.value) for p in self._known])
        self._progress.start("fitting", len(LADDER))
        u = self._best_start(start)
        for level in LADDER:
            u = self._best_nearby(u, level)
            solution = least_squares(
                self._residual, u, jac=self._jacobian, bounds=(self._low, self._high), args=(level,),
                x_scale=1.0, max_nfev=_MAX_EVALUATIONS, xtol=1e-6, ftol=1e-6,
            )  # fmt: skip
            u = solution.x
            self._progress.advance()
        finest = LADDER[-1]
        residual = self._residual(u, finest)
        frames = len(self._video.chosen(finest))
        errors, seen = _precision(self._jacobian(u, finest), residual, frames=frames)
        return Fit(
            world=self._at(u),
            parameters=tuple(
                self._fitted(i, float(u[i]), float(errors[i]), seen=bool(seen[i])) for i in range(len(u))
            ),
            before=self._left_over(start, finest),
            after=self._left_over(u, finest),
            evaluations=self.evaluations,
        )

    def _fitted(self, i: int, u: float, error: float, *, seen: bool) -> FittedParameter:
        known = self._known[i]
        value = _from_unit(known, u)
        bound: Literal["lower", "upper"] | None = None
        if u - self._low[i] < _AT_BOUND:
            bound, value = "lower", value if known.lower is None else known.lower
        elif self._high[i] - u < _AT_BOUND:
            bound, value = "upper", value if known.upper is None else known.upper
        slope = slider_slope(replace(known, value=value))
        return FittedParameter(
            path=known.path, start=known.value, value=value, identifiable=seen, bound=bound if seen else None,
            standard_error=float(error * slope) if seen and bound is None else None,
        )  # fmt: skip

    def _best_start(self, start: F64) -> F64:
        from scipy.stats import qmc

        sample = qmc.Halton(d=len(start), scramble=False).random(_STARTS + 1)[1:]
        tries = [start, *sample]
        costs = [float(np.sum(self._residual(u, LADDER[0]) ** 2)) for u in tries]
        return self._inside(tries[int(np.argmin(costs))])

    def _best_nearby(self, u: F64, level: Level) -> F64:
        """The best of ``u`` and of steps along each parameter: bounces leave dents in the residual."""
        best, least = self._inside(u), float(np.sum(self._residual(u, level) ** 2))
        for i in range(len(u)):
            for step in _NEARBY:
                tried = best.copy()
                tried[i] = u[i] + step
                tried = self._inside(tried)
                cost = float(np.sum(self._residual(tried, level) ** 2))
                if cost < least:
                    best, least = tried, cost
        return best

    def _inside(self, u: F64) -> F64:
        return np.clip(u, self._low + 1e-6, self._high - 1e-6)

    def _at(self, u: F64) -> World:
        world = self._world
        for known, value in zip(self._known, u, strict=True):
            world = with_value(world, known.path, _within(known, _from_unit(known, float(value))))
        return world

    def _residual(self, u: F64, level: Level) -> F64:
        drawn = self._drawn(u, level)
        seen = self._video.at(level)
        return (np.ones_like(seen) if drawn is None else drawn - seen).astype(np.float64).ravel()

    def _left_over(self, u: F64, level: Level) -> Residual:
        drawn = self._drawn(u, level)
        return residual_of(self._video.at(level), drawn)

    def _drawn(self, u: F64, level: Level) -> F32 | None:
        """The replay as the fit sees it, shape (F, N); None when the world explodes."""
        self.evaluations += 1
        self._progress.advance(0)  # lets the owner cancel between two levels
        world = self._at(u)
        trajectory = self._rolled_out(world)
        if trajectory is None:
            return None
        renderer = RasterRenderer(world, RenderSettings(supersample=level.supersample))
        return np.stack(
            [
                observe(renderer.render(trajectory, float(t), aux=False).rgb, level)
                for t in self._video.chosen_times(level)
            ]
        )

    def _rolled_out(self, world: World) -> Trajectory | None:
        if self._trajectory is not None and not self._moves:
            return self._trajectory
        try:
            self._trajectory = self._engine.rollout(world, rate_hz=self._rate)
        except SimulationDivergedError:
            return None  # a value at which the world explodes is a bad answer, not the end of the search
        return self._trajectory

    def _jacobian(self, u: F64, level: Level) -> F64:
        columns = []
        for i in range(len(u)):
            step = level.step if u[i] + level.step <= self._high[i] else -level.step
            forward, backward = u.copy(), u.copy()
            forward[i] += step
            backward[i] = np.clip(u[i] - step, self._low[i], self._high[i])
            width = forward[i] - backward[i]
            columns.append((self._residual(forward, level) - self._residual(backward, level)) / width)
        return np.stack(columns, axis=1)


def _precision(jacobian: F64, residual: F64, *, frames: int) -> tuple[F64, NDArray[np.bool_]]:
    """Standard errors in u and whether each parameter is seen beside the others.

    What is left over is not white noise: compression and model errors move whole regions together. The
    errors are therefore those of the sandwich estimator clustered by frame (Liang and Zeger 1986),
    (JᵀJ)⁻¹ (Σ_f s_f s_fᵀ) (JᵀJ)⁻¹ with s_f = J_fᵀ r_f, scaled by F / (F − 1). A parameter whose error
    spans a third of its slider, or whose whole slider moves the pictures by less than three times what is
    left over, is not identifiable; neither is any from a single frame.
    """
    if frames < 2:  # one cluster has no spread: nothing is known of the errors
        return np.full(jacobian.shape[1], np.inf), np.zeros(jacobian.shape[1], dtype=np.bool_)
    inverse = np.linalg.pinv(jacobian.T @ jacobian, rcond=1e-12)
    scores = np.einsum(
        "fnp,fn->fp", jacobian.reshape(frames, -1, jacobian.shape[1]), residual.reshape(frames, -1)
    )
    covariance = inverse @ (scores.T @ scores) @ inverse * frames / (frames - 1)
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    noise = max(float(np.sqrt(np.mean(residual**2))), 0.5 / 255.0)
    strength = np.linalg.norm(jacobian, axis=0) / (noise * np.sqrt(len(residual)))
    return errors, (strength > _SEEN * _FAINT) & (errors < 1.0 / _SEEN)


def _legal(known: Parameter) -> tuple[float, float]:
    """The legal range in u; an open end is infinite."""
    low = -np.inf if known.lower is None else known.lower
    high = np.inf if known.upper is None else known.upper
    if known.scale == "log":
        return (_to_unit(known, low) if low > 0 else -np.inf, _to_unit(known, high))
    return _to_unit(known, low), _to_unit(known, high)


def _within(known: Parameter, value: float) -> float:
    """Within the legal range, of which rounding may leave by a digit."""
    low = -np.inf if known.lower is None else known.lower
    high = np.inf if known.upper is None else known.upper
    return min(max(value, low), high)


def _to_unit(known: Parameter, value: float) -> float:
    low, high = known.slider
    if known.scale == "log":
        return float(np.log(value / low) / np.log(high / low))
    return (value - low) / (high - low)


def _from_unit(known: Parameter, u: float) -> float:
    low, high = known.slider
    if known.scale == "log":
        return float(low * (high / low) ** u)
    return low + u * (high - low)
