"""The one action table: menus, palette, shortcut sheet, tooltips and docs are made from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from fourdcb.words import tr
from fourdcb_studio.theme import icon

_CONFLICT = tr("Script changed on disk")
GROUPS = ("File", "Edit", "Compare", "View", "Play", "Findings", "Help")


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One thing that the user can do.

    Attributes:
        id: stable name, snake_case.
        text: what buttons say.
        group: menu in which it lies.
        keys: shortcuts, the first is the one that is shown.
        icon: file name of its icon, "" for none.
        repeats: whether a held key repeats it.
        about: what it belongs to, where the text alone does not say.
    """

    id: str
    text: str
    group: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    repeats: bool = False
    about: str = ""

    @property
    def title(self) -> str:
        """What menus and the palette say, where nothing beside it tells what it belongs to."""
        return f"{self.about}: {self.text[:1].lower()}{self.text[1:]}" if self.about else self.text


ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("open_scene", tr("Open scene folder …"), "File", ("Ctrl+O",), "folder-open"),
    ActionSpec("open_files", tr("Open script or video …"), "File", ("Ctrl+Shift+O",), "film"),
    ActionSpec("open_library", tr("Open case library …"), "File", ("Ctrl+Alt+O",), "layout-grid"),
    ActionSpec("open_runs", tr("Open evaluation runs …"), "File", (), "list"),
    ActionSpec("save", tr("Save script in place"), "File", ("Ctrl+S",), "save"),
    ActionSpec("save_as", tr("Save script as …"), "File", ("Ctrl+Shift+S",), "save"),
    ActionSpec("reload", tr("Reload script from disk"), "File", ("F5",), "refresh-cw"),
    ActionSpec("keep_mine", tr("Keep mine"), "File", (), "lock", about=_CONFLICT),
    ActionSpec("load_theirs", tr("Load theirs"), "File", (), "download", about=_CONFLICT),
    ActionSpec("show_disk_difference", tr("Show difference"), "File", (), "diff", about=_CONFLICT),
    ActionSpec("export_report", tr("Export report …"), "File", ("Ctrl+E",), "file-json"),
    ActionSpec("export_clip", tr("Export clip of the images …"), "File", ("Ctrl+M",), "film"),
    ActionSpec("export_image", tr("Save picture of the window …"), "File", ("Ctrl+Shift+E",), "image"),
    ActionSpec("export_view", tr("Save picture of the images …"), "File", ("Ctrl+Alt+E",), "image"),
    ActionSpec("export_frame", tr("Save the frame at its own pixels …"), "File", (), "image"),
    ActionSpec("copy_image", tr("Copy picture of the images"), "File", ("Ctrl+C",), "copy"),
    ActionSpec("copy_frame", tr("Copy the frame at its own pixels"), "File", ("Ctrl+Alt+C",), "copy"),
    ActionSpec("copy_window", tr("Copy picture of the window"), "File", (), "copy"),
    ActionSpec("export_plots", tr("Save the plots …"), "File", (), "chart-line"),
    ActionSpec("quit", tr("Quit"), "File", ("Ctrl+Q",), "x"),
    ActionSpec("undo", tr("Undo edit"), "Edit", ("Ctrl+Z",), "undo", repeats=True),
    ActionSpec("redo", tr("Redo edit"), "Edit", ("Ctrl+Shift+Z", "Ctrl+Y"), "redo", repeats=True),
    ActionSpec("reset_all", tr("Reset all parameters"), "Edit", ("Ctrl+Backspace",), "rotate-ccw"),
    ActionSpec("solve", tr("Fit parameters to the original …"), "Edit", ("Ctrl+Shift+F",), "target"),
    ActionSpec("snapshot", tr("Take snapshot"), "Edit", ("Ctrl+D",), "camera"),
    ActionSpec("snapshots", tr("Snapshots: figures before and after …"), "Edit", ("B",), "history"),
    ActionSpec("apply_snapshot", tr("Return to last snapshot"), "Edit", ("Ctrl+Shift+D",), "history"),
    ActionSpec("recover", tr("Recover unsaved edits"), "Edit", (), "history"),
    ActionSpec("mode_side", tr("Side by side"), "Compare", ("1",), "columns-2"),
    ActionSpec("mode_three", tr("Three-up: original, before, after"), "Compare", ("2",), "columns-3"),
    ActionSpec("mode_wipe", tr("Wipe"), "Compare", ("3",), "flip-horizontal"),
    ActionSpec("mode_blink", tr("Blink"), "Compare", ("4",), "eye"),
    ActionSpec("mode_difference", tr("Difference"), "Compare", ("5",), "diff"),
    ActionSpec("mode_before_after", tr("Before / after"), "Compare", ("6",), "arrow-left-right"),
    ActionSpec("mode_with_difference", tr("Original, replay and difference"), "Compare", ("7",), "columns-3"),
    ActionSpec("measure", tr("Next measure"), "Compare", ("M",), "activity", about=tr("Difference")),
    ActionSpec(
        "base",
        tr("Alone, over original, over replay"),
        "Compare",
        ("Shift+D",),
        "layers",
        about=tr("Difference"),
    ),
    ActionSpec("signed", tr("Signed or absolute difference"), "Compare", ("D",), "contrast"),
    ActionSpec(
        "gain_up", tr("More gain"), "Compare", ("+", "="), "plus", repeats=True, about=tr("Difference")
    ),
    ActionSpec(
        "gain_down", tr("Less gain"), "Compare", ("-",), "minus", repeats=True, about=tr("Difference")
    ),
    ActionSpec("offset_up", tr("Replay one frame ahead"), "Compare", ("]",), "chevron-right", repeats=True),
    ActionSpec("offset_down", tr("Replay one frame behind"), "Compare", ("[",), "chevron-left", repeats=True),
    ActionSpec("offset_reset", tr("Replay at the clock's frame"), "Compare", ("\\",), "rotate-ccw"),
    ActionSpec(
        "range_auto", tr("Error strips: range by thresholds or by errors"), "Compare", ("H",), "ruler"
    ),
    ActionSpec("outlines", tr("Outlines of the bodies"), "Compare", ("G",), "scan"),
    ActionSpec("edges", tr("Edges of the original over the replay"), "Compare", ("Shift+G",), "scan"),
    ActionSpec("hold_reference", tr("Hold to see the original"), "Compare", ("R",), "eye"),
    ActionSpec("view_images", tr("Show the images"), "View", ("Ctrl+Shift+1",), "images"),
    ActionSpec("view_space", tr("Show the 3D view"), "View", ("Ctrl+Shift+2",), "axis-3d"),
    ActionSpec("view_script", tr("Show the script"), "View", ("Ctrl+Shift+3",), "code"),
    ActionSpec("view_plots", tr("Show the plots"), "View", ("Ctrl+Shift+4",), "chart-line"),
    ActionSpec("dock_plots", tr("Plots under the images"), "View", ("Ctrl+Shift+5",), "panel-bottom"),
    ActionSpec("time_all", tr("Whole clip in time panel and plots"), "View", ("Shift+F",), "maximize"),
    ActionSpec("show_library", tr("Case library or images"), "View", ("Ctrl+L",), "layout-grid"),
    ActionSpec("show_runs", tr("Evaluation runs or images"), "View", ("Ctrl+R",), "list"),
    ActionSpec("search_cases", tr("Search the case library"), "View", ("Ctrl+F",), "search"),
    ActionSpec("next_in_library", tr("Next case of the library"), "View", ("Ctrl+]",), "chevron-right"),
    ActionSpec(
        "previous_in_library", tr("Previous case of the library"), "View", ("Ctrl+[",), "chevron-left"
    ),
    ActionSpec("fit", tr("Fit images"), "View", ("F",), "maximize"),
    ActionSpec("actual_size", tr("Images at 1:1"), "View", ("Z",), "scan"),
    ActionSpec("zoom_in", tr("Zoom in"), "View", ("Ctrl++", "Ctrl+="), "zoom-in", repeats=True),
    ActionSpec("zoom_out", tr("Zoom out"), "View", ("Ctrl+-",), "zoom-out", repeats=True),
    ActionSpec("toggle_left", tr("Findings and cases"), "View", ("Ctrl+1",), "panel-left"),
    ActionSpec("toggle_right", tr("Parameters"), "View", ("Ctrl+2",), "panel-right"),
    ActionSpec("inspector", tr("Pixel inspector, range and exposure"), "View", ("Ctrl+I",), "pipette"),
    ActionSpec("menu_bar", tr("Menu bar"), "View", ("F10",), "list"),
    ActionSpec("theme", tr("Dark or light theme"), "View", ("Ctrl+T",), "sun"),
    ActionSpec("settings", tr("Settings and layouts …"), "View", ("Ctrl+,",), "settings"),
    ActionSpec("reset_layout", tr("Usual layout"), "View", (), "layout-dashboard"),
    ActionSpec("full_screen", tr("Full screen"), "View", ("F11",), "maximize"),
    ActionSpec("play", tr("Play or pause"), "Play", ("Space", "K"), "play"),
    ActionSpec("shuttle_back", tr("Play backwards, again: faster"), "Play", ("J",), "chevron-left"),
    ActionSpec("shuttle_forward", tr("Play forwards, again: faster"), "Play", ("L",), "chevron-right"),
    ActionSpec("step_back", tr("One frame back"), "Play", (",", "Left"), "step-back", repeats=True),
    ActionSpec("step_forward", tr("One frame on"), "Play", (".", "Right"), "step-forward", repeats=True),
    ActionSpec("jump_back", tr("Ten frames back"), "Play", ("Shift+Left",), "skip-back", repeats=True),
    ActionSpec("jump_forward", tr("Ten frames on"), "Play", ("Shift+Right",), "skip-forward", repeats=True),
    ActionSpec("first", tr("First frame"), "Play", ("Home",), "chevron-first"),
    ActionSpec("last", tr("Last frame"), "Play", ("End",), "chevron-last"),
    ActionSpec("undo_seek", tr("Return from the last jump"), "Play", ("Backspace",), "undo"),
    ActionSpec("speed", tr("Next speed"), "Play", ("Shift+S",), "gauge"),
    ActionSpec("loop", tr("Loop: off, on, ping-pong"), "Play", ("P",), "repeat"),
    ActionSpec("mark_in", tr("Loop begins here"), "Play", ("I",), ""),
    ActionSpec("mark_out", tr("Loop ends here"), "Play", ("O",), ""),
    ActionSpec("clear_range", tr("Clear the loop's range"), "Play", ("Shift+I",), ""),
    ActionSpec("real_time", tr("Play in real time"), "Play", (), "timer"),
    ActionSpec("every_frame", tr("Play every frame"), "Play", (), "film"),
    ActionSpec("previous_finding", tr("Previous finding"), "Findings", ("Shift+N",), "chevron-left"),
    ActionSpec("next_finding", tr("Next finding"), "Findings", ("N",), "chevron-right"),
    ActionSpec(
        "previous_case", tr("Previous candidate"), "Findings", ("Ctrl+PgUp",), "chevron-up", repeats=True
    ),
    ActionSpec("next_case", tr("Next candidate"), "Findings", ("Ctrl+PgDown",), "chevron-down", repeats=True),
    ActionSpec("apply_cause", tr("Apply the suggested value"), "Findings", ("Ctrl+Return",), "wand-sparkles"),
    ActionSpec("reasons", tr("Reasons of the verdict …"), "Findings", ("W",), "info"),
    ActionSpec("welcome", tr("Welcome page"), "Help", ("Ctrl+H",), "folder-open"),
    ActionSpec("palette", tr("Command palette"), "Help", ("Ctrl+K",), "command"),
    ActionSpec("shortcuts", tr("Keyboard shortcuts"), "Help", ("?",), "keyboard"),
    ActionSpec("doctor", tr("Doctor: what this machine has and lacks"), "Help", (), "info"),
    ActionSpec("copy_command", tr("Copy the command of this view"), "Help", ("Ctrl+Shift+C",), "copy"),
    ActionSpec("dismiss", tr("Dismiss the message"), "Help", ("Escape",), "x"),
)


BENCH_GROUPS = ("Edit", "Compare", "Play", "Findings")
"""Groups of actions that mean nothing while a library or runs cover the bench."""


class ActionSet:
    """The table made live on a window.

    Args:
        owner: the window; its shortcuts work anywhere in it.
        handlers: what each action does; must name every action of the table.

    Raises:
        KeyError: when an action has no handler, or a handler no action.
    """

    def __init__(self, owner: QWidget, handlers: Mapping[str, Callable[[], object]]) -> None:
        known = {spec.id for spec in ACTIONS}
        if known != set(handlers):
            raise KeyError(f"actions and handlers differ: {sorted(known ^ set(handlers))}")
        self._handlers = dict(handlers)
        self._has_icons = False
        self._actions = {spec.id: self._make(owner, spec) for spec in ACTIONS}

    def _make(self, owner: QWidget, spec: ActionSpec) -> QAction:
        action = QAction(spec.title, owner)
        action.setObjectName(spec.id)
        action.setShortcuts([QKeySequence(key) for key in spec.keys])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.setAutoRepeat(spec.repeats)
        action.triggered.connect(lambda: self.run(spec.id))
        owner.addAction(action)
        return action

    def run(self, action_id: str) -> None:
        """Do it. Raises KeyError for an unknown id."""
        self._handlers[action_id]()

    def action(self, action_id: str) -> QAction:
        """The QAction of an id. Raises KeyError."""
        return self._actions[action_id]

    def set_groups_enabled(self, groups: Sequence[str], enabled: bool) -> None:
        """Allow or forbid the actions of some groups."""
        for spec in ACTIONS:
            if spec.group in groups:
                self._actions[spec.id].setEnabled(enabled)

    def menus(self, parent: QWidget) -> list[QMenu]:
        """A menu for every group. Icons are drawn here, not at the start: only menus show them."""
        self._has_icons = True
        self.refresh_icons()
        menus = []
        for group in GROUPS:
            menu = QMenu(tr(group), parent)
            for spec in ACTIONS:
                if spec.group == group:
                    menu.addAction(self._actions[spec.id])
            menus.append(menu)
        return menus

    def refresh_icons(self) -> None:
        """Tint the icons for the theme in force, if menus show any."""
        for spec in ACTIONS:
            if spec.icon and self._has_icons:
                self._actions[spec.id].setIcon(icon(spec.icon))


def command_list() -> list[tuple[str, str, str]]:
    """(id, text, shortcut) of every action, for the palette and the shortcut sheet."""
    return [(spec.id, spec.title, shortcut_text(spec.id)) for spec in ACTIONS]


def command_groups() -> dict[str, str]:
    """The menu of every action, by its id."""
    return {spec.id: spec.group for spec in ACTIONS}


def shortcut_text(action_id: str) -> str:
    """The shown shortcut of an action, "" for none. Raises KeyError."""
    spec = {s.id: s for s in ACTIONS}[action_id]
    return QKeySequence(spec.keys[0]).toString(QKeySequence.SequenceFormat.NativeText) if spec.keys else ""
