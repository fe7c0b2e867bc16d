"""Recorded and foreign videos through the command line; skipped where the data is not at hand."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fourdcb.cli import main
from fourdcb.metrics.pictures.measures import PSNR_CAP
from fourdcb.video import VideoReader

_FOLDER = os.environ.get("FOURDCB_DATA")
DATA = Path(_FOLDER) if _FOLDER else Path(__file__).resolve().parents[3] / "shared" / "data"
CLIPS = sorted((DATA / "physion").glob("*.mp4"))
PAIRS = sorted(
    path for path in (DATA / "visphybench").glob("*/*.mp4") if path.name != "gt.mp4"
)  # fmt: skip
GUESS = """
# A ball that drops beside two blocks, guessed from the clip.
world = World(duration=3.0, fps=30, background=[0.5, 0.5, 0.5])
ball = Object("ball", geometry="sphere", size=[0.2, 0.2, 0.2], mass=0.3, friction=0.5, restitution=0.4,
              pos=[-0.6, 0.0, 0.8], vel=[1.0, 0.0, 0.0], acc=[0.0, 0.0, -9.8])
block = Object("block", geometry="box", size=[0.2, 0.2, 0.4], mass=1.0, friction=0.5, restitution=0.2,
               pos=[0.3, 0.0, 0.2], vel=[0.0, 0.0, 0.0], acc=[0.0, 0.0, -9.8])
floor = Plane("floor", friction=1.0, restitution=1.0)
"""

pytestmark = pytest.mark.skipif(not CLIPS or not PAIRS, reason="no recorded clips at hand")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    def call(*arguments: str | Path) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        assert isinstance(ended.value.code, int)
        return ended.value.code, captured.out

    return call


@pytest.mark.parametrize("clip", CLIPS, ids=lambda path: path.stem)
def test_any_frame_equals_sequential_reading(clip: Path) -> None:
    with VideoReader(clip) as reader:
        sequential = reader.read_all()
        assert len(sequential) == reader.info.n_frames > 100
    order = np.random.default_rng(7).permutation(len(sequential))[:30]
    with VideoReader(clip, cache_bytes=0) as reader:
        for k in (len(sequential) - 1, 0, *order):
            assert np.array_equal(reader.frame(int(k)), sequential[k]), k


@pytest.mark.parametrize("clip", CLIPS[:1], ids=lambda path: path.stem)
def test_a_clip_equals_itself(run: Callable[..., tuple[int, str]], tmp_path: Path, clip: Path) -> None:
    code, _ = run("diff", clip, clip, "--output", tmp_path / "d.json")
    report = json.loads((tmp_path / "d.json").read_text())
    assert code == 0
    assert report["findings"] == []
    assert report["image"]["psnr"]["value"] == PSNR_CAP
    assert report["image"]["ssim"]["value"] == pytest.approx(1.0)
    assert report["image"]["flow_error"]["value"] == 0.0


@pytest.mark.parametrize("candidate", PAIRS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_generated_clips_against_their_original(
    run: Callable[..., tuple[int, str]], tmp_path: Path, candidate: Path
) -> None:
    original = candidate.parent / "gt.mp4"
    code, out = run("diff", original, candidate, "--output", tmp_path / "d.json")
    assert code == 0
    assert "Overall: INCONCLUSIVE (diagnostic)" in out
    report = json.loads((tmp_path / "d.json").read_text())
    with VideoReader(original) as a, VideoReader(candidate) as b:
        times, shown = a.info.times, b.info.times
        other_rate = abs(a.info.fps - b.info.fps) > 0.02 * a.info.fps
        common = int(np.sum(times < min(a.info.duration, b.info.duration) - 1e-3))
    assert report["series"]["frame"] == list(range(common))
    for frame, other in zip(report["series"]["frame"], report["series"]["candidate_frame"], strict=True):
        following = shown[other + 1] if other + 1 < len(shown) else np.inf
        assert shown[other] <= times[frame] + 1e-3
        assert following > times[frame] - 1e-3
    kinds = [finding["kind"] for finding in report["findings"]]
    assert ("rate_mismatch" in kinds) == other_rate
    assert "image_difference" in kinds
    assert 5.0 < report["image"]["psnr"]["value"] < 40.0
    assert 0.0 <= report["image"]["silhouette_iou"]["value"] < 0.75  # one of them is nearly right


def test_a_guess_is_compared_by_its_pictures_only(
    run: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    script = tmp_path / "guess.py"
    script.write_text(GUESS)
    code, out = run(
        "eval", "--code", script, "--video", CLIPS[0], "--output", tmp_path / "r.json",
        "--debug", tmp_path / "debug", "--html", tmp_path / "r.html",
    )  # fmt: skip
    assert code == 0
    assert "[–] Geometric fidelity: not measured" in out
    assert "pictures against the video (not judged): PSNR" in out
    assert "Overall: INCONCLUSIVE (diagnostic): no truth script" in out
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["claim"] == "diagnostic"
    assert all(axis["passed"] is None for axis in report["axes"].values())
    with VideoReader(CLIPS[0]) as original, VideoReader(tmp_path / "debug" / "side_by_side.mp4") as both:
        assert both.info.n_frames == original.info.n_frames
        assert len(report["series"]["psnr"]) == original.info.n_frames
    assert None not in report["series"]["psnr"]
    assert "<html" in (tmp_path / "r.html").read_text(encoding="utf-8")
