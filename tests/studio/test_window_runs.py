"""Evaluation runs in the real window, opened, followed, narrowed; one answer and two looked at."""

from __future__ import annotations

import shutil
import textwrap
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from fourdcb.evaluation.runs.execution import run_evaluate
from fourdcb.evaluation.runs.folder import RunFolder
from fourdcb.evaluation.runs.request import EvaluateRunRequest
from fourdcb_studio.main_window import MainWindow
from fourdcb_studio.presenters.runs import RunsPresenter

METRIC = """
from fourdcb.evaluation.statistics import aggregate_mean

class Verdict:
    # Stands in for the judge: a script with a wrong restitution does not pass.
    id, direction, parameters, version = "verdict_of_text", "higher", {}, "1"
    outputs = {"deployable": "higher", "physics_passed": "higher", "delta_pos": "lower"}
    def compute_sample(self, request, result):
        good = float("restitution=0.8" in result.artifacts["script"])
        return {"deployable": good, "physics_passed": good, "delta_pos": 1.0 - good}
    def aggregate(self, scores, groups):
        return aggregate_mean(scores, groups)
"""


@pytest.fixture
def runs(scene_folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two models over two samples; ``good`` answers both, ``bad`` one, wrongly."""
    (tmp_path / "window_metric.py").write_text(textwrap.dedent(METRIC))
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("drop_a", "drop_b"):
        folder = tmp_path / "bench" / name
        folder.mkdir(parents=True)
        shutil.copy(scene_folder.video, folder)
        shutil.copy(scene_folder.script.parents[1] / "world.py", folder)
    for model, source, names in (
        ("good", scene_folder.script.parents[1] / "world.py", ("drop_a", "drop_b")),
        ("bad", scene_folder.script, ("drop_a",)),
    ):
        (tmp_path / model).mkdir()
        for name in names:
            shutil.copy(source, tmp_path / model / f"{name}.py")
        run_evaluate(
            EvaluateRunRequest(
                model=str(tmp_path / model), benchmark=str(tmp_path / "bench"), out=tmp_path / "runs" / model,
                metrics=["window_metric:Verdict", "generation_success"], workers=1,
            )
        )  # fmt: skip
    return tmp_path / "runs"


def opened(window: MainWindow, folder: Path, until) -> RunsPresenter:
    window.open_paths([folder])
    until(lambda: window.runs.idle and bool(window.runs.table.runs))
    assert window.runs.is_shown
    return window.runs


def says(runs: RunsPresenter) -> list[list[str]]:
    model = runs.page.table.rows
    return [
        [str(model.index(row, column).data()) for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def test_a_folder_of_runs_is_a_table_of_samples_and_models(window: MainWindow, runs: Path, until) -> None:
    found = opened(window, runs, until)
    rows = says(found)
    assert [row[0] for row in rows] == ["drop_a", "drop_b"]
    assert rows[0][1:] == ["Physics", "Deployable"]
    assert rows[1][1].startswith("no answer")
    heads = [found.page.table.rows.headerData(k, Qt.Orientation.Horizontal) for k in range(3)]
    assert heads == ["Sample", "bad\n0 of 2 deployable", "good\n2 of 2 deployable"]
    found.page.measure_chosen.emit("delta_pos")
    assert says(found)[0][1:] == ["1", "0"]
    found.page.narrowed.emit("differ")
    assert [row[0] for row in says(found)] == ["drop_a"]
    found.page.searched.emit("nothing such")
    assert says(found) == []
    QTest.keyClick(found.page.table, Qt.Key.Key_Escape)
    assert len(says(found)) == 2


def test_an_answer_is_opened_with_the_others_as_cases_and_left_again(
    window: MainWindow, runs: Path, until
) -> None:
    found = opened(window, runs, until)
    found.page.table.select([("drop_a", 0)])
    QTest.keyClick(found.page.table, Qt.Key.Key_Return)
    assert not found.is_shown
    sources = window.session.sources
    assert sources.title == "drop_a · bad"
    assert sources.script == runs / "bad" / "scripts" / "drop_a.py"
    assert [sources.case_name(path) for path in sources.cases] == ["bad/…/drop_a.py", "good/…/drop_a.py"]
    window.actions_.run("show_library")  # back to where it came from
    assert found.is_shown
    window.actions_.run("show_runs")
    assert not found.is_shown
    window.actions_.run("next_in_library")  # drop_b has no answer of this model
    assert window.session.message is not None
    assert window.session.message.kind == "last_case"


def test_two_answers_to_one_sample_stand_side_by_side(window: MainWindow, runs: Path, until) -> None:
    found = opened(window, runs, until)
    found.page.table.select([("drop_a", 0)])
    QTest.keyClick(found.page.table, Qt.Key.Key_C)
    assert found.is_shown  # one answer is no pair
    assert window.session.message is not None
    assert window.session.message.kind == "runs_pair"
    found.page.table.select([("drop_a", 0), ("drop_a", 1)])
    QTest.keyClick(found.page.table, Qt.Key.Key_C)
    until(lambda: window.session.idle)
    images = window.bench.view.images()
    assert (images.original.label, images.replay.label) == ("bad", "good")
    assert images.original.image is not None
    assert images.replay.image is not None


def test_an_answer_with_other_names_says_why_there_are_no_strips(
    window: MainWindow, runs: Path, until
) -> None:
    script = runs / "bad" / "scripts" / "drop_a.py"
    script.write_text(script.read_text().replace('"ball"', '"thing"'))
    found = opened(window, runs, until)
    found.open_answer("drop_a", 0)
    until(lambda: window.session.idle)
    window.flush()
    assert "no body of these names" in window.parts.time.data().note


def test_a_run_that_goes_on_is_followed(window: MainWindow, runs: Path, until) -> None:
    folder = RunFolder(runs / "bad")
    whole = folder.results().read_bytes().splitlines(keepends=True)
    folder.results().write_bytes(whole[0])
    folder.scorecard.unlink()
    folder.set_status("generation", "running", planned=2)
    found = opened(window, runs, until)
    assert says(found)[1][1] == "waiting"
    assert "stopped, 1 of 2 answered" in str(found.page.table.rows.headerData(1, Qt.Orientation.Horizontal))
    folder.results().write_bytes(b"".join(whole))
    until(lambda: says(found)[1][1].startswith("no answer"))


def test_what_is_no_run_says_so_and_damaged_runs_hide_no_others(
    window: MainWindow, runs: Path, until
) -> None:
    (runs / "bad" / "generation" / "results.jsonl").unlink()
    plan = runs / "bad" / "plan.json"
    plan.write_text(plan.read_text().replace('"split"', '"splat"'))
    window.open_paths([runs])
    until(lambda: bool(window.runs.table.runs))
    assert [run.model for run in window.runs.table.runs] == ["good"]
    assert window.session.message is not None
    shutil.rmtree(runs / "good")
    window.runs.open((runs,))
    until(lambda: window.runs.idle)
    assert window.runs.table.runs == ()
