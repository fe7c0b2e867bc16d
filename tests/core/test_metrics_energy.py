"""Dissipation against closed forms: on synthetic contact rows and on the engine's own."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourdcb.metrics import MetricValue, load_criteria
from fourdcb.metrics.comparison import Comparison
from fourdcb.metrics.contact.energy import RowCoefficients, candidate_loss, contact_loss
from fourdcb.metrics.contact.metrics import energy_error
from fourdcb.metrics.matching import match
from fourdcb.physics import simulate
from fourdcb.render import RenderSettings
from fourdcb.replay import Replay
from fourdcb.trajectory import ContactTable, Trajectory
from fourdcb.world import Object, Plane, World

G, RATE = 9.8, 960.0


def rows(normal_impulse: float, u_n: float, friction: float, u_t: tuple[float, float]) -> Trajectory:
    """One body on a plane with a single contact row."""
    contacts = ContactTable(
        step=np.array([1], np.int32),
        body_a=np.array([0], np.int32),
        body_b=np.array([1], np.int32),
        position=np.zeros((1, 3)),
        normal=np.array([[0.0, 0.0, 1.0]]),
        distance=np.zeros(1),
        normal_impulse=np.array([normal_impulse]),
        tangential_impulse=np.array([[-friction, 0.0, 0.0]]),
        velocity_before=np.array([[u_t[0], 0.0, -u_n]]),
        velocity_after=np.array([[u_t[1], 0.0, 0.0]]),
    )
    zeros, quat = np.zeros((2, 2, 3)), np.zeros((2, 2, 4))
    quat[..., 0] = 1.0
    return Trajectory(
        names=("ball", "floor"), kinds=("dynamic", "static"), fps=30.0, rate_hz=RATE,
        times=np.array([0.0, 1 / RATE]), position=zeros, orientation_wxyz=quat, linear_velocity=zeros,
        angular_velocity=zeros, kinetic_energy=np.zeros((2, 2)), potential_energy=np.zeros((2, 2)),
        contacts=contacts, events=(),
    )  # fmt: skip


def coefficients(e_c: float, mu_c: float, e_r: float, mu_r: float) -> RowCoefficients:
    return RowCoefficients(
        own_restitution=np.array([e_c]),
        own_friction=np.array([mu_c]),
        reference_restitution=np.array([e_r]),
        reference_friction=np.array([mu_r]),
    )


UNIT = st.floats(0.0, 1.0)


@given(UNIT, UNIT, st.floats(0.1, 10), st.floats(0.1, 10))
@settings(max_examples=40, deadline=None)
def test_an_impact_loses_half_m_one_minus_e_squared_u_squared(
    e_c: float, e_r: float, mass: float, u: float
) -> None:
    loss = contact_loss(rows(mass * (1 + e_c) * u, u, 0, (0, 0)), G, coefficients(e_c, 0, e_r, 0))
    assert loss.own.sum() == pytest.approx(0.5 * mass * (1 - e_c**2) * u**2, abs=1e-9)
    assert loss.expected.sum() == pytest.approx(0.5 * mass * (1 - e_r**2) * u**2, abs=1e-9)
    assert loss.floor.sum() == pytest.approx(0.25 * 0.5 * mass * u**2)


@given(st.floats(0.05, 1), st.floats(0.05, 1), st.floats(0.5, 3), UNIT, UNIT)
@settings(max_examples=40, deadline=None)
def test_a_slide_scales_with_friction_and_not_with_restitution(
    mu_c: float, mu_r: float, speed: float, e_c: float, e_r: float
) -> None:
    load = 0.15 * G / RATE
    trajectory = rows(load, G / RATE, mu_c * load, (speed, speed - mu_c * G / RATE))
    loss = contact_loss(trajectory, G, coefficients(e_c, mu_c, e_r, mu_r))
    assert loss.own.sum() == pytest.approx(mu_c * load * (speed - 0.5 * mu_c * G / RATE))
    assert loss.expected.sum() == pytest.approx(loss.own.sum() * mu_r / mu_c)


def test_sticking_friction_is_capped_by_the_reference() -> None:
    loss = contact_loss(rows(1.0, 0.0, 0.3, (0.1, 0.1)), G, coefficients(0, 0.9, 0, 0.2))
    assert loss.own.sum() == pytest.approx(0.03)
    assert loss.expected.sum() == pytest.approx(0.02)


def test_a_frictionless_candidate_is_told_what_it_should_lose() -> None:
    loss = contact_loss(rows(1.0, 0.0, 0.0, (1.0, 1.0)), G, coefficients(0, 0.0, 0, 0.4))
    assert loss.error() == pytest.approx(1.0)
    assert loss.expected.sum() == pytest.approx(0.4 * 1.0 * 1.0)  # mu times normal impulse times speed


def test_friction_next_to_nothing_is_not_scaled_up() -> None:
    """An impulse of rounding's size would be: 5e-13 N s by 0.4 / 1e-13."""
    loss = contact_loss(rows(1.0, 0.0, 5e-13, (1.0, 1.0)), G, coefficients(0, 1e-13, 0, 0.4))
    assert loss.expected.sum() == pytest.approx(0.4)


def world(e: float = 0.8, mu: float = 0.0, height: float = 0.5, speed: float = 0.0) -> World:
    ball = Object(
        name="ball", geometry="sphere" if speed == 0 else "box", size=(0.1, 0.1, 0.1), mass=0.2, friction=mu,
        restitution=e, pos=(0, 0, height), vel=(speed, 0, 0), acc=(0, 0, -G),
    )  # fmt: skip
    return World(
        duration=0.5, fps=30, objects=(ball,), planes=(Plane(name="floor", friction=1.0, restitution=1.0),)
    )


def played(w: World) -> Replay:
    return Replay(world=w, trajectory=simulate(w), frames=None, settings=RenderSettings())


def judged(reference: Replay, candidate: Replay) -> MetricValue:
    matching = match(reference.world, candidate.world, reference.trajectory, candidate.trajectory)
    measured = SimpleNamespace(
        reference=reference,
        candidate=candidate,
        matching=matching,
        loss=candidate_loss(candidate, reference, matching),
    )
    return energy_error(cast("Comparison", measured), load_criteria())


def test_single_bounce_of_the_engine() -> None:
    replay = played(world(e=0.6))
    metric = judged(replay, replay)
    fall = 0.5 - 0.05
    assert metric.value == 0.0
    assert metric.detail["dissipated_j"] == pytest.approx(0.2 * G * fall * (1 - 0.6**2), rel=0.02)
    assert metric.detail["engine_gap"] < 0.02


def test_slide_to_rest_of_the_engine() -> None:
    replay = played(world(e=0.0, mu=0.4, height=0.05, speed=1.0))
    metric = judged(replay, replay)
    assert metric.value == 0.0
    assert metric.detail["dissipated_j"] == pytest.approx(0.5 * 0.2 * 1.0**2, rel=0.08)


@pytest.mark.parametrize(("e_c", "passes"), [(0.79, True), (0.775, False)])
def test_response_curve_of_restitution(e_c: float, passes: bool) -> None:
    metric = judged(played(world(e=0.8)), played(world(e=e_c)))
    assert metric.passed is passes
    expected = abs((1 - e_c**2) - (1 - 0.8**2)) / (1 - 0.8**2)
    assert metric.value == pytest.approx(expected, rel=0.02)


def test_response_curve_of_friction() -> None:
    reference = played(world(e=0, mu=0.4, height=0.05, speed=1.0))
    metric = judged(reference, played(world(e=0, mu=0.436, height=0.05, speed=1.0)))
    assert metric.value == pytest.approx(0.09 / 1.0, abs=0.015)


def test_nothing_dissipated_is_not_applicable() -> None:
    replay = played(world(height=20.0))
    assert judged(replay, replay).status == "not_applicable"


def test_dissipation_only_in_the_reference_is_a_total_failure() -> None:
    metric = judged(played(world()), played(world(height=20.0)))
    assert metric.value == 1.0
    assert metric.passed is False


def test_a_keyframed_stand_in_fails() -> None:
    from fourdcb.world import Keyframe

    reference = played(world())
    ball = reference.world.object("ball")
    keys = tuple(
        Keyframe(t=float(t), pos=tuple(map(float, p)))  # type: ignore[arg-type]
        for t, p in zip(reference.trajectory.times[::32], reference.trajectory.position[::32, 0], strict=True)
    )
    candidate = played(replace(reference.world, objects=(replace(ball, trajectory=keys),)))
    metric = judged(reference, candidate)
    assert metric.passed is False
    assert "keyframed" in (metric.reason or "")


def test_a_field_on_a_body_that_does_not_move_hides_no_impact() -> None:
    weight = Object(
        name="weight", pos=(0, 0, -3), size=(0.1, 0.1, 0.1), fixed=True, vel=(0, 0, 0), acc=(0, 0, -1e6)
    )
    wrong = world(e=0.5)
    loaded = replace(wrong, objects=(*wrong.objects, weight))
    plain, hidden = (judged(played(world()), played(w)) for w in (wrong, loaded))
    assert plain.passed is False
    assert hidden.value == pytest.approx(plain.value)
