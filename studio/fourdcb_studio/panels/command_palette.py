"""All commands by a few typed letters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from fourdcb.words import tr
from fourdcb_studio.panels.overlay import Overlay
from fourdcb_studio.theme import GRID, mono_font, note_font, text_font, tokens
from fourdcb_studio.widgets.labels import RoleLabel

Command = tuple[str, str, str]
_SHORTCUT = Qt.ItemDataRole.UserRole
_ID = Qt.ItemDataRole.UserRole + 1
_REASON = Qt.ItemDataRole.UserRole + 2
Index = QModelIndex | QPersistentModelIndex


def match_score(query: str, text: str) -> float | None:
    """How well ``text`` answers ``query`` (less is better); None when letters are missing.

    Letters must occur in order; word starts and runs count for it, gaps against it.
    """
    score, at, lower = 0.0, 0, text.lower()
    for letter in query.lower().replace(" ", ""):
        found = lower.find(letter, at)
        if found < 0:
            return None
        starts_word = found == 0 or not lower[found - 1].isalnum()
        score += 0.0 if found == at and at > 0 else 0.3 if starts_word else 1.0 + 0.02 * (found - at)
        at = found + 1
    return score + 0.001 * len(text)


class CommandPalette(Overlay):
    """Typed letters narrow the commands down; arrows and Enter choose one.

    Signals:
        chosen(id): a command was entered or clicked; the palette closes first.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, size=QSize(560, 400))
        self._commands: tuple[Command, ...] = ()
        self._reasons: Mapping[str, str] = {}
        self._edit = QLineEdit()
        self._edit.setPlaceholderText(tr("Type a command"))
        self._edit.setAccessibleName(tr("Command"))
        self._edit.textChanged.connect(self._filter)
        self._edit.installEventFilter(self)
        self._list = QListWidget()
        self._list.setItemDelegate(_CommandDelegate(self._list))
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.itemClicked.connect(self._choose)
        self._none = RoleLabel(tr("No command matches"), "note")
        self._none.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self.card)
        column.setContentsMargins(GRID, GRID, GRID, GRID)
        column.setSpacing(GRID)
        column.addWidget(self._edit)
        column.addWidget(self._list, 1)
        column.addWidget(self._none, 1)

    def set_commands(self, commands: Sequence[Command], reasons: Mapping[str, str] | None = None) -> None:
        """Commands (id, text, shortcut), and by id why one cannot be used now, "" where it can."""
        self._commands, self._reasons = tuple(commands), reasons or {}
        self._filter(self._edit.text())

    def open(self) -> None:
        super().open()
        self._edit.clear()
        self._filter("")
        self._edit.setFocus(Qt.FocusReason.PopupFocusReason)

    def shown_ids(self) -> tuple[str, ...]:
        """Ids of the commands that match, best first."""
        return tuple(self._list.item(i).data(_ID) for i in range(self._list.count()))

    def reason(self, key: str) -> str:
        """Why a command cannot be used now, "" when it can."""
        return self._reasons.get(key, "")

    def edit(self) -> QLineEdit:
        """The line to type in."""
        return self._edit

    def _filter(self, query: str) -> None:
        scored = [(match_score(query, text), i) for i, (_, text, _) in enumerate(self._commands)]
        # What can be used comes first; without letters everything keeps its place.
        matching = sorted(
            (bool(self.reason(self._commands[i][0])), score, i) for score, i in scored if score is not None
        )
        order = [i for *_, i in matching] if query else range(len(self._commands))
        self._list.clear()
        for i in order:
            key, text, shortcut = self._commands[i]
            item = QListWidgetItem(text)
            item.setData(_ID, key)
            item.setData(_SHORTCUT, shortcut)
            item.setData(_REASON, self.reason(key))
            if self.reason(key):
                item.setFlags(Qt.ItemFlag.NoItemFlags)
            self._list.addItem(item)
        self._list.setVisible(bool(order))
        self._none.setVisible(not order)
        self._list.setCurrentRow(-1)
        self._step(1)

    def _step(self, step: int) -> None:
        """On to the next command that can be used; none beyond the last."""
        row = self._list.currentRow() + step
        while 0 <= row < self._list.count():
            if self._list.item(row).flags() & Qt.ItemFlag.ItemIsEnabled:
                self._list.setCurrentRow(row)
                return
            row += step

    def _choose(self, item: QListWidgetItem) -> None:
        key = str(item.data(_ID))
        if self.reason(key):
            return
        self.dismiss()
        self.chosen.emit(key)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._edit and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if step is not None:
                self._step(step)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                item = self._list.currentItem()
                if item is not None:
                    self._choose(item)
                return True
        return super().eventFilter(watched, event)


class _CommandDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(200, 4 * GRID)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = tokens()
        box = QRectF(option.rect)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("selected"))
            painter.drawRoundedRect(box, 6, 6)
        reason = str(index.data(_REASON) or "")
        beside, font = (reason, note_font()) if reason else (str(index.data(_SHORTCUT) or ""), mono_font())
        width = QFontMetricsF(font).horizontalAdvance(beside) + 2
        painter.setFont(text_font())
        painter.setPen(theme.color("muted" if reason else "text"))
        room = box.width() - width - 4 * GRID
        text = painter.fontMetrics().elidedText(
            str(index.data(Qt.ItemDataRole.DisplayRole)), Qt.TextElideMode.ElideRight, int(room)
        )
        inner = box.adjusted(12, 0, -12, 0)
        painter.drawText(inner, int(Qt.AlignmentFlag.AlignVCenter), text)
        painter.setFont(font)
        painter.setPen(theme.color("muted"))
        right = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)
        painter.drawText(inner, right, beside)
        painter.restore()
