"""Settings and layouts on a card over the window; every change takes effect at once."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from fourdcb.words import languages, load, tr
from fourdcb_studio.panels.overlay import Overlay
from fourdcb_studio.session.preferences import CACHES_MB, SCALES, SYSTEM, Settings
from fourdcb_studio.theme import GRID
from fourdcb_studio.widgets.labels import RoleLabel
from fourdcb_studio.widgets.segmented import Segmented

_THEMES = (
    ("dark", tr("Dark"), ""),
    ("light", tr("Light"), ""),
    ("system", tr("System"), tr("As the desktop")),
)
_PREVIEWS = (
    ("fast", tr("Fast"), tr("One sample a pixel while a slider moves")),
    ("full", tr("Full"), tr("Smooth edges while a slider moves, at half the pace")),
)
_CHECKS = (
    ("autosave", tr("Save edits into the script by themselves, two seconds after the last one")),
    ("recovery", tr("Keep unsaved edits for after a crash")),
    ("key_hints", tr("Name the next keys under the images")),
)


class SettingsCard(Overlay):
    """The settings, and the layouts by name.

    Signals:
        changed(name, value): a setting was changed.
        restart_requested(): start again, so that the size of everything changes.
        layout_saved(name), layout_restored(name), layout_deleted(name), layout_reset().
    """

    changed = Signal(str, object)
    restart_requested = Signal()
    layout_saved = Signal(str)
    layout_restored = Signal(str)
    layout_deleted = Signal(str)
    layout_reset = Signal()

    def __init__(self, parent: QWidget, *, scale_in_force: int, language_in_force: str) -> None:
        super().__init__(parent, size=QSize(620, 496))
        self._in_force = (scale_in_force, language_in_force)
        self._theme = Segmented(_THEMES)
        self._preview = Segmented(_PREVIEWS)
        self._scale = _combo([f"{s} %" for s in SCALES], tr("Size of everything"))
        self._language = _combo([title for _, title in _language_titles()], tr("Language"))
        self._cache = _combo([f"{mb} MB" for mb in CACHES_MB], tr("Memory for frames"))
        self._checks = {name: QCheckBox(text) for name, text in _CHECKS}
        self._restart = QPushButton(tr("Restart now"))
        self._restart.clicked.connect(self.restart_requested)
        self._names = _combo([], tr("Saved layouts"))
        self._name = QLineEdit()
        self._name.setPlaceholderText(tr("Name of the present layout"))
        self._name.setAccessibleName(tr("Name of the present layout"))
        self._connect()
        self._lay_out()

    def set_settings(self, settings: Settings) -> None:
        """Show settings; silent."""
        self._theme.set_current(settings.theme)
        self._preview.set_current(settings.preview)
        self._scale.setCurrentIndex(SCALES.index(settings.ui_scale))
        self._cache.setCurrentIndex(CACHES_MB.index(settings.cache_mb))
        for name, box in self._checks.items():
            box.setChecked(bool(getattr(settings, name)))
        known = [key for key, _ in _language_titles()]
        self._language.setCurrentIndex(known.index(settings.language))
        self._restart.setVisible((settings.ui_scale, settings.language) != self._in_force)

    def set_layouts(self, names: Sequence[str]) -> None:
        """Names of the saved layouts."""
        current = self._names.currentText()
        self._names.clear()
        self._names.addItems(list(names))
        self._names.setCurrentText(current)
        for button in (self._restore, self._delete, self._names):
            button.setEnabled(bool(names))
        if not names:
            self._names.addItem(tr("no layout saved yet"))

    def open(self) -> None:
        super().open()
        self._theme.setFocus()

    # -- parts ---------------------------------------------------------------------------------------
    def _connect(self) -> None:
        self._theme.chosen.connect(lambda key: self.changed.emit("theme", key))
        self._preview.chosen.connect(lambda key: self.changed.emit("preview", key))
        self._scale.activated.connect(lambda i: self.changed.emit("ui_scale", SCALES[i]))
        self._language.activated.connect(lambda i: self.changed.emit("language", _language_titles()[i][0]))
        self._cache.activated.connect(lambda i: self.changed.emit("cache_mb", CACHES_MB[i]))
        for name, box in self._checks.items():
            box.clicked.connect(lambda on, name=name: self.changed.emit(name, on))
        self._name.returnPressed.connect(self._save)

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(GRID)
        grid.setColumnStretch(1, 1)
        rows: tuple[tuple[str, QWidget | QHBoxLayout], ...] = (
            (tr("Theme"), self._theme),
            (
                tr("Size of everything"),
                _row(self._scale, RoleLabel(tr("from the next start"), "note"), self._restart),
            ),
            (tr("Language"), _row(self._language, RoleLabel(tr("from the next start"), "note"))),
            (tr("Picture while sliding"), self._preview),
            (tr("Memory for frames"), _row(self._cache)),
        )
        for i, (text, content) in enumerate(rows):
            grid.addWidget(RoleLabel(text), i, 0)
            if isinstance(content, QWidget):
                grid.addWidget(content, i, 1)
            else:
                grid.addLayout(content, i, 1)
        self._restore = _button(tr("Restore"), lambda: self.layout_restored.emit(self._names.currentText()))
        self._delete = _button(tr("Delete"), lambda: self.layout_deleted.emit(self._names.currentText()))
        reset = _button(tr("Usual layout"), self.layout_reset.emit)
        save = _button(tr("Save layout"), self._save)
        close = _button(tr("Close"), self.dismiss)
        column = QVBoxLayout(self.card)
        column.setContentsMargins(3 * GRID, 2 * GRID, 3 * GRID, 2 * GRID)
        column.setSpacing(GRID)
        column.addWidget(RoleLabel(tr("Settings"), "title"))
        column.addLayout(grid)
        for box in self._checks.values():
            column.addWidget(box)
        column.addSpacing(GRID)
        column.addWidget(RoleLabel(tr("Layouts"), "section"))
        column.addLayout(_row(self._names, self._restore, self._delete, reset))
        line = QHBoxLayout()
        line.setSpacing(GRID)
        line.addWidget(self._name, 1)
        line.addWidget(save)
        column.addLayout(line)
        column.addStretch(1)
        column.addLayout(
            _row(RoleLabel(tr("Esc closes. Everything takes effect at once."), "note"), None, close)
        )

    def _save(self) -> None:
        name = self._name.text().strip()
        if name:
            self._name.clear()
            self.layout_saved.emit(name)


def _language_titles() -> list[tuple[str, str]]:
    """(setting, what it is called): languages by their own names."""
    return [(SYSTEM, tr("As the desktop")), *((name, load(name).say("language")) for name in languages())]


def _combo(words: Sequence[str], name: str) -> QComboBox:
    box = QComboBox()
    box.addItems(list(words))
    box.setAccessibleName(name)
    box.setMinimumWidth(120)
    return box


def _button(text: str, slot: object) -> QPushButton:
    button = QPushButton(text)
    button.clicked.connect(slot)
    return button


def _row(*widgets: QWidget | None) -> QHBoxLayout:
    """Widgets in a line; None, or the end, takes what room is left."""
    line = QHBoxLayout()
    line.setSpacing(GRID)
    for widget in widgets:
        if widget is None:
            line.addStretch(1)
        else:
            line.addWidget(widget)
    if None not in widgets:
        line.addStretch(1)
    return line
