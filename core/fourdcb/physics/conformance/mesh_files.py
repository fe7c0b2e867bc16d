"""Mesh files for the conformance scenes, as OBJ text."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fourdcb.arrays import F64

Face = Sequence[int]


def obj_text(vertices: F64, faces: Sequence[Face]) -> str:
    """Vertices [m], shape (V, 3), and polygons, counter-clockwise from outside, as an OBJ file."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in np.asarray(vertices, dtype=np.float64).tolist()]
    return "\n".join([*lines, *("f " + " ".join(str(k + 1) for k in face) for face in faces)]) + "\n"


def cube(side: float) -> str:
    """A cube about the origin."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * (0.5 * side)
    return obj_text(
        corners, [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    )


def prism(radius: float, height: float, sides: int) -> str:
    """A regular prism along z about the origin."""
    angles = 2 * math.pi * np.arange(sides) / sides
    ring = np.stack([radius * np.cos(angles), radius * np.sin(angles)], axis=1)
    low = np.column_stack([ring, np.full(sides, -0.5 * height)])
    high = np.column_stack([ring, np.full(sides, 0.5 * height)])
    walls = [(k, (k + 1) % sides, sides + (k + 1) % sides, sides + k) for k in range(sides)]
    caps = [tuple(range(sides - 1, -1, -1)), tuple(range(sides, 2 * sides))]
    return obj_text(np.concatenate([low, high]), [*walls, *caps])


def icosphere(radius: float, subdivisions: int) -> str:
    """A ball of triangles of nearly equal size."""
    import trimesh

    ball = trimesh.creation.icosphere(subdivisions=subdivisions, radius=radius)
    return obj_text(ball.vertices, ball.faces.tolist())


def tray(width: float, squares: int, lip: float) -> str:
    """A flat floor of ``squares`` × ``squares`` fields at z = 0 with a lip around it, 0.1 m thick."""
    ticks = np.linspace(-0.5 * width, 0.5 * width, squares + 1)
    heights = np.zeros((squares + 1, squares + 1))
    heights[[0, -1], :] = lip
    heights[:, [0, -1]] = lip
    x, y = np.meshgrid(ticks, ticks, indexing="ij")
    return _slab(np.stack([x, y, heights], axis=-1), np.stack([x, y, np.full_like(x, -0.1)], axis=-1))


def half_pipe(radius: float, length: float, segments: int) -> str:
    """A channel along y, 120° of a tube of inner ``radius``, lowest at the origin, 0.1 m thick."""
    angles = np.linspace(-math.pi / 3, math.pi / 3, segments + 1)
    along = np.linspace(-0.5 * length, 0.5 * length, 5)
    a, y = np.meshgrid(angles, along, indexing="ij")

    def shell(r: float) -> F64:
        return np.stack([r * np.sin(a), y, radius - r * np.cos(a)], axis=-1)

    return _slab(shell(radius), shell(radius + 0.1))


def _slab(upper: F64, lower: F64) -> str:
    """The solid between two grids of points, shape (I, J, 3), x growing with i and y with j."""
    rows, columns = upper.shape[:2]
    below = rows * columns

    def at(i: int, j: int) -> int:
        return i * columns + j

    faces: list[Face] = []
    for i in range(rows - 1):
        for j in range(columns - 1):
            a, b, c, d = at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)
            faces += [
                (a, b, c),
                (a, c, d),
                (below + a, below + c, below + b),
                (below + a, below + d, below + c),
            ]
    for i in range(rows - 1):
        a, b, c, d = at(i, 0), at(i + 1, 0), at(i, columns - 1), at(i + 1, columns - 1)
        faces += [(a, below + a, below + b, b), (c, d, below + d, below + c)]
    for j in range(columns - 1):
        a, b, c, d = at(0, j), at(0, j + 1), at(rows - 1, j), at(rows - 1, j + 1)
        faces += [(a, b, below + b, below + a), (c, below + c, below + d, d)]
    return obj_text(np.concatenate([upper.reshape(-1, 3), lower.reshape(-1, 3)]), faces)
