"""Sensitivity strips: how far the motion is from the reference's, against the value of one parameter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fourdcb.world import Parameter

SAMPLES = 13
OBSERVABLE = 1e-4  # [m] less than a tenth of a millimetre is no motion that a video shows


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """Errors along a slider.

    Attributes:
        edits: the edits of other parameters under which it was made; tells whether it is up to date.
        errors: root mean square distance from the reference [m], NaN where the simulation failed.
    """

    edits: frozenset[tuple[str, float]]
    errors: tuple[float, ...]

    @property
    def is_observable(self) -> bool:
        """Whether the parameter changes the motion at all, over its whole slider."""
        finite = [e for e in self.errors if np.isfinite(e)]
        failed = len(finite) < len(self.errors)
        return failed or max(finite) - min(finite) > OBSERVABLE


class StripPlan:
    """Which strips are wanted, which are there, which are up to date."""

    def __init__(self) -> None:
        self._paths: tuple[str, ...] = ()
        self._strips: dict[str, Strip] = {}
        self._edits: dict[str, float] = {}

    def want(self, paths: tuple[str, ...]) -> None:
        """Parameters whose strips are on screen."""
        self._paths = paths

    def set_edits(self, edits: Mapping[str, float]) -> None:
        """The candidate's edits on top of its script."""
        self._edits = dict(edits)

    def forget(self) -> None:
        """The script itself changed: no strip means anything."""
        self._strips.clear()

    def get(self, path: str) -> tuple[Strip, bool] | None:
        """The strip of a parameter and whether it is up to date, None while there is none."""
        found = self._strips.get(path)
        return None if found is None else (found, found.edits == self._other_edits(path))

    def take(self, path: str, errors: tuple[float, ...]) -> None:
        """A strip was made for the candidate as it stands."""
        self._strips[path] = Strip(edits=self._other_edits(path), errors=errors)

    def next_path(self) -> str | None:
        """The first parameter that lacks an up-to-date strip."""
        for path in self._paths:
            found = self.get(path)
            if found is None or not found[1]:
                return path
        return None

    def _other_edits(self, path: str) -> frozenset[tuple[str, float]]:
        """The edits that a strip depends on: all but those of its own parameter."""
        return frozenset(item for item in self._edits.items() if item[0] != path)


def strip_values(parameter: Parameter) -> tuple[float, ...]:
    """Values along a parameter's slider, evenly on its own scale."""
    low, high = parameter.slider
    if parameter.scale == "log" and low > 0:
        spaced = np.geomspace(low, high, SAMPLES)
    else:
        spaced = np.linspace(low, high, SAMPLES)
    inside = np.clip(
        spaced,
        -np.inf if parameter.lower is None else parameter.lower,
        np.inf if parameter.upper is None else parameter.upper,
    )
    return tuple(float(v) for v in inside)
