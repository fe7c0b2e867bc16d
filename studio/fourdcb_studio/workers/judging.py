"""Judging inside the simulation process, on the rollouts and pictures that are there already.

The order of judging is the library's (:mod:`fourdcb.evaluation.pipeline`). Here its slices are done between
two looks at the pipe, and its metrics on a thread of their own, so that the current frame never waits.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fourdcb.evaluation import Evaluation
from fourdcb.evaluation.environment import input_record
from fourdcb.evaluation.pipeline import Judged, JudgeTask, Motions, Truth, judge_steps
from fourdcb.metrics import load_criteria
from fourdcb.metrics.pictures.clip import partners
from fourdcb.metrics.result import MetricValue, Report
from fourdcb.physics import Engine, judging_rate
from fourdcb.progress import Progress
from fourdcb.replay import (
    CancellableFrames,
    IncomingFrames,
    Replay,
    ReplayCache,
    Steps,
    VideoFrames,
    read_on_stage,
)
from fourdcb.sensitivity import predictability_horizon
from fourdcb.world import Camera, World
from fourdcb.world.parts import WorldPart, part_of
from fourdcb_studio.session.messages import DiffRequest, ExportRequest, JudgeRequest
from fourdcb_studio.workers.judge_thread import JudgeThread, StopFlag

if TYPE_CHECKING:
    from fourdcb.report import EditComparison

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Judgement:
    """A report and what it took [s]."""

    report: Report
    seconds: float


@dataclass(frozen=True, slots=True)
class _Begun:
    """A judgement whose metrics run already: what will be asked for, and since when [s]."""

    asked: JudgeRequest
    steps: Steps[Judged]
    at: float


class Judge:
    """Judges candidates, one at a time, on the replays of a cache."""

    def __init__(self, cache: ReplayCache) -> None:
        self._cache = cache
        self._criteria = load_criteria(None)
        self._rates: Mapping[WorldPart, MetricValue] = {}  # of the world that was judged last, by its looks
        self._running: JudgeThread[Any] | None = None
        self._begun: _Begun | None = None

    def work(self, request: JudgeRequest) -> Steps[Judgement]:
        """Judge; dropping the work cancels.

        Raises:
            UserError: when a world or the video cannot be used.
        """
        begun, self._begun = self._begun, None
        if begun is None or begun.asked != replace(request, job=0):
            if begun is not None:
                begun.steps.close()
            begun = _Begun(request, self._steps(request, None), time.perf_counter())
        judged = yield from begun.steps
        self._remember(request.world, judged.report)
        return Judgement(judged.report, time.perf_counter() - begun.at)

    def begin(self, request: JudgeRequest) -> Steps[IncomingFrames]:
        """Begin with a judgement whose pictures are still drawn; :meth:`work` then waits for it.

        Returns:
            Where the pictures have to be put.
        """
        self.drop()
        at, camera = time.perf_counter(), request.world.camera
        frames = IncomingFrames(request.world.n_frames, height=camera.height, width=camera.width)
        steps, former = self._steps(request, frames), self._running
        while self._running is former:
            yield next(steps)
        self._begun = _Begun(replace(request, job=0), steps, at)
        return frames

    def drop(self) -> None:
        """Nobody will ask for what was begun."""
        if self._begun is not None:
            self._begun.steps.close()
            self._begun = None

    @property
    def is_busy(self) -> bool:
        """Whether a thread still runs, perhaps for a judgement that is not wanted any more."""
        return self._running is not None and self._running.is_alive()

    def on_thread(self, work: Callable[[StopFlag], T], stop: StopFlag | None = None) -> Steps[T]:
        """Run work on the one thread there is for it, once a cancelled one has left it."""
        while self.is_busy:
            yield None
        thread = JudgeThread(work, stop or StopFlag())
        self._running = thread
        thread.start()
        try:
            yield None
            while thread.is_alive():
                yield None
        finally:
            thread.cancel()
        return thread.result()

    def _steps(self, request: JudgeRequest, frames: IncomingFrames | None) -> Steps[Judged]:
        cache = self._cache
        task = JudgeTask(
            candidate=request.world,
            reference=request.reference,
            criteria=self._criteria,
            fast=request.fast,
            clip=_clip_source(request.video, request.world, cache.kept_bytes),
            inputs=lambda: _inputs(request),
            replay_rate=None if request.fast else self._rates.get(part_of(request.world, "looks")),
        )
        return judge_steps(task, _SlicedPlayback(self, cache, frames))

    def _remember(self, world: World, report: Report) -> None:
        rate = report.axes["time"].metrics.get("replay_fps")
        if rate is not None and rate.status == "ok":
            self._rates = {part_of(world, "looks"): rate}

    def diff(self, request: DiffRequest) -> Steps[Judgement]:
        """Compare two videos by their pictures. Raises UserError when one cannot be read."""
        from fourdcb.evaluation.video_diff import diff_videos

        begun = time.perf_counter()
        paths = Path(request.reference), Path(request.candidate)
        self.drop()
        report = yield from self.on_thread(lambda stop: diff_videos(*paths, progress=stop).report)
        return Judgement(report, time.perf_counter() - begun)

    def export(self, request: ExportRequest) -> Steps[tuple[str, ...]]:
        """Write a report and its readable form; returns the paths. Raises UserError."""
        candidate = truth = None
        if request.world is not None:
            candidate = yield from self._cache.replay(request.world, draw=True)
            if request.reference is not None:
                truth = yield from self._cache.replay(request.reference, draw=False)
        edits: EditComparison | None = None
        if request.before is not None and candidate is not None:
            edits = yield from self._edits(request, request.before, candidate)
        self.drop()
        kept = self._cache.kept_bytes
        yield from self.on_thread(lambda _: _written(request, candidate, truth, edits, kept_bytes=kept))
        return tuple(p for p in (request.output, request.html, request.pdf) if p is not None)

    def _edits(self, request: ExportRequest, before: World, candidate: Replay) -> Steps[EditComparison]:
        """What the edits change, at the frame on show or, when nothing fails there, where something does."""
        from fourdcb.report import failing_frame
        from fourdcb_studio.workers.before_after import edit_comparison

        frame = failing_frame(request.report_before, preferred=request.frame)
        frame = min(frame, before.n_frames - 1, candidate.world.n_frames - 1)
        trajectory = yield from self._cache.whole(before, "judging")
        clip = clip_of(request.video, candidate.world, kept_bytes=self._cache.kept_bytes)
        original: NDArray[np.uint8] | None = None
        if clip is not None:
            partner = partners(before.frame_times()[frame : frame + 1], clip.info.times)[0]
            original = clip.frames[int(partner)] if partner >= 0 else None
        elif request.reference is not None:
            truth = yield from self._cache.whole(request.reference, "judging")
            original = self._cache.picture(request.reference, truth, frame)
        return edit_comparison(
            before,
            request.edits,
            judged=request.report_before,
            frame=frame,
            pictures=(
                ("original", original),
                ("before", self._cache.picture(before, trajectory, frame)),
                ("after", self._cache.picture(candidate.world, candidate.trajectory, frame)),
            ),
        )


class _SlicedPlayback:
    """A :class:`~fourdcb.evaluation.pipeline.Playback` between the frames that somebody looks at.

    Args:
        judge: whose thread measures.
        cache: holds rollouts and pictures.
        frames: where somebody else puts the candidate's pictures; None draws them here.
    """

    def __init__(self, judge: Judge, cache: ReplayCache, frames: IncomingFrames | None) -> None:
        self._judge, self._cache, self._frames = judge, cache, frames
        self._stop = StopFlag()

    def motions(self, task: JudgeTask) -> Steps[Motions]:
        """One after the other, on the engine that the current frame uses, too."""
        own = yield from self._cache.replay(task.candidate, draw=False)
        if task.reference is None:
            return Motions(candidate=own, truth=None)
        truth = yield from self._cache.replay(task.reference, draw=False)
        return Motions(candidate=own, truth=lambda: self._truth(truth))

    def drawn(self, played: Replay) -> Steps[Replay]:
        """One picture a slice; a judgement that is not wanted any more ends at the next one."""
        frames = self._frames
        made = (
            (yield from self._cache.pictures(played.world, played.trajectory)) if frames is None else frames
        )
        return replace(played, frames=CancellableFrames(made, self._stop.stopped))

    def measured(self, work: Callable[[Progress], T]) -> Steps[T]:
        """On the judge's thread."""
        return self._judge.on_thread(work, self._stop)

    def engine(self) -> AbstractContextManager[Engine]:
        """Its own: the current frame uses the other one meanwhile."""
        return self._cache.new_engine()

    def _truth(self, truth: Replay) -> Truth:
        with self._cache.new_engine() as engine:
            horizon = predictability_horizon(
                truth.world,
                rate_hz=judging_rate(truth.world.fps),
                trajectory=truth.trajectory,
                engine=engine,
            )
        return Truth(truth, horizon)


@lru_cache(maxsize=1)
def _decoded(path: str, stamp: tuple[int, int] | None, stage: World, kept_bytes: int) -> VideoFrames:
    """The video on the picture size of ``stage``; decoded anew when the file is another one."""
    return read_on_stage(path, stage, kept_bytes=kept_bytes)


def clip_of(video: str | None, world: World, *, kept_bytes: int) -> VideoFrames | None:
    """The decoded video on the picture size of ``world``; the last one is kept until its file changes."""
    if video is None:
        return None
    path, camera = Path(video), world.camera
    stamp = (path.stat().st_mtime_ns, path.stat().st_size) if path.is_file() else None
    # Of the world only the picture size matters: edits of all else must not decode the video again.
    return _decoded(video, stamp, World(camera=Camera(width=camera.width, height=camera.height)), kept_bytes)


def _clip_source(video: str | None, world: World, kept_bytes: int) -> Callable[[], VideoFrames] | None:
    if video is None:
        return None

    def decoded() -> VideoFrames:
        clip = clip_of(video, world, kept_bytes=kept_bytes)
        assert clip is not None
        return clip

    return decoded


def _inputs(request: JudgeRequest) -> dict[str, Any]:
    """Paths and hashes of what is judged, and the edits on top of the script's file."""
    inputs: dict[str, Any] = {part: input_record(Path(path)) for part, path in request.files.items()}
    if request.edits:
        inputs["edits"] = dict(request.edits)
    return inputs


def _written(
    request: ExportRequest,
    candidate: Replay | None,
    truth: Replay | None,
    edits: EditComparison | None,
    *,
    kept_bytes: int,
) -> Report:
    from fourdcb.report import write_evaluation, write_page, write_report

    output, html = Path(request.output), Path(request.html)
    pdf = Path(request.pdf) if request.pdf else None
    if candidate is None:
        write_report(request.report, output)
        write_page(request.report, html=html, pdf=pdf)
        return request.report
    evaluation = Evaluation(
        report=request.report,
        candidate=candidate,
        reference=truth,
        video=clip_of(request.video, candidate.world, kept_bytes=kept_bytes),
        diagnostics=(),
    )
    return write_evaluation(evaluation, output, html=html, pdf=pdf, edits=edits)
