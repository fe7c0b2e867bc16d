"""What is wanted and not there yet, the most urgent first: requests from the state of the board. No Qt.

What is wanted follows from targets, playhead and drag, and from what is there already, so an edit never
queues anything: the newest state wins.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping

from fourdcb_studio.session.board import Board
from fourdcb_studio.session.errands import CasePlan, ExportPlan, ProbePlan
from fourdcb_studio.session.frame_store import FrameStore
from fourdcb_studio.session.idle_requests import case_request, strip_request
from fourdcb_studio.session.messages import (
    ROLES,
    BackgroundRequest,
    ClipRequest,
    DiffRequest,
    ExportRequest,
    FrameRequest,
    IdleRequest,
    JudgeRequest,
    ProbeRequest,
    ReplayKey,
    Role,
)
from fourdcb_studio.session.strips import StripPlan

DRAG_PAUSE = 0.08  # [s] a held slider that rests this long gets its whole motion
MAX_CRASHES = 2  # a job that loses the process this often is not tried again


class Planner(Board):
    """Says what comes next; sends nothing and keeps no answer.

    Args:
        store: where drawn frames are.
        now: monotonic seconds.
    """

    def __init__(self, store: FrameStore, *, now: Callable[[], float]) -> None:
        super().__init__(store)
        self._now = now
        self._jobs = itertools.count(1)
        self.strips, self.cases = StripPlan(), CasePlan()
        self.probes, self.exports = ProbePlan(), ExportPlan()
        self._video: str | None = None
        self._files: Mapping[str, str] = {}
        self.edits: Mapping[str, float] = {}  # the candidate's, as the report records them
        self._last_edit = float("-inf")
        self._crashes: dict[ReplayKey, int] = {}
        self.prefetch = True  # whether to go on with the clip and its judgement when the frame is there

    # -- the current frame ---------------------------------------------------------------------------
    def _next_frame(self) -> FrameRequest | None:
        for role in self._visible:
            key, frame = self.wanted_key(role), self.frame_of(role)
            if key is None or self._is_hopeless(key, frame):
                continue
            best = self.best_key(role, frame)
            if best is None or (best.rate == "preview" and key.rate == "judging"):
                return FrameRequest(
                    job=next(self._jobs),
                    role=role,
                    key=key,
                    world=self._targets[role].world,
                    frame=frame,
                )
        return None

    def _is_hopeless(self, key: ReplayKey, frame: int) -> bool:
        return (key, frame) in self._results.bad_frames or self._crashes.get(key, 0) >= MAX_CRASHES

    # -- the whole clip -------------------------------------------------------------------------------
    def _next_background(self) -> BackgroundRequest | None:
        work = self._next_work()
        if work is not None or self._dragging or not self.prefetch:
            return work
        return self._next_idle()

    def _next_work(
        self, *, eager: bool = False
    ) -> ClipRequest | JudgeRequest | DiffRequest | ExportRequest | None:
        if not self.prefetch:
            return None
        if self.exports.waiting is not None:
            return self.exports.waiting
        if self._pair is not None:
            return self._next_diff(self._pair)
        if self._dragging:
            rested = eager or self._now() - self._last_edit >= DRAG_PAUSE
            return self._next_motion() if rested else None
        for role in self._background_roles():
            key = self.wanted_key(role)
            if key is not None and key not in self._results.clips and not self._is_broken(key):
                draw = role in self._visible or (role == "candidate")
                return self._clip_request(role, key, draw=draw)
        return self._next_judgement()

    def _background_roles(self) -> list[Role]:
        """The candidate first; the reference always (its motion is compared with); before when seen."""
        return [r for r in ROLES if r in ("candidate", "reference") or r in self._visible]

    def _next_motion(self) -> ClipRequest | None:
        key = self.wanted_key("candidate")
        if key is None or self.motion("candidate") is not None or self._is_broken(key):
            return None
        return self._clip_request("candidate", key, draw=False)

    def _next_judgement(self) -> JudgeRequest | None:
        key = self._judging_key()
        if key is None or key not in self._results.clips:
            return None
        return self._judgement(key)

    def _judgement(self, key: ReplayKey) -> JudgeRequest | None:
        """The candidate's judgement, unless it is there, cannot be, or there is nothing to judge by."""
        candidate = self._targets.get("candidate")
        if candidate is None or key in self._results.reports or self._is_broken(key):
            return None
        reference = self._targets.get("reference")
        if reference is None and self._video is None:
            return None
        return JudgeRequest(
            job=next(self._jobs),
            key=key,
            world=candidate.world,
            reference=reference.world if reference else None,
            video=self._video,
            files=self._files,
            edits=self.edits,
        )

    def _next_diff(self, pair: tuple[str, str]) -> DiffRequest | None:
        key = self._judging_key()
        if key is None or key in self._results.reports or self._is_broken(key):
            return None
        return DiffRequest(job=next(self._jobs), key=key, reference=pair[0], candidate=pair[1])

    def _clip_request(self, role: Role, key: ReplayKey, *, draw: bool) -> ClipRequest:
        return ClipRequest(
            job=next(self._jobs),
            role=role,
            key=key,
            world=self._targets[role].world,
            around=self.frame_of(role),
            draw=draw,
            have=tuple(sorted(self._store.frames(str(key)))) if draw else (),
            judged=self._judged_beside(role, key) if draw else None,
        )

    def _judged_beside(self, role: Role, key: ReplayKey) -> JudgeRequest | None:
        """What can be judged while this clip is drawn: the candidate, once the reference has moved."""
        if role != "candidate" or key != self._judging_key():
            return None
        moved = "reference" not in self._targets or self.motion("reference") is not None
        return self._judgement(key) if moved else None

    # -- idle time -----------------------------------------------------------------------------------
    def _next_probe(self) -> ProbeRequest | None:
        for role in self.probes.roles:
            key, frame = self.wanted_key(role), self.frame_of(role)
            if key is None or self._is_broken(key) or self.probes.get(role, key, frame) is not None:
                continue
            world = self._targets[role].world
            return ProbeRequest(job=next(self._jobs), key=key, role=role, world=world, frame=frame)
        return None

    def _next_idle(self) -> IdleRequest | None:
        probe = self._next_probe()
        if probe is not None:
            return probe
        key = self._judging_key()
        strip = None
        if key is not None and not self._is_broken(key):
            strip = strip_request(self._jobs, self.strips, self._targets)
        return strip or case_request(self._jobs, self.cases, self._targets, self._video)
