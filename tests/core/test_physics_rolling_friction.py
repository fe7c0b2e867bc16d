"""Rolling friction: a pair's is r_a μ_b + r_b μ_a [m]; nothing brakes a spin about the normal."""

from __future__ import annotations

import numpy as np
import pytest

from fourdcb.physics import simulate
from fourdcb.trajectory import Trajectory
from fourdcb.world import Object, World

G, RADIUS = 9.8, 0.05
STILL = (0.0, 0.0, 0.0)


def rolled(
    *,
    ball: tuple[float, float],
    table: tuple[float, float],
    vel: tuple[float, float, float] = (1.0, 0.0, 0.0),
    ang_vel: tuple[float, float, float] = (0.0, 1.0 / RADIUS, 0.0),
    rate_hz: float = 240.0,
) -> Trajectory:
    """A ball that rolls along x on a fixed box; ``ball`` and ``table`` are (friction, rolling friction)."""
    moving = Object(
        name="ball", geometry="sphere", size=(2 * RADIUS,) * 3, pos=(0.0, 0.0, RADIUS), vel=vel,
        ang_vel=ang_vel, acc=(0.0, 0.0, -G), mass=1.0, friction=ball[0], rolling_friction=ball[1],
        restitution=0.0,
    )  # fmt: skip
    fixed = Object(
        name="table", geometry="box", size=(6.0, 6.0, 0.1), pos=(0.0, 0.0, -0.05), vel=STILL, acc=STILL,
        fixed=True, friction=table[0], rolling_friction=table[1], restitution=1.0,
    )  # fmt: skip
    return simulate(World(duration=1.0, fps=30, objects=(moving, fixed)), rate_hz=rate_hz)


@pytest.mark.parametrize("rate_hz", [240.0, 960.0])
@pytest.mark.parametrize(
    ("ball", "table"),
    [
        ((0.8, 0.002), (1.0, 0.0)),
        ((0.8, 0.002), (0.5, 0.0)),
        ((0.4, 0.002), (0.5, 0.0)),
        ((0.8, 0.0), (0.5, 0.003)),
        ((0.8, 0.002), (0.5, 0.003)),
    ],
)
def test_a_rolling_ball_is_braked_by_the_pairs_lever(ball, table, rate_hz: float) -> None:
    run = rolled(ball=ball, table=table, rate_hz=rate_hz)
    lever = ball[1] * table[0] + table[1] * ball[0]
    # Torque lever · N about the contact: I α = lever N − F r with I = 2/5 m r² gives a = lever g / (7/5 r).
    exact = lever * G / (1.4 * RADIUS)
    begin = len(run.times) // 10
    slope = np.polyfit(run.times[begin:], run.linear_velocity[begin:, 0, 0], 1)[0]
    assert -slope == pytest.approx(exact, rel=1e-3)


def test_a_ball_that_rolls_out_stays_where_it_stops() -> None:
    run = rolled(ball=(0.8, 0.004), table=(1.0, 0.0), vel=(0.2, 0.0, 0.0), ang_vel=(0.0, 4.0, 0.0))
    exact = 0.2**2 / (2 * 0.004 * G / (1.4 * RADIUS))
    assert run.position[-1, 0, 0] == pytest.approx(exact, rel=1e-3)
    np.testing.assert_allclose(run.linear_velocity[-1, 0], 0.0, atol=1e-9)


def test_no_friction_brakes_a_spin_about_the_normal() -> None:
    run = rolled(ball=(0.8, 0.005), table=(1.0, 0.0), vel=STILL, ang_vel=(0.0, 0.0, 20.0))
    assert run.angular_velocity[-1, 0, 2] == pytest.approx(20.0, rel=1e-6)
