"""Bullet as it comes: the engine that the recipe is compared with, never used to judge."""

from __future__ import annotations

from typing import Any

import numpy as np

from fourdcb.physics.bullet.client import BulletClient
from fourdcb.physics.bullet.collision_shape import Shape
from fourdcb.physics.bullet.engine import BulletEngine
from fourdcb.physics.bullet.native import vector
from fourdcb.physics.bullet.scene import LoadedBody, draft_body
from fourdcb.physics.bullet.shapes import object_shape
from fourdcb.world import Object, Plane, World, contact_properties, effective_mass
from fourdcb.world.mesh import object_mesh

_NOTHING_TO_SEE = -1


class DefaultsEngine(BulletEngine):
    """Bullet's default parameters, bodies of ``createCollisionShape`` and ``createMultiBody``.

    Only the length of a step is set. Keyframed bodies have mass 0 and are moved by resetting their pose;
    cones and mesh files are convex hulls of their vertices; planes are GEOM_PLANE; inertia is Bullet's own.
    """

    id = "bullet-defaults"
    version = 1
    first_kick = 1.0

    def _prepare(self, world: World, *, rate_hz: float) -> tuple[LoadedBody, ...]:
        client = self._client
        client.set_parameters(time_step=1.0 / rate_hz)
        contact = contact_properties(world)
        loaded = []
        for body in world.bodies:
            shape = _mass_distribution(body, world.base_dir)
            dynamic = isinstance(body, Object) and body.kind == "dynamic"
            mass = effective_mass(body, volume=shape.volume) if isinstance(body, Object) and dynamic else 0.0
            draft = draft_body(body, shape, mass)
            handle = _create(client, draft, world.base_dir)
            stated = contact[body.name]
            client.change_dynamics(handle, restitution=stated.restitution, lateral_friction=stated.friction)
            if isinstance(body, Object) and dynamic:
                client.set_velocity(handle, body.vel, body.ang_vel)
            x, y, z = client.dynamics(handle).inertia
            loaded.append(draft.with_handle(handle, inertia=(x, y, z)))
        return tuple(loaded)


def _create(client: BulletClient, body: LoadedBody, base_dir: str) -> int:
    api = client.library
    command = api.b3CreateCollisionShapeCommandInit(client.handle)
    _add_shape(client, command, body, base_dir)
    shape = api.b3GetStatusCollisionShapeUniqueId(client.submit(command))
    origin, quaternion = body.body_pose(body.position, body.orientation_wxyz)
    command = api.b3CreateMultiBodyCommandInit(client.handle)
    own_frame = (vector((0.0, 0.0, 0.0)), vector((0.0, 0.0, 0.0, 1.0)))
    api.b3CreateMultiBodyBase(
        command, body.mass, shape, _NOTHING_TO_SEE, vector(origin), vector(quaternion), *own_frame
    )
    handle: int = api.b3GetStatusBodyIndex(client.submit(command))
    return handle


def _mass_distribution(body: Object | Plane, base_dir: str) -> Shape:
    if isinstance(body, Plane):  # GEOM_PLANE has its surface at its origin
        return Shape(unit_inertia=(1.0, 1.0, 1.0), volume=1.0)
    return object_shape(body, base_dir=base_dir)


def _add_shape(client: BulletClient, command: Any, body: LoadedBody, base_dir: str) -> None:
    api, source = client.library, body.source
    if isinstance(source, Plane):
        api.b3CreateCollisionShapeAddPlane(command, vector((0.0, 0.0, 1.0)), 0.0)
        return
    x, _, z = source.size
    if source.geometry == "sphere":
        api.b3CreateCollisionShapeAddSphere(command, 0.5 * x)
    elif source.geometry == "box":
        api.b3CreateCollisionShapeAddBox(command, vector([0.5 * extent for extent in source.size]))
    elif source.geometry == "cylinder":
        api.b3CreateCollisionShapeAddCylinder(command, 0.5 * x, z)
    elif source.geometry == "capsule":
        api.b3CreateCollisionShapeAddCapsule(command, 0.5 * x, z - x)
    else:
        vertices = np.unique(object_mesh(source, base_dir=base_dir).vertices - np.array(body.center), axis=0)
        api.b3CreateCollisionShapeAddConvexMesh(
            client.handle, command, vector((1.0, 1.0, 1.0)), vector(vertices.ravel()), len(vertices)
        )
