"""Units and axes that a script may have confused: what would make its numbers those of a reference.

A model that answers in centimetres, in degrees per second or with y up is wrong in every number, and right in
all of them once that is known. Nothing is mended here: a confusion is a warning, with the number that makes
it plausible. It is told only where one reading fits all bodies and the plain one fits none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from fourdcb.arrays import F64
from fourdcb.conventions import linear_from_srgb, normalized, rotation_angle_deg, wxyz_from_xyzw
from fourdcb.world.lights import PointLight
from fourdcb.world.model import Object, World

Subject = Literal["sizes", "positions", "velocities", "spins", "turns", "masses", "colours", "lights", "axes"]
Pairs = Sequence[tuple[Object, Object]]
SMALL_SIZE, LARGE_SIZE = 1e-3, 5.0  # [m]
LIKELY_SIZE = (0.01, 1.0)  # [m]
_ALIKE = 1.25  # how far one body's ratio may be from that of all
_NEAR_UNIT = 1.2
_LEAST = {"sizes": 1e-4, "positions": 0.05, "velocities": 0.05, "spins": 0.1, "masses": 1e-6}
LENGTH_UNITS = {
    1000.0: "millimetres", 100.0: "centimetres", 39.37: "inches", 3.281: "feet", 0.01: "hundreds of metres",
}  # fmt: skip
_FACTORS: dict[Subject, dict[float, str]] = {
    "sizes": {**LENGTH_UNITS, 0.5: "half extents or radii", 2.0: "twice the extents"},
    "positions": LENGTH_UNITS,
    "velocities": {**LENGTH_UNITS, 1 / 30: "metres per frame", 3.6: "km/h"},
    "spins": {57.296: "degrees per second", 1 / 57.296: "turns by degrees", 1 / 6.2832: "turns per second"},
    "turns": {1 / 57.296: "radians"},
    "masses": {1000.0: "grams"},
}
_CLOSE_FACTORS = (0.5, 2.0, 3.281, 3.6)  # near 1: everything must agree to a few percent
_CLOSE = 1.05
_AXES: dict[str, Callable[[F64], F64]] = {
    "y up": lambda p: np.stack([p[:, 0], -p[:, 2], p[:, 1]], axis=1),
    "y up, left-handed": lambda p: np.stack([p[:, 0], p[:, 2], p[:, 1]], axis=1),
    "x and y exchanged": lambda p: np.stack([p[:, 1], p[:, 0], p[:, 2]], axis=1),
    "left and right mirrored": lambda p: p * [-1.0, 1.0, 1.0],
    "front and back mirrored": lambda p: p * [1.0, -1.0, 1.0],
    "z down": lambda p: p * [1.0, 1.0, -1.0],
}
_AXES_GAP = 0.05  # [m, m/s] least mean error of the plain reading
_AXES_SHARE = 0.25  # of it may be left under the other reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """One reading under which a script's numbers become the reference's.

    Attributes:
        subjects: which numbers.
        reading: what they seem to be: ``centimetres``, ``y up``, ``xyzw order`` …
        factor: by how much they are too large [1]; None where the reading is no factor.
        error, error_so_read: how far off the numbers are as they stand and when read so, for axes [m or
            m/s], turns and lights [deg] and colours [1]; None for factors.
        objects: the candidate's bodies or lights that show it.
    """

    subjects: tuple[Subject, ...]
    reading: str
    factor: float | None = None
    error: float | None = None
    error_so_read: float | None = None
    objects: tuple[str, ...] = ()


def confusions(candidate: World, reference: World) -> tuple[Confusion, ...]:
    """What the candidate may have confused; nothing where its numbers are right, or only one reading of many.

    Bodies are paired by name, else by shape and order: after a confusion no body is where its partner is.
    """
    pairs = _pairs(candidate, reference)
    found = [
        *_joined(_scales(pairs)),
        *_turns(pairs),
        *_axes(pairs),
        *_colours(pairs),
        *_lights(candidate, reference),
    ]
    return tuple(found)


def is_unusual_size(size: float) -> bool:
    """Whether a moving thing of that size [m] suggests another unit."""
    return not SMALL_SIZE <= size <= LARGE_SIZE


def length_guess(size: float) -> str:
    """`` (10 cm would be 0.1 m)``: the unit under which a size is that of a thing in a short video, or ""."""
    for unit, factor in (("cm", 100.0), ("mm", 1000.0)):
        if LIKELY_SIZE[0] <= size / factor <= LIKELY_SIZE[1]:
            return f" ({size:g} {unit} would be {size / factor:g} m)"
    return ""


def unit_of(factor: float, subject: Subject = "sizes") -> str | None:
    """The unit that makes numbers ``factor`` times too large; None where no unit does."""
    for known, name in _FACTORS[subject].items():
        tolerance = _CLOSE if known in _CLOSE_FACTORS else _NEAR_UNIT
        if known / tolerance < factor < known * tolerance:
            return name
    return None


def _pairs(candidate: World, reference: World) -> Pairs:
    own = {obj.name: obj for obj in candidate.objects if obj.kind != "static"}
    truth = {obj.name: obj for obj in reference.objects if obj.kind != "static"}
    found = [(own.pop(name), truth.pop(name)) for name in list(truth) if name in own]
    for partner in truth.values():
        alike = [o for o in own.values() if o.geometry == partner.geometry] or list(own.values())
        if alike:
            found.append((own.pop(alike[0].name), partner))
    return found


def _scales(pairs: Pairs) -> Iterator[Confusion]:
    values: dict[Subject, Callable[[Object], float]] = {
        "sizes": lambda o: float(np.prod(o.size) ** (1 / 3)) if o.geometry != "mesh" else 0.0,
        "positions": lambda o: float(np.linalg.norm(o.pos)),
        "velocities": lambda o: float(np.linalg.norm(o.vel)),
        "spins": lambda o: float(np.linalg.norm(o.ang_vel)),
        "masses": lambda o: o.mass or 0.0,
    }
    for subject, value in values.items():
        least = _LEAST[subject]
        known = [(a, value(a), value(b)) for a, b in pairs if value(b) > least and value(a) > 0]
        found = _factor(subject, known)
        if found is not None:
            yield found


def _joined(found: Iterator[Confusion]) -> list[Confusion]:
    """Numbers of several kinds in one unit are one confusion."""
    by_reading: dict[str, Confusion] = {}
    for new in found:
        old = by_reading.get(new.reading)
        by_reading[new.reading] = new if old is None else replace(old, subjects=old.subjects + new.subjects)
    return list(by_reading.values())


def _factor(subject: Subject, known: Sequence[tuple[Object, float, float]]) -> Confusion | None:
    """The factor that all bodies share, where it is that of a unit."""
    if not known:
        return None
    ratios = np.array([own / truth for _, own, truth in known])
    factor = float(np.exp(np.median(np.log(ratios))))
    unit = unit_of(factor, subject)
    alike = _CLOSE if any(abs(factor / f - 1) < 0.1 for f in _CLOSE_FACTORS) else _ALIKE
    if unit is None or np.abs(np.log(ratios / factor)).max() > np.log(alike):
        return None
    return Confusion(
        subjects=(subject,), reading=unit, factor=factor, objects=tuple(obj.name for obj, _, _ in known)
    )


def _turns(pairs: Pairs) -> Iterator[Confusion]:
    """Quaternions in xyzw order, and Euler angles in radians where degrees are meant."""
    turned = [(a, b) for a, b in pairs if b.geometry != "sphere" and _angle(a.rot, b.rot) > 5.0]
    if not turned:
        return
    names = tuple(a.name for a, _ in turned)
    error = float(np.mean([_angle(a.rot, b.rot) for a, b in turned]))
    swapped = [_angle([float(q) for q in wxyz_from_xyzw(a.rot)], b.rot) for a, b in turned]
    if max(swapped) < 2.0:
        yield Confusion(
            subjects=("turns",), reading="xyzw order", error=error,
            error_so_read=float(np.mean(swapped)), objects=names,
        )  # fmt: skip
    known = [(a, _angle(a.rot), _angle(b.rot)) for a, b in turned if min(_angle(a.rot), _angle(b.rot)) > 0]
    found = _factor("turns", known)
    if found is not None:
        yield found


def _angle(a: Sequence[float], b: Sequence[float] = (1.0, 0.0, 0.0, 0.0)) -> float:
    return float(rotation_angle_deg(np.asarray(a), np.asarray(b)))


def _axes(pairs: Pairs) -> Iterator[Confusion]:
    """Axes that are exchanged or mirrored, after a common factor of lengths is taken out."""
    pairs = [(a, b) for a, b in pairs if b.kind == "dynamic"]
    if not pairs:
        return
    scale = next((c.factor for c in _scales(pairs) if c.subjects == ("sizes",) and c.factor), 1.0)
    own = np.array([v for a, _ in pairs for v in (a.pos, a.vel, a.acc)]) / scale
    truth = np.array([v for _, b in pairs for v in (b.pos, b.vel, b.acc)])
    plain = _mean_gap(own, truth)
    if plain < _AXES_GAP:
        return
    gaps = {name: _mean_gap(read(own), truth) for name, read in _AXES.items()}
    name = min(gaps, key=lambda n: gaps[n])
    others = [gap for n, gap in gaps.items() if n != name]
    if gaps[name] < _AXES_SHARE * plain and gaps[name] < 0.5 * min(others):
        yield Confusion(
            subjects=("axes",), reading=name, error=plain, error_so_read=gaps[name],
            objects=tuple(a.name for a, _ in pairs),
        )  # fmt: skip


def _mean_gap(own: F64, truth: F64) -> float:
    return float(np.linalg.norm(own - truth, axis=1).mean())


def _colours(pairs: Pairs) -> Iterator[Confusion]:
    """Base colours that are linear values where sRGB is meant."""
    known = [(a.name, a.material.base_color, b.material.base_color) for a, b in pairs]
    stated = [(name, a, b) for name, a, b in known if a is not None and b is not None]
    if not stated:
        return
    own, truth = np.array([a for _, a, _ in stated]), np.array([b for _, _, b in stated])
    plain = float(np.abs(own - truth).max())
    read = float(np.abs(own - linear_from_srgb(truth)).max())
    if plain > 0.08 and read < 0.02:
        yield Confusion(
            subjects=("colours",), reading="linear values", error=plain, error_so_read=read,
            objects=tuple(name for name, _, _ in stated),
        )  # fmt: skip


def _lights(candidate: World, reference: World) -> Iterator[Confusion]:
    """Directions that point towards the light where its way of travel is meant."""
    if len(candidate.lights) != 1 or len(reference.lights) != 1:
        return
    own, truth = candidate.lights[0], reference.lights[0]
    if isinstance(own, PointLight) or isinstance(truth, PointLight):
        return
    cosine = float(normalized(own.direction) @ normalized(truth.direction))
    angle = float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
    if angle > 150.0:
        yield Confusion(
            subjects=("lights",), reading="the way towards the light", error=angle,
            error_so_read=180.0 - angle, objects=(own.name,),
        )  # fmt: skip
