"""Several bodies with one fault: one finding that names them, and one suggestion that holds for all."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fourdcb.evaluation import judge_replays
from fourdcb.metrics import Report, load_criteria
from fourdcb.metrics.causes.contact_changes import PairValues
from fourdcb.metrics.findings.coefficients import folded, pair_arguments
from fourdcb.metrics.result import Cause, Finding
from fourdcb.physics import Engine
from fourdcb.replay import replay
from fourdcb.report.wording import cause_sentence
from fourdcb.words import listed
from fourdcb.world import Camera, Object, Plane, World

NAMES = tuple(f"domino{i}" for i in range(5))


def dominoes(friction: float) -> World:
    objects = tuple(
        Object(
            name=name, geometry="box", size=(0.03, 0.1, 0.2), mass=0.2, friction=friction, restitution=0.1,
            pos=(0.1 * i, 0.0, 0.1), vel=(0.0, 0.0, 0.0), ang_vel=(0.0, 0.0 if i else 5.0, 0.0),
            acc=(0.0, 0.0, -9.8),
        )
        for i, name in enumerate(NAMES)
    )  # fmt: skip
    camera = Camera(pos=(0.6, -1.6, 0.8), target=(0.2, 0.0, 0.1), width=32, height=32)
    return World(duration=2.0, fps=15, objects=objects, planes=(Plane(name="floor"),), camera=camera)


@pytest.fixture(scope="module")
def report(engine: Engine) -> Report:
    truth, candidate = (replay(dominoes(friction), engine=engine) for friction in (0.5, 0.3))
    return judge_replays(
        reference=truth, candidate=candidate, video_frames=truth.frames,
        video_times=truth.world.frame_times(), criteria=load_criteria(),
    )  # fmt: skip


def test_all_dominoes_are_told_in_one_line(report: Report) -> None:
    floor, pairs = (f for f in report.findings if f.kind == "friction")
    assert floor.message.endswith(
        "domino0, domino1 and 3 more slide with friction 0.30 on floor, the reference with 0.50"
    )
    assert floor.objects == (*NAMES, "floor")
    assert "domino0 on domino1, domino1 on domino2 and 2 more pairs slide with friction 0.09" in pairs.message
    assert pairs.message.endswith("the reference with 0.25 (of the two together)")
    assert set(pairs.objects) == set(NAMES)
    assert floor.likely_cause is not None
    assert floor.likely_cause.alike == tuple(f"{name}.friction" for name in NAMES[1:])


def test_no_body_is_told_two_values(report: Report) -> None:
    causes = [f.likely_cause for f in report.findings if f.likely_cause is not None]
    frictions = [cause for cause in causes if cause.parameter.endswith(".friction")]
    assert len(frictions) > 2
    assert {cause.suggested for cause in frictions} == {0.5}
    assert all(cause.parameter.startswith("domino") for cause in frictions)


def test_many_names_are_counted() -> None:
    assert [listed(NAMES[:n]) for n in (1, 2, 3)] == [
        "domino0", "domino0 and domino1", "domino0, domino1 and domino2",
    ]  # fmt: skip
    assert listed(NAMES, "pairs") == "domino0, domino1 and 3 more pairs"


def finding(mover: str, *, own: float = 0.3, other: str = "floor", kind: str = "friction") -> Finding:
    return Finding(
        frame=4, time=0.1, axis="physics", objects=(mover, other), kind=kind, measured=own, expected=0.5,
        arguments=pair_arguments([(mover, other)], together=False),
        likely_cause=Cause(parameter=f"{mover}.friction", current=own, suggested=0.5),
    )  # fmt: skip


def test_only_equal_faults_are_folded() -> None:
    different = (finding("a"), finding("b", own=0.2), finding("c", other="wall"), finding("d", kind="slide"))
    assert folded(different) == different
    unexplained = replace(finding("b"), likely_cause=None)
    assert folded((finding("a"), unexplained)) == (finding("a"), unexplained)


def test_the_earliest_frame_is_told_at_the_first_place() -> None:
    last = finding("z", kind="slide")
    both = folded((finding("a"), replace(finding("b"), frame=2, time=0.05), last))
    assert (both[0].frame, both[0].time, both[1]) == (2, 0.05, last)
    assert both[0].message == "frame 2: a and b slide with friction 0.30 on floor, the reference with 0.50"


def test_a_suggestion_names_the_bodies_that_share_it() -> None:
    cause = Cause(parameter="a.friction", current=0.3, suggested=0.5, alike=("b.friction",))
    assert cause_sentence(cause) == "a.friction is 0.3; 0.5 would fit better (likewise for b)"
    many = replace(cause, alike=tuple(f"b{i}.friction" for i in range(9)))
    assert str(cause_sentence(many)).endswith("(likewise for b0, b1 and 7 more)")


def values(
    own: dict[str, float], wanted: dict[str, float], *, settled: str = "", moving: str = ""
) -> PairValues:
    return PairValues(
        prop="friction", own=own, wanted=wanted, moving=frozenset(moving), settled=frozenset(settled)
    )


def test_a_settled_body_gets_its_counterparts_value_and_the_other_none() -> None:
    """Where a third body has told what a should be, b is not asked to make up for it."""
    own, wanted = {"a": 0.3, "b": 0.2}, {"a": 0.5, "b": 0.4}
    told = values(own, wanted, settled="a", moving="ab")
    assert list(told.for_pair(("a", "b"))) == [("a.friction", 0.5)]
    both = list(values(own, wanted, settled="ab").for_pair(("a", "b")))
    assert both == [("a.friction", 0.5), ("b.friction", 0.4)]


def test_of_two_wrong_bodies_the_moving_one_comes_first() -> None:
    own, wanted = {"a": 0.5, "b": 0.25}, {"a": 0.4, "b": 0.5}
    found = list(values(own, wanted, moving="b").for_pair(("a", "b")))
    assert [path for path, _ in found] == ["b.friction", "a.friction"]
    assert [value for _, value in found] == pytest.approx([0.2 / 0.5, 0.2 / 0.25])  # the product is 0.4 x 0.5
    assert list(values(wanted, wanted).for_pair(("a", "b"))) == []
