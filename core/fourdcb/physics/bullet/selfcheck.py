"""What Bullet cannot be asked: whether it took its settings, and whether its answers are read rightly."""

from __future__ import annotations

from functools import cache

import numpy as np

from fourdcb.arrays import F64
from fourdcb.physics.bullet.client import BulletClient, EngineError
from fourdcb.physics.bullet.native import (
    CONTACT_ALONG_1,
    CONTACT_ALONG_2,
    CONTACT_DISTANCE,
    CONTACT_FORCE,
    CONTACT_FRICTION_1,
    CONTACT_FRICTION_2,
    CONTACT_HANDLES,
    CONTACT_NORMAL,
    CONTACT_ON_A,
    CONTACT_ON_B,
)
from fourdcb.physics.bullet.scene import configure, load_bodies, set_gravity
from fourdcb.physics.bullet.urdf import UrdfStore
from fourdcb.world import Object, Plane, World

_RATE_HZ, _RADIUS, _DEPTH, _MASS = 240.0, 0.05, 0.002, 1.5
_DROP, _DRIFT, _RESTITUTION, _FRICTION = 1.0, 4.0, 0.5, 0.25  # [m/s]; so fast that the ball slides
_X, _Y = 0.3, -0.2


@cache
def check_recipe() -> None:
    """Lets one ball hit a floor, once per process.

    Restitution, damping, the threshold of restitution and the splitting of impulses cannot be read back for
    bodies of this kind; each of them, if it were not applied, would change this impact. So would a build of
    Bullet that lays its answers out in another way.

    Raises:
        EngineError: when the ball does not leave with e times its speed, or the contact is not told rightly.
    """
    told, expected = _told(), _expected()
    wrong = [
        name for name, value in expected.items() if not np.allclose(told[name], value, rtol=1e-6, atol=1e-6)
    ]
    if wrong:
        name = wrong[0]
        raise EngineError(
            "Bullet did not take the contact settings, or tells contacts in another way: when a ball hits a "
            f"floor, {name} is {told[name].tolist()} instead of {expected[name].tolist()}"
        )


def _expected() -> dict[str, F64]:
    force = _MASS * (1 + _RESTITUTION) * _DROP * _RATE_HZ
    impulse = _FRICTION * (1 + _RESTITUTION) * _DROP  # per mass
    spin = impulse * _RADIUS / (0.4 * _RADIUS**2)
    return {
        "the handles": np.array([0.0, 1.0]),
        "the point on the ball": np.array([_X, _Y, -_DEPTH]),
        "the point on the floor": np.array([_X, _Y, 0.0]),
        "the normal": np.array([0.0, 0.0, 1.0]),
        "the distance": np.array([-_DEPTH]),
        "the normal force": np.array([force]),
        "the friction": np.array([-_FRICTION * force, 0.0, 0.0]),
        "the velocity": np.array([_DRIFT - impulse, 0.0, _RESTITUTION * _DROP]),
        "the spin": np.array([0.0, spin, 0.0]),
    }


def _told() -> dict[str, F64]:
    client, store = BulletClient(), UrdfStore()
    try:
        configure(client, rate_hz=_RATE_HZ)
        set_gravity(client, (0.0, 0.0, 0.0))
        ball = load_bodies(client, _world(), store)[0].handle
        client.step()
        row = np.frombuffer(client.contact_reader()())
        velocity = np.frombuffer(client.state_reader([ball])()[1])
    finally:
        store.close()
        client.close()
    first, second = row.view(np.int32)[CONTACT_HANDLES].tolist()
    ends = [CONTACT_ON_A, CONTACT_ON_B] if first == ball else [CONTACT_ON_B, CONTACT_ON_A]
    sign = 1.0 if first == ball else -1.0
    friction = row[CONTACT_FRICTION_1] * row[CONTACT_ALONG_1] + row[CONTACT_FRICTION_2] * row[CONTACT_ALONG_2]
    return {
        "the handles": np.array(sorted((first, second)), dtype=np.float64),
        "the point on the ball": row[ends[0]],
        "the point on the floor": row[ends[1]],
        "the normal": sign * row[CONTACT_NORMAL],
        "the distance": row[[CONTACT_DISTANCE]],
        "the normal force": row[[CONTACT_FORCE]],
        "the friction": sign * friction,
        "the velocity": velocity[:3],
        "the spin": velocity[3:],
    }


def _world() -> World:
    ball = Object(
        name="ball",
        geometry="sphere",
        size=(2 * _RADIUS, 2 * _RADIUS, 2 * _RADIUS),
        pos=(_X, _Y, _RADIUS - _DEPTH),
        vel=(_DRIFT, 0.0, -_DROP),
        acc=(0.0, 0.0, 0.0),
        mass=_MASS,
        restitution=_RESTITUTION,
        friction=_FRICTION,
    )
    return World(objects=(ball,), planes=(Plane(restitution=1.0, friction=1.0),))
