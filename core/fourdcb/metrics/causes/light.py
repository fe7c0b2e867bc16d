"""Which number of a script is behind a wrong light, read off the two scripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from fourdcb.arrays import F64
from fourdcb.metrics.result import Cause
from fourdcb.world import DirectionalLight, Light, World, light_at
from fourdcb.world.fields import Vec3
from fourdcb.world.lights import CURVES

Pair = tuple[Light, Light]
_RELATIVE = 0.02
_LEAST = 0.1
_LEAST_FACTOR = 0.02


def direction_cause(reference: World, candidate: World) -> Cause | None:
    """Why light comes from elsewhere: a light is turned or moved, too many, or too strong beside another."""
    pairs, extra = _paired(reference, candidate)
    found = [*_ways(pairs, candidate.duration), *_needless(extra)]
    if len(candidate.lights) > 1:
        found += [*_fields(pairs, ("intensity",)), *_curves(pairs, candidate.duration)]
    return next(iter(found), None)


def wander_cause(reference: World, candidate: World) -> Cause | None:
    """Why the light's direction changes over time: a light that comes and goes, or stands elsewhere."""
    pairs, extra = _paired(reference, candidate)
    found = (
        *_needless(extra),
        *_curves(pairs, candidate.duration),
        *_ways(pairs, candidate.duration),
        *_fields(pairs, ("intensity",)),
    )
    return next(iter(found), None)


def brightness_cause(reference: World, candidate: World) -> Cause | None:
    """Why everything looks too bright or too dark: intensity, a needless light, its course, the ambient."""
    pairs, extra = _paired(reference, candidate)
    found = (
        *_fields(pairs, ("intensity",)),
        *_needless(extra),
        *_curves(pairs, candidate.duration),
        *_ambient(reference, candidate),
        *_ways(pairs, candidate.duration),
    )
    return next(iter(found), None)


def _paired(reference: World, candidate: World) -> tuple[list[Pair], list[Light]]:
    """Lights that stand for each other, by name and else by strength; the candidate's that stand for none."""
    named = {light.name: light for light in reference.lights}
    pairs = [(named[own.name], own) for own in candidate.lights if own.name in named]
    taken = {own.name for _, own in pairs}
    left = [sorted((x for x in w.lights if x.name not in taken), key=_rank) for w in (reference, candidate)]
    pairs += zip(*left, strict=False)
    pairs = [(truth, own) for truth, own in pairs if type(truth) is type(own)]
    return sorted(pairs, key=lambda pair: _rank(pair[0])), left[1][len(left[0]) :]


def _rank(light: Light) -> tuple[bool, float]:
    """Sorts directional lights before others, the strongest first."""
    return not isinstance(light, DirectionalLight), -light.intensity


def _fields(pairs: list[Pair], fields: tuple[str, ...]) -> Iterator[Cause]:
    """The most different component of each field, in the order of ``fields``."""
    for field in fields:
        for truth, own in pairs:
            if hasattr(own, field):
                values, wanted = np.atleast_1d(getattr(own, field)), np.atleast_1d(getattr(truth, field))
                yield from _component(f"{own.name}.{field}", field, values, wanted)


def _ways(pairs: list[Pair], duration: float) -> Iterator[Cause]:
    """The most different component of a direction or a place, at each entry of the candidate's curve.

    Without a curve the reference in the middle of the clip is what one value can come to.
    """
    for field, curve in CURVES.items():
        for truth, own in pairs:
            if not hasattr(own, field):
                continue
            entries: Sequence[Vec3] = getattr(own, curve)
            start, end = own.time_range or (0.0, duration)
            times = np.linspace(start, end, len(entries)) if entries else [0.5 * duration]
            for k, (value, t) in enumerate(zip(entries or (getattr(own, field),), times, strict=True)):
                path = f"{own.name}.{curve}[{k}]" if entries else f"{own.name}.{field}"
                wanted = getattr(light_at(truth, float(t), duration=duration), field)
                yield from _component(path, field, np.asarray(value), np.asarray(wanted))


def _component(path: str, field: str, values: F64, wanted: F64) -> Iterator[Cause]:
    if field == "direction":  # only the direction counts; keep the script's length
        wanted = wanted / np.linalg.norm(wanted) * np.linalg.norm(values)
    k = int(np.argmax(np.abs(values - wanted)))
    if abs(values[k] - wanted[k]) > _RELATIVE * max(abs(float(wanted[k])), _LEAST):
        suffix = f"[{k}]" if len(values) > 1 else ""
        yield Cause(
            parameter=f"{path}{suffix}",
            current=float(values[k]),
            suggested=round(float(wanted[k]), 4),
            unit="m" if field == "pos" else "",
        )


def _needless(extra: list[Light]) -> Iterator[Cause]:
    for light in extra:
        if light.intensity > 0:
            yield Cause(parameter=f"{light.name}.intensity", current=light.intensity, suggested=0.0)


def _curves(pairs: list[Pair], duration: float) -> Iterator[Cause]:
    """The most different factor of an intensity curve that the candidate's script states."""
    for truth, own in pairs:
        if not own.intensity_curve:
            continue
        factors = np.asarray(own.intensity_curve)
        wanted = _factors(truth, np.linspace(0.0, duration, len(factors)), duration)
        k = int(np.argmax(np.abs(factors - wanted)))
        if abs(factors[k] - wanted[k]) > _LEAST_FACTOR:
            yield Cause(
                parameter=f"{own.name}.intensity_curve[{k}]",
                current=float(factors[k]),
                suggested=round(float(wanted[k]), 4),
            )


def _factors(light: Light, times: F64, duration: float) -> F64:
    """A light's intensity curve at ``times`` [s], shape (K,)."""
    curve = light.intensity_curve or (1.0,)
    return np.interp(times, np.linspace(0.0, duration, len(curve)), curve)


def _ambient(reference: World, candidate: World) -> Iterator[Cause]:
    if abs(candidate.ambient - reference.ambient) > _RELATIVE * max(reference.ambient, _LEAST):
        yield Cause(
            parameter="world.ambient", current=candidate.ambient, suggested=round(reference.ambient, 4)
        )
