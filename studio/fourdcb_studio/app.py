"""Starts the Studio: command line, application object, theme, window, screenshot."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fourdcb.dataset.layout import CANDIDATE_FOLDER
from fourdcb.errors import UserError
from fourdcb.threads import calm_blas
from fourdcb_studio.application import make_application
from fourdcb_studio.session.comparison import BASES, MEASURES, MODES
from fourdcb_studio.workers.memory import spare_collections

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from fourdcb_studio.faults import FaultHook
    from fourdcb_studio.main_window import MainWindow
    from fourdcb_studio.workers.transport import SimulationProcess

_log = logging.getLogger(__name__)
EXIT_OK, EXIT_BAD_INPUT, EXIT_INTERRUPTED = 0, 2, 130
PICTURE_SIZE = (1600, 1000)  # of a picture, whatever screen there is
DEFAULT_SCENE, DEFAULT_CANDIDATE = "slide_cup", "wrong_restitution.py"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the Studio; returns the exit code: 0 ok, 2 bad input, 130 interrupted."""
    calm_blas()
    arguments = _parser().parse_args(argv)
    try:
        return _run(arguments)
    except UserError as error:
        sys.stderr.write(f"error: {error}\n")
        return EXIT_BAD_INPUT
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="fourdcb studio", description="See where, why and by how much a world script is wrong."
    )
    parser.add_argument(
        "paths", nargs="*", type=Path, help="scene or library folder, script, script + video, or videos"
    )
    parser.add_argument("--code", metavar="SCRIPT", help="candidate of the scene folder, by name or path")
    parser.add_argument("--frame", type=int, help="frame to stand on")
    parser.add_argument("--compare", choices=MODES, help="mode")
    parser.add_argument("--difference", choices=MEASURES, help="what a difference is of")
    parser.add_argument("--over", choices=BASES, help="the picture that a difference lies over")
    parser.add_argument(
        "--set",
        dest="values",
        action="append",
        default=[],
        metavar="PATH=VALUE",
        help="edit a value",
    )
    parser.add_argument("--screenshot", type=Path, help="save a picture once nothing is stale, and leave")
    parser.add_argument("--theme", choices=("dark", "light", "system"), help="default: as set")
    parser.add_argument("--language", metavar="LANGUAGE", help="such as en or zh_CN; default: as set")
    parser.add_argument("--size", type=_size, metavar="1600x1000", help="default: as left, else to fit")
    return parser


def _size(text: str) -> tuple[int, int]:
    try:
        width, height = (int(part) for part in text.lower().split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected WIDTHxHEIGHT, got {text!r}") from None
    return width, height


def _run(arguments: argparse.Namespace) -> int:
    _check_display()
    _choose_language(arguments.language)
    values = dict(_value(text) for text in arguments.values)
    # The process loads its rooms while the window is built.
    from fourdcb_studio.session.preferences import SCALE_VARIABLE, Preferences
    from fourdcb_studio.workers.transport import SimulationProcess

    process = SimulationProcess()
    process.start()
    faults = None
    try:
        settings = Preferences(preferences_file()).settings
        os.environ.setdefault(SCALE_VARIABLE, f"{settings.ui_scale / 100:g}")
        app = make_application(arguments.theme or settings.theme)
        _log_qt_messages()
        paths = _paths(arguments)
        window = _make_window(process)
        faults = _tell_faults(window)
        if arguments.size is not None:
            window.resize(*arguments.size)
        elif arguments.screenshot is not None:
            window.resize(*PICTURE_SIZE)
        else:
            window.preferences.put_place(window)
        if arguments.screenshot is None:
            if paths:
                window.open_paths(paths)
            else:
                window.show_welcome()
        elif paths:
            _open_for_picture(window, paths)
        else:
            window.show_welcome()
        _apply(window, arguments, values)
        window.show()
        spare_collections()
        if arguments.screenshot is not None:
            from fourdcb_studio.actions.screenshot import take_last_picture

            take_last_picture(window, arguments.screenshot)
            return EXIT_OK
        _leave_on_interrupt(app, window)
        code = app.exec()
        if window.preferences.restart_wanted:
            _start_again(window)
        return code
    finally:
        process.close()
        if faults is not None:
            faults.remove()


def _choose_language(wanted: str | None) -> None:
    """Settle the language before anything says something, for the other processes, too.

    Raises:
        UserError: there is no such language.
    """
    from fourdcb.words import LANGUAGE_VARIABLE, choose, system_language
    from fourdcb_studio.session.preferences import SYSTEM, Preferences

    said = wanted or os.environ.get(LANGUAGE_VARIABLE) or Preferences(preferences_file()).settings.language
    language = system_language() if said == SYSTEM else said
    choose(language)
    os.environ[LANGUAGE_VARIABLE] = language


def _open_for_picture(window: MainWindow, paths: list[Path]) -> None:
    """Open and raise what goes wrong: a picture of an error message helps nobody."""
    from fourdcb_studio.session.library_paths import library_folder, run_folders
    from fourdcb_studio.session.sources import find_sources

    runs = run_folders(paths)
    if runs:
        window.open_runs(runs)
        return
    folder = library_folder(paths)
    if folder is not None:
        window.open_library(folder)
    else:
        window.open_sources(find_sources(paths))


def _paths(arguments: argparse.Namespace) -> list[Path]:
    if arguments.code is None:
        return arguments.paths or default_paths()
    from fourdcb_studio.session.sources import named_script

    return [*arguments.paths, named_script(arguments.code, arguments.paths)]


def default_paths() -> list[Path]:
    """The bundled failing case; none when the scenes are not installed."""
    from fourdcb_studio.session.sources import bundled_scene, bundled_scene_names

    if DEFAULT_SCENE not in bundled_scene_names():
        return []  # the welcome page says what can be opened
    folder = bundled_scene(DEFAULT_SCENE)
    return [folder, folder / CANDIDATE_FOLDER / DEFAULT_CANDIDATE]


def make_window(
    *,
    journal_folder: Path | None = None,
    preferences: Path | None = None,
    process: SimulationProcess | None = None,
) -> MainWindow:
    """The window; see its class for the arguments."""
    from fourdcb_studio.main_window import MainWindow

    return MainWindow(journal_folder=journal_folder, preferences=preferences, process=process)


def _make_window(process: SimulationProcess) -> MainWindow:
    from platformdirs import user_state_path

    journal_folder = user_state_path("fourdcb") / "journal"
    return make_window(journal_folder=journal_folder, preferences=preferences_file(), process=process)


def _tell_faults(window: MainWindow) -> FaultHook:
    """What no slot caught stands in the message bar and in the log."""
    from fourdcb_studio.faults import FaultHook

    hook = FaultHook(window.session.tell_fault, window)
    hook.install()
    return hook


def preferences_file() -> Path:
    """Where settings and layouts are kept."""
    from platformdirs import user_config_path

    return user_config_path("fourdcb") / "studio.json"


def _start_again(window: MainWindow) -> None:
    """Start the Studio anew on the same view, with everything in its new size."""
    import shlex
    import subprocess

    from fourdcb_studio.session.preferences import SCALE_VARIABLE

    words = shlex.split(window.bench.view.command_line())[2:]
    environment = {name: value for name, value in os.environ.items() if name != SCALE_VARIABLE}
    subprocess.Popen([sys.executable, "-m", "fourdcb_studio", *words], env=environment)


def _apply(window: MainWindow, arguments: argparse.Namespace, values: dict[str, float]) -> None:
    session = window.session
    if values:
        if session.parameters is None:
            raise UserError("there is no script whose values could be set", got=" ".join(arguments.values))
        # Checked here, so that a wrong path ends the command instead of becoming a message.
        session.parameters.set_all(values, label="--set")
        session.set_values(values, label="--set")
    if arguments.compare is not None:
        session.comparison.update(mode=arguments.compare)
    session.comparison.update(measure=arguments.difference, base=arguments.over)
    if arguments.frame is not None:
        window.seek_when_known(arguments.frame)


def _value(text: str) -> tuple[str, float]:
    path, separator, number = text.partition("=")
    try:
        value = float(number)
    except ValueError:
        value, separator = 0.0, ""
    if not separator or not path:
        raise UserError("not a value to set", got=text, expected="--set name.field=number")
    return path, value


def _leave_on_interrupt(app: QApplication, window: MainWindow) -> None:
    """Ctrl-C or a request to end closes the window, unasked.

    Qt's loop must run Python now and then for that.
    """
    import signal

    from PySide6.QtCore import QTimer

    # Through the loop: a window that is closed before the loop begins would leave it running for ever.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: QTimer.singleShot(0, window, window.end))
    timer = QTimer(app)
    timer.start(200)
    timer.timeout.connect(lambda: None)


def _log_qt_messages() -> None:
    """Qt's messages go to the log; the off-screen platform's remark about size hints helps nobody."""
    from PySide6.QtCore import qInstallMessageHandler

    def handle(kind: object, context: object, text: str) -> None:
        if "propagateSizeHints" not in text:
            _log.warning("Qt: %s", text)

    qInstallMessageHandler(handle)


def _check_display() -> None:
    """Qt aborts without a display; say it first. Raises UserError."""
    if not sys.platform.startswith("linux") or os.environ.get("QT_QPA_PLATFORM"):
        return
    if not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
        raise UserError(
            "there is no display to open a window on",
            expected="DISPLAY or WAYLAND_DISPLAY",
            hint="QT_QPA_PLATFORM=offscreen fourdcb studio --screenshot studio.png draws into a file",
        )
