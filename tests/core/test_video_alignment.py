"""Pairing by presentation time, and letterboxing with its recorded transform."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourdcb.errors import UserError
from fourdcb.video import align, fit_letterbox, letterbox


def clock(fps: float, frames: int) -> np.ndarray:
    return np.arange(frames) / fps


def test_equal_clocks_pair_one_to_one() -> None:
    pairs = align(clock(30, 90), clock(30, 90))
    assert np.array_equal(pairs.index_a, np.arange(90))
    assert np.array_equal(pairs.index_b, np.arange(90))
    assert pairs.same_length
    assert pairs.same_rate
    assert (pairs.start, pairs.end) == (0.0, pytest.approx(3.0))


def test_a_slow_reference_picks_frames_of_a_fast_candidate() -> None:
    pairs = align(clock(5, 17), clock(125, 422))
    assert np.array_equal(pairs.index_a, np.arange(17))
    assert np.array_equal(pairs.index_b, np.arange(17) * 25)
    assert not pairs.same_rate
    assert pairs.same_length  # 3.4 s and 3.376 s: less than half a frame of the slower one apart


def test_a_fast_reference_repeats_frames_of_a_slow_candidate() -> None:
    pairs = align(clock(30, 60), clock(15, 30))
    assert np.array_equal(pairs.index_b, np.repeat(np.arange(30), 2))


def test_only_the_common_time_is_paired() -> None:
    pairs = align(clock(30, 90), clock(30, 45))
    assert np.array_equal(pairs.index_a, np.arange(45))
    assert pairs.end == pytest.approx(1.5)
    assert not pairs.same_length
    late = align(clock(30, 90), clock(30, 90) + 1.0)
    assert np.array_equal(late.index_a, np.arange(30, 90))
    assert np.array_equal(late.index_b, np.arange(60))
    assert not align(clock(30, 10), clock(30, 10) + 5.0).index_a.size


def test_stamps_rounded_to_milliseconds_still_pair() -> None:
    pairs = align(clock(30, 90), np.round(clock(30, 90), 3))
    assert np.array_equal(pairs.index_b, np.arange(90))
    pairs = align(np.round(clock(60, 180), 3), clock(60, 180))
    assert np.array_equal(pairs.index_b, np.arange(180))


def test_no_time_is_warped() -> None:
    slow = clock(30, 90) * 1.1  # a candidate that runs 10 % late stays late
    pairs = align(clock(30, 90), slow)
    assert np.array_equal(pairs.index_b, np.rint(np.arange(90) / 1.1).astype(int))


@pytest.mark.parametrize(("fps_a", "fps_b"), [(30, 30000 / 1001), (24, 24000 / 1001), (60, 59.9), (25, 25.1)])
def test_almost_equal_clocks_pair_nearest_stamps_alike_in_both_orders(fps_a: float, fps_b: float) -> None:
    a, b = clock(fps_a, 90), clock(fps_b, 90)
    forth, back = align(a, b), align(b, a)
    assert np.abs(a[forth.index_a] - b[forth.index_b]).max() < 0.5 / fps_b + 1e-9
    shared = {*zip(forth.index_a.tolist(), forth.index_b.tolist(), strict=True)}
    assert shared == {*zip(back.index_b.tolist(), back.index_a.tolist(), strict=True)}
    assert len(shared) == 90


def test_a_held_picture_lasts_until_the_next_one_comes() -> None:
    held = np.array([0.0, 1 / 30, 2 / 30, 2.0, 2.0 + 1 / 30])  # nothing moved for two seconds: no frames
    pairs = align(clock(30, 61), held)
    assert np.array_equal(pairs.index_b[:3], [0, 1, 2])
    assert set(pairs.index_b[3:60].tolist()) == {2}
    assert pairs.index_b[60] == 3


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(0.01, 0.5), min_size=1, max_size=30),
    st.lists(st.floats(0.01, 0.5), min_size=1, max_size=30),
)
def test_pairs_hold_the_time(steps_a: list[float], steps_b: list[float]) -> None:
    a, b = np.cumsum(steps_a) - steps_a[0], np.cumsum(steps_b) - steps_b[0]
    pairs = align(a, b)
    assert np.all(np.diff(pairs.index_a) == 1)
    assert np.all(np.diff(pairs.index_b) >= 0)
    for i, j in zip(pairs.index_a, pairs.index_b, strict=True):
        shown = max(k for k in range(len(b)) if b[k] <= a[i] or k == 0)
        assert j in (shown, shown + 1)
        assert abs(b[j] - a[i]) <= abs(b[shown] - a[i])


@pytest.mark.parametrize("times", [[], [0.0, 0.0], [1.0, 0.5], [0.0, float("nan")]])
def test_bad_times_are_refused(times: list[float]) -> None:
    with pytest.raises(ValueError, match="increasing"):
        align(times, [0.0, 1.0])


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 400), st.integers(1, 400), st.integers(1, 300), st.integers(1, 300))
def test_letterbox_fits_and_inverts(source_w: int, source_h: int, width: int, height: int) -> None:
    box = fit_letterbox(source_width=source_w, source_height=source_h, width=width, height=height)
    assert box.content_width == width or box.content_height == height
    assert 0 <= box.left <= width - box.content_width
    assert 0 <= box.top <= height - box.content_height
    corners = np.array([[0.0, 0.0], [source_w, source_h], [0.3 * source_w, 0.7 * source_h]])
    assert box.to_source(box.to_box(corners)) == pytest.approx(corners, abs=1e-9)
    assert box.to_box(corners[1]) == pytest.approx(
        (box.left + box.content_width, box.top + box.content_height)
    )


def test_letterbox_puts_a_mark_where_it_says() -> None:
    frame = np.full((90, 160, 3), 40, np.uint8)
    frame[40:50, 100:110] = 255
    boxed, box = letterbox(frame, width=256, height=256)
    assert boxed.shape == (256, 256, 3)
    assert (box.content_width, box.content_height, box.left, box.top) == (256, 144, 0, 56)
    assert not boxed[:56].any()
    assert not boxed[200:].any()
    rows, columns = np.nonzero(boxed[..., 0] > 150)
    centre = np.array([columns.mean() + 0.5, rows.mean() + 0.5])
    assert centre == pytest.approx(box.to_box((105.0, 45.0)), abs=0.6)


def test_letterbox_of_the_same_size_is_a_copy() -> None:
    frame = np.random.default_rng(0).integers(0, 256, size=(32, 48, 3), dtype=np.uint8)
    boxed, box = letterbox(frame, width=48, height=32)
    assert box.identity
    assert np.array_equal(boxed, frame)
    assert boxed is not frame


def test_letterbox_refuses_empty_sizes() -> None:
    with pytest.raises(UserError):
        fit_letterbox(source_width=0, source_height=4, width=8, height=8)
