"""How far two sets of lights stand apart, beyond what their mean directions tell.

A sun that is split in two, or into a ring, keeps its mean direction. What must be moved, and how far, to make
one set of lights of the other is the earth mover's distance (Rubner, Tomasi & Guibas, "The earth mover's
distance as a metric for image retrieval", 2000), here of shares of the irradiance over angles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fourdcb.arrays import F64
from fourdcb.metrics.light.lighting import LightGap, incoming
from fourdcb.world import World
from fourdcb.world.symmetry import vector_angle_deg

if TYPE_CHECKING:
    from fourdcb.replay import Replay

_MOMENTS = 7  # in which sets of several lights each are compared
_DARK = 1e-6


def light_spreads(reference: Replay, candidate: World, gaps: dict[str, LightGap]) -> dict[str, float]:
    """By reference object: mean distance of the sets of lights less that of their mean directions [deg].

    0 for one light each, wherever they stand; an object that either world leaves dark has no entry.
    """
    world = reference.world
    if candidate.lights == world.lights and candidate.duration == world.duration:
        return {name: 0.0 for name, gap in gaps.items() if np.isfinite(gap.angle).any()}
    if not world.lights or not candidate.lights:
        return {}
    t = reference.trajectory
    steps = t.frame_steps()
    chosen = np.unique(np.linspace(0, len(steps) - 1, _MOMENTS).astype(int))
    found: dict[str, float] = {}
    for name, gap in gaps.items():
        points, times = t.position[steps[chosen], t.index(name)], t.times[steps[chosen]]
        a, b = (_arrivals(side, points, times) for side in (world, candidate))
        beyond = [
            max(set_distance_deg(a[:, k], b[:, k]) - float(gap.angle[chosen[k]]), 0.0)
            for k in range(len(chosen))
            if np.isfinite(gap.angle[chosen[k]])
        ]
        if beyond:
            found[name] = float(np.mean(beyond))
    return found


def _arrivals(world: World, points: F64, times: F64) -> F64:
    """Direction towards each light times its irradiance, shape (lights, T, 3)."""
    return np.stack([incoming(light, points, times, world.duration) for light in world.lights])


def set_distance_deg(a: F64, b: F64) -> float:
    """Earth mover's distance between two sets of lights at a place [deg].

    Args:
        a, b: direction towards each light times its irradiance, shapes (N, 3) and (M, 3), none all dark.
    """
    (ways_a, share_a), (ways_b, share_b) = _shares(a), _shares(b)
    cost = vector_angle_deg(ways_a[:, None], ways_b[None])
    if 1 in cost.shape:
        return float(share_a @ cost @ share_b)
    from scipy.optimize import linprog

    n, m = cost.shape
    rows = np.concatenate([np.kron(np.eye(n), np.ones(m)), np.kron(np.ones(n), np.eye(m))])
    found = linprog(cost.ravel(), A_eq=rows[:-1], b_eq=np.concatenate([share_a, share_b])[:-1])
    return float(found.fun)


def _shares(arriving: F64) -> tuple[F64, F64]:
    """Unit directions of the lights that shine, and their shares of the irradiance."""
    strength = np.linalg.norm(arriving, axis=-1)
    shining = strength > _DARK * strength.max()
    return arriving[shining] / strength[shining, None], strength[shining] / strength[shining].sum()
