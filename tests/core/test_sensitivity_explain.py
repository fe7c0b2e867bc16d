"""Which change explains a residual."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from fourdcb.errors import SimulationDivergedError
from fourdcb.physics import make_engine
from fourdcb.sensitivity import Change, explain
from fourdcb.world import Object, World, with_value

RATE = 240.0
Poses = tuple[np.ndarray, np.ndarray]


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
    with make_engine() as engine:
        truth, _ = engine.frame_poses(world(2.0), rate_hz=RATE)
        baseline = engine.frame_poses(world(1.0), rate_hz=RATE)

        def residual(_: World, poses: Poses) -> Mapping[str, float]:
            return {"ball": float(np.sum((poses[0] - truth) ** 2))}

        changes = [change("ball.mass", 2.0), change("ball.vel[0]", 1.5), change("ball.vel[0]", 2.0)]
        start = residual(world(1.0), baseline)
        ranked = explain(changes, residual, start, rate_hz=RATE, engine=engine)["ball"]
    assert [(e.change.path, e.change.suggested) for e in ranked] == [
        ("ball.vel[0]", 2.0),
        ("ball.vel[0]", 1.5),
        ("ball.mass", 2.0),
    ]
    assert [e.explained for e in ranked] == pytest.approx([1.0, 0.75, 0.0], abs=1e-6)


def test_no_change_is_played_after_one_that_explains_enough() -> None:
    with make_engine() as engine:
        truth, _ = engine.frame_poses(world(2.0), rate_hz=RATE)
        played: list[float] = []

        def residual(w: World, poses: Poses) -> Mapping[str, float]:
            played.append(w.objects[0].vel[0])
            return {"ball": float(np.sum((poses[0] - truth) ** 2))}

        changes = [change("ball.vel[0]", v) for v in (1.5, 1.9, 2.0)]
        start = residual(world(1.0), engine.frame_poses(world(1.0), rate_hz=RATE))
        ranked = explain(changes, residual, start, rate_hz=RATE, enough=0.95, engine=engine)["ball"]
    assert played == [1.0, 1.5, 1.9]
    assert ranked[0].change.suggested == 1.9


def test_nothing_to_explain_costs_no_rollout() -> None:
    def never(_: World, __: Poses) -> Mapping[str, float]:
        raise AssertionError

    assert explain([change("ball.mass", 2.0)], never, {"ball": 0.0}, rate_hz=RATE) == {}
    assert explain([], never, {"ball": 1.0}, rate_hz=RATE) == {}


def test_a_change_that_explodes_is_passed_over() -> None:
    class Exploding:
        id = "exploding"

        def frame_poses(self, w: World, **_: object) -> Poses:
            raise SimulationDivergedError(body="ball", time=0.1, reason="left the universe")

    found = explain(
        [change("ball.mass", 2.0)], lambda _w, _t: {}, {"ball": 1.0}, rate_hz=RATE, engine=Exploding()
    )
    assert found == {"ball": []}
