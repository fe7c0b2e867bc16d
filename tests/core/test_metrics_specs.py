"""One row a metric: from it follow criteria, judge, terminal, page, docs and the Studio's chips."""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import get_type_hints

import pytest

from fourdcb.cli.summary import report_lines
from fourdcb.errors import UserError
from fourdcb.evaluation.responses import response_names
from fourdcb.metrics import AXES, Criteria, MetricValue, load_criteria, series, specs
from fourdcb.metrics.comparison import Comparison
from fourdcb.metrics.judge import judge
from fourdcb.metrics.measure import function_of
from fourdcb.metrics.specs import SPECS, MetricSpec, spec_of, specs_of
from fourdcb.physics import make_engine
from fourdcb.replay import replay
from fourdcb.report import heatmaps, load_report, loading, write_report
from fourdcb.report.html import render_html
from fourdcb.report.reference import metrics_table, renewed
from fourdcb.words import ENGLISH, load
from fourdcb.world import Camera, Object, Plane, World

RESOURCES = files("fourdcb_resources")
CRITERIA = (RESOURCES / "criteria" / "default.yaml").read_text(encoding="utf-8")
OVERSHOOT = MetricSpec(
    id="overshoot", axis="physics", unit="m", symbol="Over_Shoot", function="overshoot:overshoot"
)


def overshoot(c: Comparison, criteria: Criteria) -> MetricValue:
    """How many objects there are, times 12 mm."""
    return criteria.measured("overshoot", 0.012 * len(c.states))


@pytest.fixture
def one_row_more(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("fourdcb.metrics.overshoot")
    module.__dict__["overshoot"] = overshoot
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(specs, "SPECS", (*SPECS, OVERSHOOT))


def stretched(tmp_path: Path) -> Path:
    path = tmp_path / "mine.yaml"
    row = "  physics:\n    overshoot: {below: 0.01, unit: m}\n"
    path.write_text(CRITERIA.replace("  physics:\n", row), encoding="utf-8")
    return path


def world() -> World:
    ball = Object(
        name="ball", geometry="sphere", size=(0.1, 0.1, 0.1), pos=(0.0, 0.0, 0.2), vel=(0.0, 0.0, 0.0),
        acc=(0.0, 0.0, -9.8),
    )  # fmt: skip
    camera = Camera(width=16, height=16)
    return World(duration=0.2, fps=20, objects=(ball,), planes=(Plane(name="floor"),), camera=camera)


@pytest.mark.usefixtures("one_row_more")
def test_a_metric_is_one_row_and_one_function(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"missing entry[\s\S]*overshoot"):
        load_criteria()
    criteria = load_criteria(stretched(tmp_path))
    with make_engine() as engine:
        truth = replay(world(), frames=False, engine=engine)
    report = judge(
        reference=truth, candidate=truth, video_frames=None, video_times=None, criteria=criteria, fast=True
    )
    assert report.axes["physics"].passed is False
    assert report.to_json()["axes"]["physics"]["metrics"]["overshoot"]["value"] == 0.012
    assert any("Over_Shoot 12 mm (needed < 10 mm) FAIL" in line for line in report_lines(report))
    page = render_html(report)
    assert "Overshoot" in page
    assert "12 mm" in page
    assert "| `overshoot` |" in metrics_table(criteria)


@pytest.mark.usefixtures("one_row_more")
def test_its_unit_and_side_are_its_own(tmp_path: Path) -> None:
    path = stretched(tmp_path)
    for wrong in ("{above: 0.01, unit: m}", "{below: 0.01, unit: mm}"):
        path.write_text(path.read_text().replace("{below: 0.01, unit: m}", wrong), encoding="utf-8")
        with pytest.raises(UserError, match="overshoot"):
            load_criteria(path)


def test_a_series_is_one_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is measured, checked where a report is read, and drawn."""
    row = series.SeriesSpec(
        id="path",
        states="reference_position",
        vector=True,
        heatmap="path_{}_mm",
        factor=1000.0,
        minus="position",
    )
    rows = (*series.SERIES, row)
    for module in (series, heatmaps, loading):
        monkeypatch.setattr(module, "SERIES", rows)
    with make_engine() as engine:
        truth = replay(world(), frames=False, engine=engine)
    report = judge(
        reference=truth,
        candidate=truth,
        video_frames=None,
        video_times=None,
        criteria=load_criteria(),
        fast=True,
    )
    assert len(report.series["objects"]["ball"]["path"]) == truth.world.n_frames
    matrices = heatmaps.heatmap_matrices(report)
    assert matrices["path_z_mm"].shape == (1, truth.world.n_frames)
    assert not matrices["path_z_mm"].any()
    write_report(report, tmp_path / "report.json")
    assert load_report(tmp_path / "report.json") == report
    del report.series["objects"]["ball"]["path"]
    assert list(loading.complaints(report)) == ["series.objects.ball.path does not hold 4 frames of numbers"]


@pytest.mark.parametrize("spec", [spec for spec in SPECS if spec.function], ids=lambda spec: str(spec.id))
def test_every_row_names_a_function_of_a_comparison(spec: MetricSpec) -> None:
    hints = get_type_hints(function_of(spec), localns={"Comparison": Comparison})
    assert list(hints.values()) == [Comparison, Criteria, MetricValue]


def test_what_is_judged_has_a_threshold_words_and_a_response_curve() -> None:
    judged = [spec for axis in AXES for spec in specs_of(axis)]
    assert [spec.id for spec in judged] == list(load_criteria().thresholds)
    assert len({spec.id for spec in SPECS}) == len(SPECS)
    curves = [curve for spec in judged if spec.function for curve in spec.curves or (spec.id,)]
    assert sorted(curves) == sorted(response_names())
    said = load(ENGLISH).entries
    assert [spec.id for spec in SPECS if f"metrics.{spec.id}.title" not in said] == []
    assert [spec.id for spec in judged if f"metrics.{spec.id}.says" not in said] == []


def test_metrics_of_other_releases_are_plain() -> None:
    assert spec_of("some_other") == MetricSpec(id="some_other", axis=None, judged=False)


def test_the_docs_hold_the_table() -> None:
    page = (RESOURCES / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert renewed(page, load_criteria()) == page
    with pytest.raises(ValueError, match="lacks"):
        renewed("no table here", load_criteria())
