"""A world loaded into one Bullet client: the recipe that makes restitution, friction and landings right.

Bullet's defaults do not keep a stated restitution or friction; see ``conformance`` for what each setting
buys. Every property that Bullet can be asked for is read back; a value that was not applied is an error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from fourdcb.arrays import F64
from fourdcb.conventions import (
    canonical_quaternion,
    multiply_quaternions,
    rotation_from_quaternion,
    xyzw_from_wxyz,
)
from fourdcb.errors import SimulationDivergedError, UserError
from fourdcb.physics.bullet.client import BulletClient, EngineError
from fourdcb.physics.bullet.collision_shape import Shape
from fourdcb.physics.bullet.shapes import object_shape, plane_shape
from fourdcb.physics.bullet.urdf import UrdfStore
from fourdcb.world import BodyKind, Object, Plane, World, contact_properties, effective_mass
from fourdcb.world.contact import ContactProperties

# Raised whenever a world rolls out differently than before; part of the key of everything that is cached.
RECIPE_VERSION = 2
SOLVER_ITERATIONS = 50
# Bullet's own 1e-7 stops iterating early; landings then spin a little and slides drift sideways.
SOLVER_RESIDUAL = 1e-14
# A mass-0 body of the kind used here passes on no velocity; a very heavy dynamic one does.
KINEMATIC_MASS_RATIO = 1e6
# Of enum eURDF_Flags and of enum eChangeDynamics.
_INERTIA_FROM_FILE, _IMPLICIT_CYLINDER, _SAT_FEATURES = 2, 128, 4096
_NEVER_SLEEPS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedBody:
    """One body in the client.

    Attributes:
        handle: Bullet's unique id; uid order is body order.
        kind: dynamic, static or kinematic.
        mass: [kg]; of a kinematic body the stand-in's.
        inertia: principal moments [kg m²].
        center: centre of mass in the object's frame [m].
        axes_wxyz: rotation object_from_body.
        position, orientation_wxyz: start pose of the object (the script's pos and rot).
        acc: acceleration field [m/s²].
        source: the authored thing.
    """

    handle: int
    kind: BodyKind
    mass: float
    inertia: tuple[float, float, float]
    center: tuple[float, float, float]
    axes_wxyz: tuple[float, float, float, float]
    position: F64
    orientation_wxyz: F64
    acc: tuple[float, float, float]
    source: Object | Plane

    def with_handle(self, handle: int, *, inertia: tuple[float, float, float]) -> LoadedBody:
        """This body as it is in the client, with the principal moments that it has there [kg m²]."""
        return replace(self, handle=handle, inertia=inertia)

    def body_pose(self, position: F64, orientation_wxyz: F64) -> tuple[F64, F64]:
        """(centre of mass [m], orientation xyzw of the principal axes) of an object pose, for Bullet."""
        origin = position
        if self.center != (0.0, 0.0, 0.0):
            origin = position + rotation_from_quaternion(orientation_wxyz) @ np.array(self.center)
        return origin, xyzw_from_wxyz(multiply_quaternions(orientation_wxyz, self.axes_wxyz))


def configure(client: BulletClient, *, rate_hz: float) -> None:
    """Sets the engine's parameters; called after every reset, which forgets them.

    Raises:
        EngineError: when Bullet reports other values than those set.
    """
    client.set_parameters(
        time_step=1.0 / rate_hz,
        sub_steps=0,
        solver_iterations=SOLVER_ITERATIONS,
        split_impulse=1,
        split_impulse_depth=1e9,  # always split: pushing bodies apart adds no velocity
        restitution_speed=0.0,
        solver_residual=SOLVER_RESIDUAL,
        deterministic_pairs=1,
        sat=1,
        file_caching=0,
    )
    told = client.parameters()
    _same("the time step", told.time_step, 1.0 / rate_hz)
    _same("the number of solver iterations", told.solver_iterations, SOLVER_ITERATIONS)
    _same("split impulses", told.split_impulse, 1)
    _same("simulation in real time", told.real_time, 0)


def set_gravity(client: BulletClient, acceleration: tuple[float, float, float]) -> None:
    """Sets the field that acts on every dynamic body [m/s²] and reads it back."""
    client.set_gravity(acceleration)
    for axis, told, wanted in zip("xyz", client.parameters().gravity, acceleration, strict=True):
        _same(f"gravity along {axis}", told, wanted)


def load_bodies(client: BulletClient, world: World, store: UrdfStore) -> tuple[LoadedBody, ...]:
    """Creates every body of the world, in the world's order.

    Raises:
        UserError: for a body that cannot be simulated.
        EngineError: when Bullet did not take a property.
    """
    if world.fluids:
        raise UserError(
            "this engine has no fluids", where=world.fluids[0].name, hint="use the engine contact-solver"
        )
    contact = contact_properties(world)
    shapes = _shapes(world)
    masses = [_mass(body, shape) for body, shape in zip(world.bodies, shapes, strict=True)]
    heaviest = max(
        (m for m, b in zip(masses, world.bodies, strict=True) if _kind(b) == "dynamic"), default=1.0
    )
    loaded = []
    for body, shape, own_mass in zip(world.bodies, shapes, masses, strict=True):
        mass = KINEMATIC_MASS_RATIO * heaviest if _kind(body) == "kinematic" else own_mass
        loaded.append(_load(client, store, body, shape, mass, contact[body.name]))
    return tuple(loaded)


def _shapes(world: World) -> list[Shape]:
    # What is round meets triangles rightly; an edge or a flat end lands wrongly on them, and rightly on
    # convex pieces. So concave things that never move stay exact where only balls and capsules move.
    round_only = all(o.geometry in ("sphere", "capsule") for o in world.objects if o.kind != "static")
    return [
        plane_shape(body)
        if isinstance(body, Plane)
        else object_shape(body, base_dir=world.base_dir, as_triangles=round_only and body.kind == "static")
        for body in world.bodies
    ]


def draft_body(body: Object | Plane, shape: Shape, mass: float) -> LoadedBody:
    """A body of ``mass`` [kg] that is not in the client yet (handle -1).

    Raises:
        SimulationDivergedError: when it starts with a value that is not finite.
    """
    position, orientation, acc = _start(body)
    if not np.isfinite((*position, *orientation, *acc, mass)).all():
        raise SimulationDivergedError(
            body=body.name, time=0.0, reason="starts with a value that is not finite"
        )
    return LoadedBody(
        handle=-1,
        kind=_kind(body),
        mass=mass,
        inertia=_scaled(shape.unit_inertia, mass),
        center=shape.center,
        axes_wxyz=shape.axes_wxyz,
        position=position,
        orientation_wxyz=orientation,
        acc=acc,
        source=body,
    )


def _load(
    client: BulletClient,
    store: UrdfStore,
    body: Object | Plane,
    shape: Shape,
    mass: float,
    contact: ContactProperties,
) -> LoadedBody:
    draft = draft_body(body, shape, mass)
    flags = _INERTIA_FROM_FILE | _IMPLICIT_CYLINDER
    if shape.polyhedral:
        flags |= _SAT_FEATURES
    origin, quaternion = draft.body_pose(draft.position, draft.orientation_wxyz)
    start = (*origin.tolist(), *quaternion.tolist())
    handle = client.load_urdf(
        store.body_file(shape, mass=mass),
        position=start[:3],
        orientation=start[3:],
        fixed=mass == 0.0,
        flags=flags,
    )
    _set_dynamics(client, handle, contact, body)
    _check(client, handle, draft, contact, start=start)
    if isinstance(body, Object) and draft.kind == "dynamic":
        client.set_velocity(handle, _center_velocity(body, shape), body.ang_vel)
    return draft.with_handle(handle, inertia=draft.inertia)


def _set_dynamics(
    client: BulletClient, handle: int, contact: ContactProperties, body: Object | Plane
) -> None:
    client.change_dynamics(
        handle,
        restitution=contact.restitution,
        lateral_friction=contact.friction,
        rolling_friction=body.rolling_friction if isinstance(body, Object) else 0.0,
        spinning_friction=0.0,
        linear_damping=0.0,
        angular_damping=0.0,
        contact_processing=0.0,
        activation_state=_NEVER_SLEEPS,
    )


def _check(
    client: BulletClient,
    handle: int,
    body: LoadedBody,
    contact: ContactProperties,
    *,
    start: tuple[float, ...],
) -> None:
    told = client.dynamics(handle)
    name = body.source.name
    _same(f"{name}: mass", told.mass, body.mass)
    _same(f"{name}: friction", told.lateral_friction, contact.friction)
    if isinstance(body.source, Object):
        _same(f"{name}: rolling friction", told.rolling_friction, body.source.rolling_friction)
    if body.mass > 0:
        for axis in range(3):
            _same(f"{name}: inertia[{axis}]", told.inertia[axis], body.inertia[axis])
    pose = client.pose(handle)
    # A quaternion and its opposite are one orientation; Bullet may report either.
    sign = math.copysign(1.0, sum(a * b for a, b in zip(start[3:], pose[3:], strict=True)))
    for wanted, got in zip(start, (*pose[:3], *(sign * x for x in pose[3:])), strict=True):
        _same(f"{name}: start pose", got, wanted, tolerance=1e-9)


def _same(what: str, told: float, wanted: float, *, tolerance: float = 1e-12) -> None:
    if not math.isclose(told, wanted, rel_tol=1e-9, abs_tol=tolerance):
        raise EngineError(f"Bullet did not take {what}: set {wanted!r}, reports {told!r}")


def _start(body: Object | Plane) -> tuple[F64, F64, tuple[float, float, float]]:
    if isinstance(body, Plane):
        normal = np.array(body.normal) / np.linalg.norm(body.normal)
        return normal * body.offset, _rotation_of_z_onto(normal), (0.0, 0.0, 0.0)
    return np.array(body.pos, dtype=np.float64), canonical_quaternion(body.rot), body.acc


def _rotation_of_z_onto(normal: F64) -> F64:
    if normal[2] < -1.0 + 1e-12:
        return np.array([0.0, 1.0, 0.0, 0.0])
    return canonical_quaternion([1.0 + normal[2], -normal[1], normal[0], 0.0])


def _center_velocity(body: Object, shape: Shape) -> list[float]:
    if shape.center == (0.0, 0.0, 0.0):
        return list(body.vel)
    # The script's vel belongs to the point pos; Bullet's to the centre of mass.
    lever = rotation_from_quaternion(body.rot) @ np.array(shape.center)
    velocity: list[float] = (np.array(body.vel) + np.cross(body.ang_vel, lever)).tolist()
    return velocity


def _mass(body: Object | Plane, shape: Shape) -> float:
    if _kind(body) == "static" or isinstance(body, Plane):
        return 0.0
    return effective_mass(body, volume=shape.volume)


def _kind(body: Object | Plane) -> BodyKind:
    return "static" if isinstance(body, Plane) else body.kind


def _scaled(moments: tuple[float, float, float], mass: float) -> tuple[float, float, float]:
    return (mass * moments[0], mass * moments[1], mass * moments[2])
