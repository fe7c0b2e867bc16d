"""Fits looks, and motion with them, to the pictures themselves: bright and dark sharp, colours coarse.

Video codecs keep colours at half the resolution and shift them by a fraction of a pixel; outlines by colour
are therefore a pixel wide of the mark. Brightness is sharp, so places come from it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fourdcb.arrays import F32, F64
from fourdcb.errors import FourDCBError
from fourdcb.oracle.looks import Look, get_look, with_looks
from fourdcb.oracle.unknowns import Hypothesis
from fourdcb.physics import Engine
from fourdcb.render import RasterRenderer, RenderSettings
from fourdcb.replay import FrameSequence
from fourdcb.trajectory import Trajectory
from fourdcb.world import World

_LUMA = np.array([0.299, 0.587, 0.114], dtype=np.float32)
_SIGMA = 0.02  # of a pixel's brightness, noise and what no model explains
_COLOUR_WEIGHT = 1.5
_COLOUR_SIZE = 4  # colour pixels are so many times larger
_ROBUST = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pictures:
    """What is compared: frames of a clip at their times [s], as :func:`seen` gives them, shape (F, N)."""

    seen: F32
    times: F64
    width: int
    height: int


def pictures_of(frames: FrameSequence, chosen: Sequence[int], times: F64, *, width: int) -> Pictures:
    """Some frames, scaled down."""
    height = max(8, round(width * frames.shape[1] / frames.shape[2]))
    parts = [seen(_small(frames[int(k)], width, height)) for k in chosen]
    return Pictures(seen=np.stack(parts), times=times[np.asarray(chosen)], width=width, height=height)


def seen(picture: F32) -> F32:
    """Brightness at full size and two colour differences at a quarter, of sRGB in [0, 1], flat."""
    import cv2

    luma = picture @ _LUMA
    size = (max(1, picture.shape[1] // _COLOUR_SIZE), max(1, picture.shape[0] // _COLOUR_SIZE))
    coarse = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    chroma = coarse[..., [0, 2]] - (coarse @ _LUMA)[..., None]
    return np.concatenate([luma.ravel(), _COLOUR_WEIGHT * chroma.ravel()]).astype(np.float32)


def _small(frame: np.ndarray, width: int, height: int) -> F32:
    import cv2

    small = cv2.resize(frame, (width, height), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small.astype(np.float32) / 255.0, (0, 0), 0.6), dtype=np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class PictureFit:
    """The outcome.

    Attributes:
        hypothesis, looks: as fitted.
        cost: mean robust squared residual [σ²].
        rms: what is left over of brightness and colour, in [0, 1].
        errors: standard errors of unknowns, then looks, in scales; infinite where nothing is known.
    """

    hypothesis: Hypothesis
    cost: float
    rms: float
    errors: F64
    looks: tuple[Look, ...]


class PictureProblem:
    """Residuals of a hypothesis against pictures.

    Args:
        pictures: what to meet.
        engine: rolls worlds out at ``rate_hz``.
        deadline: on ``time.monotonic``'s clock.
        moves: whether motion is fitted, too; else one rollout serves all.
    """

    def __init__(
        self, pictures: Pictures, engine: Engine, *, rate_hz: float, deadline: float, moves: bool
    ) -> None:
        self._pictures, self._engine, self._rate = pictures, engine, rate_hz
        self._deadline, self._moves = deadline, moves
        self._trajectory: Trajectory | None = None
        self.drawn = 0

    def gap(self, world: World) -> F32 | None:
        """Replay minus video, shape (F, N); None when the world explodes."""
        trajectory = self._rolled(world)
        if trajectory is None:
            return None
        p = self._pictures
        renderer = RasterRenderer(
            world, RenderSettings(width=p.width, height=p.height, supersample=2, shadow_size=512)
        )
        self.drawn += len(p.times)
        return np.stack([self._one(renderer, trajectory, float(t)) for t in p.times]) - p.seen

    def _one(self, renderer: RasterRenderer, trajectory: Trajectory, t: float) -> F32:
        import cv2

        rgb = renderer.render(trajectory, t, aux=False).rgb
        return seen(np.asarray(cv2.GaussianBlur(rgb.astype(np.float32) / 255.0, (0, 0), 0.6), np.float32))

    def _rolled(self, world: World) -> Trajectory | None:
        if self._trajectory is not None and not self._moves:
            return self._trajectory
        try:
            self._trajectory = self._engine.rollout(world, rate_hz=self._rate)
        except FourDCBError:
            return None
        return self._trajectory

    def fit(self, start: Hypothesis, looks: Sequence[Look], *, rounds: int) -> PictureFit:
        """Bounded robust least squares over the hypothesis's unknowns and looks."""
        from scipy.optimize import least_squares

        unknowns = start.unknowns() if self._moves else ()
        n = len(unknowns)
        x0 = np.concatenate([start.vector()[:n], [get_look(start.world(), v) / v.scale for v in looks]])
        low = np.array([*(u.lower / u.scale for u in unknowns), *(v.lower / v.scale for v in looks)])
        high = np.array([*(u.upper / u.scale for u in unknowns), *(v.upper / v.scale for v in looks)])
        step = np.array([*(u.step for u in unknowns), *(0.1 for _ in looks)])
        priors = [*(u.prior for u in unknowns), *(v.prior for v in looks)]
        scales = [*(u.scale for u in unknowns), *(v.scale for v in looks)]
        best: list[tuple[float, F64]] = []
        size = self._pictures.seen.size

        def dressed(x: F64) -> Hypothesis:
            moved = start.at(x[:n]) if n else start
            return dressed_in(moved, looks, x[n:])

        def residual(x: F64) -> F64:
            gap = self.gap(dressed(x).world())
            if gap is None:
                return np.full(size + len(priors), 10.0)
            r = np.concatenate([_soft(gap.ravel().astype(np.float64) / _SIGMA), _prior(x, priors, scales)])
            cost = float(r @ r)
            if not best or cost < best[0][0]:
                best[:] = [(cost, x.copy())]
            return r

        def jacobian(x: F64) -> F64:
            if time.monotonic() > self._deadline and best:
                raise _OutOfTimeError
            here = residual(x)
            columns = []
            for i in range(len(x)):
                moved = x.copy()
                moved[i] += step[i] if x[i] + step[i] <= high[i] else -step[i]
                columns.append((residual(moved) - here) / (moved[i] - x[i]))
            return np.stack(columns, axis=1)

        errors = np.full(len(x0), np.inf)
        try:
            solution = least_squares(
                residual, np.clip(x0, low + 1e-6, high - 1e-6), jac=jacobian, bounds=(low, high),
                max_nfev=rounds, xtol=1e-4, ftol=1e-4,
            )  # fmt: skip
            if solution.status > 0:  # a search that has not come to rest knows no errors
                errors = _errors(
                    np.asarray(solution.jac), np.asarray(solution.fun), len(self._pictures.times), size
                )
        except _OutOfTimeError:
            pass  # the best so far stands, without errors
        cost, x = best[0]
        done = dressed(x)
        gap = self.gap(done.world())
        left = np.ones(size) if gap is None else gap.ravel().astype(np.float64)
        return PictureFit(done, cost / size, float(np.sqrt(np.mean(left**2))), errors, tuple(looks))


class _OutOfTimeError(Exception):
    """The deadline has passed; the best so far stands."""


def dressed_in(hypothesis: Hypothesis, looks: Sequence[Look], x: F64) -> Hypothesis:
    """The hypothesis with other looks; ``x`` in scales."""
    things = tuple(b.thing for b in hypothesis.bodies)
    world = with_looks(replace(hypothesis.stage, objects=things), looks, x)
    bodies = tuple(replace(b, thing=t) for b, t in zip(hypothesis.bodies, world.objects, strict=True))
    return replace(hypothesis, stage=replace(world, objects=()), bodies=bodies)


def _errors(jacobian: F64, residual: F64, frames: int, size: int) -> F64:
    """Standard errors clustered by frame (Liang and Zeger 1986), as those of :func:`fourdcb.oracle.fit.fit`.

    Rows beyond ``size`` are priors: they bound what the pictures do not tell, and count as told by nobody.
    """
    if frames < 2:
        return np.full(jacobian.shape[1], np.inf)
    information = jacobian.T @ jacobian
    values, vectors = np.linalg.eigh(information + 1e-9 * np.trace(information) * np.eye(len(information)))
    inverse = (vectors / np.maximum(values, 1e-12)) @ vectors.T
    rows = jacobian[:size].reshape(frames, -1, jacobian.shape[1])
    scores = np.einsum("fnp,fn->fp", rows, residual[:size].reshape(frames, -1))
    covariance = inverse @ (scores.T @ scores) @ inverse * frames / (frames - 1)
    spread = np.maximum(np.diag(covariance), np.diag(inverse))
    return np.asarray(np.sqrt(np.maximum(spread, 0.0)))


def _soft(r: F64) -> F64:
    scaled = r / _ROBUST
    return np.asarray(np.sign(r) * _ROBUST * np.sqrt(2.0 * (np.sqrt(1.0 + scaled**2) - 1.0)))


def _prior(x: F64, priors: Sequence[tuple[float, float] | None], scales: Sequence[float]) -> F64:
    return np.array(
        [0.0 if p is None else (v * s - p[0]) / p[1] for v, p, s in zip(x, priors, scales, strict=True)]
    )
