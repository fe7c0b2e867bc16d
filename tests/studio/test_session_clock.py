"""The one clock: frame-exact stepping, playing, loops, mapping to other sources."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourdcb_studio.session.clock import Clock


class _Time:
    now = 5.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def timed() -> tuple[Clock, _Time]:
    time = _Time()
    clock = Clock(now=time)
    clock.set_grid(n_frames=120, fps=30.0)
    return clock, time


def test_steps_work_at_once_in_both_directions_after_any_seek(timed: tuple[Clock, _Time]) -> None:
    clock, _ = timed
    for target in (0, 1, 57, 118, 119):
        clock.seek(target)
        clock.step(1)
        assert clock.frame == min(target + 1, 119)
        clock.seek(target)
        clock.step(-1)
        assert clock.frame == max(target - 1, 0)


def test_seeks_are_clipped_and_can_be_undone_both_ways(timed: tuple[Clock, _Time]) -> None:
    clock, _ = timed
    clock.seek(42)
    clock.seek(1000)
    assert clock.frame == 119
    clock.undo_seek()
    assert clock.frame == 42
    clock.undo_seek()
    assert clock.frame == 119


def test_real_time_follows_the_time_and_stops_at_the_end(timed: tuple[Clock, _Time]) -> None:
    clock, time = timed
    clock.play()
    time.now += 0.5
    assert clock.tick()
    assert clock.frame == 15
    time.now += 100.0
    clock.tick()
    assert clock.frame == 119
    assert not clock.playing


def test_speed_scales_and_does_not_jump(timed: tuple[Clock, _Time]) -> None:
    clock, time = timed
    clock.play()
    time.now += 1.0
    clock.tick()
    clock.set_speed(2.0)
    assert clock.frame == 30
    time.now += 0.5
    clock.tick()
    assert clock.frame == 60


def test_every_frame_waits_until_the_frame_is_shown(timed: tuple[Clock, _Time]) -> None:
    clock, time = timed
    clock.set_mode("every_frame")
    clock.play()
    time.now += 10.0
    assert not clock.tick(shown=False)
    assert clock.frame == 0
    assert clock.tick(shown=True)
    assert clock.frame == 1


@pytest.mark.parametrize("mode", ["real_time", "every_frame"])
def test_loop_range_wraps(timed: tuple[Clock, _Time], mode: str) -> None:
    clock, time = timed
    clock.seek(10)
    clock.mark_in()
    clock.seek(13)
    clock.mark_out()
    clock.set_loop("loop")
    clock.set_mode(mode)  # type: ignore[arg-type]
    clock.seek(10)
    clock.play()
    seen = [clock.frame]
    for _ in range(8):
        time.now += 1 / 30
        clock.tick()
        seen.append(clock.frame)
    assert seen == [10, 11, 12, 13, 10, 11, 12, 13, 10]


@pytest.mark.parametrize("mode", ["real_time", "every_frame"])
def test_ping_pong_shows_the_ends_once(timed: tuple[Clock, _Time], mode: str) -> None:
    clock, time = timed
    clock.set_grid(n_frames=4, fps=30.0)
    clock.seek(0)
    clock.set_loop("ping_pong")
    clock.set_mode(mode)  # type: ignore[arg-type]
    clock.play()
    seen = [clock.frame]
    for _ in range(9):
        time.now += 1 / 30
        clock.tick()
        seen.append(clock.frame)
    assert seen == [0, 1, 2, 3, 2, 1, 0, 1, 2, 3]


def test_playing_backwards_and_shuttle_speeds(timed: tuple[Clock, _Time]) -> None:
    clock, time = timed
    clock.seek(60)
    clock.shuttle(-1)
    time.now += 1.0
    clock.tick()
    assert clock.frame == 30
    clock.shuttle(-1)
    assert clock.speed == 2.0
    clock.shuttle(1)
    assert clock.speed == 1.0
    assert clock.direction == 1


@settings(max_examples=60, deadline=None)
@given(fps=st.sampled_from([5.0, 12.0, 24.0, 29.97, 30.0, 60.0, 125.0]), frame=st.integers(0, 239))
def test_other_sources_are_mapped_by_presentation_time(fps: float, frame: int) -> None:
    clock = Clock()
    clock.set_grid(n_frames=240, fps=30.0)
    clock.seek(frame)
    times = np.arange(round(8 * fps)) / fps
    index = clock.index_in(times)
    assert abs(times[index] - clock.time) <= np.abs(times - clock.time).min() + 1.2e-3


def test_own_grid_maps_to_itself() -> None:
    clock = Clock()
    clock.set_grid(n_frames=120, fps=30.0)
    times = np.arange(120) / 30.0
    for frame in range(120):
        clock.seek(frame)
        assert clock.index_in(times) == frame
    assert clock.index_in(times, offset=5) == 119


STAMPS = np.array([0.0, 1 / 30, 2 / 30, 1.0, 1.5, 1.5 + 1 / 30])


def test_frames_of_a_variable_rate_keep_their_own_times() -> None:
    time = _Time()
    clock = Clock(now=time)
    clock.set_grid(n_frames=6, fps=4.0, times=STAMPS)
    for frame in range(6):
        clock.seek(frame)
        assert clock.time == STAMPS[frame]
        assert clock.index_in(STAMPS) == frame  # every frame of its own can be reached
        assert clock.index_in(np.arange(47) / 30) == round(STAMPS[frame] * 30)
    clock.seek(0)
    clock.play()
    shown = []
    for seconds in (0.05, 0.5, 0.99, 1.2, 1.6):
        time.now = 5.0 + seconds
        clock.tick()
        shown.append(clock.frame)
    assert shown == [1, 2, 2, 3, 5]
    assert not clock.playing


def test_another_grid_of_equal_length_is_another_grid() -> None:
    clock = Clock()
    clock.set_grid(n_frames=6, fps=4.0, times=STAMPS)
    clock.seek(3)
    clock.mark_in()
    clock.set_grid(n_frames=6, fps=4.0, times=STAMPS.copy())
    assert clock.has_loop_range
    clock.set_grid(n_frames=6, fps=4.0)
    assert not clock.has_loop_range
    assert clock.time == 0.75
    with pytest.raises(ValueError, match="frames and a rate"):
        clock.set_grid(n_frames=6, fps=4.0, times=STAMPS[:3])
