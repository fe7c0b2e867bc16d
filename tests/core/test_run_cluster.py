"""Ray does the same: every outcome, and the bytes of the scorecard."""

from __future__ import annotations

import textwrap

import pytest

from fourdcb.evaluation.runs.execution import run_evaluate
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


@pytest.mark.optional
def test_the_scorecard_has_the_same_bytes(tmp_path, monkeypatch):
    pytest.importorskip("ray")
    for k in range(6):
        folder = tmp_path / "bench" / f"kind_{k:02d}"
        folder.mkdir(parents=True)
        (folder / "video.mp4").write_bytes(f"video {k}".encode())
    (tmp_path / "cluster_model.py").write_text(textwrap.dedent(MODULE))
    monkeypatch.syspath_prepend(str(tmp_path))
    cards = []
    for executor in ("local", "ray"):
        run_evaluate(
            EvaluateRunRequest(
                model="cluster_model:model", benchmark=str(tmp_path / "bench"), out=tmp_path / executor,
                metrics=["cluster_model:Length", "generation_success"], executor=executor, workers=2,
            )
        )  # fmt: skip
        cards.append((tmp_path / executor / "scorecard.json").read_bytes())
    assert cards[0] == cards[1]
