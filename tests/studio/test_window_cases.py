"""Going through the candidates of a scene in the real window."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QListWidget

from fourdcb_studio.actions import screenshot as last_picture
from fourdcb_studio.actions.screenshot import take_last_picture
from fourdcb_studio.main_window import MainWindow
from fourdcb_studio.panels.cases import Case
from fourdcb_studio.session.sources import find_sources

PATIENCE_MS = 180_000


@pytest.fixture
def three(scene_folder) -> list[Path]:
    """Three candidates in the scene's folder, sorted."""
    text = scene_folder.script.read_text()
    second = scene_folder.script.with_name("wrong_x.py")
    second.write_text(text.replace("restitution=0.3", "restitution=0.8").replace("vel=[0.3,", "vel=[0.6,"))
    third = scene_folder.script.with_name("right.py")
    third.write_text((scene_folder.folder / "world.py").read_text())
    return sorted([scene_folder.script, second, third])


def _case(window: MainWindow, name: str) -> Case:
    window.flush()
    for rows in window.parts.cases.findChildren(QListWidget):
        for i in range(rows.count()):
            if rows.item(i).text() == name:
                case: Case = rows.item(i).data(0x0100)[0]
                return case
    raise AssertionError(f"no case {name}")


def test_a_key_goes_through_the_candidates_and_keeps_frame_zoom_mode_and_range(
    window: MainWindow, scene_folder, three: list[Path]
) -> None:
    window.open_paths([scene_folder.folder])
    assert window.session.sources.script == three[0]
    clock = window.session.clock
    clock.seek(4)
    clock.mark_in()
    clock.seek(9)
    clock.mark_out()
    window.session.comparison.update(mode="difference")
    window.parts.images.zoom_by(2.0)
    view = window.parts.images.view()
    for expected in (three[1], three[2], three[0]):
        window.actions_.run("next_case")
        assert window.session.sources.script == expected
    window.actions_.run("previous_case")
    assert window.session.sources.script == three[2]
    assert (clock.frame, clock.loop_range) == (9, (4, 9))
    assert window.parts.images.mode() == "difference"
    assert window.parts.images.view() == view


def test_unsaved_edits_wait_while_another_candidate_is_looked_at(
    window: MainWindow, scene_folder, three: list[Path]
) -> None:
    window.open_paths([scene_folder.script])
    window.session.commit("ball.friction", 0.6)
    window.session.commit("ball.mass", 0.9)
    window.actions_.run("next_case")
    assert window.session.parameters is not None
    assert not window.session.unsaved
    assert _case(window, "wrong_restitution.py").note.startswith("edited")
    window.actions_.run("previous_case")
    assert window.session.parameters.values == {"ball.friction": 0.6, "ball.mass": 0.9}
    window.session.undo()  # its history came back with it
    assert window.session.parameters.values == {"ball.friction": 0.6}


def test_the_open_file_is_listed_with_the_verdict_of_its_edits(
    window: MainWindow, scene_folder, until
) -> None:
    window.open_paths([scene_folder.script])
    window.session.set_values({"ball.restitution": 0.8}, label="--set")
    assert _case(window, "wrong_restitution.py").note == "edited · judging …"
    until(lambda: window.session.settled)
    assert window.session.report is not None
    shown = _case(window, "wrong_restitution.py")
    assert shown.note.startswith("edited · ")
    assert shown.passed is (window.session.report.verdict == "DEPLOYABLE")
    window.session.reset_all()
    until(lambda: window.session.settled)
    plain = _case(window, "wrong_restitution.py")
    assert plain.passed is False
    assert "edited" not in plain.note


def test_a_script_from_outside_the_folder_is_listed_too(
    window: MainWindow, scene_folder, tmp_path: Path, until
) -> None:
    elsewhere = tmp_path / "my models"
    elsewhere.mkdir()
    outside = elsewhere / "wrong_restitution.py"
    outside.write_text(scene_folder.script.read_text())
    window.open_paths([scene_folder.folder, outside])
    assert window.session.sources.script == outside.resolve()
    assert _case(window, "my models/wrong_restitution.py").note == "judging …"
    window.actions_.run("next_case")
    assert window.session.sources.script == scene_folder.script.resolve()
    window.actions_.run("previous_case")
    assert window.session.sources.script == outside.resolve()


def test_several_scripts_and_a_video_are_candidates_of_one_scene(
    window: MainWindow, scene_folder, three: list[Path], tmp_path: Path
) -> None:
    copies = []
    for path in three:
        copies.append(tmp_path / path.name)
        copies[-1].write_text(path.read_text())
    window.open_paths([*copies, scene_folder.video])
    assert [p.name for p in window.session.sources.cases[-3:]] == [p.name for p in copies]


def test_the_last_picture_waits_for_the_verdicts_of_the_other_candidates(
    window: MainWindow, scene_folder, three: list[Path], tmp_path: Path, capfd
) -> None:
    window.open_paths([scene_folder.folder])
    take_last_picture(window, tmp_path / "picture.png")
    cases = window.session.scheduler.cases
    verdicts = {path.name: known.verdict for path in three if (known := cases.get(path)) is not None}
    assert verdicts == {
        "right.py": "DEPLOYABLE",
        "wrong_restitution.py": "DEPLOYMENT_NOT_RECOMMENDED",
        "wrong_x.py": "DEPLOYMENT_NOT_RECOMMENDED",
    }
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert "warning" not in capfd.readouterr().err


def test_the_last_picture_waits_no_longer_than_it_says(
    window: MainWindow, scene_folder, three: list[Path], tmp_path: Path, capfd, monkeypatch
) -> None:
    monkeypatch.setattr(last_picture, "VERDICTS_MS", 0)
    window.open_paths([scene_folder.folder])
    take_last_picture(window, tmp_path / "picture.png")
    assert window.session.report_is_fresh  # what the picture is of is never left out
    assert window.session.unjudged
    count = len(window.session.unjudged)
    assert f"warning: no verdict on {count} other candidate" in capfd.readouterr().err
    assert (tmp_path / "picture.png").exists()


def test_the_next_candidate_opens_whole_while_the_mouse_rests_on_a_body(
    window: MainWindow, scene_folder, until
) -> None:
    """A body of the candidate before is none of the next one's, which has fewer."""
    text = scene_folder.script.read_text()
    many = scene_folder.script.with_name("a_many.py")
    box = 'box = Object(name="box", geometry="box", size=[0.2, 0.2, 0.2], mass=1, restitution=0.1, '
    box += "friction=0.5, pos=[0.4, 0, 0.1], vel=[0, 0, 0], acc=[0, 0, -9.8])\n"
    text = text.replace("sun = Dir", f"{box}sun = Dir").replace("objects=[ball]", "objects=[ball, box]")
    many.write_text(text)
    session = window.session
    window.open_paths([scene_folder.folder, many])
    until(lambda: session.settled)
    window.parts.images.hovered.emit(32, 32)
    until(lambda: session.probe("candidate") is not None)
    probed = session.probe("candidate")
    assert probed is not None
    assert len(probed.world.bodies) == 3
    y, x = np.argwhere(probed.answer.instance == 2)[0].tolist()
    window.parts.images.hovered.emit(x, y)
    assert "object floor" in window.parts.pixels.text()
    seen: list[tuple[str, int]] = []

    def look() -> None:
        world = session.candidate_world
        seen.append((str(session.sources.script), len(world.bodies) if world else 0))

    for topic in ("clock", "frame", "scene", "world"):
        session.changes.subscribe(topic, look)  # type: ignore[arg-type]
    window.actions_.run("next_case")
    assert seen
    assert set(seen) == {(str(scene_folder.script), 2)}, "nobody sees half of another scene"
    until(lambda: session.settled)
    window.flush()
    shown = window.presenter.view.images()
    assert shown.replay.fresh
    assert window.presenter.view.status(shown=shown).freshness == "fresh"


def test_what_is_on_screen_decides_whether_all_is_fresh(window: MainWindow, scene_folder, until) -> None:
    window.open_paths([scene_folder.folder])
    until(lambda: window.session.settled)
    view = window.presenter.view
    before = view.images()
    window.session.clock.seek(7)
    until(lambda: window.session.settled)
    assert view.status(shown=view.images()).freshness == "fresh"
    assert view.status(shown=before).freshness == "stale"


def test_a_panel_that_fails_keeps_no_other_from_the_news(window: MainWindow, scene_folder) -> None:
    heard: list[str] = []

    def fail() -> None:
        raise IndexError("half of a scene")

    changes = window.session.changes
    changes.subscribe("scene", fail)
    changes.subscribe("scene", lambda: heard.append("scene"))
    changes.subscribe("status", lambda: heard.append("status"))
    with pytest.raises(IndexError, match="half"):
        window.session.open(find_sources([scene_folder.folder]))
    assert heard[:2] == ["scene", "status"]
