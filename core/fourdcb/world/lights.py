"""Lights whose intensity changes over time."""

from __future__ import annotations

from dataclasses import dataclass

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
