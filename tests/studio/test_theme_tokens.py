"""The theme: readable contrast in both themes, honest colour maps, faces and icons that exist."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication

from fourdcb_studio.theme import (
    DARK,
    LIGHT,
    Tokens,
    apply_theme,
    contrast,
    icon,
    magnitude_colormap,
    magnitude_colors,
    mono_font,
    register_fonts,
    signed_colormap,
    signed_colors,
    tokens,
)
from fourdcb_studio.theme.tokens import ThemeName, color_roles

SURFACES = ("background", "panel", "raised", "hover", "selected")
WRITING = ("text", "muted", "accent", "ok", "bad", "warning", "axis_x", "axis_y", "axis_z")


def test_contrast_is_the_wcag_ratio() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)  # WebAIM's published figure
    assert contrast("#123456", "#123456") == pytest.approx(1.0)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_writing_is_readable_on_every_surface(theme: Tokens) -> None:
    pairs = [(ink, surface) for ink in WRITING for surface in SURFACES]
    pairs += [("on_accent", "accent"), ("bad", "bad_fill"), ("ok", "ok_fill"), ("warning", "warning_fill")]
    low = {p: contrast(getattr(theme, p[0]), getattr(theme, p[1])) for p in pairs}
    assert min(low.values()) >= 4.5, {p: round(c, 2) for p, c in low.items() if c < 4.5}


def test_both_themes_fill_every_role_with_a_colour() -> None:
    for theme in (DARK, LIGHT):
        for role in color_roles():
            assert theme.color(role).isValid(), role


def _lightness(lut: np.ndarray) -> np.ndarray:
    c = lut / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize(
    ("name", "ends"),
    [("dark", [(0, 32, 77), (255, 234, 70)]), ("light", [(0, 32, 77), (255, 234, 70)])],
)
def test_magnitude_map_leaves_the_dark_in_even_steps(
    qapp: QApplication, name: ThemeName, ends: list[tuple[int, int, int]]
) -> None:
    """More is brighter in both themes, from end to end, as under the sliders."""
    apply_theme(qapp, name)
    lut = magnitude_colormap()
    assert lut.shape == (256, 3)
    assert lut.dtype == np.uint8
    assert (np.diff(_lightness(lut)) > -1e-3).all()
    assert [tuple(lut[0]), tuple(lut[-1])] == ends


@pytest.mark.parametrize("name", ["dark", "light"])
def test_signed_map_is_symmetric_about_the_neutral(qapp: QApplication, name: ThemeName) -> None:
    theme = apply_theme(qapp, name)
    lut = signed_colormap().astype(int)
    neutral = np.array(
        [theme.color("neutral").red(), theme.color("neutral").green(), theme.color("neutral").blue()]
    )
    assert np.abs(lut[127] - neutral).max() <= 6
    assert lut[0, 2] > lut[0, 0], "negative is blue"
    assert lut[255, 0] > lut[255, 2], "positive is orange"
    away = np.abs(_lightness(signed_colormap()) - _lightness(signed_colormap())[127])
    assert away[0] == pytest.approx(away[255], rel=0.5), "both ends stand out alike"
    assert (np.diff(away[128:]) >= -1e-3).all()


def test_colours_of_values_hit_the_ends_and_the_middle() -> None:
    values = np.array([-60.0, 0.0, 60.0, 600.0, np.nan])
    colors = signed_colors(values, 60.0)
    assert (colors[0] == signed_colormap()[0]).all()
    assert (colors[2] == colors[3]).all()
    assert (colors[1] == colors[4]).all()
    assert (magnitude_colors(np.array([0.0, 5.0]), 5.0) == magnitude_colormap()[[0, 255]]).all()


def test_digits_are_equally_wide(qapp: QApplication) -> None:
    register_fonts()
    metrics = QFontMetricsF(mono_font())
    widths = {round(metrics.horizontalAdvance(d), 3) for d in "0123456789-+. "}
    assert len(widths) == 1


def test_bundled_icon_takes_the_colour_of_its_role(qapp: QApplication) -> None:
    apply_theme(qapp, "dark")
    image = icon("play", "accent").pixmap(32, 32).toImage()
    inked = [
        image.pixelColor(x, y) for x in range(32) for y in range(32) if image.pixelColor(x, y).alpha() == 255
    ]
    assert inked
    assert all(c.name() == tokens().accent for c in inked)


def test_an_icon_that_is_not_bundled_is_empty_and_logged(
    qapp: QApplication, caplog: pytest.LogCaptureFixture
) -> None:
    assert icon("no-such-icon").isNull()
    assert "no-such-icon" in caplog.text
