"""The open scene as it can be read; the session adds what changes it."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

from fourdcb.metrics.result import Finding, Report
from fourdcb.world import Parameter, World, on_stage_of
from fourdcb_studio.jobs.picture_series import PictureSeries
from fourdcb_studio.jobs.scheduler import Scheduler
from fourdcb_studio.session.drafts import Draft, Drafts
from fourdcb_studio.session.messages import ReplayKey, Role
from fourdcb_studio.session.motion import Motion, ObjectErrors, object_errors
from fourdcb_studio.session.parameter_set import ParameterSet
from fourdcb_studio.session.parameter_view import shown_parameters
from fourdcb_studio.session.probed import Probed
from fourdcb_studio.session.script_document import BrokenScript, ScriptDocument
from fourdcb_studio.session.sources import SceneSources
from fourdcb_studio.session.videos import Videos


class SceneState:
    """What follows from script, edits, reference, videos and answers. The session sets these."""

    scheduler: Scheduler
    sources: SceneSources
    videos: Videos
    document: ScriptDocument | None
    broken: BrokenScript | None
    drafts: Drafts
    parameters: ParameterSet | None
    reference: World | None
    _report: Report | None
    _pictures: tuple[ReplayKey, PictureSeries] | None = None

    @property
    def pictures(self) -> PictureSeries | None:
        """What moves in the candidate's pictures against the video's, None while that is not measured."""
        known = self._pictures
        return known[1] if known is not None and known[0] == self.scheduler.judging_key() else None

    def take_pictures(self, key: ReplayKey, series: PictureSeries) -> None:
        """Keep what was measured of a replay."""
        self._pictures = (key, series)

    @property
    def candidate_world(self) -> World | None:
        """The edited candidate on the stage of the reference or the video."""
        return None if self.parameters is None else self._staged(self.parameters.world)

    @property
    def edited(self) -> bool:
        """Whether what is replayed is not what the script's file says."""
        typed = self.document is not None and self.document.typed
        return typed or (self.parameters is not None and bool(self.parameters.changed))

    @property
    def script_path(self) -> Path | None:
        """The script that is open, valid or not."""
        held = self.document or self.broken
        return held.path if held is not None else None

    @property
    def draft(self) -> Draft | None:
        """What is being typed in place of the script and is not replayed yet."""
        return self.drafts.of(self.script_path)

    @property
    def unsaved(self) -> bool:
        """Whether the script has edits that are not on disk, replayed or only typed."""
        return self.edited or self.draft is not None

    @property
    def reference_text(self) -> str | None:
        """The text of the reference script; None without one."""
        path = self.sources.reference
        if path is None or self.reference is None:
            return None
        try:
            return path.read_bytes().decode("utf-8-sig")
        except (OSError, UnicodeDecodeError):
            return None  # gone since it was opened: there is nothing to compare with

    @property
    def disk_conflict(self) -> bool:
        """Whether the script's file says something else than what the unsaved edits were made on."""
        return self.document is not None and self.unsaved and self.document.changed_on_disk()

    @property
    def report(self) -> Report | None:
        """The last judgement of this script; see :attr:`report_is_fresh`."""
        return self._report

    @property
    def report_is_fresh(self) -> bool:
        """Whether the judgement is of the candidate as it stands."""
        return self._report is not None and self.scheduler.report() is self._report

    @property
    def report_before(self) -> Report | None:
        """The judgement of what the edits are compared with, None while there is none."""
        target = self.scheduler.targets.get("before")
        return self.scheduler.results.reports.get(target.key("judging")) if target is not None else None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings of the last judgement."""
        return self._report.findings if self._report else ()

    @property
    def settled(self) -> bool:
        """Whether nothing is stale: what a screenshot or an export waits for."""
        return self.scheduler.settled and self.videos.settled

    @property
    def idle(self) -> bool:
        """Whether everything is there, the strips that are made in idle time too."""
        strips_wanted = self.reference is not None and self.parameters is not None
        return self.settled and not (strips_wanted and self.scheduler.strips.next_path() is not None)

    @property
    def unjudged(self) -> tuple[Path, ...]:
        """Other scripts of the scene that are still to be judged, when there is time."""
        return self.scheduler.cases.waiting if self.reference is not None else ()

    @property
    def shows_current_frame(self) -> bool:
        """Whether every picture of the current frame is there, in whatever quality."""
        scheduler = self.scheduler
        replays = all(
            scheduler.wanted_key(role) is None
            or scheduler.error(role) is not None
            or scheduler.best_key(role, scheduler.frame_of(role)) is not None
            for role in scheduler.visible
        )
        return replays and self.videos.settled

    def shown_parameters(self) -> tuple[Parameter, ...]:
        """The parameters worth a slider: what moves first; without what the stage decides or ignores."""
        if self.parameters is None:
            return ()
        return shown_parameters(self.parameters.world, staged=self.reference is not None)

    def motion(self, role: Role) -> Motion | None:
        """Motion of a role's current world, None while there is none."""
        return self.scheduler.motion(role)

    def probe(self, role: Role) -> Probed | None:
        """What lies under the pixels of a role's current frame, None while that is not known."""
        scheduler = self.scheduler
        target, key = scheduler.targets.get(role), scheduler.wanted_key(role)
        found = scheduler.probes.get(role, key, scheduler.frame_of(role))
        return None if found is None or target is None else Probed(found, target.world)

    def errors_of(self, name: str, role: Role = "candidate") -> ObjectErrors | None:
        """A replay against the reference, of one object; None while a motion is missing."""
        candidate, reference = self.motion(role), self.motion("reference")
        target = self.scheduler.targets.get(role)
        world = target.world if target is not None else None
        truth = self.reference
        if candidate is None or reference is None or world is None or truth is None:
            return None
        own, true = ({o.name: o for o in w.objects}.get(name) for w in (world, truth))
        if own is None or true is None:
            return None
        return object_errors(candidate, reference, name, objects=(own, true), horizon=self._horizon(name))

    def _horizon(self, name: str) -> int | None:
        """Frames for which the reference's object can be predicted, None while that is not known."""
        record = self._report.horizon.get(name) if self._report is not None else None
        seconds = record.get("seconds") if isinstance(record, dict) else None
        if seconds is None or self.reference is None:
            return None
        return min(self.reference.n_frames, math.ceil(seconds * self.reference.fps - 1e-6))

    def _staged(self, world: World) -> World:
        if self.reference is not None:
            return on_stage_of(world, self.reference)
        info = self.videos.info("video")
        return replace(world, fps=info.grid[0], duration=info.grid[1]) if info else world
