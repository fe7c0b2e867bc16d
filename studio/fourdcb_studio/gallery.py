"""Pictures of the window and its states: ``python -m fourdcb_studio.gallery OUT_DIR``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from fourdcb.world import parameters
from fourdcb_studio import gallery_data as data
from fourdcb_studio.panels.cases import Case
from fourdcb_studio.panels.command_palette import CommandPalette
from fourdcb_studio.panels.shortcut_sheet import ShortcutSheet
from fourdcb_studio.theme import apply_theme
from fourdcb_studio.views.compare.pixel_readout import PixelValues
from fourdcb_studio.widgets.image_paint import Message
from fourdcb_studio.workspace import Workspace

_COMMANDS = (
    ("play", "Play or pause", "Space"),
    ("step_back", "One frame back", ","),
    ("step_forward", "One frame on", "."),
    ("mode_wipe", "Wipe", "3"),
    ("mode_difference", "Difference", "5"),
    ("snapshot", "Take snapshot", "Ctrl+D"),
    ("export_report", "Export report …", "Ctrl+E"),
    ("next_finding", "Next finding", "N"),
    ("previous_finding", "Previous finding", "Shift+N"),
    ("palette", "Command palette", "Ctrl+K"),
)


def make_workspace(*, objects: tuple[str, ...] = ("cup",)) -> Workspace:
    """The window of the mock: a failing candidate at frame 42."""
    space = Workspace()
    _fill_verdict(space)
    _fill_sides(space)
    _fill_images(space)
    _fill_time(space, objects)
    space.status.set_state("fresh")
    space.status.set_timings("simulated 11 ms · drawn 6 ms · judged in 0.7 s")
    space.status.set_facts("960 Hz · raster · 256×256 · 118 of 256 MB")
    space.status.set_command(
        "fourdcb studio slide_cup --code wrong_restitution.py --frame 42 --set cup.restitution=0.35"
    )
    return space


def _fill_verdict(space: Workspace) -> None:
    space.verdict.set_scene("slide_cup")
    space.verdict.set_script("wrong_restitution.py", True)
    space.verdict.set_verdict("DEPLOYMENT_NOT_RECOMMENDED")
    space.verdict.set_axes(data.axes())
    space.verdict.offer("solve", True)


def _fill_sides(space: Workspace) -> None:
    space.findings.set_findings(data.findings())
    space.findings.set_current(0)
    thumbnail = data.picture(0.05, 12)[::4, ::4]
    space.cases.set_cases(
        [
            Case("wrong_restitution", "restitution · frame 42", False, thumbnail),
            Case("late_impact", "time · frame 63", False, data.picture(0.2, 50)[::4, ::4]),
            Case("too_rough", "roughness", False, data.picture(0.1, 30)[::4, ::4]),
            Case("truth", "all axes", True, data.picture(0.05, 0)[::4, ::4]),
            Case("unjudged", "not judged yet"),
        ]
    )
    space.cases.set_current("wrong_restitution")
    space.cases.set_facets([("physics", 41), ("bounce", 17)])
    known = parameters(data.make_world())
    values = {p.path: p.value for p in known} | {"cup.restitution": 0.6}
    space.parameters.set_parameters(known, values, {"cup.restitution"})
    for path, centre in (("cup.restitution", 0.2), ("cup.friction", 0.35), ("cup.vel[0]", 0.54)):
        space.parameters.set_strip(path, data.sensitivity(centre))
    space.parameters.set_note("cup.mass", "not observable in this clip")


def _fill_images(space: Workspace) -> None:
    pictures = data.pictures()
    space.images.set_sources(pictures["reference"], pictures["candidate"], pictures["before"])
    space.images.set_badge("candidate", "full · fresh")
    space.pixels.set_pixel(PixelValues(143, 88, (214, 196, 171), (61, 58, 55), 1.742, "cup"))
    space.pixels.set_quality(24.1, 0.913)


def _fill_time(space: Workspace, objects: tuple[str, ...]) -> None:
    time = space.time
    time.set_frames(data.N_FRAMES, data.FPS)
    time.set_objects(objects)
    xyz, rotation, energy = data.errors()
    for i, name in enumerate(objects):
        time.set_errors(name, xyz * (1 - 0.4 * i), rotation, energy)
    time.set_findings([(f.frame or 0, f.severity, f.axis, f.message) for f in data.findings()])
    bounces = [(38, "bounce"), (63, "bounce"), (83, "bounce"), (99, "bounce")]
    others = [(8, "slide"), (54, "touch"), (66, "touch"), (75, "touch")]
    time.set_contacts([(frame, kind, "cup with floor") for frame, kind in bounces + others])
    replay, original = data.heights()
    time.set_curve("height of cup", np.arange(data.N_FRAMES) / data.FPS, replay, original, "m")
    quantities = (("height", "height"), ("speed", "speed"), ("energy", "energy"), ("ssim", "SSIM"))
    time.set_curve_choices(quantities, "height")
    frames = np.arange(data.N_FRAMES)
    time.set_ready(frames >= 0, (frames >= 14) & (frames < 90), (frames >= 14) & (frames < 70))
    time.set_horizon(108)
    time.set_position(data.FRAME)
    space.transport.set_position(data.FRAME, data.N_FRAMES, data.FPS)
    space.transport.set_loop("loop I–O")
    space.transport.set_findings(4)


def make_empty() -> Workspace:
    """Nothing is open."""
    space = Workspace()
    space.transport.set_findings(0)
    space.transport.setEnabled(False)
    return space


def make_loading() -> Workspace:
    """The replay is on its way, the values were just edited."""
    space = make_workspace()
    space.images.set_sources(data.pictures()["reference"])
    space.images.set_message(
        "candidate", Message("loading", "Compiling kernels", "Once per machine, about ten seconds.")
    )
    space.verdict.set_verdict(None)
    space.verdict.set_axes({})
    space.findings.set_findings(())
    space.time.clear_errors("judged when the whole clip is simulated")
    space.time.clear_curve()
    space.status.set_state("working", "compiling")
    space.status.set_timings("kernels 2 of 5")
    return space


def make_error() -> Workspace:
    """The simulation diverged and the script has an error."""
    space = make_workspace()
    space.images.set_badge("candidate", "stale · t = 1.267 s", "bad")
    space.verdict.set_verdict("DEPLOYMENT_NOT_RECOMMENDED", stale=True)
    space.verdict.set_axes(data.axes(), stale=True)
    space.messages.show_message(
        "The simulation diverged at t = 1.2667 s: object 'cup' left the world.",
        "got: |position| = 1.9e6 m\nexpected: below 1e4 m\nhint: check mass, size, velocity and start poses",
        action=("undo", "Undo edit"),
    )
    space.status.set_state("stale")
    return space


def _mode(mode: str) -> Callable[[], Workspace]:
    def make() -> Workspace:
        space = make_workspace()
        space.images.set_mode(mode)  # type: ignore[arg-type]
        space.view_bar.set_mode(mode)  # type: ignore[arg-type]
        return space

    return make


def _hover(space: Workspace) -> None:
    canvas = space.time.canvas()
    at = QPointF(canvas.axis().x(52), canvas.rows()[5].middle)
    no = Qt.MouseButton.NoButton
    event = QMouseEvent(QEvent.Type.MouseMove, at, at, no, no, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(canvas, event)


def make_script() -> Workspace:
    """The script in the middle, with an error and a warning."""
    space = make_workspace()
    script = space.script
    script.set_source(data.SCRIPT, "wrong_restitution.py")
    script.set_diagnostics(data.diagnostics())
    script.light_line(9)
    space.show_view("script")
    return space


def make_space() -> Workspace:
    """Both worlds in space."""
    space = make_workspace()
    view = space.space
    world = data.make_world()
    view.canvas.set_world("candidate", world)
    view.canvas.set_world("reference", world)
    replay, original = data.motions()
    view.canvas.set_motion("candidate", replay)
    view.canvas.set_motion("reference", original)
    view.canvas.set_frame(50)
    view.canvas.set_selected("cup")
    view.canvas.fit()
    space.show_view("space")
    return space


def _tall_time(space: Workspace) -> None:
    space.set_time_height(520)


def _palette(space: Workspace) -> None:
    palette = CommandPalette(space)
    palette.set_commands(_COMMANDS)
    palette.open()
    palette.edit().setText("fi")


def _sheet(space: Workspace) -> None:
    sheet = ShortcutSheet(space)
    sheet.set_commands(_COMMANDS)
    sheet.open()


def _details(space: Workspace) -> None:
    space.messages.show_details(True)


Shot = tuple[str, Callable[[], Workspace], tuple[int, int], Callable[[Workspace], None] | None]
_LARGE, _SMALL, _TALL = (1600, 1000), (1280, 720), (1600, 1200)
SHOTS: tuple[Shot, ...] = (
    ("window", make_workspace, _LARGE, None),
    ("window-small", make_workspace, _SMALL, None),
    ("hover", make_workspace, _LARGE, _hover),
    ("stacked", lambda: make_workspace(objects=("cup", "plate", "ball")), _TALL, _tall_time),
    ("empty", make_empty, _LARGE, None),
    ("loading", make_loading, _LARGE, None),
    ("error", make_error, _LARGE, _details),
    ("error-small", make_error, _SMALL, None),
    ("three", _mode("three"), _LARGE, None),
    ("wipe", _mode("wipe"), _LARGE, None),
    ("difference", _mode("difference"), _LARGE, None),
    ("script", make_script, _LARGE, None),
    ("space", make_space, _LARGE, None),
    ("palette", make_workspace, _LARGE, _palette),
    ("sheet", make_workspace, _LARGE, _sheet),
)


def write_gallery(app: QApplication, folder: Path, names: tuple[str, ...] = ()) -> list[Path]:
    """Write every shot in both themes as PNG; ``names`` picks some."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for theme in ("dark", "light"):
        apply_theme(app, theme)
        for name, make, size, then in SHOTS:
            if names and name not in names:
                continue
            path = folder / f"{theme}-{name}.png"
            _shoot(app, make(), size, then, path)
            written.append(path)
    return written


def _shoot(
    app: QApplication,
    space: Workspace,
    size: tuple[int, int],
    then: Callable[[Workspace], None] | None,
    path: Path,
) -> None:
    space.resize(*size)
    space.show()
    if then is not None:
        app.processEvents()
        then(space)
    for _ in range(3):
        app.processEvents()
    picture = QWidget.grab(space)
    if not picture.save(str(path)):
        raise OSError(f"cannot write {path}")
    space.close()
    space.deleteLater()
    app.processEvents()


def main(arguments: list[str]) -> int:
    """Entry point: OUT_DIR [SHOT …]."""
    if not arguments:
        sys.stderr.write("usage: python -m fourdcb_studio.gallery OUT_DIR [SHOT ...]\n")
        return 2
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else QApplication([])
    for path in write_gallery(app, Path(arguments[0]), tuple(arguments[1:])):
        sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
