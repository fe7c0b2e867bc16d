"""Evaluators of other makers: run once over all answers, their numbers beside ours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fourdcb.errors import UserError
from fourdcb.evaluation.catalog import load_benchmarks
from fourdcb.evaluation.external.normalizers import normalized
from fourdcb.evaluation.runs.execution import run_evaluate
from fourdcb.evaluation.runs.request import EvaluateRunRequest
from fourdcb.evaluation.trials import make_samples

EVALUATOR = """
import json, pathlib, sys
answers, references, requests, output = sys.argv[1:]
pathlib.Path("calls").open("a").write("called\\n")
asked = [json.loads(line)["sample_id"] for line in open(requests)]
rows = []
for name in asked:
    path = pathlib.Path(answers, name + ".py")
    if path.is_file() and not name.endswith("2"):
        rows.append({"sample_id": name, "length": len(path.read_text()), "odd": "text", "more": 1})
open(output, "w").write(json.dumps(rows))
"""
COMMAND = "python evaluate.py {answers} {references} {requests} {output}"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    make_samples(tmp_path / "data", 4)
    answers = tmp_path / "answers"
    answers.mkdir()
    for k, folder in enumerate(sorted((tmp_path / "data").iterdir())[:3]):
        (answers / f"{folder.name}.py").write_text("#" * (10 + k))
    (tmp_path / "evaluate.py").write_text(EVALUATOR)
    write_catalog(tmp_path)
    return tmp_path


def write_catalog(place: Path, command: str = COMMAND, normalizer: str = "rows") -> None:
    entry = {
        "id": "theirs", "revision": "1", "data": "data",
        "evaluator": {
            "command": command, "normalizer": normalizer, "numbers": {"length": "lower", "odd": None},
        },
    }  # fmt: skip
    catalog = {"format": "fourdcb.benchmark_catalog", "version": 1, "benchmarks": [entry]}
    (place / "benchmarks.yaml").write_text(json.dumps(catalog))


def run(place: Path, **settings):
    return run_evaluate(
        EvaluateRunRequest(
            model=str(place / "answers"), benchmark="theirs", benchmark_catalog=place / "benchmarks.yaml",
            out=place / "run", workers=1, **settings,
        )
    ).card  # fmt: skip


def test_its_numbers_enter_the_scorecard_with_what_is_missing_counted(place: Path) -> None:
    card = run(place)
    length = card["metrics"]["length"]
    assert length["definition"]["direction"] == "lower"
    assert length["definition"]["owner"] == "external"
    assert length["definition"]["parameters"]["command"] == COMMAND
    assert list(length["definition"]["parameters"]["files"]) == ["evaluate.py"]
    assert length["aggregate"]["value"] == pytest.approx(10.5)  # 10 and 11; the third was left out
    assert length["aggregate"]["total"] == 4
    assert length["skipped"] == {"generation_failed": 1, "metric_not_returned": 1}
    assert card["metrics"]["odd"]["skipped"]["not_a_finite_number"] == 2
    assert "more" not in card["metrics"]
    assert card["claim"] == "diagnostic"


def test_it_runs_again_only_when_an_answer_changed(place: Path) -> None:
    calls = place / "calls"
    first = run(place)
    assert run(place, resume=True) == first
    assert calls.read_text().count("called") == 1
    answer = sorted((place / "answers").iterdir())[0]
    answer.write_text("#" * 100)
    assert run(place, resume=True)["metrics"]["length"]["aggregate"]["value"] == pytest.approx(55.5)
    assert calls.read_text().count("called") == 2
    write_catalog(place, "python -c 'import sys; sys.exit(1)' {output}")
    assert run(place, resume=True)["metrics"]["length"]["aggregate"]["count"] == 0
    write_catalog(place)
    (place / "run" / "external" / "raw").write_text("[]")  # edited by hand: not what the evaluator wrote
    assert run(place, resume=True)["metrics"]["length"]["aggregate"]["value"] == pytest.approx(55.5)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("python -c 'import sys; sys.exit(\"out of order\")' {output}", "exit code 1"),
        ("./nowhere {output}", "cannot be run"),
        ("python -c pass {requests} {output}", "wrote nothing"),
    ],
)
def test_an_evaluator_that_fails_costs_its_own_numbers_only(place: Path, command: str, why: str) -> None:
    write_catalog(place, command)
    card = run(place)
    assert card["metrics"]["length"]["aggregate"]["value"] is None
    assert card["metrics"]["length"]["skipped"]["metric_failed"] == 3
    assert card["metrics"]["generation_success"]["aggregate"]["value"] == 0.75
    assert not card["score_valid"]
    rows = (place / "run" / "metrics" / "per_sample.jsonl").read_text()
    assert why in rows


def test_a_catalog_says_what_is_wrong_with_an_evaluator(place: Path) -> None:
    write_catalog(place, "python evaluate.py {answers}")
    with pytest.raises(UserError, match="told no file to write"):
        load_benchmarks(place / "benchmarks.yaml")
    text = (place / "benchmarks.yaml").read_text()
    (place / "benchmarks.yaml").write_text(text.replace('"lower"', '"down"'))
    with pytest.raises(UserError, match="no such direction"):
        load_benchmarks(place / "benchmarks.yaml")
    (place / "benchmarks.yaml").write_text(text.replace('"normalizer"', '"normaliser"'))
    with pytest.raises(UserError, match="unknown normaliser"):
        load_benchmarks(place / "benchmarks.yaml")


@pytest.mark.parametrize(
    ("text", "by"),
    [
        ('[{"sample_id": "a", "x": 1.5}, {"sample_id": "b", "x": null}]', "rows"),
        ('{"sample_id": "a", "x": 1.5}\n\n{"sample_id": "b", "x": null}\n', "rows"),
        ("sample_id,x,y\na,1.5,3\nb,,\n", "rows"),
        ('{"a": {"x": 1.5, "y": 2}, "b": {"x": null}}', "table"),
    ],
)
def test_outputs_of_several_shapes_mean_the_same(text: str, by: str) -> None:
    found = normalized(text, by=by, samples=["a", "b", "c"], numbers=["x"], where="raw")
    assert found == {"a": {"x": 1.5}, "b": {"x": None}}


@pytest.mark.parametrize(
    ("text", "by", "why"),
    [
        ('[{"sample_id": "a"}, {"sample_id": "a"}]', "rows", "two rows"),
        ("[1]", "rows", "names no sample"),
        ("x,y\n1,2\n", "rows", "no list of rows"),
        ("", "rows", "no list of rows"),
        ("[]", "table", "another shape"),
        ('{"a": 1}', "table", "gave no table"),
        ("{}", "tables", "no normalizer"),
    ],
)
def test_outputs_that_mean_nothing_are_refused(text: str, by: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        normalized(text, by=by, samples=["a"], numbers=["x"], where="raw")
