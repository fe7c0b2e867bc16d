"""The order of judging: a pure judge, and a pipeline that only adds threads and the measured rate."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TypeVar

import numpy as np
import pytest

from fourdcb.dsl import parse_script
from fourdcb.evaluation import judge_replays
from fourdcb.evaluation.pipeline import JudgeTask, Motions, Truth, judge_steps
from fourdcb.metrics import MetricValue, load_criteria
from fourdcb.metrics.judge import judge
from fourdcb.physics import Engine
from fourdcb.progress import NullProgress, Progress
from fourdcb.render import on_one_thread
from fourdcb.replay import IncomingFrames, Replay, Steps, finished, replay
from fourdcb.sensitivity import predictability_horizon
from fourdcb.world import with_value

T = TypeVar("T")
SCRIPT = """
world = World(duration=0.5, fps=20)
ball = Object("ball", geometry="sphere", size=[0.2, 0.2, 0.2], mass=0.3, pos=[0, 0, 0.3], vel=[0.3, 0, 0],
              acc=[0, 0, -9.8])
floor = Plane("floor", normal=[0, 0, 1], offset=0.0)
sun = DirectionalLight("sun", direction=[0, 0.3, -1], intensity=3.0)
camera = Camera(width=64, height=48)
"""
CRITERIA = load_criteria()
RATE = MetricValue(value=60.0, unit="1/s", threshold=45.0, direction="above", passed=None)


@pytest.fixture(scope="module")
def truth(engine: Engine) -> Replay:
    return replay(parse_script(SCRIPT).world, engine=engine)


@pytest.fixture(scope="module")
def wrong(truth: Replay, engine: Engine) -> Replay:
    return replay(with_value(truth.world, "ball.vel[0]", 0.9), engine=engine)


def test_the_pipeline_says_what_the_pure_judge_says(truth: Replay, wrong: Replay) -> None:
    asked = {
        "reference": truth, "video_frames": truth.frames, "video_times": truth.world.frame_times(),
        "criteria": CRITERIA, "horizon": {"ball": 0.5}, "replay_rate": RATE,
    }  # fmt: skip
    for candidate in (truth, wrong):
        pure = judge(candidate=candidate, **asked)  # type: ignore[arg-type]
        assert judge_replays(candidate=candidate, **asked) == pure  # type: ignore[arg-type]
        assert judge(candidate=candidate, **asked) == pure  # type: ignore[arg-type]


def test_without_a_measured_rate_the_verdict_stays_open(truth: Replay) -> None:
    asked = {
        "reference": truth, "candidate": truth, "video_frames": None, "video_times": None,
        "criteria": CRITERIA,
    }  # fmt: skip
    pure = judge(**asked)  # type: ignore[arg-type]
    assert pure.axes["time"].metrics["replay_fps"].status == "not_measured"
    assert pure.verdict == "INCONCLUSIVE"
    measured = judge_replays(**asked)  # type: ignore[arg-type]
    assert measured.axes["time"].metrics["replay_fps"].status == "ok"
    assert measured.verdict == "DEPLOYABLE"


class OneAtATime:
    """A playback that does everything by hand, and writes down what was asked for."""

    def __init__(self, truth: Replay, own: Replay, engine: Engine) -> None:
        self.truth, self.own, self.played_by = truth, own, engine
        self.asked: list[str] = []

    def motions(self, task: JudgeTask) -> Steps[Motions]:
        self.asked.append("motions")
        yield None
        return Motions(candidate=replace(self.own, frames=None), truth=self._truth)

    def _truth(self) -> Truth:
        self.asked.append("truth")
        world = self.truth.world
        rate = self.truth.trajectory.rate_hz
        return Truth(self.truth, predictability_horizon(world, rate_hz=rate, engine=self.played_by))

    def drawn(self, played: Replay) -> Steps[Replay]:
        """Pictures that a thread puts while they are looked at."""
        self.asked.append("drawn")
        assert self.own.frames is not None
        _, height, width, _ = self.own.frames.shape
        frames = IncomingFrames(len(self.own.frames), height=height, width=width)
        threading.Thread(target=self._put, args=(frames,)).start()
        yield None
        return replace(played, frames=frames)

    def _put(self, frames: IncomingFrames) -> None:
        assert self.own.frames is not None
        for k, frame in enumerate(self.own.frames):
            frames.put(k, frame)

    def measured(self, work: Callable[[Progress], T]) -> Steps[T]:
        self.asked.append("measured")
        yield None
        with on_one_thread():
            return work(NullProgress())

    def engine(self) -> AbstractContextManager[Engine]:
        return nullcontext(self.played_by)


def test_whoever_plays_the_order_is_one(truth: Replay, wrong: Replay, engine: Engine) -> None:
    playback = OneAtATime(truth, wrong, engine)
    task = JudgeTask(
        candidate=wrong.world, reference=truth.world, criteria=CRITERIA, replay_rate=RATE,
        inputs=lambda: {"code": {"path": "x.py", "sha256": ""}},
    )  # fmt: skip
    judged = finished(judge_steps(task, playback))
    assert playback.asked == ["motions", "drawn", "measured", "truth"]
    assert isinstance(judged.candidate.frames, np.ndarray)  # all of them are there
    np.testing.assert_array_equal(judged.candidate.frames, wrong.frames)
    assert judged.report.inputs["code"]["path"] == "x.py"
    assert judged.report.verdict == "DEPLOYMENT_NOT_RECOMMENDED"
    causes = {f.likely_cause.parameter for f in judged.report.findings if f.likely_cause is not None}
    assert "ball.vel[0]" in causes


def test_a_fast_judgement_draws_nothing(truth: Replay, wrong: Replay, engine: Engine) -> None:
    playback = OneAtATime(truth, wrong, engine)
    task = JudgeTask(candidate=wrong.world, reference=truth.world, criteria=CRITERIA, fast=True)
    assert finished(judge_steps(task, playback)).candidate.frames is None
    assert "drawn" not in playback.asked


def test_closing_the_steps_ends_them(truth: Replay, wrong: Replay, engine: Engine) -> None:
    playback = OneAtATime(truth, wrong, engine)
    steps = judge_steps(JudgeTask(candidate=wrong.world, reference=truth.world, criteria=CRITERIA), playback)
    next(steps)
    steps.close()
    assert playback.asked == ["motions"]
