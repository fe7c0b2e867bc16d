"""A run is read as far as it is, by whoever looks on, and no score is shown that no longer holds."""

from __future__ import annotations

import json
import os
import textwrap

import pytest

from fourdcb.errors import UserError
from fourdcb.evaluation.runs.compare import load_run
from fourdcb.evaluation.runs.execution import run_evaluate
from fourdcb.evaluation.runs.folder import RunFolder, alone_in
from fourdcb.evaluation.runs.reading import find_runs, is_run, read_run, run_stamp
from fourdcb.evaluation.runs.request import EvaluateRunRequest

MODULE = """
from fourdcb.evaluation.statistics import aggregate_mean

def model(video):
    if "03" in video:
        raise RuntimeError("too hard")
    return "world = World()\\n# " + video[-12:]

class Length:
    id, direction, parameters, version = "length", "lower", {}, "1"
    def compute_sample(self, request, result):
        return float(len(result.artifacts["script"]))
    def aggregate(self, scores, groups):
        return aggregate_mean(scores, groups)
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    for k in range(5):
        folder = tmp_path / "bench" / f"kind_{k:02d}"
        folder.mkdir(parents=True)
        (folder / "video.mp4").write_bytes(f"video {k}".encode())
    (tmp_path / "reading_model.py").write_text(textwrap.dedent(MODULE))
    monkeypatch.syspath_prepend(str(tmp_path))
    run_evaluate(
        EvaluateRunRequest(
            model="reading_model:model", benchmark=str(tmp_path / "bench"), out=tmp_path / "runs" / "a",
            metrics=["reading_model:Length", "generation_success"], workers=1,
        )
    )  # fmt: skip
    return tmp_path / "runs" / "a"


def test_a_finished_run_reads_as_its_scorecard_says(run):
    reading, finished = read_run(run), load_run(run)
    assert (reading.state, reading.stage, reading.model) == ("complete", "finished", "reading_model:model")
    assert reading.claim == finished.card["claim"]
    assert reading.blocking == tuple(finished.card["blocking_reasons"])
    for (sample_id, metric), score in finished.scores.items():
        assert reading.samples[sample_id].values.get(metric) == score.value
    states = [sample.state for sample in reading.samples.values()]
    assert states == ["judged", "judged", "judged", "failed", "judged"]
    assert "too hard" in reading.samples["kind_03"].why
    assert reading.samples["kind_00"].script == run / "scripts" / "kind_00.py"
    assert reading.samples["kind_03"].script is None
    assert reading.samples["kind_03"].video == run.parents[1] / "bench" / "kind_03" / "video.mp4"


def test_a_run_in_progress_reads_as_far_as_it_is_even_in_the_middle_of_a_line(run):
    folder = RunFolder(run)
    lines = folder.results().read_bytes().splitlines(keepends=True)
    folder.results().write_bytes(b"".join(lines[:2]) + lines[2][:20])
    folder.checkpoint.unlink()
    folder.scorecard.unlink()
    folder.set_status("generation", "running", planned=5)
    before = run_stamp(run)
    states = [sample.state for sample in read_run(run).samples.values()]
    assert states == ["answered", "answered", "waiting", "waiting", "waiting"]
    assert read_run(run).state == "stopped"  # nobody holds it
    with alone_in(folder):
        assert read_run(run).state == "running"
    assert run_stamp(run) == before  # looking on changes nothing
    folder.results().write_bytes(b"".join(lines[:3]))
    assert run_stamp(run) != before


def test_scores_for_another_answer_or_other_thresholds_are_not_shown(run):
    plan = json.loads((run / "plan.json").read_text())
    plan["criteria"] = {**plan["criteria"], "version": 99}
    (run / "plan.json").write_text(json.dumps(plan))
    reading = read_run(run)
    assert {sample.state for sample in reading.samples.values()} == {"answered", "failed"}
    assert not any(sample.values for sample in reading.samples.values())
    assert reading.claim == ""


def test_runs_are_found_alone_or_below_a_folder(run, tmp_path):
    assert find_runs(run) == (run,)
    assert find_runs(run.parent) == (run,)
    assert find_runs(tmp_path / "bench") == ()
    assert find_runs(tmp_path / "missing") == ()
    assert not is_run(tmp_path / "bench")
    (run / "plan.json").write_text("{")
    assert not is_run(run)
    with pytest.raises(UserError, match="no JSON"):
        read_run(run)


def test_a_dead_process_in_the_lock_is_nobody(run):
    RunFolder(run).set_status("scoring", "running")
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    (run / ".run.lock").write_text(str(child))
    assert read_run(run).state == "stopped"
