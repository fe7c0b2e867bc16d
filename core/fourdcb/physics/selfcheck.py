"""What Bullet cannot be asked: whether restitution, damping and split impulse were taken. Try it instead."""

from __future__ import annotations

import struct
from functools import cache

from fourdcb.physics.client import BulletClient, EngineError
from fourdcb.physics.scene import configure, load_bodies, set_gravity
from fourdcb.physics.urdf import UrdfStore
from fourdcb.world import Object, Plane, World

_RATE_HZ, _DEPTH, _SPEED, _RESTITUTION = 240.0, 0.002, 1.0, 0.5


@cache
def check_recipe() -> None:
    """Lets one ball hit a floor, once per process.

    Restitution, damping, the threshold of restitution and the splitting of impulses cannot be read back for
    bodies of this kind; each of them, if it were not applied, would change the speed of this rebound.

    Raises:
        EngineError: when the ball does not leave with e times its speed.
    """
    ball = Object(
        name="ball",
        geometry="sphere",
        pos=(0.0, 0.0, 0.05 - _DEPTH),
        vel=(0.0, 0.0, -_SPEED),
        acc=(0.0, 0.0, 0.0),
        mass=1.0,
        restitution=_RESTITUTION,
    )
    world = World(objects=(ball,), planes=(Plane(restitution=1.0),))
    client, store = BulletClient(), UrdfStore()
    try:
        configure(client, rate_hz=_RATE_HZ)
        set_gravity(client, (0.0, 0.0, 0.0))
        body = load_bodies(client, world, store)[0]
        client.step()
        rebound = struct.unpack("6d", client.states([body.handle]).read()[1])[2]
    finally:
        store.close()
        client.close()
    if abs(rebound - _RESTITUTION * _SPEED) > 1e-6:
        raise EngineError(
            f"Bullet did not take the contact settings: a ball with restitution {_RESTITUTION} left a floor "
            f"at {rebound:.6f} of its speed"
        )
