"""Models and metrics that do what they should not: it costs them their sample, never the run."""

from __future__ import annotations

import json
import sys
import textwrap

import pytest

from fourdcb.errors import UserError
from fourdcb.evaluation.runs.compare import compare_runs, load_run
from fourdcb.evaluation.runs.execution import run_evaluate
from fourdcb.evaluation.runs.request import EvaluateRunRequest

MODULE = """
from fourdcb.evaluation.api import SampleScore
from fourdcb.evaluation.statistics import aggregate_mean

def surrogate(video):
    return "world = World()\\n# \\ud800"

def raises_surrogate(video):
    raise RuntimeError("a\\u2028b\\x85c \\udfff")

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
    ("metric", "told"), [("Half", "is no metric"), ("Needy", "cannot be made without arguments")]
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
