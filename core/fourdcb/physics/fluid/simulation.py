"""One fluid over time: its particles, its grid, and what it does to the bodies in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

import numpy as np

from fourdcb.arrays import F64, I64
from fourdcb.errors import UserError
from fourdcb.physics.fluid.pressure import (
    body_rows,
    build,
    correct,
    crowding,
    impulses,
    outflow,
    solve,
)
from fourdcb.physics.fluid.solids import BOX, HALF, PLANE, POS, ROT, SHAPE, SOLID_WIDTH
from fourdcb.physics.fluid.transfer import extend, from_grid, to_grid
from fourdcb.physics.fluid.volumes import fill, find_surface, mark_free, measure_room
from fourdcb.world.fluid import Fluid

CELLS = 1400  # of the fluid at t = 0, about
_PER_EDGE = 2  # particles along a cell's edge
_PER_CELL = _PER_EDGE**3
_PAD = 3  # cells of air about the fluid, at least
_ROOM = (0.8, 0.8, 1.6)  # of the box's longest side: how far about it the flow is computed; beyond, drops fly
_MOST_CELLS = 300_000
_SKIN = 0.15  # of a cell: distance that particles keep from solids
_SOLVED, _APART = 1e-6, 1e-2  # tolerance of the pressure, and of taking crowds apart
_ITERATIONS = 400
_SWEEPS = 3
_FARTHEST = 0.1  # of a cell: that a step moves particles apart


@dataclass(slots=True, kw_only=True, eq=False)
class Grid:
    """A lattice of cells and what it knows; see the kernels for the arrays."""

    origin: F64
    dx: float
    flow: F64
    weight: F64
    known: F64
    shift: F64
    still: F64
    taken: F64
    level: F64
    fluid: I64
    pressure: F64
    count: I64 = field(default_factory=lambda: np.zeros(1, dtype=np.int64))

    @property
    def shape(self) -> tuple[int, ...]:
        """(X, Y, Z), one more than cells."""
        return self.fluid.shape


class FluidSimulation:
    """The particles of a fluid, advanced step by step among solids.

    Args:
        source: the fluid at t = 0.
        solid: rows of all bodies at t = 0, shape (S, SOLID_WIDTH).
        moving: indices of the rows that may move; the others stay where they are.

    Attributes:
        position, velocity: of the particles [m], [m/s], shape (P, 3).
        radius: of a ball with a particle's volume [m].
        mass: of a particle [kg].
    """

    def __init__(self, source: Fluid, solid: F64, moving: I64) -> None:
        self._source, self._moving = source, moving
        self._field = np.array(source.acc, dtype=np.float64)
        dx = _cell(source)
        self.position, volume = _filled_box(source, solid, dx)
        if not len(self.position):
            raise UserError(
                "the fluid has no room for a single particle",
                where=source.name,
                hint="it lies within a solid, or its box is thinner than a cell",
            )
        self.velocity = np.tile(np.array(source.vel, dtype=np.float64), (len(self.position), 1))
        self.mass, self.radius = source.density * volume, (3.0 * volume / (4.0 * np.pi)) ** (1.0 / 3.0)
        self._affine = np.zeros((len(self.position), 3, 3))
        self._per_cell = dx**3 / volume
        self._grid = _grid_about(source, dx)
        still = np.setdiff1d(np.arange(len(solid)), moving)
        self._thin = _thinnest(solid)
        self._order = np.concatenate([moving, still]).astype(np.int64)
        self._fill_still(_thickened(solid, source, 2.0 * dx), still)
        self._share = np.zeros((len(moving), 4, *self._grid.shape))
        self._boxes = [_nothing() for _ in moving]
        self._box = np.array([[0, 0, 0], np.array(self._grid.shape) - 1], dtype=np.int64)

    @property
    def cell(self) -> float:
        """Edge of a cell [m]."""
        return self._grid.dx

    def step(self, dt: float, solid: F64, at: F64, velocity: F64, mobility: F64) -> F64:
        """Find the flow after ``dt`` with bodies that go along; the particles stay where they are.

        Args:
            dt: [s].
            solid: rows of all bodies now.
            at: centres of mass of the moving bodies [m], shape (B, 3).
            velocity: of the moving bodies after ``dt``, were there no fluid, shape (B, 6): of the centre of
                mass [m/s], spin [rad/s].
            mobility: their inverse masses and inertias in the world, shape (B, 6, 6); 0 where nothing moves
                them.

        Returns:
            impulses on the moving bodies [N s] and their torques [N m s], shape (B, 6).
        """
        g, dense = self._grid, 1.0 / (self._source.density * self._grid.dx)
        self._box = self._look_at()
        to_grid(g.origin, g.dx, self.position, self.velocity, self._affine, self._box, g.flow, g.weight)
        looked = (slice(None), *_slices(self._box))
        g.flow[looked] += dt * self._field[:, None, None, None]
        self._fill_moving(solid)
        room = len(self.position) // 2 + 64
        place = np.zeros((room, 3), dtype=np.int64)
        find_surface(
            self._per_cell,
            g.weight,
            self._room,
            g.still,
            g.taken,
            self._box,
            g.level,
            g.fluid,
            place,
            g.count,
        )
        near, off, diagonal = np.zeros((room, 6), dtype=np.int64), np.zeros((room, 6)), np.zeros(room)
        build(dense, g.taken, g.level, g.fluid, place, g.count, near, off, diagonal)
        rows = np.zeros((len(self._moving), room, 6))
        for b, own in enumerate(rows):
            body_rows(g.origin, g.dx, at[b].copy(), self._share[b], self._boxes[b], g.fluid, own, g.count)
        right, work, six = np.zeros(room), np.zeros((3, room)), np.zeros((2, max(len(rows), 1), 6))
        outflow(g.taken, place, g.count, g.flow, rows, velocity, right)
        n = int(g.count[0])
        p = np.zeros(room)
        p[:n] = g.pressure[tuple(place[:n].T)]  # that of the step before is a good guess
        solve(
            near, off, diagonal, rows, mobility, g.dx**2, right, g.count, _SOLVED, _ITERATIONS, p, work, six
        )
        g.pressure[looked[1:]] = 0.0
        g.pressure[tuple(place[:n].T)] = p[:n]
        g.known[looked] = (g.weight[:3][looked] > 1e-6) & (g.taken[:3][looked] < 1.0 - 1e-3)
        correct(dense, g.taken, g.level, g.fluid, place, g.count, p, g.flow, g.known)
        extend(g.flow, g.known, self._box, _SWEEPS)
        found = np.zeros((len(rows), 6))
        impulses(g.dx**2, rows, g.count, p, found)
        self._spread(dense, place, near, off, diagonal, work)
        return found

    def _spread(self, dense: float, place: I64, near: I64, off: F64, diagonal: F64, work: F64) -> None:
        """Find the displacements that take crowds apart."""
        g = self._grid
        right, q, nobody = np.zeros(len(diagonal)), np.zeros(len(diagonal)), np.zeros((0, 1, 6))
        crowding(g.dx, g.level, g.taken, near, place, g.count, right)
        solve(
            near, off, diagonal, nobody, np.zeros((0, 6, 6)), 1.0, right, g.count, _APART, _ITERATIONS, q,
            work,            np.zeros((2, 1, 6)),
        )  # fmt: skip
        correct(dense, g.taken, g.level, g.fluid, place, g.count, q, g.shift, g.known)
        looked = (slice(None), *_slices(self._box))
        g.shift[looked] = np.clip(g.shift[looked], -_FARTHEST * g.dx, _FARTHEST * g.dx)

    def move(self, dt: float, solid: F64) -> None:
        """Take the particles through ``dt`` with the flow that was found, past bodies where they are then."""
        g = self._grid
        from_grid(
            g.origin, g.dx, dt, self._field, self.position, self.velocity, self._affine, g.flow, g.shift,
            solid, self._order, self._thin, _SKIN * g.dx,
        )  # fmt: skip

    def _look_at(self) -> I64:
        """The part of the grid that holds particles; what the step before has left is cleared."""
        g, top = self._grid, np.array(self._grid.shape) - 1
        for array, value in ((g.flow, 0.0), (g.weight, 0.0), (g.shift, 0.0), (g.known, 0.0)):
            array[(slice(None), *_slices(self._box))] = value
        looked = _slices(self._box)
        g.level[0][looked], g.level[1][looked], g.fluid[looked] = 1.0, 0.0, -1
        places = (self.position - g.origin) / g.dx
        low, high = np.floor(places.min(axis=0)) - _PAD, np.ceil(places.max(axis=0)) + _PAD + 1
        return np.stack([np.clip(low, 0, top), np.clip(high, 0, top)]).astype(np.int64)

    def _fill_still(self, solid: F64, still: I64) -> None:
        share = np.zeros((4, *self._grid.shape))
        for n in still:
            box = _reach(solid[n], self._grid)
            fill(self._grid.origin, self._grid.dx, solid, int(n), box, share, self._grid.still)
        self._room = np.ones(self._grid.shape)
        measure_room(self._grid.origin, self._grid.dx, solid, still, self._grid.still, self._room)

    def _fill_moving(self, solid: F64) -> None:
        g = self._grid
        looked = (slice(None), *_slices(self._box))
        g.taken[looked] = g.still[looked]
        for b, n in enumerate(self._moving):
            low, high = self._boxes[b]
            self._share[b][:, low[0] : high[0] + 1, low[1] : high[1] + 1, low[2] : high[2] + 1] = 0.0
            self._boxes[b] = _reach(solid[n], g)
            fill(g.origin, g.dx, solid, int(n), self._boxes[b], self._share[b], g.taken)


def _cell(source: Fluid) -> float:
    """Edge of a cell [m], with two significant digits, so that a little more fluid has the same grid."""
    edge = (float(np.prod(source.size)) / CELLS) ** (1.0 / 3.0)
    return float(f"{edge:.2g}")


def _filled_box(source: Fluid, solid: F64, dx: float) -> tuple[F64, float]:
    """Particles on a lattice [m], shape (P, 3), without those in solids, and the volume of one [m³]."""
    size = np.array(source.size)
    counts = np.maximum(np.round(size / dx * _PER_EDGE), 1.0).astype(int)
    steps = size / counts
    axes = [source.pos[a] - size[a] / 2 + steps[a] * (np.arange(counts[a]) + 0.5) for a in range(3)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    free = np.ones(len(points))
    mark_free(points, solid, free)
    return np.ascontiguousarray(points[free > 0.0]), float(np.prod(steps))


def _grid_about(source: Fluid, dx: float) -> Grid:
    """The lattice that the flow is computed on: the box and room about it, as much as is affordable."""
    size, room = np.array(source.size), np.array(_ROOM) * max(source.size)
    low = np.array(source.pos) - size / 2
    while True:
        first = np.floor((low - room) / dx).astype(int) - _PAD
        last = np.ceil((low + size + room) / dx).astype(int) + _PAD
        if np.prod(last - first) <= _MOST_CELLS or room.max() <= dx:
            break
        room *= 0.8
    shape = tuple(int(n) for n in last - first + 1)
    return Grid(
        origin=first * dx, dx=dx, flow=np.zeros((3, *shape)), weight=np.zeros((4, *shape)),
        known=np.zeros((3, *shape)), shift=np.zeros((3, *shape)), still=np.zeros((4, *shape)),
        taken=np.zeros((4, *shape)), level=np.stack([np.ones(shape), np.zeros(shape)]),
        fluid=np.full(shape, -1, dtype=np.int64), pressure=np.zeros(shape),
    )  # fmt: skip


def _slices(box: I64) -> tuple[slice, slice, slice]:
    """The cells of a box of indices, both ends included."""
    x, y, z = (slice(int(low), int(high) + 1) for low, high in box.T)
    return x, y, z


def _nothing() -> I64:
    return np.array([[0, 0, 0], [-1, -1, -1]], dtype=np.int64)


def _reach(row: F64, grid: Grid) -> I64:
    """First and last index along each axis that a solid may reach, shape (2, 3)."""
    top = np.array(grid.shape) - 1
    if row[SHAPE] == PLANE:
        return np.stack([np.zeros(3), top]).astype(np.int64)
    far = np.abs(row[ROT : ROT + 9].reshape(3, 3)) @ row[HALF : HALF + 3]
    middle = (row[POS : POS + 3] - grid.origin) / grid.dx
    low = np.clip(np.floor(middle - far / grid.dx) - 2, 0, top)
    high = np.clip(np.ceil(middle + far / grid.dx) + 1, -1, top)
    return np.stack([low, high]).astype(np.int64)


def _thinnest(solid: F64) -> float:
    extents = [2.0 * row[HALF : HALF + 3].min() for row in solid if row[SHAPE] != PLANE]
    return float(min(extents, default=1.0))


def _thickened(solid: F64, source: Fluid, least: float) -> F64:
    """The solids with walls that a grid can tell: thin boxes grow on the side that the fluid is not on."""
    found, centre = solid.copy(), np.array(source.pos)
    for row, axis in product(found, range(3)):
        lack = least - 2.0 * row[HALF + axis]
        if row[SHAPE] != BOX or lack <= 0.0:
            continue
        direction = row[ROT : ROT + 9].reshape(3, 3)[:, axis]
        side = 1.0 if direction @ (row[POS : POS + 3] - centre) >= 0.0 else -1.0
        row[HALF + axis] += lack / 2.0
        row[POS : POS + 3] += side * lack / 2.0 * direction
    return found


def solid_rows(count: int) -> F64:
    """Room for solids."""
    return np.zeros((count, SOLID_WIDTH))
