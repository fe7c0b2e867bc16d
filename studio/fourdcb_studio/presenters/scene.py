"""Feeds the window's parts from the session: one method for each thing that can change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np

from fourdcb.words import chosen, tr
from fourdcb_studio.actions.table import ACTIONS
from fourdcb_studio.bench import Bench
from fourdcb_studio.panels.cases import Case
from fourdcb_studio.panels.status_bar import Freshness as BarState
from fourdcb_studio.presenters.words import (
    color_at,
    facts,
    loop_word,
    mask,
    none_found,
    timings,
)
from fourdcb_studio.session.state import Freshness, ShownImage
from fourdcb_studio.session.view import ShownImages, View
from fourdcb_studio.views.compare.pixel_readout import PixelValues
from fourdcb_studio.views.compare.view import Source
from fourdcb_studio.views.plots.curves import curve_choices, image_series, make_curve
from fourdcb_studio.widgets.image_paint import BadgeRole, Message, MessageKind
from fourdcb_studio.workspace import Workspace

_WORDS: dict[Freshness, BarState] = {
    "fresh": "fresh", "preview": "preview", "stale": "stale", "loading": "working", "judging": "working",
    "error": "failed", "video only": "idle",
}  # fmt: skip
_CONTACT_MARKS = {"bounce": "bounce", "touch": "touch", "slide_start": "slide"}


class Presenter:
    """Writes the session's state into the widgets; reads nothing back.

    Args:
        workspace: the parts.
        bench: the state.
    """

    def __init__(self, workspace: Workspace, bench: Bench) -> None:
        self._parts, self._session = workspace, bench.session
        self._view = bench.view
        self._pixel: tuple[int, int] = (-1, -1)
        self._shown: ShownImages | None = None
        self._shown_cases: list[tuple[str, str, bool | None, int]] = []
        self._curve = "height"
        self._stale_shown = self._behind = False
        self.shown_generation = 0
        self.shown_elsewhere: Callable[[], bool] = lambda: False

    @property
    def view(self) -> View:
        """What is derived from the session."""
        return self._view

    # -- scene ---------------------------------------------------------------------------------------
    def show_scene(self) -> None:
        """Names, cases, frame grid; called when another scene or script was opened."""
        session, parts = self._session, self._parts
        self._view.forget()
        parts.verdict.set_scene(session.sources.title or tr("No scene"))
        parts.verdict.set_script(self._view.script_name(), session.unsaved)
        parts.time.set_frames(session.clock.n_frames, session.clock.fps)
        parts.time.set_objects(())
        parts.time.clear_errors(self._no_strips())
        parts.time.clear_curve()
        self._show_names()
        parts.time.set_contacts(())
        parts.time.set_horizon(None)
        self.show_cases()
        self.show_clock()
        self.show_comparison()

    def show_cases(self) -> None:
        """The candidates of the scene folder, unless another list of cases is in use."""
        if self.shown_elsewhere():
            self._shown_cases = []
            return
        sources = self._session.sources
        cases = [self._case(path) for path in sources.cases]
        shown = [(c.name, c.note, c.passed, id(c.thumbnail)) for c in cases]
        if shown != self._shown_cases:
            self._shown_cases = shown
            self._parts.cases.set_cases(cases)
        if not cases:
            self._parts.cases.set_empty(tr("No cases"), tr("Open a scene folder that holds candidates/*.py."))
        if sources.script is not None:
            self._parts.cases.set_current(sources.case_name(sources.script))

    def _case(self, path: Path) -> Case:
        session = self._session
        name, edited = session.sources.case_name(path), path in session.edited_scripts
        known = session.scheduler.cases.get(path, edited=edited)
        words = tr("edited · ") if edited else ""
        if known is None or (
            path == session.sources.script and session.report and not session.report_is_fresh
        ):
            return Case(name, words + self._waiting(path), thumbnail=known.image if known else None)
        passed = None if known.verdict in (None, "INCONCLUSIVE") else known.verdict == "DEPLOYABLE"
        return Case(name, words + known.note, passed=passed, thumbnail=known.image)

    def _waiting(self, path: Path) -> str:
        """Why a case has no verdict."""
        session = self._session
        if path != session.sources.script:
            return tr("not judged yet")
        hopeless = session.broken is not None or session.scheduler.error("candidate") is not None
        return tr("cannot be judged") if hopeless else tr("judging …")

    def _no_strips(self) -> str:
        if not self._session.sources.title:
            return ""
        if self._session.broken is not None:
            return tr("the script has errors")
        if self._session.reference is not None:
            return tr("not simulated yet")
        if self._session.sources.pair is not None:
            return tr("two videos are compared by their pictures; strips need a world script")
        return tr("no reference script: motion cannot be compared")

    def _show_names(self) -> None:
        """What the pictures are called, and which comparisons mean anything."""
        session, parts = self._session, self._parts
        shown = self._view.images()
        parts.images.set_names({"reference": shown.original.label, "candidate": shown.replay.label})
        parts.pixels.set_names(shown.original.label, shown.replay.label)
        for mode in ("three", "before_after"):
            parts.view_bar.set_mode_enabled(mode, session.parameters is not None)
        parts.verdict.set_action_enabled("snapshot", session.parameters is not None)

    # -- world ---------------------------------------------------------------------------------------
    def show_unsaved(self) -> None:
        """The dot beside the script's name, and the marks of the cases."""
        self._parts.verdict.set_script(self._view.script_name(), self._session.unsaved)
        self.show_cases()

    def show_world(self) -> None:
        """Parameters with their marks, and the script's name with its dot."""
        session, parts = self._session, self._parts
        parts.verdict.set_script(self._view.script_name(), session.unsaved)
        edits = session.parameters
        if edits is None:
            parts.parameters.set_parameters((), {}, frozenset())
            if session.broken is not None:
                parts.parameters.set_empty(
                    tr("No parameters"), tr("They come back when the errors are mended.")
                )
            else:
                parts.parameters.set_empty(tr("No parameters"), tr("Open a script to move its values."))
        else:
            parts.parameters.set_parameters(session.shown_parameters(), edits.file_values, edits.changed)

    def show_strips(self) -> None:
        """Sensitivity strips under the sliders; those of another world are dimmed."""
        parameters, scheduler = self._parts.parameters, self._session.scheduler
        for path in parameters.visible_paths():
            found = scheduler.strips.get(path)
            if found is None:
                parameters.set_strip(path, None)
                continue
            strip, fresh = found
            if not strip.is_observable:
                parameters.set_strip(path, None)
                parameters.set_note(path, tr("not observable in this clip"))
                continue
            parameters.set_note(path, "")
            errors, values = np.asarray(strip.errors), np.asarray(strip.values)
            parameters.set_strip(path, errors, stale=not fresh, values=values)

    # -- time ----------------------------------------------------------------------------------------
    def show_clock(self) -> None:
        """Playhead, figures, playing state."""
        clock, parts = self._session.clock, self._parts
        parts.time.set_position(clock.frame)
        parts.transport.set_position(clock.frame, clock.n_frames, clock.fps, seconds=clock.time)
        parts.transport.set_playing(clock.playing)
        parts.transport.set_mode(clock.mode)
        parts.transport.set_speed(clock.speed * clock.direction)
        parts.transport.set_loop(loop_word(clock.loop, clock.has_loop_range))
        parts.time.set_loop(*(clock.loop_range if clock.has_loop_range else (None, None)))

    # -- pictures ------------------------------------------------------------------------------------
    def show_images(self) -> None:
        """The pictures of the current time and edits."""
        session, images = self._session, self._parts.images
        shown = self._view.images()
        before = shown.before.image if self.shows_before() else None
        images.set_sources(shown.original.image, shown.replay.image, before)
        self._decorate("reference", shown.original)
        self._decorate("candidate", shown.replay)
        self._decorate("before", shown.before)
        self._shown = shown
        scheduler = session.scheduler
        self.shown_generation = scheduler.generation if shown.replay.fresh else scheduler.answered_generation
        self.show_pixel(*self._pixel)
        if self._behind:  # the status bar said that these pictures were not on screen yet
            self.show_status()

    def shows_before(self) -> bool:
        """The wipe is between three pictures only while before and after are not the same."""
        return self._view.shows_before

    def _decorate(self, source: Source, shown: ShownImage) -> None:
        images = self._parts.images
        if shown.image is None:
            kind: MessageKind = "loading" if shown.waits else "empty"
            images.set_message(source, Message(kind, shown.label, shown.note))
            return
        # By the quality, so that it does not blink at every move of a slider.
        role: BadgeRole = "plain" if shown.is_settled else "warning"
        words, offset = shown.note, self._session.comparison.state.offset if source == "candidate" else 0
        if offset:
            words, role = f"{offset:+d} f · {words}".replace("-", "−").rstrip(" ·"), "warning"
        images.set_badge(source, words, role)

    def show_pixel(self, x: int, y: int) -> None:
        """The pixel under the mouse, (-1, -1) for none, and the quality of the frame."""
        self._pixel = (x, y)
        pixels = self._parts.pixels
        if self._shown is None or x < 0:
            pixels.set_pixel(None)
        else:
            original, replay = color_at(self._shown.original, x, y), color_at(self._shown.replay, x, y)
            depth, name = self._under(x, y)
            pixels.set_pixel(PixelValues(x, y, original, replay, depth, name))
        pixels.set_quality(self._series("psnr"), self._series("ssim"))

    def _under(self, x: int, y: int) -> tuple[float | None, str | None]:
        """Depth [m] and body of the replay at a pixel."""
        probe = self._session.probe("candidate")
        pixel = probe.pixel(x, y) if probe is not None else None
        return (None, None) if pixel is None else (pixel.depth, pixel.body)

    def show_looked_at(self) -> None:
        """What lies under the pixels of this frame, once it is known: the read-out and the silhouettes."""
        images = self._parts.images
        self.show_pixel(*self._pixel)
        shown, selected = self._session.comparison.state.outlines, self._session.selection.object
        roles: tuple[Literal["reference", "candidate"], ...] = ("reference", "candidate")
        for role in roles:
            probe = self._session.probe(role) if shown else None
            if probe is None:
                images.set_outline(role, None)
            else:
                images.set_outline(role, probe.silhouettes(), selected=probe.index(selected))

    def _series(self, name: str) -> float | None:
        session = self._session
        if session.report is None or not session.report_is_fresh:
            return None
        values = image_series(session, name)
        value = float("nan") if values is None else float(values[session.clock.frame])
        return value if np.isfinite(value) else None

    def show_comparison(self) -> None:
        """Mode, gain, offset."""
        state, parts = self._session.comparison.state, self._parts
        parts.view_bar.set_mode(state.mode)
        parts.view_bar.set_gain(state.gain)
        parts.view_bar.set_offset(state.offset)
        parts.images.set_mode(state.mode)
        parts.images.set_wipe(state.wipe)
        parts.images.set_gain(state.gain)
        parts.images.set_signed(state.signed)
        parts.images.set_edges(state.edges)
        parts.images.set_measure(state.measure, state.base, state.opacity)
        parts.images.hold_reference(state.hold_reference)

    # -- motion --------------------------------------------------------------------------------------
    def show_motion(self) -> None:
        """Error strips, contacts and the plot, from the motions that are there."""
        session, time = self._session, self._parts.time
        candidate = session.motion("candidate")
        if candidate is None:
            return
        names = candidate.moving_names
        time.set_objects(names)
        found = {name: errors for name in names if (errors := session.errors_of(name)) is not None}
        if not found and names and session.motion("reference") is not None:
            time.clear_errors(tr("the reference has no body of these names: see the findings"))
        for name, errors in found.items():
            time.set_errors(name, errors.position_mm, errors.rotation_deg, errors.energy)
        self.show_selected_object()

    def show_selected_object(self) -> None:
        """Contacts and plot of the selected object."""
        session, time = self._session, self._parts.time
        candidate = session.motion("candidate")
        name = session.selection.object or time.data().selected
        self.show_curve()
        if candidate is None or name not in candidate.names:
            return
        time.set_object(name)
        fps, last = session.clock.fps, session.clock.n_frames - 1
        time.set_contacts(
            [
                (min(round(e.time * fps), last), kind, f"{tr(kind)} {' – '.join(e.bodies)}")
                for e in candidate.events
                if name in e.bodies and (kind := _CONTACT_MARKS.get(e.kind)) is not None
            ]
        )

    def choose_curve(self, key: str) -> None:
        """Plot another quantity."""
        self._curve = key
        self.show_curve()

    def show_curve(self) -> None:
        """The plot of the chosen quantity, or of the first that there is."""
        session, time = self._session, self._parts.time
        choices = curve_choices(session)
        keys = [key for key, _ in choices]
        if not keys:
            time.set_curve_choices((), "")
            return
        key = self._curve if self._curve in keys else keys[0]
        name = session.selection.object or time.data().selected
        curve = make_curve(session, key, name)
        time.set_curve_choices(choices, key)
        if curve is not None:
            time.set_curve(curve.label, curve.times, curve.candidate, curve.reference, curve.unit)

    def show_freshness(self) -> None:
        """Whether verdict and axes are of the candidate as it stands."""
        report, stale = self._session.report, not self._session.report_is_fresh
        if report is not None and stale != self._stale_shown:
            self._stale_shown = stale
            self._parts.verdict.set_verdict(report.verdict, stale=stale, reasons=report.reasons)
            self._parts.verdict.set_axes(report.axes, stale=stale)
        self.show_cases()

    # -- judgement -----------------------------------------------------------------------------------
    def show_report(self) -> None:
        """Verdict, axes, findings, horizon; what is out of date says so."""
        session, parts = self._session, self._parts
        report = session.report
        stale = self._stale_shown = report is not None and not session.report_is_fresh
        reasons = report.reasons if report else ()
        parts.verdict.set_verdict(report.verdict if report else None, stale=stale, reasons=reasons)
        parts.verdict.set_axes(report.axes if report and not session.sources.pair else {}, stale=stale)
        parts.verdict.set_action_enabled("export_report", report is not None)
        findings = session.findings
        parts.findings.set_findings(findings)
        parts.transport.set_findings(len(findings))
        marks = [(f.frame, f.severity, f.axis, f.message) for f in findings if f.frame is not None]
        parts.time.set_findings(marks)
        self.show_pixel(*self._pixel)
        if report is None:
            parts.findings.set_empty(*self._no_findings())
            return
        if not findings:
            parts.findings.set_empty(*none_found(report, pair=session.sources.pair is not None))
        self._show_horizon(report.horizon)
        self.show_curve()
        self.show_cases()

    def _no_findings(self) -> tuple[str, str]:
        if not self._session.sources.title:
            return tr("Nothing is open"), tr("Findings appear when a candidate is judged.")
        if self._session.sources.pair is not None:
            return tr("Not compared yet"), tr("The frames of both videos are being compared.")
        if self._session.broken is not None:
            return tr("The script has errors"), tr("It is judged when they are mended; see Script.")
        if self._session.parameters is None:
            return tr("No script"), chosen().say("studio.findings.no_script")
        if self._session.reference is None and self._session.sources.video is None:
            return tr("Nothing to judge by"), chosen().say("studio.findings.no_original")
        error = self._session.scheduler.error("candidate")
        if error is not None:
            return tr("Cannot be judged"), error.what
        if self._session.videos.failed("video") and self._session.reference is None:
            return tr("Nothing to judge by"), chosen().say("studio.images.undecodable")
        return tr("Not judged yet"), chosen().say("studio.findings.waiting")

    def _show_horizon(self, horizon: object) -> None:
        session = self._session
        records = horizon.values() if isinstance(horizon, dict) else ()
        seconds = min((r["seconds"] for r in records if isinstance(r, dict) and "seconds" in r), default=None)
        frame = None if seconds is None else round(seconds * session.clock.fps)
        self._parts.time.set_horizon(frame if frame is not None and frame < session.clock.n_frames else None)

    # -- status --------------------------------------------------------------------------------------
    def show_status(self) -> None:
        """Freshness, timings, memory, the command line, what is ready on the time axis."""
        status, bar = self._view.status(shown=self._shown), self._parts.status
        self._behind = status.doing == "showing"
        words = status.text if status.freshness in ("loading", "error") else ""
        error = self._session.scheduler.error("candidate")
        if error is not None and self._session.report is None:
            self._parts.findings.set_empty(*self._no_findings())
            if self._session.motion("candidate") is None:
                self._parts.time.clear_errors(error.what)
        bar.set_state(_WORDS[status.freshness], words)
        bar.set_timings(timings(status))
        bar.set_facts(facts(status))
        bar.set_command(self._view.command_line())
        self._show_ready()

    def _show_ready(self) -> None:
        session, n = self._session, self._session.clock.n_frames
        videos = session.videos
        decoded = videos.ready("video")
        key = session.scheduler.wanted_key("candidate")
        rendered = session.store.frames(str(key)) if key is not None else frozenset[int]()
        if session.sources.pair is not None:  # the other video stands where the replay does
            rendered = videos.ready("second")
        judged = np.full(n, session.report_is_fresh)
        self._parts.time.set_ready(mask(decoded, n), mask(rendered, n), judged)

    def show_message(self) -> None:
        """The non-modal message, or none."""
        message, bar = self._session.message, self._parts.messages
        if message is None:
            bar.clear()
            return
        text = {spec.id: spec.text for spec in ACTIONS}
        action = (message.action, text[message.action]) if message.action else None
        more = [(key, text[key]) for key in message.more]
        bar.show_message(message.text, message.details, message.severity, action, more)
