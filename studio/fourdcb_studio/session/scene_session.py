"""The session: owner of everything that the window shows. GUI thread only; knows no Qt and no processes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from fourdcb.dsl import load_script
from fourdcb.errors import UserError
from fourdcb.metrics.result import Report
from fourdcb.world import World
from fourdcb_studio.jobs.contract import Effect
from fourdcb_studio.jobs.scheduler import Scheduler, Transport
from fourdcb_studio.session import answer_words
from fourdcb_studio.session.clock import Clock
from fourdcb_studio.session.comparison import Comparison, Selection
from fourdcb_studio.session.drafts import values_since
from fourdcb_studio.session.frame_store import DEFAULT_BUDGET, FrameStore
from fourdcb_studio.session.journal import NOTHING_LEFT
from fourdcb_studio.session.messages import Role, VideoAnswer, VideoFailed, VideoOpened
from fourdcb_studio.session.notifier import Notifier
from fourdcb_studio.session.open_script import OpenScript
from fourdcb_studio.session.parameter_set import ParameterSet, Values
from fourdcb_studio.session.script_document import EditedScript, ScriptDocument
from fourdcb_studio.session.script_history import TextStep
from fourdcb_studio.session.sources import SceneSources
from fourdcb_studio.session.state import Message, fault_message, info, message_of
from fourdcb_studio.session.videos import Videos, VideoTransport


class SceneSession(OpenScript):
    """One open scene: sources, clock, edits, comparison, selection, results.

    Subscribe to topics through ``changes``; read the state from here.

    Args:
        journal_folder: where unsaved edits are kept; None keeps none.
        now: monotonic seconds.
        budget: memory for images [bytes].
    """

    def __init__(
        self,
        *,
        journal_folder: Path | None = None,
        now: Callable[[], float] = time.monotonic,
        budget: int = DEFAULT_BUDGET,
    ) -> None:
        super().__init__(journal_folder)
        self.changes = Notifier()
        self.store = FrameStore(budget=budget)
        self.clock = Clock(now=now)
        self.comparison, self.selection = Comparison(), Selection()
        self.scheduler = Scheduler(self.store, now=now, on_answer=self._on_answer)
        self.videos = Videos(self.store, self.clock)
        self.sources = SceneSources(title="")
        self.reference: World | None = None
        self.message: Message | None = None
        self._report: Report | None = None
        self.clock.on_change = self._on_clock
        self.comparison.on_change = self._on_comparison
        self.selection.on_change = lambda: self.changes.notify("selection")

    def connect(self, transport: Transport | None, videos: VideoTransport | None) -> None:
        """Use these ways to the simulation process and the decode thread."""
        self.scheduler.connect(transport)
        self.videos.connect(videos)

    # -- opening -------------------------------------------------------------------------------------
    def open(self, sources: SceneSources) -> None:
        """Open a scene. A script that is not valid becomes a message; the videos open all the same."""
        with self.changes.together():
            self.close_script()
            self.sources, self.reference = sources, None
            self.selection.clear()
            self._open_all(reopened=True)

    def open_candidate(self, path: Path, *, keep_edits: bool = True) -> None:
        """Look at another script of the same scene; position, view and (if wanted) unsaved edits are kept."""
        if not keep_edits:
            self.discard_edits()
        self._exchange(self.sources.with_script(path), park=keep_edits)

    def join(self, sources: SceneSources) -> None:
        """Other files in the same scene: what stays open keeps its place, its edits and their undo."""
        reopened = sources.script != self.sources.script
        self._exchange(sources, park=True, reopened=reopened)

    def _exchange(self, sources: SceneSources, *, park: bool, reopened: bool = True) -> None:
        with self.changes.together():
            if reopened:
                if park:
                    self._park()
                self.close_script()
            if sources.reference != self.sources.reference:
                self.reference = None
            self.sources = sources
            self._open_all(reopened=reopened)

    def _open_all(self, *, reopened: bool) -> None:
        """Open what the sources name and is not open."""
        self._report = self.message = None
        self.videos.open(self.sources)
        if self.sources.reference is not None and self.reference is None:
            self.reference = self._loaded(self.sources.reference)
        if reopened:
            self._open_script(self.sources.script)
        self._set_stage()
        self.changes.notify("scene", "world", "motion", "report", "frame", "status", "message")

    def _loaded(self, path: Path) -> World | None:
        try:
            return load_script(path).world
        except UserError as error:
            self.message = message_of(error)
            return None

    def _set_stage(self) -> None:
        """Fix the frame grid: the script's, on the video's clock, else the video's own frames."""
        world = self.candidate_world
        stage = self.reference or world
        info = self.videos.info("video")
        if stage is not None:
            self.clock.set_grid(n_frames=stage.n_frames, fps=stage.fps)
        elif info is not None:
            self.clock.set_grid(n_frames=len(info.times), fps=info.fps, times=info.times)
        video = self.sources.video if world is not None else None
        self.scheduler.set_scene(
            n_frames=self.clock.n_frames,
            video=str(video) if video else None,
            pair=self.sources.pair,
            files=self.sources.files,
        )
        self.scheduler.cases.want(self.sources.cases, current=self.sources.script)
        self._show_roles()
        self._set_edits()
        self.scheduler.set_target("candidate", world)  # first: its picture is what is waited for
        self.scheduler.set_target("reference", self.reference)
        self._set_before()
        self._focus()

    # -- editing -------------------------------------------------------------------------------------
    def change(self, path: str, value: float) -> None:
        """One move of a slider."""
        self._edit(lambda p: p.change(path, value), dragging=True)

    def commit(self, path: str, value: float) -> None:
        """A slider was let go, or a value typed."""
        self._edit(lambda p: p.commit(path, value))
        self.scheduler.release()

    def tell_taken(self, path: str, value: float) -> None:
        """A value was taken from a strip: say how it is taken back."""
        self.tell(info("took_value", path=path, value=f"{value:.4g}"))

    def reset(self, path: str) -> None:
        """Return one parameter to the file's value."""
        self._edit(lambda p: p.reset(path))

    def reset_all(self) -> None:
        """Return every parameter to the file's value."""
        self._edit(lambda p: p.reset_all())

    def undo(self) -> None:
        """Take back the last edit, or the text that was replayed last."""
        if self.parameters is not None and self.history.can_go_back(self.parameters):
            self._exchange_text(self.history.back)
        else:
            self._edit(lambda p: p.undo())

    def redo(self) -> None:
        """Bring back the edit, or the text, that was undone."""
        if self.parameters is not None and self.history.can_go_on(self.parameters):
            self._exchange_text(self.history.on)
        else:
            self._edit(lambda p: p.redo())

    def _exchange_text(self, exchange: Callable[[TextStep], TextStep]) -> None:
        self._take_step(exchange(self._step()))
        self._after_text()

    def set_values(self, values: Values, *, label: str) -> None:
        """Several values as one step, on top of the edits that are there."""
        self._edit(lambda p: p.set_all({**p.values, **values}, label=label))

    def recover(self) -> None:
        """Apply what a crash, or an end that kept it, left unsaved."""
        left, self.left = self.left, NOTHING_LEFT
        try:
            if left.text is not None:
                self._replay_text(left.text)
            if left.values:
                self.set_values(left.values, label="recovered edits")
        except UserError as error:
            self.tell(message_of(error))
            return
        self.set_draft(left.draft)
        if self._journal is not None:
            self._journal.forget_recoverable()
        self._record()
        if left.count:
            count = left.count
            self.tell(info("took_up", count=count) if left.kept else info("recovered", count=count))

    def return_to(self, snapshot: str) -> None:
        """Return to a snapshot, as one step."""
        self._edit(lambda p: p.apply_snapshot(snapshot))

    def finish_drag(self) -> None:
        """End a drag whose release never came (the window lost the focus, or closes)."""
        edits = self.parameters
        if edits is not None and edits.dragging is not None:
            path = edits.dragging
            self.commit(path, edits.values.get(path, edits.file_values[path]))

    def take_snapshot(self) -> str | None:
        """Remember the current values and compare against them from now on; returns the name."""
        if self.parameters is None or self.document is None:
            return None
        try:
            text = self.document.edited(self.parameters.values).source
        except UserError as error:
            self.tell(message_of(error))
            return None
        name = self.parameters.take_snapshot(text=text)
        self.comparison.update(before=name)
        self.tell(info("took_snapshot", name=name))
        return name

    def rename_snapshot(self, name: str, new: str) -> None:
        """Call a snapshot otherwise; a name that cannot be becomes a message."""
        if self.parameters is None:
            return
        try:
            self.parameters.rename_snapshot(name, new)
        except UserError as error:
            self.tell(message_of(error))
        else:
            if self.comparison.state.before == name:
                self.comparison.update(before=new.strip())
        self.changes.notify("comparison")

    def drop_snapshot(self, name: str) -> None:
        """Forget a snapshot; the saved script is *before* then."""
        if self.parameters is not None and name in self.parameters.snapshots:
            self.parameters.drop_snapshot(name)
            self.comparison.update(before="saved")
            self.changes.notify("comparison")

    def save(self, *, to: Path | None = None) -> EditedScript | None:
        """Save the script in place with comments kept, or elsewhere. Errors become messages."""
        if self.draft is not None and not self._replay_draft():
            return None
        if self.document is None or self.parameters is None:
            return None
        try:
            edited = self.document.save(self.parameters.values, to=to)
            if to is None:
                self.parameters.rebase(self.document.parsed.world)
                self.history.clear()
                self.scheduler.strips.forget()
        except UserError as error:
            self.tell(message_of(error, action="save_as" if to is None else None))
            return None
        if to is None:
            self._start_journal()
        self._after_edit(dragging=False)
        told = info("saved", name=(to or self.document.path).name)
        if edited.notes:
            first, *others = edited.notes
            told = replace(info("saved_note", note=first), details="\n".join(others))
        self.tell(told)
        return edited

    def save_all(self) -> bool:
        """Save every script that has unsaved edits; whether all of them are. Errors become messages."""
        try:
            self._save_others()
        except UserError as error:
            self.tell(message_of(error))
            return False
        return not self.unsaved or self.save() is not None

    def apply_source(self, text: str) -> None:
        """Replay a text that was typed in place of the script's; it is saved with the next save.

        What sliders changed since typing began stays on top of it, where it still fits.

        Raises:
            UserError: when it is not valid; nothing changes then.
        """
        draft, edits = self.draft, self.parameters
        since = {} if draft is None or edits is None else values_since(draft, edits.values, edits.file_values)
        self._replay_text(text)
        self.set_draft(None)
        self._record()
        if since:
            self.set_values(since, label="kept edits")

    def _replay_draft(self) -> bool:
        """Replay what was typed, before it is saved; what is wrong with it becomes a message."""
        assert self.draft is not None
        try:
            self.apply_source(self.draft.text)
        except UserError as error:
            self.tell(message_of(error, action="view_script"))
            return False
        return True

    def _replay_text(self, text: str) -> None:
        if self.broken is not None:
            self.document = ScriptDocument(self.broken.path, typed=text)
            self.parameters = ParameterSet(self.document.parsed.world)
            self.broken = self.message = None
            self._start_journal()
        elif self.document is not None and self.parameters is not None:
            step = self._step()
            self.document.replace(text)
            self.history.replaced(step)
            self.parameters = self.parameters.on_other_text(self.document.parsed.world)
        else:
            return
        self._after_text()

    def _after_text(self) -> None:
        with self.changes.together():
            self._set_stage()
            self._record()
            self.changes.notify("scene", "world", "status", "message")

    def reload(self) -> None:
        """Read the script from disk again; unsaved edits stay on top where they still fit."""
        if self.document is None or self.parameters is None:
            return
        try:
            self.document.reload()
            self.parameters.rebase(self.document.parsed.world, keep=self.parameters.values)
            self.history.clear()
        except UserError as error:
            self.tell(message_of(error))
            return
        with self.changes.together():
            self._set_stage()
            self.changes.notify("scene", "world", "status")

    def _edit(self, apply: Callable[[ParameterSet], object], *, dragging: bool = False) -> None:
        if self.parameters is None:
            return
        try:
            apply(self.parameters)
        except UserError as error:
            self.tell(message_of(error))
        self._after_edit(dragging=dragging)

    def _after_edit(self, *, dragging: bool) -> None:
        assert self.parameters is not None
        self._set_edits()
        self.scheduler.set_target("candidate", self.candidate_world, dragging=dragging)
        if not dragging:
            self._set_before()
            self._record()
        self._focus()
        self._take_known()
        self.changes.notify("world", "status")
        # A drag mostly waits for its picture; looking at once whether one is there costs every move.
        if not dragging or self.shows_current_frame:
            self.changes.notify("frame")

    def _take_known(self) -> None:
        """An edit that led back to a known world has its motion and judgement at once."""
        self._take_report()
        if self.motion("candidate") is not None:
            self.changes.notify("motion")

    def _take_report(self) -> None:
        """The judgement of the candidate as it stands, if there is one."""
        report, script = self.scheduler.report(), self.sources.script
        if report is not None and script is not None:
            self.scheduler.keep_verdict(script, edited=self.edited)
        if report is not None and report is not self._report:
            self._report = report
            self.changes.notify("report")

    # -- messages ------------------------------------------------------------------------------------
    def tell(self, message: Message | None) -> None:
        """Show a message, or none."""
        self.message = message
        self.changes.notify("message")

    def tell_fault(self, error: BaseException, trace: str) -> None:
        """Show an exception that nothing caught; the window goes on."""
        self.tell(fault_message(error, trace))

    # -- inside --------------------------------------------------------------------------------------
    def before_world(self) -> World | None:
        """The world that the edits are compared with: the script's, or a snapshot's."""
        if self.parameters is None:
            return None
        name = self.comparison.state.before
        known = name in self.parameters.snapshots
        return self._staged(self.parameters.snapshot_world(name) if known else self.parameters.base)

    def _set_before(self) -> None:
        """What the edits are compared with, and the values that it has otherwise than the script."""
        world, edits = self.before_world(), self.parameters
        self.scheduler.before_edits = {} if edits is None else edits.edits_of(self.comparison.state.before)
        self.scheduler.set_target("before", world)

    def _set_edits(self) -> None:
        edits = dict(self.parameters.values) if self.parameters else {}
        self.scheduler.edits = edits
        self.scheduler.strips.set_edits(edits, self.parameters.file_values if self.parameters else {})

    def _show_roles(self) -> None:
        roles: tuple[Role, ...] = ("candidate",)
        if not self.videos.has("video") or self.videos.failed("video"):
            roles += ("reference",)
        if self.comparison.state.shows_before:
            roles += ("before",)
        self.scheduler.set_visible(roles)

    def _focus(self) -> None:
        keys = (*self.scheduler.keys_in_use(), *self.videos.keys())
        self.store.focus(keys, self.clock.frame)

    def _on_clock(self) -> None:
        self._focus()
        self.videos.want_current(offset=self.comparison.state.offset)
        self.scheduler.set_playhead(self.clock.frame, offset=self.comparison.state.offset)
        self.changes.notify("clock", "frame")

    def _on_comparison(self) -> None:
        self._show_roles()
        self._set_before()
        self.videos.want_current(offset=self.comparison.state.offset)
        self.scheduler.set_playhead(self.clock.frame, offset=self.comparison.state.offset)
        self.changes.notify("comparison", "frame")

    def _on_answer(self, effect: Effect) -> None:
        for topic in effect.topics:
            if topic == "report":
                self._take_report()
            else:
                self.changes.notify(topic)
        if effect.message is not None:
            self.tell(effect.message)
        if effect.ready:
            told = answer_words.ready(self.message, self.scheduler.error("candidate"))
            if told is not self.message:
                self.tell(told)
        self.changes.notify("status")

    def receive_video(self, answer: VideoAnswer) -> None:
        """Take an answer of the decode thread in."""
        with self.changes.together():
            if not self.videos.receive(answer):
                return
            match answer:
                case VideoOpened(slot="video") if self.reference is None:
                    self._set_stage()
                    self.changes.notify("scene", "world")
                case VideoFailed(error=error):
                    self._show_roles()
                    self.tell(message_of(error))
            self.changes.notify("frame", "status")
