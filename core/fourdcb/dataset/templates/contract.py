"""What a template is: named ranges, and a function that composes a world from values drawn within them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from fourdcb.errors import UserError
from fourdcb.world import World

_DIGITS = 3  # significant: what a script states is what a person can read
_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Range:
    """An interval that values are drawn from.

    Attributes:
        low, high: its ends [unit].
        unit: SI unit, or "".
        scale: ``linear`` draws evenly, ``log`` evenly in the logarithm.
    """

    low: float
    high: float
    unit: str = ""
    scale: Literal["linear", "log"] = "linear"


class Draw:
    """Values of one sample: drawn within a template's ranges, rounded to three significant digits.

    Args:
        random: the sample's own stream.
        ranges: by name.
    """

    def __init__(self, random: np.random.Generator, ranges: Mapping[str, Range]) -> None:
        self.random = random
        self._ranges = ranges

    def value(self, name: str) -> float:
        """A number from the range of that name. Raises UserError for an unknown name."""
        if name not in self._ranges:
            raise UserError("the template has no such range", got=name, expected=", ".join(self._ranges))
        span = self._ranges[name]
        return self.within(span.low, span.high, scale=span.scale)

    def within(self, low: float, high: float, *, scale: Literal["linear", "log"] = "linear") -> float:
        """A number between two others; never outside them, rounding included."""
        share = self.random.uniform()
        drawn = low + (high - low) * share if scale == "linear" else low * (high / low) ** share
        return min(max(rounded(drawn), low), high)

    def whole(self, name: str) -> int:
        """A whole number from the range of that name, both ends included."""
        span = self._ranges[name]
        return int(self.random.integers(round(span.low), round(span.high) + 1))

    def choice(self, options: Sequence[_Item]) -> _Item:
        """One of several, each as likely."""
        return options[int(self.random.integers(len(options)))]

    def happens(self, share: float) -> bool:
        """True in this share of samples."""
        return bool(self.random.uniform() < share)

    def sign(self) -> float:
        """−1 or 1."""
        return 1.0 if self.happens(0.5) else -1.0


def rounded(value: float) -> float:
    """A number with three significant digits."""
    if value == 0.0:
        return 0.0
    return round(value, _DIGITS - 1 - math.floor(math.log10(abs(value))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """One family of scenes.

    Attributes:
        name: as the command line says it.
        line: what happens, in one line.
        ranges: of what is drawn, by name; the docs page shows them.
        compose: makes the physical scene: objects and planes, without light and camera.
        watched: paths of the parameters whose effect must be seen, of those that a world has.
        view: (azimuth, elevation) ranges of the camera about the action [deg]; azimuth 0 looks along +y.
        longest: of a clip [s].
    """

    name: str
    line: str
    ranges: Mapping[str, Range]
    compose: Callable[[Draw], World]
    watched: tuple[str, ...]
    view: tuple[tuple[float, float], tuple[float, float]] = ((-25.0, 25.0), (8.0, 28.0))
    longest: float = 4.0

    def sample(self, random: np.random.Generator) -> World:
        """A world of this family at its longest, its camera not yet framed."""
        return self.compose(Draw(random, self.ranges))
