"""The arrays that the solver works in: which column holds what.

Few wide arrays instead of many narrow ones: a kernel's compile time grows with the number of arrays that it
is given, and what is read together lies together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourdcb.physics.contact.narrow.table import Contacts, ShapeTable, Workspace

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

STATIC, DYNAMIC, KINEMATIC = 0, 1, 2

# Columns of a body. Vectors take three, quaternions (wxyz) four, matrices nine (row by row).
POS, QUAT, ROT = 0, 3, 7  # centre of mass [m] and principal axes, world_from_body, at the current instant
VEL, MOM = 16, 19  # velocity [m/s] and angular momentum [kg m²/s] at the current instant
MID_VEL, MID_SPIN = 22, 25  # velocity [m/s] and spin [rad/s] in the middle of the step that is being made
INV = 28  # inverse inertia in the world [1/(kg m²)] that impulses act with
END_POS, END_QUAT, END_ROT = 37, 40, 44  # pose at the end of the step
MID_ROT = 53  # axes in the middle of the step
PUSH, TURN = 62, 65  # displacement [m] and rotation vector [rad] that take overlaps back
INV_MASS, INERTIA, ACC = 68, 69, 72  # [1/kg], principal [kg m²], field [m/s²]
FRICTION, RESTITUTION, ROLLING = 75, 76, 77  # factors, rolling friction's lever [m]
REACH, THIN = 78, 79  # [m]: radius of the ball that holds the body, and half its smallest extent
ROUND = 80  # 1 for equal principal moments
TOUCHED = 81  # 1 when a contact carried weight in the last step
PLANE = 82  # 1 for a half space
BODY_WIDTH = 83

# Columns of a contact row. Index 0 of a frame is the normal (from b to a), 1 and 2 are tangents.
FRAME, POINT, DISTANCE = 0, 9, 12
TARGET, MU, BOUNCE, LEVER = 13, 14, 15, 16  # normal velocity wanted, friction, restitution, rolling lever
IMPULSE, ROLL = 17, 20  # of the step: along the frame [N s]; rolling, along the tangents [N m s]
GRIP_A, GRIP_B = 22, 25  # from the centres of a and b to where friction acts [m]
STRUCK = 28  # of the impacts at the step's start, in the world [N s]; what stands before it is remembered
BLOCK, INVERSE = 31, 40  # 3 × 3: velocity per impulse, and its inverse
ARM_A, ARM_B = 49, 58  # torque per unit impulse about a and b, three vectors each
SPIN_A, SPIN_B = 67, 76  # spin of a and b per unit impulse
ROLL_MASS = 85  # torque impulse per relative spin [kg m²]
BEFORE, AFTER = 86, 89  # relative velocity at the point [m/s], world
PATCH = 92  # area [m²] and mean lever [m] of the face contact that the row belongs to
GRIP = 94  # where friction acts, world [m]
SLOW = 97  # approach below which the row is not an impact [m/s]
START = (
    98  # relative velocity along the frame at the start of an impact [m/s]; 101, 102: spin along the tangents
)
STASH = 103  # impulses that wait while an impact is solved
BEYOND = 108  # impulse of the displacement that takes an overlap back
KEPT, COURSE = 109, 114  # impulses before a round of the solver, and the direction that it goes on in
SLIP = 119  # size of the friction that a hold would take [N s]
STIFF = 120  # impulse per velocity of the augmented Lagrangian, normal and tangential [kg]
PACE_A, PACE_B = 122, 125  # velocity [m/s] of the lever from the centre of a and b to where friction acts
DRIFT = 128  # velocity [m/s] along the frame that the levers' own motion adds in the middle of the step
ROW_WIDTH = 131
MOST_AT_ONCE = 40  # bodies of an island that is solved at once
# Integer columns of a row.
BODY_A, BODY_B, FEATURE, FLAGS, ISLAND = 0, 1, 2, 3, 4
TAG_WIDTH = 5
# Flags: carried weight in the step before; took part in an impact; is held to its law in this step.
HELD, HIT, LIVE = 1, 2, 4

# A logged contact: step, bodies, point on b, normal, distance, impulses, relative velocities.
LOG_STEP, LOG_A, LOG_B, LOG_POSITION, LOG_NORMAL, LOG_DISTANCE = 0, 1, 2, 3, 6, 9
LOG_PUSH, LOG_FRICTION, LOG_BEFORE, LOG_AFTER = 10, 11, 14, 17
LOG_WIDTH = 20
STATE_WIDTH = 13  # position 3, orientation wxyz 4, velocity 3, spin 3

# Entries of ``counts``.
ROWS, OLD_ROWS, FOUND, LOGGED, OVERFLOW, DONE, AT_ONCE = 0, 1, 2, 3, 4, 5, 6
# Entries of ``clock``: the step that was made last [s].
LAST_STEP = 0


class Simulation(NamedTuple):
    """One rollout's memory: N bodies, at most K contacts at a time.

    Attributes:
        table, work: shapes and scratch of the narrow phase.
        found, probe: contacts at the end of a step, and of one pair while an impact's time is sought.
        found_pair: bodies of the rows of ``found``, shape (K, 2).
        pairs: pairs of bodies that may touch, first < second, ascending; shape (Q, 2).
        kind: STATIC, DYNAMIC or KINEMATIC, shape (N,).
        body: shape (N, BODY_WIDTH).
        row, tag: contacts of the step that is being made, shape (K, ROW_WIDTH), (K, TAG_WIDTH).
        old_row, old_tag: those of the step before; of rows only the columns up to STRUCK.
        order: live rows by island, shape (K,); active: rows of one impact, shape (K,).
        group, fill: where islands start in ``order``; scratch; shape (K + 1,).
        parent, seen: scratch of the search for islands, shape (N,).
        counts: see ROWS and so on, shape (8,).
        clock: see LAST_STEP, shape (4,).
        slot, matrix, vector: unknowns of an island that is solved at once, six a body; shape (N,), (U, U),
            (3, U).
        at_a, axes_a, at_b, axes_b: poses of a pair for the narrow phase, shape (3,) and (3, 3).
    """

    table: ShapeTable
    work: Workspace
    found: Contacts
    probe: Contacts
    found_pair: I64
    pairs: I64
    kind: I64
    body: F64
    row: F64
    tag: I64
    old_row: F64
    old_tag: I64
    order: I64
    active: I64
    group: I64
    fill: I64
    parent: I64
    seen: I64
    counts: I64
    clock: F64
    slot: I64
    matrix: F64
    vector: F64
    at_a: F64
    axes_a: F64
    at_b: F64
    axes_b: F64
