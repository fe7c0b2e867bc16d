"""The questions for files: the desktop's own dialogs, or Qt's with icons of the Studio's set."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QToolButton, QWidget

from fourdcb_studio.theme import icon

# Qt's own are drawn in black, which nobody sees on a dark ground.
_ICONS = {
    "backButton": "chevron-left", "forwardButton": "chevron-right", "toParentButton": "chevron-up",
    "newFolderButton": "plus", "listModeButton": "layout-grid", "detailModeButton": "list",
}  # fmt: skip


class Dialogs:
    """Asks; an answer of None or nothing means that the user went back."""

    def __init__(self) -> None:
        self.owner: QWidget | None = None  # the window, once there is one

    def folder(self, title: str) -> Path | None:
        """A folder that is there."""
        dialog = self._made(title)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        return next(iter(_answer(dialog)), None)

    def files(self, title: str, kinds: str) -> list[Path]:
        """Files that are there."""
        dialog = self._made(title)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setNameFilter(kinds)
        return _answer(dialog)

    def new_file(self, title: str, start: str, kinds: str) -> Path | None:
        """A file to write."""
        dialog = self._made(title)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        dialog.setNameFilter(kinds)
        if Path(start).is_absolute():
            dialog.setDirectory(str(Path(start).parent))
        dialog.selectFile(Path(start).name)
        return next(iter(_answer(dialog)), None)

    def _made(self, title: str) -> QFileDialog:
        dialog = QFileDialog(self.owner, title)
        dress(dialog)
        return dialog


def dress(dialog: QFileDialog) -> None:
    """Give the buttons of Qt's own dialog icons of the Studio's set; a desktop's dialog has none of them."""
    for name, drawn in _ICONS.items():
        button = dialog.findChild(QToolButton, name)
        if button is not None:
            button.setIcon(icon(drawn))


def _answer(dialog: QFileDialog) -> list[Path]:
    try:
        return [Path(name) for name in dialog.selectedFiles()] if dialog.exec() else []
    finally:
        dialog.deleteLater()
