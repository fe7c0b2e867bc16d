"""Contracts of the evaluation core: they go to JSON and come back; what they do not know is refused."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourdcb.errors import UserError
from fourdcb.evaluation.api import (
    BenchmarkSpec,
    GenerationRequest,
    GenerationResult,
    MetricDefinition,
    SampleScore,
    TaskSpec,
)
from fourdcb.evaluation.runs.plan import (
    IN_FINGERPRINT,
    NOT_IN_FINGERPRINT,
    SAMPLE_IN_FINGERPRINT,
    SAMPLE_NOT_IN_FINGERPRINT,
    ModelEntry,
    PlannedSample,
    RunPlan,
)

_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
_TABLE = st.dictionaries(st.text(max_size=6), _JSON, max_size=4)


@given(st.text(), st.text(), _TABLE, _TABLE)
def test_a_request_comes_back_unchanged(sample_id, task, inputs, controls):
    request = GenerationRequest(sample_id=sample_id, task_name=task, inputs=inputs, controls=controls)
    assert GenerationRequest.from_dict(json.loads(json.dumps(request.to_dict()))) == request


@given(
    st.sampled_from(["ok", "failed", "timeout"]), st.dictionaries(st.text(), st.text(), max_size=3), _TABLE
)
def test_a_result_comes_back_unchanged(status, artifacts, metadata):
    result = GenerationResult(sample_id="a", status=status, artifacts=artifacts, metadata=metadata)
    assert GenerationResult.from_dict(json.loads(json.dumps(result.to_dict()))) == result


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"colour": 1}, "extra fields found \\(colour\\)"),
        ({"sample_id": 3}, "sample_id"),
        ({"inputs": None}, "inputs"),
        ({"version": 2}, "known version"),
        ({"format": "other"}, "known version"),
    ],
)
def test_what_a_contract_does_not_know_is_refused(change, told):
    good = GenerationRequest(sample_id="a", task_name="t", inputs={}).to_dict()
    with pytest.raises(UserError, match=told):
        GenerationRequest.from_dict({**good, **change})


def test_a_missing_field_is_named():
    with pytest.raises(UserError, match="task_name"):
        GenerationRequest.from_dict(
            {"format": "fourdcb.generation_request", "version": 1, "sample_id": "a", "inputs": {}}
        )


def test_overrides_replace_fields_and_share_the_rest():
    inputs = {"video": "x.mp4"}
    request = GenerationRequest(sample_id="a", task_name="t", inputs=inputs)
    other = request.with_fields(sample_id="b")
    assert other.inputs is inputs
    assert request.sample_id == "a"
    with pytest.raises(UserError, match="no field 'smaple_id'"):
        request.with_fields(smaple_id="b")


def test_the_contracts_load_nothing_heavy():
    code = (
        "import sys, fourdcb.evaluation.api; "
        "heavy = ('numpy', 'scipy', 'torch', 'cv2', 'av', 'pybullet', 'numba', 'cattrs'); "
        "print([name for name in heavy if name in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    loaded = json.loads(told.replace("'", '"'))
    assert loaded == []


def _plan(**changes):
    sample = PlannedSample(
        sample_id="a/1",
        task="t",
        group="a",
        hashes={"video": "00"},
        video="a/1/video.mp4",
        request=GenerationRequest(
            sample_id="a/1", task_name="t", inputs={"video": "a/1/video.mp4"}
        ).to_dict(),
    )
    fields = {
        "benchmark": {"id": "b"},
        "model": ModelEntry(id="m", target="baseline"),
        "samples": (sample,),
        "split": "all",
        "metrics": (MetricDefinition(id="x", owner="x", implementation="m:X", version="1"),),
        "criteria": {"id": "c"},
        "complete": True,
        "data_root": "/data",
    }
    return RunPlan(**{**fields, **changes})


def test_every_field_of_a_plan_is_in_the_fingerprint_or_out_of_it():
    assert set(IN_FINGERPRINT) | set(NOT_IN_FINGERPRINT) == {
        field.name for field in dataclasses.fields(RunPlan)
    }
    assert not set(IN_FINGERPRINT) & set(NOT_IN_FINGERPRINT)
    fields = {field.name for field in dataclasses.fields(PlannedSample)}
    assert set(SAMPLE_IN_FINGERPRINT) | set(SAMPLE_NOT_IN_FINGERPRINT) == fields


def test_the_fingerprint_is_the_same_on_every_machine_and_changes_with_what_counts():
    plan = _plan()
    assert RunPlan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan
    assert _plan(data_root="/elsewhere").fingerprint == plan.fingerprint
    assert plan.fingerprint == "5e9eb6f296ac33e66ae108c994fd7fdb6d95f176e15266ece4f7442d2c54c2c2"
    for change in (
        {"split": "test"},
        {"criteria": {"id": "d"}},
        {"complete": False},
        {"benchmark": {"id": "c"}},
        {"model": ModelEntry(id="m", target="baseline", parameters={"k": 1})},
        {"model": ModelEntry(id="m", target="baseline", files={"f.py": "ab"})},
        {"metrics": ()},
        {"samples": ()},
    ):
        assert _plan(**change).fingerprint != plan.fingerprint


def test_where_hashed_files_lie_is_not_part_of_a_plan_but_where_unknown_ones_lie_is():
    def plan(folder, files):
        return _plan(
            model=ModelEntry(id="m", target="scripts", parameters={"folder": folder}, files=files)
        ).fingerprint

    assert plan("/here", {"a.py": "ab"}) == plan("/there", {"a.py": "ab"})
    assert plan("/here", {"a.py": "ab"}) != plan("/here", {"a.py": "cd"})
    assert plan("/here", {}) != plan("/there", {})


def test_shards_share_out_all_samples_and_may_be_empty():
    sample = _plan().samples[0]
    samples = tuple(sample.with_fields(sample_id=f"s{k}") for k in range(5))
    plan = _plan(samples=samples)
    parts = [plan.shard(k, 7) for k in range(1, 8)]
    assert sorted(s.sample_id for part in parts for s in part) == [s.sample_id for s in samples]
    assert parts[6] == ()
    with pytest.raises(UserError, match="no such shard"):
        plan.shard(8, 7)


def test_a_benchmark_spec_round_trips_with_its_tasks():
    spec = BenchmarkSpec(
        id="b", revision="1", tasks=(TaskSpec(name="t"),), metrics=("judge",), splits={"test": ("a",)}
    )
    assert BenchmarkSpec.from_dict(spec.to_dict()) == spec
    assert SampleScore.from_dict(SampleScore(sample_id="a", metric_id="x", value=1.0).to_dict()).value == 1.0
