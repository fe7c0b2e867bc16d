"""Two videos against each other: pairing, findings, the shape of the report, the command."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from fourdcb.cli.diff import _summary, diff
from fourdcb.errors import UserError
from fourdcb.evaluation import video_diff
from fourdcb.evaluation.video_diff import diff_videos
from fourdcb.metrics.pictures.measures import PSNR_CAP, psnr, ssim
from fourdcb.report.wording import metric_value
from fourdcb.video import VideoReader, write_video

AXES = {"geometry", "physics", "material_light", "time"}


def ball_clip(
    n: int, *, fps: float = 30.0, width: int = 128, height: int = 96, lost_at: int = -1
) -> np.ndarray:
    """A bright ball that crosses a dim gradient in one second; at ``lost_at`` it is gone."""
    y, x = np.mgrid[:height, :width] / height
    wall = np.stack([40 + 40 * x, 50 + 30 * y, np.full_like(x, 60)], axis=-1)
    frames = []
    for i in range(n):
        inside = (x - 0.2 - i / fps) ** 2 + (y - 0.5) ** 2 < 0.02
        shown = np.where(inside[..., None] & (i != lost_at), [230.0, 200.0, 60.0], wall)
        frames.append(shown)
    return np.array(frames).astype(np.uint8)


@pytest.fixture
def reference(tmp_path: Path) -> Path:
    write_video(tmp_path / "reference.mp4", ball_clip(30), fps=30)
    return tmp_path / "reference.mp4"


def test_a_video_against_itself_has_no_findings(reference: Path) -> None:
    report = diff_videos(reference, reference).report
    assert (report.verdict, report.claim, report.exit_code) == ("INCONCLUSIVE", "diagnostic", 0)
    assert report.findings == ()
    assert report.image["psnr"].value == PSNR_CAP
    assert report.image["ssim"].value == pytest.approx(1.0)
    assert report.image["silhouette_iou"].value == 1.0


def test_the_worst_frame_is_named(reference: Path, tmp_path: Path) -> None:
    write_video(tmp_path / "lost.mp4", ball_clip(30, lost_at=17), fps=30)
    result = diff_videos(reference, tmp_path / "lost.mp4")
    found = [f for f in result.report.findings if f.kind == "image_difference"]
    assert found[0].frame == 17
    assert found[0].time == pytest.approx(17 / 30)
    assert "frame 17" in found[0].message
    assert result.report.image["ssim"].detail["worst_pair"] == 17
    assert result.comparison.silhouette_iou[17] < 0.2


def test_values_are_those_of_the_decoded_frames(reference: Path, tmp_path: Path) -> None:
    write_video(tmp_path / "slow.mp4", ball_clip(15, fps=15), fps=15)
    series = diff_videos(reference, tmp_path / "slow.mp4").report.series
    assert series["candidate_frame"] == [i // 2 for i in range(30)]
    with VideoReader(reference) as a, VideoReader(tmp_path / "slow.mp4") as b:
        for k in (0, 7, 29):
            pair = a.frame(k), b.frame(k // 2)
            assert series["psnr"][k] == pytest.approx(psnr(*pair))
            assert series["ssim"][k] == pytest.approx(ssim(*pair))


def test_mismatches_are_findings(reference: Path, tmp_path: Path) -> None:
    write_video(tmp_path / "other.mp4", ball_clip(10, fps=15, width=100, height=100), fps=15)
    result = diff_videos(reference, tmp_path / "other.mp4")
    assert {f.kind for f in result.report.findings} >= {"length_mismatch", "rate_mismatch", "size_mismatch"}
    assert result.alignment.index_a.size == 20
    assert (result.placement.content_width, result.placement.content_height) == (96, 96)


def test_the_report_has_the_agreed_shape(reference: Path) -> None:
    text = json.dumps(diff_videos(reference, reference).report.to_json(), allow_nan=False)
    report = json.loads(text)
    assert (report["format"], report["version"]) == ("fourdcb.report", 1)
    assert set(report["axes"]) == AXES
    for axis in report["axes"].values():
        assert axis["passed"] is None
        for metric in axis["metrics"].values():
            assert (metric["status"], metric["value"], metric["passed"]) == ("not_measured", None, None)
            assert metric["reason"] == "no world script"
    assert set(report["image"]) == {"psnr", "ssim", "difference", "silhouette_iou", "flow_error"}
    lengths = {len(values) for values in report["series"].values()}
    assert lengths == {30}
    assert len(report["inputs"]["reference"]["sha256"]) == 64
    assert report["inputs"]["candidate"]["frames"] == 30


def test_videos_without_common_time_or_pixels_are_told(reference: Path, tmp_path: Path) -> None:
    write_video(tmp_path / "tiny.mp4", ball_clip(3, width=8, height=8), fps=30)
    with pytest.raises(UserError, match="too small"):
        diff_videos(tmp_path / "tiny.mp4", reference)
    with pytest.raises(UserError, match="does not exist"):
        diff_videos(reference, tmp_path / "none.mp4")


def test_the_command_prints_a_summary_and_writes_the_report(reference: Path, tmp_path: Path) -> None:
    write_video(tmp_path / "lost.mp4", ball_clip(30, lost_at=17), fps=30)
    app = typer.Typer()
    app.command()(diff)
    output = tmp_path / "report.json"
    result = CliRunner().invoke(app, [str(reference), str(tmp_path / "lost.mp4"), "--output", str(output)])
    assert result.exit_code == 0, result.output
    assert "frame 17" in result.output
    assert "INCONCLUSIVE" in result.output
    assert json.loads(output.read_text())["claim"] == "diagnostic"


def test_the_command_refuses_bad_paths(reference: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="folder of the result"):
        diff(reference, reference, tmp_path / "none" / "report.json")
    with pytest.raises(UserError, match="does not exist"):
        diff(reference, tmp_path / "none.mp4", tmp_path / "report.json")
    assert not (tmp_path / "report.json").exists()


def test_the_summary_shows_units_of_reports_and_equal_digits(reference: Path, tmp_path: Path) -> None:
    write_video(tmp_path / "lost.mp4", ball_clip(30, lost_at=17), fps=30)
    result = diff_videos(reference, tmp_path / "lost.mp4")
    lines = dict(line.strip().split(": ", 1) for line in _summary(result) if ": " in line)
    image = result.report.image
    for title, name in (("SSIM", "ssim"), ("Silhouette overlap", "silhouette_iou"), ("PSNR", "psnr")):
        assert lines[title].startswith(f"{metric_value(name, image[name])} (worst ")
        numbers = re.findall(r"\d+\.(\d+)", lines[title])
        assert len({len(decimals) for decimals in numbers}) == 1
    assert re.fullmatch(r"[\d.]+ % \(worst [\d.]+ % at frame \d+\)", lines["Silhouette overlap"])
    assert image["difference"].value is not None
    assert lines["Mean difference"].startswith(f"{255 * image['difference'].value:.1f} of 255")


def test_frames_that_differ_as_much_are_one_finding(reference: Path, tmp_path: Path) -> None:
    dark = [frame // 2 for frame in ball_clip(30)]
    write_video(tmp_path / "dark.mp4", dark, fps=30)
    found = [
        f
        for f in diff_videos(reference, tmp_path / "dark.mp4").report.findings
        if f.kind == "image_difference"
    ]
    assert len(found) == 1
    assert re.search(r"\(about as much at frames \d+ and \d+\)$", found[0].message)


@pytest.mark.parametrize(
    ("step", "groups"), [(0.9, [[0, 1], [2]]), (1.1, [[0], [1], [2]]), (0.4, [[0, 1, 2]])]
)
def test_as_much_means_within_one_decibel_of_the_worst_told(step: float, groups: list[list[int]]) -> None:
    times = np.arange(30) / 30
    psnr = np.full(30, 40.0)
    psnr[[5, 15, 25]] = 20.0 + step * np.arange(3)
    alike = SimpleNamespace(psnr=psnr, ssim=np.full(30, 0.9))
    pairs = SimpleNamespace(index_a=np.arange(30), times=times)
    told = list(video_diff._worst_frame_findings(cast(Any, alike), cast(Any, pairs)))
    assert [[f.frame] for f in told] == [[5 + 10 * group[0]] for group in groups]
    for finding, group in zip(told, groups, strict=True):
        assert all(str(5 + 10 * k) in finding.message for k in group)
