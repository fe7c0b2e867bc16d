"""The colour roles of the Studio, dark and light, and the one that is in force."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

from PySide6.QtGui import QColor

from fourdcb.conventions import LUMINANCE, linear_from_srgb

ThemeName = Literal["dark", "light"]

GRID = 8
"""The layout grid [px]: margins and gaps are multiples or halves of it."""
RADIUS = 6
"""Corner radius of controls [px]; images and cards use GRID."""
TEXT_SIZE = 13
"""Text [px]."""
NOTE_SIZE = 12
"""Notes, labels of rows, figures in bars [px]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Colours by role, as ``#rrggbb``.

    Attributes:
        background: the window and the wells that images and strips lie in.
        panel, raised, line: surfaces upwards, and the hairlines between them.
        hover, pressed: a raised control under the mouse, and held down.
        text, muted: writing; both are readable on every surface.
        accent, on_accent: the one colour of selection and action, and writing on it.
        ok, bad, warning: state, always beside a shape or a word.
        selected, ok_fill, bad_fill, warning_fill: quiet fills behind text.
        track: the empty part of sliders and bars.
        playhead: the line of the present.
        axis_x, axis_y, axis_z: the axes of the world in plots and in the 3D view.
        negative, neutral, positive: ends and middle of the signed error map.
    """

    name: ThemeName
    background: str
    panel: str
    raised: str
    line: str
    hover: str
    pressed: str
    text: str
    muted: str
    accent: str
    on_accent: str
    ok: str
    bad: str
    warning: str
    selected: str
    ok_fill: str
    bad_fill: str
    warning_fill: str
    track: str
    playhead: str
    axis_x: str
    axis_y: str
    axis_z: str
    negative: str
    neutral: str
    positive: str

    def color(self, role: str, alpha: float = 1.0) -> QColor:
        """The colour of a role. Raises AttributeError for a role that does not exist."""
        color = QColor(getattr(self, role))
        color.setAlphaF(alpha)
        return color


DARK = Tokens(
    name="dark",
    background="#15171b",
    panel="#1c1f25",
    raised="#22262d",
    line="#2c313a",
    hover="#2a2f38",
    pressed="#1a1d22",
    text="#e6e9ef",
    muted="#8d96a5",
    accent="#5aa9ff",
    on_accent="#0c1420",
    ok="#3fb68b",
    bad="#ff6b5e",
    warning="#f2b84b",
    selected="#1f2b37",
    ok_fill="#1d3330",
    bad_fill="#3f2528",
    warning_fill="#3a3224",
    track="#343944",
    playhead="#ffffff",
    axis_x="#ff7a6b",
    axis_y="#63d08c",
    axis_z="#5aa9ff",
    negative="#3b8eed",
    neutral="#1c1f25",
    positive="#ee6c3a",
)

LIGHT = Tokens(
    name="light",
    background="#eef0f3",
    panel="#fafbfc",
    raised="#ffffff",
    line="#d3d8e0",
    hover="#f1f4f8",
    pressed="#e3e7ed",
    text="#1a1e26",
    muted="#566072",
    accent="#0a5fbf",
    on_accent="#ffffff",
    ok="#0d6b4a",
    bad="#b8261a",
    warning="#7d5200",
    selected="#e2edf9",
    ok_fill="#dff1ea",
    bad_fill="#fbe4e1",
    warning_fill="#f8edd6",
    track="#cdd3dc",
    playhead="#11151c",
    axis_x="#b93526",
    axis_y="#166a36",
    axis_z="#0a5fbf",
    negative="#1766c4",
    neutral="#fafbfc",
    positive="#c9481a",
)

_THEMES: dict[ThemeName, Tokens] = {"dark": DARK, "light": LIGHT}
_current: Tokens = DARK


def tokens() -> Tokens:
    """The colours in force."""
    return _current


def use(name: ThemeName) -> Tokens:
    """Put a theme in force for what is painted from now on; :func:`apply_theme` calls it."""
    global _current
    _current = _THEMES[name]
    return _current


def contrast(a: str, b: str) -> float:
    """WCAG 2.2 contrast ratio of two ``#rrggbb`` colours, 1 … 21."""
    high, low = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(color: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return float(linear_from_srgb(channels) @ LUMINANCE)


def color_roles() -> tuple[str, ...]:
    """Names of all colour roles."""
    return tuple(f.name for f in fields(Tokens) if f.name != "name")
