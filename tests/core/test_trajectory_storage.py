"""Trajectories on disk come back exactly."""

from __future__ import annotations

import json
from dataclasses import fields

import numpy as np
import pytest

from fourdcb.errors import UserError
from fourdcb.physics import simulate
from fourdcb.trajectory import ContactTable, Trajectory, load_trajectory, save_trajectory
from fourdcb.world import Object, Plane, World


@pytest.fixture(scope="module")
def recorded() -> Trajectory:
    ball = Object(
        name="ball", geometry="sphere", pos=(0.0, 0.0, 0.1), vel=(0.3, 0.0, 0.0), acc=(0.0, 0.0, -9.8),
        restitution=0.5,
    )  # fmt: skip
    return simulate(World(duration=0.3, fps=30, objects=(ball,), planes=(Plane(),)), rate_hz=240)


@pytest.mark.parametrize("suffix", ["npz", "json"])
def test_everything_comes_back_exactly(recorded: Trajectory, tmp_path, suffix: str) -> None:
    path = tmp_path / f"t.{suffix}"
    save_trajectory(recorded, path)
    loaded = load_trajectory(path)
    for field in fields(Trajectory):
        stored, original = getattr(loaded, field.name), getattr(recorded, field.name)
        if isinstance(original, np.ndarray):
            assert stored.dtype == original.dtype
            np.testing.assert_array_equal(stored, original)
        elif isinstance(original, ContactTable):
            for column in fields(ContactTable):
                np.testing.assert_array_equal(getattr(stored, column.name), getattr(original, column.name))
        else:
            assert stored == original


def test_a_trajectory_without_contacts_comes_back(tmp_path) -> None:
    ball = Object(name="ball", geometry="sphere", pos=(0, 0, 1), vel=(0, 0, 0), acc=(0, 0, -9.8))
    empty = simulate(World(duration=0.1, fps=30, objects=(ball,)), rate_hz=240)
    save_trajectory(empty, tmp_path / "t.json")
    assert load_trajectory(tmp_path / "t.json").contacts.normal.shape == (0, 3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "not a trajectory"),
        ({"version": 99}, "version"),
        ({"times": [0.0]}, "not a readable"),
    ],
)
def test_other_files_are_refused(recorded: Trajectory, tmp_path, change, message: str) -> None:
    path = tmp_path / "t.json"
    save_trajectory(recorded, path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(UserError, match=message):
        load_trajectory(path)


def test_damaged_missing_and_misnamed_files_are_refused(recorded: Trajectory, tmp_path) -> None:
    (tmp_path / "t.npz").write_bytes(b"PK nonsense")
    with pytest.raises(UserError, match="not a readable"):
        load_trajectory(tmp_path / "t.npz")
    with pytest.raises(UserError, match="no such"):
        load_trajectory(tmp_path / "gone.npz")
    with pytest.raises(UserError, match=r"\.npz or \.json"):
        save_trajectory(recorded, tmp_path / "t.csv")


@pytest.mark.parametrize("text", ["[]", "3", "[" * 100_000], ids=["list", "number", "nested"])
def test_json_that_is_no_object_is_refused(tmp_path, text: str) -> None:
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(UserError, match="not a readable trajectory"):
        load_trajectory(tmp_path / "t.json")
