"""Rollouts: repeatability, incremental advance, what is recorded, what is refused."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourdcb.errors import FourDCBError, SimulationDivergedError, UserError
from fourdcb.identity import array_hash
from fourdcb.physics import judging_rate, preview_rate, simulate
from fourdcb.physics.bullet import BulletEngine
from fourdcb.progress import Cancelled
from fourdcb.trajectory import Trajectory
from fourdcb.world import Keyframe, Object, Plane, World

GRAVITY = (0.0, 0.0, -9.8)


def thing(name: str, geometry: str = "box", **fields: object) -> Object:
    given_fields = {"pos": (0.0, 0.0, 0.5), "vel": (0.0, 0.0, 0.0), "acc": GRAVITY, "mass": 1.0, **fields}
    return Object(name=name, geometry=geometry, **given_fields)  # type: ignore[arg-type]


def lively_world() -> World:
    return World(
        duration=1.0,
        fps=30,
        objects=(
            thing("cup", "cylinder", size=(0.08, 0.08, 0.1), restitution=0.5, ang_vel=(1.0, 3.0, 0.5)),
            thing("box", pos=(0.2, 0.0, 0.6), vel=(-0.5, 0.0, 0.0), restitution=0.3, friction=0.4),
            thing("ball", "sphere", pos=(0.0, 0.2, 0.7), restitution=0.8),
            thing(
                "pusher", pos=(-0.5, 0.0, 0.05),
                trajectory=(Keyframe(0.0, (-0.5, 0.0, 0.05)), Keyframe(1.0, (0.3, 0.0, 0.05))),
            ),
        ),
        planes=(Plane(name="floor"),),
    )  # fmt: skip


def trace(run: Trajectory) -> str:
    c = run.contacts
    return array_hash(
        run.position, run.orientation_wxyz, run.linear_velocity, run.angular_velocity, run.kinetic_energy,
        c.step, c.body_a, c.body_b, c.position, c.normal, c.distance, c.normal_impulse, c.tangential_impulse,
        c.velocity_before, c.velocity_after,
    )  # fmt: skip


def test_a_rollout_repeats_bit_for_bit_also_after_others() -> None:
    world = lively_world()
    other = replace(world, objects=world.objects[::-1], duration=0.3)
    with BulletEngine() as engine:
        first = trace(engine.rollout(world, rate_hz=240))
        engine.rollout(other, rate_hz=480)
        again = trace(engine.rollout(world, rate_hz=240))
    with BulletEngine() as fresh:
        assert first == again == trace(fresh.rollout(world, rate_hz=240))


def test_twenty_rollouts_have_one_hash() -> None:
    world = replace(lively_world(), duration=0.5)
    with BulletEngine() as engine:
        assert len({trace(engine.rollout(world, rate_hz=240)) for _ in range(20)}) == 1


def test_emptying_ahead_changes_nothing_but_ends_the_rollout_that_stands() -> None:
    with BulletEngine() as engine:
        first = trace(engine.rollout(lively_world(), rate_hz=240))
        standing = engine.start(lively_world(), rate_hz=240)
        for _ in range(2):  # a second time does nothing
            engine.empty()
        with pytest.raises(FourDCBError, match="has ended"):
            standing.advance_to(0.1)
        assert trace(engine.rollout(lively_world(), rate_hz=240)) == first
    engine.empty()  # closed: there is nothing left to empty


def test_a_rollout_repeats_bit_for_bit_in_another_process(tmp_path) -> None:
    script = tmp_path / "other.py"
    script.write_text(
        "import importlib.util, sys\n"
        f"spec = importlib.util.spec_from_file_location('rollout', {str(__file__)!r})\n"
        "module = importlib.util.module_from_spec(spec)\n"
        "sys.modules['rollout'] = module\n"
        "spec.loader.exec_module(module)\n"
        "print(module.trace(module.simulate(module.lively_world(), rate_hz=240)))\n"
    )
    told = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == trace(simulate(lively_world(), rate_hz=240))
    assert told.stderr == ""  # pybullet's greeting is nobody's business


@settings(max_examples=8, deadline=None)
@given(stops=st.lists(st.floats(0.0, 1.0), max_size=4))
def test_advancing_in_pieces_gives_what_one_go_gives(stops: list[float]) -> None:
    with BulletEngine() as engine:
        rollout = engine.start(lively_world(), rate_hz=240)
        for stop in stops:
            rollout.advance_to(stop)
            assert rollout.trajectory().times[-1] == pytest.approx(rollout.time)
        rollout.advance_to(1.0)
        pieces = rollout.trajectory()
        assert trace(pieces) == trace(engine.rollout(lively_world(), rate_hz=240))


def test_frame_poses_are_those_of_the_whole_rollout() -> None:
    with BulletEngine() as engine:
        whole = engine.rollout(lively_world(), rate_hz=240)
        position, orientation = engine.frame_poses(lively_world(), rate_hz=240)
    steps = whole.frame_steps()
    np.testing.assert_array_equal(position, whole.position[steps])
    np.testing.assert_array_equal(orientation, whole.orientation_wxyz[steps])


def test_a_new_rollout_ends_the_one_before() -> None:
    with BulletEngine() as engine:
        first = engine.start(lively_world(), rate_hz=240)
        engine.start(lively_world(), rate_hz=240)
        with pytest.raises(FourDCBError, match="another"):
            first.advance_to(0.1)
    with pytest.raises(FourDCBError, match="closed"):
        engine.start(lively_world(), rate_hz=240)


def test_shapes_and_frames() -> None:
    world = lively_world()
    run = simulate(world, rate_hz=240)
    assert run.names == ("cup", "box", "ball", "pusher", "floor")
    assert run.kinds == ("dynamic", "dynamic", "dynamic", "kinematic", "static")
    assert run.position.shape == (241, 5, 3)
    assert run.n_frames == world.n_frames == 30
    np.testing.assert_allclose(run.times[run.frame_steps()], world.frame_times(), atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(run.orientation_wxyz, axis=-1), 1.0, atol=1e-12)
    assert np.all(np.sum(run.orientation_wxyz[1:] * run.orientation_wxyz[:-1], axis=-1) > 0)
    assert np.all(run.orientation_wxyz[0, :, 0] >= 0)


def test_contact_rows_carry_weight_and_point_the_right_way() -> None:
    run = simulate(lively_world(), rate_hz=960)
    c = run.contacts
    assert len(c) > 0
    assert np.all(c.distance <= 0)
    assert np.all(c.normal_impulse >= 0)
    assert np.all(c.body_a < c.body_b)
    assert np.all(np.diff(c.step) >= 0)
    np.testing.assert_allclose(np.linalg.norm(c.normal, axis=1), 1.0, atol=1e-6)
    on_floor = c.body_b == run.index("floor")
    np.testing.assert_allclose(c.normal[on_floor], [[0, 0, 1]] * int(on_floor.sum()), atol=1e-6)
    np.testing.assert_allclose(c.position[on_floor, 2], 0.0, atol=1e-6)


def test_impulses_of_the_table_are_what_changes_the_momentum() -> None:
    box = thing("box", pos=(0.0, 0.0, 0.05), vel=(1.0, 0.5, 0.0), friction=0.3, mass=2.0)
    run = simulate(World(duration=0.2, fps=30, objects=(box,), planes=(Plane(),)), rate_hz=960)
    c = run.contacts
    change = 2.0 * (run.linear_velocity[-1, 0] - run.linear_velocity[0, 0])
    gravity = 2.0 * np.array(GRAVITY) * (run.times[-1] - 0.5 / 960)  # half a kick on the first substep
    contact = np.sum(c.normal_impulse[:, None] * c.normal + c.tangential_impulse, axis=0)
    np.testing.assert_allclose(change, gravity + contact, atol=1e-5)


def test_energy_of_a_spinning_body_is_that_of_its_principal_axes() -> None:
    spin = (3.0, -2.0, 5.0)
    box = thing("box", size=(0.1, 0.2, 0.3), ang_vel=spin, acc=(0.0, 0.0, 0.0), vel=(1.0, 2.0, 2.0), mass=2.0)
    run = simulate(World(duration=0.1, fps=30, objects=(box,)))
    inertia = 2.0 / 12 * np.array([0.04 + 0.09, 0.01 + 0.09, 0.01 + 0.04])
    expected = 0.5 * 2.0 * 9.0 + 0.5 * np.sum(inertia * np.square(spin))
    assert run.kinetic_energy[0, 0] == pytest.approx(expected, rel=1e-12)


def test_potential_energy_falls_as_kinetic_energy_rises() -> None:
    run = simulate(World(duration=0.5, fps=30, objects=(thing("ball", "sphere"),)))
    total = run.kinetic_energy[:, 0] + run.potential_energy[:, 0]
    np.testing.assert_allclose(total, total[0], rtol=1e-9)


def test_an_object_without_acceleration_does_not_fall_beside_one_that_does() -> None:
    world = World(
        duration=0.5, fps=30, objects=(thing("a"), thing("b", pos=(1.0, 0.0, 0.5), acc=(0.0, 0.0, 0.0)))
    )
    run = simulate(world)
    assert run.position[-1, 0, 2] == pytest.approx(0.5 - 4.9 * run.times[-1] ** 2, abs=1e-9)
    assert run.position[-1, 1, 2] == 0.5


@pytest.mark.parametrize(("fps", "judging", "preview"), [(30, 960, 240), (24, 960, 240), (25, 975, 250)])
def test_rates_are_the_smallest_multiples(fps: float, judging: float, preview: float) -> None:
    assert judging_rate(fps) == judging
    assert preview_rate(fps) == preview


def test_rate_of_an_ntsc_clip() -> None:
    assert judging_rate(30000 / 1001) == pytest.approx(33 * 30000 / 1001)
    world = replace(lively_world(), fps=30000 / 1001, duration=0.2)
    assert simulate(world).n_frames == world.n_frames


@pytest.mark.parametrize("rate", [100.0, 0.0, -240.0, float("nan"), 7.0])
def test_a_rate_that_no_frame_falls_on_is_refused(rate: float) -> None:
    with pytest.raises(UserError, match="integer multiple"):
        simulate(lively_world(), rate_hz=rate)


@pytest.mark.parametrize(
    "fields", [{"vel": (1e7, 0.0, 0.0)}, {"acc": (0.0, 0.0, -1e9)}, {"pos": (float("nan"), 0.0, 0.0)}]
)
def test_an_exploding_body_is_named(fields: dict[str, object]) -> None:
    world = World(
        duration=1.0, fps=30, objects=(thing("fine"), thing("wild", **{"vel": (0, 0, 0), **fields}))
    )
    with pytest.raises(SimulationDivergedError, match="wild") as caught:
        simulate(world, rate_hz=240)
    assert caught.value.body == "wild"
    assert 0 <= caught.value.time <= 1.0


def test_progress_counts_frames_and_cancels() -> None:
    class Impatient:
        frames = 0

        def start(self, label: str, total: int) -> None:
            assert total == 30

        def advance(self, steps: int = 1) -> None:
            self.frames += steps
            if self.frames == 5:
                raise Cancelled

    progress = Impatient()
    with pytest.raises(Cancelled):
        simulate(lively_world(), rate_hz=240, progress=progress)
    assert progress.frames == 5


def test_progress_does_not_change_the_result() -> None:
    class Silent:
        def start(self, label: str, total: int) -> None: ...
        def advance(self, steps: int = 1) -> None: ...

    assert trace(simulate(lively_world(), rate_hz=240, progress=Silent())) == trace(
        simulate(lively_world(), rate_hz=240)
    )


def test_a_world_without_moving_bodies() -> None:
    run = simulate(World(duration=0.1, fps=30, planes=(Plane(),)))
    assert run.position.shape == (97, 1, 3)
    assert len(run.contacts) == 0


def test_importing_the_room_loads_no_engine() -> None:
    code = (
        "import sys, fourdcb.physics; print([m for m in ('pybullet','scipy','trimesh') if m in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
