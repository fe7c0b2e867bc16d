"""Random worlds for laws that hold in every world: invariance, energy, repetition."""

from __future__ import annotations

import numpy as np

from fourdcb.arrays import F64
from fourdcb.conventions import normalized
from fourdcb.physics.conformance.scenes import floor, stage, thing
from fourdcb.world import Geometry, Object, World

_SHAPES: tuple[Geometry, ...] = ("sphere", "box", "cylinder", "capsule", "cone")


def random_scene(seed: int) -> World:
    """Two to four bodies that fall, slide and hit each other for two seconds."""
    rng = np.random.default_rng((seed, 1))
    objects: list[Object] = []
    for k in range(int(rng.integers(2, 5))):
        geometry = _SHAPES[int(rng.integers(len(_SHAPES)))]
        size = _size(rng, geometry)
        reach = 0.5 * float(np.linalg.norm(size))
        place = _free_place(rng, objects, reach)
        toward = -0.6 * place * np.array([1.0, 1.0, 0.0]) + rng.normal(0.0, 0.2, 3)
        objects.append(
            thing(
                f"body {k}", geometry, _triple(place), size=size, rot=_quaternion(rng),
                mass=float(10.0 ** rng.uniform(-1.0, 0.5)), vel=_triple(toward),
                ang_vel=_triple(rng.normal(0.0, 2.0, 3)), friction=float(rng.uniform(0.2, 0.9)),
                restitution=float(rng.uniform(0.0, 0.6)),
            )
        )  # fmt: skip
    return stage(*objects, duration=2.0, planes=(floor(),))


def random_tumble(seed: int) -> World:
    """One body that tumbles over a floor for two seconds, with e up to 1 and friction up to 2."""
    rng = np.random.default_rng((seed, 2))
    geometry = _SHAPES[int(rng.integers(1, len(_SHAPES)))]
    body = thing(
        "body", geometry, (0.0, 0.0, float(rng.uniform(0.3, 0.6))), size=_size(rng, geometry),
        rot=_quaternion(rng), mass=float(10.0 ** rng.uniform(-1.0, 0.5)),
        vel=_triple(rng.normal(0.0, 1.0, 3)), ang_vel=_triple(rng.normal(0.0, 6.0, 3)),
        friction=float(rng.uniform(0.0, 2.0)), restitution=float(min(rng.uniform(0.3, 1.2), 1.0)),
    )  # fmt: skip
    return stage(body, duration=2.0, planes=(floor(),))


def _size(rng: np.random.Generator, geometry: Geometry) -> tuple[float, float, float]:
    a, b, c = (float(x) for x in rng.uniform(0.05, 0.15, 3))
    if geometry == "sphere":
        return a, a, a
    if geometry == "box":
        return a, b, c
    return (a, a, a + c) if geometry == "capsule" else (a, a, c)


def _free_place(rng: np.random.Generator, others: list[Object], reach: float) -> F64:
    while True:
        place = np.array([rng.uniform(-0.4, 0.4), rng.uniform(-0.4, 0.4), rng.uniform(reach + 0.005, 0.4)])
        if all(
            np.linalg.norm(place - o.pos) > reach + 0.5 * float(np.linalg.norm(o.size)) + 0.002
            for o in others
        ):
            return place


def _quaternion(rng: np.random.Generator) -> tuple[float, float, float, float]:
    w, x, y, z = normalized(rng.normal(0.0, 1.0, 4))
    return float(w), float(x), float(y), float(z)


def _triple(v: F64) -> tuple[float, float, float]:
    return float(v[0]), float(v[1]), float(v[2])
