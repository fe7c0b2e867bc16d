"""What is known of the chosen cases, and what people write about them: tags and a note."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QCompleter,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from fourdcb.library import CaseEntry
from fourdcb.metrics.result import AXES
from fourdcb.words import axis_title, tr
from fourdcb_studio.theme import GRID, mono_font, note_font, text_font, tokens
from fourdcb_studio.views.library.grid_paint import VERDICT_MARKS
from fourdcb_studio.views.library.words import axis_figures, verdict_title
from fourdcb_studio.widgets.flow_layout import FlowLayout
from fourdcb_studio.widgets.labels import ElidedLabel, RoleLabel
from fourdcb_studio.widgets.marks import STATE_MARKS, paint_mark

_AXIS_ROW = 40


class LibraryDetails(QWidget):
    """The chosen case, or how many are chosen.

    Signals:
        open_requested(): the button that opens the case.
        tag_added(tag), tag_removed(tag): for all chosen cases.
        note_written(id, text): the note of one case.
        left(): Escape was pressed in a field.
    """

    open_requested = Signal()
    tag_added = Signal(str)
    tag_removed = Signal(str)
    note_written = Signal(str, str)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("surface", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._entries: tuple[CaseEntry, ...] = ()
        self._title = RoleLabel("", "title")
        self._title.setWordWrap(True)
        self._verdict = _Verdict()
        self._axes = _Axes()
        self._headline = _wrapped("text")
        self._cause = _wrapped("note")
        self._files = ElidedLabel("", "note", elide=Qt.TextElideMode.ElideLeft)
        self._files.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._open = QPushButton(tr("Open case"))
        self._open.setProperty("kind", "primary")
        self._open.clicked.connect(self.open_requested)
        self._tag_title, self._note_title = RoleLabel(tr("Tags"), "section"), RoleLabel(tr("Note"), "section")
        self._tags = QWidget()
        self._flow = FlowLayout(self._tags, gap=6)
        self._tag = QLineEdit()
        self._tag.setPlaceholderText(tr("add a tag, Enter"))
        self._tag.setAccessibleName(tr("Add a tag to the chosen cases"))
        self._tag.returnPressed.connect(self._add_tag)
        self._note = _NoteEdit()
        self._note.finished.connect(self.flush_note)
        self._place = _wrapped("note")
        for field in (self._tag, self._note):
            field.installEventFilter(self)
        self._arrange()
        self.set_entries(())

    def _arrange(self) -> None:
        parts: tuple[QWidget, ...] = (
            self._title, self._verdict, self._headline, self._cause, self._axes, self._files
        )  # fmt: skip
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, GRID)
        column.setSpacing(GRID)
        for widget in parts:
            column.addWidget(widget)
        buttons = QHBoxLayout()
        buttons.addWidget(self._open)
        buttons.addStretch(1)
        column.addLayout(buttons)
        column.addSpacing(GRID)
        for part in self._of_tags():
            column.addWidget(part)
        column.addSpacing(GRID)
        column.addWidget(self._note_title)
        column.addWidget(self._note)
        column.addStretch(1)
        column.addWidget(self._place)

    def _of_one(self) -> tuple[QWidget, ...]:
        """Parts that one chosen case has."""
        rest = (self._note_title, self._note, self._open)
        return (self._verdict, self._headline, self._axes, self._files, *rest)

    def _of_tags(self) -> tuple[QWidget, ...]:
        return self._tag_title, self._tags, self._tag

    # -- content -------------------------------------------------------------------------------------
    def set_entries(self, entries: Sequence[CaseEntry]) -> None:
        """Show the chosen cases; a note that is being written is kept first."""
        former = self._entries[0].id if len(self._entries) == 1 else ""
        now = entries[0].id if len(entries) == 1 else ""
        if former != now:
            self.flush_note()
        self._entries = tuple(entries)
        one = entries[0] if len(entries) == 1 else None
        for part in self._of_one():
            part.setVisible(one is not None)
        self._title.setText(
            one.title if one else tr("{count} cases", count=len(entries)) if entries else tr("No case chosen")
        )
        self._show_one(one)
        for part in self._of_tags():
            part.setVisible(bool(entries))
        self._show_tags()
        if one is None:
            words = (
                tr("Tags go to all of them.") if entries else tr("Choose cases to see, tag and open them.")
            )
            self._cause.setText(words)
            self._cause.show()
        elif former != now or not self._note.hasFocus():
            self._note.setPlainText(one.annotation.note)

    def _show_one(self, entry: CaseEntry | None) -> None:
        if entry is None:
            return
        self._verdict.set_entry(entry)
        frame = "" if entry.frame is None else tr("Frame {frame}: ", frame=entry.frame)
        headline = entry.headline if frame else entry.headline[:1].upper() + entry.headline[1:]
        self._headline.setText(frame + headline)
        finding = entry.summary.finding if entry.summary else None
        cause = finding.parameter if finding and finding.parameter else ""
        self._cause.setText(tr("likely cause: {cause}", cause=cause) if cause else "")
        self._cause.setVisible(bool(cause))
        self._axes.set_entry(entry)
        self._axes.setVisible(entry.summary is not None)
        script = entry.files.script
        self._files.setText(str(script or entry.files.report))
        self._open.setEnabled(script is not None or entry.files.video is not None)

    def _show_tags(self) -> None:
        self._flow.clear()
        counts = Counter(tag for entry in self._entries for tag in entry.annotation.tags)
        for tag, count in sorted(counts.items()):
            share = (
                ""
                if count == len(self._entries)
                else tr("  {count} of {count_b}", count=count, count_b=len(self._entries))
            )
            chip = QPushButton(f"{tag}{share}  ×")
            chip.setProperty("kind", "chip")
            chip.setToolTip(tr("Take the tag {tag} off", tag=tag))
            chip.setAccessibleName(tr("Take the tag {tag} off", tag=tag))
            chip.clicked.connect(lambda _=False, tag=tag: self.tag_removed.emit(tag))
            self._flow.addWidget(chip)
        self._tags.setVisible(bool(counts))
        self._tags.updateGeometry()

    def set_tags(self, tags: Sequence[str]) -> None:
        """Tags of the library, offered while one is typed."""
        completer = QCompleter(list(tags), self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self._tag.setCompleter(completer)

    def set_place(self, text: str) -> None:
        """Where tags and notes are kept, or why they are not; "" says nothing."""
        self._place.setText(text)
        self._place.setVisible(bool(text))

    # -- writing -------------------------------------------------------------------------------------
    def focus_tag(self) -> None:
        """The keyboard goes to the tag field."""
        if self._tag.isVisible():
            self._tag.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def focus_note(self) -> None:
        """The keyboard goes to the note."""
        if self._note.isVisible():
            self._note.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def flush_note(self) -> None:
        """Hand over what was written."""
        if len(self._entries) != 1:
            return
        text, entry = self._note.toPlainText(), self._entries[0]
        if text.strip() != entry.annotation.note:
            self.note_written.emit(entry.id, text)

    def _add_tag(self) -> None:
        text = self._tag.text().strip()
        if text:
            self._tag.clear()
            self.tag_added.emit(text)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.left.emit()
                return True
        return super().eventFilter(watched, event)


def _wrapped(role: str) -> RoleLabel:
    label = RoleLabel("", role)  # type: ignore[arg-type]
    label.setWordWrap(True)
    return label


class _NoteEdit(QPlainTextEdit):
    """A few lines of text; ``finished`` when the keyboard leaves it."""

    finished = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setPlaceholderText(tr("What is going on here?"))
        self.setAccessibleName(tr("Note of the case"))
        self.setTabChangesFocus(True)
        self.setFixedHeight(112)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.finished.emit()


class _Verdict(QWidget):
    """The verdict as a mark and words, and what is wrong with the case's files."""

    def __init__(self) -> None:
        super().__init__()
        self._entry: CaseEntry | None = None
        self.setFixedHeight(22)

    def set_entry(self, entry: CaseEntry) -> None:
        self._entry = entry
        self.setAccessibleName(verdict_title(entry))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._entry is None:
            return
        painter = QPainter(self)
        mark, role = VERDICT_MARKS[self._entry.verdict]
        paint_mark(painter, mark, QPointF(6, self.height() / 2), 11, tokens().color(role))
        painter.setFont(text_font())
        painter.setPen(tokens().color(role if role != "muted" else "text"))
        painter.drawText(
            self.rect().adjusted(20, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, verdict_title(self._entry)
        )


class _Axes(QWidget):
    """The four axes: mark, name, the worst metric beside its threshold."""

    def __init__(self) -> None:
        super().__init__()
        self._entry: CaseEntry | None = None
        self.setFixedHeight(_AXIS_ROW * len(AXES))

    def set_entry(self, entry: CaseEntry) -> None:
        self._entry = entry
        self.setAccessibleName(
            ", ".join(tr("{axis} failed", axis=axis) for axis in entry.failed_axes) or tr("no axis failed")
        )
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, _AXIS_ROW * len(AXES))

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._entry is None or self._entry.summary is None:
            return
        painter, theme = QPainter(self), tokens()
        for k, axis in enumerate(AXES):
            result = self._entry.summary.axes[axis]
            top, width = k * _AXIS_ROW, self.width()
            mark, role = STATE_MARKS[result.passed]
            paint_mark(painter, mark, QPointF(6, top + 10), 10, theme.color(role))
            metric, value, threshold = axis_figures(result)
            painter.setFont(text_font())
            painter.setPen(theme.color("text"))
            painter.drawText(20, top, width, 20, Qt.AlignmentFlag.AlignVCenter, axis_title(axis))
            painter.setFont(mono_font())
            painter.setPen(theme.color("text" if result.passed is False else "muted"))
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(0, top, width, 20, right, value or tr("not measured"))
            painter.setFont(note_font())
            painter.setPen(theme.color("muted"))
            painter.drawText(20, top + 18, width, 16, Qt.AlignmentFlag.AlignVCenter, metric)
            painter.drawText(
                0,
                top + 18,
                width,
                16,
                right,
                tr("needs {threshold}", threshold=threshold) if threshold else "",
            )
