"""Sensitivity strips: how far the motion is from the reference's, against the value of one parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fourdcb.world import Parameter

SAMPLES = 9
"""Evenly spread values; the current one, the file's and :data:`CLOSER` adaptive ones come on top."""
CLOSER = 8
_MOST = 64  # samples that are kept of one parameter
OBSERVABLE = 1e-4  # [m] less than a tenth of a millimetre is no motion that a video shows


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """Errors along a slider.

    Attributes:
        edits: the edits of other parameters under which it was made; tells whether it is up to date.
        values: the parameter's values that were tried, ascending, shape (S,).
        errors: root mean square distance from the reference [m] at each, NaN where the simulation failed.
    """

    edits: frozenset[tuple[str, float]]
    values: tuple[float, ...]
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
        self._file_values: dict[str, float] = {}

    def want(self, paths: tuple[str, ...]) -> None:
        """Parameters whose strips are on screen."""
        self._paths = paths

    def set_edits(self, edits: Mapping[str, float], file_values: Mapping[str, float]) -> None:
        """The candidate's edits on top of its script, and what the script says."""
        self._edits, self._file_values = dict(edits), dict(file_values)

    def forget(self) -> None:
        """The script itself changed: no strip means anything."""
        self._strips.clear()

    def get(self, path: str) -> tuple[Strip, bool] | None:
        """The strip of a parameter and whether it is up to date, None while there is none."""
        found = self._strips.get(path)
        return None if found is None else (found, found.edits == self._other_edits(path))

    def take(self, path: str, values: tuple[float, ...], errors: tuple[float, ...]) -> None:
        """Values were tried for the candidate as it stands; those that were tried before stay."""
        edits, found = self._other_edits(path), dict(zip(values, errors, strict=True))
        known = self._strips.get(path)
        if known is not None and known.edits == edits and len(known.values) < _MOST:
            found = dict(zip(known.values, known.errors, strict=True)) | found
        samples = sorted(found.items())
        self._strips[path] = Strip(
            edits=edits, values=tuple(v for v, _ in samples), errors=tuple(e for _, e in samples)
        )

    def next_path(self) -> str | None:
        """The first parameter that lacks an up-to-date strip, or whose strip lacks the current value."""
        return next((path for path in self._paths if self._lacks(path)), None)

    def next_values(self, parameter: Parameter) -> tuple[tuple[float, ...], int]:
        """Values to try of a parameter, and how many more where they tell most."""
        found = self.get(parameter.path)
        if found is not None and found[1] and len(found[0].values) < _MOST:
            return (parameter.value,), 0
        told = (parameter.value, self._file_values.get(parameter.path, parameter.value))
        return strip_values(parameter, *told), CLOSER

    def _lacks(self, path: str) -> bool:
        found = self.get(path)
        return (
            found is None or not found[1] or self._edits.get(path, found[0].values[0]) not in found[0].values
        )

    def _other_edits(self, path: str) -> frozenset[tuple[str, float]]:
        """The edits that a strip depends on: all but those of its own parameter."""
        return frozenset(item for item in self._edits.items() if item[0] != path)


def strip_values(parameter: Parameter, *told: float) -> tuple[float, ...]:
    """Values along a parameter's slider, evenly on its own scale, and those of ``told``; ascending."""
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
    return tuple(sorted({*inside.tolist(), *told}))


def closer_value(values: Sequence[float], errors: Sequence[float], *, log: bool) -> float:
    """The value that tells most beside those that were tried: halves an interval between neighbours.

    An interval weighs as much as its length times the change of the error's root over it (each relative to
    its whole span), which follows steep slopes; beside the least error it weighs twice its length at least,
    which closes in on the valley.

    Args:
        values: ascending, shape (S,), S ≥ 2.
        errors: at each, NaN where the simulation failed.
        log: whether lengths are those of the logarithm.
    """
    x = np.log(values) if log else np.asarray(values, dtype=np.float64)
    size = np.sqrt(np.asarray(errors, dtype=np.float64))
    finite = np.isfinite(size)
    worst = float(size[finite].max()) if finite.any() else 1.0
    y = np.where(finite, size, worst) / max(worst, 1e-12)
    length = np.diff(x) / max(float(x[-1] - x[0]), 1e-12)
    weight = length * np.abs(np.diff(y))
    best = int(np.argmin(np.where(finite, y, np.inf)))
    for beside in (best - 1, best):
        if 0 <= beside < len(weight):
            weight[beside] = max(weight[beside], 2 * length[beside] ** 2)
    k = int(np.argmax(weight))
    middle = (x[k] + x[k + 1]) / 2
    return float(np.exp(middle)) if log else float(middle)
