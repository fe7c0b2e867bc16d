"""Bullet as it comes: the engine that the recipe is compared with, never used to judge."""

from __future__ import annotations

from typing import Any

import numpy as np

from fourdcb.physics.engine import BulletEngine
from fourdcb.physics.scene import LoadedBody, draft_body
from fourdcb.physics.shapes import Shape, object_shape
from fourdcb.world import Object, Plane, World, contact_properties, effective_mass
from fourdcb.world.mesh import object_mesh


class DefaultsEngine(BulletEngine):
    """Bullet's default parameters, bodies of ``createCollisionShape`` and ``createMultiBody``.

    Only the length of a step is set. Keyframed bodies have mass 0 and are moved by resetting their pose;
    cones and mesh files are convex hulls of their vertices; planes are GEOM_PLANE; inertia is Bullet's own.
    """

    first_kick = 1.0

    def _prepare(self, world: World, *, rate_hz: float) -> tuple[LoadedBody, ...]:
        self._bullet.setPhysicsEngineParameter(fixedTimeStep=1.0 / rate_hz, physicsClientId=self._client)
        contact = contact_properties(world)
        loaded = []
        for body in world.bodies:
            shape = _mass_distribution(body, world.base_dir)
            dynamic = isinstance(body, Object) and body.kind == "dynamic"
            mass = effective_mass(body, volume=shape.volume) if isinstance(body, Object) and dynamic else 0.0
            draft = draft_body(body, shape, mass)
            handle = self._create(draft, world.base_dir)
            self._bullet.changeDynamics(
                handle,
                -1,
                restitution=contact[body.name].restitution,
                lateralFriction=contact[body.name].friction,
                physicsClientId=self._client,
            )
            if isinstance(body, Object) and dynamic:
                self._bullet.resetBaseVelocity(handle, body.vel, body.ang_vel, physicsClientId=self._client)
            inertia = self._bullet.getDynamicsInfo(handle, -1, physicsClientId=self._client)[2]
            loaded.append(draft.with_handle(handle, inertia=inertia))
        return tuple(loaded)

    def _create(self, body: LoadedBody, base_dir: str) -> int:
        api = self._bullet
        collision = api.createCollisionShape(**_collision(api, body, base_dir), physicsClientId=self._client)
        origin, quaternion = body.body_pose(body.position, body.orientation_wxyz)
        handle: int = api.createMultiBody(
            baseMass=body.mass,
            baseCollisionShapeIndex=collision,
            basePosition=origin.tolist(),
            baseOrientation=quaternion.tolist(),
            physicsClientId=self._client,
        )
        return handle


def _mass_distribution(body: Object | Plane, base_dir: str) -> Shape:
    if isinstance(body, Plane):  # GEOM_PLANE has its surface at its origin
        return Shape(unit_inertia=(1.0, 1.0, 1.0), volume=1.0)
    return object_shape(body, base_dir=base_dir)


def _collision(api: Any, body: LoadedBody, base_dir: str) -> dict[str, Any]:
    source = body.source
    if isinstance(source, Plane):
        return {"shapeType": api.GEOM_PLANE}
    x, _, z = source.size
    if source.geometry == "sphere":
        return {"shapeType": api.GEOM_SPHERE, "radius": 0.5 * x}
    if source.geometry == "box":
        return {"shapeType": api.GEOM_BOX, "halfExtents": [0.5 * extent for extent in source.size]}
    if source.geometry == "cylinder":
        return {"shapeType": api.GEOM_CYLINDER, "radius": 0.5 * x, "height": z}
    if source.geometry == "capsule":
        return {"shapeType": api.GEOM_CAPSULE, "radius": 0.5 * x, "height": z - x}
    vertices = object_mesh(source, base_dir=base_dir).vertices - np.array(body.center)
    return {"shapeType": api.GEOM_MESH, "vertices": np.unique(vertices, axis=0).tolist()}
