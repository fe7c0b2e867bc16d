"""Free motion: exact in a constant field, and with the angular momentum that the body has."""

from __future__ import annotations

import math

from fourdcb.physics.contact.compiled import compiled, inline
from fourdcb.physics.contact.layout import (
    ACC,
    DYNAMIC,
    END_POS,
    END_QUAT,
    END_ROT,
    F64,
    I64,
    INERTIA,
    INV,
    MID_ROT,
    MID_SPIN,
    MID_VEL,
    MOM,
    POS,
    PUSH,
    QUAT,
    ROT,
    ROUND,
    TURN,
    VEL,
)

Vec = tuple[float, float, float]
Quat = tuple[float, float, float, float]
_ITERATIONS = 20


@inline
def turned(body: F64, n: int, column: int, x: float, y: float, z: float) -> Quat:
    """The quaternion in ``column`` after the rotation vector (x, y, z) [rad], in the world."""
    square = x * x + y * y + z * z
    if square < 1e-8:
        s = 0.5 - square / 48.0
        c = 1.0 - square / 8.0 + square * square / 384.0
    else:
        angle = math.sqrt(square)
        s, c = math.sin(0.5 * angle) / angle, math.cos(0.5 * angle)
    x, y, z = s * x, s * y, s * z
    qw, qx, qy, qz = body[n, column], body[n, column + 1], body[n, column + 2], body[n, column + 3]
    return (
        c * qw - x * qx - y * qy - z * qz,
        c * qx + x * qw + y * qz - z * qy,
        c * qy + y * qw + z * qx - x * qz,
        c * qz + z * qw + x * qy - y * qx,
    )


@inline
def put_rotation(body: F64, n: int, column: int, q: Quat) -> None:
    """Writes the matrix of a unit quaternion."""
    w, x, y, z = q
    body[n, column] = 1.0 - 2.0 * (y * y + z * z)
    body[n, column + 1] = 2.0 * (x * y - z * w)
    body[n, column + 2] = 2.0 * (x * z + y * w)
    body[n, column + 3] = 2.0 * (x * y + z * w)
    body[n, column + 4] = 1.0 - 2.0 * (x * x + z * z)
    body[n, column + 5] = 2.0 * (y * z - x * w)
    body[n, column + 6] = 2.0 * (x * z - y * w)
    body[n, column + 7] = 2.0 * (y * z + x * w)
    body[n, column + 8] = 1.0 - 2.0 * (x * x + y * y)


@inline
def spin_of(body: F64, n: int, rotation: int, momentum: int) -> Vec:
    """Spin [rad/s] that an angular momentum means at a rotation: R I⁻¹ Rᵀ L."""
    lx, ly, lz = body[n, momentum], body[n, momentum + 1], body[n, momentum + 2]
    r = rotation
    a = (body[n, r] * lx + body[n, r + 3] * ly + body[n, r + 6] * lz) / body[n, INERTIA]
    b = (body[n, r + 1] * lx + body[n, r + 4] * ly + body[n, r + 7] * lz) / body[n, INERTIA + 1]
    c = (body[n, r + 2] * lx + body[n, r + 5] * ly + body[n, r + 8] * lz) / body[n, INERTIA + 2]
    return (
        body[n, r] * a + body[n, r + 1] * b + body[n, r + 2] * c,
        body[n, r + 3] * a + body[n, r + 4] * b + body[n, r + 5] * c,
        body[n, r + 6] * a + body[n, r + 7] * b + body[n, r + 8] * c,
    )


@inline
def momentum_of(body: F64, n: int, rotation: int, spin: int) -> Vec:
    """Angular momentum [kg m²/s] that a spin means at a rotation: R I Rᵀ ω."""
    x, y, z = body[n, spin], body[n, spin + 1], body[n, spin + 2]
    r = rotation
    a = (body[n, r] * x + body[n, r + 3] * y + body[n, r + 6] * z) * body[n, INERTIA]
    b = (body[n, r + 1] * x + body[n, r + 4] * y + body[n, r + 7] * z) * body[n, INERTIA + 1]
    c = (body[n, r + 2] * x + body[n, r + 5] * y + body[n, r + 8] * z) * body[n, INERTIA + 2]
    return (
        body[n, r] * a + body[n, r + 1] * b + body[n, r + 2] * c,
        body[n, r + 3] * a + body[n, r + 4] * b + body[n, r + 5] * c,
        body[n, r + 6] * a + body[n, r + 7] * b + body[n, r + 8] * c,
    )


@compiled
def put_inverse(body: F64, n: int, rotation: int) -> None:
    """Writes the inverse inertia in the world, R I⁻¹ Rᵀ."""
    for i in range(3):
        for j in range(i, 3):
            total = 0.0
            for k in range(3):
                total += body[n, rotation + 3 * i + k] * body[n, rotation + 3 * j + k] / body[n, INERTIA + k]
            body[n, INV + 3 * i + j] = total
            body[n, INV + 3 * j + i] = total


@compiled
def aim(body: F64, kind: I64, h: float) -> None:
    """Velocities in the middle of a step of ``h`` [s] in which nothing touches.

    The spin is that of the implicit midpoint rule, ω = R_m I⁻¹ R_mᵀ L with R_m = exp(½ h ω) R: second order,
    reversible, and it keeps the angular momentum L exactly (Simo & Wong, Int. J. Numer. Meth. Eng. 31, 1991).
    """
    for n in range(len(kind)):
        if kind[n] != DYNAMIC:
            continue
        for k in range(3):
            body[n, MID_VEL + k] = body[n, VEL + k] + 0.5 * h * body[n, ACC + k]
        x, y, z = spin_of(body, n, ROT, MOM)
        if body[n, ROUND] == 0.0:
            for _ in range(_ITERATIONS):
                q = turned(body, n, QUAT, 0.5 * h * x, 0.5 * h * y, 0.5 * h * z)
                put_rotation(body, n, MID_ROT, q)
                a, b, c = spin_of(body, n, MID_ROT, MOM)
                change = abs(a - x) + abs(b - y) + abs(c - z)
                x, y, z = a, b, c
                if change <= 1e-14 * (abs(x) + abs(y) + abs(z)):
                    break
        else:
            for k in range(9):
                body[n, MID_ROT + k] = body[n, ROT + k]
        body[n, MID_SPIN], body[n, MID_SPIN + 1], body[n, MID_SPIN + 2] = x, y, z


@compiled
def reach_end(body: F64, kind: I64, h: float) -> None:
    """Poses after a step of ``h`` [s] with the velocities of its middle, overlaps taken back."""
    for n in range(len(kind)):
        if kind[n] == 0:
            continue
        x = h * body[n, MID_SPIN] + body[n, TURN]
        y = h * body[n, MID_SPIN + 1] + body[n, TURN + 1]
        z = h * body[n, MID_SPIN + 2] + body[n, TURN + 2]
        for k in range(3):
            body[n, END_POS + k] = body[n, POS + k] + h * body[n, MID_VEL + k] + body[n, PUSH + k]
        w, x, y, z = turned(body, n, QUAT, x, y, z)
        size = math.sqrt(w * w + x * x + y * y + z * z)
        w, x, y, z = w / size, x / size, y / size, z / size
        body[n, END_QUAT], body[n, END_QUAT + 1] = w, x
        body[n, END_QUAT + 2], body[n, END_QUAT + 3] = y, z
        put_rotation(body, n, END_ROT, (w, x, y, z))


@compiled
def accept(body: F64, kind: I64, h: float) -> None:
    """Makes the end of a step the current instant."""
    for n in range(len(kind)):
        if kind[n] == 0:
            continue
        for k in range(3):
            body[n, POS + k] = body[n, END_POS + k]
        for k in range(4):
            body[n, QUAT + k] = body[n, END_QUAT + k]
        for k in range(9):
            body[n, ROT + k] = body[n, END_ROT + k]
        if kind[n] == DYNAMIC:
            for k in range(3):
                body[n, VEL + k] = body[n, MID_VEL + k] + 0.5 * h * body[n, ACC + k]
