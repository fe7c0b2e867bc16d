"""Judging inside the simulation process, on the rollouts and pictures that are there already.

Rollouts and pictures are prepared between two looks at the pipe; the metrics, which take a second in one
piece, run on a thread of their own so that the current frame never waits for them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.evaluation import Evaluation, judge_replays
from fourdcb.evaluation.environment import environment_record, input_record
from fourdcb.metrics import load_criteria
from fourdcb.metrics.pictures.clip import partners
from fourdcb.metrics.result import MetricValue, Report
from fourdcb.physics import judging_rate, make_engine
from fourdcb.progress import Cancelled
from fourdcb.render import on_one_thread
from fourdcb.replay import (
    CancellableFrames,
    DrawnFrames,
    FrameSequence,
    IncomingFrames,
    Replay,
    VideoFrames,
    read_on_stage,
)
from fourdcb.sensitivity import predictability_horizon
from fourdcb.trajectory import Trajectory
from fourdcb.world import Camera, World
from fourdcb_studio.session.messages import DiffRequest, ExportRequest, JudgeRequest
from fourdcb_studio.workers.replays import KEPT_BYTES, Replays, looks_part

if TYPE_CHECKING:
    from fourdcb.report import EditComparison


@dataclass(frozen=True, slots=True)
class Judgement:
    """A report and what it took [s]."""

    report: Report
    seconds: float


@dataclass(frozen=True, slots=True)
class _Begun:
    """A judgement that runs already: what will be asked for, and since when [s]."""

    asked: JudgeRequest
    thread: JudgeThread
    at: float


class Judge:
    """Judges candidates; remembers what does not change with them: the video, the reference's horizon."""

    def __init__(self, replays: Replays) -> None:
        self._replays = replays
        self._criteria = load_criteria(None)
        self._horizons: dict[World, Mapping[str, float]] = {}
        self._rates: Mapping[World, MetricValue] = {}  # of the world that was judged last, by its looks
        self._running: JudgeThread | None = None
        self._begun: _Begun | None = None

    def work(self, request: JudgeRequest) -> Generator[None, None, Judgement]:
        """Judge; yields every few milliseconds, so that dropping the generator cancels.

        Raises:
            UserError: when a world or the video cannot be used.
        """
        if self._begun is not None and self._begun.asked == replace(request, job=0):
            return (yield from self._finish(self._begun))
        begun = time.perf_counter()
        candidate = yield from self._replay(request.world, draw=not request.fast)
        truth = None
        if request.reference is not None:
            truth = yield from self._replay(request.reference, draw=False)
        report = yield from self._on_thread(lambda stop: self._judged(request, candidate, truth, stop))
        return Judgement(report, time.perf_counter() - begun)

    def begin(self, request: JudgeRequest, trajectory: Trajectory) -> Generator[None, None, IncomingFrames]:
        """Begin with a judgement whose pictures are still drawn; :meth:`work` then waits for it.

        Returns:
            Where the pictures have to be put.
        """
        begun = time.perf_counter()
        truth = None
        if request.reference is not None:
            truth = yield from self._replay(request.reference, draw=False)
        camera = request.world.camera
        frames = IncomingFrames(request.world.n_frames, height=camera.height, width=camera.width)
        candidate = Replay(
            world=request.world, trajectory=trajectory, frames=frames, settings=self._replays.settings
        )
        self.drop()
        yield from self._until_free()
        thread = self._start(lambda stop: self._judged(request, candidate, truth, stop))
        self._begun = _Begun(replace(request, job=0), thread, begun)
        return frames

    def drop(self) -> None:
        """Nobody will ask for what was begun."""
        if self._begun is not None:
            self._begun.thread.cancel()
            self._begun = None

    def _finish(self, begun: _Begun) -> Generator[None, None, Judgement]:
        self._begun = None
        report = yield from self._joined(begun.thread)
        return Judgement(report, time.perf_counter() - begun.at)

    def diff(self, request: DiffRequest) -> Generator[None, None, Judgement]:
        """Compare two videos by their pictures. Raises UserError when one cannot be read."""
        from fourdcb.evaluation.video_diff import diff_videos

        begun = time.perf_counter()
        paths = Path(request.reference), Path(request.candidate)
        report = yield from self._on_thread(lambda stop: diff_videos(*paths, progress=stop).report)
        return Judgement(report, time.perf_counter() - begun)

    def export(self, request: ExportRequest) -> Generator[None, None, tuple[str, ...]]:
        """Write a report and its readable form; returns the paths. Raises UserError."""
        candidate = truth = None
        if request.world is not None:
            candidate = yield from self._replay(request.world, draw=True)
            if request.reference is not None:
                truth = yield from self._replay(request.reference, draw=False)
        edits: EditComparison | None = None
        if request.before is not None and candidate is not None:
            edits = yield from self._edits(request, request.before, candidate)
        yield from self._on_thread(lambda stop: _written(request, candidate, truth, edits))
        return tuple(p for p in (request.output, request.html, request.pdf) if p is not None)

    def _edits(
        self, request: ExportRequest, before: World, candidate: Replay
    ) -> Generator[None, None, EditComparison]:
        """What the edits change, at the frame on show or, when nothing fails there, where something does."""
        from fourdcb.report import failing_frame
        from fourdcb_studio.workers.before_after import edit_comparison

        frame = failing_frame(request.report_before, preferred=request.frame)
        frame = min(frame, before.n_frames - 1, candidate.world.n_frames - 1)
        trajectory = yield from self._replays.whole(before, "judging")
        clip = _clip_of(request.video, candidate.world)
        original: NDArray[np.uint8] | None = None
        if clip is not None:
            partner = partners(before.frame_times()[frame : frame + 1], clip.info.times)[0]
            original = clip.frames[int(partner)] if partner >= 0 else None
        elif request.reference is not None:
            truth = yield from self._replays.whole(request.reference, "judging")
            original = self._replays.picture(request.reference, truth, frame)
        return edit_comparison(
            before,
            request.edits,
            judged=request.report_before,
            frame=frame,
            pictures=(
                ("original", original),
                ("before", self._replays.picture(before, trajectory, frame)),
                ("after", self._replays.picture(candidate.world, candidate.trajectory, frame)),
            ),
        )

    def _on_thread(self, work: Callable[[_StopFlag], Report]) -> Generator[None, None, Report]:
        self.drop()
        yield from self._until_free()
        return (yield from self._joined(self._start(work)))

    def _until_free(self) -> Generator[None, None, None]:
        while self.is_busy:
            yield  # a cancelled judgement is on its way out

    def _start(self, work: Callable[[_StopFlag], Report]) -> JudgeThread:
        self._running = JudgeThread(work)
        self._running.start()
        return self._running

    def _joined(self, thread: JudgeThread) -> Generator[None, None, Report]:
        try:
            while thread.is_alive():
                yield
        finally:
            thread.cancel()
        return thread.result()

    @property
    def is_busy(self) -> bool:
        """Whether a thread still runs, perhaps for a judgement that is not wanted any more."""
        return self._running is not None and self._running.is_alive()

    def _replay(self, world: World, *, draw: bool) -> Generator[None, None, Replay]:
        trajectory = yield from self._replays.whole(world, "judging")
        frames: FrameSequence | None = None
        if draw and self._replays.keeps(world):
            kept = np.empty((world.n_frames, world.camera.height, world.camera.width, 3), dtype=np.uint8)
            for k in range(len(kept)):
                kept[k] = self._replays.picture(world, trajectory, k)
                yield
            frames = kept
        elif draw:
            frames = DrawnFrames(world, trajectory, self._replays.settings)
        return Replay(world=world, trajectory=trajectory, frames=frames, settings=self._replays.settings)

    def _judged(
        self, request: JudgeRequest, candidate: Replay, truth: Replay | None, stop: _StopFlag
    ) -> Report:
        clip = None if request.fast else _clip_of(request.video, request.world)
        stop.advance()
        horizon = self._horizon(truth) if truth is not None else None
        stop.advance()
        if candidate.frames is not None:  # a judgement that is not wanted any more ends at the next picture
            candidate = replace(candidate, frames=CancellableFrames(candidate.frames, stop.stopped))
        looks = looks_part(request.world)
        stop.advance()
        report = judge_replays(
            reference=truth,
            candidate=candidate,
            video_frames=clip.frames if clip else None,
            video_times=clip.info.times if clip else None,
            criteria=self._criteria,
            fast=request.fast,
            horizon=horizon,
            inputs=_inputs(request, clip),
            environment=environment_record(),
            replay_rate=None if request.fast else self._rates.get(looks),
        )
        rate = report.axes["time"].metrics.get("replay_fps")
        if rate is not None and rate.status == "ok":
            self._rates = {looks: rate}
        return report

    def _horizon(self, truth: Replay) -> Mapping[str, float]:
        if truth.world not in self._horizons:
            with make_engine() as engine:  # its own client: the current frame uses the other one meanwhile
                self._horizons[truth.world] = predictability_horizon(
                    truth.world,
                    rate_hz=judging_rate(truth.world.fps),
                    trajectory=truth.trajectory,
                    engine=engine,
                )
        return self._horizons[truth.world]


class _StopFlag:
    """A Progress that ends work once it is not wanted any more."""

    def __init__(self) -> None:
        self.stopped = threading.Event()

    def start(self, label: str, total: int) -> None:
        self.advance()

    def advance(self, steps: int = 1) -> None:
        if self.stopped.is_set():
            raise Cancelled("a newer request came")


class JudgeThread(threading.Thread):
    """Runs one judgement.

    Args:
        judge: makes the report; given a Progress that raises Cancelled once it should end.
    """

    def __init__(self, judge: Callable[[_StopFlag], Report]) -> None:
        super().__init__(name="judge", daemon=True)
        self._judge, self._stop_flag = judge, _StopFlag()
        self._report: Report | None = None
        self._error: BaseException | None = None

    def cancel(self) -> None:
        """Ask it to end at its next stage."""
        self._stop_flag.stopped.set()

    def result(self) -> Report:
        """The report of a thread that has ended. Raises what it raised."""
        if self._error is not None:
            raise self._error
        assert self._report is not None
        return self._report

    def run(self) -> None:
        try:
            with on_one_thread():  # the other processor is the current frame's
                self._report = self._judge(self._stop_flag)
        except BaseException as error:  # noqa: BLE001 - raised again by result() on the asking thread
            self._error = error


@lru_cache(maxsize=1)
def _decoded(path: str, stamp: tuple[int, int] | None, stage: World) -> VideoFrames:
    """The video on the picture size of ``stage``; decoded anew when the file is another one."""
    return read_on_stage(path, stage, kept_bytes=KEPT_BYTES)


def _clip_of(video: str | None, world: World) -> VideoFrames | None:
    if video is None:
        return None
    path, camera = Path(video), world.camera
    stamp = (path.stat().st_mtime_ns, path.stat().st_size) if path.is_file() else None
    # Of the world only the picture size matters: edits of all else must not decode the video again.
    return _decoded(video, stamp, World(camera=Camera(width=camera.width, height=camera.height)))


def _inputs(request: JudgeRequest, clip: VideoFrames | None) -> dict[str, Any]:
    """Paths and hashes of what is judged, and the edits on top of the script's file."""
    inputs: dict[str, Any] = {part: input_record(Path(path)) for part, path in request.files.items()}
    if clip is not None and "video" in inputs:
        inputs["video"] |= {"frames": clip.info.n_frames, "fps": clip.info.fps}
    if request.edits:
        inputs["edits"] = dict(request.edits)
    return inputs


def _written(
    request: ExportRequest, candidate: Replay | None, truth: Replay | None, edits: EditComparison | None
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
        video=_clip_of(request.video, candidate.world),
        diagnostics=(),
    )
    return write_evaluation(evaluation, output, html=html, pdf=pdf, edits=edits)
