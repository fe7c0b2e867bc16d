"""Put a theme on the application."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication

from fourdcb_studio.theme.fonts import register_fonts, text_font
from fourdcb_studio.theme.stylesheet import stylesheet
from fourdcb_studio.theme.tokens import ThemeName, Tokens, use

ThemeChoice = Literal["dark", "light", "system"]


def apply_theme(app: QApplication, name: ThemeChoice) -> Tokens:
    """Style ``app``; ``system`` follows the desktop (dark where it says nothing).

    May be called again at any time: widgets that paint themselves are told by a style-change event.
    """
    theme = use(_resolve(app, name))
    text_family, mono_family = register_fonts()
    sheet = stylesheet(theme, text_family=text_family, mono_family=mono_family)
    if app.styleSheet() == sheet:
        return theme
    # Each of these visits every widget: none is repeated without need.
    if app.property("fourdcb_style") is None:
        app.setStyle("Fusion")
        app.setProperty("fourdcb_style", True)
        app.setFont(text_font())
    app.setPalette(_palette(theme))
    app.setStyleSheet(sheet)
    return theme


def _resolve(app: QApplication, name: ThemeChoice) -> ThemeName:
    if name != "system":
        return name
    return "light" if app.styleHints().colorScheme() == Qt.ColorScheme.Light else "dark"


def _palette(theme: Tokens) -> QPalette:
    roles = {
        QPalette.ColorRole.Window: theme.background,
        QPalette.ColorRole.WindowText: theme.text,
        QPalette.ColorRole.Base: theme.panel,
        QPalette.ColorRole.AlternateBase: theme.raised,
        QPalette.ColorRole.Text: theme.text,
        QPalette.ColorRole.PlaceholderText: theme.muted,
        QPalette.ColorRole.Button: theme.raised,
        QPalette.ColorRole.ButtonText: theme.text,
        QPalette.ColorRole.ToolTipBase: theme.raised,
        QPalette.ColorRole.ToolTipText: theme.text,
        QPalette.ColorRole.Highlight: theme.accent,
        QPalette.ColorRole.HighlightedText: theme.on_accent,
        QPalette.ColorRole.Link: theme.accent,
        QPalette.ColorRole.Mid: theme.line,
    }
    palette = QPalette()
    for role, color in roles.items():
        palette.setColor(role, color)
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText, QPalette.ColorRole.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, theme.muted)
    return palette
