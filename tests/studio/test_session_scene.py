"""Sources, script documents, journals and the session itself, without processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fourdcb.errors import UserError
from fourdcb.metrics.result import Report
from fourdcb_studio.session.journal import Journal
from fourdcb_studio.session.messages import (
    FrameAnswer,
    FrameRequest,
    JudgeAnswer,
    Request,
    WorkerLost,
    WorkerReady,
)
from fourdcb_studio.session.scene_session import SceneSession
from fourdcb_studio.session.script_document import ScriptDocument
from fourdcb_studio.session.sources import find_sources
from fourdcb_studio.session.view import View

REPORT = Report(
    verdict="INCONCLUSIVE", claim="diagnostic", reasons=(), axes={}, image={}, findings=(), horizon={},
    series={}, inputs={}, environment={},
)  # fmt: skip


class _Process:
    """Answers frame requests when told to."""

    def __init__(self) -> None:
        self.sent: list[Request] = []

    def send(self, request: Request) -> None:
        self.sent.append(request)

    def answer(self, session: SceneSession, value: int) -> None:
        request = next(r for r in reversed(self.sent) if isinstance(r, FrameRequest))
        session.scheduler.receive(
            FrameAnswer(
                job=request.job, role=request.role, key=request.key, frame=request.frame,
                image=np.full((64, 64, 3), value, np.uint8), simulate_ms=1.0, draw_ms=1.0,
            )
        )  # fmt: skip


@pytest.fixture
def opened(scene_folder, manual_clock) -> tuple[SceneSession, _Process]:
    session, process = SceneSession(now=manual_clock), _Process()
    session.connect(process, None)
    session.open(find_sources([scene_folder.folder]))
    session.scheduler.receive(WorkerReady(pid=1, seconds=0.1))
    return session, process


def test_that_the_process_is_gone_is_told_until_it_is_back(opened: tuple[SceneSession, _Process]) -> None:
    session, process = opened
    session.scheduler.receive(WorkerLost(reason="exit code 1"))
    assert session.message is not None
    assert session.message.severity == "warning"
    session.scheduler.receive(WorkerReady(pid=2, seconds=0.1))
    assert session.message.severity == "info"
    assert "was started again" in session.message.text
    process.answer(session, 7)
    session.scheduler.receive(WorkerLost(reason="exit code 1"))
    session.tell(None)  # the user closed it: the end of it is no news
    session.scheduler.receive(WorkerReady(pid=3, seconds=0.1))
    assert session.message is None


def test_a_script_that_ended_the_process_twice_stays_an_error(opened: tuple[SceneSession, _Process]) -> None:
    session, _ = opened
    for pid in (2, 3):
        session.scheduler.receive(WorkerLost(reason="ended by signal 11"))
        session.scheduler.receive(WorkerReady(pid=pid, seconds=0.1))
    assert session.message is not None
    assert session.message.severity == "error"
    assert "ended twice on this script" in session.message.text


def test_the_session_keeps_the_verdict_of_the_open_script_as_saved_and_as_edited(
    opened: tuple[SceneSession, _Process],
) -> None:
    session, process = opened
    script, cases = session.sources.script, session.scheduler.cases
    assert script is not None

    def judge() -> None:
        key = session.scheduler.wanted_key("candidate")
        assert key is not None
        session.scheduler.receive(JudgeAnswer(job=0, key=key, report=REPORT, seconds=0.1))

    process.answer(session, 7)
    judge()
    saved = cases.get(script)
    assert saved is not None
    assert saved.verdict == REPORT.verdict
    assert saved.image is not None
    assert saved.image[0, 0, 0] == 7
    session.commit("ball.mass", 0.9)
    assert cases.get(script, edited=True) is None
    process.answer(session, 9)
    judge()
    edited = cases.get(script, edited=True)
    assert edited is not None
    assert edited.image is not None
    assert edited.image[0, 0, 0] == 9
    assert cases.get(script) == saved


# -- sources ---------------------------------------------------------------------------------------------
def test_a_folder_is_reference_video_and_candidates(scene_folder) -> None:
    sources = find_sources([scene_folder.folder])
    assert sources.title == "drop"
    assert sources.reference == (scene_folder.folder / "world.py").resolve()
    assert sources.video == scene_folder.video.resolve()
    assert sources.script == scene_folder.script.resolve()
    assert sources.candidates == (scene_folder.script.resolve(),)


def test_a_candidate_script_alone_finds_its_scene(scene_folder) -> None:
    assert find_sources([scene_folder.script]) == find_sources([scene_folder.folder])


def test_script_with_video_finds_the_reference_beside_the_video(scene_folder, tmp_path: Path) -> None:
    lone = tmp_path / "mine.py"
    lone.write_text(scene_folder.script.read_text())
    sources = find_sources([lone, scene_folder.video])
    assert sources.script == lone.resolve()
    assert sources.reference == (scene_folder.folder / "world.py").resolve()


def test_another_script_of_the_scene_joins_the_list_once(scene_folder, tmp_path: Path) -> None:
    sources = find_sources([scene_folder.folder])
    assert sources.with_script(sources.candidates[0]) == sources
    copy = tmp_path / "copy.py"
    joined = sources.with_script(copy)
    assert joined.script == copy
    assert joined.cases == (*sources.candidates, copy)
    assert joined.with_script(sources.candidates[0]).with_script(copy) == joined
    lone = find_sources([scene_folder.video]).with_script(copy).with_script(copy)
    assert lone.outside == (copy,)


def test_a_lone_script_has_no_reference(scene_folder, tmp_path: Path) -> None:
    lone = tmp_path / "mine.py"
    lone.write_text(scene_folder.script.read_text())
    sources = find_sources([lone])
    assert sources.reference is None
    assert sources.video is None


@pytest.mark.parametrize("names", [["a.mp4", "b.mp4", "c.mp4"], [], ["a.txt"], ["a.mp4", "b.mp4", "c.py"]])
def test_senseless_combinations_are_refused(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        (tmp_path / name).write_text("")
    with pytest.raises(UserError):
        find_sources([tmp_path / name for name in names])


# -- script documents and journals -----------------------------------------------------------------------
def test_saving_changes_the_literal_and_keeps_every_other_byte(scene_folder) -> None:
    document = ScriptDocument(scene_folder.script)
    before = document.source
    document.save({"ball.restitution": 0.45})
    assert scene_folder.script.read_text() == before.replace("restitution=0.3", "restitution=0.45")


def test_saving_over_a_file_that_changed_meanwhile_is_refused(scene_folder) -> None:
    document = ScriptDocument(scene_folder.script)
    scene_folder.script.write_text(document.source + "# other hands\n")
    with pytest.raises(UserError, match="changed on disk"):
        document.save({"ball.restitution": 0.45})
    assert "other hands" in scene_folder.script.read_text()


def test_a_touch_is_no_change(scene_folder) -> None:
    document = ScriptDocument(scene_folder.script)
    os.utime(scene_folder.script, (1, 1))
    assert not document.changed_on_disk()


def test_journal_offers_edits_of_a_dead_process_only_for_the_same_text(tmp_path: Path) -> None:
    script = tmp_path / "s.py"
    journal = Journal(tmp_path, script, "text")
    journal.record({"cup.mass": 1.0})
    journal.record({"cup.mass": 2.0})
    path = next(tmp_path.glob("*.jsonl"))
    assert Journal(tmp_path, script, "text").recoverable() == {}  # its owner lives
    dead = path.with_name(path.name.replace(f".{os.getpid()}.", ".999999999."))
    path.rename(dead)
    dead.write_text(dead.read_text() + '{"torn')
    assert Journal(tmp_path, script, "text").recoverable() == {"cup.mass": 2.0}
    assert Journal(tmp_path, script, "other text").recoverable() == {}
    journal.record({})
    assert not path.exists()


# -- the session -----------------------------------------------------------------------------------------
def test_the_newest_answer_is_shown_while_a_newer_edit_is_on_its_way(opened) -> None:
    session, process = opened
    view = View(session)
    process.answer(session, 1)
    session.change("ball.restitution", 0.4)
    session.change("ball.restitution", 0.5)
    shown = view.images().replay
    assert shown.image is not None
    assert shown.image[0, 0, 0] == 1
    assert not shown.fresh
    process.answer(session, 2)  # the picture of 0.4 arrives although 0.5 is wanted by now
    shown = view.images().replay
    assert shown.image is not None
    assert shown.image[0, 0, 0] == 2
    assert not shown.fresh
    process.answer(session, 3)
    shown = view.images().replay
    assert shown.fresh
    assert shown.note == "preview"


def test_candidates_stand_on_the_stage_of_the_reference(opened, scene_folder) -> None:
    session, _ = opened
    world = session.candidate_world
    assert world is not None
    assert session.reference is not None
    assert world.camera == session.reference.camera
    paths = {p.path for p in session.shown_parameters()}
    assert "ball.restitution" in paths
    assert not any(path.startswith("camera.") for path in paths)
    assert "floor.friction" in paths


def test_moving_things_come_first_and_resting_ones_have_no_velocity(opened) -> None:
    session, _ = opened
    owners = [p.owner for p in session.shown_parameters()]
    assert owners[0] == "ball"


def test_the_command_line_reproduces_the_view(opened, scene_folder) -> None:
    session, _ = opened
    session.clock.seek(7)
    session.comparison.update(mode="wipe")
    session.commit("ball.restitution", 0.35)
    line = View(session).command_line()
    assert "--frame 7" in line
    assert "--compare wipe" in line
    assert "--set ball.restitution=0.35" in line


def test_an_edit_that_is_out_of_range_is_a_message_and_changes_nothing(opened) -> None:
    session, _ = opened
    before = session.candidate_world
    session.commit("ball.restitution", 7.0)
    assert session.message is not None
    assert "out of range" in session.message.text
    assert session.candidate_world == before


def test_snapshots_become_before(opened) -> None:
    session, _ = opened
    session.commit("ball.restitution", 0.4)
    name = session.take_snapshot()
    session.commit("ball.restitution", 0.9)
    assert session.comparison.state.before == name
    key = session.scheduler.wanted_key("before")
    session.undo()
    assert session.scheduler.wanted_key("candidate") == key


def test_the_session_layer_imports_no_qt() -> None:
    code = "import fourdcb_studio.session, sys; print(any(m.startswith('PySide6') for m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
