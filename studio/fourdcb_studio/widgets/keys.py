"""Keys that a focused widget keeps for itself where the window has a shortcut on them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

STEP_KEYS = frozenset(
    {
        Qt.Key.Key_Left,
        Qt.Key.Key_Right,
        Qt.Key.Key_Up,
        Qt.Key.Key_Down,
        Qt.Key.Key_PageUp,
        Qt.Key.Key_PageDown,
        Qt.Key.Key_Home,
        Qt.Key.Key_End,
    }
)
"""Keys that move a slider or a choice."""
PRESS_KEYS = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space})
"""Keys that press a button."""


def keeps(event: QEvent, keys: frozenset[Qt.Key]) -> bool:
    """Accept ``event`` when it asks whether one of ``keys`` is wanted here rather than by a shortcut."""
    if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
        return False
    plain = event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
    if Qt.Key(event.key()) not in keys or plain:
        return False
    event.accept()
    return True
