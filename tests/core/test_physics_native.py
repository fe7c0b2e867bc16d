"""Bullet through its C functions: as pybullet's own Python layer tells it, and in several threads at once."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fourdcb.errors import SimulationDivergedError, UserError
from fourdcb.identity import array_hash
from fourdcb.physics import frame_poses_of, simulate
from fourdcb.physics.bullet import BulletEngine, native, selfcheck
from fourdcb.physics.bullet.client import BulletClient, EngineError
from fourdcb.physics.bullet.scene import configure, load_bodies
from fourdcb.physics.bullet.urdf import UrdfStore
from fourdcb.trajectory import Trajectory
from fourdcb.world import Object, Plane, World

GRAVITY = (0.0, 0.0, -9.8)


def heap(n: int, duration: float = 0.3, lift: float = 0.0) -> World:
    """Boxes, cylinders and balls that fall onto each other."""
    shapes = ("box", "cylinder", "sphere")
    things = tuple(
        Object(
            name=f"thing {k}", geometry=shapes[k % 3], mass=1.0, acc=GRAVITY, restitution=0.3,
            vel=(0.1, 0.0, 0.0),
            pos=(0.03 * (k % 4), 0.02 * (k % 3), 0.1 + lift + 0.11 * k),
            ang_vel=(1.0, 2.0, 0.1 * k),
        )
        for k in range(n)
    )  # fmt: skip
    return World(duration=duration, fps=30, objects=things, planes=(Plane(),))


def trace(run: Trajectory) -> str:
    c = run.contacts
    return array_hash(run.position, run.orientation_wxyz, run.linear_velocity, c.step, c.position, c.distance)


@pytest.fixture
def store() -> Iterator[UrdfStore]:
    made = UrdfStore()
    yield made
    made.close()


@pytest.fixture
def client() -> Iterator[BulletClient]:
    made = BulletClient()
    yield made
    made.close()


def in_python(world: World, store: UrdfStore, steps: int) -> tuple[list[Any], list[Any]]:
    """States and contacts of the last step as pybullet's Python functions tell them, same recipe."""
    pybullet = pytest.importorskip("pybullet")
    c = pybullet.connect(pybullet.DIRECT)
    real = BulletClient()
    bodies = load_bodies(real, world, store)  # what is to be loaded where
    real.close()
    pybullet.setPhysicsEngineParameter(
        fixedTimeStep=1 / 240, numSubSteps=0, numSolverIterations=50, useSplitImpulse=1,
        splitImpulsePenetrationThreshold=1e9, restitutionVelocityThreshold=0.0, solverResidualThreshold=1e-14,
        deterministicOverlappingPairs=1, enableSAT=1, enableFileCaching=0, physicsClientId=c,
    )  # fmt: skip
    from fourdcb.physics.bullet.shapes import object_shape, plane_shape
    from fourdcb.world import contact_properties

    stated = contact_properties(world)
    for body in bodies:
        source = body.source
        shape = plane_shape(source) if isinstance(source, Plane) else object_shape(source, base_dir=".")
        origin, quaternion = body.body_pose(body.position, body.orientation_wxyz)
        flags = pybullet.URDF_USE_INERTIA_FROM_FILE | pybullet.URDF_USE_IMPLICIT_CYLINDER
        flags |= pybullet.URDF_INITIALIZE_SAT_FEATURES if shape.polyhedral else 0
        handle = pybullet.loadURDF(
            store.body_file(shape, mass=body.mass), origin.tolist(), quaternion.tolist(),
            useMaximalCoordinates=1, useFixedBase=int(body.mass == 0), flags=flags, physicsClientId=c,
        )  # fmt: skip
        pybullet.changeDynamics(
            handle, -1, restitution=stated[source.name].restitution, rollingFriction=0.0,
            lateralFriction=stated[source.name].friction, spinningFriction=0.0, linearDamping=0.0,
            angularDamping=0.0, contactProcessingThreshold=0.0,
            activationState=pybullet.ACTIVATION_STATE_DISABLE_SLEEPING, physicsClientId=c,
        )  # fmt: skip
        if body.kind == "dynamic":
            pybullet.resetBaseVelocity(handle, source.vel, source.ang_vel, physicsClientId=c)
    pybullet.setGravity(*GRAVITY, physicsClientId=c)
    for _ in range(steps):
        pybullet.stepSimulation(c)
    states = []
    for body in bodies:
        states += pybullet.getBasePositionAndOrientation(body.handle, c)
        states += pybullet.getBaseVelocity(body.handle, c)
    contacts = pybullet.getContactPoints(physicsClientId=c)
    pybullet.disconnect(c)
    return [x for part in states for x in part], list(contacts)


def test_states_and_contacts_are_what_the_python_layer_tells(client: BulletClient, store: UrdfStore) -> None:
    world, steps = heap(9), 120
    configure(client, rate_hz=240)
    bodies = load_bodies(client, world, store)
    client.set_gravity(GRAVITY)
    for _ in range(steps):
        client.step()
    states = np.frombuffer(b"".join(client.state_reader([body.handle for body in bodies])()))
    rows = np.frombuffer(client.contact_reader()()).reshape(-1, native.CONTACT_WIDTH)
    told_states, told_contacts = in_python(world, store, steps)
    np.testing.assert_array_equal(states, told_states)
    assert len(rows) == len(told_contacts) > 10
    handles = rows.view(np.int32)[:, native.CONTACT_HANDLES]
    for row, ends, told in zip(rows, handles, told_contacts, strict=True):
        _, a, b, _, _, on_a, on_b, normal, distance, force, force_1, along_1, force_2, along_2 = told
        assert tuple(ends) == (a, b)
        numbers = (*on_a, *on_b, *normal, distance, force, force_1, force_2, *along_1, *along_2)
        np.testing.assert_array_equal(row[3:], numbers)


def test_engines_in_several_threads_give_the_same_bits() -> None:
    worlds = [heap(3), heap(6), heap(10, duration=0.2), heap(4, lift=0.2)]
    with BulletEngine() as engine:
        expected = [trace(engine.rollout(world, rate_hz=240)) for world in worlds]

    def play(start: int) -> list[bool]:
        with BulletEngine() as engine:
            order = [(start + k) % len(worlds) for k in range(6)]
            return [trace(engine.rollout(worlds[k], rate_hz=240)) == expected[k] for k in order]

    with ThreadPoolExecutor(4) as pool:
        assert all(all(matches) for matches in pool.map(play, range(4)))


def test_more_threads_than_bullet_has_numbers_for() -> None:
    world = heap(2, duration=0.1)
    expected = trace(simulate(world, rate_hz=240))
    for _ in range(70):  # Bullet counts threads up to 64
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(lambda: trace(simulate(world, rate_hz=240))).result() == expected


def test_worlds_two_at_a_time_are_those_one_at_a_time() -> None:
    worlds = [heap(2, lift=0.01 * k) for k in range(5)]
    with BulletEngine() as engine:
        one_by_one = [engine.frame_poses(world, rate_hz=240) for world in worlds]
        together = list(frame_poses_of(worlds, rate_hz=240, engine=engine))
    assert [array_hash(*poses) for poses in together] == [array_hash(*poses) for poses in one_by_one]  # type: ignore[misc]


def test_a_world_that_explodes_is_told_in_its_place() -> None:
    wild = heap(2)
    wild = replace(wild, objects=(replace(wild.objects[0], vel=(1e7, 0.0, 0.0)), *wild.objects[1:]))
    with BulletEngine() as engine:
        found = list(frame_poses_of([heap(1), wild, heap(2), wild], rate_hz=240, engine=engine))
    assert [isinstance(outcome, SimulationDivergedError) for outcome in found] == [False, True, False, True]


def test_another_engine_plays_all_worlds_itself() -> None:
    class Silent:
        id = "silent"
        played: list[World] = []  # noqa: RUF012

        def frame_poses(self, world: World, *, rate_hz: float) -> tuple[np.ndarray, np.ndarray]:
            self.played.append(world)
            return np.zeros((1, 1, 3)), np.zeros((1, 1, 4))

    worlds = [heap(1), heap(2), heap(3)]
    rollouts = frame_poses_of(worlds, rate_hz=240, engine=Silent())
    next(rollouts)
    assert Silent.played == worlds[:1]
    assert len(list(rollouts)) == 2


def test_contacts_of_a_crowd_come_whole(client: BulletClient, store: UrdfStore) -> None:
    side = 16
    balls = tuple(
        Object(
            name=f"ball {k}", geometry="sphere", size=(0.1, 0.1, 0.1), mass=1.0, acc=GRAVITY,
            vel=(0.0, 0.0, 0.0), pos=(0.2 * (k % side), 0.2 * (k // side), 0.0499),
        )
        for k in range(side * side)
    )  # fmt: skip
    configure(client, rate_hz=240)
    load_bodies(client, World(objects=balls, planes=(Plane(),)), store)
    client.step()
    rows = np.frombuffer(client.contact_reader()()).reshape(-1, native.CONTACT_WIDTH)
    handles = rows.view(np.int32)[:, native.CONTACT_HANDLES]
    assert sorted(handles.min(axis=1).tolist()) == list(range(len(balls)))


def test_a_missing_file_and_an_unknown_body_are_errors(client: BulletClient) -> None:
    with pytest.raises(EngineError, match="did not load"):
        client.load_urdf("/nowhere.urdf", position=(0, 0, 0), orientation=(0, 0, 0, 1), fixed=False, flags=0)
    with pytest.raises(EngineError, match="does not know"):
        client.pose(17)


def test_another_layout_of_contacts_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selfcheck, "CONTACT_ON_A", native.CONTACT_ON_B)
    monkeypatch.setattr(selfcheck, "CONTACT_ON_B", native.CONTACT_ON_A)
    with pytest.raises(EngineError, match="the point on the ball"):
        selfcheck.check_recipe.__wrapped__()


def test_a_setting_that_was_not_taken_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fourdcb.physics.bullet.selfcheck.configure", lambda client, *, rate_hz: None)
    with pytest.raises(EngineError, match="floor"):
        selfcheck.check_recipe.__wrapped__()


def test_a_build_without_the_functions_is_refused() -> None:
    with pytest.raises(UserError, match="pybullet") as caught:
        native._declared(ctypes.PyDLL(None))
    assert "b3ConnectPhysicsDirect" in str(caught.value)


def test_the_python_layer_is_not_loaded() -> None:
    code = (
        "import sys; from fourdcb.physics import make_engine; from fourdcb.world import World\n"
        "make_engine('bullet-recipe').rollout(World(duration=0.1, fps=30), rate_hz=240)\n"
        "print('pybullet' in sys.modules, 'numba' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["False", "False"]
    assert told.stderr == ""
