"""Lights whose intensity, direction and place change over time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fourdcb.world.fields import NAME, FieldSpec, Vec3, authored

_CURVE = FieldSpec(
    doc="factors spread evenly over the clip, interpolated linearly",
    lower=0,
    slider=(0, 2),
    part="level",
    group="light",
)
_RANGE = FieldSpec(doc="(start, end) outside which the light is off", unit="s", part="level")
_DIRECTIONS = FieldSpec(
    doc="directions spread evenly over time_range (else the clip), along great circles; instead of direction",
    slider=(-1, 1),
    part="looks",
    group="light",
    aliases=("dir_curve", "directions"),
)
_POSITIONS = FieldSpec(
    doc="positions spread evenly over time_range (else the clip), along straight lines; instead of pos",
    unit="m",
    slider=(-5, 5),
    part="looks",
    group="light",
    aliases=("pos_curve", "positions"),
)
_COLOR = FieldSpec(doc="sRGB colour of the light", lower=0, upper=1, part="looks", group="light")


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectionalLight:
    """Parallel light. ``intensity`` is the irradiance on a facing surface [W/m², arbitrary scale]."""

    name: str = authored(NAME, default="light")
    direction: Vec3 = authored(
        FieldSpec(
            doc="the way the light travels (normalised when used)",
            slider=(-1, 1),
            part="looks",
            group="light",
            aliases=("dir",),
        ),
        default=(-0.5, -0.3, -0.8),
    )
    intensity: float = authored(
        FieldSpec(doc="irradiance on a facing surface", lower=0, slider=(0, 10), part="level", group="light"),
        default=3.0,
    )
    color: Vec3 = authored(_COLOR, default=(1.0, 1.0, 1.0))
    intensity_curve: tuple[float, ...] = authored(_CURVE, default=())
    direction_curve: tuple[Vec3, ...] = authored(_DIRECTIONS, default=())
    time_range: tuple[float, float] | None = authored(_RANGE, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class PointLight:
    """Point light. ``intensity`` is radiant intensity; irradiance falls with the square of the distance."""

    name: str = authored(NAME, default="light")
    pos: Vec3 = authored(
        FieldSpec(doc="position", unit="m", slider=(-5, 5), part="looks", group="light"),
        default=(0.0, 0.0, 2.0),
    )
    intensity: float = authored(
        FieldSpec(doc="radiant intensity", lower=0, slider=(0, 50), part="level", group="light"),
        default=10.0,
    )
    color: Vec3 = authored(_COLOR, default=(1.0, 1.0, 1.0))
    intensity_curve: tuple[float, ...] = authored(_CURVE, default=())
    position_curve: tuple[Vec3, ...] = authored(_POSITIONS, default=())
    time_range: tuple[float, float] | None = authored(_RANGE, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaLight:
    """Square emitter at ``pos`` facing ``direction``. ``intensity`` is its radiance."""

    name: str = authored(NAME, default="light")
    pos: Vec3 = authored(
        FieldSpec(doc="centre", unit="m", slider=(-5, 5), part="looks", group="light"),
        default=(0.0, 0.0, 2.0),
    )
    direction: Vec3 = authored(
        FieldSpec(doc="the way it faces", slider=(-1, 1), part="looks", group="light", aliases=("dir",)),
        default=(0.0, 0.0, -1.0),
    )
    size: float = authored(
        FieldSpec(
            doc="side of the square", unit="m", lower=0, exclusive_lower=True, part="looks", group="light"
        ),
        default=0.5,
    )
    intensity: float = authored(
        FieldSpec(doc="radiance", lower=0, slider=(0, 50), part="level", group="light"), default=10.0
    )
    color: Vec3 = authored(_COLOR, default=(1.0, 1.0, 1.0))
    intensity_curve: tuple[float, ...] = authored(_CURVE, default=())
    direction_curve: tuple[Vec3, ...] = authored(_DIRECTIONS, default=())
    position_curve: tuple[Vec3, ...] = authored(_POSITIONS, default=())
    time_range: tuple[float, float] | None = authored(_RANGE, default=None)


Light = DirectionalLight | PointLight | AreaLight


def intensity_at(light: Light, t: float, *, duration: float) -> float:
    """Intensity of a light at time ``t`` [s] of a clip of ``duration`` [s].

    The curve's entries lie evenly over [0, duration]; before and after, its end values hold.
    """
    if light.time_range is not None and not light.time_range[0] <= t <= light.time_range[1]:
        return 0.0
    if not light.intensity_curve:
        return light.intensity
    knots = np.linspace(0.0, duration, len(light.intensity_curve))
    return light.intensity * float(np.interp(t, knots, light.intensity_curve))


# What a curve is used instead of.
CURVES: Mapping[str, str] = {"direction": "direction_curve", "pos": "position_curve"}


def moves(light: Light) -> bool:
    """Whether a light's direction or place changes over time."""
    return any(len(set(getattr(light, curve, ()))) > 1 for curve in CURVES.values())


def light_at(light: Light, t: float, *, duration: float) -> Light:
    """The light as it stands at time ``t`` [s] of a clip of ``duration`` [s]: no curves, no time range.

    Entries of ``direction_curve`` and ``position_curve`` lie evenly over ``time_range``, else over the clip;
    before and after, the end values hold. Between two directions the light turns at a constant rate along
    the great circle (Shoemake 1985).
    """
    stands: dict[str, Any] = {"intensity": intensity_at(light, t, duration=duration)}
    start, end = light.time_range or (0.0, duration)
    share = min(max((t - start) / (end - start), 0.0), 1.0) if end > start else 0.0
    if directions := getattr(light, "direction_curve", ()):
        stands |= {"direction": _on_curve(directions, share, _turned), "direction_curve": ()}
    if positions := getattr(light, "position_curve", ()):
        stands |= {"pos": _on_curve(positions, share, _shifted), "position_curve": ()}
    return replace(light, **stands, intensity_curve=(), time_range=None)


def _on_curve(curve: Sequence[Vec3], share: float, between: Any) -> Vec3:
    place = share * (len(curve) - 1)
    k = min(int(place), len(curve) - 2)
    result: Vec3 = curve[0] if len(curve) == 1 else between(curve[k], curve[k + 1], place - k)
    return result


def _shifted(a: Vec3, b: Vec3, share: float) -> Vec3:
    x, y, z = ((1.0 - share) * p + share * q for p, q in zip(a, b, strict=True))
    return x, y, z


def _turned(a: Vec3, b: Vec3, share: float) -> Vec3:
    """A unit direction on the great circle from ``a`` to ``b``."""
    a, b = _unit(a), _unit(b)
    angle = angle_between(a, b)
    if math.sin(angle) < 1e-9:
        return _unit(_shifted(a, b, share)) if angle < 1.0 else a
    first, second = (math.sin(w * angle) / math.sin(angle) for w in (1.0 - share, share))
    x, y, z = (first * p + second * q for p, q in zip(a, b, strict=True))
    return _unit((x, y, z))


def angle_between(a: Vec3, b: Vec3) -> float:
    """Angle between two directions [rad], exact also near 0 and π (Kahan)."""
    p, q = np.asarray(_unit(a)), np.asarray(_unit(b))
    return 2.0 * math.atan2(float(np.linalg.norm(p - q)), float(np.linalg.norm(p + q)))


def _unit(vector: Vec3) -> Vec3:
    length = math.hypot(*vector)
    x, y, z = (c / length for c in vector) if length > 0.0 else vector
    return x, y, z
