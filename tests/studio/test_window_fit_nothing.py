"""The Fit button where there is nothing to fit to."""

from __future__ import annotations

from pathlib import Path

from fourdcb_studio.main_window import MainWindow


def test_without_anything_to_fit_to_it_says_so(window: MainWindow, scene_folder, tmp_path: Path) -> None:
    lone = tmp_path / "lone.py"
    lone.write_text(scene_folder.script.read_text())
    window.open_paths([lone])
    window.actions_.run("solve")
    assert window.session.message is not None
    assert "nothing to fit to" in window.session.message.text
    assert not window.fitting.card.isVisible()
