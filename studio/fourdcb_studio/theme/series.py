"""Colours that tell several things of one kind apart: curves of a plot, trails of bodies."""

from __future__ import annotations

from fourdcb_studio.theme.tokens import tokens

# Hues far apart for colour-deficient eyes too (after Okabe and Ito), as light or dark as the theme asks for.
_DARK = ("#5aa9ff", "#f2b84b", "#3fc79a", "#ff8f7a", "#c4a0ff", "#5fd3e0", "#f0a3cf", "#c2cf62")
_LIGHT = ("#0a5fbf", "#9a5b00", "#0d6b4a", "#b8261a", "#6336b0", "#0b6b7d", "#a02a6c", "#5b6500")


def series_color(index: int) -> str:
    """``#rrggbb`` of the index-th thing; they repeat after eight."""
    colors = _DARK if tokens().name == "dark" else _LIGHT
    return colors[index % len(colors)]
