"""One measured figure beside what mechanics says it should be."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fourdcb.physics.engine import Engine
from fourdcb.physics.rates import JUDGING_HZ


@dataclass(frozen=True, slots=True, kw_only=True)
class ConformanceRow:
    """One line of the conformance table.

    Attributes:
        name: what was measured, with the rate, for example ``bounce sphere e=0.8 @ 960 Hz``.
        measured, expected, tolerance: in ``unit``; tolerance is absolute, None when only reported.
        default_measured: the same with the engine beside, Bullet's defaults unless another one was
            asked for; None where that was not measured or has no meaning.
        passed: None when only reported.
    """

    name: str
    measured: float
    expected: float
    tolerance: float | None
    unit: str = ""
    default_measured: float | None = None

    @property
    def passed(self) -> bool | None:
        """Whether the measurement lies within the tolerance."""
        if self.tolerance is None:
            return None
        return abs(self.measured - self.expected) <= self.tolerance

    def to_json(self) -> dict[str, object]:
        """Plain JSON value."""
        return {
            "name": self.name,
            "measured": self.measured,
            "expected": self.expected,
            "tolerance": self.tolerance,
            "unit": self.unit,
            "default_measured": self.default_measured,
            "passed": self.passed,
        }


Case = Callable[[Engine, float], Iterable[ConformanceRow]]


def by_rate(rate_hz: float, *, preview: float, judging: float) -> float:
    """The tolerance that belongs to a rate: preview below 960 Hz, judging from there on."""
    return judging if rate_hz >= JUDGING_HZ else preview
