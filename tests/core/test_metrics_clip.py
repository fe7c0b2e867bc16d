"""The replay against the video: paired by presentation time, length and rate told apart."""

from __future__ import annotations

import numpy as np
import pytest

from fourdcb.metrics.clip import clip_quality, length_mismatch, partners


@pytest.mark.parametrize(("fps", "video_fps"), [(30, 30), (30, 25), (25, 60), (24, 30000 / 1001)])
def test_partners_are_the_frames_on_show(fps: float, video_fps: float) -> None:
    times, video = np.arange(40) / fps, np.arange(30) / video_fps
    shown = [
        max(j for j, start in enumerate(video) if start <= t + 6e-4) if t + 6e-4 < 30 / video_fps else -1
        for t in times
    ]
    np.testing.assert_array_equal(partners(times, video), shown)


def test_a_shorter_slower_video_is_remarked_upon() -> None:
    rng = np.random.default_rng(1)
    frames = rng.integers(0, 256, (12, 16, 16, 3), dtype=np.uint8)
    found = clip_quality(frames, np.arange(12) / 24, frames[:6], np.arange(6) / 16)
    assert found.mismatch == (
        "the video runs at 16 frames/s, the script at 24",
        "the video lasts 0.38 s, the script's clip 0.50 s",
    )
    assert [p is None for p in found.psnr] == [k >= 9 for k in range(12)]


def test_a_frame_more_or_less_is_no_other_clip() -> None:
    assert length_mismatch(np.arange(30) / 30, np.arange(31) / 30) is None
    assert length_mismatch(np.arange(30) / 30, np.arange(32) / 30) is not None
    assert length_mismatch(np.zeros(1), np.zeros(1)) is None
