"""Light and colours as unknowns of a world: sun, ambient, colours, gloss where it shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fourdcb.arrays import F64
from fourdcb.world import DirectionalLight, Material, World

# What is usual, with a standard deviation: pictures tell products of light and colour, not either.
INTENSITY, AMBIENT, GREY = (3.4, 0.6), (0.18, 0.05), (0.5, 0.2)
_ROUGHNESS = (0.45, 0.3)
_SUN_HEIGHT = (math.radians(12.0), math.radians(88.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One number of a world's looks.

    Attributes:
        name: whose: a body's, ``sun`` or ``world``.
        kind: ``base_color``, ``roughness``, ``metallic``, ``azimuth``, ``height``, ``turn``, ``fade``,
            ``intensity``, ``ambient``.
        index: of a colour's component.
        scale: what counts as a step.
        lower, upper: bounds.
        prior: (mean, standard deviation), None where the pictures decide.
    """

    name: str
    kind: str
    index: int
    scale: float
    lower: float
    upper: float
    prior: tuple[float, float] | None = None


def light_looks(*, turns: bool = False, fades: bool = False) -> list[Look]:
    """Unknowns of the light."""
    found = [
        Look(name="sun", kind="azimuth", index=0, scale=0.1, lower=-7.0, upper=7.0),
        Look(name="sun", kind="height", index=0, scale=0.1, lower=_SUN_HEIGHT[0], upper=_SUN_HEIGHT[1]),
        Look(name="sun", kind="intensity", index=0, scale=0.3, lower=0.05, upper=20.0, prior=INTENSITY),
        Look(name="world", kind="ambient", index=0, scale=0.03, lower=0.0, upper=2.0, prior=AMBIENT),
    ]
    if turns:
        found.append(Look(name="sun", kind="turn", index=0, scale=0.1, lower=-2.0, upper=2.0))
    if fades:
        found += [
            Look(name="sun", kind="fade", index=i, scale=0.1, lower=0.05, upper=3.0, prior=(1.0, 0.5))
            for i in (1, 2)
        ]
    return found


def body_looks(name: str, *, gloss: bool = False, ground: bool = False) -> list[Look]:
    """Unknowns of a body's surface."""
    prior = GREY if ground else None
    found = [
        Look(name=name, kind="base_color", index=i, scale=0.05, lower=0.01, upper=1.0, prior=prior)
        for i in range(3)
    ]
    if gloss:
        found.append(
            Look(name=name, kind="roughness", index=0, scale=0.1, lower=0.03, upper=1.0, prior=_ROUGHNESS)
        )
        found.append(
            Look(name=name, kind="metallic", index=0, scale=0.1, lower=0.0, upper=1.0, prior=(0.1, 0.3))
        )
    return found


def get_look(world: World, look: Look) -> float:
    """Its present value."""
    if look.name == "world":
        return world.ambient
    if look.name == "sun":
        sun = _sun(world)
        azimuth, height = angles_of(sun.direction)
        if look.kind == "turn":
            return angles_of(sun.direction_curve[-1])[0] - azimuth if sun.direction_curve else 0.0
        if look.kind == "fade":
            return sun.intensity_curve[look.index] if sun.intensity_curve else 1.0
        return {"azimuth": azimuth, "height": height, "intensity": sun.intensity}[look.kind]
    material = _body(world, look.name).material
    if look.kind == "base_color":
        return (material.base_color or (0.5, 0.5, 0.5))[look.index]
    value = getattr(material, look.kind)
    return float(value) if value is not None else {"roughness": 0.5, "metallic": 0.0}[look.kind]


def with_looks(world: World, looks: Sequence[Look], x: F64) -> World:
    """The world with other looks; ``x`` in scales, shape (P,)."""
    sun = {"azimuth": 0.0, "height": 0.0, "intensity": 0.0, "turn": 0.0}
    fades: dict[int, float] = {}
    touched = False
    for look, u in zip(looks, x, strict=True):
        value = min(max(float(u) * look.scale, look.lower), look.upper)
        if look.name == "sun":
            touched = True
            if look.kind == "fade":
                fades[look.index] = value
            else:
                sun[look.kind] = value
        elif look.name == "world":
            world = replace(world, ambient=value)
        else:
            world = _with_surface(world, look, value)
    return replace(world, lights=(_lit(sun, fades),)) if touched else world


def _lit(sun: dict[str, float], fades: dict[int, float]) -> DirectionalLight:
    azimuth, height, turn = sun["azimuth"], sun["height"], sun["turn"]
    curve = tuple(direction_of(azimuth + share * turn, height) for share in (0.0, 0.5, 1.0)) if turn else ()
    return DirectionalLight(
        name="sun", direction=direction_of(azimuth, height), intensity=sun["intensity"],
        direction_curve=curve, intensity_curve=(1.0, fades[1], fades[2]) if fades else (),
    )  # fmt: skip


def _with_surface(world: World, look: Look, value: float) -> World:
    def changed(material: Material) -> Material:
        if look.kind != "base_color":
            return replace(material, **{look.kind: value})  # type: ignore[arg-type]
        colour = list(material.base_color or (0.5, 0.5, 0.5))
        colour[look.index] = value
        return replace(material, base_color=(colour[0], colour[1], colour[2]))

    return replace(
        world,
        objects=tuple(
            replace(o, material=changed(o.material)) if o.name == look.name else o for o in world.objects
        ),
        planes=tuple(
            replace(p, material=changed(p.material)) if p.name == look.name else p for p in world.planes
        ),
    )


def direction_of(azimuth: float, height: float) -> tuple[float, float, float]:
    """The way the light travels, by azimuth (+y towards +x) and height of the sun [rad]."""
    return (
        math.sin(azimuth) * math.cos(height),
        math.cos(azimuth) * math.cos(height),
        -math.sin(height),
    )


def angles_of(direction: Sequence[float]) -> tuple[float, float]:
    """Azimuth and height [rad] of :func:`direction_of`."""
    x, y, z = direction
    return math.atan2(x, y), math.atan2(-z, math.hypot(x, y))


def _sun(world: World) -> DirectionalLight:
    for light in world.lights:
        if isinstance(light, DirectionalLight):
            return light
    return DirectionalLight(name="sun")


def _body(world: World, name: str):  # type: ignore[no-untyped-def]
    return next(b for b in world.bodies if b.name == name)
