"""Has the simulation process do what comes next. No Qt, no processes: time and transport are injected.

One current-frame job is in flight at a time and is never cancelled; its picture is shown if nothing newer is.
Only whole-clip work is cancelled.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from fourdcb.errors import UserError
from fourdcb.world import World
from fourdcb_studio.jobs import planner
from fourdcb_studio.jobs.board import Board
from fourdcb_studio.jobs.contract import NOTHING, Effect
from fourdcb_studio.jobs.export import export_request
from fourdcb_studio.jobs.progress import JobAnswer, JobDone, JobFailed, JobLost
from fourdcb_studio.jobs.registry import Registry
from fourdcb_studio.jobs.results import Results, Target, Timings, WorldNames
from fourdcb_studio.session.answer_words import lost
from fourdcb_studio.session.frame_store import FrameStore
from fourdcb_studio.session.messages import (
    Answer,
    Busy,
    CancelRequest,
    Failed,
    FrameAnswer,
    FrameRequest,
    Request,
    Role,
    WorkAnswer,
    WorkerBusy,
    WorkerLost,
    WorkerReady,
)

DRAG_PAUSE = 0.08  # [s] a held slider that rests this long gets its whole motion
Told = Callable[[JobAnswer], None]


class Transport(Protocol):
    """The way to the simulation process."""

    def send(self, request: Request) -> None:
        """Hand a request over; must not block."""


class Scheduler(Board):
    """Sends requests and keeps what comes back.

    Args:
        store: where drawn frames go.
        now: monotonic seconds.
        on_answer: called after an answer, with what it changed.
        registry: the kinds of jobs.
    """

    def __init__(
        self,
        store: FrameStore,
        *,
        now: Callable[[], float],
        on_answer: Callable[[Effect], None],
        registry: Registry | None = None,
    ) -> None:
        super().__init__(store)
        self._now, self._on_answer, self._registry = now, on_answer, registry or Registry()
        self._transport: Transport | None = None
        self._names = WorldNames()
        self._numbers = itertools.count(1)
        self._frame_job: FrameRequest | None = None
        self._frame_generation = 0
        self._background: Any = None  # the request that is under way, or None
        self._told: dict[str, Told] = {}
        self._last_edit = float("-inf")
        self.ready = False
        self.busy: Busy | None = None
        self.generation = 0
        self.answered_generation = 0

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
        self.clip_frames, self.video, self.pair, self.files = n_frames, video, pair, files or {}
        self.targets.clear()
        self.answered.clear()
        self.results = Results()
        self.crashes.clear()
        self.strips.forget()
        self.probes.forget()
        self.timings = Timings()
        self.playhead = min(self.playhead, n_frames - 1)
        self._cancel_background()
        self.generation += 1

    def set_target(self, role: Role, world: World | None, *, dragging: bool = False) -> None:
        """What a role shows from now on. A drag asks for the preview rate only."""
        if role != "candidate" and self._has_target(role, world):
            return
        if world is None:
            self.targets.pop(role, None)
        else:
            self.targets[role] = Target(world, self._names.name(world))
        if role == "candidate":
            self.generation += 1
            self.dragging, self._last_edit = dragging, self._now()
        self._drop_obsolete_background()
        self.pump()

    def _has_target(self, role: Role, world: World | None) -> bool:
        target = self.targets.get(role)
        return world == (target.world if target else None)

    def release(self) -> None:
        """The slider was let go: the judging rate is wanted now."""
        if self.dragging:
            self.dragging = False
            self._drop_obsolete_background()
            self.pump()

    def set_playhead(self, frame: int, *, offset: int = 0) -> None:
        """The current frame; the candidate is looked at ``offset`` frames ahead of it."""
        self.playhead, self.offset = frame, offset
        self.pump()

    def set_visible(self, roles: tuple[Role, ...]) -> None:
        """Roles whose pictures are on screen, the most wanted first."""
        if roles != self.visible:
            self.visible = roles
            self._drop_obsolete_background()
            self.pump()

    # -- what somebody asks for ----------------------------------------------------------------------
    def ask(self, name: str, request: Any, told: Told) -> None:
        """Have a job done once; another of its kind takes the place of one that waits or runs.

        Args:
            told: given how it ended.
        """
        self.withdraw(name)
        self.asked[name], self._told[name] = replace(request, job=next(self._numbers)), told
        self.pump()

    def withdraw(self, name: str) -> None:
        """Nobody waits for that job any more."""
        request = self.asked.pop(name, None)
        self._told.pop(name, None)
        if request is not None and self._is_background(request.job):
            self._cancel_background()
            self.pump()

    def export(self, *, output: str, html: str, pdf: str | None) -> None:
        """Write the report as it stands, with its pictures; the files appear when there is time."""
        key, report = self.judging_key(), self.report()
        if key is not None and report is not None:
            files = (output, html, pdf)
            self.exports.waiting = export_request(self, next(self._numbers), key, report, files=files)
            self.pump()

    def judge_before(self, wanted: bool) -> None:
        """Whether what the candidate is compared with is judged, too, once the candidate is."""
        self.judges_before = wanted
        self.pump()

    def move_before(self, wanted: bool) -> None:
        """Whether the motion of what the candidate is compared with is plotted."""
        if wanted != self.moves_before:
            self.moves_before = wanted
            self.pump()

    def keep_verdict(self, script: Path, *, edited: bool) -> None:
        """The list of cases says what is known of the open script, as its file says or with edits."""
        report, frame = self.report(), self.frame_of("candidate")
        key = self.best_key("candidate", frame)
        if report is not None:
            image = self.store.get(str(key), frame) if key is not None else None
            self.cases.judged(script, report, image, edited=edited)

    # -- whether all is there ------------------------------------------------------------------------
    @property
    def working(self) -> bool:
        """Whether a job that the user waits for is in flight; strips are made in idle time."""
        running = self._background
        busy = running is not None and self._registry.of_request(running).tier != "idle"
        return self._frame_job is not None or busy

    @property
    def settled(self) -> bool:
        """Whether nothing is stale: every wanted picture, motion and judgement is there or failed."""
        if not self.targets and self.pair is None and self.exports.waiting is None:
            return True
        kinds = self._registry.kinds
        return (
            self.ready
            and not self.working
            and planner.next_frame(kinds, self) is None
            and planner.next_work(kinds, self, rested=True) is None
        )

    # -- answers -------------------------------------------------------------------------------------
    def receive(self, answer: Answer) -> None:
        """Take an answer in, start what is wanted next, then tell the session."""
        effect = NOTHING
        match answer:
            case WorkerReady():
                self.ready, self.busy = True, None
                effect = Effect(ready=True)
            case WorkerBusy(doing=doing):
                self.busy = doing
            case WorkerLost():
                self._forget_process(answer.reason)
                effect = Effect(message=lost(answer))
            case Failed():
                effect = self._take_failure(answer)
            case _:
                effect = self._take(answer)
        self.pump()
        self._on_answer(effect)

    def _take(self, answer: Any) -> Effect:
        kind = self._registry.of_answer(answer)
        effect = NOTHING
        if kind is not None:
            current = self._is_frame_job if kind.tier == "frame" else self._is_background
            effect = kind.apply(answer, self, current(answer.job))
        if isinstance(answer, FrameAnswer) and self._is_frame_job(answer.job):
            self._frame_job = None
            if answer.role == "candidate":
                self.answered_generation = max(self.answered_generation, self._frame_generation)
        job: int = answer.job
        if self._is_background(job):
            final = self._registry.of_request(self._background).final
            if isinstance(answer, (*final, WorkAnswer)):
                self._background = None
                self._tell(job, JobDone(result=getattr(answer, "result", None)))
        return effect

    def _running(self) -> list[Any]:
        """The requests that are under way."""
        return [job for job in (self._frame_job, self._background) if job is not None]

    def _is_frame_job(self, job: int) -> bool:
        return self._frame_job is not None and self._frame_job.job == job

    def _is_background(self, job: int) -> bool:
        return self._background is not None and bool(self._background.job == job)

    def _take_failure(self, answer: Failed) -> Effect:
        asked = any(request.job == answer.job for request in self.asked.values())
        if asked:
            self._tell(answer.job, JobFailed(error=answer.error))
            effect = NOTHING
        else:
            effect = self._registry.named(answer.kind).fail(answer, self)
        if self._is_frame_job(answer.job):
            self._frame_job = None
        if self._is_background(answer.job):
            self._background = None
        return effect

    def _tell(self, job: int, answer: JobAnswer) -> None:
        """Whoever asked for a job hears how it ended."""
        for name, request in tuple(self.asked.items()):
            if request.job == job:
                del self.asked[name]
                self._told.pop(name)(answer)

    def _forget_process(self, reason: str) -> None:
        """The process died: its jobs are void and will be asked for again, unless they kill it."""
        for job in self._running():
            self._registry.of_request(job).lost(job, self)
            self._tell(job.job, JobLost(reason=reason))
            self.crashes[job.key] = self.crashes.get(job.key, 0) + 1
            if self.ends_the_process(job.key):
                self.results.errors[job.key] = UserError(
                    "the simulation process ended twice on this script",
                    hint="change the last edited value, or undo it",
                )
        self._frame_job = self._background = None
        self.ready, self.busy = False, None
        # The new process holds no clip of its own yet; judging needs one.
        self.results.clips.clear()

    # -- what comes next -----------------------------------------------------------------------------
    def pump(self) -> None:
        """Send what is wanted and not on its way. Cheap; call it whenever something changed."""
        if self._transport is None or not self.ready or self._frame_job is not None:
            return
        kinds = self._registry.kinds
        frame = planner.next_frame(kinds, self)
        if frame is not None:
            self._frame_job, self._frame_generation = self._send(frame), self.generation
            return
        if self._background is not None and self._gives_way():
            self._cancel_background()
        if self._background is None:
            rested = self._now() - self._last_edit >= DRAG_PAUSE
            background = planner.next_background(kinds, self, rested=rested)
            if background is not None:
                self._background = self._send(background)

    def _send(self, request: Any) -> Any:
        """Number a request and hand it over."""
        assert self._transport is not None
        numbered = request if request.job else replace(request, job=next(self._numbers))
        self._transport.send(numbered)
        return numbered

    def _gives_way(self) -> bool:
        """Whether the running job can wait for one that is wanted more."""
        rivals = self._registry.of_request(self._background).gives_way_to
        return any(self._registry.named(name).next_request(self, rested=False) is not None for name in rivals)

    def _drop_obsolete_background(self) -> None:
        job = self._background
        if job is not None and self._registry.of_request(job).obsolete(job, self):
            self._cancel_background()

    def _cancel_background(self) -> None:
        if self._background is not None and self._transport is not None:
            self._transport.send(CancelRequest(job=self._background.job))
        self._background = None
