"""Material-light axis: where the light comes from, and how its strength departs over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64
from fourdcb.conventions import LUMINANCE, linear_from_srgb
from fourdcb.world import AreaLight, DirectionalLight, Light, World, light_at
from fourdcb.world.symmetry import vector_angle_deg

if TYPE_CHECKING:
    from fourdcb.replay import Replay

_DARK = 1e-6
_STEADY_STOPS = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class LightGap:
    """Angle between the two worlds' light at one reference object [deg], shape (T,).

    NaN in frames in which a side is dark; ``dark`` tells which frames only the candidate leaves dark.
    ``stops`` is the log2 ratio of the light's strength, candidate to reference, in the channel in which it
    departs most, shape (T,).
    """

    angle: F64
    dark: NDArray[np.bool_]
    stops: F64


def incoming(light: Light, points: F64, times: F64, duration: float) -> F64:
    """Direction towards a light times the irradiance on a facing surface, shape (T, 3).

    Args:
        points: where, per frame [m], shape (T, 3).
    """
    moments, which = np.unique(times, return_inverse=True)
    stands = [light_at(light, float(t), duration=duration) for t in moments]
    strength = np.array([s.intensity for s in stands])[which]
    strength = strength * float(linear_from_srgb(light.color) @ np.array(LUMINANCE))
    ways = np.array([getattr(s, "direction", (0.0, 0.0, -1.0)) for s in stands])[which]
    ways = ways / np.linalg.norm(ways, axis=-1, keepdims=True)
    if isinstance(light, DirectionalLight):
        return -strength[:, None] * ways
    offset = np.array([s.pos for s in stands if not isinstance(s, DirectionalLight)])[which] - points
    distance = np.maximum(np.linalg.norm(offset, axis=-1, keepdims=True), 1e-6)
    towards = offset / distance
    irradiance = strength[:, None] / distance**2
    if isinstance(light, AreaLight):
        facing = np.maximum(-np.sum(towards * ways, axis=-1), 0.0)[:, None]
        irradiance = irradiance * light.size**2 * facing
    return irradiance * towards


def mean_incoming(world: World, points: F64, times: F64) -> F64:
    """Irradiance-weighted sum of the directions towards all lights, shape (T, 3)."""
    total = np.zeros_like(points)
    for light in world.lights:
        total += incoming(light, points, times, world.duration)
    return total


def light_gaps(reference: Replay, candidate: World) -> dict[str, LightGap]:
    """Light of both worlds at every reference object, along the reference's motion."""
    t = reference.trajectory
    steps = t.frame_steps()
    times = t.times[steps]
    gaps: dict[str, LightGap] = {}
    for obj in sorted(reference.world.objects, key=lambda o: o.kind == "static"):
        points = t.position[steps, t.index(obj.name)]
        a = mean_incoming(reference.world, points, times)
        b = mean_incoming(candidate, points, times)
        strength_a, strength_b = (np.linalg.norm(v, axis=-1) for v in (a, b))
        lit_a, lit_b = strength_a > _DARK, strength_b > _DARK
        angle = np.where(lit_a & lit_b, vector_angle_deg(a, b), np.nan)
        stops = _stops(reference.world, candidate, points, times)
        gaps[obj.name] = LightGap(angle=angle, dark=lit_a & ~lit_b, stops=stops)
    return gaps


def _stops(reference: World, candidate: World, points: F64, times: F64) -> F64:
    """Log2 ratio of the light's strength in the channel in which it is largest, shape (T,)."""
    own, truth = (_strength(world, points, times) for world in (candidate, reference))
    ratio = np.log2((own + _DARK) / (truth + _DARK))
    return np.take_along_axis(ratio, np.abs(ratio).argmax(axis=-1)[:, None], axis=-1)[:, 0]


def _strength(world: World, points: F64, times: F64) -> F64:
    """Length of the irradiance-weighted sum of the directions towards all lights, by channel, (T, 3)."""
    total = np.zeros((len(points), 3, 3))
    for light in world.lights:
        total += light_tint(light.color)[:, None] * incoming(light, points, times, world.duration)[:, None, :]
    return np.linalg.norm(total, axis=-1)


def light_tint(color: tuple[float, float, float]) -> F64:
    """Colour of a light per unit luminance, shape (3,)."""
    linear = np.asarray(linear_from_srgb(color), dtype=np.float64)
    return linear / max(float(linear @ np.array(LUMINANCE)), 1e-12)


def flickering_frame(gaps: Mapping[str, LightGap]) -> int | None:
    """The frame whose light is most unlike the reference's, None when the ratio hardly varies in time.

    A few evenly spread frames would miss a light that goes out between them.
    """
    spread = {name: float(np.ptp(gap.stops)) for name, gap in gaps.items()}
    name = max(spread, key=lambda k: spread[k], default=None)
    if name is None or spread[name] < _STEADY_STOPS:
        return None
    return int(np.argmax(np.abs(gaps[name].stops)))
