"""An engine that nobody knows serves everything that plays worlds; no other one is made beside it."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

import numpy as np
import pytest

from fourdcb.dsl import parse_script
from fourdcb.errors import UserError
from fourdcb.evaluation import evaluate
from fourdcb.oracle import fit
from fourdcb.physics import DEFAULT_ENGINE, ENGINES, make_engine
from fourdcb.physics import engine as engine_module
from fourdcb.progress import Progress
from fourdcb.render import RenderSettings
from fourdcb.replay import ReplayCache, finished, replay
from fourdcb.sensitivity import predictability_horizon
from fourdcb.sensitivity.derivatives import motion_derivative
from fourdcb.sensitivity.identifiability import identifiability
from fourdcb.trajectory import ContactTable, Trajectory
from fourdcb.video import write_video
from fourdcb.world import World, with_value

SCRIPT = """
world = World(duration=0.5, fps=20)
ball = Object("ball", geometry="sphere", size=[0.3, 0.3, 0.3], mass=0.3, pos=[0, 0, 0.6], vel=[0.4, 0, 1.0],
              acc=[0, 0, -9.8])
floor = Plane("floor", normal=[0, 0, 1], offset=-2.0)
camera = Camera(width=48, height=48)
"""


class BallisticRollout:
    """Parabolas in closed form; nothing collides and nothing turns."""

    def __init__(self, world: World, rate_hz: float) -> None:
        self.world, self.rate_hz, self.done = world, rate_hz, 0

    @property
    def time(self) -> float:
        return self.done / self.rate_hz

    def advance_to(self, t: float, *, progress: Progress | None = None) -> None:
        self.done = max(self.done, int(np.ceil(t * self.rate_hz - 1e-6)))

    def trajectory(self) -> Trajectory:
        times = np.arange(self.done + 1) / self.rate_hz
        position, orientation = self._at(times)
        nothing = np.zeros((len(times), len(self.world.bodies)))
        none = {name: np.zeros((0, 3)) for name in (
            "position", "normal", "tangential_impulse", "velocity_before", "velocity_after")}  # fmt: skip
        integers = {name: np.zeros(0, np.int32) for name in ("step", "body_a", "body_b")}
        contacts = ContactTable(distance=np.zeros(0), normal_impulse=np.zeros(0), **integers, **none)
        velocity = np.gradient(position, times, axis=0)
        return Trajectory(
            names=tuple(b.name for b in self.world.bodies),
            kinds=tuple(getattr(b, "kind", "static") for b in self.world.bodies),
            fps=self.world.fps, rate_hz=self.rate_hz, times=times, position=position,
            orientation_wxyz=orientation, linear_velocity=velocity, angular_velocity=np.zeros_like(position),
            kinetic_energy=nothing, potential_energy=nothing, contacts=contacts, events=(),
        )  # fmt: skip

    def frame_poses(self, n_frames: int) -> tuple[np.ndarray, np.ndarray]:
        return self._at(np.arange(n_frames) / self.world.fps)

    def _at(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        t, objects = times[:, None], self.world.objects
        paths = [np.array(o.pos) + t * np.array(o.vel) + 0.5 * t**2 * np.array(o.acc) for o in objects]
        planes = [np.array(p.normal) * p.offset + 0 * t for p in self.world.planes]
        position = np.stack([*paths, *planes], axis=1)
        return position, np.broadcast_to([1.0, 0.0, 0.0, 0.0], (*position.shape[:2], 4)).copy()


class BallisticEngine:
    id, version = "ballistic", 7

    def __enter__(self) -> BallisticEngine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, back: TracebackType | None
    ) -> None:
        self.close()

    def start(self, world: World, *, rate_hz: float) -> BallisticRollout:
        return BallisticRollout(world, rate_hz)

    def rollout(
        self, world: World, *, rate_hz: float, duration: float | None = None, progress: Progress | None = None
    ) -> Trajectory:
        rollout = self.start(world, rate_hz=rate_hz)
        rollout.advance_to(world.duration if duration is None else duration)
        return rollout.trajectory()

    def frame_poses(
        self, world: World, *, rate_hz: float, duration: float | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        seconds = world.duration if duration is None else duration
        return self.start(world, rate_hz=rate_hz).frame_poses(round(seconds * world.fps))

    def empty(self) -> None:
        """Nothing is held."""

    def close(self) -> None:
        """Nothing is held."""


@pytest.fixture(autouse=True)
def no_other_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "ENGINES", {})


@pytest.fixture
def world() -> World:
    return parse_script(SCRIPT).world


def test_the_table_names_every_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert DEFAULT_ENGINE in ENGINES
    for name in ENGINES:
        with make_engine(name) as engine:
            assert engine.id == name
            assert engine.version >= 1
    with pytest.raises(UserError, match="no such engine"):
        make_engine("perpetual-motion")


def test_scripts_are_judged_by_it(world: World, tmp_path: Path) -> None:
    """The search for causes plays worlds, too: it finds what the engine's own law makes of a velocity."""
    drawn = replay(world, engine=BallisticEngine()).frames
    assert drawn is not None
    write_video(tmp_path / "video.mp4", iter(np.asarray(drawn)), fps=20)
    (tmp_path / "world.py").write_text(SCRIPT)
    (tmp_path / "code.py").write_text(SCRIPT.replace("vel=[0.4, 0, 1.0]", "vel=[0.4, 0, 2.0]"))
    found = evaluate(tmp_path / "code.py", tmp_path / "video.mp4", new_engine=BallisticEngine)
    metric = found.report.axes["geometry"].metrics["delta_pos"]
    expected = np.arange(10) / 20  # one metre a second too fast
    series = found.candidate.trajectory.position - found.reference.trajectory.position  # type: ignore[union-attr]
    np.testing.assert_allclose(np.linalg.norm(series[::48][:10, 0], axis=-1), expected, atol=1e-9)
    assert metric.passed is False
    causes = [f.likely_cause for f in found.report.findings if f.likely_cause is not None]
    assert ("ball.vel[2]", 1.0) in {(c.parameter, c.suggested) for c in causes}


def test_the_horizon_asks_it(world: World) -> None:
    assert predictability_horizon(world, rate_hz=960, engine=BallisticEngine()) == {"ball": 0.5}


def test_a_fit_finds_what_it_played(world: World) -> None:
    frames = replay(world, engine=BallisticEngine()).frames
    assert frames is not None
    found = fit(with_value(world, "ball.vel[0]", 0.1), ["ball.vel[0]"], frames, engine=BallisticEngine())
    assert found.parameters[0].value == pytest.approx(0.4, abs=0.02)


def test_derivatives_are_those_of_its_law(world: World) -> None:
    found = motion_derivative(world, "ball.vel[0]", engine=BallisticEngine())
    np.testing.assert_allclose(found.position[:, 0, 0], np.arange(10) / 20, atol=1e-9)
    described = identifiability(world, ["ball.vel[0]"], engine=BallisticEngine())
    assert [p.path for p in described.parameters] == ["ball.vel[0]"]


def test_the_studio_s_replays_are_its_own(world: World) -> None:
    cache = ReplayCache(RenderSettings(), new_engine=BallisticEngine)
    whole = finished(cache.whole(world, "judging"))
    np.testing.assert_allclose(whole.position[-1, 0, 2], 0.6 + 0.5 - 4.9 * 0.25)
    fresh = replay(world, engine=BallisticEngine()).frames
    assert fresh is not None
    np.testing.assert_array_equal(cache.draw(world, "judging", 6).image, fresh[6])
    edited = with_value(world, "ball.mass", 2.0)
    position, _ = cache.rollouts.poses(edited, 4)
    np.testing.assert_allclose(position[0, 0], 0.4 * 4 / 20)
    assert finished(cache.rollouts.distances(world, world, "ball.vel[0]", (0.4,))) == (pytest.approx(0.0),)
    cache.close()
