"""The one order in which worlds are rolled out, drawn, decoded and judged.

Command line and Studio differ in how replays come about (:class:`Playback`): at once, on threads, or in
slices between the frames that somebody looks at. What follows what, and what goes on beside what, is said
here only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from threading import Event
from typing import Any, Protocol, TypeVar

from fourdcb.arrays import F64
from fourdcb.evaluation.comparable import why_incomparable
from fourdcb.evaluation.environment import environment_record, video_record
from fourdcb.metrics import Criteria, MetricValue, Report
from fourdcb.metrics.geometry.drift import replay_fps
from fourdcb.metrics.judge import (
    PicturesCompared,
    WorldsCompared,
    compare_pictures,
    compare_worlds,
    judge,
    report_of,
)
from fourdcb.metrics.pictures.stream import stage_findings, stream_findings
from fourdcb.metrics.result import Finding
from fourdcb.physics import Engine
from fourdcb.progress import Progress
from fourdcb.replay import CancellableFrames, FrameSequence, Replay, Steps, VideoFrames, settled
from fourdcb.video import Timeline, VideoInfo
from fourdcb.world import Camera, World

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeTask:
    """What is to be judged.

    Attributes:
        candidate: on the reference's stage already (see :func:`fourdcb.world.on_stage_of`).
        reference: the truth, or None.
        criteria: thresholds.
        fast: geometry and physics only; nothing is drawn and nothing decoded.
        clip: gives the decoded video; None when there is none. Called where the metrics run.
        video: what the video's header tells; default what ``clip`` brings with it.
        inputs: gives the provenance. Called where the metrics run; files take time to hash.
        replay_rate: the rate of a world that looks the same, measured here a moment ago; None measures.
    """

    candidate: World
    reference: World | None
    criteria: Criteria
    fast: bool = False
    clip: Callable[[], VideoFrames] | None = None
    video: VideoInfo | None = None
    inputs: Callable[[], Mapping[str, Any]] = dict
    replay_rate: MetricValue | None = None


@dataclass(frozen=True, slots=True)
class Truth:
    """The reference's replay, and how long each of its objects can be predicted [s]."""

    replay: Replay
    horizon: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Motions:
    """What was simulated.

    Attributes:
        candidate: without pictures.
        truth: gives the reference's replay and horizon, perhaps after a wait; None without a reference.
    """

    candidate: Replay
    truth: Callable[[], Truth] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A judgement together with what it was made from; ``candidate`` has its pictures unless judged fast."""

    report: Report
    candidate: Replay
    reference: Replay | None
    clip: VideoFrames | None


class Playback(Protocol):
    """How replays come about, and where they are measured."""

    def motions(self, task: JudgeTask) -> Steps[Motions]:
        """Roll the task's worlds out."""

    def drawn(self, played: Replay) -> Steps[Replay]:
        """The candidate with its pictures, perhaps ones that are still coming."""

    def measured(self, work: Callable[[Progress], T]) -> Steps[T]:
        """Do ``work`` where metrics may take a second in one piece."""

    def engine(self) -> AbstractContextManager[Engine]:
        """An engine for the thread in which ``measured`` works."""


def judge_steps(task: JudgeTask, playback: Playback) -> Steps[Judged]:
    """Judge a candidate in slices; :func:`fourdcb.replay.finished` does them all at once.

    Raises:
        UserError: when a world or the video cannot be used.
        SimulationDivergedError: when a motion explodes.
    """
    motions = yield from playback.motions(task)
    own = motions.candidate
    if not task.fast:
        own = yield from playback.drawn(own)
    return (yield from playback.measured(lambda told: _judged(task, own, motions.truth, playback, told)))


def _judged(
    task: JudgeTask,
    own: Replay,
    truth_of: Callable[[], Truth] | None,
    playback: Playback,
    told: Progress,
) -> Judged:
    told.start("judging", 4)
    clip = None if task.fast or task.clip is None else task.clip()
    info = task.video if clip is None else clip.info
    told.advance()
    truth = None if truth_of is None else truth_of()
    told.advance()
    with playback.engine() as engine:
        report = judge_replays(
            reference=None if truth is None else truth.replay,
            candidate=own,
            video_frames=None if clip is None else clip.frames,
            video_times=None if info is None else Timeline(info.times, info.duration),
            criteria=task.criteria,
            fast=task.fast,
            horizon=None if truth is None else truth.horizon,
            remarks=() if info is None else _remarks(info, task.candidate.camera),
            inputs=_inputs(task, clip),
            environment=environment_record(),
            replay_rate=task.replay_rate,
            engine=engine,
        )
    told.advance(2)
    if own.frames is not None:
        own = replace(own, frames=settled(own.frames))
    return Judged(report=report, candidate=own, reference=None if truth is None else truth.replay, clip=clip)


def judge_replays(
    *,
    reference: Replay | None,
    candidate: Replay,
    video_frames: FrameSequence | None,
    video_times: F64 | Timeline | None,
    criteria: Criteria,
    fast: bool = False,
    horizon: Mapping[str, float] | None = None,
    remarks: tuple[Finding, ...] = (),
    inputs: Mapping[str, Any] | None = None,
    environment: Mapping[str, Any] | None = None,
    replay_rate: MetricValue | None = None,
    engine: Engine | None = None,
) -> Report:
    """:func:`fourdcb.metrics.judge.judge` in two threads, with the replay's rate measured if none is given.

    Arguments are those of :func:`~fourdcb.metrics.judge.judge`.

    Raises:
        UserError: when the two replays do not share rate and frame rate.
    """
    if fast:  # one half only
        return judge(
            reference=reference, candidate=candidate, video_frames=video_frames, video_times=video_times,
            criteria=criteria, fast=True, horizon=horizon, remarks=remarks, inputs=inputs,
            environment=environment, replay_rate=replay_rate, engine=engine,
            incomparable=why_incomparable(criteria, inputs or {}),
        )  # fmt: skip
    worlds, pictures = _both_halves(
        reference, candidate, video_frames, video_times, criteria, horizon, engine
    )
    if replay_rate is None and reference is not None:
        if candidate.frames is not None:
            settled(candidate.frames)  # a thread that still draws would be measured, too
        replay_rate = replay_fps(candidate, reference, criteria)
    return report_of(
        worlds, pictures, reference=reference, candidate=candidate, video_times=video_times,
        criteria=criteria, fast=False, horizon=horizon, remarks=remarks, inputs=inputs,
        environment=environment, replay_rate=replay_rate,
        incomparable=why_incomparable(criteria, inputs or {}),
    )  # fmt: skip


def _both_halves(
    reference: Replay | None,
    candidate: Replay,
    video_frames: FrameSequence | None,
    video_times: F64 | Timeline | None,
    criteria: Criteria,
    horizon: Mapping[str, float] | None,
    engine: Engine | None,
) -> tuple[WorldsCompared | None, PicturesCompared]:
    """Everything that compares the two worlds, while a second thread looks at the pictures and the video."""
    given_up = Event()
    shown = replace(candidate, frames=_cancellable(candidate.frames, given_up))
    video = _cancellable(video_frames, given_up)
    with ThreadPoolExecutor(1, thread_name_prefix="fourdcb-pictures") as pool:
        try:
            looked = pool.submit(compare_pictures, reference, shown, video, video_times)
            worlds = None
            if reference is not None:
                worlds = compare_worlds(reference, candidate, criteria, horizon=horizon, engine=engine)
            return worlds, looked.result()
        except BaseException:
            given_up.set()  # the thread would go through the whole clip before anybody hears of this
            raise


def _cancellable(frames: FrameSequence | None, given_up: Event) -> FrameSequence | None:
    return None if frames is None else CancellableFrames(frames, given_up)


def _inputs(task: JudgeTask, clip: VideoFrames | None) -> dict[str, Any]:
    inputs = dict(task.inputs())
    if clip is not None and "video" in inputs:
        inputs["video"] = {**inputs["video"], **video_record(clip.info)}
    return inputs


def _remarks(info: VideoInfo, camera: Camera) -> tuple[Finding, ...]:
    """What must be known of the video's file beside the figures."""
    stage = stage_findings(info, width=camera.width, height=camera.height)
    return (*stream_findings(info, "video"), *stage)
