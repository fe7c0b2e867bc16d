"""Where a window stands on its screen: to fit at first, then as it was left."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QWidget

_USUAL, _MOST = QSize(1600, 1000), QSize(2400, 1500)
_SHARE = 0.85  # of a large screen


def fit_to_screen(window: QWidget) -> None:
    """The usual size in the middle; the whole screen where that has no room, more where there is plenty."""
    room = window.screen().availableGeometry()
    size = first_size(room.size())
    spare = room.size() - size
    corner = room.topLeft() + QPoint(spare.width() // 2, spare.height() // 2)
    window.setGeometry(QRect(corner, size))
    if size == room.size():
        window.setWindowState(window.windowState() | Qt.WindowState.WindowMaximized)


def first_size(room: QSize) -> QSize:
    """Size of a window that was never placed, on a screen with that much room."""
    if room.width() <= _USUAL.width() or room.height() <= _USUAL.height():
        return room
    return (room * _SHARE).expandedTo(_USUAL).boundedTo(_MOST)


def place_of(window: QWidget) -> str:
    """Size, place, screen and whether it is maximised, to be kept."""
    return bytes(window.saveGeometry().toBase64().data()).decode("ascii")


def restore_place(window: QWidget, place: str) -> bool:
    """Put it where it was, inside of the screens that there are now; False when ``place`` means nothing."""
    return window.restoreGeometry(QByteArray.fromBase64(place.encode("ascii", errors="replace")))
