"""Evaluation runs of one model as sources: scores, scenes as clusters; what has no number is left out."""

from __future__ import annotations

import csv
import textwrap

import pytest

from fourdcb.errors import UserError
from fourdcb.evaluation.runs.execution import run_evaluate
from fourdcb.evaluation.runs.request import EvaluateRunRequest
from fourdcb.x4val.config import load_config
from fourdcb.x4val.from_runs import sources_from_runs

MODULE = """
from fourdcb.evaluation.statistics import aggregate_mean

def model(video):
    if "full" in video and "03" in video:
        raise RuntimeError("too hard")
    return "world = World()\\n# " + "x" * (10 if "full" in video else 2)

def other(video):
    return model(video)

class Length:
    id, direction, parameters, version = "length", "lower", {}, "1"
    def compute_sample(self, request, result):
        return float(len(result.artifacts["script"]))
    def aggregate(self, scores, groups):
        return aggregate_mean(scores, groups)
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    (tmp_path / "runs_model.py").write_text(textwrap.dedent(MODULE))
    monkeypatch.syspath_prepend(str(tmp_path))

    def made(level: str, *, model: str = "model", samples: list[str] | None = None):
        for k in range(5):
            folder = tmp_path / "bench" / level / f"kind_{k:02d}"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "video.mp4").write_bytes(f"{level} {k}".encode())
        out = tmp_path / "runs" / f"{level}-{model}"
        run_evaluate(
            EvaluateRunRequest(
                model=f"runs_model:{model}", benchmark=str(tmp_path / "bench" / level), out=out,
                metrics=["runs_model:Length", "generation_success"], workers=1, samples=samples,
            )
        )  # fmt: skip
        return out

    return made


def _rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_scores_scenes_and_pool_come_over_and_what_has_no_number_does_not(run, tmp_path):
    clean = run("clean", samples=["kind_00", "kind_01", "kind_02"])
    made = sources_from_runs({"clean": clean, "full": run("full")}, "length", tmp_path / "x")
    assert made.scored == {"clean": 3, "full": 4}
    assert made.pool == {"clean": 2, "full": 0}  # clips that nobody asked about tell the control's mean
    assert made.missing == {"clean": (), "full": ("kind_03",)}
    answers = _rows(made.answers)
    assert {(r["source"], float(r["score"])) for r in answers} == {("clean", 20.0), ("full", 28.0)}
    labels = {row["sample"]: row for row in _rows(tmp_path / "x" / "full.csv")}
    assert sorted(labels) == ["kind_00", "kind_01", "kind_02", "kind_04"]
    assert {(row["label"], row["cluster"]) for row in labels.values()} == {("kind", name) for name in labels}
    names = [source.name for source in load_config(made.config).sources]
    assert names == ["clean", "full"]
    assert (tmp_path / "x" / "clean" / "kind_04.mp4").read_bytes() == b"clean 4"


def test_other_metrics_other_models_and_a_used_folder_are_refused(run, tmp_path):
    clean = run("clean")
    with pytest.raises(UserError, match=r"no number of this metric(.|\n)*length"):
        sources_from_runs({"clean": clean}, "psnr", tmp_path / "x")
    with pytest.raises(UserError, match="different models"):
        sources_from_runs({"a": clean, "b": run("full", model="other")}, "length", tmp_path / "y")
    (tmp_path / "z").mkdir()
    (tmp_path / "z" / "mine.txt").touch()
    with pytest.raises(UserError, match="not empty"):
        sources_from_runs({"clean": clean}, "length", tmp_path / "z")
