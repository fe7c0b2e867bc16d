"""What is wanted on screen and what is there already; the scheduler adds what comes next."""

from __future__ import annotations

from fourdcb.errors import UserError
from fourdcb.metrics.result import Report
from fourdcb.physics import Rate
from fourdcb_studio.session.frame_store import FrameStore
from fourdcb_studio.session.messages import ReplayKey, Role
from fourdcb_studio.session.motion import Motion
from fourdcb_studio.session.results import Results, Target


class Board:
    """Targets, playhead and results of one scene, to be read.

    Args:
        store: where drawn frames are.
    """

    def __init__(self, store: FrameStore) -> None:
        self._store = store
        self._targets: dict[Role, Target] = {}
        self._visible: tuple[Role, ...] = ("candidate",)
        self._playhead, self._offset, self._clip_frames = 0, 0, 1
        self._pair: tuple[str, str] | None = None
        self._dragging = False
        self._results = Results()
        self._answered: dict[Role, ReplayKey] = {}

    def frame_of(self, role: Role) -> int:
        """The frame of a role that is on screen."""
        ahead = self._offset if role == "candidate" else 0
        return min(max(self._playhead + ahead, 0), self._clip_frames - 1)

    @property
    def visible(self) -> tuple[Role, ...]:
        """Roles whose pictures are on screen."""
        return self._visible

    def rate(self, role: Role) -> Rate:
        """The physics quality that is wanted of a role now."""
        return "preview" if role == "candidate" and self._dragging else "judging"

    def wanted_key(self, role: Role) -> ReplayKey | None:
        """The replay that a role should show, None when it shows nothing."""
        target = self._targets.get(role)
        return target.key(self.rate(role)) if target else None

    def best_key(self, role: Role, frame: int) -> ReplayKey | None:
        """The replay of the *current* world that can show this frame now, the better rate first."""
        target = self._targets.get(role)
        if target is None:
            return None
        for key in (target.key("judging"), target.key("preview")):
            if self._store.has(str(key), frame):
                return key
        return None

    def answered_key(self, role: Role) -> ReplayKey | None:
        """The replay of the last current-frame answer: what to show while a newer edit is on its way."""
        return self._answered.get(role)

    def motion(self, role: Role) -> Motion | None:
        """Motion of a role's current world, at the best rate that is there."""
        target = self._targets.get(role)
        if target is None:
            return None
        found = self._results.motions.get(target.key("judging"))
        return found or self._results.motions.get(target.key("preview"))

    def report(self) -> Report | None:
        """The judgement of the current candidate, None while there is none."""
        key = self._judging_key()
        return self._results.reports.get(key) if key else None

    @property
    def has_failed_pair(self) -> bool:
        """Whether the two videos cannot be compared."""
        key = self._judging_key()
        return self._pair is not None and key is not None and self._is_broken(key)

    def error(self, role: Role) -> UserError | None:
        """Why a role's current world cannot be shown wholly."""
        target = self._targets.get(role)
        if target is None:
            return None
        errors = self._results.errors
        return errors.get(target.key("judging")) or errors.get(target.key("preview"))

    def keys_in_use(self) -> tuple[str, ...]:
        """Store keys of everything that may be on screen."""
        rates: tuple[Rate, Rate] = ("judging", "preview")
        return tuple(str(t.key(rate)) for t in self._targets.values() for rate in rates)

    def _judging_key(self) -> ReplayKey | None:
        candidate = self._targets.get("candidate")
        if candidate is None:
            return None if self._pair is None else ReplayKey("videos:" + "|".join(self._pair), "judging")
        return candidate.key("judging")

    def _is_broken(self, key: ReplayKey) -> bool:
        return key in self._results.errors
