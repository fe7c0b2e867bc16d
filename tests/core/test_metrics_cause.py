"""Which cause a finding carries when a candidate has several faults, and in which order findings come."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fourdcb.evaluation import judge_replays
from fourdcb.metrics import Report, load_criteria
from fourdcb.metrics.findings.order import in_order
from fourdcb.metrics.result import Cause, Finding
from fourdcb.physics import Engine
from fourdcb.replay import Replay, replay
from fourdcb.world import Camera, Object, Plane, World, parameter, with_value

FAULTS = {"ball.restitution": 0.7, "ball.friction": 0.3, "ball.rolling_friction": 0.0}


def scene() -> World:
    ball = Object(
        name="ball", geometry="sphere", size=(0.16, 0.16, 0.16), mass=0.2, friction=0.12, restitution=0.8,
        rolling_friction=0.006, pos=(-0.15, 0.0, 0.62), vel=(0.75, 0.0, 0.0), ang_vel=(0.0, -35.0, 0.0),
        acc=(0.0, 0.0, -9.8),
    )  # fmt: skip
    return World(
        duration=2.5,
        fps=15,
        objects=(ball,),
        planes=(Plane(name="floor", friction=1.0, restitution=1.0),),
        camera=Camera(width=32, height=32),
    )


@pytest.fixture(scope="module")
def truth(engine: Engine) -> Replay:
    return replay(scene(), engine=engine)


def judged(truth: Replay, engine: Engine, faults: dict[str, float], *, fast: bool = False) -> Report:
    world = truth.world
    for path, value in faults.items():
        world = with_value(world, path, value)
    return compared(truth, replay(world, engine=engine), fast=fast)


def compared(truth: Replay, candidate: Replay, *, fast: bool = False) -> Report:
    """The judgement; every cause in it names a parameter of the candidate and its value there."""
    report = judge_replays(
        reference=truth,
        candidate=candidate,
        video_frames=truth.frames,
        video_times=truth.world.frame_times(),
        criteria=load_criteria(),
        fast=fast,
    )
    for finding in report.findings:
        if finding.likely_cause is not None:
            known = parameter(candidate.world, finding.likely_cause.parameter)
            assert known.value == pytest.approx(finding.likely_cause.current)
    return report


@pytest.fixture(scope="module")
def several(truth: Replay, engine: Engine) -> dict[str, Finding]:
    return {f.kind: f for f in judged(truth, engine, FAULTS).findings}


def cause(finding: Finding) -> Cause:
    assert finding.likely_cause is not None, finding.message
    return finding.likely_cause


@pytest.mark.parametrize(
    ("kind", "path", "suggested"),
    [("restitution", "ball.restitution", 0.8), ("friction", "ball.friction", 0.12)],
)
def test_a_stated_coefficient_is_its_own_cause(
    several: dict[str, Finding], kind: str, path: str, suggested: float
) -> None:
    found = cause(several[kind])
    assert found.parameter == path
    assert found.current == FAULTS[path]
    assert found.suggested == pytest.approx(suggested)


def test_a_wrong_bounce_and_the_touch_after_it_follow_from_the_restitution(
    several: dict[str, Finding],
) -> None:
    assert cause(several["bounce_height"]).parameter == "ball.restitution"
    assert cause(several["contact_time"]).parameter == "ball.restitution"


def test_the_way_is_blamed_on_what_was_measured_to_shorten_it(several: dict[str, Finding]) -> None:
    found = cause(several["position"])
    assert found.parameter in FAULTS
    assert found.explained is not None
    assert found.explained > 0.2


def test_the_body_that_differs_is_named_and_without_a_rollout_too(truth: Replay, engine: Engine) -> None:
    report = judged(truth, engine, {"floor.restitution": 0.9, "ball.vel[0]": 0.9}, fast=True)
    found = cause(next(f for f in report.findings if f.kind == "restitution"))
    assert (found.parameter, found.current, found.explained) == ("floor.restitution", 0.9, None)
    assert found.suggested == pytest.approx(1.0)


def test_where_both_bodies_differ_one_value_mends_the_product(truth: Replay, engine: Engine) -> None:
    report = judged(truth, engine, {"floor.restitution": 0.9, "ball.restitution": 0.6}, fast=True)
    found = cause(next(f for f in report.findings if f.kind == "restitution"))
    assert found.parameter == "ball.restitution"
    assert found.suggested == pytest.approx(0.8 / 0.9, abs=1e-6)


def test_a_touch_before_the_first_bounce_is_not_the_bounces_fault(truth: Replay, engine: Engine) -> None:
    report = judged(truth, engine, {"ball.restitution": 0.7, "ball.pos[2]": 0.9})
    assert cause(next(f for f in report.findings if f.kind == "restitution")).parameter == "ball.restitution"
    assert cause(next(f for f in report.findings if f.kind == "contact_time")).parameter == "ball.pos[2]"


def test_no_value_is_called_better_that_was_played_and_does_not_help(truth: Replay, engine: Engine) -> None:
    """From too high a start, the right restitution throws the ball further off than the wrong one does."""
    alone = judged(truth, engine, {"ball.restitution": 0.6})
    assert cause(next(f for f in alone.findings if f.kind == "restitution")).suggested == pytest.approx(0.8)
    faults = {"ball.pos[2]": 1.0, "ball.restitution": 0.6}
    found = cause(next(f for f in judged(truth, engine, faults).findings if f.kind == "restitution"))
    assert (found.parameter, found.current) == ("ball.restitution", 0.6)
    errors = {}
    for restitution in (0.6, 0.8):
        world = with_value(with_value(truth.world, "ball.pos[2]", 1.0), "ball.restitution", restitution)
        own = replay(world, engine=engine).trajectory.position[:, 0]
        errors[restitution] = np.linalg.norm(own - truth.trajectory.position[:, 0], axis=-1).mean()
    assert errors[0.8] > errors[0.6]
    assert found.suggested is None


def test_a_size_is_its_own_cause_along_the_candidates_axes(engine: Engine) -> None:
    """The candidate writes the box a quarter turn about z further, with x and y exchanged."""
    box = Object(
        name="box", geometry="box", size=(0.1, 0.2, 0.3), mass=0.2, pos=(0, 0, 0.151), vel=(0, 0, 0),
        acc=(0.0, 0.0, -9.8),
    )  # fmt: skip
    turned = replace(box, size=(0.24, 0.1, 0.3), rot=(0.5**0.5, 0, 0, 0.5**0.5), pos=(0.1, 0, 0.151))
    world = replace(scene(), objects=(box,), duration=0.4)
    reference = replay(world, engine=engine)
    candidate = replay(replace(world, objects=(turned,)), engine=engine)
    report = compared(reference, candidate)
    found = cause(next(f for f in report.findings if f.kind == "size"))
    assert (found.parameter, found.current) == ("box.size[0]", 0.24)
    assert found.suggested == pytest.approx(0.2)


def test_what_no_number_mends_has_no_cause(truth: Replay, engine: Engine) -> None:
    ball = truth.world.object("ball")
    twin = replace(ball, name="twin", pos=(3.0, 2.0, 0.62))
    world = replace(truth.world, objects=(replace(ball, vel=(1.2, 0.0, 0.0)), twin))
    report = compared(truth, replay(world, engine=engine))
    kinds = {f.kind: f for f in report.findings}
    assert kinds["extra_object"].likely_cause is None
    assert cause(kinds["position"]).parameter == "ball.vel[0]"


def test_findings_of_one_kind_come_worst_first() -> None:
    def finding(name: str, gap: float | None, *, frame: int, kind: str = "position") -> Finding:
        return Finding(
            frame=frame, time=frame / 30, axis="geometry", objects=(name,), kind=kind,
            arguments={"text": name}, measured=gap, expected=0.02,
        )  # fmt: skip

    found = [
        finding("near", 0.03, frame=1),
        finding("far", 0.14, frame=9),
        finding("late", 0.1, frame=2, kind="contact_time"),
        finding("never", None, frame=5, kind="contact_time"),
        replace(finding("remark", 9.0, frame=0), severity="warning"),
    ]
    assert [f.message for f in in_order(found)] == ["never", "late", "far", "near", "remark"]
