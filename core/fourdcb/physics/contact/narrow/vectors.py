"""Vectors as triples, rotations as nine numbers row by row: values in registers, nothing on the heap."""

from __future__ import annotations

import math

from fourdcb.physics.contact.compiled import inline

Vec = tuple[float, float, float]
Mat = tuple[float, float, float, float, float, float, float, float, float]


@inline
def dot(a: Vec, b: Vec) -> float:
    """a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline
def cross(a: Vec, b: Vec) -> Vec:
    """a × b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inline
def add(a: Vec, b: Vec) -> Vec:
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inline
def sub(a: Vec, b: Vec) -> Vec:
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inline
def scaled(a: Vec, s: float) -> Vec:
    """s a."""
    return (s * a[0], s * a[1], s * a[2])


@inline
def along(a: Vec, s: float, b: Vec) -> Vec:
    """a + s b."""
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


@inline
def middle(a: Vec, b: Vec) -> Vec:
    """The point halfway."""
    return (0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2]))


@inline
def length(a: Vec) -> float:
    """|a|."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@inline
def unit(a: Vec) -> Vec:
    """a / |a|; the vector itself where it is zero."""
    n = length(a)
    if n > 0.0:
        return (a[0] / n, a[1] / n, a[2] / n)
    return a


@inline
def across(n: Vec) -> Vec:
    """Some unit vector perpendicular to the unit vector n."""
    if abs(n[0]) < 0.6:
        return unit((0.0, n[2], -n[1]))
    return unit((-n[2], 0.0, n[0]))


@inline
def turn(m: Mat, a: Vec) -> Vec:
    """M a."""
    return (
        m[0] * a[0] + m[1] * a[1] + m[2] * a[2],
        m[3] * a[0] + m[4] * a[1] + m[5] * a[2],
        m[6] * a[0] + m[7] * a[1] + m[8] * a[2],
    )


@inline
def turn_back(m: Mat, a: Vec) -> Vec:
    """Mᵀ a."""
    return (
        m[0] * a[0] + m[3] * a[1] + m[6] * a[2],
        m[1] * a[0] + m[4] * a[1] + m[7] * a[2],
        m[2] * a[0] + m[5] * a[1] + m[8] * a[2],
    )


@inline
def product(a: Mat, b: Mat) -> Mat:
    """A B."""
    x = turn(a, (b[0], b[3], b[6]))
    y = turn(a, (b[1], b[4], b[7]))
    z = turn(a, (b[2], b[5], b[8]))
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])


@inline
def relative(a: Mat, b: Mat) -> Mat:
    """Bᵀ A: the axes of A seen from B."""
    x = turn_back(b, (a[0], a[3], a[6]))
    y = turn_back(b, (a[1], a[4], a[7]))
    z = turn_back(b, (a[2], a[5], a[8]))
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])
