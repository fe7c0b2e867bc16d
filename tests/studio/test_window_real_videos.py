"""Real videos in the real window: exact frames, pairs on one clock, a wipe while a slider moves."""

from __future__ import annotations

import os
import random
from pathlib import Path

import numpy as np
import pytest

from fourdcb.video import VideoReader
from fourdcb_studio.main_window import MainWindow
from fourdcb_studio.widgets.image_transform import ViewTransform

_DATA = Path(os.environ.get("FOURDCB_DATA", Path(__file__).parents[3] / "shared" / "data"))
_PAIRS = [
    pytest.param(folder / "gt.mp4", other, id=f"{folder.name}-{other.stem}")
    for folder in sorted((_DATA / "visphybench").glob("*"))
    for other in sorted(folder.glob("*.mp4"))
    if other.name != "gt.mp4" and (folder / "gt.mp4").is_file()
] or [pytest.param(None, None, marks=pytest.mark.skip(reason="no visphybench data"))]
_CLIPS = [pytest.param(clip, id=clip.stem) for clip in sorted((_DATA / "physion").glob("*.mp4"))] or [
    pytest.param(None, marks=pytest.mark.skip(reason="no physion data"))
]
_SEEKS = 8
_UPPER, _LOWER = ((0.5, 0.3), (0.45, 0.42)), ((0.5, 0.6), (0.45, 0.7), (0.55, 0.75))
WINDOW_SIZE = (1280, 800)


def _frame_at(reader: VideoReader, t: float) -> int:
    """The last frame that is presented at or before t [s], found one by one."""
    shown = [k for k, own in enumerate(reader.info.times) if own <= t + 1e-6]
    return shown[-1] if shown else 0


def _seek_and_look(window: MainWindow, until, frame: int) -> tuple[np.ndarray, np.ndarray | None]:
    window.session.clock.seek(frame)
    until(lambda: window.session.videos.settled)
    window.presenter.show_images()
    arrays = window.parts.images._arrays
    original = arrays["reference"]
    assert original is not None
    return original, arrays["candidate"]


@pytest.mark.parametrize(("first", "second"), _PAIRS)
def test_pairs_scrub_frame_exactly_on_the_first_ones_clock(
    first: Path, second: Path, window: MainWindow, until
) -> None:
    window.open_paths([first, second])
    until(lambda: window.session.videos.settled)
    rng = random.Random(first.parent.name + second.stem)
    with VideoReader(first) as a, VideoReader(second) as b:
        assert window.session.clock.n_frames == a.info.n_frames
        count = a.info.n_frames
        for k in (0, count - 1, *(rng.randrange(count) for _ in range(_SEEKS))):
            original, other = _seek_and_look(window, until, k)
            np.testing.assert_array_equal(original, a.frame(k))
            assert other is not None
            np.testing.assert_array_equal(other, b.frame(_frame_at(b, k / window.session.clock.fps)))
    window.session.comparison.update(mode="difference")
    until(lambda: window.session.settled)
    assert window.session.message is None or window.session.message.severity != "error"


@pytest.mark.parametrize("clip", _CLIPS)
def test_single_clips_scrub_frame_exactly(clip: Path, window: MainWindow, until) -> None:
    window.open_paths([clip])
    until(lambda: window.session.videos.settled)
    rng = random.Random(clip.stem)
    with VideoReader(clip) as reader:
        for k in (reader.info.n_frames - 1, *(rng.randrange(reader.info.n_frames) for _ in range(_SEEKS))):
            original, _ = _seek_and_look(window, until, k)
            np.testing.assert_array_equal(original, reader.frame(k))


@pytest.mark.parametrize("mode", ["wipe", "before_after"])
def test_the_wipe_shows_both_sides_while_a_slider_moves(
    mode: str, window: MainWindow, scene_folder, until
) -> None:
    left_source = "reference" if mode == "wipe" else "before"
    window.open_paths([scene_folder.folder])
    window.session.comparison.update(mode=mode)
    window.session.clock.seek(20)
    until(lambda: window.session.settled)
    images, scheduler = window.parts.images, window.session.scheduler
    for k in range(6):
        window.session.change("ball.restitution", 0.4 + 0.08 * k)
        newest = scheduler.generation
        until(lambda newest=newest: window.presenter.shown_generation >= newest)
        left, right = images._arrays[left_source], images._arrays["candidate"]
        assert left is not None
        assert right is not None
        window.session.comparison.update(wipe=0.2 if k % 2 else 0.8)
        shown_right = bool(k % 2)
        _assert_shows(window, right if shown_right else left, _UPPER)
        # The wipe over the original splits the other side: after the edit above, before it below.
        under = images._arrays["before"] if mode == "wipe" else right
        assert under is not None
        _assert_shows(window, under if shown_right else left, _LOWER)
    assert window.session.parameters is not None
    assert window.session.parameters.dragging == "ball.restitution"
    window.session.finish_drag()
    until(lambda: window.session.settled)


def _assert_shows(window: MainWindow, expected: np.ndarray, places: tuple[tuple[float, float], ...]) -> None:
    """At these places, which the edge leaves on one side, the view shows this image."""
    images = window.parts.images
    height, width = expected.shape[:2]
    target = ViewTransform().target(images.cell_rects()[0], width, height)
    picture = images.grab().toImage()
    for u, v in places:
        x, y = int(target.x() + u * target.width()), int(target.y() + v * target.height())
        color = picture.pixelColor(x, y)
        patch = expected[
            max(0, int(v * height) - 2) : int(v * height) + 3, max(0, int(u * width) - 2) : int(u * width) + 3
        ].reshape(-1, 3)
        seen = np.array([color.red(), color.green(), color.blue()])
        assert (patch.min(axis=0) - 4 <= seen).all()
        assert (seen <= patch.max(axis=0) + 4).all()


def test_a_variable_rate_shows_the_frame_that_a_finding_names(window: MainWindow, until) -> None:
    folder = Path(__file__).parents[1] / "data" / "video"
    first, second = folder / "variable_rate.mp4", folder / "variable_rate_frame_7_red.mp4"
    window.open_paths([first, second])
    until(lambda: window.session.videos.settled)
    session = window.session
    with VideoReader(first) as reader:
        assert session.clock.n_frames == reader.info.n_frames == 39
        original, other = _seek_and_look(window, until, 7)
        np.testing.assert_array_equal(original, reader.frame(7))
        assert session.clock.time == reader.info.times[7]
    assert other is not None
    assert other.mean(axis=(0, 1)) == pytest.approx((254, 0, 0), abs=4)
    reached = set()
    for k in range(39):
        session.clock.seek(k)
        reached.add((session.videos.index("video"), session.videos.index("second")))
    assert reached == {(k, k) for k in range(39)}
