"""Icons of one set (Lucide), tinted to a colour role of the theme in force."""

from __future__ import annotations

import logging
from functools import lru_cache
from importlib.resources import files

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from fourdcb_studio.theme.tokens import tokens

_log = logging.getLogger(__name__)
_SIZES = (16, 20, 24, 32, 48)


def icon(name: str, role: str = "text", *, filled: bool = False) -> QIcon:
    """The icon of that file name (without ``.svg``) in the colour of ``role``; disabled in muted.

    ``filled`` paints its closed shapes solid.

    An icon that is not bundled is empty and logged once; the action's word still says what it does.
    """
    theme = tokens()
    return _icon(name, getattr(theme, role), theme.muted, filled)


@lru_cache(maxsize=512)
def _icon(name: str, color: str, disabled: str, filled: bool) -> QIcon:
    result = QIcon()
    source = _source(name)
    if source is None:
        return result
    if filled:
        source = source.replace('fill="none"', 'fill="currentColor"', 1)
    for size in _SIZES:
        result.addPixmap(_draw(source, color, size), QIcon.Mode.Normal)
        result.addPixmap(_draw(source, disabled, size), QIcon.Mode.Disabled)
    return result


@lru_cache(maxsize=256)
def _source(name: str) -> str | None:
    entry = files("fourdcb_resources").joinpath("icons", f"{name}.svg")
    if not entry.is_file():
        _log.warning("the icon %r is not bundled", name)
        return None
    return entry.read_text(encoding="utf-8")


def _draw(source: str, color: str, size: int) -> QPixmap:
    renderer = QSvgRenderer(QByteArray(source.replace("currentColor", color).encode()))
    pixmap = QPixmap(QSize(size, size))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap
