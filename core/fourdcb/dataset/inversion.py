"""Whether a clip gives its own script away: an Oracle that sees the clip finds the values back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.dataset.layout import CLEAN_NAME, REFERENCE_NAME
from fourdcb.dataset.likeness import Likeness
from fourdcb.dsl import load_script
from fourdcb.physics import judging_rate, make_engine
from fourdcb.randomness import generator
from fourdcb.render.backends import Backend
from fourdcb.trajectory import Trajectory
from fourdcb.world import World, parameters, with_value

TIME_LIMIT = 120.0  # [s] of a search without a start
AWAY = (0.1, 0.2)  # shares of a value that the start lies off, either way


def found_unaided(
    folder: Path, *, draw: Callable[[World], Backend], time_limit: float = TIME_LIMIT
) -> tuple[dict[str, Any], Likeness]:
    """Make a script from the stored clean clip and the camera alone, and replay it.

    Args:
        folder: of the sample.
        draw: makes a renderer of a world.
        time_limit: of the search [s], on the wall's clock.

    Returns:
        (figures, likeness of the found world's replay to the clip).
    """
    from fourdcb.oracle.invert import invert

    truth, clip = load_script(folder / REFERENCE_NAME).world, _clip(folder)
    found = invert(clip, truth.camera, fps=truth.fps, time_limit=time_limit)
    with make_engine() as engine:
        trajectory = engine.rollout(found.world, rate_hz=judging_rate(truth.fps))
    likeness = _replayed(found.world, trajectory, clip, truth, draw)
    return {**likeness.figures(), "overlap": round(found.overlap, 4), "notes": list(found.notes)}, likeness


def found_back(
    folder: Path, paths: Sequence[str], *, seed: int, path: str, draw: Callable[[World], Backend]
) -> tuple[dict[str, Any], Likeness]:
    """Fit values that were put wrong to the stored clean clip, and replay what was found.

    The Oracle starts from the stored script with every value of ``paths`` off by 10 to 20 %, and sees the
    clean clip and the camera.

    Args:
        folder: of the sample.
        paths: parameters to find back.
        seed, path: node of the seed tree that the wrong values are drawn from.
        draw: makes a renderer of a world.

    Returns:
        (figures, likeness of the found world's replay to the clip).
    """
    from fourdcb.oracle.fit import fit

    truth = load_script(folder / REFERENCE_NAME).world
    start = _wronged(truth, paths, generator(seed, f"{path}/oracle"))
    clip = _clip(folder)
    with make_engine() as engine:
        found = fit(start, list(paths), clip, engine=engine)
        trajectory = engine.rollout(found.world, rate_hz=judging_rate(truth.fps))
    likeness = _replayed(found.world, trajectory, clip, truth, draw)
    known = {p.path: p.value for p in parameters(truth)}
    values = {
        one.path: {"truth": known[one.path], "start": one.start, "found": float(f"{one.value:.6g}")}
        for one in found.parameters
    }
    return {**likeness.figures(), "values": values}, likeness


def _clip(folder: Path) -> NDArray[np.uint8]:
    from fourdcb.video import VideoReader

    with VideoReader(folder / CLEAN_NAME) as stored:
        return np.stack(list(stored.frames()))


def _replayed(
    world: World, trajectory: Trajectory, clip: NDArray[np.uint8], truth: World,
    draw: Callable[[World], Backend],
) -> Likeness:  # fmt: skip
    """Of a world's pictures to the clip's, at the clip's times."""
    renderer, likeness = draw(world), Likeness()
    for t, picture in zip(truth.frame_times(), clip, strict=True):
        likeness.add(renderer.render(trajectory, float(t), aux=False).rgb, picture)
    return likeness


def _wronged(world: World, paths: Sequence[str], random: np.random.Generator) -> World:
    """The same world with values off, on whichever side the slider has room."""
    table = {p.path: p for p in parameters(world)}
    for path in paths:
        known = table[path]
        low, high = known.slider
        away = float(random.uniform(*AWAY)) * (1.0 if random.uniform() < 0.5 else -1.0)
        step = away * (known.value or high - low)
        value = known.value + step
        if not low <= value <= high:
            value = known.value - step
        world = with_value(world, path, float(f"{value:.6g}"))
    return world
