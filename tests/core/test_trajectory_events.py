"""Events: each kind once where mechanics says so, and nothing where nothing happens."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourdcb.physics import simulate
from fourdcb.trajectory import ContactTable, Event, Trajectory, derive_events, events
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


def random_contacts(seed: int, n_bodies: int) -> Trajectory:
    """Contacts between bodies that stand still, at random substeps of two seconds at 240 Hz."""
    rng = np.random.default_rng(seed)
    count, steps = int(rng.integers(0, 300)), 481
    first = rng.integers(0, n_bodies - 1, count)
    second = first + 1 + rng.integers(0, 2**31, count) % (n_bodies - 1 - first)
    vectors = rng.normal(size=(4, count, 3))
    normal = vectors[0] / np.linalg.norm(vectors[0], axis=1, keepdims=True)
    turn = np.zeros((steps, n_bodies, 4))
    turn[..., 0] = 1.0
    zeros = np.zeros((steps, n_bodies, 3))
    return Trajectory(
        names=tuple(str(n) for n in range(n_bodies)), kinds=("dynamic",) * n_bodies, fps=30.0, rate_hz=240.0,
        times=np.arange(steps) / 240.0, position=zeros, orientation_wxyz=turn, linear_velocity=zeros,
        angular_velocity=zeros, kinetic_energy=zeros[..., 0], potential_energy=zeros[..., 0], events=(),
        contacts=ContactTable(
            step=np.sort(rng.integers(1, steps, count)).astype(np.int32),
            body_a=first.astype(np.int32), body_b=second.astype(np.int32),
            position=vectors[1], normal=normal, distance=-np.ones(count), normal_impulse=np.ones(count),
            tangential_impulse=vectors[1], velocity_before=vectors[2], velocity_after=vectors[3],
        ),
    )  # fmt: skip


@pytest.mark.parametrize("block", [1, 4, 2**14])
def test_speeds_of_contacts_are_those_of_single_vectors(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    """Closing along the normal before, opening along it after, slip across it after (Pythagoras)."""
    monkeypatch.setattr(events, "_BLOCK", block)
    contacts = random_contacts(3, 4).contacts
    closing, opening, slip = events._speeds(contacts)
    assert len(contacts) > 4
    for k in range(len(contacts)):
        normal, after = contacts.normal[k], contacts.velocity_after[k]
        assert closing[k] == pytest.approx(-float(contacts.velocity_before[k] @ normal))
        assert opening[k] == pytest.approx(float(after @ normal))
        assert slip[k] == pytest.approx(float(np.linalg.norm(np.cross(normal, after))), abs=1e-9)


def told_one_by_one(run: Trajectory) -> list[tuple[str, float, tuple[str, str], float]]:
    """Touches and bounces as their definitions say, contact by contact."""
    c, found = run.contacts, []
    rows = sorted(zip(c.body_a.tolist(), c.body_b.tolist(), c.step.tolist(), range(len(c)), strict=True))
    for bodies, of_pair in groupby(rows, key=itemgetter(0, 1)):
        names = (str(bodies[0]), str(bodies[1]))
        met: list[tuple[int, float, float]] = []
        for step, together in groupby(of_pair, key=itemgetter(2)):
            own = [row for *_, row in together]
            closing = max(-sum(c.velocity_before[k] * c.normal[k]) for k in own)
            opening = max(sum(c.velocity_after[k] * c.normal[k]) for k in own)
            met.append((step, max(closing, 0.0), max(opening, 0.0)))
        for k, (step, closing, opening) in enumerate(met):
            if k == 0 or step - met[k - 1][0] > 4:
                found.append(("touch", (step - 1) / 240.0, names, closing))
            parts = met[k + 1][0] - step > 4 if k + 1 < len(met) else 480 - step > 4
            if parts and opening > 0.05:
                found.append(("bounce", step / 240.0, names, opening))
    return sorted(found, key=lambda event: (event[1], event[0], event[2]))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n_bodies=st.sampled_from([2, 3, 7, 190]))
def test_touches_and_bounces_are_those_that_one_finds_contact_by_contact(seed: int, n_bodies: int) -> None:
    run = random_contacts(seed, n_bodies)
    told = [e for e in derive_events(run) if e.kind in ("touch", "bounce")]
    expected = told_one_by_one(run)
    assert [(e.kind, e.time, e.bodies) for e in told] == [event[:3] for event in expected]
    assert [e.value for e in told] == pytest.approx([event[3] for event in expected])
