"""Models and metrics that do what they should not: it costs them their sample, never the run."""

from __future__ import annotations

import json
import sys
import textwrap

import pytest

from fourdcb.errors import UserError
from fourdcb.evaluation.catalog.samples import find_samples
from fourdcb.evaluation.runs.compare import compare_runs, load_run
from fourdcb.evaluation.runs.execution import run_evaluate
from fourdcb.evaluation.runs.gate import run_complaints
from fourdcb.evaluation.runs.request import EvaluateRunRequest

MODULE = """
from fourdcb.evaluation.api import SampleScore
from fourdcb.evaluation.statistics import aggregate_mean

def surrogate(video):
    return "world = World()\\n# \\ud800"

def raises_surrogate(video):
    raise RuntimeError("a\\u2028b\\x85c \\udfff")

def forger(video):
    if "a_1" in str(video):
        with open(video, "ab") as stream:
            stream.write(b"mine")
    return "world = World()\\n"

def good(video):
    return "world = World()\\n"

class Base:
    id, version, direction, parameters = "it", "1", "higher", {}
    def aggregate(self, scores, groups):
        return aggregate_mean(scores, groups)

class Infinite(Base):
    def compute_sample(self, request, result):
        return float("inf")

class Text(Base):
    def compute_sample(self, request, result):
        return "12"

class Foreign(Base):
    def compute_sample(self, request, result):
        return [SampleScore(sample_id="b_1", metric_id="it", value=9.0)]

class Twice(Base):
    def compute_sample(self, request, result):
        return [SampleScore(sample_id=request.sample_id, metric_id="it", value=x) for x in (0.0, 1.0)]

class Empty(Base):
    def compute_sample(self, request, result):
        return [SampleScore(sample_id=request.sample_id, metric_id="it")]

class Torn(Base):
    def compute_sample(self, request, result):
        raise ValueError("x\\u2028y\\x85 \\ud800")

from fourdcb.evaluation.judge_metric import JudgeMetric
mild_judge = JudgeMetric()

class MildJudge(JudgeMetric):
    def compute_sample(self, request, result):
        return self.worst(request.sample_id, "bribed")

class Half:
    id = "half"

class Needy(Base):
    def __init__(self, size):
        pass
"""


@pytest.fixture
def bench(tmp_path, monkeypatch):
    for name in ("a_1", "b_1"):
        folder = tmp_path / "bench" / name
        folder.mkdir(parents=True)
        (folder / "video.mp4").write_bytes(name.encode())
    (tmp_path / "strange.py").write_text(textwrap.dedent(MODULE))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop("strange", None)


def _request(bench, model="good", out="run", **changes):
    fields = {
        "model": f"strange:{model}",
        "benchmark": str(bench / "bench"),
        "out": bench / out,
        "workers": 1,
        "metrics": ["generation_success"],
    }
    return EvaluateRunRequest(**{**fields, **changes})


def test_an_answer_that_no_file_can_hold_is_kept_with_its_escapes(bench):
    card = run_evaluate(_request(bench, "surrogate")).card
    assert card["generation"] == {"ok": 2}
    assert (bench / "run" / "scripts" / "a_1.py").read_text().endswith("\n# \\ud800")


def test_an_error_with_strange_line_ends_is_told_and_read_back(bench):
    run_evaluate(_request(bench, "raises_surrogate"))
    run = load_run(bench / "run")
    assert run.card["generation"] == {"failed": 2}
    run_evaluate(_request(bench, out="torn", metrics=["strange:Torn"]))
    scores = load_run(bench / "torn").scores
    assert scores["a_1", "it"].detail["message"] == "ValueError: x\u2028y\x85 \\ud800"


@pytest.mark.parametrize(
    ("metric", "reason", "told"),
    [
        ("Infinite", "not_a_finite_number", ""),
        ("Text", "not_a_finite_number", ""),
        ("Foreign", "metric_failed", "a score of another sample"),
        ("Twice", "metric_failed", "two scores of one sample"),
        ("Empty", "metric_failed", "without a value"),
    ],
)
def test_what_is_no_score_of_the_sample_is_invalid(bench, metric, reason, told):
    run_evaluate(_request(bench, metrics=[f"strange:{metric}"], samples=["a_1"]))
    run = load_run(bench / "run")
    score = run.scores["a_1", "it"]
    assert (score.status, score.reason, score.value) == ("invalid", reason, None)
    assert told in score.detail.get("message", "")
    assert ("b_1", "it") not in run.scores


@pytest.mark.parametrize(
    ("metric", "told"),
    [
        ("Half", "is no metric"),
        ("Needy", "cannot be made without arguments"),
        ("mild_judge", "the judge is the run's own"),
        ("MildJudge", "the judge is the run's own"),
    ],
)
def test_what_is_no_metric_is_refused_before_anything_is_asked(bench, metric, told):
    with pytest.raises(UserError, match=told):
        run_evaluate(_request(bench, metrics=[f"strange:{metric}"]))
    assert not (bench / "run").exists()


def test_scores_that_are_damaged_are_told(bench):
    run_evaluate(_request(bench))
    path = bench / "run" / "metrics" / "per_sample.jsonl"
    path.write_text(path.read_text()[:-9])
    with pytest.raises(UserError, match="the scores are damaged"):
        load_run(bench / "run")


def test_a_number_that_does_not_count_is_no_pair(bench):
    for out in ("one", "two"):
        run_evaluate(_request(bench, out=out))
    path = bench / "two" / "metrics" / "per_sample.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[0]["status"] = "invalid"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (row,) = compare_runs(load_run(bench / "one"), load_run(bench / "two"))
    assert (row.difference.pairs, row.unpaired) == (1, 1)


def test_a_model_that_writes_the_videos_is_found_out(bench):
    with pytest.raises(UserError, match="changed while the model ran") as caught:
        run_evaluate(_request(bench, "forger"))
    assert "a_1/video.mp4" in str(caught.value)
    assert not (bench / "run" / "scorecard.json").exists()
    assert json.loads((bench / "run" / "status.json").read_text())["state"] == "interrupted"


def test_the_gate_computes_a_run_again(bench):
    run_evaluate(_request(bench))
    assert run_complaints(bench / "run") == []
    path = bench / "run" / "scorecard.json"
    card = json.loads(path.read_text())
    card["metrics"]["generation_success"]["aggregate"].update(value=0.9, low=0.5)
    card["fingerprint"] = "0" * 64
    path.write_text(json.dumps(card))
    told = run_complaints(bench / "run")
    assert told[0] == "it is the scorecard of another plan"
    assert told[1].startswith("generation_success: value, low is not what")


def test_samples_behind_links_count_and_links_that_lead_back_end(bench):
    data = bench / "bench"
    (bench / "rejected").mkdir()
    data.rename(bench / "rejected" / "real")
    data.mkdir()
    (data / "linked_1").symlink_to(bench / "rejected" / "real" / "a_1")
    (data / "back").symlink_to(data)
    assert [sample.sample_id for sample in find_samples(data)] == ["linked_1"]
    names = [sample.sample_id for sample in find_samples(bench / "rejected" / "real")]
    assert names == ["a_1", "b_1"]  # only folders within the benchmark may be called rejected
    (data / "broken").mkdir()
    (data / "broken" / "video.mp4").symlink_to(bench / "nowhere")
    with pytest.raises(UserError, match="a sample's file cannot be read"):
        find_samples(data)


def test_a_folder_that_is_not_utf8_is_refused(bench):
    (bench / "bench" / "\udcff").mkdir()
    (bench / "bench" / "\udcff" / "video.mp4").write_bytes(b"x")
    with pytest.raises(UserError, match="not UTF-8"):
        find_samples(bench / "bench")


def test_the_declared_camera_is_a_file_of_the_sample(bench):
    before = {s.sample_id: s.hashes for s in find_samples(bench / "bench")}
    (bench / "bench" / "a_1" / "camera.json").write_text("{}")
    after = {s.sample_id: s.hashes for s in find_samples(bench / "bench")}
    assert set(after["a_1"]) - set(before["a_1"]) == {"camera"}
    assert after["b_1"] == before["b_1"]
