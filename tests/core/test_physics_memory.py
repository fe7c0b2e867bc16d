"""A trajectory is put together piece by piece: the pieces do not show, and memory holds little beside it."""

from __future__ import annotations

import tracemalloc
from dataclasses import astuple, fields, replace

import numpy as np
import pytest

from fourdcb.physics.bullet import BulletEngine, assemble, recording
from fourdcb.trajectory import Trajectory
from fourdcb.world import Geometry, Keyframe, Object, Plane, World


def thing(name: str, geometry: Geometry, x: float, **fields: object) -> Object:
    given = {"size": (0.1, 0.1, 0.1), "pos": (x, 0.0, 0.3), "vel": (0.2, 0.1, 0.0), "mass": 0.5, **fields}
    return Object(name=name, geometry=geometry, acc=(0.1, 0.0, -9.8), **given)  # type: ignore[arg-type]


def busy_world() -> World:
    keys = (Keyframe(0.2, (0.5, 0.0, 0.05)), Keyframe(0.9, (-0.2, 0.0, 0.1), (0.8, 0.6, 0.0, 0.0)))
    return World(
        duration=1.2,
        fps=25,
        objects=(
            thing("cone", "cone", -0.3, ang_vel=(3.0, 1.0, 0.0)),
            thing("pusher", "box", 0.5, trajectory=keys),
            thing("block", "box", 0.0, restitution=0.5, rot=(0.8, 0.0, 0.6, 0.0)),
            thing("tube", "capsule", 0.2, size=(0.08, 0.08, 0.2), rot=(0.6, 0.8, 0.0, 0.0)),
        ),
        planes=(Plane(name="floor"),),
    )


def arrays(run: Trajectory) -> dict[str, np.ndarray]:
    states = {f.name: getattr(run, f.name) for f in fields(run)}
    contacts = {f"contacts.{f.name}": getattr(run.contacts, f.name) for f in fields(run.contacts)}
    return {name: a for name, a in (states | contacts).items() if isinstance(a, np.ndarray)}


@pytest.mark.parametrize("block", [1, 7, 64])
def test_the_pieces_do_not_show(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    world = busy_world()
    if block == 1:
        world = replace(world, duration=0.4)
    with BulletEngine() as engine:
        whole = engine.rollout(world, rate_hz=250)
        monkeypatch.setattr(assemble, "_BLOCK", block)
        monkeypatch.setattr(recording, "_PENDING_BYTES", 50 * block)
        pieces = engine.rollout(world, rate_hz=250)
    assert len(whole.contacts) > 50
    assert pieces.events == whole.events
    for name, expected in arrays(whole).items():
        # A product of matrices may round by where in the piece a row lies.
        tolerance = 1e-14 if name == "potential_energy" else 0.0
        np.testing.assert_allclose(arrays(pieces)[name], expected, rtol=tolerance, atol=0.0, err_msg=name)


def test_the_peak_of_a_long_rollout_is_about_twice_its_trajectory() -> None:
    resting = thing("cup", "cylinder", 0.0, pos=(0.0, 0.0, 0.05), vel=(0.0, 0.0, 0.0))
    world = World(duration=60.0, fps=30, objects=(resting,), planes=(Plane(name="floor"),))
    with BulletEngine() as engine:
        engine.rollout(world, rate_hz=240, duration=0.1)
        tracemalloc.start()
        try:
            run = engine.rollout(world, rate_hz=240)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert len(astuple(run.contacts)[0]) > 20_000
    assert peak < 2.3 * sum(array.nbytes for array in arrays(run).values())


def test_no_column_of_the_contacts_holds_another_array_in_memory() -> None:
    with BulletEngine() as engine:
        run = engine.rollout(busy_world(), rate_hz=250)
    for name, array in arrays(run).items():
        owner = array if array.base is None else array.base
        assert owner.nbytes == array.nbytes, name
