"""Ray does the same: every outcome, and the bytes of the scorecard."""

from __future__ import annotations

import textwrap
import time

import pytest

from fourdcb.evaluation.runs.execution import run_evaluate, score_existing
from fourdcb.evaluation.runs.request import EvaluateRunRequest
from fourdcb.work import Limits

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
def bench(tmp_path, monkeypatch):
    for k in range(6):
        folder = tmp_path / "bench" / f"kind_{k:02d}"
        folder.mkdir(parents=True)
        (folder / "video.mp4").write_bytes(f"video {k}".encode())
    (tmp_path / "cluster_model.py").write_text(textwrap.dedent(MODULE))
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def _request(bench, out, **fields):
    return EvaluateRunRequest(
        **{
            "model": "cluster_model:model", "benchmark": str(bench / "bench"), "out": bench / out,
            "workers": 2, "metrics": ["cluster_model:Length", "generation_success"], **fields,
        }
    )  # fmt: skip


@pytest.mark.optional
def test_the_scorecard_has_the_same_bytes(bench):
    pytest.importorskip("ray")
    cards = []
    for executor in ("local", "ray"):
        run_evaluate(_request(bench, executor, executor=executor))
        cards.append((bench / executor / "scorecard.json").read_bytes())
    assert cards[0] == cards[1]


@pytest.fixture
def two_nodes():
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    second = cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    yield cluster, second
    ray.shutdown()
    cluster.shutdown()


@pytest.mark.optional
def test_a_shard_of_another_node_joins_one_of_this_machine(bench, two_nodes):
    run_evaluate(_request(bench, "whole"))
    run_evaluate(_request(bench, "shards", shard=(1, 2)))
    run_evaluate(_request(bench, "shards", shard=(2, 2), executor="ray"))
    score_existing(_request(bench, "shards", resume=True), shards=2)
    cards = [(bench / name / "scorecard.json").read_bytes() for name in ("whole", "shards")]
    assert cards[0] == cards[1]


class _Where:
    """Work that tells where it runs, and takes its time."""

    def open(self):
        return self._tell

    def close(self):
        return None

    def _tell(self, seconds):
        time.sleep(seconds)
        return seconds


@pytest.mark.optional
def test_what_was_under_way_on_a_lost_node_is_done_again(two_nodes):
    cluster, second = two_nodes
    from fourdcb.work.cluster import RayExecutor

    payloads = [(f"k{k}", 0.3) for k in range(2)] + [(f"k{k}", 4.0) for k in range(2, 4)]
    outcomes = []
    for outcome in RayExecutor(2).run(_Where(), payloads, limits=Limits(seconds=60.0)):
        outcomes.append(outcome)
        if len(outcomes) == 2:
            cluster.remove_node(second, allow_graceful=False)
    assert sorted(outcome.key for outcome in outcomes) == ["k0", "k1", "k2", "k3"]
    assert {outcome.status for outcome in outcomes} == {"ok"}
