"""Runs the real window and writes what it shows into a file, several times a second, for a test to read."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QFileDialog

from fourdcb_studio.application import make_application
from fourdcb_studio.main_window import MainWindow


def _state(window: MainWindow) -> dict[str, object]:
    session = window.session
    report, edits = session.report, session.parameters
    return {
        "window": int(window.winId()),
        "settled": session.settled,
        "frame": session.clock.frame,
        "findings": [f.frame for f in session.findings],
        "verdict": report.verdict if report is not None and session.report_is_fresh else None,
        "values": dict(edits.values) if edits is not None else {},
        "message": session.message.text if session.message is not None else "",
        "fit": window.fitting.card.state() if window.fitting.card.isVisible() else "",
        "dialog": any(isinstance(w, QFileDialog) and w.isVisible() for w in QApplication.topLevelWidgets()),
    }


def main() -> int:
    told, *paths = (Path(a) for a in sys.argv[1:])
    app = make_application("dark")
    window = MainWindow()
    window.resize(1600, 1000)
    window.open_paths(paths)
    window.show()
    timer = QTimer()
    timer.setInterval(150)

    def tell() -> None:
        part = told.with_suffix(".part")
        part.write_text(json.dumps(_state(window)))
        part.replace(told)

    timer.timeout.connect(tell)
    timer.start()
    return app.exec()


if __name__ == "__main__":
    raise SystemExit(main())
