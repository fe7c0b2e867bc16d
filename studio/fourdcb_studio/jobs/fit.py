"""Solving for parameters from the pictures, in a process of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fourdcb.world import World
from fourdcb_studio.jobs.contract import JobKind


@dataclass(frozen=True, slots=True, kw_only=True)
class FitRequest:
    """Solve for parameters from the pictures.

    Attributes:
        world: the edited candidate on its stage.
        reference: the truth, when it is known; motions are compared with it then.
        video: what to look like; None fits to the reference's own pictures.
        paths: parameters to solve for.
    """

    world: World
    reference: World | None
    video: str | None
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedValue:
    """One solved number.

    Attributes:
        path: the parameter.
        start, value: before and after.
        error: standard error; None where the clip does not show it, and at a bound.
        bound: the end of the legal range at which the value lies; what fits best may lie beyond.
    """

    path: str
    start: float
    value: float
    error: float | None
    bound: Literal["lower", "upper"] | None = None

    @property
    def found(self) -> bool:
        """Whether the value can be taken over."""
        return self.error is not None or self.bound is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class FitResult:
    """What a fit found.

    Attributes:
        values: by parameter, in the order asked for.
        residual_before, residual_after: root mean square difference of the pictures, 0 … 1.
        explains: whether what is left over is as small as noise and compression leave it.
        distance_before_mm, distance_after_mm: root mean square distance of the moving objects from the
            reference's [mm]; None without one.
        seconds: what it took [s].
    """

    values: tuple[FittedValue, ...]
    residual_before: float
    residual_after: float
    explains: bool
    distance_before_mm: float | None
    distance_after_mm: float | None
    seconds: float


FIT = JobKind(name="fit", request=FitRequest, place="process", work="fourdcb_studio.workers.fit:fit_values")
