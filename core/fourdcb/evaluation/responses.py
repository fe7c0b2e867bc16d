"""How each metric answers to a known error: the error is put in, the metric is read off."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files

import numpy as np

from fourdcb.arrays import F64
from fourdcb.conventions import multiply_quaternions, quaternion_from_axis_angle
from fourdcb.dataset.layout import REFERENCE_NAME
from fourdcb.dsl import parse_script
from fourdcb.errors import UserError
from fourdcb.metrics import load_criteria
from fourdcb.metrics.comparison import compare
from fourdcb.metrics.measure import function_of
from fourdcb.metrics.result import MetricValue
from fourdcb.metrics.specs import spec_of
from fourdcb.physics import Engine, make_engine
from fourdcb.progress import NullProgress, Progress
from fourdcb.replay import Replay, replay
from fourdcb.world import DirectionalLight, Object, World

Injection = Callable[[Replay, float, Engine], Replay]


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """One metric against one injected error.

    Attributes:
        name: of the curve, such as ``energy_error_friction``.
        metric: what is read off.
        scene: the bundled scene whose truth is spoiled.
        error: what was injected, in words, with its unit.
        errors: how much of it, shape (K,).
        values: the metric's values, shape (K,).
        threshold, direction, unit: the metric's limit, passed ``below`` or ``above`` it.
    """

    name: str
    metric: str
    scene: str
    error: str
    unit: str
    errors: tuple[float, ...]
    values: tuple[float, ...]
    threshold: float
    direction: str

    @property
    def crossing(self) -> float | None:
        """The smallest injected error at which the metric fails, interpolated; None when it never does."""
        sign = 1.0 if self.direction == "below" else -1.0
        over = sign * (np.array(self.values) - self.threshold)
        failing = np.flatnonzero(over >= 0)
        if not len(failing):
            return None
        k = int(failing[0])
        if k == 0:
            return self.errors[0]
        share = -over[k - 1] / (over[k] - over[k - 1])
        return float(self.errors[k - 1] + share * (self.errors[k] - self.errors[k - 1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Curve:
    metric: str
    scene: str
    error: str
    most: float
    inject: Injection


def response_names() -> tuple[str, ...]:
    """The curves that exist."""
    return tuple(_CURVES)


def response(
    name: str, *, points: int = 13, engine: Engine | None = None, progress: Progress | None = None
) -> Response:
    """Measure one curve at ``points`` evenly spread errors from 0 up.

    Raises:
        UserError: for an unknown curve.
    """
    if name not in _CURVES:
        raise UserError("no such response curve", got=name, expected=", ".join(_CURVES))
    if engine is None:
        with make_engine() as fresh:
            return response(name, points=points, engine=fresh, progress=progress)
    curve, criteria = _CURVES[name], load_criteria()
    told = progress or NullProgress()
    spec = spec_of(curve.metric)
    read_off = function_of(spec)
    told.start(name, points)
    truth = replay(_scene(curve.scene), frames=False, engine=engine)
    errors = tuple(float(e) for e in np.linspace(0.0, curve.most, points))
    read: list[MetricValue] = []
    for error in errors:
        spoiled = curve.inject(truth, error, engine)
        read.append(read_off(compare(truth, spoiled, criteria, {}, fast=not spec.drawn), criteria))
        told.advance()
    limit = criteria.thresholds[curve.metric]
    return Response(
        name=name, metric=curve.metric, scene=curve.scene, error=curve.error, unit=limit.unit,
        errors=errors, values=tuple(_value(m) for m in read),
        threshold=limit.value, direction=limit.direction,
    )  # fmt: skip


def _value(metric: MetricValue) -> float:
    assert metric.value is not None, metric.reason
    return metric.value


def _scene(name: str) -> World:
    text = (files("fourdcb_resources") / "scenes" / name / REFERENCE_NAME).read_text(encoding="utf-8")
    return parse_script(text, filename=f"{name}/world.py").world


def _moved(change: Callable[[F64, float, F64], F64]) -> Injection:
    """Add to the first object's path; ``change(times, error, position)`` is the new position."""

    def inject(truth: Replay, error: float, _: Engine) -> Replay:
        t = truth.trajectory
        position = t.position.copy()
        position[:, 0] = change(t.times, error, position[:, 0])
        return replace(truth, trajectory=replace(t, position=position))

    return inject


def _turned(truth: Replay, angle_deg: float, _: Engine) -> Replay:
    t = truth.trajectory
    turn = quaternion_from_axis_angle(np.array([0.0, 1.0, 0.0]), math.radians(angle_deg))
    orientation = t.orientation_wxyz.copy()
    orientation[:, 0] = multiply_quaternions(turn, orientation[:, 0])
    return replace(truth, trajectory=replace(t, orientation_wxyz=orientation))


def _later(truth: Replay, delay_ms: float, _: Engine) -> Replay:
    """All contacts of the clip happen later."""
    t = truth.trajectory
    step = t.contacts.step + round(delay_ms / 1000.0 * t.rate_hz)
    kept = step < len(t.times)
    columns = {name: getattr(t.contacts, name)[kept] for name in t.contacts.__slots__ if name != "step"}
    contacts = replace(t.contacts, step=step[kept].astype(t.contacts.step.dtype), **columns)
    return replace(truth, trajectory=replace(t, contacts=contacts))


def _object(change: Callable[[Object, float], Object], *, simulated: bool) -> Injection:
    """Change the first object; simulate anew, or keep the motion."""

    def inject(truth: Replay, error: float, engine: Engine) -> Replay:
        first, *others = truth.world.objects
        world = replace(truth.world, objects=(change(first, error), *others))
        return replay(world, frames=False, engine=engine) if simulated else replace(truth, world=world)

    return inject


def _larger(obj: Object, percent: float) -> Object:
    x, y, z = (side * (1.0 + percent / 100.0) for side in obj.size)
    return replace(obj, size=(x, y, z))


def _rougher(obj: Object, error: float) -> Object:
    roughness = obj.material.roughness
    assert roughness is not None  # the scene's material states it
    return replace(obj, material=replace(obj.material, roughness=roughness + error))


def _darker(obj: Object, error: float) -> Object:
    color = obj.material.base_color
    assert color is not None  # the scene's material states it
    red, green, blue = (max(channel - error, 0.0) for channel in color)
    return replace(obj, material=replace(obj.material, base_color=(red, green, blue)))


def _sun(change: Callable[[DirectionalLight, float], Sequence[DirectionalLight]]) -> Injection:
    def inject(truth: Replay, error: float, _: Engine) -> Replay:
        sun = truth.world.lights[0]
        assert isinstance(sun, DirectionalLight)
        return replace(truth, world=replace(truth.world, lights=tuple(change(sun, error))))

    return inject


def _yawed(sun: DirectionalLight, angle_deg: float) -> DirectionalLight:
    """Turned in the plane of its direction and the vertical, so that light and shadow length change."""
    x, y, z = sun.direction
    across, angle = math.hypot(x, y), math.atan2(z, math.hypot(x, y)) + math.radians(angle_deg)
    size = math.hypot(across, z)
    low = size * math.cos(angle) / across
    return replace(sun, direction=(x * low, y * low, size * math.sin(angle)))


def _split(sun: DirectionalLight, angle_deg: float) -> tuple[DirectionalLight, ...]:
    """Two lights of half the strength on both sides: their mean direction hardly moves."""
    turned = []
    for name, side in (("left", -1.0), ("right", 1.0)):
        angle = math.radians(side * angle_deg)
        x, y, z = sun.direction
        way = (x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle), z)
        turned.append(replace(sun, name=name, direction=way, intensity=0.5 * sun.intensity))
    return tuple(turned)


def _swinging(sun: DirectionalLight, angle_deg: float) -> tuple[DirectionalLight, ...]:
    """Two lights that fade into one another: the mean direction wanders from one to the other."""
    return (
        replace(_yawed(sun, -angle_deg), name="from", intensity_curve=(1.0, 0.0)),
        replace(_yawed(sun, angle_deg), name="to", intensity_curve=(0.0, 1.0)),
    )


_UP, _ALONG = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
_CURVES: Mapping[str, _Curve] = {
    "delta_pos": _Curve(
        metric="delta_pos", scene="slide_cup", error="whole path shifted [mm]", most=40.0,
        inject=_moved(lambda _, mm, position: position + 0.001 * mm * _UP),
    ),
    "delta_pos_relative": _Curve(
        metric="delta_pos_relative", scene="slide_cup", error="whole path shifted [mm]", most=80.0,
        inject=_moved(lambda _, mm, position: position + 0.001 * mm * _UP),
    ),
    "delta_rot": _Curve(
        metric="delta_rot", scene="slide_cup", error="object tilted [°]", most=6.0,
        inject=_turned,
    ),
    "delta_scale": _Curve(
        metric="delta_scale", scene="slide_cup", error="size too large [%]", most=10.0,
        inject=_object(_larger, simulated=False),
    ),
    "energy_error_restitution": _Curve(
        metric="energy_error", scene="bounce_ball", error="restitution too high, truth 0.80", most=0.06,
        inject=_object(lambda ball, e: replace(ball, restitution=0.80 + e), simulated=True),
    ),
    "energy_error_friction": _Curve(
        metric="energy_error", scene="slide_cup", error="friction too high [%], truth 0.036", most=48.0,
        inject=_object(lambda cup, percent: replace(cup, friction=0.036 + 0.00036 * percent), simulated=True),
    ),
    "collision_accuracy": _Curve(
        metric="collision_accuracy", scene="slide_cup", error="contacts late [ms]", most=80.0,
        inject=_later,
    ),
    "impact_error": _Curve(
        metric="impact_error", scene="collide_pair", error="pushing ball too heavy [%]", most=80.0,
        inject=_object(lambda ball, percent: replace(ball, mass=0.60 + 0.0060 * percent), simulated=True),
    ),
    "brdf_error": _Curve(
        metric="brdf_error", scene="slide_cup", error="roughness too high, truth 0.30", most=0.30,
        inject=_object(_rougher, simulated=False),
    ),
    "light_drift": _Curve(
        metric="light_drift", scene="slide_cup", error="light swings to both sides by [°]", most=12.0,
        inject=_sun(_swinging),
    ),
    "light_offset": _Curve(
        metric="light_offset", scene="slide_cup", error="light turned [°]", most=10.0,
        inject=_sun(lambda sun, angle: (_yawed(sun, angle),)),
    ),
    "light_spread": _Curve(
        metric="light_spread", scene="slide_cup", error="light split in two, turned to both sides by [°]",
        most=30.0, inject=_sun(_split),
    ),
    "shadow_error": _Curve(
        metric="shadow_error", scene="bounce_ball", error="light lowered [°]", most=24.0,
        inject=_sun(lambda sun, angle: (_yawed(sun, angle),)),
    ),
    "appearance_error": _Curve(
        metric="appearance_error", scene="slide_cup", error="light too strong [stops]", most=0.6,
        inject=_sun(lambda sun, stops: (replace(sun, intensity=sun.intensity * 2.0**stops),)),
    ),
    "appearance_patch": _Curve(
        metric="appearance_patch", scene="slide_cup", error="colour darker, truth 0.86 … 0.90", most=0.30,
        inject=_object(_darker, simulated=False),
    ),
    "irradiance_error": _Curve(
        metric="irradiance_error", scene="slide_cup", error="light split in two, turned to both sides by [°]",
        most=30.0, inject=_sun(_split),
    ),
    "drift_rate": _Curve(
        metric="drift_rate", scene="slide_cup", error="path drifts [mm per 1/30 s]", most=0.1,
        inject=_moved(lambda t, mm, position: position + 0.03 * mm * t[:, None] * _ALONG),
    ),
}  # fmt: skip
