"""What is wanted on screen and what is there already: all that the planner knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from fourdcb.errors import UserError
from fourdcb.metrics.result import Report
from fourdcb_studio.jobs.plans import CasePlan, ExportPlan, ProbePlan
from fourdcb_studio.jobs.results import Results, Target, Timings
from fourdcb_studio.jobs.strips import StripPlan
from fourdcb_studio.session.frame_store import FrameStore
from fourdcb_studio.session.messages import Rate, ReplayKey, Role
from fourdcb_studio.session.motion import Motion

MAX_CRASHES = 2  # a job that loses the process this often is not tried again
_KEPT_RESULTS = 8
T = TypeVar("T")


class Board:
    """Targets, playhead and results of one scene, to be read.

    Args:
        store: where drawn frames are.
    """

    def __init__(self, store: FrameStore) -> None:
        self.store = store
        # -- what is wanted
        self.targets: dict[Role, Target] = {}
        self.visible: tuple[Role, ...] = ("candidate",)
        self.playhead, self.offset, self.clip_frames = 0, 0, 1
        self.video: str | None = None
        self.pair: tuple[str, str] | None = None
        self.files: Mapping[str, str] = {}
        self.edits: Mapping[str, float] = {}  # the candidate's, as the report records them
        self.before_edits: Mapping[str, float] = {}  # of what the candidate is compared with
        self.judges_before = False  # whether somebody compares its figures with the candidate's
        self.moves_before = False  # whether somebody plots its motion beside the candidate's
        self.dragging = False
        self.prefetch = True  # whether to go on with the clip and its judgement when the frame is there
        self.asked: dict[str, Any] = {}  # requests that somebody asked for, by their kind
        # -- what is there
        self.results, self.timings = Results(), Timings()
        self.answered: dict[Role, ReplayKey] = {}
        self.crashes: dict[ReplayKey, int] = {}
        # -- both, by kind
        self.strips, self.cases = StripPlan(), CasePlan()
        self.probes, self.exports = ProbePlan(), ExportPlan()

    def frame_of(self, role: Role) -> int:
        """The frame of a role that is on screen."""
        ahead = self.offset if role == "candidate" else 0
        return min(max(self.playhead + ahead, 0), self.clip_frames - 1)

    def rate(self, role: Role) -> Rate:
        """The physics quality that is wanted of a role now."""
        return "preview" if role == "candidate" and self.dragging else "judging"

    def wanted_key(self, role: Role) -> ReplayKey | None:
        """The replay that a role should show, None when it shows nothing."""
        target = self.targets.get(role)
        return target.key(self.rate(role)) if target else None

    def best_key(self, role: Role, frame: int) -> ReplayKey | None:
        """The replay of the *current* world that can show this frame now, the better rate first."""
        target = self.targets.get(role)
        if target is None:
            return None
        for key in (target.key("judging"), target.key("preview")):
            if self.store.has(str(key), frame):
                return key
        return None

    def answered_key(self, role: Role) -> ReplayKey | None:
        """The replay of the last current-frame answer: what to show while a newer edit is on its way."""
        return self.answered.get(role)

    def motion(self, role: Role) -> Motion | None:
        """Motion of a role's current world, at the best rate that is there."""
        target = self.targets.get(role)
        if target is None:
            return None
        found = self.results.motions.get(target.key("judging"))
        return found or self.results.motions.get(target.key("preview"))

    def report(self) -> Report | None:
        """The judgement of the current candidate, None while there is none."""
        key = self.judging_key()
        return self.results.reports.get(key) if key else None

    @property
    def has_failed_pair(self) -> bool:
        """Whether the two videos cannot be compared."""
        key = self.judging_key()
        return self.pair is not None and key is not None and self.is_broken(key)

    def error(self, role: Role) -> UserError | None:
        """Why a role's current world cannot be shown wholly."""
        target = self.targets.get(role)
        if target is None:
            return None
        errors = self.results.errors
        return errors.get(target.key("judging")) or errors.get(target.key("preview"))

    def keys_in_use(self) -> tuple[str, ...]:
        """Store keys of everything that may be on screen."""
        rates: tuple[Rate, Rate] = ("judging", "preview")
        return tuple(str(t.key(rate)) for t in self.targets.values() for rate in rates)

    def judging_key(self) -> ReplayKey | None:
        """The replay that is judged: the candidate's at the judging rate, or the pair of videos."""
        candidate = self.targets.get("candidate")
        if candidate is None:
            return None if self.pair is None else ReplayKey("videos:" + "|".join(self.pair), "judging")
        return candidate.key("judging")

    def is_broken(self, key: ReplayKey) -> bool:
        """Whether work on a replay ended with an error."""
        return key in self.results.errors

    def ends_the_process(self, key: ReplayKey) -> bool:
        """Whether the process was lost too often while it worked on a replay."""
        return self.crashes.get(key, 0) >= MAX_CRASHES

    def keep(self, results: dict[ReplayKey, T], key: ReplayKey, value: T) -> None:
        """Keep what is in use and the newest few, so that undo finds them and memory stays flat."""
        results.pop(key, None)
        results[key] = value
        used = {target.name for target in self.targets.values()}
        spare = [old for old in results if old.world not in used]
        for old in spare[: max(0, len(results) - _KEPT_RESULTS)]:
            del results[old]
