"""Predictability: calm and chaotic scenes, leaving the view, and the cache."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh

from fourdcb.conventions import rotation_angle_deg
from fourdcb.physics import Engine, make_engine
from fourdcb.sensitivity import horizon as module
from fourdcb.sensitivity import predictability_horizon
from fourdcb.sensitivity.perturbation import perturbed_starts
from fourdcb.trajectory import Trajectory
from fourdcb.world import Camera, Object, Plane, World
from fourdcb.world.camera import in_view

RATE = 240.0


@pytest.fixture(autouse=True)
def private_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(module, "_path", lambda key: tmp_path / "horizon" / f"{key}.json")
    monkeypatch.setattr(module, "_memory", {})


def body(name: str, **fields: object) -> Object:
    defaults: dict[str, object] = {
        "geometry": "sphere", "size": (0.1, 0.1, 0.1), "mass": 0.2, "friction": 0.4, "restitution": 0.5,
        "pos": (0.0, 0.0, 0.3), "vel": (0.0, 0.0, 0.0), "acc": (0.0, 0.0, -9.8),
    }  # fmt: skip
    return Object(name=name, **(defaults | fields))  # type: ignore[arg-type]


def world(*objects: Object, duration: float = 1.0) -> World:
    return World(
        duration=duration,
        fps=30,
        objects=objects,
        planes=(Plane(name="floor", friction=1.0, restitution=1.0),),
    )


def test_a_dropped_ball_is_predictable_throughout() -> None:
    assert predictability_horizon(world(body("ball")), rate_hz=RATE) == {"ball": 1.0}


def test_a_ball_on_the_crest_of_another_is_not() -> None:
    below = body("below", pos=(0, 0, 0.1), size=(0.2, 0.2, 0.2), fixed=True, mass=None)
    above = body("above", pos=(0, 0, 0.27), restitution=0.9)
    found = predictability_horizon(world(below, above, duration=2.0), rate_hz=RATE)
    assert found["below"] == 2.0
    assert 0.2 < found["above"] < 2.0


def test_leaving_the_view_ends_it() -> None:
    flying = body("ball", vel=(3.0, 0.0, 0.0), acc=(0, 0, 0))
    found = predictability_horizon(world(flying), rate_hz=RATE)["ball"]
    camera, times = Camera(), np.arange(30) / 30
    seen = in_view(camera, np.array([[3.0 * t, 0.0, 0.3] for t in times]), 0.5 * np.sqrt(3) * 0.1)
    assert found == pytest.approx(times[np.flatnonzero(seen)[-1] + 1])
    assert found < 1.0


def test_a_mesh_leaves_the_view_with_its_own_size(tmp_path: Path) -> None:
    """The script's size means nothing for a mesh file."""
    trimesh.creation.box(extents=(0.8, 0.8, 0.8)).export(tmp_path / "crate.obj")
    flying = body("crate", vel=(3.0, 0.0, 0.0), acc=(0, 0, 0))
    crate = replace(flying, geometry="mesh", mesh="crate.obj", size=(0.01, 0.01, 0.01))
    box = replace(flying, size=(0.8, 0.8, 0.8))
    found = predictability_horizon(replace(world(crate), base_dir=str(tmp_path)), rate_hz=RATE)["crate"]
    assert found == predictability_horizon(world(box), rate_hz=RATE)["crate"]
    assert found < 1.0


def test_view_pyramid() -> None:
    camera = Camera(pos=(0, 0, 0), target=(1, 0, 0), fov_y_deg=90, width=64, height=64)
    points = np.array([[1, 0, 0], [1, 0.99, 0], [1, 1.2, 0], [-1, 0, 0], [1, 0, -1.2]], dtype=np.float64)
    assert in_view(camera, points, 0.0).tolist() == [True, True, False, False, False]
    assert in_view(camera, points, 0.2).tolist() == [True, True, True, False, True]


def test_starts_differ_by_what_nobody_sees() -> None:
    original = world(body("a"), body("b", geometry="box"), body("wall", fixed=True))
    starts = perturbed_starts(original)
    assert len(starts) == 12
    for start in starts:
        assert start.object("wall") == original.object("wall")
        for name in ("a", "b"):
            before, after = original.object(name), start.object(name)
            shift = np.linalg.norm(np.subtract(after.pos, before.pos))
            push = np.linalg.norm(np.subtract(after.vel, before.vel))
            turn = rotation_angle_deg(before.rot, after.rot)
            assert (shift, push, turn) in (
                (pytest.approx(1e-4), 0.0, pytest.approx(0.05)),
                (0.0, pytest.approx(1e-3), 0.0),
            )


class Counting:
    id, version = "counting", 1

    def __init__(self, engine: Engine) -> None:
        self.engine, self.calls = engine, 0

    def rollout(self, w: World, **options: object) -> Trajectory:
        self.calls += 1
        return self.engine.rollout(w, **options)  # type: ignore[arg-type]

    def frame_poses(self, w: World, **options: object) -> tuple[np.ndarray, np.ndarray]:
        self.calls += 1
        return self.engine.frame_poses(w, **options)  # type: ignore[arg-type]


def test_results_are_kept_by_content(monkeypatch: pytest.MonkeyPatch) -> None:
    with make_engine() as running:
        engine, scene = Counting(running), world(body("ball"))
        first = predictability_horizon(scene, rate_hz=RATE, engine=engine)
        assert engine.calls == 13
        assert predictability_horizon(scene, rate_hz=RATE, engine=engine) == first
        monkeypatch.setattr(module, "_memory", {})
        assert predictability_horizon(replace(scene, ambient=0.9), rate_hz=RATE, engine=engine) == first
        assert engine.calls == 13
        predictability_horizon(world(body("ball", mass=0.3)), rate_hz=RATE, engine=engine)
        assert engine.calls == 26


@pytest.mark.parametrize("broken", ["", "{", "[1]", '{"other": 1.0}', '{"ball": "x"}', '{"ball": -1}'])
def test_a_broken_cache_is_computed_anew(broken: str) -> None:
    scene = world(body("ball"))
    with make_engine() as engine:
        path = module._path(module._key(scene, RATE, engine))
    path.parent.mkdir(parents=True)
    path.write_text(broken)
    assert predictability_horizon(scene, rate_hz=RATE) == {"ball": 1.0}


def test_an_unwritable_cache_costs_nothing_but_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(module, "_path", lambda key: tmp_path / "file" / f"{key}.json")
    assert predictability_horizon(world(body("ball")), rate_hz=RATE) == {"ball": 1.0}
