"""Walks the window of a scene in a language and prints every text of it, one a line; a test starts this."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QLineEdit, QWidget


def main(scene: str, candidate: str) -> None:
    """Open a candidate, wait for its verdict, open every card, print what is said."""
    from fourdcb_studio.app import _choose_language
    from fourdcb_studio.application import make_application

    _choose_language(None)
    app = make_application("dark")
    from fourdcb_studio.main_window import MainWindow
    from fourdcb_studio.session.sources import find_sources

    window = MainWindow()
    window.resize(1600, 1000)
    window.show()
    window.show_welcome()
    app.processEvents()
    _print_texts(window)
    window.open_sources(find_sources([Path(scene), Path(candidate)]))
    _wait(lambda: window.session.report is not None and window.session.idle)
    for action in ("settings", "palette", "shortcuts", "snapshots", "reasons", "doctor"):
        window.actions_.run(action)
        app.processEvents()
        window.flush()
        _print_texts(window)
    for menu in window.actions_.menus(window):
        print(menu.title())
        for entry in menu.actions():
            print(entry.text())
    window.end()


def _wait(done) -> None:
    loop, timer = QEventLoop(), QTimer()
    timer.timeout.connect(lambda: loop.quit() if done() else None)
    timer.start(50)
    QTimer.singleShot(120_000, loop.quit)
    loop.exec()


def _print_texts(window: QWidget) -> None:
    for widget in QApplication.allWidgets():
        said = [widget.toolTip()]
        if isinstance(widget, QLabel | QAbstractButton):
            said.append(widget.text())
        if isinstance(widget, QLineEdit):
            said.append(widget.placeholderText())
        if isinstance(widget, QComboBox):
            said += [widget.itemText(k) for k in range(widget.count())]
        if hasattr(widget, "_choices"):
            said += [text for choice in widget._choices for text in choice[1:]]
        for text in said:
            for line in str(text).splitlines():
                if line.strip():
                    print(line)


if __name__ == "__main__":
    main(*sys.argv[1:])
