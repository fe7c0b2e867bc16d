"""Runs that are killed, resumed, sharded, changed: the scorecard is that of an undisturbed run."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from fourdcb.errors import UserError
from fourdcb.evaluation.runs.compare import compare_runs, leaderboard, load_run
from fourdcb.evaluation.runs.execution import run_evaluate, score_existing
from fourdcb.evaluation.runs.request import EvaluateRunRequest
from fourdcb.work.journal import read_journal

MODULE = """
import time
from pathlib import Path
from fourdcb.evaluation.runs.builtin_metrics import NumericField
from fourdcb.evaluation.statistics import aggregate_mean

def model(video):
    with open(Path(__file__).with_name("asked.log"), "a") as log:
        log.write(Path(video).parent.name + "\\n")
    time.sleep(0.01)
    if Path(video).parent.name.endswith("07"):
        raise RuntimeError("this one is too hard")
    return f"# {Path(video).parent.name}\\nworld = World()\\n"

class Length:
    id, direction, parameters = "length", "lower", {}
    version = "1"
    def compute_sample(self, request, result):
        with open(Path(__file__).with_name("scored.log"), "a") as log:
            log.write(request.sample_id + "\\n")
        return float(len(result.artifacts["script"])) / 7
    def aggregate(self, scores, groups):
        return aggregate_mean(scores, groups)

class Changed(Length):
    version = "2"

class Unversioned(Length):
    version = None

class Two(Length):
    id = "two"
    outputs = {"two.a": "higher", "two.b": None}
    def compute_sample(self, request, result):
        return {"two.a": 1.0} if request.sample_id.endswith("03") else {"two.a": 1.0, "two.b": 2.0}

class Rival(Length):
    id = "rival"
    outputs = {"length": "lower"}

class Sneaky(Length):
    id = "sneaky"
    outputs = {}
    def compute_sample(self, request, result):
        return {"length": 1.0}
"""


@pytest.fixture
def bench(tmp_path, monkeypatch):
    """A folder of twelve samples (videos of a few bytes: nothing decodes them) and a module with a model."""
    for k in range(12):
        folder = tmp_path / "bench" / f"kind{k % 3}_{k:02d}"
        folder.mkdir(parents=True)
        (folder / "video.mp4").write_bytes(f"video {k}".encode())
    (tmp_path / "my_model.py").write_text(textwrap.dedent(MODULE))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop("my_model", None)


def _request(bench, out="run", **changes):
    fields = {
        "model": "my_model:model",
        "benchmark": str(bench / "bench"),
        "out": bench / out,
        "workers": 1,
        "metrics": ["my_model:Length", "generation_success"],
    }
    return EvaluateRunRequest(**{**fields, **changes})


def _card(bench, out="run"):
    return (bench / out / "scorecard.json").read_bytes()


def _lines(bench, name):
    path = bench / name
    return path.read_text().split() if path.is_file() else []


def test_a_run_scores_answers_and_counts_failures(bench):
    outcome = run_evaluate(_request(bench))
    card = outcome.card
    assert card["samples"] == 12
    assert card["generation"] == {"failed": 1, "ok": 11}
    success = card["metrics"]["generation_success"]["aggregate"]
    assert (success["count"], success["total"]) == (12, 12)
    assert success["value"] == pytest.approx(11 / 12)
    length = card["metrics"]["length"]
    assert (length["aggregate"]["count"], length["aggregate"]["total"]) == (11, 12)
    assert length["skipped"] == {"generation_failed": 1}
    assert length["aggregate"]["groups"] == 3
    assert card["claim"] == "diagnostic"
    assert not card["leaderboard_valid"]
    assert "this one is too hard" in (bench / "run" / "report.md").read_text()


def test_a_run_that_is_killed_at_random_instants_ends_like_any_other(bench):
    command = [
        sys.executable,
        "-m",
        "fourdcb",
        "run",
        "--model",
        "my_model:model",
        "--benchmark",
        str(bench / "bench"),
        "--metric",
        "my_model:Length",
        "--metric",
        "generation_success",
        "--workers",
        "2",
        "--resume",
    ]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(bench), os.environ.get("PYTHONPATH", "")])}
    subprocess.run([*command, "--out", str(bench / "whole")], env=env, check=True, capture_output=True)
    rng = random.Random(3)
    for _ in range(5):
        process = subprocess.Popen(
            [*command, "--out", str(bench / "torn")],
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(rng.uniform(0.3, 1.6))
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run([*command, "--out", str(bench / "torn")], env=env, check=True, capture_output=True)
    assert _card(bench, "torn") == _card(bench, "whole")
    rows = read_journal(bench / "torn" / "generation" / "results.jsonl").records
    assert len({row["sample_id"] for row in rows}) == len(rows) == 12


def test_resuming_generates_and_scores_nothing_twice(bench):
    run_evaluate(_request(bench))
    asked, scored, card = _lines(bench, "asked.log"), _lines(bench, "scored.log"), _card(bench)
    with pytest.raises(UserError, match="holds a run already"):
        run_evaluate(_request(bench))
    run_evaluate(_request(bench, resume=True))
    assert (_lines(bench, "asked.log"), _lines(bench, "scored.log"), _card(bench)) == (asked, scored, card)


def test_new_and_changed_metrics_are_computed_alone(bench):
    run_evaluate(_request(bench))
    asked = _lines(bench, "asked.log")
    run_evaluate(
        _request(bench, resume=True, metrics=["my_model:Length", "my_model:Two", "generation_success"])
    )
    assert len(_lines(bench, "scored.log")) == 11
    run_evaluate(_request(bench, resume=True, metrics=["my_model:Changed", "generation_success"]))
    assert len(_lines(bench, "scored.log")) == 22
    for _ in range(2):
        run_evaluate(_request(bench, resume=True, metrics=["my_model:Unversioned"]))
    assert len(_lines(bench, "scored.log")) == 44
    assert _lines(bench, "asked.log") == asked


def test_a_number_that_a_metric_keeps_back_is_invalid_and_computed_again(bench):
    card = run_evaluate(_request(bench, metrics=["my_model:Two"])).card
    entry = card["metrics"]["two.b"]
    assert entry["skipped"] == {"generation_failed": 1, "metric_not_returned": 1}
    assert entry["aggregate"]["total"] == 12
    assert not card["score_valid"]
    rows = read_journal(bench / "run" / "metrics" / "checkpoint.jsonl").records
    assert len(rows) == 10


def test_two_owners_of_a_number_are_refused_before_anything_is_generated(bench):
    with pytest.raises(UserError, match="the number 'length' has two owners"):
        run_evaluate(_request(bench, metrics=["my_model:Length", "my_model:Rival"]))
    assert not _lines(bench, "asked.log")
    with pytest.raises(UserError, match="the number 'length' has two owners"):
        run_evaluate(_request(bench, metrics=["my_model:Length", "my_model:Sneaky"]))


def test_other_settings_ask_the_model_again_and_a_removed_sample_asks_nobody(bench):
    run_evaluate(_request(bench))
    run_evaluate(_request(bench, resume=True, samples=["kind0_00", "kind1_01"]))
    assert len(_lines(bench, "asked.log")) == 12
    card = json.loads(_card(bench))
    assert card["samples"] == 2
    assert "only a part of the benchmark was run" in card["blocking_reasons"]
    run_evaluate(_request(bench, resume=True, model_parameters={"revision": "b"}))
    assert len(_lines(bench, "asked.log")) == 24


def test_a_changed_video_is_asked_and_scored_again_alone(bench):
    run_evaluate(_request(bench))
    (bench / "bench" / "kind0_00" / "video.mp4").write_bytes(b"another")
    run_evaluate(_request(bench, resume=True))
    assert _lines(bench, "asked.log")[12:] == ["kind0_00"]
    assert _lines(bench, "scored.log")[11:] == ["kind0_00"]


def test_a_damaged_line_costs_its_own_sample_only(bench):
    run_evaluate(_request(bench))
    card = _card(bench)
    path = bench / "run" / "generation" / "results.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0].replace(b"World", b"w0rld"), *lines[1:]]))
    run_evaluate(_request(bench, resume=True))
    assert len(_lines(bench, "asked.log")) == 13
    assert _card(bench) == card


def test_shards_merge_when_all_are_there(bench):
    whole = run_evaluate(_request(bench, out="whole"))
    for k in (1, 3):
        run_evaluate(_request(bench, shard=(k, 3)))
    with pytest.raises(UserError, match="a declared shard has no results"):
        score_existing(_request(bench), shards=3)
    run_evaluate(_request(bench, shard=(2, 3)))
    score_existing(_request(bench), shards=3)
    assert _card(bench) == _card(bench, "whole")
    assert whole.card["fingerprint"] == json.loads(_card(bench))["fingerprint"]


def test_more_shards_than_samples_are_fine(bench):
    for k in range(1, 15):
        run_evaluate(_request(bench, shard=(k, 14)))
    card = score_existing(_request(bench), shards=14).card
    assert card["samples"] == 12


def test_a_folder_of_something_else_is_left_alone(bench):
    (bench / "run").mkdir()
    (bench / "run" / "thesis.tex").write_text("years of work")
    with pytest.raises(UserError, match="holds something else"):
        run_evaluate(_request(bench))
    run_evaluate(_request(bench, out="other"))
    with pytest.raises(UserError, match="the run of another model"):
        run_evaluate(_request(bench, out="other", resume=True, model="my_model:Length"))


def test_runs_are_compared_pair_by_pair_and_only_when_they_can_be(bench):
    run_evaluate(_request(bench, out="a"))
    run_evaluate(_request(bench, out="b", model_parameters={"revision": "2"}))
    rows = compare_runs(load_run(bench / "a"), load_run(bench / "b"))
    assert [row.metric_id for row in rows] == ["length", "generation_success"]
    assert rows[0].difference.pairs == 11
    assert rows[0].difference.mean == 0.0
    run_evaluate(_request(bench, out="c", metrics=["my_model:Changed"]))
    with pytest.raises(UserError, match="defined differently"):
        compare_runs(load_run(bench / "a"), load_run(bench / "c"))
    run_evaluate(_request(bench, out="d", samples=["kind0_00"]))
    with pytest.raises(UserError, match="different samples"):
        compare_runs(load_run(bench / "a"), load_run(bench / "d"))
    rows = leaderboard([load_run(bench / "a")], metric="length")
    assert rows[0].why_not.startswith("the claim is diagnostic")


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small file system")
def test_a_full_disk_is_told_and_the_run_goes_on_when_there_is_space(bench):
    place = bench / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("mounting is not allowed here")
    try:
        ballast = place / "ballast"
        ballast.write_bytes(b"x" * 36_000)
        with pytest.raises(UserError, match="No space left"):
            run_evaluate(_request(bench, out="small/run"))
        ballast.unlink()
        subprocess.run(["mount", "-o", "remount,size=4m", str(place)], check=True)
        run_evaluate(_request(bench, out="small/run", resume=True))
        run_evaluate(_request(bench, out="whole"))
        assert _card(bench, "small/run") == _card(bench, "whole")
    finally:
        subprocess.run(["umount", str(place)], check=True)


def test_a_changed_model_is_asked_again(bench):
    run_evaluate(_request(bench))
    (bench / "my_model.py").write_text((bench / "my_model.py").read_text() + "\n# tuned\n")
    run_evaluate(_request(bench, resume=True))
    assert len(_lines(bench, "asked.log")) == 24


def test_an_edited_script_of_a_folder_is_another_answer(bench):
    answers = bench / "answers"
    answers.mkdir()
    for name in ("kind0_00", "kind1_01"):
        (answers / f"{name}.py").write_text("world = World()\n")
    fields = {"model": "answers", "samples": ["kind0_00", "kind1_01"]}
    run_evaluate(_request(bench, **fields))
    (answers / "kind1_01.py").write_text("world = World()  # better\n")
    run_evaluate(_request(bench, resume=True, **fields))
    assert "better" in (bench / "run" / "scripts" / "kind1_01.py").read_text()
    assert _lines(bench, "scored.log") == ["kind0_00", "kind1_01", "kind1_01"]


def test_what_is_there_is_scored_without_the_model_and_from_anywhere(bench, monkeypatch):
    card = json.loads(json.dumps(run_evaluate(_request(bench, at_most="diagnostic")).card))
    settings = json.loads((bench / "run" / "command.json").read_text())
    assert settings["at_most"] == "diagnostic"
    elsewhere = bench / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    settings["criteria"] = settings["benchmark_catalog"] = None
    request = EvaluateRunRequest(
        out=bench / "run", workers=1, **{**settings, "metrics": ["generation_success"]}
    )
    (bench / "my_model.py").write_text("def model(video): return 'another'\n")
    again = score_existing(request).card
    assert again["model"] == card["model"]
    assert again["generation"] == card["generation"]


def test_a_lowered_claim_stays_low_when_the_run_is_resumed(bench):
    run_evaluate(_request(bench, at_most="diagnostic"))
    for again in (None, "exact_reproduction"):
        run_evaluate(_request(bench, at_most=again, resume=True))
        assert json.loads((bench / "run" / "command.json").read_text())["at_most"] == "diagnostic"


def test_a_model_that_never_answered_leaves_no_claim_to_the_folder(bench):
    with pytest.raises(UserError, match="has no 'modle'"):
        run_evaluate(_request(bench, model="my_model:modle"))
    assert run_evaluate(_request(bench)).card["generation"] == {"failed": 1, "ok": 11}


def test_a_folder_of_another_benchmark_or_version_is_left_alone(bench):
    run_evaluate(_request(bench))
    (bench / "bench").rename(bench / "other")
    with pytest.raises(UserError, match="the run of another benchmark"):
        run_evaluate(_request(bench, benchmark=str(bench / "other"), resume=True))
    plan = bench / "run" / "plan.json"
    plan.write_text(plan.read_text().replace('"version": 1\n}', '"version": 2\n}'))
    with pytest.raises(UserError, match="the plan cannot be used") as caught:
        run_evaluate(_request(bench, benchmark=str(bench / "other"), resume=True))
    assert "version 2" in str(caught.value)
    assert str(plan) in str(caught.value)


def test_wrong_wishes_are_refused_before_anything_is_asked(bench):
    with pytest.raises(UserError, match="there is no such claim"):
        run_evaluate(_request(bench, at_most="best"))
    with pytest.raises(UserError, match="the model's name already"):
        run_evaluate(_request(bench, model_parameters={"function": "os:getcwd"}))
    assert not (bench / "run").exists()
    card = run_evaluate(_request(bench, model_parameters={"revision": 2})).card
    assert card["generation"]["ok"] == 11


def test_the_installed_command_finds_a_model_in_the_working_folder(bench):
    # A console script does not have the working folder on its path, as `python -m` has.
    code = "import sys; sys.path = [p for p in sys.path if p]; from fourdcb.cli import main; main()"
    command = [sys.executable, "-P", "-c", code, "run", "--model", "my_model:model", "--benchmark", "bench"]
    command += ["--out", "run", "--metric", "my_model:Length", "--workers", "1", "--sample", "kind0_00"]
    done = subprocess.run(command, cwd=bench, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert _lines(bench, "asked.log") == ["kind0_00"]
