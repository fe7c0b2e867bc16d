"""Fit parameters of a world to a video: analysis by synthesis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64
from fourdcb.errors import SimulationDivergedError, UserError
from fourdcb.oracle.observation import LADDER, Level, chosen_frames, observe
from fourdcb.physics import Engine, judging_rate, make_engine
from fourdcb.progress import NullProgress, Progress
from fourdcb.render import RasterRenderer, RenderSettings
from fourdcb.replay import FrameSequence
from fourdcb.sensitivity.differences import slider_slope
from fourdcb.trajectory import Trajectory
from fourdcb.world import Parameter, World, parameter, with_value

_SEEN = 3.0
# RMS of what sensor noise and H.264 leave in small, blurred pictures; a body in the wrong place leaves more.
_NOISE_LEVEL = 0.02
# A moving body covers a small part of the picture: its share of the RMS over all pixels is faint.
_FAINT = 0.02
_STARTS = 8
_NEARBY = (-0.09, -0.06, -0.03, 0.03, 0.06, 0.09)  # shares of a slider
_MAX_EVALUATIONS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedParameter:
    """One fitted number.

    Attributes:
        path: where it lives in the world.
        start, value: before and after the fit.
        standard_error: statistical only, from the residual and the Jacobian at the solution: what engine and
            renderer do unlike the video's world shifts the value besides. None when not identifiable.
        identifiable: whether the video shows it at all, next to the other fitted parameters.
    """

    path: str
    start: float
    value: float
    standard_error: float | None
    identifiable: bool

    @property
    def rounded(self) -> float:
        """The value to the second digit of its standard error."""
        if not self.standard_error:
            return self.value
        return round(self.value, max(0, 1 - math.floor(math.log10(self.standard_error))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """The outcome: the fitted world, its parameters, and RMS image residuals in [0, 1]."""

    world: World
    parameters: tuple[FittedParameter, ...]
    residual_before: float
    residual_after: float
    evaluations: int

    @property
    def explains_the_video(self) -> bool:
        """Whether what is left over is as small as noise and compression leave it."""
        return self.residual_after < _NOISE_LEVEL


def fit(
    world: World,
    paths: Sequence[str],
    frames: FrameSequence,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Fit:
    """Find the values of ``paths`` that make the world's replay look like ``frames``.

    Starts from the best of the given values and a low-discrepancy sample of the sliders, then descends a
    coarse-to-fine ladder by bounded least squares (trust region reflective) on the image residual.

    Args:
        world: start; everything not named in ``paths`` stays as it is.
        paths: parameters to fit, at least one; sliders bound the search.
        frames: the video on the world's frame grid and picture size, uint8, shape (T, H, W, 3).
        engine: reused engine; default a fresh one.
        progress: told of evaluations; may cancel.

    Raises:
        UserError: for unknown parameters or frames of another size.
    """
    expected = (world.n_frames, world.camera.height, world.camera.width, 3)
    if not paths:
        raise UserError("no parameter to fit", hint="name at least one, such as cup.restitution")
    if frames.shape != expected:
        raise UserError("the video does not fit the world", got=str(frames.shape), expected=str(expected))
    if engine is None:
        with make_engine() as own:
            return fit(world, paths, frames, engine=own, progress=progress)
    problem = _Problem(
        world, [parameter(world, path) for path in paths], frames, engine, progress or NullProgress()
    )
    return problem.solve()


class _Problem:
    """Residuals of one fit over normalised parameters u in [0, 1]^P (a slider's ends)."""

    def __init__(
        self,
        world: World,
        known: list[Parameter],
        frames: FrameSequence,
        engine: Engine,
        progress: Progress,
    ) -> None:
        self._world, self._known, self._frames = world, known, frames
        self._engine, self._progress = engine, progress
        self._rate = judging_rate(world.fps)
        self._moves = any(p.stage == "physics" for p in known)
        self._trajectory: Trajectory | None = None
        self.evaluations = 0

    def solve(self) -> Fit:
        from scipy.optimize import least_squares

        start = np.array([_to_unit(p, p.value) for p in self._known])
        self._progress.start("fitting", len(LADDER))
        u = self._best_start(start)
        for level in LADDER:
            u = self._best_nearby(u, level)
            solution = least_squares(
                self._residual, u, jac=self._jacobian, bounds=(0.0, 1.0), args=(level,), x_scale=1.0,
                max_nfev=_MAX_EVALUATIONS, xtol=1e-6, ftol=1e-6,
            )  # fmt: skip
            u = solution.x
            self._progress.advance()
        finest = LADDER[-1]
        residual = self._residual(u, finest)
        picked = len(chosen_frames(len(self._frames), finest.frames))
        errors, seen = _precision(self._jacobian(u, finest), residual, frames=picked)
        before = self._residual(start, finest)
        values = [_from_unit(p, float(x)) for p, x in zip(self._known, u, strict=True)]
        fitted = tuple(
            FittedParameter(
                path=p.path, start=p.value, value=value, identifiable=bool(told),
                standard_error=float(error * slider_slope(replace(p, value=value))) if told else None,
            )
            for p, value, error, told in zip(self._known, values, errors, seen, strict=True)
        )  # fmt: skip
        return Fit(
            world=self._at(u),
            parameters=fitted,
            residual_before=float(np.sqrt(np.mean(before**2))),
            residual_after=float(np.sqrt(np.mean(residual**2))),
            evaluations=self.evaluations,
        )

    def _best_start(self, start: F64) -> F64:
        from scipy.stats import qmc

        sample = qmc.Halton(d=len(start), scramble=False).random(_STARTS + 1)[1:]
        tries = [start, *sample]
        costs = [float(np.sum(self._residual(u, LADDER[0]) ** 2)) for u in tries]
        return np.clip(tries[int(np.argmin(costs))], 1e-6, 1 - 1e-6)

    def _best_nearby(self, u: F64, level: Level) -> F64:
        """The best of ``u`` and of steps along each parameter: bounces leave dents in the residual."""
        best, least = u, float(np.sum(self._residual(u, level) ** 2))
        for i in range(len(u)):
            for step in _NEARBY:
                tried = best.copy()
                tried[i] = np.clip(u[i] + step, 1e-6, 1 - 1e-6)
                cost = float(np.sum(self._residual(tried, level) ** 2))
                if cost < least:
                    best, least = tried, cost
        return best

    def _at(self, u: F64) -> World:
        world = self._world
        for known, value in zip(self._known, u, strict=True):
            world = with_value(world, known.path, _from_unit(known, float(value)))
        return world

    def _residual(self, u: F64, level: Level) -> F64:
        self.evaluations += 1
        self._progress.advance(0)  # lets the owner cancel between two levels
        world = self._at(u)
        picked = chosen_frames(len(self._frames), level.frames)
        trajectory = self._rolled_out(world)
        if trajectory is None:
            return np.ones(sum(observe(self._frames[int(k)], level).size for k in picked))
        renderer = RasterRenderer(world, RenderSettings(supersample=1))
        parts = []
        for k in picked:
            drawn = renderer.render(trajectory, k / world.fps, aux=False).rgb
            parts.append(observe(drawn, level) - observe(self._frames[int(k)], level))
        return np.concatenate(parts).astype(np.float64)

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
            step = level.step if u[i] + level.step <= 1.0 else -level.step
            forward, backward = u.copy(), u.copy()
            forward[i] += step
            backward[i] = np.clip(u[i] - step, 0.0, 1.0)
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
