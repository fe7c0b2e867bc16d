"""``fourdcb eval --save-case`` and ``fourdcb cases``: a judgement becomes a case, and is found again."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from fourdcb.cli.app import build_app
from fourdcb.errors import UserError
from fourdcb.library import CaseLibrary
from fourdcb.report import load_report

SCENE = Path(str(files("fourdcb_resources"))) / "scenes" / "bounce_ball"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(build_app(), [str(a) for a in arguments])


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platformdirs.user_data_path", lambda name: tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("cases") / "library"
    for name, options in (("wrong_restitution", []), ("perfect", ["--fast"])):
        judged = run(
            "eval", "--code", SCENE / "candidates" / f"{name}.py", "--video", SCENE / "video.mp4",
            "--output", root.parent / "report.json", "--save-case", root, *options,
        )  # fmt: skip
        assert f"Case: {root / f'bounce_ball_{name}'}" in judged.output, judged.output
        assert judged.exit_code == (1 if name == "wrong_restitution" else 0)
    return root


def test_an_evaluation_becomes_a_case_with_everything_in_it(library: Path) -> None:
    case = CaseLibrary.open(library).by_id["bounce_ball_wrong_restitution"]
    assert case.verdict == "not_deployable"
    assert case.object_types == ("sphere",)
    assert case.files.script is not None
    assert case.files.script.read_text() == (SCENE / "candidates" / "wrong_restitution.py").read_text()
    assert case.files.reference is not None
    assert case.files.video is not None
    assert case.files.video.parent == library / "media"
    assert case.files.picture is not None
    from PIL import Image

    with Image.open(case.files.picture) as picture:
        assert picture.size == (386, 192)  # original and replay, 192 px high


def test_cases_lists_the_worst_first_with_counts(library: Path) -> None:
    result = run("cases", library)
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[0].startswith("✗GP··  bounce_ball · wrong_restitution")
    assert "frame " in lines[0]
    assert lines[1].startswith("?··??  bounce_ball · perfect")
    assert any(line.split() == ["candidate", "perfect", "1,", "wrong_restitution", "1"] for line in lines)
    assert lines[-1] == "2 of 2 cases"


def test_filters_search_and_json(library: Path) -> None:
    document = json.loads(
        run("cases", library, "--filter", "axis=physics", "--text", "RESTITUTION", "--json").output
    )
    assert document["total"] == 2
    (case,) = document["cases"]
    assert case["candidate"] == "wrong_restitution"
    assert case["axes"]["physics"]["passed"] is False
    assert case["finding"]["frame"] is not None
    assert document["facets"]["axis"]["physics"] == 1
    assert json.loads(run("cases", library, "--text", "nothing like it", "--json").output)["cases"] == []
    assert "1 of 2 cases" in run("cases", library, "--filter", "verdict=inconclusive").output
    assert "1 not listed (--limit 0)" in run("cases", library, "--limit", 1).output


def test_bad_input_is_said(library: Path, tmp_path: Path) -> None:
    for arguments, words in (
        (["cases", tmp_path / "gone"], "not a folder of cases"),
        (["cases", library, "--filter", "axis=color"], "not a value of the facet"),
        (["cases", library, "--sort", "beauty"], "no such order"),
    ):
        result = run(*arguments)
        assert words in str(result.exception)
    assert "no reports under" in run("cases", tmp_path).output


def test_a_case_keeps_its_series_beside_its_report(library: Path, tmp_path: Path) -> None:
    case = library / "bounce_ball_wrong_restitution"
    document = json.loads((case / "report.json").read_text())
    assert document["version"] == 2
    assert document["series"]["file"] == "series.npz"
    assert (case / "series.npz").is_file()
    whole = tmp_path / "whole.json"
    assert f"Report: {whole}" in run("report", case / "report.json", "--embed-series", whole).output
    found = json.loads(whole.read_text())
    assert found["version"] == 1
    assert len(found["series"]["objects"]["ball"]["position"]) == len(found["series"]["times"]) > 1
    assert load_report(whole) == load_report(case / "report.json")


def test_series_go_beside_where_they_are_wanted(tmp_path: Path) -> None:
    files = [tmp_path / "my.json", tmp_path / "my.series.npz"]
    judged = run(
        "eval", "--code", SCENE / "candidates" / "perfect.py", "--video", SCENE / "video.mp4",
        "--output", files[0], "--series-beside", "--fast",
    )  # fmt: skip
    assert f"Series: {files[1]}" in judged.output
    assert load_report(files[0]).series["times"][0] == 0.0
    files[1].unlink()
    again = CliRunner().invoke(build_app(), ["report", str(files[0])])
    assert isinstance(again.exception, UserError)
