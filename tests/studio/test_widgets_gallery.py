"""The gallery writes pictures that are not blank, in both themes."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from fourdcb_studio import gallery
from fourdcb_studio.theme import apply_theme


def test_gallery_writes_a_shot_in_both_themes(qapp: QApplication, tmp_path: Path) -> None:
    written = gallery.write_gallery(qapp, tmp_path, ("window-small",))
    apply_theme(qapp, "dark")
    assert [p.name for p in written] == ["dark-window-small.png", "light-window-small.png"]
    for path in written:
        image = QImage(str(path))
        assert (image.width(), image.height()) == (1280, 720)
        assert len({image.pixel(x, y) for x in range(0, 1280, 9) for y in range(0, 720, 9)}) > 200


def test_every_shot_has_a_name_of_its_own() -> None:
    names = [name for name, *_ in gallery.SHOTS]
    assert len(set(names)) == len(names)


def test_without_a_folder_it_says_how_to_call_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert gallery.main([]) == 2
    assert "OUT_DIR" in capsys.readouterr().err
