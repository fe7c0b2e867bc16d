"""The one stylesheet: every standard control in the colours of a theme, on the 8-px grid."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from PySide6.QtGui import QColor

from fourdcb_studio.theme.tokens import GRID, NOTE_SIZE, RADIUS, TEXT_SIZE, Tokens, color_roles

_TEMPLATE = """
QWidget { color: @text; font-family: "@text_family"; font-size: @text_sizepx; }
QMainWindow, QDialog { background: @background; }
QToolTip { background: @raised; color: @text; border: 1px solid @track; padding: 2px 4px; }

*[surface="background"] { background: @background; }
*[surface="panel"] { background: @panel; }
*[surface="drawer"] {
  background: @panel; border: 1px solid @line; border-bottom: none;
}
*[surface="card"] { background: @raised; border: 1px solid @line; border-radius: @gridpx; }

QLabel { background: transparent; }
QLabel[role="section"] { color: @muted; font-size: 11px; font-weight: 600; }
QLabel[role="note"] { color: @muted; font-size: @note_sizepx; }
QLabel[role="title"] { font-size: 15px; font-weight: 600; }
QLabel[role="figure"] { font-family: "@mono_family"; font-size: @note_sizepx; }
QLabel[role="figure"][state="ok"] { color: @ok; }
QLabel[role="figure"][state="bad"] { color: @bad; }
QLabel[role="muted-figure"] { font-family: "@mono_family"; font-size: @note_sizepx; color: @muted; }

QPushButton, QToolButton {
  background: @raised; border: 1px solid @line; border-radius: @radiuspx;
  min-height: 26px; max-height: 26px; padding: 0 11px;
}
QPushButton:hover, QToolButton:hover { background: @hover; }
QPushButton:pressed, QToolButton:pressed { background: @pressed; }
QPushButton:disabled, QToolButton:disabled { color: @muted; background: @panel; }
QPushButton:focus, QToolButton:focus { border-color: @accent; }
QPushButton[kind="primary"], QToolButton[kind="primary"] {
  background: @accent; border-color: @accent; color: @on_accent; font-weight: 600;
}
QPushButton[kind="primary"]:focus, QToolButton[kind="primary"]:focus { border-color: @text; }
QPushButton[kind="primary"]:disabled, QToolButton[kind="primary"]:disabled {
  background: @track; border-color: @track; color: @muted;
}
QPushButton[kind="quiet"], QToolButton[kind="quiet"] {
  background: transparent; border-color: transparent; color: @muted; font-size: @note_sizepx; padding: 0 5px;
}
QPushButton[kind="quiet"]:hover, QToolButton[kind="quiet"]:hover { color: @text; background: @hover; }
QToolButton[kind="quiet"]:pressed { color: @text; background: @track; }
QPushButton[kind="quiet"]:focus, QToolButton[kind="quiet"]:focus { border-color: @accent; color: @text; }
QPushButton[kind="quiet"]:disabled, QToolButton[kind="quiet"]:disabled {
  background: transparent; color: @faint;
}
QPushButton[kind="link"] {
  background: transparent; border-color: transparent; color: @muted; font-size: @note_sizepx; padding: 0 2px;
  min-height: 20px; max-height: 20px;
}
QPushButton[kind="link"]:hover { color: @accent; }
QPushButton[kind="link"]:focus { border-color: @accent; }
QPushButton[kind="row"] { background: @panel; min-height: 34px; max-height: 34px; padding: 0; }
QPushButton[kind="row"]:hover { background: @hover; }
QPushButton[kind="row"]:focus { border-color: @accent; }
QPushButton[kind="chip"] {
  background: @raised; border-color: @line; font-size: @note_sizepx; padding: 0 11px;
  min-height: 22px; max-height: 22px;
}
QPushButton[kind="chip"]:hover { background: @hover; }
QPushButton[kind="chip"]:checked { border-color: @accent; background: @selected; }
QPushButton[kind="chip"]:focus { border-color: @accent; }
QToolButton[mark="true"] { color: @warning; font-weight: 600; }
QToolButton[shape="icon"] { padding: 0; min-height: 16px; }
QToolButton::menu-indicator, QPushButton::menu-indicator { image: none; width: 0; }

QLineEdit, QPlainTextEdit, QTextEdit {
  background: @background; border: 1px solid @line; border-radius: @radiuspx; padding: 3px 8px;
  selection-background-color: @accent; selection-color: @on_accent;
}
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus { border-color: @accent; }
QPlainTextEdit[kind="code"] { font-family: "@mono_family"; font-size: @note_sizepx; }
QLineEdit[kind="value"] {
  background: transparent; border-color: transparent; padding: 0 0 0 4px; font-family: "@mono_family";
  font-size: @note_sizepx;
}
QLineEdit[kind="value"]:hover { border-color: @line; background: @background; }
QLineEdit[kind="value"]:focus { border-color: @accent; background: @background; }
QLineEdit[kind="value"][bad="true"] { border-color: @bad; color: @bad; }

QAbstractItemView {
  background: transparent; border: none; outline: none;
  selection-background-color: @selected; selection-color: @text;
}
QScrollArea, QScrollArea > QWidget > QWidget { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: 8px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 8px; margin: 0; }
QScrollBar::handle { background: @track; border-radius: 3px; margin: 1px; }
QScrollBar::handle:vertical { min-height: 24px; }
QScrollBar::handle:horizontal { min-width: 24px; }
QScrollBar::handle:hover { background: @muted; }
QScrollBar::handle:disabled { background: transparent; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QMenuBar { background: @panel; border-bottom: 1px solid @line; }
QMenuBar::item { padding: 4px 8px; background: transparent; }
QMenuBar::item:selected { background: @hover; }
QMenu { background: @raised; border: 1px solid @line; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 12px; border-radius: 4px; }
QMenu::item:selected { background: @selected; }
QMenu::item:disabled { color: @muted; }
QMenu::separator { height: 1px; background: @line; margin: 4px 8px; }

QFrame#hairline { background: @line; border: none; }
QSplitter::handle { background: @line; }
QSplitter::handle:hover { background: @accent; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QProgressBar { background: @track; border: none; border-radius: 2px; max-height: 4px; }
QProgressBar::chunk { background: @accent; border-radius: 2px; }

QSlider::groove:horizontal { background: @track; height: 4px; border-radius: 2px; }
QSlider::sub-page:horizontal { background: @accent; border-radius: 2px; }
QSlider::handle:horizontal {
  background: @thumb; border: 1px solid @thumb; width: 12px; height: 12px; margin: -5px 0; border-radius: 7px;
}
QSlider::handle:horizontal:focus { border-color: @accent; }
QSlider::handle:horizontal:disabled { background: @muted; border-color: @muted; }

QCheckBox { spacing: @gridpx; }
QCheckBox::indicator { width: 14px; height: 14px; border: 1px solid @muted; border-radius: 3px; }
QCheckBox::indicator:checked {
  background: @accent; border-color: @accent; image: url("@icons/controls/tick-@name.svg");
}
QComboBox, QSpinBox, QDoubleSpinBox {
  background: @raised; border: 1px solid @line; border-radius: @radiuspx; min-height: 26px; padding: 0 8px;
}
QComboBox:focus, QSpinBox:focus, QDoubleSpinBox:focus { border-color: @accent; }
QComboBox::drop-down { border: none; width: 24px; }
QComboBox::down-arrow { image: url("@icons/controls/combo-arrow.svg"); width: 14px; height: 14px; }
QComboBox QAbstractItemView { background: @raised; border: 1px solid @line; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QListWidget[kind="code"] { font-family: "@mono_family"; font-size: @note_sizepx; }
QListWidget[kind="code"]::item { padding: 0 6px; }
QHeaderView { background: @panel; border: none; }
QHeaderView::section { background: @panel; color: @muted; border: none; padding: 4px 8px; }
QTableView[kind="runs"] QHeaderView::section { color: @text; padding: 4px 16px; }
QFileDialog QToolButton { padding: 0; min-width: 26px; max-width: 26px; }
QFileDialog QListView, QFileDialog QTreeView { background: @panel; border-radius: @radiuspx; }
QSizeGrip { image: none; width: 0; height: 0; }
QTabWidget::pane { border: none; }
QTabBar::tab { background: transparent; color: @muted; padding: 6px 12px; border: none; }
QTabBar::tab:selected { color: @text; border-bottom: 2px solid @accent; }
QTabBar::tab:hover { color: @text; }
"""


def stylesheet(theme: Tokens, *, text_family: str, mono_family: str) -> str:
    """The application's stylesheet in the colours of ``theme``."""
    values: dict[str, object] = {
        "text_family": text_family,
        "mono_family": mono_family,
        "text_size": TEXT_SIZE,
        "note_size": NOTE_SIZE,
        "grid": GRID,
        "radius": RADIUS,
        "name": theme.name,
        "icons": Path(str(files("fourdcb_resources"))).joinpath("icons").as_posix(),
    }
    values.update({role: getattr(theme, role) for role in color_roles()})
    values["faint"] = theme.color("muted", 0.5).name(QColor.NameFormat.HexArgb)  # as in segmented controls
    values["thumb"] = "#ffffff" if theme.name == "dark" else theme.accent  # as in the parameters' sliders
    result = _TEMPLATE
    for name in sorted(values, key=len, reverse=True):
        result = result.replace(f"@{name}", str(values[name]))
    return result
