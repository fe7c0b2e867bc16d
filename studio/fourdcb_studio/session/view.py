"""Derives what is on screen from the session: pictures, status, the command line that reproduces it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from fourdcb.words import tr
from fourdcb_studio.session.messages import ReplayKey, Role
from fourdcb_studio.session.scene_session import SceneSession
from fourdcb_studio.session.sources import SceneSources
from fourdcb_studio.session.state import Doing, Freshness, ImageKind, ShownImage, Status
from fourdcb_studio.session.videos import Slot


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownImages:
    """The three pictures of the comparison."""

    original: ShownImage
    replay: ShownImage
    before: ShownImage

    def is_same(self, other: ShownImages) -> bool:
        """Whether these are the same pictures of original and replay, and of the same quality."""
        pairs = ((self.original, other.original), (self.replay, other.replay))
        return all((a.version, a.kind) == (b.version, b.kind) for a, b in pairs)


class View:
    """Reads a session; remembers the last good pictures so that nothing ever goes blank.

    Args:
        session: what to read.
    """

    def __init__(self, session: SceneSession) -> None:
        self._session = session
        self._last: dict[str, ShownImage] = {}
        self._paths: tuple[SceneSources, Path, list[str]] | None = None

    def forget(self) -> None:
        """Another scene: its last good pictures mean nothing there."""
        self._last.clear()

    def script_name(self) -> str:
        """What the candidate script is called; empty without one."""
        script = self._session.sources.script
        return script.name if script is not None else ""

    @property
    def shows_before(self) -> bool:
        """The wipe is between three pictures only while before and after are not the same."""
        state, edits = self._session.comparison.state, self._session.parameters
        edited = edits is not None and bool(edits.changed)
        return state.shows_before and (state.mode != "wipe" or edited or state.before != "saved")

    def images(self) -> ShownImages:
        """The pictures for the current time, mode and edits."""
        videos = self._session.videos
        names = self._session.sources.names
        original = (
            self._video("video", names[0]) if videos.has("video") else self._replay("reference", names[0])
        )
        replay = (
            self._video("second", names[1]) if videos.has("second") else self._replay("candidate", names[1])
        )
        before = self._replay("before", self._before_label())
        return ShownImages(original=original, replay=replay, before=before)

    def _before_label(self) -> str:
        name = self._session.comparison.state.before
        return tr("Before") if name == "saved" else name.capitalize()

    def _video(self, slot: Slot, label: str) -> ShownImage:
        videos = self._session.videos
        if videos.failed(slot):
            return _nothing(label, "undecodable")
        if videos.info(slot) is None:
            return _nothing(label, "opening")
        frame, image = videos.index(slot), videos.image(slot)
        if image is None:
            return self._stale(slot, label, "decoding")
        shown = ShownImage(
            image=image,
            label=label,
            fresh=True,
            kind="decoded",
            frame=frame,
            version=(videos.key(slot), frame),
        )
        self._last[slot] = shown
        return shown

    def _replay(self, role: Role, label: str) -> ShownImage:
        scheduler, store = self._session.scheduler, self._session.store
        wanted, frame = scheduler.wanted_key(role), scheduler.frame_of(role)
        if wanted is None:
            return self._none(role, label)
        # While a slider moves its newest answer is older than the newest edit, and still news.
        key = scheduler.best_key(role, frame) or scheduler.answered_key(role)
        image = store.get(str(key), frame) if key is not None else None
        if key is None or image is None:
            error = scheduler.error(role)
            if error is not None:
                return self._stale(role, label, "error", what=error.what)
            return self._stale(role, label, self._waiting())
        settled = key.world == wanted.world and (key.rate == wanted.rate or key.rate == "judging")
        kind: ImageKind = "full" if key.rate == "judging" else "preview"
        shown = ShownImage(
            image=image, label=label, fresh=settled, kind=kind, frame=frame, version=(str(key), frame)
        )
        self._last[role] = shown
        return shown

    def _none(self, role: Role, label: str) -> ShownImage:
        if role == "reference":
            return _nothing(label, "no_original")
        if self._session.broken is not None:
            count = sum(d.severity == "error" for d in self._session.broken.diagnostics)
            return _nothing(label, "script_errors", count=count)
        return _nothing(label, "no_script")

    def _waiting(self) -> ImageKind:
        scheduler = self._session.scheduler
        if not scheduler.ready:
            return "starting"
        return scheduler.busy or "rendering"

    def _stale(self, name: str, label: str, kind: ImageKind, **values: object) -> ShownImage:
        last = self._last.get(name)
        if last is None:
            return _nothing(label, kind, **values)
        return ShownImage(
            image=last.image, label=label, fresh=False, kind="stale", frame=last.frame, version=last.version
        )

    def status(self, *, shown: ShownImages | None = None) -> Status:
        """State, timings, rate, memory.

        Args:
            shown: the pictures that are on screen; where they are others than those of now, nothing is fresh.
        """
        scheduler, store = self._session.scheduler, self._session.store
        key = scheduler.best_key("candidate", scheduler.frame_of("candidate"))
        freshness, doing, values = self._freshness(key)
        if freshness == "fresh" and shown is not None and not self.images().is_same(shown):
            freshness, doing = "stale", "showing"
        world = self._session.candidate_world
        motion = self._session.motion("candidate")
        return Status(
            freshness=freshness,
            doing=doing,
            values=values,
            simulate_ms=scheduler.timings.simulate_ms,
            draw_ms=scheduler.timings.draw_ms,
            judge_s=scheduler.timings.judge_s,
            rate_hz=motion.rate_hz if motion else None,
            width=world.camera.width if world else 0,
            height=world.camera.height if world else 0,
            memory_mb=store.size / 2**20,
            budget_mb=store.budget / 2**20,
        )

    def _freshness(self, key: ReplayKey | None) -> tuple[Freshness, Doing, dict[str, object]]:
        session, scheduler = self._session, self._session.scheduler
        if session.sources.pair is not None and not scheduler.has_failed_pair:
            return ("fresh", "compared", {}) if session.settled else ("judging", "comparing", {})
        if session.broken is not None:
            return "error", "script_errors", {}
        if session.parameters is None:
            return "video only", "no_script", {}
        error = scheduler.error("candidate")
        if error is not None:
            return "error", "error", {"what": error.what}
        if not scheduler.ready:
            return "loading", scheduler.busy or "starting", {}
        if scheduler.busy:
            return "loading", scheduler.busy, {}
        if key is None:
            return "stale", "simulating", {}
        if key.rate == "preview":
            return "preview", "preview", {}
        if session.settled:
            return "fresh", "fresh", {}
        return "judging", "judging", {}

    def command_line(self) -> str:
        """The command that opens this view again."""
        session = self._session
        words = ["fourdcb", "studio", *self._short_paths()]
        words += ["--frame", str(session.clock.frame)]
        if session.comparison.state.mode != "side":
            words += ["--compare", session.comparison.state.mode]
        state = session.comparison.state
        if state.shows_difference:
            words += [] if state.measure == "color" else ["--difference", state.measure]
            words += [] if state.base == "none" else ["--over", state.base]
        if session.parameters is not None:
            for path, value in session.parameters.values.items():
                words += ["--set", f"{path}={value:.12g}"]
        return shlex.join(words)

    def _short_paths(self) -> list[str]:
        """Remembered: it looks at the disk, and is asked while a slider moves."""
        sources, folder = self._session.sources, Path.cwd()
        if self._paths is None or self._paths[:2] != (sources, folder):
            self._paths = (sources, folder, sources.short_paths(folder))
        return self._paths[2]


def _nothing(label: str, kind: ImageKind, **values: object) -> ShownImage:
    return ShownImage(
        image=None, label=label, fresh=False, kind=kind, frame=0, version=("", 0), values=values
    )
