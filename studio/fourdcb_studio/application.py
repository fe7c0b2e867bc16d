"""The one application object, themed."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from fourdcb.errors import MissingDependencyError
from fourdcb_studio.workers.memory import return_freed_memory

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication


def make_application(theme: str) -> QApplication:
    """The one application object, themed. Raises MissingDependencyError without Qt."""
    _drop_foreign_plugins()
    return_freed_memory()
    try:
        from PySide6.QtCore import Qt
        from PySide6.QtWidgets import QApplication
    except ImportError as error:
        raise MissingDependencyError("PySide6", extra="studio", purpose="the Studio") from error
    from fourdcb_studio.theme import apply_theme

    existing = QApplication.instance()
    QApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    app = existing if isinstance(existing, QApplication) else QApplication(["fourdcb-studio"])
    app.setApplicationName("fourdcb-studio")
    app.setApplicationDisplayName("4DCodeBench Studio")
    apply_theme(app, theme)  # type: ignore[arg-type]
    return app


def _drop_foreign_plugins() -> None:
    """A full opencv-python points Qt at its own plugins, with which no window opens."""
    path = os.environ.get("QT_QPA_PLATFORM_PLUGIN_PATH", "")
    if "cv2" in path:
        del os.environ["QT_QPA_PLATFORM_PLUGIN_PATH"]
        sys.stderr.write("warning: ignoring OpenCV's Qt plugins; install opencv-python-headless instead\n")
