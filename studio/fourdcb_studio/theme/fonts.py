"""The two faces: Inter for words, JetBrains Mono for figures. Registered before any widget is made."""

from __future__ import annotations

import logging
from functools import lru_cache
from importlib.resources import files

from PySide6.QtCore import QByteArray
from PySide6.QtGui import QFont, QFontDatabase

from fourdcb_studio.theme.tokens import NOTE_SIZE, TEXT_SIZE

_log = logging.getLogger(__name__)
_text_family = ""
_mono_family = ""


def register_fonts() -> tuple[str, str]:
    """Register the bundled faces and return the families (text, mono) that will be used.

    Where a bundled face is absent the system's own is used, and the log says so.
    """
    global _text_family, _mono_family
    if _text_family and _mono_family:
        return _text_family, _mono_family
    found = _register_bundled()
    _text_family = _choose("Inter", found, QFontDatabase.SystemFont.GeneralFont)
    _mono_family = _choose("JetBrains Mono", found, QFontDatabase.SystemFont.FixedFont)
    return _text_family, _mono_family


def _register_bundled() -> set[str]:
    folder = files("fourdcb_resources").joinpath("fonts")
    families: set[str] = set()
    if not folder.is_dir():
        return families
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        if not entry.name.lower().endswith((".ttf", ".otf")):
            continue
        number = QFontDatabase.addApplicationFontFromData(QByteArray(entry.read_bytes()))
        if number < 0:
            _log.warning("the bundled font %s cannot be read", entry.name)
            continue
        families.update(QFontDatabase.applicationFontFamilies(number))
    return families


def _choose(wanted: str, found: set[str], fallback: QFontDatabase.SystemFont) -> str:
    near = sorted(f for f in found if f == wanted or f.startswith(wanted + " "))
    if near:
        return wanted if wanted in near else near[0]
    if QFontDatabase.hasFamily(wanted):
        return wanted
    system = QFontDatabase.systemFont(fallback).family()
    _log.warning("the face %s is not bundled; using the system's %s", wanted, system)
    return system


def text_font(size: int = TEXT_SIZE, *, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The face for words, ``size`` in px. Shared: copy it before changing it."""
    return _font(register_fonts()[0], size, weight)


def note_font(*, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The face for notes and row labels."""
    return text_font(NOTE_SIZE, weight=weight)


def mono_font(size: int = NOTE_SIZE, *, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The face for figures, ``size`` in px: all digits are as wide, so numbers do not dance."""
    return _font(register_fonts()[1], size, weight)


def section_font() -> QFont:
    """The face of section titles: small capitals by size, weight and spacing."""
    font = QFont(text_font(11, weight=QFont.Weight.DemiBold))
    font.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, 0.7)
    return font


@lru_cache(maxsize=64)
def _font(family: str, size: int, weight: QFont.Weight) -> QFont:
    font = QFont(family)
    font.setPixelSize(size)
    font.setWeight(weight)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    if family == _mono_family:
        font.setFeature(QFont.Tag("calt"), 0)  # JetBrains Mono draws --- and != as one sign
    return font
