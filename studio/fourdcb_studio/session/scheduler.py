"""Has the simulation process do what comes next. No Qt, no processes: time and transport are injected.

One current-frame job is in flight at a time and is never cancelled; its picture is shown if nothing newer is.
Only whole-clip work is cancelled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeVar

from fourdcb.errors import UserError
from fourdcb.world import World
from fourdcb_studio.session.frame_store import FrameStore
from fourdcb_studio.session.idle_requests import export_request
from fourdcb_studio.session.messages import (
    Answer,
    BackgroundRequest,
    CancelRequest,
    CaseAnswer,
    CaseRequest,
    ClipAnswer,
    ClipRequest,
    DiffRequest,
    ExportAnswer,
    ExportRequest,
    Failed,
    FrameAnswer,
    FrameRequest,
    IdleRequest,
    JudgeAnswer,
    MotionAnswer,
    ProbeAnswer,
    ReplayKey,
    Request,
    Role,
    StripAnswer,
    WorkerBusy,
    WorkerLost,
    WorkerReady,
)
from fourdcb_studio.session.planner import MAX_CRASHES, Planner
from fourdcb_studio.session.results import Results, Target, Timings, WorldNames

_KEPT_RESULTS = 8
_T = TypeVar("_T")


class Transport(Protocol):
    """The way to the simulation process."""

    def send(self, request: Request) -> None:
        """Hand a request over; must not block."""


class Scheduler(Planner):
    """Sends requests and keeps what comes back.

    Args:
        store: where drawn frames go.
        now: monotonic seconds.
        on_answer: called after an answer changed something.
    """

    def __init__(
        self, store: FrameStore, *, now: Callable[[], float], on_answer: Callable[[Answer], None]
    ) -> None:
        super().__init__(store, now=now)
        self._on_answer = on_answer
        self._transport: Transport | None = None
        self._names = WorldNames()
        self._frame_job: FrameRequest | None = None
        self._frame_generation = 0
        self._background: BackgroundRequest | None = None
        self.ready, self.busy_text = False, ""
        self.generation = 0
        self.answered_generation = 0
        self.timings = Timings()

    # -- the state that the session sets -------------------------------------------------------------
    def connect(self, transport: Transport | None) -> None:
        """Use this way to the process; it is not asked anything before it said that it is ready."""
        self._transport = transport

    def set_scene(
        self,
        *,
        n_frames: int,
        video: str | None,
        pair: tuple[str, str] | None = None,
        files: Mapping[str, str] | None = None,
    ) -> None:
        """Another clip: forget targets and results.

        Args:
            pair: two videos to compare with each other.
            files: paths by their part in the judgement, for the report.
        """
        self._clip_frames, self._video, self._pair, self._files = n_frames, video, pair, files or {}
        self._targets.clear()
        self._answered.clear()
        self._results = Results()
        self._crashes.clear()
        self.strips.forget()
        self.probes.forget()
        self.timings = Timings()
        self._playhead = min(self._playhead, n_frames - 1)
        self._cancel_background()
        self.generation += 1

    def set_target(self, role: Role, world: World | None, *, dragging: bool = False) -> None:
        """What a role shows from now on. A drag asks for the preview rate only."""
        if role != "candidate" and self._has_target(role, world):
            return
        if world is None:
            self._targets.pop(role, None)
        else:
            self._targets[role] = Target(world, self._names.name(world))
        if role == "candidate":
            self.generation += 1
            self._dragging, self._last_edit = dragging, self._now()
        self._drop_obsolete_background()
        self.pump()

    def _has_target(self, role: Role, world: World | None) -> bool:
        target = self._targets.get(role)
        return world == (target.world if target else None)

    def release(self) -> None:
        """The slider was let go: the judging rate is wanted now."""
        if self._dragging:
            self._dragging = False
            self._drop_obsolete_background()
            self.pump()

    def set_playhead(self, frame: int, *, offset: int = 0) -> None:
        """The current frame; the candidate is looked at ``offset`` frames ahead of it."""
        self._playhead, self._offset = frame, offset
        self.pump()

    def set_visible(self, roles: tuple[Role, ...]) -> None:
        """Roles whose pictures are on screen, the most wanted first."""
        if roles != self._visible:
            self._visible = roles
            self._drop_obsolete_background()
            self.pump()

    # -- whether all is there ------------------------------------------------------------------------
    @property
    def working(self) -> bool:
        """Whether a job that the user waits for is in flight; strips are made in idle time."""
        busy = self._background is not None and not isinstance(self._background, IdleRequest)
        return self._frame_job is not None or busy

    @property
    def settled(self) -> bool:
        """Whether nothing is stale: every wanted picture, motion and judgement is there or failed."""
        if not self._targets and self._pair is None and self.exports.waiting is None:
            return True
        return (
            self.ready
            and not self.working
            and self._next_frame() is None
            and self._next_work(eager=True) is None
        )

    # -- answers -------------------------------------------------------------------------------------
    def receive(self, answer: Answer) -> None:
        """Take an answer in, start what is wanted next, then tell the session."""
        match answer:
            case WorkerReady():
                self.ready, self.busy_text = True, ""
            case WorkerBusy(text=text):
                self.busy_text = text
            case WorkerLost():
                self._forget_process()
            case FrameAnswer():
                self._take_frame(answer)
            case MotionAnswer(key=key, motion=motion):
                self._keep(self._results.motions, key, motion)
            case ClipAnswer(job=job, key=key):
                self._keep(self._results.clips, key, True)
                self._end_background(job)
            case JudgeAnswer(job=job, key=key, report=report, seconds=seconds):
                self._keep(self._results.reports, key, report)
                self.timings.judge_s = seconds
                self._end_background(job)
            case StripAnswer(job=job, path=path, errors=errors):
                if self._background is not None and self._background.job == job:
                    self.strips.take(path, errors)
                self._end_background(job)
            case CaseAnswer(job=job):
                self.cases.take(answer)
                self._end_background(job)
            case ProbeAnswer(job=job):
                self.probes.take(answer)
                self._end_background(job)
            case ExportAnswer(job=job):
                self.exports.end(job)
                self._end_background(job)
            case Failed():
                self._take_failure(answer)
        self.pump()
        self._on_answer(answer)

    def _take_frame(self, answer: FrameAnswer) -> None:
        self._store.put(str(answer.key), answer.frame, answer.image)
        if self._frame_job is not None and answer.job == self._frame_job.job:
            self._frame_job = None
            self._answered[answer.role] = answer.key
            if answer.role == "candidate":
                self.answered_generation = max(self.answered_generation, self._frame_generation)
            self.timings.simulate_ms, self.timings.draw_ms = answer.simulate_ms, answer.draw_ms

    def _take_failure(self, answer: Failed) -> None:
        if answer.kind == "strip":  # one parameter less is no error of the world
            self.strips.want(())
        elif answer.kind == "probe":
            self.probes.want(())
        elif answer.kind == "case":
            self.cases.fail(answer.key, answer.error.what)
        elif answer.kind == "export":
            self.exports.end(answer.job)
        else:
            self._results.errors[answer.key] = answer.error
        if answer.kind == "frame" and answer.frame is not None:
            self._results.bad_frames.add((answer.key, answer.frame))
        if self._frame_job is not None and answer.job == self._frame_job.job:
            self._frame_job = None
        self._end_background(answer.job)

    def _forget_process(self) -> None:
        """The process died: its jobs are void and will be asked for again, unless they kill it."""
        if isinstance(self._background, CaseRequest):
            self.cases.fail(self._background.key, "the simulation process ended on this script")
        for job in (self._frame_job, self._background):
            if job is not None:
                self._crashes[job.key] = self._crashes.get(job.key, 0) + 1
                if self._crashes[job.key] >= MAX_CRASHES:
                    self._results.errors[job.key] = UserError(
                        "the simulation process ended twice on this script",
                        hint="change the last edited value, or undo it",
                    )
        self._frame_job = self._background = None
        self.ready, self.busy_text = False, ""
        # The new process holds no clip of its own yet; judging needs one.
        self._results.clips.clear()

    # -- what comes next -----------------------------------------------------------------------------
    def pump(self) -> None:
        """Send what is wanted and not on its way. Cheap; call it whenever something changed."""
        if self._transport is None or not self.ready or self._frame_job is not None:
            return
        frame = self._next_frame()
        if frame is not None:
            self._frame_job, self._frame_generation = frame, self.generation
            self._transport.send(frame)
            return
        if isinstance(self._background, CaseRequest) and self._next_probe() is not None:
            self._cancel_background()  # somebody looks at a pixel: other candidates can wait
        if self._background is None:
            background = self._next_background()
            if background is not None:
                self._background = background
                self._transport.send(background)

    def export(self, *, output: str, html: str, pdf: str | None) -> None:
        """Write the report as it stands, with its pictures; the files appear when there is time."""
        key, report = self._judging_key(), self.report()
        if key is not None and report is not None:
            self.exports.waiting = export_request(
                next(self._jobs), key, report, self._targets, video=self._video, files=(output, html, pdf)
            )
            before = self._targets.get("before")
            if before is not None and self.edits:
                self.exports.waiting = replace(
                    self.exports.waiting,
                    before=before.world,
                    edits=dict(self.edits),
                    report_before=self._results.reports.get(before.key("judging")),
                    frame=self._playhead,
                )
            self.pump()

    def keep_verdict(self, script: Path, *, edited: bool) -> None:
        """The list of cases says what is known of the open script, as its file says or with edits."""
        report, frame = self.report(), self.frame_of("candidate")
        key = self.best_key("candidate", frame)
        if report is not None:
            image = self._store.get(str(key), frame) if key is not None else None
            self.cases.judged(script, report, image, edited=edited)

    # -- whole-clip work -----------------------------------------------------------------------------
    def _drop_obsolete_background(self) -> None:
        job = self._background
        if job is None or isinstance(job, DiffRequest | ExportRequest):
            return
        role: Role = job.role if isinstance(job, ClipRequest) else "candidate"
        if self.wanted_key(role) != job.key or isinstance(job, IdleRequest):
            self._cancel_background()

    def _cancel_background(self) -> None:
        if self._background is not None and self._transport is not None:
            self._transport.send(CancelRequest(job=self._background.job))
        self._background = None

    def _end_background(self, job: int) -> None:
        if self._background is not None and self._background.job == job:
            self._background = None

    def _keep(self, results: dict[ReplayKey, _T], key: ReplayKey, value: _T) -> None:
        """Keep what is in use and the newest few, so that undo finds them and memory stays flat."""
        results.pop(key, None)
        results[key] = value
        used = {target.name for target in self._targets.values()}
        spare = [old for old in results if old.world not in used]
        for old in spare[: max(0, len(results) - _KEPT_RESULTS)]:
            del results[old]
