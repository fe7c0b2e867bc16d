"""What an inversion answers: a world, how well each value is known, and what the script must say of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fourdcb.dsl.emit import emit
from fourdcb.world import DirectionalLight, Object, World

_DIGITS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """How well one value is known.

    Attributes:
        path: in the flat parameter view.
        value: as fitted.
        standard_error: statistical only; None where the clip does not tell the value, or nothing may be said.
        identifiable: whether the clip tells it; None when the search did not come to rest, so nobody can say.
    """

    path: str
    value: float
    standard_error: float | None
    identifiable: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Inversion:
    """The outcome of inverting a clip.

    Attributes:
        world: valid, whatever happened; without objects when nothing was found to move.
        known: of each fitted value.
        explained: whether what is left over is as small as noise leaves it; else no error is given.
        notes: warnings and assumptions, one line each.
        overlap: silhouettes of the replay against the clip's, intersection over union.
        seconds: by stage.
    """

    world: World
    known: tuple[Known, ...]
    explained: bool
    notes: tuple[str, ...]
    overlap: float
    seconds: Mapping[str, float]

    @property
    def script(self) -> str:
        """The script, with what is known of its values as comments."""
        head = [f"# {line}" for line in ("Made from the video alone by fourdcb invert.", *self.notes)]
        told = [_line(k) for k in self.known]
        return "\n".join([*head, *(f"# {line}" for line in told), emit(rounded_world(self.world))])


def _line(known: Known) -> str:
    if known.identifiable is False:
        return f"{known.path} = {known.value:.4g}: the clip does not tell it"
    if known.standard_error is None:
        return f"{known.path} = {known.value:.4g} (no error is given)"
    return f"{known.path} = {known.value:.4g} ± {known.standard_error:.2g} (statistical only)"


def rounded_world(world: World) -> World:
    """Numbers with as many digits as a person can read."""
    lights = tuple(
        _tidy_sun(light) if isinstance(light, DirectionalLight) else light for light in world.lights
    )
    planes = tuple(
        replace(p, material=replace(p.material, base_color=_rounded(p.material.base_color or (0.5,) * 3)))
        for p in world.planes
    )
    return replace(
        world,
        objects=tuple(_tidy(o) for o in world.objects),
        planes=planes,
        lights=lights,
        ambient=_digit(world.ambient),
        background=_rounded(world.background),
    )


def _tidy_sun(light: DirectionalLight) -> DirectionalLight:
    return replace(
        light,
        direction=_rounded(light.direction),
        intensity=_digit(light.intensity),
        direction_curve=tuple(_rounded(d) for d in light.direction_curve),
        intensity_curve=_rounded(light.intensity_curve),
    )


def _tidy(thing: Object) -> Object:
    material = thing.material
    changes = {
        "base_color": None if material.base_color is None else _rounded(material.base_color),
        "roughness": None if material.roughness is None else _digit(material.roughness),
        "metallic": None if material.metallic is None else _digit(material.metallic),
    }
    fields = {name: _rounded(getattr(thing, name), 5) for name in ("size", "pos", "vel", "ang_vel")}
    if thing.geometry == "sphere":
        fields["size"] = (fields["size"][0],) * 3
    numbers = {
        name: _digit(value)
        for name in ("mass", "friction", "restitution", "rolling_friction")
        if (value := getattr(thing, name)) is not None
    }
    return replace(thing, material=replace(material, **changes), **fields, **numbers)  # type: ignore[arg-type]


def _rounded(values: Sequence[float], digits: int = _DIGITS):  # type: ignore[no-untyped-def]
    return tuple(round(float(v), digits) + 0.0 for v in values)


def _digit(value: float) -> float:
    if value == 0.0:
        return 0.0
    return round(value, _DIGITS - 1 - math.floor(math.log10(abs(value))))
