"""The judge as a metric: all axes, worst verdicts for what cannot be replayed, cases for the Studio."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from fourdcb.evaluation.bundled import load_samples
from fourdcb.evaluation.runs.execution import run_evaluate
from fourdcb.evaluation.runs.request import EvaluateRunRequest
from fourdcb.library import CaseLibrary
from fourdcb.report.run_page import run_html

SCENES = Path(str(files("fourdcb_resources") / "scenes"))
SAMPLES = tuple(load_samples(SCENES / "samples.yaml"))  # scenes that are samples of templates


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Answers to the mini benchmark: one with a wrong light, one that is no script, the others right."""
    place = tmp_path_factory.mktemp("run")
    answers = place / "answers"
    answers.mkdir()
    for scene in ("bounce_ball", *SAMPLES):
        (answers / f"{scene}.py").write_bytes((SCENES / scene / "candidates" / "perfect.py").read_bytes())
    (answers / "slide_cup.py").write_bytes(
        (SCENES / "slide_cup" / "candidates" / "wrong_light.py").read_bytes()
    )
    (answers / "collide_pair.py").write_text("I cannot watch videos.\n")
    return run_evaluate(
        EvaluateRunRequest(model=str(answers), benchmark="mini", out=place / "out", workers=2)
    )


def test_every_answer_has_its_verdict(run):
    assert {row["sample_id"]: row["verdict"] for row in run.rows} == {
        "bounce_ball": "DEPLOYABLE",
        "collide_pair": "DEPLOYMENT_NOT_RECOMMENDED",
        "slide_cup": "DEPLOYMENT_NOT_RECOMMENDED",
        **dict.fromkeys(SAMPLES, "DEPLOYABLE"),
    }
    count = 3 + len(SAMPLES)
    metrics = run.card["metrics"]
    assert metrics["deployable"]["aggregate"]["value"] == pytest.approx((count - 2) / count)
    assert metrics["script_valid"]["aggregate"]["value"] == pytest.approx((count - 1) / count)
    assert metrics["delta_pos"]["aggregate"]["value"] == pytest.approx(0.0, abs=1e-6)
    assert metrics["delta_pos"]["skipped"] == {"script_invalid": 1}
    assert metrics["delta_pos"]["definition"]["direction"] == "lower"
    assert metrics["collision_accuracy"]["definition"]["direction"] == "higher"
    assert "replay_fps" not in metrics  # tells of the machine
    assert run.card["claim"] == "benchmark_comparable"
    assert run.card["leaderboard_valid"]


def test_a_run_is_a_library_of_cases(run):
    cases = {case.id.split("/")[-1]: case for case in CaseLibrary.open(run.folder).entries}
    assert set(cases) == {"bounce_ball", "collide_pair", "slide_cup", *SAMPLES}
    for case in cases.values():
        assert case.files.script.name == "candidate.py"
        assert case.files.script.is_file()
        assert case.files.video.is_file()
        assert case.files.reference.is_file()
    assert (run.folder / "reports" / "slide_cup" / "thumbnail.png").is_file()


def test_the_page_says_what_the_scorecard_says(run):
    page = run_html(run.card, run.rows)
    assert "fit for a leaderboard" in page
    assert "I cannot watch" not in page
    assert "script_invalid" in page
    card = json.loads((run.folder / "scorecard.json").read_text())
    assert card["fingerprint"] in page


def test_other_thresholds_or_a_part_of_the_samples_make_a_run_diagnostic(run, tmp_path):
    answers = run.card["model"]["parameters"]["folder"]
    request = EvaluateRunRequest(
        model=answers, benchmark="mini", out=tmp_path / "part", samples=["collide_pair"]
    )
    part = run_evaluate(request)
    assert part.card["claim"] == "diagnostic"
    assert any("the set is partial" in reason for reason in part.card["claim_reasons"])
    criteria = tmp_path / "loose.yaml"
    text = (SCENES.parent / "criteria" / "default.yaml").read_text()
    criteria.write_text(text.replace("delta_pos: {below: 0.02", "delta_pos: {below: 2.0"))
    loose = run_evaluate(
        request.__class__(**{**vars(request), "out": tmp_path / "loose", "criteria": criteria})
    )
    assert loose.card["claim"] == "diagnostic"
    assert "the criteria are not the benchmark's" in loose.card["claim_reasons"]
