"""Which change explains a residual."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from fourdcb.errors import SimulationDivergedError
from fourdcb.physics import BulletEngine
from fourdcb.sensitivity import Change, explain
from fourdcb.trajectory import Trajectory
from fourdcb.world import Object, World, with_value

RATE = 240.0


def world(speed: float) -> World:
    ball = Object(
        name="ball", geometry="sphere", size=(0.1, 0.1, 0.1), mass=1.0, pos=(0, 0, 1), vel=(speed, 0, 0),
        acc=(0, 0, -9.8),
    )  # fmt: skip
    return World(duration=0.4, fps=30, objects=(ball,))


def change(path: str, value: float) -> Change:
    return Change(
        path=path, current=1.0, suggested=value, unit="m/s", world=with_value(world(1.0), path, value)
    )


def test_the_right_change_explains_all_and_a_half_step_three_quarters() -> None:
    with BulletEngine() as engine:
        truth = engine.rollout(world(2.0), rate_hz=RATE).position
        baseline = engine.rollout(world(1.0), rate_hz=RATE)

        def residual(_: World, trajectory: Trajectory) -> Mapping[str, float]:
            return {"ball": float(np.sum((trajectory.position - truth) ** 2))}

        changes = [change("ball.mass", 2.0), change("ball.vel[0]", 1.5), change("ball.vel[0]", 2.0)]
        start = residual(world(1.0), baseline)
        ranked = explain(changes, residual, start, rate_hz=RATE, engine=engine)["ball"]
    assert [(e.change.path, e.change.suggested) for e in ranked] == [
        ("ball.vel[0]", 2.0),
        ("ball.vel[0]", 1.5),
        ("ball.mass", 2.0),
    ]
    assert [e.explained for e in ranked] == pytest.approx([1.0, 0.75, 0.0], abs=1e-6)


def test_nothing_to_explain_costs_no_rollout() -> None:
    def never(_: World, __: Trajectory) -> Mapping[str, float]:
        raise AssertionError

    assert explain([change("ball.mass", 2.0)], never, {"ball": 0.0}, rate_hz=RATE) == {}
    assert explain([], never, {"ball": 1.0}, rate_hz=RATE) == {}


def test_a_change_that_explodes_is_passed_over() -> None:
    class Exploding:
        def rollout(self, w: World, **_: object) -> Trajectory:
            raise SimulationDivergedError(body="ball", time=0.1, reason="left the universe")

    found = explain(
        [change("ball.mass", 2.0)], lambda _w, _t: {}, {"ball": 1.0}, rate_hz=RATE, engine=Exploding()
    )
    assert found == {"ball": []}
