"""What a video file says of its presentation stands beside the figures, in diff, eval and fit alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fourdcb.evaluation import evaluate
from fourdcb.evaluation.video_diff import diff_videos
from fourdcb.metrics.pictures.stream import stage_findings, stream_findings
from fourdcb.video import VideoInfo, VideoReader, write_video

DATA = Path(__file__).parents[1] / "data" / "video"
SCRIPT = """
world = World(duration=1.0, fps=30)
ball = Object("ball", geometry="sphere", size=[0.2, 0.2, 0.2], mass=1.0, pos=[0, 0, 1],
              vel=[0, 0, 0], acc=[0, 0, -9.8])
camera = Camera(pos=[0, -2, 1], target=[0, 0, 1], width=64, height=64)
"""


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plain") / "plain.mp4"
    frames = np.random.default_rng(2).integers(0, 256, (30, 64, 64, 3), dtype=np.uint8)
    write_video(path, frames, fps=30)
    return path


@pytest.fixture(scope="module")
def info(plain: Path) -> VideoInfo:
    with VideoReader(plain) as reader:
        return reader.info


def test_nothing_is_remarked_where_nothing_is_odd(info: VideoInfo) -> None:
    assert stream_findings(info, "video") == ()
    assert stage_findings(info, width=64, height=64) == ()


@pytest.mark.parametrize(
    ("change", "kind", "words"),
    [
        ({"truncated": True}, "truncated", "the video is cut off or damaged; 30 frames"),
        ({"interlaced": True}, "interlaced", "the video is interlaced"),
        ({"discarded_frames": 1}, "doubled_stamps", "1 frame of the video has"),
        ({"discarded_frames": 2}, "doubled_stamps", "2 frames of the video have"),
        ({"stamped": False}, "no_stamps", "30 frames/s were taken from its codec"),
        ({"sizes": ((64, 64), (32, 16))}, "size_changes", "64 x 64 px, then 32 x 16"),
        ({"cropped": True, "stored_width": 80}, "cropped", "64 x 64 px of its 80 x 64"),
        ({"pixel_aspect": 4 / 3, "stored_width": 48}, "pixel_aspect", "1.333 : 1"),
        ({"rotation_left_over": 10.0}, "oblique_rotation", "10° off the nearest right angle"),
        ({"video_streams": 2, "stream": 1}, "video_streams", "holds 2 video streams; number 1"),
        ({"transfer": "pq", "primaries": "bt2020"}, "hdr", "HDR (PQ)"),
        ({"transfer": "hlg", "primaries": "bt2020"}, "hdr", "HDR (HLG)"),
        ({"primaries": "display_p3"}, "wide_gamut", "primaries of Display P3"),
        ({"color_space": "ycgco"}, "rare_matrix", "coded by YCgCo"),
        ({"alpha": True}, "transparent", "composited on black"),
    ],
)
def test_each_oddity_is_one_remark(info: VideoInfo, change: dict[str, Any], kind: str, words: str) -> None:
    (found,) = stream_findings(replace(info, **change), "video")
    assert found.kind == kind
    assert words in found.message


def test_letterboxing_is_a_warning_and_scaling_a_note(info: VideoInfo) -> None:
    (boxed,) = stage_findings(replace(info, width=128), width=64, height=64)
    assert (boxed.severity, boxed.kind) == ("warning", "size_mismatch")
    assert boxed.message == "the video is 128 x 64 px, the camera 64 x 64; letterboxed to 64 x 32"
    (scaled,) = stage_findings(info, width=256, height=256)
    assert (scaled.severity, scaled.kind) == ("info", "scaled")


def cut(path: Path, plain: Path) -> None:
    path.write_bytes(plain.read_bytes()[: plain.stat().st_size // 2])


def boxed(path: Path, plain: Path) -> None:
    write_video(path, np.zeros((30, 64, 96, 3), np.uint8), fps=30)


@pytest.mark.parametrize(("make", "kind"), [(cut, "truncated"), (boxed, "size_mismatch")])
def test_eval_says_what_diff_says(
    tmp_path: Path, plain: Path, make: Callable[[Path, Path], None], kind: str
) -> None:
    script, video = tmp_path / "answer.py", tmp_path / "odd.mp4"
    script.write_text(SCRIPT)
    make(video, plain)
    judged = evaluate(script, video, fast=True).report
    assert kind in {finding.kind for finding in judged.findings}
    assert judged.inputs["video"]["truncated"] is (kind == "truncated")
    compared = diff_videos(plain, video).report
    assert kind in {finding.kind for finding in compared.findings}


def test_hdr_is_never_judged_without_a_remark(tmp_path: Path) -> None:
    script = tmp_path / "answer.py"
    script.write_text(SCRIPT)
    report = evaluate(script, DATA / "bt2020_pq.mp4", fast=True).report
    assert report.findings[0].kind == "hdr"
    assert report.inputs["video"]["transfer"] == "pq"


def test_both_sides_of_a_diff_are_told(tmp_path: Path) -> None:
    report = diff_videos(DATA / "interlaced.mp4", DATA / "interlaced.mp4").report
    told = [finding.message for finding in report.findings]
    assert [text.split(" is ")[0] for text in told] == ["the reference", "the candidate"]
    assert report.inputs["reference"]["interlaced"] is True
