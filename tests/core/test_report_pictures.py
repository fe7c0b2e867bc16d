"""Pictures of failures, the side-by-side clip, and everything that one judgement leaves on disk."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from fourdcb.errors import UserError
from fourdcb.metrics import Finding, Report
from fourdcb.report import comparison_picture, load_report, png_bytes, side_by_side, write_evaluation
from fourdcb.report.evaluation import MOST_PICTURES, failure_pictures, pictures_of_report
from fourdcb.report.pictures import BAR, GAP, difference_picture
from fourdcb.video import VideoReader

SIZE, FRAMES, FPS = 48, 12, 30.0
GREY = np.full((SIZE, SIZE, 3), 128, dtype=np.uint8)


@dataclass(frozen=True)
class _World:
    fps: float = FPS

    def frame_times(self) -> np.ndarray[Any, Any]:
        return np.arange(FRAMES) / self.fps


def _report(findings: tuple[Finding, ...]) -> Report:
    return Report(
        verdict="DEPLOYMENT_NOT_RECOMMENDED", claim="diagnostic", reasons=(), axes={}, image={},
        findings=findings, horizon={}, series={"times": [], "objects": {}}, inputs={}, environment={},
    )  # fmt: skip


def _finding(frame: int | None, message: str, severity: str = "error") -> Finding:
    return Finding(
        frame=frame, time=None, axis="geometry", objects=(), arguments={"text": message, "placed": True},
        severity=severity,  # type: ignore[arg-type]
    )  # fmt: skip


def _evaluation(findings: tuple[Finding, ...], *, video_fps: float = FPS) -> Any:
    """A candidate whose frame k has the grey level 10 k, and a video of ``video_fps`` that shows the same."""
    level = (10 * np.arange(FRAMES)).astype(np.uint8)
    frames = np.broadcast_to(level[:, None, None, None], (FRAMES, SIZE, SIZE, 3)).copy()
    times = np.arange(int(FRAMES * video_fps / FPS)) / video_fps
    clip = frames[(times * FPS + 1e-6).astype(int)]
    return SimpleNamespace(
        report=_report(findings),
        candidate=SimpleNamespace(world=_World(), frames=frames),
        reference=None,
        video=SimpleNamespace(info=SimpleNamespace(times=times), frames=clip),
        diagnostics=(),
    )


def test_difference_tells_brighter_from_darker() -> None:
    same = difference_picture(GREY, GREY)
    brighter = difference_picture(GREY, GREY + 40)
    darker = difference_picture(GREY, GREY - 40)
    assert len(np.unique(same.reshape(-1, 3), axis=0)) == 1
    assert brighter[0, 0, 0] > brighter[0, 0, 2]
    assert darker[0, 0, 2] > darker[0, 0, 0]
    stronger = difference_picture(GREY, GREY + 60)
    assert int(stronger[0, 0, 0]) > int(brighter[0, 0, 0])


def test_comparison_holds_the_three_pictures_untouched() -> None:
    replay = np.random.default_rng(0).integers(0, 256, (SIZE, SIZE, 3), dtype=np.uint8)
    picture = comparison_picture(GREY, replay, caption="a caption much too long for so small a picture")
    row = slice(2 * BAR, 2 * BAR + SIZE)
    np.testing.assert_array_equal(picture[row, GAP : GAP + SIZE], GREY)
    second = 2 * GAP + SIZE
    np.testing.assert_array_equal(picture[row, second : second + SIZE], replay)
    third = 3 * GAP + 2 * SIZE
    np.testing.assert_array_equal(picture[row, third : third + SIZE], difference_picture(GREY, replay))
    alone = comparison_picture(None, replay, caption="no video")
    assert alone.shape[1] == SIZE + 2 * GAP


def test_a_difference_that_would_not_show_is_left_out() -> None:
    """Grain of a codec, at edges too, is none; a few pixels that differ much are."""
    large = np.full((200, 200, 3), 128, dtype=np.uint8)
    coded = large + np.random.default_rng(2).integers(0, 4, large.shape, dtype=np.uint8)
    coded[100, 50:60] += 24
    two = comparison_picture(large, coded, caption="frame 1")
    assert two.shape[1] == 3 * GAP + 2 * 200
    small = coded.copy()
    small[40:43, 40:43] = 220
    assert comparison_picture(large, small, caption="frame 1").shape[1] == 4 * GAP + 3 * 200


def test_caption_is_drawn() -> None:
    blank = comparison_picture(GREY, GREY, caption="")
    told = comparison_picture(GREY, GREY, caption="frame 3")
    assert (blank[:BAR] != told[:BAR]).any()
    np.testing.assert_array_equal(blank[BAR:], told[BAR:])


def test_png_is_lossless() -> None:
    image = np.random.default_rng(1).integers(0, 256, (20, 30, 3), dtype=np.uint8)
    np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(png_bytes(image)))), image)


def test_side_by_side_is_even_sized_and_keeps_order() -> None:
    odd = np.zeros((5, 41, 37, 3), dtype=np.uint8)
    odd[:] = np.arange(5, dtype=np.uint8)[:, None, None, None] * 50
    frames = list(side_by_side((None if k == 2 else odd[k], odd[k]) for k in range(5)))
    assert len(frames) == 5
    assert {frame.shape for frame in frames} == {frames[0].shape}
    assert frames[0].shape[0] % 2 == frames[0].shape[1] % 2 == 0
    assert frames[4][BAR + 5, GAP + 5].tolist() == [200, 200, 200]
    assert frames[4][BAR + 5, 37 + 2 * GAP + 5].tolist() == [200, 200, 200]
    assert frames[2][BAR + 5, GAP + 5].tolist() == [21, 23, 27]


@pytest.mark.parametrize("video_fps", [30.0, 60.0])
def test_failure_pictures_pair_the_frames_by_time(video_fps: float) -> None:
    [picture] = failure_pictures(_evaluation((_finding(7, "frame 7: wrong"),), video_fps=video_fps))
    image = np.asarray(Image.open(io.BytesIO(picture.png)))
    original = image[2 * BAR + 5, GAP + 5]
    replay = image[2 * BAR + 5, 2 * GAP + SIZE + 5]
    assert original.tolist() == replay.tolist() == [70, 70, 70]


def test_gravest_frames_are_pictured_first_and_in_order() -> None:
    warnings = tuple(_finding(k, "w", "warning") for k in range(FRAMES))
    findings = (*warnings, _finding(11, "e"), _finding(None, "no frame"), _finding(99, "outside"))
    pictures = failure_pictures(_evaluation(findings))
    assert len(pictures) == MOST_PICTURES
    assert [picture.frame for picture in pictures] == [*range(MOST_PICTURES - 1), 11]
    assert failure_pictures(_evaluation((_finding(3, "i", "info"),))) == []


def test_one_judgement_on_disk(tmp_path: Path) -> None:
    evaluation = _evaluation((_finding(7, "frame 7: wrong"),))
    output, debug = tmp_path / "report.json", tmp_path / "deep" / "debug"
    report = write_evaluation(evaluation, output, debug=debug, html=tmp_path / "report.html")
    assert load_report(output) == report
    assert report.artifacts["failure_frames"] == [{"frame": 7, "path": "deep/debug/frame_0007.png"}]
    assert [picture.frame for picture in pictures_of_report(report, tmp_path)] == [7]
    assert pictures_of_report(report, tmp_path / "elsewhere") == []
    assert "data:image/png" in (tmp_path / "report.html").read_text(encoding="utf-8")
    with VideoReader(tmp_path / report.artifacts["side_by_side"]) as clip:
        assert clip.info.n_frames == FRAMES
        assert abs(int(clip.frame(9)[BAR + 20, GAP + 20, 0]) - 90) <= 3


def test_fast_judgement_writes_only_the_report(tmp_path: Path) -> None:
    evaluation = _evaluation((_finding(7, "frame 7: wrong"),))
    evaluation.candidate.frames = evaluation.video = None
    report = write_evaluation(evaluation, tmp_path / "r.json", debug=tmp_path / "debug")
    assert report.artifacts == {"failure_frames": [], "heatmaps": []}


def test_missing_folder_is_told_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist"):
        write_evaluation(_evaluation(()), tmp_path / "r.json", html=tmp_path / "none" / "r.html")
    assert list(tmp_path.iterdir()) == []
