"""The slope against SciPy; how fast a replay is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import linregress

from fourdcb.metrics import load_criteria
from fourdcb.metrics.comparison import compare
from fourdcb.metrics.geometry import drift
from fourdcb.metrics.geometry.drift import drift_rate, growth, paced, replay_fps, slope
from fourdcb.metrics.result import MetricValue
from fourdcb.render import _threads, on_one_thread
from fourdcb.replay import Replay, replay
from fourdcb.world import Camera, Object, World


@given(st.integers(0, 2**32 - 1), st.integers(2, 150))
@settings(max_examples=25, deadline=None)
def test_slope_equals_scipy(seed: int, count: int) -> None:
    y = np.random.default_rng(seed).normal(size=count).cumsum()
    assert slope(y) == pytest.approx(linregress(np.arange(count), y).slope, abs=1e-12)


def test_growth_compares_the_last_second_with_the_first() -> None:
    assert growth(np.repeat([1.0, 5.0, 3.0], 30), 30.0) == pytest.approx(2.0)
    assert growth(np.array([1.0, 4.0]), 30.0) == pytest.approx(3.0)


def errors_of(truth: Replay, metres: np.ndarray) -> MetricValue:
    """The drift of a candidate whose first body is off by so many metres at each frame."""
    t = truth.trajectory
    position = t.position.copy()
    position[:, 0, 1] += np.interp(t.times, t.times[t.frame_steps()], metres)
    spoiled = replace(truth, trajectory=replace(t, position=position))
    criteria = load_criteria()
    return drift_rate(compare(truth, spoiled, criteria, {}, fast=True), criteria)


def test_a_late_break_away_is_a_drift_and_a_shrinking_error_is_none() -> None:
    floating = Object(
        name="ball",
        geometry="sphere",
        size=(0.2, 0.2, 0.2),
        pos=(0.0, 0.0, 1.0),
        vel=(0.0, 0.0, 0.0),
        acc=(0.0, 0.0, 0.0),
    )
    truth = replay(World(objects=(floating,), duration=4.0), frames=False)
    n = truth.trajectory.n_frames
    late = errors_of(truth, np.concatenate([np.zeros(n - 12), np.linspace(0.0, 0.75, 12)]))
    assert late.passed is False
    assert late.value is not None
    assert late.value > 0.5
    shrinking = errors_of(truth, np.linspace(0.012, 0.0, n))
    assert shrinking.value == pytest.approx(-12.0 / (n - 1) * truth.trajectory.fps / 30.0, rel=1e-3)
    assert shrinking.passed is True
    assert all(g < 0 for g in shrinking.detail["growth_m"].values())


class Clock:
    """Time that passes only when something works or waits."""

    def __init__(self) -> None:
        self.time = 5.0

    def now(self) -> float:
        return self.time

    def wait(self, seconds: float) -> None:
        self.time += seconds


def test_quick_frames_are_shown_at_their_ticks() -> None:
    clock = Clock()
    jobs = [lambda s=s: clock.wait(s) for s in (0.001, 0.010, 0.004, 0.002)]
    seconds, shown = paced(jobs, hz=100.0, now=clock.now, wait=clock.wait)
    assert seconds == pytest.approx([0.001, 0.010, 0.004, 0.002])
    assert np.diff(shown) == pytest.approx([0.01, 0.01, 0.01])


def test_a_late_frame_is_shown_when_done_and_the_ticks_go_on_from_there() -> None:
    clock = Clock()
    jobs = [lambda s=s: clock.wait(s) for s in (0.001, 0.025, 0.001, 0.001)]
    _, shown = paced(jobs, hz=100.0, now=clock.now, wait=clock.wait)
    assert np.diff(shown) == pytest.approx([0.025, 0.01, 0.01])


def test_slow_frames_end_the_measurement() -> None:
    clock = Clock()
    seconds, _ = paced([lambda: clock.wait(1.0)] * 9, hz=60.0, budget=0.5, now=clock.now, wait=clock.wait)
    assert len(seconds) == 3


def rates(monkeypatch: pytest.MonkeyPatch, *shown: np.ndarray) -> None:
    """What one measurement after the other shows; drawing takes 5 ms."""
    turns = iter(shown)
    monkeypatch.setattr(drift, "paced", lambda *_, **__: (np.full(4, 0.005), next(turns)))


EVEN, UNEVEN = np.arange(4) / 60.0, np.cumsum([0.0, 1 / 60, 1 / 30, 1 / 60])


def test_an_uneven_rate_fails_where_the_truth_s_is_even(monkeypatch: pytest.MonkeyPatch) -> None:
    played = replay(World(duration=0.2, camera=Camera(width=16, height=16)), frames=False)
    criteria = load_criteria()
    rates(monkeypatch, EVEN, UNEVEN, *(UNEVEN, EVEN) * 7)
    failed = replay_fps(played, played, criteria)
    assert failed.passed is False
    assert failed.value == pytest.approx(200.0)
    assert failed.reason == "uneven: ±14.1 frames/s when paced at 60 Hz, less than ±3 is needed"
    rates(monkeypatch, EVEN, UNEVEN, EVEN, EVEN)  # the second look was quiet
    assert replay_fps(played, played, criteria).passed is True
    for disturbed in ((UNEVEN, EVEN), (EVEN, UNEVEN, UNEVEN, UNEVEN)):
        rates(monkeypatch, *disturbed)
        unjudged = replay_fps(played, played, criteria)
        assert unjudged.passed is None
        assert str(unjudged.reason).startswith("not judged on this machine")


def test_the_rate_is_that_of_all_threads_beside_other_work_too(monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[bool] = []

    def once(jobs: Sequence[Callable[[], object]], **_: object) -> tuple[np.ndarray, np.ndarray]:
        used.append(_threads.is_alone())
        return np.full(3, 0.01), np.arange(3) / 60.0

    monkeypatch.setattr(drift, "paced", once)
    played = replay(World(duration=0.2, camera=Camera(width=16, height=16)), frames=False)
    with on_one_thread():
        replay_fps(played, played, load_criteria())
        assert _threads.is_alone()
    assert used == [False] * len(used)
    assert used
    assert not _threads.is_alone()
