"""What each action of the table does."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtGui import QGuiApplication

from fourdcb.video.suffixes import VIDEO_SUFFIXES
from fourdcb.words import tr
from fourdcb_studio.bench import Bench
from fourdcb_studio.session.clock import Clock
from fourdcb_studio.session.comparison import BASES, MEASURES, MODES, Comparison
from fourdcb_studio.session.state import info, warning
from fourdcb_studio.workspace import Workspace

Handler = Callable[[], object]
Choice = TypeVar("Choice")
_LOOPS = ("off", "loop", "ping_pong")


def bench_handlers(bench: Bench, parts: Workspace) -> dict[str, Handler]:
    """Handlers of the actions that need no helper, by id."""
    session, files = bench.session, FileHandlers(bench)
    handlers: dict[str, Handler] = {
        "undo": session.undo,
        "redo": session.redo,
        "reset_all": session.reset_all,
        "snapshot": session.take_snapshot,
        "recover": session.recover,
        "save": session.save,
        "fit": parts.images.fit,
        "actual_size": parts.images.actual_size,
        "zoom_in": lambda: parts.images.zoom_by(1.25),
        "zoom_out": lambda: parts.images.zoom_by(0.8),
        "toggle_left": parts.left.toggle,
        "toggle_right": parts.right.toggle,
        "dismiss": lambda: session.tell(None),
        "open_scene": files.open_scene,
        "open_files": files.open_files,
        "open_library": files.open_library,
        "open_runs": files.open_runs,
        "save_as": files.save_as,
        "export_report": files.export_report,
    }
    handlers |= _of_comparison(session.comparison) | _of_clock(session.clock)
    return handlers | FindingHandlers(bench).handlers()


def _of_comparison(comparison: Comparison) -> dict[str, Handler]:
    handlers: dict[str, Handler] = {
        "signed": lambda: comparison.update(signed=not comparison.state.signed),
        "measure": lambda: comparison.update(measure=_after(MEASURES, comparison.state.measure)),
        "base": lambda: comparison.update(base=_after(BASES, comparison.state.base)),
        "gain_up": lambda: comparison.update(gain=comparison.state.gain * 2),
        "gain_down": lambda: comparison.update(gain=comparison.state.gain / 2),
        "offset_up": lambda: comparison.update(offset=comparison.state.offset + 1),
        "offset_down": lambda: comparison.update(offset=comparison.state.offset - 1),
        "offset_reset": lambda: comparison.update(offset=0),
        "edges": lambda: comparison.update(edges=not comparison.state.edges),
        "outlines": lambda: comparison.update(outlines=not comparison.state.outlines),
        "hold_reference": lambda: comparison.update(hold_reference=True),
    }
    return handlers | {f"mode_{mode}": partial(comparison.update, mode=mode) for mode in MODES}


def _after(choices: tuple[Choice, ...], current: Choice) -> Choice:
    return choices[(choices.index(current) + 1) % len(choices)]


def _of_clock(clock: Clock) -> dict[str, Handler]:
    return {
        "play": clock.toggle,
        "shuttle_back": lambda: clock.shuttle(-1),
        "shuttle_forward": lambda: clock.shuttle(1),
        "step_back": lambda: clock.step(-1),
        "step_forward": lambda: clock.step(1),
        "jump_back": lambda: clock.step(-10),
        "jump_forward": lambda: clock.step(10),
        "first": lambda: clock.seek(0),
        "last": lambda: clock.seek(clock.n_frames - 1),
        "undo_seek": clock.undo_seek,
        "speed": lambda: clock.cycle_speed(1) if clock.speed < 4 else clock.set_speed(0.1),
        "loop": lambda: clock.set_loop(_next(_LOOPS, clock.loop)),  # type: ignore[arg-type]
        "mark_in": clock.mark_in,
        "mark_out": clock.mark_out,
        "clear_range": clock.clear_range,
        "real_time": lambda: clock.set_mode("real_time"),
        "every_frame": lambda: clock.set_mode("every_frame"),
    }


def _next(choices: tuple[str, ...], current: str) -> str:
    return choices[(choices.index(current) + 1) % len(choices)]


class FileHandlers:
    """Actions that ask for a file. Errors become messages."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def open_scene(self) -> None:
        """Ask for a scene folder."""
        folder = self._bench.dialogs.folder(tr("Open scene folder"))
        if folder is not None:
            self._bench.navigation.open_paths([folder])

    def open_library(self) -> None:
        """Ask for a folder of judged cases."""
        folder = self._bench.dialogs.folder(tr("Open case library"))
        if folder is not None:
            self._bench.navigation.open_library(folder)

    def open_runs(self) -> None:
        """Ask for a folder of evaluation runs."""
        folder = self._bench.dialogs.folder(tr("Open evaluation runs"))
        if folder is not None:
            self._bench.navigation.open_runs((folder.absolute(),))

    def open_files(self) -> None:
        """Ask for a script and/or videos."""
        kinds = " ".join(f"*{suffix}" for suffix in (".py", *sorted(VIDEO_SUFFIXES)))
        paths = self._bench.dialogs.files(
            tr("Open script or video"), tr("Scripts and videos ({kinds})", kinds=kinds)
        )
        if paths:
            self._bench.navigation.open_paths(paths)

    def save_as(self) -> None:
        """Ask where to save the edited script."""
        session = self._bench.session
        start = str(session.document.proposed_path) if session.document else ""
        path = self._bench.dialogs.new_file(tr("Save script as"), start, tr("World scripts (*.py)"))
        if path is not None:
            self.save_to(path)

    def save_to(self, path: Path) -> None:
        """Save the edited script elsewhere and go on with the copy."""
        session = self._bench.session
        path = path if path.suffix else path.with_suffix(".py")
        if session.document is None or path.resolve() == session.document.path.resolve():
            session.save()
        elif session.save(to=path) is not None:
            session.open_candidate(path.resolve(), keep_edits=False)
            session.tell(info("saved_as", name=path.name))

    def export_report(self) -> None:
        """Ask where to write the report; JSON, HTML or PDF by its suffix."""
        report = self._bench.session.report
        if report is None:
            return
        title = tr("Export report (JSON and HTML with pictures)")
        path = self._bench.dialogs.new_file(title, "report.json", tr("Reports (*.json *.html *.pdf)"))
        if path is not None:
            self.write_report(path)

    def write_report(self, path: Path) -> None:
        """Have the process write JSON and HTML beside each other, and a PDF when that was asked for."""
        session = self._bench.session
        if not session.report_is_fresh:
            self._bench.session.tell(warning("report_is_old"))
            return
        pdf = str(path) if path.suffix == ".pdf" else None
        session.scheduler.export(
            output=str(path.with_suffix(".json")), html=str(path.with_suffix(".html")), pdf=pdf
        )


class FindingHandlers:
    """The way from finding to finding, and what a finding suggests."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def handlers(self) -> dict[str, Handler]:
        """What each action does."""
        return {
            "previous_finding": lambda: self.go(-1),
            "next_finding": lambda: self.go(1),
            "apply_cause": self.apply_cause,
            "apply_snapshot": self.apply_snapshot,
        }

    def go(self, step: int) -> None:
        """To the next finding after, or the last one before, the current frame."""
        session = self._bench.session
        here = session.clock.frame
        frames = sorted((f.frame, i) for i, f in enumerate(session.findings) if f.frame is not None)
        ahead = [i for frame, i in frames if (frame > here if step > 0 else frame < here)]
        if ahead:
            self._bench.navigation.go_to_finding(ahead[0] if step > 0 else ahead[-1])
        elif frames:  # past the end: start over
            self._bench.navigation.go_to_finding(frames[0][1] if step > 0 else frames[-1][1])

    def apply_cause(self) -> None:
        """Set the parameter that the selected finding blames, on all its bodies, to the suggested value."""
        session = self._bench.session
        index = session.selection.finding
        if index is None or index >= len(session.findings):
            return
        cause = session.findings[index].likely_cause
        if cause is not None and cause.suggested is not None:
            values = dict.fromkeys((cause.parameter, *cause.alike), cause.suggested)
            session.set_values(values, label=f"apply {cause.parameter}")

    def apply_snapshot(self) -> None:
        """Return to the last snapshot."""
        session = self._bench.session
        if session.parameters is not None and session.parameters.snapshots:
            session.return_to(session.parameters.snapshots[-1])


def copy_text(text: str) -> None:
    """Put text on the clipboard."""
    QGuiApplication.clipboard().setText(text)
