"""Finite differences of anything that a world's parameter changes, with a check that they mean something.

Contact makes motion piecewise smooth: a touch more or less, or a slide that turns into a roll, and the
derivative on one side is not that on the other. Every derivative therefore carries its own reliability.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F64
from fourdcb.errors import SimulationDivergedError
from fourdcb.world import Parameter

Measurement = Callable[[float], F64]

STEP = 0.002  # share of a slider
_SMOOTH = 0.1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Derivative:
    """Change of an array per unit of one parameter.

    Attributes:
        path: the parameter.
        value: derivative [unit of the array / unit of the parameter], shape of the array.
        step: the larger of the two steps that were taken [unit of the parameter].
        defect: relative disagreement between the two steps, or between the two sides, whichever is
            larger (root mean square over the array); 0 for a straight line.
        one_sided: whether only one side could be measured, at the end of the legal range.
    """

    path: str
    value: F64
    step: float
    defect: float
    one_sided: bool

    @property
    def smooth(self) -> bool:
        """Whether the value can be believed as a derivative; else it is the secant over ``step``."""
        return self.defect < _SMOOTH


def slider_slope(known: Parameter) -> float:
    """Change of the value [unit] per whole slider, at the value: p · ln(high / low) on a log scale."""
    low, high = known.slider
    if known.scale == "log" and low > 0:
        return known.value * math.log(high / low)
    return high - low


def differentiate(
    measure: Measurement, known: Parameter, *, step: float | None = None, rounding: float = 0.0
) -> Derivative:
    """Derivative of ``measure`` at the parameter's value.

    Central differences over the step h and over h / 2, joined by Richardson's extrapolation
    (4 D(h/2) - D(h)) / 3, whose error is of fourth order. Where the two disagree by more than a tenth, or
    the left side does not fit the right side, the function is not smooth on this scale and the secant D(h)
    is given. At the end of the legal range the one-sided formula of second order is used.

    Args:
        measure: an array of fixed shape for a value of the parameter.
        known: the parameter; its slider decides the step.
        step: h [unit of the parameter]; default 1/500 of the slider.
        rounding: changes of the array up to this size are rounding errors; where there are no larger ones
            the derivative is 0.

    Raises:
        SimulationDivergedError: when the world explodes on both sides.
    """
    h = STEP * abs(slider_slope(known)) if step is None else step
    here = measure(known.value)
    sides = [side for sign in (1.0, -1.0) if (side := _side(measure, known, here, sign * h)) is not None]
    if not sides:
        raise SimulationDivergedError(body=known.owner, time=0.0, reason=f"explodes beside {known.path}")
    if h * max(float(np.abs(whole).max(initial=0.0)) for whole, _ in sides) <= rounding:
        return Derivative(
            path=known.path, value=np.zeros_like(here), step=h, defect=0.0, one_sided=len(sides) == 1
        )
    if len(sides) == 1:
        whole, half = sides[0]
        return _joined(known, h, secant=whole, best=2.0 * half - whole, defect=_gap(half, whole), sides=1)
    (right, near_right), (left, near_left) = sides
    whole, half = 0.5 * (right + left), 0.5 * (near_right + near_left)
    defect = max(_gap(half, whole), _gap(near_right, near_left))
    return _joined(known, h, secant=whole, best=(4.0 * half - whole) / 3.0, defect=defect, sides=2)


def _side(measure: Measurement, known: Parameter, here: F64, h: float) -> tuple[F64, F64] | None:
    """One-sided slopes over h and h / 2; None beyond the legal range or where the world explodes."""
    end = known.value + h
    below = known.lower is not None and end < known.lower
    if below or (known.upper is not None and end > known.upper):
        return None
    try:
        return (measure(end) - here) / h, (measure(known.value + 0.5 * h) - here) / (0.5 * h)
    except SimulationDivergedError:
        return None


def _joined(known: Parameter, h: float, *, secant: F64, best: F64, defect: float, sides: int) -> Derivative:
    value = best if defect < _SMOOTH else secant
    return Derivative(path=known.path, value=value, step=h, defect=defect, one_sided=sides == 1)


def _gap(a: F64, b: F64) -> float:
    """|a - b| relative to the larger of the two; 0 when both vanish."""
    size = max(float(np.linalg.norm(a)), float(np.linalg.norm(b)))
    return float(np.linalg.norm(a - b)) / size if size > 0 else 0.0
