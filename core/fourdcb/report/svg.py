"""Small pieces of SVG: axes, lines, strips. Colours are given for paper; the page's CSS adapts them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear map from values to pixels.

    Attributes:
        low, high: the ends in values; they differ.
        start, end: the ends in pixels.
    """

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def padded_scale(values: Iterable[float], *, start: float, end: float, least: float = 1e-9) -> Scale:
    """Scale that holds all values with a little air; ``least`` is the smallest span."""
    found = list(values)
    low, high = (min(found), max(found)) if found else (0.0, 1.0)
    air = max(0.06 * (high - low), 0.5 * (least - (high - low)))
    return Scale(low - air, high + air, start, end)


def round_ticks(low: float, high: float, *, count: int) -> list[float]:
    """About ``count`` values at 1, 2 or 5 times a power of ten within [low, high]."""
    raw = (high - low) / max(count, 1)
    if raw <= 0:
        return [low]
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [round(k * step, 12) for k in range(first, math.floor(high / step + 1e-9) + 1)]


def text(x: float, y: float, content: str, *, anchor: str = "start", kind: str = "note") -> str:
    """A label; ``kind`` is its CSS class (``note``, ``label`` or ``number``)."""
    fill = "#1a1e26" if kind == "label" else "#566072"
    family = "JetBrains Mono, monospace" if kind == "number" else "Inter, sans-serif"
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}" '
        f'font-size="11" font-family="{family}">{escape(content)}</text>'
    )


def line(x1: float, y1: float, x2: float, y2: float, *, kind: str = "grid") -> str:
    """A straight rule."""
    return (
        f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        'stroke="#d3d8e0" stroke-width="1"/>'
    )


def polyline(points: Sequence[tuple[float, float]], *, kind: str, stroke: str, dashed: bool = False) -> str:
    """A curve through points [px]."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dash = ' stroke-dasharray="5 4"' if dashed else ""
    return (
        f'<polyline class="{kind}" points="{path}" fill="none" stroke="{stroke}" stroke-width="1.6"'
        f'{dash} stroke-linejoin="round"/>'
    )


def strip(values: Sequence[float], *, x: Scale, y: float, height: float, limit: float, signed: bool) -> str:
    """A row of cells, one a frame, whose strength is |value| / limit (capped at 1).

    Runs of equal strength become one cell. Signed values take two hues, others one.
    """
    levels = [round(24 * max(-1.0, min(1.0, value / limit))) if limit > 0 else 0 for value in values]
    cells: list[str] = []
    start = 0
    for k in range(1, len(levels) + 1):
        if k < len(levels) and levels[k] == levels[start]:
            continue
        level = levels[start]
        if level:
            kind, fill = _hue(level, signed=signed)
            left = x(start)
            cells.append(
                f'<rect class="{kind}" x="{left:.2f}" y="{y:.1f}" width="{x(k) - left:.2f}" '
                f'height="{height:.1f}" fill="{fill}" fill-opacity="{abs(level) / 24:.2f}" '
                'shape-rendering="crispEdges"/>'
            )
        start = k
    return "".join(cells)


def _hue(level: int, *, signed: bool) -> tuple[str, str]:
    if not signed:
        return "size", "#7a4fb0"
    return ("positive", "#c9481a") if level > 0 else ("negative", "#1766c4")


def box(
    x: float, y: float, width: float, height: float, *, fill: str, opacity: float = 1.0, round_by: float = 0.0
) -> str:
    """A filled rectangle."""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{round_by:g}" '
        f'fill="{fill}" fill-opacity="{opacity:g}"/>'
    )


def dot(x: float, y: float, *, radius: float, fill: str, stroke: str = "none") -> str:
    """A filled circle."""
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{fill}" stroke="{stroke}" '
        'stroke-width="1.5"/>'
    )


def document(
    width: float, height: float, parts: Iterable[str], *, label: str, standalone: bool = False
) -> str:
    """An SVG; ``label`` is read to those who do not see it.

    Inline it scales with its column; standalone it is a file's content with a size of its own.
    """
    size = f'width="{width:.0f}" height="{height:.0f}"' if standalone else 'width="100%"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'{size} role="img" aria-label="{escape(label, quote=True)}">{"".join(parts)}</svg>'
    )
