"""The line between two surfaces."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame


def hairline(*, vertical: bool = False) -> QFrame:
    """One pixel thick, in the theme's colour of lines."""
    line = QFrame()
    line.setObjectName("hairline")
    if vertical:
        line.setFixedWidth(1)
    else:
        line.setFixedHeight(1)
    return line
