"""The replay against the video: paired by presentation time, length and rate told apart."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from fourdcb.metrics.pictures.clip import clip_quality, length_mismatch, partners
from fourdcb.video import Timeline


@pytest.mark.parametrize(("fps", "video_fps"), [(30, 30), (30, 25), (25, 60), (24, 30000 / 1001)])
def test_partners_are_the_nearest_frames(fps: float, video_fps: float) -> None:
    times, video = np.arange(40) / fps, np.arange(30) / video_fps
    nearest = [
        min(range(30), key=lambda j: (round(abs(video[j] - t), 6), j)) if t + 6e-4 < 30 / video_fps else -1
        for t in times
    ]
    np.testing.assert_array_equal(partners(times, video), nearest)


def test_a_shorter_slower_video_is_remarked_upon() -> None:
    rng = np.random.default_rng(1)
    frames = rng.integers(0, 256, (12, 16, 16, 3), dtype=np.uint8)
    found = clip_quality(frames, np.arange(12) / 24, frames[:6], np.arange(6) / 16)
    assert tuple(f.message for f in found.mismatch) == (
        "the video runs at 16 frames/s, the script at 24",
        "the video lasts 0.38 s, the script's clip 0.50 s",
    )
    assert [p is None for p in found.psnr] == [k >= 9 for k in range(12)]


def test_a_frame_more_or_less_is_no_other_clip() -> None:
    assert length_mismatch(np.arange(30) / 30, np.arange(31) / 30) is None
    assert length_mismatch(np.arange(30) / 30, np.arange(32) / 30) is not None
    assert length_mismatch(np.zeros(1), np.zeros(1)) is None


def test_a_last_picture_that_is_held_makes_no_other_clip() -> None:
    """Screen recorders write no frame while nothing moves: the last one stands for the rest of the clip."""
    times, shown = np.arange(120) / 30, np.arange(60) / 30
    assert length_mismatch(times, shown) is not None
    held = Timeline(shown, 4.0)
    assert length_mismatch(times, held) is None
    found = partners(times, held)
    assert found.tolist() == [*range(60), *[59] * 60]


def sliding(speed: float, count: int = 5) -> NDArray[np.uint8]:
    """A texture that slides to the right [px per frame]."""
    noise = np.random.default_rng(0).uniform(0.0, 255.0, size=(96, 400))
    texture = cv2.GaussianBlur(noise, (0, 0), 3.0)
    texture = (texture - texture.min()) / np.ptp(texture) * 255.0
    columns = [np.arange(96.0) + 100.0 - speed * k for k in range(count)]
    rows = [np.stack([np.interp(c, np.arange(400.0), row) for row in texture]) for c in columns]
    return np.repeat(np.rint(rows).astype(np.uint8)[..., None], 3, axis=3)


@pytest.mark.parametrize(("own", "shown"), [(2.0, 3.0), (2.0, 0.0), (2.0, -1.0), (1.0, 1.0)])
def test_motion_error_is_the_difference_of_the_speeds(own: float, shown: float) -> None:
    times = np.arange(5) / 30
    found = clip_quality(sliding(own), times, sliding(shown), times)
    assert found.flow == pytest.approx(abs(own - shown), abs=0.3)


def test_motion_is_compared_where_the_video_goes_on_by_one_frame() -> None:
    """A video of half the rate shows each picture twice: between the two nothing can have moved."""
    frames, times = sliding(2.0, 6), np.arange(6) / 30
    for speed in (2.0, 4.0):
        found = clip_quality(frames, times, sliding(speed, 3), np.arange(3) / 15)
        assert found.flow == pytest.approx(speed - 2.0, abs=0.3)
    assert clip_quality(frames[:1], times[:1], frames[:1], times[:1]).flow is None
