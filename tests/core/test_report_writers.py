"""Reports on disk: the JSON round trip, the page, the PDF, the heatmaps."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import typer
from numpy.typing import NDArray
from typer.testing import CliRunner

from fourdcb.errors import UserError
from fourdcb.metrics import Axis, AxisResult, Cause, Finding, MetricValue, Report
from fourdcb.report import (
    FindingPicture,
    heatmap_matrices,
    load_report,
    png_bytes,
    render_html,
    write_heatmaps,
    write_page,
    write_report,
)
from fourdcb.report.wording import metric_threshold, metric_value, quantity

FRAMES = 60


def sample_report() -> Report:
    """A failing candidate: the cup bounces too high; the ball is right."""
    return Report(
        verdict="DEPLOYMENT_NOT_RECOMMENDED",
        claim="diagnostic",
        reasons=("geometry: delta_pos is 0.0421 m (needed < 0.02 m)", "physics: energy_error is 0.312"),
        axes=_axes(),
        image={
            "psnr": MetricValue(
                value=24.1, unit="dB", direction="above", detail={"worst": 18.0, "worst_frame": 42}
            ),
            "ssim": MetricValue(value=0.913, direction="above"),
        },
        findings=_findings(),
        horizon={"cup": {"seconds": 1.66, "frames": 50}, "ball": {"seconds": 2.0, "frames": 60}},
        series=_series(),
        inputs={
            "code": {"path": "slide_cup/candidates/wrong_restitution.py", "sha256": "3f" * 32},
            "video": {"path": "slide_cup/video.mp4", "sha256": "a0" * 32, "frames": FRAMES, "fps": 30.0},
            "reference": None,
        },
        environment={"fourdcb": "0.1.0", "cpus": 2, "packages": {"numpy": "2.4.6"}},
    )


def _axes() -> dict[Axis, AxisResult]:
    geometry = {
        "delta_pos": _metric(0.0421, 0.02, "m", per_object={"cup": 0.0421, "ball": 0.0}),
        "delta_rot": _metric(9.25, 3.0, "deg"),
        "delta_scale": _metric(0.0, 0.05),
    }
    physics = {
        "energy_error": _metric(0.312, 0.08),
        "collision_accuracy": MetricValue(
            value=0.875, threshold=0.95, direction="above", passed=False, reason="1 of 8 onsets is missing"
        ),
    }
    light = {
        "brdf_error": _metric(0.02, 0.15),
        "light_drift": _metric(0.0, 2.5, "deg"),
        "light_offset": _metric(0.0, 5.0, "deg"),
        "shadow_error": MetricValue(unit="px", threshold=15.0, status="not_measured", reason="no shadow"),
        "appearance_error": _metric(0.01, 0.25, "stops"),
    }
    time = {
        "drift_rate": MetricValue(
            unit="mm per 1/30 s", threshold=0.05, status="not_applicable", reason="too short"
        ),
        "replay_fps": MetricValue(
            value=212.0, unit="1/s", threshold=45.0, direction="above", reason="unnamed machine"
        ),
    }
    return {
        "geometry": AxisResult(passed=False, metrics=geometry),
        "physics": AxisResult(passed=False, metrics=physics),
        "material_light": AxisResult(passed=None, metrics=light),
        "time": AxisResult(passed=True, metrics=time),
    }


def _metric(value: float, threshold: float, unit: str = "", **more: Any) -> MetricValue:
    return MetricValue(value=value, threshold=threshold, unit=unit, passed=value < threshold, **more)


def _findings() -> tuple[Finding, ...]:
    return (
        Finding(
            frame=31, time=31 / 30, axis="physics", objects=("cup",), kind="bounce",
            measured=0.4, expected=0.2, unit="m/s",
            arguments={"text": "cup bounces at 0.40 m/s (reference 0.20 m/s)", "placed": True},
            likely_cause=Cause(parameter="cup.restitution", current=0.6, suggested=0.2, explained=0.9),
        ),
        Finding(frame=40, time=40 / 30, axis="geometry", objects=("cup",), severity="warning",
                arguments={"text": 'cup is 61 mm off in Z <and "quotes" & more>', "placed": True}),
        Finding(frame=None, time=None, axis="time", objects=(), severity="info",
                arguments={"text": "the clip is short"}),
    )  # fmt: skip


def _series() -> dict[str, Any]:
    t = np.arange(FRAMES) / 30.0
    return {
        "times": t.round(6).tolist(),
        "objects": {"cup": _object_series(t, 1.0), "ball": _object_series(t, 0.0)},
        "psnr": [None if k == 20 else 30 - 6 * float(k > 24) for k in range(FRAMES)],
        "ssim": (0.97 - 0.1 * (t > 0.8)).round(6).tolist(),
    }


def _object_series(t: NDArray[np.float64], scale: float) -> dict[str, Any]:
    """Of a thing that bounces; ``scale`` times a growing error."""
    height = np.abs(np.cos(3 * t)) * np.exp(-t) + 0.05
    error = scale * np.stack([0.002 * t, np.zeros(FRAMES), 0.06 * np.sin(4 * t) * (t > 0.8)], axis=-1)
    position = np.stack([0.4 * t, 0 * t, height], axis=-1)
    return {
        "candidate": "c",
        "position_error": error.round(6).tolist(),
        "rotation_error_deg": (scale * 8 * t).round(6).tolist(),
        "velocity_error": (scale * 0.3 * t).round(6).tolist(),
        "energy": (1 + scale * 0.2 * t).round(6).tolist(),
        "reference_energy": np.ones(FRAMES).tolist(),
        "position": (position + error).round(6).tolist(),
        "reference_position": position.round(6).tolist(),
        "frames_in_horizon": 50 if scale else FRAMES,
    }


@pytest.fixture(scope="module")
def report() -> Report:
    return sample_report()


@pytest.fixture(scope="module")
def picture() -> FindingPicture:
    return FindingPicture(frame=31, png=png_bytes(np.zeros((40, 120, 3), dtype=np.uint8)))


def test_json_round_trip_keeps_everything(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    write_report(report, path)
    loaded = load_report(path)
    assert loaded == report
    assert loaded.axes["geometry"].metrics["delta_pos"].per_object == {"cup": 0.0421, "ball": 0.0}
    assert loaded.findings[0].likely_cause == Cause(
        parameter="cup.restitution", current=0.6, suggested=0.2, explained=0.9
    )
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_json_has_the_published_shape(report: Report, tmp_path: Path) -> None:
    write_report(report, tmp_path / "r.json")
    document = json.loads((tmp_path / "r.json").read_text())
    assert document["format"] == "fourdcb.report"
    assert document["version"] == 1
    assert list(document["axes"]) == ["geometry", "physics", "material_light", "time"]
    assert {"value", "unit", "threshold", "direction", "status", "reason", "passed", "per_object"} <= set(
        document["axes"]["geometry"]["metrics"]["delta_pos"]
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"format": "fourdcb.report", "version": 1', "not valid JSON"),
        ("[]", "not a report"),
        ('{"format": "other"}', "not a report"),
        ('{"format": "fourdcb.report", "version": 9}', "another version"),
        ('{"format": "fourdcb.report", "version": 1, "verdict": "GREAT"}', "malformed"),
    ],
)
def test_bad_files_are_refused_with_a_reason(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(UserError, match=said):
        load_report(path)


def test_wrong_field_is_named(report: Report, tmp_path: Path) -> None:
    document = report.to_json()
    document["findings"][0]["frame"] = "twelve"
    (tmp_path / "r.json").write_text(json.dumps(document))
    with pytest.raises(UserError, match=r"findings.*frame"):
        load_report(tmp_path / "r.json")


def test_missing_file_and_folder(report: Report, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        load_report(tmp_path / "none.json")
    with pytest.raises(UserError, match="cannot be written"):
        write_report(report, tmp_path / "none" / "r.json")


class _Page(HTMLParser):
    """Collects the tags and checks that they nest."""

    void = frozenset({"meta", "img", "br", "link"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in self.void:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        return None

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_page_is_whole_and_self_contained(report: Report, picture: FindingPicture, tmp_path: Path) -> None:
    write_page(report, html=tmp_path / "r.html", pictures=[picture])
    html = (tmp_path / "r.html").read_text(encoding="utf-8")
    page = _Page()
    page.feed(html)
    assert page.open == []
    assert len(page.links) == 1
    assert page.links[0].startswith("data:image/png;base64,")
    assert "http" not in re.sub(r'xmlns="[^"]*"', "", html)
    assert "<script" not in html
    for words in (
        "Not deployable", "42.1 mm", "< 20 mm", "31.2 %", "> 95 %", "not measured",
        "1 of 8 onsets is missing", "Pictures",
        "cup.restitution is 0.6; 0.2 would fit better", '<and "quotes" & more>', "a0" * 32,
        "Errors over time",        "slide_cup · wrong_restitution.py",
    ):  # fmt: skip
        assert words in page.text, words


def test_drawings_are_valid_svg_and_follow_the_numbers(report: Report) -> None:
    drawings = re.findall(r"<svg.*?</svg>", render_html(report), flags=re.S)
    assert len(drawings) == 4  # two objects, PSNR, SSIM
    trees = [ElementTree.fromstring(drawing) for drawing in drawings]
    name = "{http://www.w3.org/2000/svg}"
    cup, ball = ([rect.get("class") for rect in tree.iter(f"{name}rect")] for tree in trees[:2])
    assert "beyond" in cup
    assert "beyond" not in ball
    # Only its legend is coloured in the object without error.
    assert cup.count("positive") > ball.count("positive")
    assert ball.count("positive") == 24
    psnr_runs = list(trees[2].iter(f"{name}polyline"))
    assert [len((run.get("points") or "").split()) for run in psnr_runs] == [20, 39]


def test_page_without_anything_to_show(report: Report) -> None:
    empty = Report(
        verdict="INCONCLUSIVE", claim="diagnostic", reasons=(), axes={}, image={}, findings=(),
        horizon={}, series={}, inputs={}, environment={},
    )  # fmt: skip
    html = render_html(empty)
    assert "Nothing was found wrong" in html
    assert "<svg" not in html


def test_pdf_holds_the_page(report: Report, picture: FindingPicture, tmp_path: Path) -> None:
    pytest.importorskip("weasyprint", reason="the report extra is not installed")
    write_page(report, pdf=tmp_path / "r.pdf", pictures=[picture])
    data = (tmp_path / "r.pdf").read_bytes()
    assert data.startswith(b"%PDF")
    assert b"Inter" in data
    assert len(data) > 20_000


def test_heatmaps_are_object_by_frame(report: Report, tmp_path: Path) -> None:
    matrices = heatmap_matrices(report)
    assert {name: matrix.shape for name, matrix in matrices.items()} == dict.fromkeys(matrices, (2, FRAMES))
    source = np.array(report.series["objects"]["cup"]["position_error"])
    np.testing.assert_allclose(matrices["position_z_mm"][0], 1000 * source[:, 2])
    np.testing.assert_array_equal(matrices["position_z_mm"][1], 0.0)
    files = write_heatmaps(report, tmp_path)
    assert {path.suffix for path in files} == {".npz", ".png"}
    with np.load(tmp_path / "heatmaps.npz") as stored:
        assert stored["objects"].tolist() == ["cup", "ball"]
        np.testing.assert_array_equal(stored["energy_j"], matrices["energy_j"])


def test_report_verb_writes_page_and_summary(report: Report, tmp_path: Path) -> None:
    from fourdcb.cli.report import report as verb

    app = typer.Typer()
    app.command()(verb)
    path, page = tmp_path / "report.json", tmp_path / "report.html"
    write_report(report, path)
    done = CliRunner().invoke(app, [str(path), "--html", str(page)])
    assert done.exit_code == 0, done.output
    assert "Not deployable" in page.read_text(encoding="utf-8")
    summary = CliRunner().invoke(app, [str(path)])
    assert "Overall: DEPLOYMENT_NOT_RECOMMENDED" in summary.output


def test_numbers_read_well() -> None:
    assert quantity(0.02, "m") == "20 mm"
    assert quantity(-0.0031, "m") == "−3.1 mm"
    assert quantity(1.0, "", share=True) == "100 %"
    assert quantity(1234.0, "px") == "1234 px"
    assert metric_value("drift_rate", MetricValue(status="not_applicable")) == "not applicable"
    assert metric_threshold("psnr", MetricValue(value=30.0)) == "–"
