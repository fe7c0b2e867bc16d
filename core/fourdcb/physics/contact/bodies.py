"""A world's bodies as the solver knows them: shape, mass, start, laws of contact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourdcb.conventions import (
    canonical_quaternion,
    multiply_quaternions,
    normalized,
    rotation_from_quaternion,
)
from fourdcb.errors import SimulationDivergedError
from fourdcb.physics.contact.layout import (
    ACC,
    BODY_WIDTH,
    DYNAMIC,
    F64,
    FRICTION,
    I64,
    INERTIA,
    INV_MASS,
    KINEMATIC,
    MOM,
    MOST_AT_ONCE,
    PLANE,
    POS,
    QUAT,
    REACH,
    RESTITUTION,
    ROLLING,
    ROUND,
    ROW_WIDTH,
    STATIC,
    TAG_WIDTH,
    THIN,
    VEL,
    Simulation,
)
from fourdcb.physics.contact.narrow import BodyForm, body_form, contacts, table_of, workspace
from fourdcb.physics.keyframes import sample_keyframes, velocities
from fourdcb.world import BodyKind, Object, Plane, World, contact_properties, effective_mass

_KINDS: dict[BodyKind, int] = {"static": STATIC, "dynamic": DYNAMIC, "kinematic": KINEMATIC}
_ROUND = 1e-12  # principal moments that differ by no more are equal


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Body:
    """One body of a rollout.

    Attributes:
        source: the authored thing.
        form: its shape and mass distribution.
        kind: dynamic, static or kinematic.
        mass: [kg]; 0 unless dynamic.
        inertia: principal moments [kg m²].
        position, orientation_wxyz: start pose of the object (the script's pos and rot).
        acc: its field [m/s²].
    """

    source: Object | Plane
    form: BodyForm
    kind: BodyKind
    mass: float
    inertia: F64
    position: F64
    orientation_wxyz: F64
    acc: F64

    def body_pose(self, position: F64, orientation_wxyz: F64) -> tuple[F64, F64]:
        """Centre of mass [m] and orientation_wxyz of the principal axes of object poses (…, 3), (…, 4)."""
        center = position + rotation_from_quaternion(orientation_wxyz) @ np.array(self.form.center)
        return center, multiply_quaternions(orientation_wxyz, self.form.axes_wxyz)


def load_bodies(world: World) -> tuple[Body, ...]:
    """Bodies of a world, in its order.

    Raises:
        UserError: for a body that cannot be simulated.
        SimulationDivergedError: when one starts with a value that is not finite.
    """
    return tuple(_load(body, world.base_dir) for body in world.bodies)


def _load(body: Object | Plane, base_dir: str) -> Body:
    form = body_form(body, base_dir=base_dir)
    kind: BodyKind = "static" if isinstance(body, Plane) else body.kind
    mass, acc = 0.0, np.zeros(3)
    if isinstance(body, Plane):
        normal = normalized(body.normal)
        position, orientation = normal * body.offset, _rotation_of_z_onto(normal)
    else:
        position, orientation = np.array(body.pos, dtype=np.float64), canonical_quaternion(body.rot)
        if kind == "dynamic":
            mass, acc = effective_mass(body, volume=form.volume), np.array(body.acc, dtype=np.float64)
    if not np.isfinite((*position, *orientation, *acc, mass)).all():
        raise SimulationDivergedError(
            body=body.name, time=0.0, reason="starts with a value that is not finite"
        )
    return Body(
        source=body,
        form=form,
        kind=kind,
        mass=mass,
        inertia=mass * np.array(form.unit_inertia),
        position=position,
        orientation_wxyz=orientation,
        acc=acc,
    )


def _rotation_of_z_onto(normal: F64) -> F64:
    if normal[2] < -1.0 + 1e-12:
        return np.array([0.0, 1.0, 0.0, 0.0])
    return canonical_quaternion([1.0 + normal[2], -normal[1], normal[0], 0.0])


def simulation(world: World, bodies: tuple[Body, ...], *, capacity: int) -> Simulation:
    """The memory of a rollout that stands at t = 0.

    Args:
        world: what the bodies are of.
        bodies: see :func:`load_bodies`.
        capacity: contacts that there is room for at a time.
    """
    table = table_of([body.form for body in bodies])
    kind = np.array([_KINDS[body.kind] for body in bodies], dtype=np.int64)
    n = len(bodies)
    unknowns = 6 * min(int(np.sum(kind == DYNAMIC)), MOST_AT_ONCE)
    return Simulation(
        table=table,
        work=workspace(table),
        found=contacts(capacity),
        probe=contacts(capacity),
        found_pair=np.zeros((capacity, 2), dtype=np.int64),
        pairs=_pairs(kind),
        kind=kind,
        body=_body_rows(world, bodies, table.reach),
        row=np.zeros((capacity, ROW_WIDTH)),
        tag=np.zeros((capacity, TAG_WIDTH), dtype=np.int64),
        old_row=np.zeros((capacity, ROW_WIDTH)),
        old_tag=np.zeros((capacity, TAG_WIDTH), dtype=np.int64),
        order=np.zeros(capacity, dtype=np.int64),
        active=np.zeros(capacity, dtype=np.int64),
        group=np.zeros(capacity + 2, dtype=np.int64),
        fill=np.zeros(capacity + 2, dtype=np.int64),
        parent=np.zeros(n, dtype=np.int64),
        seen=np.zeros(n, dtype=np.int64),
        counts=np.zeros(8, dtype=np.int64),
        clock=np.zeros(4),
        slot=np.zeros(n, dtype=np.int64),
        matrix=np.zeros((unknowns, unknowns)),
        vector=np.zeros((3, unknowns)),
        at_a=np.zeros(3),
        axes_a=np.zeros((3, 3)),
        at_b=np.zeros(3),
        axes_b=np.zeros((3, 3)),
    )


def _pairs(kind: I64) -> I64:
    first, second = np.triu_indices(len(kind), 1)
    meets = (kind[first] == DYNAMIC) | (kind[second] == DYNAMIC)
    return np.ascontiguousarray(np.stack([first[meets], second[meets]], axis=1).astype(np.int64))


def _body_rows(world: World, bodies: tuple[Body, ...], reach: F64) -> F64:
    contact = contact_properties(world)
    rows = np.zeros((len(bodies), BODY_WIDTH))
    for row, body, far in zip(rows, bodies, reach, strict=True):
        source, own = body.source, contact[body.source.name]
        center, orientation = body.body_pose(body.position, body.orientation_wxyz)
        row[POS : POS + 3], row[QUAT : QUAT + 4] = center, orientation
        row[FRICTION], row[RESTITUTION] = own.friction, own.restitution
        row[REACH], row[THIN] = far, _thin(body)
        row[PLANE] = float(isinstance(source, Plane))
        row[INERTIA : INERTIA + 3] = 1.0
        if isinstance(source, Plane):
            continue
        row[ROLLING] = source.rolling_friction
        if body.kind == "dynamic":
            moments = body.inertia
            row[INV_MASS], row[INERTIA : INERTIA + 3], row[ACC : ACC + 3] = 1.0 / body.mass, moments, body.acc
            row[ROUND] = float(np.ptp(moments) <= _ROUND * moments.max())
            velocity, spin = _start_motion(source, center)
            row[VEL : VEL + 3] = velocity
            axes = rotation_from_quaternion(orientation)
            row[MOM : MOM + 3] = axes @ (moments * (axes.T @ spin))
    return rows


def _start_motion(source: Object, center: F64) -> tuple[F64, F64]:
    """Velocity of the centre of mass, which lies at ``center``, and spin: the script's vel is that of pos."""
    spin = np.array(source.ang_vel, dtype=np.float64)
    return np.array(source.vel) + np.cross(spin, center - np.array(source.pos)), spin


def start_states(bodies: tuple[Body, ...]) -> F64:
    """States of the dynamic bodies at t = 0, shape (D, 13)."""
    rows = []
    for body in bodies:
        if body.kind == "dynamic" and isinstance(body.source, Object):
            center, orientation = body.body_pose(body.position, body.orientation_wxyz)
            rows.append(np.concatenate([center, orientation, *_start_motion(body.source, center)]))
    return np.array(rows).reshape(-1, 13)


def _thin(body: Body) -> float:
    """Half the smallest extent [m]: what a fast body could jump over."""
    if isinstance(body.source, Plane):
        return np.inf
    return 0.5 * min(body.source.size)


def drive(bodies: tuple[Body, ...], *, first: int, stop: int, rate_hz: float) -> NDArray[np.float64]:
    """Poses and velocities of the kinematic bodies at the start of substeps ``first`` … ``stop`` - 1.

    Returns:
        centre of mass, orientation wxyz of the principal axes, velocity of the centre of mass, spin; shape
        (stop - first, kinematic bodies, 13).
    """
    times = np.arange(first, stop + 1) / rate_hz
    rows = []
    for body in bodies:
        if body.kind == "kinematic" and isinstance(body.source, Object):
            center, orientation = body.body_pose(*sample_keyframes(body.source.trajectory, times))
            linear, angular = velocities(center, orientation, 1.0 / rate_hz)
            rows.append(np.concatenate([center[:-1], orientation[:-1], linear, angular], axis=1))
    if not rows:
        return np.zeros((stop - first, 0, 13))
    return np.ascontiguousarray(np.stack(rows, axis=1))
