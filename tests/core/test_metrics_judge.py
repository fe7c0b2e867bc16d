"""The whole judgement: what must always hold, and which axis each fault fails."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourdcb.cli.summary import report_lines
from fourdcb.evaluation import judge_replays
from fourdcb.metrics import Criteria, MetricValue, Report, load_criteria
from fourdcb.metrics.geometry import drift
from fourdcb.metrics.verdict import axis_result, decide, derive_claim
from fourdcb.physics import Engine
from fourdcb.render import RenderSettings
from fourdcb.replay import Replay, replay
from fourdcb.world import Camera, DirectionalLight, Material, Object, Plane, World, with_value

CRITERIA = load_criteria()
LIGHT = DirectionalLight(name="sun", direction=(-0.45, 0.55, -0.75), intensity=4.0)


def scene() -> World:
    cup = Object(
        name="cup", geometry="cylinder", size=(0.1, 0.1, 0.12), mass=0.15, friction=0.3, restitution=0.6,
        pos=(-0.2, 0.0, 0.21), vel=(0.6, 0.0, 0.0), acc=(0, 0, -9.8),
        material=Material(base_color=(0.7, 0.3, 0.2), roughness=0.3),
    )  # fmt: skip
    ball = Object(
        name="ball", geometry="sphere", size=(0.12, 0.12, 0.12), mass=0.2, friction=0.3, restitution=0.6,
        pos=(0.3, 0.3, 0.4), vel=(0, 0, 0), acc=(0, 0, -9.8),
    )  # fmt: skip
    return World(
        duration=0.8,
        fps=15,
        objects=(cup, ball),
        planes=(Plane(name="floor", friction=1.0, restitution=1.0),),
        lights=(LIGHT,),
        camera=Camera(width=64, height=64),
    )


@pytest.fixture(scope="module")
def truth(engine: Engine) -> Replay:
    return replay(scene(), engine=engine)


def against(reference: Replay, candidate: Replay, *, fast: bool = False, **more: object) -> Report:
    return judge_replays(
        reference=reference,
        candidate=candidate,
        video_frames=reference.frames,
        video_times=reference.world.frame_times(),
        criteria=CRITERIA,
        fast=fast,
        **more,  # type: ignore[arg-type]
    )


def moved(source: Replay, shift: np.ndarray, name: str = "cup") -> Replay:
    """The same replay with one object's recorded positions shifted."""
    position = source.trajectory.position.copy()
    position[:, source.trajectory.index(name)] += shift
    return replace(source, trajectory=replace(source.trajectory, position=position))


def value(report: Report, axis: str, metric: str) -> float:
    found = report.axes[axis].metrics[metric].value  # type: ignore[index]
    assert found is not None
    return found


def test_truth_against_itself_is_deployable_with_zeros(truth: Replay) -> None:
    report = against(truth, truth)
    assert report.verdict == "DEPLOYABLE"
    assert report.findings == ()
    values = {n: m.value for a in report.axes.values() for n, m in a.metrics.items()}
    assert values.pop("collision_accuracy") == 1.0
    assert values.pop("replay_fps") is not None
    assert values.pop("drift_rate") is None
    assert set(values.values()) == {0.0}
    assert report.image["ssim"].value == 1.0
    assert report.exit_code == 0


def test_report_is_plain_json(truth: Replay) -> None:
    report = against(truth, moved(truth, np.array([0.1, 0, 0])), horizon={"cup": 0.8, "ball": 0.8})
    data = json.loads(json.dumps(report.to_json(), allow_nan=False))
    assert data["format"] == "fourdcb.report"
    assert set(data["axes"]) == {"geometry", "physics", "material_light", "time"}
    assert data["horizon"]["cup"] == {"seconds": 0.8, "fraction": 1.0}
    assert len(data["series"]["times"]) == truth.world.n_frames
    cup = data["series"]["objects"]["cup"]
    assert np.shape(cup["position_error"]) == (12, 3)
    assert len(cup["rotation_error_deg"]) == len(cup["velocity_error"]) == len(cup["energy"]) == 12
    assert len(data["series"]["psnr"]) == len(data["series"]["ssim"]) == 12


@given(st.lists(st.floats(-0.3, 0.3), min_size=3, max_size=3))
@settings(max_examples=15, deadline=None)
def test_a_rigid_shift_is_measured_exactly(truth: Replay, shift: list[float]) -> None:
    d = np.array(shift)
    report = against(truth, moved(truth, d), fast=True)
    assert value(report, "geometry", "delta_pos") == pytest.approx(np.linalg.norm(d), abs=1e-12)


@given(st.floats(0, 0.2), st.floats(0, 0.2))
@settings(max_examples=10, deadline=None)
def test_errors_grow_with_an_injected_pose_error(truth: Replay, a: float, b: float) -> None:
    small, large = (
        value(against(truth, moved(truth, np.array([x, 0, 0])), fast=True), "geometry", "delta_pos")
        for x in sorted((a, b))
    )
    assert small <= large + 1e-12


def test_renaming_and_reordering_change_nothing(truth: Replay, engine: Engine) -> None:
    cup, ball = truth.world.objects
    floor = replace(truth.world.planes[0], name="ground")
    other = replace(truth.world, objects=(replace(ball, name="a"), replace(cup, name="b")), planes=(floor,))
    report = against(truth, replay(other, engine=engine))
    assert report.verdict == "DEPLOYABLE"
    assert value(report, "geometry", "delta_pos") < 1e-4
    assert value(report, "material_light", "brdf_error") < 1e-6


FAULTS = {
    "sun.direction[0]": (0.1, {"material_light"}),
    "cup.roughness": (0.7, {"material_light"}),
    "cup.base_color[1]": (0.8, {"material_light"}),
    "ball.restitution": (0.2, {"physics"}),
    "cup.friction": (0.05, {"physics"}),
}


@pytest.mark.parametrize("path", FAULTS)
def test_each_fault_fails_its_own_axis(truth: Replay, engine: Engine, path: str) -> None:
    wrong, must = FAULTS[path]
    report = against(truth, replay(with_value(truth.world, path, wrong), engine=engine))
    failed = {axis for axis, result in report.axes.items() if result.passed is False}
    assert report.verdict == "DEPLOYMENT_NOT_RECOMMENDED"
    assert report.exit_code == 1
    assert must <= failed
    assert failed <= (must if must == {"material_light"} else must | {"geometry", "time"})
    causes = [f.likely_cause for f in report.findings if f.likely_cause is not None]
    assert path in {cause.parameter for cause in causes}
    assert report.findings[0].axis in must


def test_a_suggestion_is_the_reference_value(truth: Replay, engine: Engine) -> None:
    report = against(truth, replay(with_value(truth.world, "ball.restitution", 0.2), engine=engine))
    cause = report.findings[0].likely_cause
    assert cause is not None
    assert (cause.parameter, cause.current) == ("ball.restitution", 0.2)
    assert cause.suggested == pytest.approx(0.6)
    assert cause.explained == pytest.approx(1.0)
    assert any("bounces to" in f.message or "never bounces" in f.message for f in report.findings)


def test_coefficients_count_as_products(truth: Replay, engine: Engine) -> None:
    world = with_value(with_value(truth.world, "ball.restitution", 0.75), "floor.restitution", 0.8)
    world = with_value(world, "cup.restitution", 0.75)
    report = against(truth, replay(world, engine=engine), fast=True)
    assert report.axes["physics"].passed is True


def test_missing_and_extra_objects_fail_geometry(truth: Replay, engine: Engine) -> None:
    cup_only = replay(replace(truth.world, objects=truth.world.objects[:1]), engine=engine)
    report = against(truth, cup_only)
    assert report.axes["geometry"].passed is False
    assert report.findings[0].kind == "missing_object"
    assert "ball" in report.findings[0].message
    other = against(cup_only, truth)
    assert other.findings[0].kind == "extra_object"


def test_an_empty_candidate_is_judged(truth: Replay, engine: Engine) -> None:
    empty = replay(replace(truth.world, objects=(), planes=(), lights=()), engine=engine)
    report = against(truth, empty)
    assert report.verdict == "DEPLOYMENT_NOT_RECOMMENDED"
    json.dumps(report.to_json(), allow_nan=False)


def test_fast_never_says_deployable(truth: Replay) -> None:
    report = against(replace(truth, frames=None), replace(truth, frames=None), fast=True)
    assert report.verdict == "INCONCLUSIVE"
    assert report.axes["material_light"].metrics["brdf_error"].status == "skipped"
    assert report.claim == "diagnostic"


def test_without_a_truth_only_pictures_are_compared(truth: Replay) -> None:
    report = judge_replays(
        reference=None,
        candidate=truth,
        video_frames=truth.frames,
        video_times=truth.world.frame_times(),
        criteria=CRITERIA,
    )
    assert report.verdict == "INCONCLUSIVE"
    assert report.claim == "diagnostic"
    assert report.image["ssim"].value == 1.0
    assert {m.status for a in report.axes.values() for m in a.metrics.values()} == {"not_measured"}


def test_chaos_is_inconclusive(truth: Replay) -> None:
    report = against(truth, truth, horizon={"cup": 0.2, "ball": 0.8})
    assert report.verdict == "INCONCLUSIVE"
    position = report.axes["geometry"].metrics["delta_pos"]
    assert position.status == "not_measured"
    assert position.reason == "cup is predictable for 3 of 12 frames only (60% are needed)"
    both = against(truth, truth, horizon={"cup": 0.2, "ball": 0.1})
    reason = both.axes["geometry"].metrics["delta_pos"].reason
    assert reason == "cup and ball are predictable for 2 to 3 of 12 frames only (60% are needed)"
    assert any(f.kind == "horizon" and f.severity == "warning" for f in report.findings)


@pytest.mark.parametrize("seconds", [0.0, 0.01])
def test_a_horizon_of_no_or_one_frame_has_no_error_and_no_rate(truth: Replay, seconds: float) -> None:
    tolerant = replace(CRITERIA, horizon_min_fraction=0.0, drift_min_frames=2)
    report = judge_replays(
        reference=truth, candidate=truth, video_frames=truth.frames,
        video_times=truth.world.frame_times(), criteria=tolerant, fast=True, horizon={"cup": seconds},
    )  # fmt: skip
    assert report.axes["geometry"].metrics["delta_pos"].status == "not_measured"
    assert report.axes["time"].metrics["drift_rate"].status == "not_measured"


def test_errors_after_the_horizon_do_not_count(truth: Replay) -> None:
    late = moved(truth, np.zeros(3))
    late.trajectory.position[-128:, 0] += 1.0
    assert value(against(truth, late, fast=True), "geometry", "delta_pos") > 0.02
    assert value(against(truth, late, fast=True, horizon={"cup": 0.6}), "geometry", "delta_pos") == 0.0


def test_other_rates_are_refused(truth: Replay, engine: Engine) -> None:
    from fourdcb.errors import UserError

    slow = Replay(
        world=truth.world,
        trajectory=engine.rollout(truth.world, rate_hz=240),
        frames=None,
        settings=RenderSettings(),
    )
    with pytest.raises(UserError, match="cannot be compared"):
        against(truth, slow, fast=True)


def metric(passed: bool | None, status: str = "ok") -> MetricValue:
    return MetricValue(
        value=1.0 if status == "ok" else None,
        status=status,
        passed=passed,
        reason="because",  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("metrics", "passed", "verdict"),
    [
        ([metric(True), metric(True)], True, "DEPLOYABLE"),
        ([metric(True), metric(False)], False, "DEPLOYMENT_NOT_RECOMMENDED"),
        ([metric(False), metric(None, "not_measured")], False, "DEPLOYMENT_NOT_RECOMMENDED"),
        ([metric(True), metric(None, "not_measured")], None, "INCONCLUSIVE"),
        ([metric(True), metric(None, "not_applicable")], True, "DEPLOYABLE"),
        ([metric(True), metric(None)], True, "DEPLOYABLE"),
    ],
)
def test_the_weakest_axis_decides(metrics: list[MetricValue], passed: bool | None, verdict: str) -> None:
    result = axis_result({f"m{i}": m for i, m in enumerate(metrics)})
    assert result.passed is passed
    assert decide({"geometry": result})[0] == verdict


def paces(monkeypatch: pytest.MonkeyPatch, *seconds: float) -> None:
    """Drawing takes so many seconds a frame, the truth's and the candidate's in turn."""
    turns = iter(seconds)

    def drawn(jobs: list[object], **_: object) -> tuple[np.ndarray, np.ndarray]:
        each = next(turns)
        return np.full(16, each), np.arange(16) * max(each, 1 / 60)

    monkeypatch.setattr(drift, "paced", drawn)


LOCK = files("fourdcb_resources") / "catalogs" / "mini.lock.json"
SAMPLE = json.loads(LOCK.read_text(encoding="utf-8"))["samples"]["bounce_ball"]
HASHED = {part: {"path": part, "sha256": digest} for part, digest in SAMPLE.items()}


def test_comparable_are_shipped_thresholds_truth_and_video_where_the_rate_can_be_judged(
    truth: Replay, monkeypatch: pytest.MonkeyPatch
) -> None:
    def claim(criteria: Criteria = CRITERIA, inputs: dict[str, Any] = HASHED, pace: float = 0.01) -> str:
        paces(monkeypatch, pace, 0.01)
        report = judge_replays(
            reference=truth, candidate=truth, criteria=criteria, inputs=inputs,
            video_frames=truth.frames, video_times=truth.world.frame_times(),
        )  # fmt: skip
        rate = report.axes["time"].metrics["replay_fps"]
        assert (rate.passed is None) is (pace > 1 / 45)
        if rate.passed is None:
            assert str(rate.reason).startswith("not judged on this machine")
            assert any("not judged on this machine" in line for line in report_lines(report))
        assert derive_claim(report.axes, caveat="x") == "diagnostic"
        return report.claim

    assert claim() == "benchmark_comparable"
    loose = replace(CRITERIA.thresholds["delta_pos"], value=5.0)
    assert claim(replace(CRITERIA, thresholds={**CRITERIA.thresholds, "delta_pos": loose})) == "diagnostic"
    assert claim(inputs={**HASHED, "reference": {"path": "mine.py", "sha256": "0" * 64}}) == "diagnostic"
    assert claim(inputs={}) == "diagnostic"
    assert claim(pace=0.03) == "diagnostic"


def changed(world: World, name: str, **fields: object) -> World:
    objects = tuple(replace(o, **fields) if o.name == name else o for o in world.objects)  # type: ignore[arg-type]
    return replace(world, objects=objects)


def test_an_object_sunk_into_the_floor_is_told(truth: Replay, engine: Engine) -> None:
    resting = changed(truth.world, "ball", pos=(0.3, 0.3, 0.06))
    sunk = changed(truth.world, "ball", pos=(0.3, 0.3, 0.0527))
    reference, candidate = (replay(w, engine=engine, frames=False) for w in (resting, sunk))
    report = against(reference, candidate, fast=True)
    assert report.axes["physics"].passed is False
    assert report.findings[0].message == "frame 0: ball penetrates floor by 7.3 mm (collision)"


def test_a_box_in_place_of_a_cylinder_fails_geometry_alone(truth: Replay, engine: Engine) -> None:
    candidate = replay(changed(truth.world, "cup", geometry="box"), engine=engine, frames=False)
    report = against(truth, candidate, fast=True)
    assert report.axes["geometry"].metrics["delta_scale"].passed is False
    assert "cup is a box, the reference's is a cylinder" in " ".join(f.message for f in report.findings)


def test_an_extra_object_leaves_the_contacts_of_the_others_alone(truth: Replay, engine: Engine) -> None:
    ball = truth.world.object("ball")
    extra = replace(ball, name="third", pos=(-0.3, 0.4, 0.3))
    world = replace(truth.world, objects=(*truth.world.objects, extra))
    report = against(truth, replay(world, engine=engine, frames=False), fast=True)
    assert report.axes["geometry"].passed is False
    assert report.axes["physics"].passed is True


def test_a_lowered_floor_explains_itself(truth: Replay, engine: Engine) -> None:
    candidate = replay(with_value(truth.world, "floor.offset", -0.04), engine=engine)
    report = against(truth, candidate)
    surface = next(f for f in report.findings if f.kind == "surface")
    assert surface.measured == pytest.approx(0.04, abs=1e-6)
    assert surface.likely_cause is not None
    assert surface.likely_cause.parameter == "floor.offset"


def test_a_contact_that_ends_early_is_told(truth: Replay, engine: Engine) -> None:
    """The same first touch, but the ball is carried away from the floor later on."""
    resting = changed(truth.world, "ball", pos=(0.3, 0.3, 0.06), restitution=0.0)
    reference = replay(resting, engine=engine, frames=False)
    contacts = reference.trajectory.contacts
    rate, ball = reference.trajectory.rate_hz, reference.trajectory.index("ball")
    keep = ~((contacts.body_a == ball) & (contacts.step > 0.4 * rate))
    cut = replace(contacts, **{name: getattr(contacts, name)[keep] for name in contacts.__slots__})
    candidate = replace(reference, trajectory=replace(reference.trajectory, contacts=cut))
    report = against(reference, candidate, fast=True)
    assert report.axes["physics"].passed is False
    finding = next(f for f in report.findings if f.kind == "contact_length")
    assert finding.message.startswith("frame 7: ball has left floor, the reference still touches it")


def test_a_replay_that_is_slow_where_the_truth_s_is_not_fails_time(
    truth: Replay, monkeypatch: pytest.MonkeyPatch
) -> None:
    paces(monkeypatch, 0.01, 0.03, *(0.03, 0.01) * 7)
    report = judge_replays(
        reference=truth, candidate=truth, video_frames=None, video_times=None, criteria=CRITERIA
    )
    assert report.axes["time"].passed is False
    assert [f.kind for f in report.findings] == ["replay_rate"]


def test_an_empty_reference_is_judged(truth: Replay, engine: Engine) -> None:
    empty = replay(replace(truth.world, objects=(), planes=(), lights=()), engine=engine)
    nothing = against(empty, empty)  # a pass in which nothing was judged would promise too much
    assert nothing.verdict == "INCONCLUSIVE"
    assert "nothing that could be judged" in nothing.reasons[0]
    report = against(empty, truth)
    assert report.axes["geometry"].passed is False
    assert {f.kind for f in report.findings} >= {"extra_object", "surface"}


def test_no_finding_names_a_frame_that_the_clip_does_not_have(engine: Engine) -> None:
    """What happens after the last picture was taken is told at the last picture."""
    ball = Object(name="ball", geometry="sphere", size=(0.1, 0.1, 0.1), mass=1.0, pos=(0, 0, 0.5),
                  vel=(0, 0, 0), acc=(0, 0, -9.8), friction=0.5, restitution=0.5)  # fmt: skip
    low = World(duration=10 / 30, fps=30, objects=(ball,), planes=(Plane(name="floor", restitution=1.0),))
    low = with_value(low, "ball.pos[2]", 0.05 + 0.5 * 9.8 * (10 / 30 - 0.004) ** 2)
    high = with_value(low, "ball.pos[2]", 1.0)
    a, b = (replay(w, engine=engine, frames=False) for w in (high, low))
    report = judge_replays(
        reference=a, candidate=b, video_frames=None, video_times=None, criteria=CRITERIA, fast=True
    )
    touch = next(f for f in report.findings if f.kind == "extra_contact")
    assert touch.frame == low.n_frames - 1
    assert all(f.frame is None or 0 <= f.frame < low.n_frames for f in report.findings)
