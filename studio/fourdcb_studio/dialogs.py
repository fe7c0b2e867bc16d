"""The questions for files that the desktop's own dialogs ask."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget


class Dialogs:
    """Asks; an answer of None or nothing means that the user went back."""

    def __init__(self) -> None:
        self.owner: QWidget | None = None  # the window, once there is one

    def folder(self, title: str) -> Path | None:
        """A folder that is there."""
        name = QFileDialog.getExistingDirectory(self.owner, title)
        return Path(name) if name else None

    def files(self, title: str, kinds: str) -> list[Path]:
        """Files that are there."""
        names, _ = QFileDialog.getOpenFileNames(self.owner, title, "", kinds)
        return [Path(name) for name in names]

    def new_file(self, title: str, start: str, kinds: str) -> Path | None:
        """A file to write."""
        name, _ = QFileDialog.getSaveFileName(self.owner, title, start, kinds)
        return Path(name) if name else None
