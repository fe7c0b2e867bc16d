"""Particles that a trajectory carries: they come back exactly, and move as their frames say."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.interpolate import interp1d

from fourdcb.errors import UserError
from fourdcb.physics import simulate
from fourdcb.trajectory import ParticleTrack, Trajectory, load_trajectory, save_trajectory
from fourdcb.world import Object, World

FPS = 20.0


def track(position: np.ndarray) -> ParticleTrack:
    count = position.shape[1]
    return ParticleTrack(
        fps=FPS,
        position=position,
        radius=np.linspace(0.001, 0.002, count),
        mass=np.linspace(0.0, 1e-6, count),
    )


@pytest.fixture(scope="module")
def rolled() -> Trajectory:
    ball = Object(name="ball", geometry="sphere", pos=(0, 0, 1), vel=(0, 0, 0), acc=(0, 0, -9.8))
    return simulate(World(duration=0.3, fps=FPS, objects=(ball,)), rate_hz=240)


@pytest.mark.parametrize("suffix", ["npz", "json"])
@pytest.mark.parametrize("count", [0, 1, 7])
def test_a_track_comes_back_exactly(rolled: Trajectory, tmp_path: Path, suffix: str, count: int) -> None:
    rng = np.random.default_rng(count)
    wet = replace(rolled, particles=track(rng.normal(size=(rolled.n_frames, count, 3))))
    save_trajectory(wet, tmp_path / f"t.{suffix}")
    found = load_trajectory(tmp_path / f"t.{suffix}").particles
    assert found is not None
    assert wet.particles is not None
    assert found.fps == FPS
    for name in ("position", "radius", "mass"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wet.particles, name))
        assert getattr(found, name).shape == getattr(wet.particles, name).shape


def test_without_particles_the_file_is_the_former_version(rolled: Trajectory, tmp_path: Path) -> None:
    save_trajectory(rolled, tmp_path / "t.json")
    assert json.loads((tmp_path / "t.json").read_text())["version"] == 1
    assert load_trajectory(tmp_path / "t.json").particles is None


def test_a_track_of_another_length_is_refused(rolled: Trajectory, tmp_path: Path) -> None:
    save_trajectory(
        replace(rolled, particles=track(np.zeros((rolled.n_frames + 1, 2, 3)))), tmp_path / "t.npz"
    )
    with pytest.raises(UserError, match="frames of particles"):
        load_trajectory(tmp_path / "t.npz")


@given(
    arrays.arrays(np.float64, (5, 3, 3), elements=st.floats(-10, 10)),
    st.floats(-0.1, 0.4),
)
def test_between_and_beyond_frames_motion_is_linear(position: np.ndarray, t: float) -> None:
    expected = interp1d(np.arange(5) / FPS, position, axis=0, fill_value="extrapolate")(t)
    np.testing.assert_allclose(track(position).at(t), expected, atol=1e-9)


def test_one_frame_stands_still() -> None:
    position = np.ones((1, 2, 3))
    for t in (-0.1, 0.0, 0.5):
        np.testing.assert_array_equal(track(position).at(t), position[0])


@pytest.mark.parametrize(
    "wrong",
    [
        {"position": np.zeros((2, 3))},
        {"position": np.zeros((0, 2, 3))},
        {"position": np.full((2, 2, 3), np.nan)},
        {"radius": np.zeros(2)},
        {"radius": np.ones(3)},
        {"mass": np.full(2, -1.0)},
        {"fps": 0.0},
    ],
)
def test_tracks_that_mean_nothing_are_refused(wrong: dict[str, object]) -> None:
    good = {"fps": FPS, "position": np.zeros((2, 2, 3)), "radius": np.ones(2), "mass": np.ones(2)}
    ParticleTrack(**good)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"."):
        ParticleTrack(**{**good, **wrong})  # type: ignore[arg-type]
