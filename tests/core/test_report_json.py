"""report.json: reports load back as they were, every field is documented, old files are told apart."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields
from importlib import resources
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourdcb.errors import UserError
from fourdcb.metrics import AxisResult, Cause, Finding, MetricValue, Report
from fourdcb.metrics.result import AXES, Claim, FindingSeverity, Status, Verdict
from fourdcb.report import load_report, write_report

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
NUMBER = st.floats(-1e9, 1e9)
NAMES = st.dictionaries(TEXT, NUMBER, max_size=3)
FREE = st.dictionaries(
    TEXT, st.one_of(st.none(), st.booleans(), st.integers(), NUMBER, TEXT, NAMES), max_size=3
)


def choice(literal: object) -> st.SearchStrategy[Any]:
    return st.sampled_from(get_args(literal))


@st.composite
def metrics(draw: st.DrawFn) -> MetricValue:
    status = draw(choice(Status))
    return MetricValue(
        value=draw(NUMBER) if status == "ok" else None,
        unit=draw(TEXT),
        threshold=draw(st.none() | NUMBER),
        direction=draw(st.sampled_from(["below", "above"])),
        status=status,
        reason=draw(st.none() | TEXT),
        passed=draw(st.none() | st.booleans()),
        per_object=draw(NAMES),
        detail=draw(FREE),
    )


CAUSES = st.builds(
    Cause,
    parameter=TEXT,
    current=NUMBER,
    suggested=st.none() | NUMBER,
    unit=TEXT,
    explained=st.none() | NUMBER,
)
FINDINGS = st.builds(
    Finding,
    frame=st.none() | st.integers(0, 10_000),
    time=st.none() | NUMBER,
    axis=st.sampled_from(AXES),
    objects=st.lists(TEXT, max_size=2).map(tuple),
    kind=TEXT,
    arguments=st.fixed_dictionaries({"text": TEXT}, optional={"placed": st.booleans()}),
    severity=choice(FindingSeverity),
    measured=st.none() | NUMBER,
    expected=st.none() | NUMBER,
    unit=TEXT,
    likely_cause=st.none() | CAUSES,
)


@st.composite
def series(draw: st.DrawFn) -> dict[str, Any]:
    count = draw(st.integers(0, 3))
    numbers = st.lists(NUMBER, min_size=count, max_size=count)
    vectors = st.lists(st.lists(NUMBER, min_size=3, max_size=3), min_size=count, max_size=count)
    one = st.fixed_dictionaries(
        {name: vectors for name in ("position_error", "position", "reference_position")}
        | {name: numbers for name in ("rotation_error_deg", "velocity_error", "energy", "reference_energy")}
        | {"candidate": TEXT, "frames_in_horizon": st.integers(0, count)}
    )
    return {
        "times": draw(numbers),
        "objects": draw(st.dictionaries(TEXT, one, max_size=2)),
        "psnr": draw(st.lists(st.none() | NUMBER, max_size=3)),
    }


REPORTS = st.builds(
    Report,
    verdict=choice(Verdict),
    claim=choice(Claim),
    reasons=st.lists(TEXT, max_size=2).map(tuple),
    axes=st.dictionaries(
        st.sampled_from(AXES),
        st.builds(
            AxisResult, passed=st.none() | st.booleans(), metrics=st.dictionaries(TEXT, metrics(), max_size=2)
        ),
    ),
    image=st.dictionaries(TEXT, metrics(), max_size=2),
    findings=st.lists(FINDINGS, max_size=2).map(tuple),
    horizon=FREE,
    series=series(),
    inputs=st.fixed_dictionaries(
        {}, optional={"code": st.fixed_dictionaries({"path": TEXT, "sha256": TEXT}), "edits": NAMES}
    ),
    environment=FREE,
    artifacts=FREE,
)


@settings(max_examples=60, deadline=None)
@given(report=REPORTS)
def test_any_report_loads_back_as_it_was(report: Report, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "any.json"
    write_report(report, path)
    loaded = load_report(path)
    assert loaded == report
    assert loaded.to_json() == report.to_json()


@settings(max_examples=60, deadline=None)
@given(report=REPORTS)
def test_series_beside_a_report_come_back_with_it(
    report: Report, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "beside.json"
    write_report(report, path, series="beside")
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["version"] == 2
    assert set(document) == set(report.to_json())
    assert document["series"]["file"] == "beside.series.npz"
    assert load_report(path) == report
    assert load_report(path).to_json() == report.to_json()


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    series = {"times": [0.0, 0.5], "psnr": [None, 31.0], "frame": [0, 1]}
    path = tmp_path / "deep" / "report.json"
    path.parent.mkdir()
    write_report(load(minimal(series=series), tmp_path), path, series="beside")
    return path


def test_the_arrays_of_series_are_what_numpy_reads(beside: Path) -> None:
    assert sorted(p.name for p in beside.parent.iterdir()) == ["report.json", "series.npz"]
    with np.load(beside.parent / "series.npz") as stored:
        arrays = [stored[name] for name in stored.files if name != "header"]
    assert [array.dtype.kind for array in arrays] == ["f", "f", "i"]
    np.testing.assert_array_equal(arrays[1], [np.nan, 31.0])


def test_a_lost_another_or_damaged_file_of_series_is_said(beside: Path) -> None:
    file = beside.parent / "series.npz"
    content = file.read_bytes()
    file.write_bytes(content[:-40])
    with pytest.raises(UserError, match="another report's"):
        load_report(beside)
    file.unlink()
    with pytest.raises(UserError, match="keep and hand on both"):
        load_report(beside)
    document = json.loads(beside.read_text())
    for broken in (b"", b"PK", content[: len(content) // 2], b"\x93NUMPY" + content):
        file.write_bytes(broken)
        document["series"]["sha256"] = hashlib.sha256(broken).hexdigest()
        beside.write_text(json.dumps(document))
        with pytest.raises(UserError, match="damaged"):
            load_report(beside)


@pytest.mark.parametrize(
    "reference",
    [{}, [], None, {"file": "../series.npz", "sha256": ""}, {"file": "/etc/passwd", "sha256": ""},
     {"file": "series.npz"}, {"file": 3, "sha256": ""}, {"file": "..", "sha256": ""}],
)  # fmt: skip
def test_a_reference_leads_to_no_other_folder(reference: object, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="malformed"):
        load(minimal(version=2, series=reference), tmp_path)


def documented() -> str:
    text = resources.files("fourdcb_resources").joinpath("docs", "metrics.md").read_text(encoding="utf-8")
    return text.partition("## report.json")[2]


@pytest.mark.parametrize("kind", [Report, AxisResult, MetricValue, Finding, Cause])
def test_every_field_is_documented(kind: type) -> None:
    page = documented()
    assert [
        field.name
        for field in fields(kind)
        if f'"{field.name}"' not in page and f"`{field.name}`" not in page
    ] == []


@pytest.mark.parametrize("literal", [Verdict, Claim, Status, FindingSeverity])
def test_every_word_that_a_field_can_hold_is_documented(literal: object) -> None:
    page = documented()
    assert [word for word in get_args(literal) if f"`{word}`" not in page] == []


def minimal(**changed: Any) -> dict[str, Any]:
    """The least that is a report."""
    tables = ("axes", "image", "horizon", "series", "inputs", "environment")
    empty: dict[str, Any] = {key: {} for key in tables}
    return {
        "format": "fourdcb.report", "version": 1, "verdict": "INCONCLUSIVE", "claim": "diagnostic",
        "reasons": [], "findings": [], **empty, **changed,
    }  # fmt: skip


def load(document: dict[str, Any], tmp_path: Path) -> Report:
    (tmp_path / "report.json").write_text(json.dumps(document), encoding="utf-8")
    return load_report(tmp_path / "report.json")


def test_a_report_without_the_newer_fields_loads(tmp_path: Path) -> None:
    finding = {"frame": 3, "time": 0.1, "axis": "physics", "objects": ["cup"], "message": "frame 3: off"}
    loaded = load(minimal(findings=[finding]), tmp_path)
    assert loaded.artifacts == {}
    assert loaded.findings[0].severity == "error"


@pytest.mark.parametrize("version", [0, 3, "1", None])
def test_another_version_says_what_to_do(version: object, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"another version[\s\S]*judge again"):
        load(minimal(version=version), tmp_path)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"weather": "fine"}, "weather"),
        ({"inputs": {"edits": [1.0]}}, "inputs.edits"),
        ({"inputs": {"edits": {"cup.mass": "much"}}}, "inputs.edits"),
    ],
)
def test_a_field_of_another_kind_is_named(changed: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"malformed[\\s\\S]*{said}"):
        load(minimal(**changed), tmp_path)
