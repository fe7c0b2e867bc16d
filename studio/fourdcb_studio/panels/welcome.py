"""What stands in the middle while nothing is open: bundled scenes, recent files, how to open one's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from fourdcb.words import tr
from fourdcb_studio.session.openings import Opening
from fourdcb_studio.theme import GRID, RADIUS, tokens
from fourdcb_studio.widgets.labels import ElidedLabel, RoleLabel

_WIDTH, _BOTH_WIDTH = 640, 1000  # px of one list, of two beside each other
"""Title, note and the paths that a row opens."""


class WelcomePage(QWidget):
    """Rows to open, each a button; a dashed frame that says where to drop files.

    Signals:
        opened(paths): a row was chosen, a tuple of paths.
        action(id): ``open_scene`` or ``open_files``.
    """

    opened = Signal(object)
    action = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bundled, self._recent = QGridLayout(), QGridLayout()
        self._recent_title = RoleLabel(tr("Recent"), "section")
        self._bundled_title = RoleLabel(tr("Bundled scenes"), "section")
        inner = self._inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID)
        column.addWidget(RoleLabel(tr("See where, why and by how much a world script is wrong"), "title"))
        hint = RoleLabel(
            tr("Drop a scene folder, a script, a script with its video, or two videos here."), "note"
        )
        column.addWidget(hint)
        column.addSpacing(GRID)
        column.addLayout(self._make_buttons())
        column.addSpacing(2 * GRID)
        column.addLayout(self._make_lists())
        page = QWidget()
        middle = QVBoxLayout(page)
        middle.setContentsMargins(0, 0, 0, 0)
        middle.addStretch(1)
        line = QHBoxLayout()
        line.addStretch(1)
        line.addWidget(inner, 8)
        line.addStretch(1)
        middle.addLayout(line)
        middle.addStretch(2)
        scroll = QScrollArea()  # rows keep their height, and ask for none of the window's
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(page)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(2 * GRID, 2 * GRID, GRID, 2 * GRID)
        outer.addWidget(scroll)
        self.set_openings((), ())

    def set_openings(self, bundled: Sequence[Opening], recent: Sequence[Opening]) -> None:
        """Rows of both lists; an empty list takes no room."""
        for part, layout, rows in zip(
            self._parts, (self._bundled, self._recent), (bundled, recent), strict=True
        ):
            part.setVisible(bool(rows))
            while (item := layout.takeAt(0)) is not None:
                widget = item.widget()
                if widget is not None:
                    widget.deleteLater()
            columns = 2 if layout is self._bundled else 1  # a low window shows all of them
            deep = -(-len(rows) // columns)
            for k, row in enumerate(rows):
                layout.addWidget(self._row(*row), k % deep, k // deep)
        self._inner.setMaximumWidth(_BOTH_WIDTH if bundled and recent else _WIDTH)

    def _make_lists(self) -> QHBoxLayout:
        """Both lists beside each other: a low window shows them whole."""
        lists = QHBoxLayout()
        self._parts: list[QWidget] = []
        lists.setSpacing(3 * GRID)
        for title, rows, share in (
            (self._bundled_title, self._bundled, 2), (self._recent_title, self._recent, 1),
        ):  # fmt: skip
            part = QWidget()
            column = QVBoxLayout(part)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(GRID)
            column.addWidget(title)
            rows.setVerticalSpacing(4)
            rows.setHorizontalSpacing(GRID)
            column.addLayout(rows)
            column.addStretch(1)
            lists.addWidget(part, share)
            self._parts.append(part)
        return lists

    def _make_buttons(self) -> QHBoxLayout:
        line = QHBoxLayout()
        line.setSpacing(GRID)
        for key, text, kind in (
            ("open_scene", tr("Open scene folder …  Ctrl+O"), "primary"),
            ("open_files", tr("Open script or video …  Ctrl+Shift+O"), ""),
        ):
            button = QPushButton(text)
            button.setProperty("kind", kind)
            button.clicked.connect(lambda _=False, key=key: self.action.emit(key))
            line.addWidget(button)
        line.addStretch(1)
        return line

    def _row(self, title: str, note: str, paths: tuple[Path, ...]) -> QPushButton:
        button = QPushButton()
        button.setProperty("kind", "row")
        button.setAccessibleName(tr("Open {title}", title=title))
        button.setToolTip("\n".join(str(p) for p in paths))
        line = QHBoxLayout(button)
        line.setContentsMargins(12, 0, 12, 0)
        line.setSpacing(12)
        name = RoleLabel(title)
        place = ElidedLabel(note, "note", elide=Qt.TextElideMode.ElideMiddle)
        for label in (name, place):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        line.addWidget(name)
        line.addStretch(1)
        line.addWidget(place)
        button.clicked.connect(lambda: self.opened.emit(paths))
        return button

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(tokens().color("line"), 1.5, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS + 2, RADIUS + 2)
