"""Feeds the window's parts from the session: one method for each thing that can change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourdcb.metrics.result import Finding, Verdict
from fourdcb_studio.actions import ACTIONS
from fourdcb_studio.panels import Case, PixelValues, Workspace
from fourdcb_studio.panels.status_bar import Freshness as BarState
from fourdcb_studio.session import SceneSession, View
from fourdcb_studio.session.messages import Role
from fourdcb_studio.session.state import Freshness, ShownImage, Status
from fourdcb_studio.session.view import ShownImages
from fourdcb_studio.widgets.image_paint import BadgeRole, Message
from fourdcb_studio.widgets.image_view import Source

_WORDS: dict[Freshness, BarState] = {
    "fresh": "fresh", "preview": "preview", "stale": "stale", "loading": "working", "judging": "working",
    "error": "failed", "video only": "idle",
}  # fmt: skip
_CONTACT_MARKS = {"bounce": "bounce", "touch": "touch", "slide_start": "slide"}
_THUMBNAIL = 64  # px, largest side


class Presenter:
    """Writes the session's state into the widgets; reads nothing back.

    Args:
        workspace: the parts.
        session: the state.
    """

    def __init__(self, workspace: Workspace, session: SceneSession) -> None:
        self._parts, self._session = workspace, session
        self._view = View(session)
        self._pixel: tuple[int, int] = (-1, -1)
        self._shown: ShownImages | None = None
        self._verdicts: dict[Path, Verdict] = {}
        self._thumbnails: dict[Path, NDArray[np.uint8]] = {}
        self._stale_shown = False
        self.shown_generation = 0

    @property
    def view(self) -> View:
        """What is derived from the session."""
        return self._view

    # -- scene ---------------------------------------------------------------------------------------
    def show_scene(self) -> None:
        """Names, cases, frame grid; called when another scene or script was opened."""
        session, parts = self._session, self._parts
        self._view.forget()
        parts.verdict.set_scene(session.sources.title or "No scene")
        parts.time.set_frames(session.clock.n_frames, session.clock.fps)
        parts.time.clear_errors("not simulated yet" if session.reference else "no reference to compare with")
        parts.time.clear_curve()
        parts.time.set_contacts(())
        parts.time.set_horizon(None)
        self.show_cases()
        self.show_clock()
        self.show_comparison()

    def show_cases(self) -> None:
        """The candidates of the scene folder."""
        sources = self._session.sources
        cases = [self._case(path) for path in sources.candidates]
        self._parts.cases.set_cases(cases)
        if not cases:
            self._parts.cases.set_empty("No cases", "Open a scene folder that holds candidates/*.py.")
        if sources.script is not None:
            self._parts.cases.set_current(sources.script.name)

    def _case(self, path: Path) -> Case:
        verdict = self._verdicts.get(path)
        passed = None if verdict in (None, "INCONCLUSIVE") else verdict == "DEPLOYABLE"
        words = path.stem.replace("_", " ")
        return Case(path.name, words, passed=passed, thumbnail=self._thumbnails.get(path))

    # -- world ---------------------------------------------------------------------------------------
    def show_world(self) -> None:
        """Parameters with their marks, and the script's name with its dot."""
        session, parts = self._session, self._parts
        script = session.sources.script
        parts.verdict.set_script(script.name if script else "", session.unsaved)
        edits = session.parameters
        if edits is None:
            parts.parameters.set_parameters((), {}, frozenset())
        else:
            parts.parameters.set_parameters(session.shown_parameters(), edits.file_values, edits.changed)

    def want_strips(self) -> None:
        """Ask for the strips of the parameters that are in sight and move something."""
        edits = self._session.parameters
        if edits is not None and edits.dragging is not None:
            self.show_strips()
            return
        panel = self._parts.parameters
        shown = {path for path in panel.visible_paths() if not panel.row(path).visibleRegion().isEmpty()}
        paths = [p.path for p in self._session.shown_parameters() if p.stage == "physics" and p.path in shown]
        self._session.scheduler.strips.want(tuple(paths))
        self._session.scheduler.pump()
        self.show_strips()

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
                parameters.set_note(path, "not observable in this clip")
                continue
            parameters.set_note(path, "")
            # The square root shows the neighbourhood of the best value, where errors are small.
            parameters.set_strip(path, np.sqrt(np.asarray(strip.errors)), stale=not fresh)

    # -- time ----------------------------------------------------------------------------------------
    def show_clock(self) -> None:
        """Playhead, figures, playing state."""
        clock, parts = self._session.clock, self._parts
        parts.time.set_position(clock.frame)
        parts.transport.set_position(clock.frame, clock.n_frames, clock.fps)
        parts.transport.set_playing(clock.playing)
        parts.transport.set_mode(clock.mode)
        parts.transport.set_speed(clock.speed * clock.direction)
        parts.transport.set_loop(_loop_word(clock.loop, clock.has_loop_range))
        parts.time.set_loop(*(clock.loop_range if clock.has_loop_range else (None, None)))

    # -- pictures ------------------------------------------------------------------------------------
    def show_images(self) -> None:
        """The pictures of the current time and edits."""
        session, images = self._session, self._parts.images
        shown = self._view.images()
        before = shown.before.image if session.comparison.state.shows_before else None
        images.set_sources(shown.original.image, shown.replay.image, before)
        self._decorate("reference", shown.original)
        self._decorate("candidate", shown.replay)
        self._decorate("before", shown.before)
        self._shown = shown
        scheduler = session.scheduler
        self.shown_generation = scheduler.generation if shown.replay.fresh else scheduler.answered_generation
        self.show_pixel(*self._pixel)

    def _decorate(self, source: Source, shown: ShownImage) -> None:
        images = self._parts.images
        if shown.image is None:
            waiting = shown.note.endswith("…")
            images.set_message(source, Message("loading" if waiting else "empty", shown.label, shown.note))
            return
        role: BadgeRole = "plain" if shown.fresh else "warning"
        images.set_badge(source, shown.note, role)

    def show_pixel(self, x: int, y: int) -> None:
        """The pixel under the mouse, (-1, -1) for none, and the quality of the frame."""
        self._pixel = (x, y)
        pixels = self._parts.pixels
        if self._shown is None or x < 0:
            pixels.set_pixel(None)
        else:
            pixels.set_pixel(
                PixelValues(x, y, _at(self._shown.original, x, y), _at(self._shown.replay, x, y))
            )
        pixels.set_quality(self._series("psnr"), self._series("ssim"))

    def _series(self, name: str) -> float | None:
        session = self._session
        if session.report is None or not session.report_is_fresh:
            return None
        values = session.report.series.get(name) or ()
        frame = session.clock.frame
        return values[frame] if frame < len(values) else None

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
        for name in names:
            errors = session.errors_of(name)
            if errors is not None:
                time.set_errors(name, errors.position_mm, errors.rotation_deg, errors.energy)
        self.show_selected_object()

    def show_selected_object(self) -> None:
        """Contacts and plot of the selected object."""
        session, time = self._session, self._parts.time
        candidate = session.motion("candidate")
        name = session.selection.object or time.data().selected
        if candidate is None or name not in candidate.names:
            return
        time.set_object(name)
        fps, last = session.clock.fps, session.clock.n_frames - 1
        time.set_contacts(
            [
                (min(round(e.time * fps), last), _CONTACT_MARKS[e.kind], f"{e.kind} {' – '.join(e.bodies)}")
                for e in candidate.events
                if e.kind in _CONTACT_MARKS and name in e.bodies
            ]
        )
        own, other = self._height("candidate", name), self._height("reference", name)
        n = len(candidate.times)
        time.set_curve(
            f"height of {name}", candidate.times, own, None if other is None else _padded(other, n), "m"
        )

    def _height(self, role: Role, name: str) -> NDArray[np.float64] | None:
        motion = self._session.motion(role)
        if motion is None or name not in motion.names:
            return None
        height: NDArray[np.float64] = motion.position[:, motion.names.index(name), 2]
        return height

    def show_freshness(self) -> None:
        """Whether verdict and axes are of the candidate as it stands."""
        report, stale = self._session.report, not self._session.report_is_fresh
        if report is not None and stale != self._stale_shown:
            self._stale_shown = stale
            self._parts.verdict.set_verdict(report.verdict, stale=stale)
            self._parts.verdict.set_axes(report.axes, stale=stale)

    # -- judgement -----------------------------------------------------------------------------------
    def show_report(self) -> None:
        """Verdict, axes, findings, horizon; what is out of date says so."""
        session, parts = self._session, self._parts
        report, stale = session.report, not session.report_is_fresh
        self._stale_shown = stale
        parts.verdict.set_verdict(report.verdict if report else None, stale=stale)
        parts.verdict.set_axes(report.axes if report else {}, stale=stale)
        parts.verdict.set_action_enabled("export_report", report is not None)
        findings = session.findings
        parts.findings.set_findings([_without_frame(f) for f in findings])
        parts.transport.set_findings(len(findings))
        marks = [(f.frame, f.severity, f.axis, f.message) for f in findings if f.frame is not None]
        parts.time.set_findings(marks)
        self.show_pixel(*self._pixel)
        if report is None:
            parts.findings.set_empty(*self._no_findings())
            return
        if not findings:
            parts.findings.set_empty("No findings", "Every metric meets its threshold.")
        self._show_horizon(report.horizon)
        if not stale and session.sources.script is not None and not session.unsaved:
            self._remember(session.sources.script, report.verdict)

    def _no_findings(self) -> tuple[str, str]:
        if self._session.parameters is None:
            return "No script", "Open a candidate script to judge it."
        return "Not judged yet", "Judging begins when the clip is drawn."

    def _show_horizon(self, horizon: object) -> None:
        session = self._session
        records = horizon.values() if isinstance(horizon, dict) else ()
        seconds = min((r["seconds"] for r in records if isinstance(r, dict) and "seconds" in r), default=None)
        frame = None if seconds is None else round(seconds * session.clock.fps)
        self._parts.time.set_horizon(frame if frame is not None and frame < session.clock.n_frames else None)

    def _remember(self, script: Path, verdict: Verdict) -> None:
        image = self._shown.replay.image if self._shown else None
        if image is not None:
            step = max(1, max(image.shape[:2]) // _THUMBNAIL)
            self._thumbnails[script] = np.ascontiguousarray(image[::step, ::step])
        if self._verdicts.get(script) != verdict:
            self._verdicts[script] = verdict
            self.show_cases()

    # -- status --------------------------------------------------------------------------------------
    def show_status(self) -> None:
        """Freshness, timings, memory, the command line, what is ready on the time axis."""
        status, bar = self._view.status(), self._parts.status
        words = status.text if status.freshness in ("loading", "error") else ""
        bar.set_state(_WORDS[status.freshness], words)
        bar.set_timings(_timings(status))
        bar.set_facts(_facts(status))
        bar.set_command(self._view.command_line())
        self._show_ready()

    def _show_ready(self) -> None:
        session, n = self._session, self._session.clock.n_frames
        videos = session.videos
        decoded = session.store.frames(videos.key("video")) if videos.has("video") else frozenset[int]()
        key = session.scheduler.wanted_key("candidate")
        rendered = session.store.frames(str(key)) if key is not None else frozenset[int]()
        judged = np.full(n, session.report_is_fresh)
        self._parts.time.set_ready(_mask(decoded, n), _mask(rendered, n), judged)

    def show_message(self) -> None:
        """The non-modal message, or none."""
        message, bar = self._session.message, self._parts.messages
        if message is None:
            bar.clear()
            return
        text = {spec.id: spec.text for spec in ACTIONS}
        action = (message.action, text[message.action]) if message.action else None
        bar.show_message(message.text, message.details, message.severity, action)


def _without_frame(finding: Finding) -> Finding:
    """The list has a column for the frame; its number need not begin the sentence too."""
    message = finding.message.removeprefix(f"frame {finding.frame}: ")
    return replace(finding, message=message[:1].upper() + message[1:])


def _at(shown: ShownImage, x: int, y: int) -> tuple[int, int, int] | None:
    image = shown.image
    if image is None or y >= image.shape[0] or x >= image.shape[1]:
        return None
    red, green, blue = (int(v) for v in image[y, x])
    return red, green, blue


def _padded(values: NDArray[np.float64], length: int) -> NDArray[np.float64]:
    out = np.full(length, np.nan)
    out[: min(length, len(values))] = values[:length]
    return out


def _mask(frames: Iterable[int], length: int) -> NDArray[np.bool_]:
    mask = np.zeros(length, dtype=bool)
    mask[[k for k in frames if k < length]] = True
    return mask


def _loop_word(loop: str, has_range: bool) -> str:
    if loop == "ping_pong":
        return "ping-pong"
    if loop == "loop":
        return "loop I–O" if has_range else "loop all"
    return "loop off"


def _timings(status: Status) -> str:
    parts = []
    if status.simulate_ms is not None:
        parts.append(f"simulated {status.simulate_ms:.0f} ms")
    if status.draw_ms is not None:
        parts.append(f"drawn {status.draw_ms:.0f} ms")
    if status.judge_s is not None:
        parts.append(f"judged in {status.judge_s:.1f} s")
    return " · ".join(parts)


def _facts(status: Status) -> str:
    parts = []
    if status.rate_hz is not None:
        parts += [f"{status.rate_hz:.0f} Hz", "raster", f"{status.width}×{status.height}"]
    parts.append(f"{status.memory_mb:.0f} of {status.budget_mb:.0f} MB")
    return " · ".join(parts)
