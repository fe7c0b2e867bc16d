"""What the time panel shows, as immutable values, and the arithmetic on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fourdcb.words import tr

Track = NDArray[np.float64]
_TELLING = ("bounce", "slide", "touch")
_NICE = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


@dataclass(frozen=True, slots=True)
class FindingMark:
    """A finding on the time axis; severity is ``error``, ``warning`` or ``info``."""

    frame: int
    severity: str
    axis: str
    text: str


@dataclass(frozen=True, slots=True)
class ContactMark:
    """A contact event on the time axis; kind is ``bounce``, ``touch`` or ``slide``."""

    frame: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class ErrorTracks:
    """Error of one object over time, candidate − reference; NaN where nothing was measured.

    Attributes:
        xyz: position error [mm], shape (T, 3).
        rotation: angle of the rotation error [deg], shape (T,).
        energy: error of mechanical energy as a fraction of the reference's, shape (T,).
    """

    xyz: Track
    rotation: Track
    energy: Track


@dataclass(frozen=True, slots=True)
class Curve:
    """The linked plot: a quantity over time, of the candidate and the reference (either may be None)."""

    label: str
    times: Track
    candidate: Track | None
    reference: Track | None
    unit: str


@dataclass(frozen=True, slots=True)
class Limits:
    """Ends of the colour maps: signed position error [mm], rotation [deg], energy [fraction]."""

    position: float
    rotation: float
    energy: float


BEYOND = 10.0
"""How many thresholds lie at the end of a fixed map."""
LEAST = Limits(position=5.0, rotation=1.0, energy=0.01)
"""The maps never end below this, so that numerical noise stays dark."""


@dataclass(frozen=True, slots=True)
class TimelineData:
    """Everything that is painted once until it changes; the playhead is not part of it.

    Attributes:
        departure: the frame from which the moving areas of the pictures lie apart; None for none.
    """

    n_frames: int = 1
    fps: float = 30.0
    findings: tuple[FindingMark, ...] = ()
    contacts: tuple[ContactMark, ...] = ()
    errors: Mapping[str, ErrorTracks] = field(default_factory=dict)
    objects: tuple[str, ...] = ()
    selected: str = ""
    curve: Curve | None = None
    curves: tuple[tuple[str, str], ...] = ()
    curve_id: str = ""
    horizon: int | None = None
    departure: int | None = None
    loop: tuple[int | None, int | None] = (None, None)
    note: str = tr("not judged yet")
    thresholds: Limits | None = None
    auto: bool = False

    @property
    def fixed(self) -> bool:
        """Whether the maps end at fixed values, whatever the errors are."""
        return self.thresholds is not None and not self.auto

    def telling_contacts(self, frames: range | None = None) -> tuple[ContactMark, ...]:
        """One contact a frame, the most telling kind: marks of one frame would lie on each other."""
        best: dict[int, ContactMark] = {}
        for contact in self.contacts:
            if frames is not None and contact.frame not in frames:
                continue
            known = best.get(contact.frame)
            if known is None or _rank(contact) < _rank(known):
                best[contact.frame] = contact
        return tuple(best[frame] for frame in sorted(best))

    def within(self) -> Limits:
        """Errors up to these are neutral: the thresholds, nothing where the maps follow the errors."""
        return self.thresholds if self.thresholds is not None and not self.auto else Limits(0.0, 0.0, 0.0)

    def limits(self) -> Limits:
        """Ends of the maps: ten times the thresholds, whatever the errors are, so that nothing jumps.

        Where they follow the errors, round numbers: position over all objects, the rest over the selected
        one.
        """
        if self.thresholds is not None and not self.auto:
            t = self.thresholds
            return Limits(BEYOND * t.position, BEYOND * t.rotation, BEYOND * t.energy)
        tracks = self.errors.get(self.selected)
        return Limits(
            position=nice_limit(
                np.concatenate([[0.0], *(t.xyz.ravel() for t in self.errors.values())]), least=LEAST.position
            ),
            rotation=nice_limit(tracks.rotation, least=LEAST.rotation) if tracks else LEAST.rotation,
            energy=nice_limit(tracks.energy, least=LEAST.energy) if tracks else LEAST.energy,
        )


def _rank(contact: ContactMark) -> int:
    return _TELLING.index(contact.kind) if contact.kind in _TELLING else len(_TELLING)


def nice_limit(values: Track, *, least: float = 0.0) -> float:
    """The smallest round number that no finite |value| exceeds and that is not below ``least``; else 1."""
    finite = np.abs(values[np.isfinite(values)])
    top = float(finite.max()) if finite.size else 0.0
    if top < max(least, 1e-9):
        return least or 1.0
    decade = 10.0 ** np.floor(np.log10(top))
    return float(next(n * decade for n in _NICE if n * decade >= top * (1 - 1e-9)))


def tick_step(n_frames: int, width: float, *, least: float = 64.0) -> int:
    """Frames between ruler labels, of the row 1, 2, 5, 10 …, at least ``least`` px apart."""
    step, factors = 1, (2.0, 2.5, 2.0)
    for i in range(60):
        if step * width / max(n_frames, 1) >= least:
            break
        step = int(step * factors[i % 3])
    return step


def binned(values: Track, columns: int) -> Track:
    """At most ``columns`` values; where several frames share a column, the one of greatest size stands."""
    n = len(values)
    if n <= columns:
        return values
    edges = np.linspace(0, n, columns + 1).astype(int)
    size = np.where(np.isfinite(values), np.abs(values), -1.0)
    picks = [a + int(np.argmax(size[a:b])) for a, b in pairwise(edges.tolist())]
    return values[picks]


def runs(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Half-open intervals [start, stop) in which ``mask`` is true."""
    padded = np.concatenate([[False], np.asarray(mask, dtype=bool), [False]])
    edges = np.flatnonzero(padded[1:] != padded[:-1])
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def value_at(curve: Curve, values: Track | None, time: float) -> float | None:
    """Value of a track of ``curve`` at ``time`` [s]; None outside it or where it is not finite."""
    if values is None or not len(curve.times) or len(values) != len(curve.times):
        return None
    half = 0.5 * float(curve.times[1] - curve.times[0]) if len(curve.times) > 1 else 0.0
    if not curve.times[0] - half <= time <= curve.times[-1] + half:
        return None
    value = float(np.interp(time, curve.times, values))
    return value if np.isfinite(value) else None
