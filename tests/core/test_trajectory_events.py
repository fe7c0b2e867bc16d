"""Events: each kind once where mechanics says so, and nothing where nothing happens."""

from __future__ import annotations

import numpy as np
import pytest

from fourdcb.physics import simulate
from fourdcb.trajectory import Event, Trajectory
from fourdcb.world import Object, Plane, World


def thing(name: str, geometry: str = "box", **fields: object) -> Object:
    base = {"pos": (0.0, 0.0, 0.05), "vel": (0.0, 0.0, 0.0), "acc": (0.0, 0.0, -9.8), "mass": 1.0, **fields}
    return Object(name=name, geometry=geometry, **base)  # type: ignore[arg-type]


def run(*objects: Object, duration: float = 1.5) -> Trajectory:
    return simulate(World(duration=duration, fps=30, objects=objects, planes=(Plane(name="floor"),)))


def of_kind(trajectory: Trajectory, kind: str) -> list[Event]:
    return [event for event in trajectory.events if event.kind == kind]


def test_a_dropped_ball_touches_and_bounces_at_the_times_of_free_fall() -> None:
    told = run(thing("ball", "sphere", pos=(0.0, 0.0, 1.05), restitution=0.8), duration=1.2)
    fall = np.sqrt(2 / 9.8)
    touches, bounces = of_kind(told, "touch"), of_kind(told, "bounce")
    assert touches[0].time == pytest.approx(fall, abs=2 / 960)
    assert touches[0].value == pytest.approx(9.8 * fall, rel=0.01)
    assert bounces[0].value == pytest.approx(0.8 * 9.8 * fall, rel=0.01)
    assert touches[1].time == pytest.approx(fall * (1 + 2 * 0.8), abs=4 / 960)
    assert touches[0].bodies == ("ball", "floor")
    assert not of_kind(told, "topple")


def test_a_slide_starts_at_once_and_stops_after_v_over_mu_g() -> None:
    told = run(thing("box", vel=(1.5, 0.0, 0.0), friction=0.3))
    (start,), (stop,) = of_kind(told, "slide_start"), of_kind(told, "slide_stop")
    assert start.time == pytest.approx(0.0, abs=3 / 960)
    assert stop.time == pytest.approx(1.5 / (0.3 * 9.8), abs=0.01)
    (rest,) = of_kind(told, "rest")
    assert rest.time == pytest.approx(stop.time, abs=0.05)


def test_a_rolling_ball_does_not_slide() -> None:
    told = run(thing("ball", "sphere", vel=(1.0, 0.0, 0.0), ang_vel=(0.0, 20.0, 0.0), friction=0.5))
    assert not of_kind(told, "slide_start")
    assert not of_kind(told, "rest")


def test_a_pushed_tower_topples_once() -> None:
    tower = thing(
        "tower", size=(0.06, 0.06, 0.3), pos=(0.0, 0.0, 0.15), vel=(0.9, 0.0, 0.0),
        ang_vel=(0.0, 6.0, 0.0), friction=0.8,
    )  # fmt: skip
    (event,) = of_kind(run(tower), "topple")
    assert event.bodies == ("tower",)
    assert event.value == pytest.approx(90.0, abs=10.0)


def test_overlapping_starts_are_a_penetration() -> None:
    (event,) = of_kind(run(thing("box", pos=(0.0, 0.0, 0.03)), duration=0.5), "penetration")
    assert event.value == pytest.approx(0.02, abs=0.002)


def test_a_hard_landing_is_not_a_penetration() -> None:
    told = run(thing("box", pos=(0.0, 0.0, 1.05)), duration=1.0)
    assert not of_kind(told, "penetration")


def test_a_body_at_rest_tells_only_that_it_touches() -> None:
    assert [event.kind for event in run(thing("box")).events] == ["touch"]


def test_events_come_in_time_order() -> None:
    told = run(thing("a", pos=(0.0, 0.0, 0.4), restitution=0.6), thing("b", pos=(0.5, 0.0, 0.6)))
    times = [event.time for event in told.events]
    assert times == sorted(times)
