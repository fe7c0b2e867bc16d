"""Everything works where no OpenGL driver can be loaded, the 3D view included."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
from pathlib import Path
from PySide6.QtCore import QEventLoop, QTimer
from fourdcb_studio.app import default_paths
from fourdcb_studio.application import make_application

def main():
    app = make_application("dark")
    from fourdcb_studio.main_window import MainWindow
    window = MainWindow()
    window.resize(1280, 720)
    window.open_paths(default_paths())
    window.show()
    window.parts.show_view("space")
    window.middle.show()
    for _ in range(3000):
        app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
        QTimer.singleShot(20, app, lambda: None)
        app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        if window.session.settled:
            break
    window.flush()
    canvas = window.parts.space.canvas
    picture = canvas.grab().toImage()
    places = [(x, y) for x in range(0, picture.width(), 7) for y in range(0, picture.height(), 7)]
    colors = {picture.pixel(x, y) for x, y in places}
    maps = Path("/proc/self/maps").read_text()
    drivers = [line for line in maps.splitlines() if "_dri.so" in line or "libgallium" in line]
    print("colors", len(colors))
    print("drivers", drivers)
    print("modules", [m for m in sys.modules if "OpenGL" in m])
    print("verdict", window.session.report.verdict)
    window.close()

if __name__ == "__main__":
    main()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_the_window_and_its_3d_view_need_no_driver(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    nowhere = tmp_path / "no drivers"
    nowhere.mkdir()
    env = dict(
        os.environ, QT_QPA_PLATFORM="offscreen", LIBGL_DRIVERS_PATH=str(nowhere),
        GBM_BACKENDS_PATH=str(nowhere), XDG_STATE_HOME=str(tmp_path), XDG_CONFIG_HOME=str(tmp_path),
    )  # fmt: skip
    told = subprocess.run(
        [sys.executable, str(program)], env=env, capture_output=True, text=True, timeout=240, check=False
    )
    assert told.returncode == 0, told.stderr
    said = dict(line.split(" ", 1) for line in told.stdout.splitlines())
    assert int(said["colors"]) > 20  # bodies, ground and paths were painted
    assert said["drivers"] == said["modules"] == "[]"
    assert said["verdict"] == "DEPLOYMENT_NOT_RECOMMENDED"
