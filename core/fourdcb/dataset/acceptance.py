"""Whether a sample is worth keeping: what it shows must be large, moving, predictable and telling."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fourdcb.dataset.framing import Framing, moving
from fourdcb.errors import UserError
from fourdcb.physics import Engine
from fourdcb.render import RasterRenderer, RenderSettings
from fourdcb.sensitivity import predictability_horizon
from fourdcb.sensitivity.derivatives import motion_derivative
from fourdcb.trajectory import Trajectory
from fourdcb.world import World, parameters
from fourdcb.world.camera import project
from fourdcb.world.parameters import Parameter

LEAST_SIZE, LEAST_MOTION, LEAST_HORIZON = 40.0, 0.6, 0.6  # [px]; shares of the clip
LEAST_SHOWN = 0.5  # of an object's looked-at pictures it must be seen in
SLIDER_SHARE, LEAST_EFFECT = 0.05, 1.0  # a change of this share of the slider moves something by so much [px]
_LOOKS, _LEAST_PIXELS = 8, 60


def too_small(shown: Framing) -> list[str]:
    """Reasons against the framing."""
    reasons = [
        f"too small: {name} is {size:.0f} px wide, {LEAST_SIZE:.0f} are needed"
        for name, size in shown.sizes.items()
        if size < LEAST_SIZE
    ]
    if shown.motion < LEAST_MOTION:
        reasons.append(
            f"too little motion: in {shown.motion:.0%} of the frames, {LEAST_MOTION:.0%} are needed"
        )
    return reasons


def unseen(world: World, trajectory: Trajectory) -> list[str]:
    """Objects that are hidden in more than half of the pictures."""
    renderer = RasterRenderer(world, RenderSettings(supersample=1, shadows=False))
    times = world.frame_times()[np.linspace(0, world.n_frames - 1, _LOOKS).round().astype(int)]
    counts = np.stack(
        [
            np.bincount(instance[instance >= 0].ravel(), minlength=len(world.bodies))[: len(world.bodies)]
            for instance in (renderer.render(trajectory, float(t)).instance for t in times)
        ]
    )
    shares = (counts >= _LEAST_PIXELS).mean(axis=0)
    return [
        f"not seen: {obj.name} shows in {shares[i]:.0%} of the pictures"
        for i, obj in moving(world)
        if shares[i] < LEAST_SHOWN
    ]


def unpredictable(world: World, trajectory: Trajectory, engine: Engine) -> tuple[dict[str, float], list[str]]:
    """(horizon by object [s], reasons): motion that is not decided by the script cannot be judged."""
    horizon = predictability_horizon(world, rate_hz=trajectory.rate_hz, trajectory=trajectory, engine=engine)
    needed = LEAST_HORIZON * world.duration
    reasons = [
        f"chaotic: {name} is predictable for {t:.2f} s, {needed:.2f} s are needed"
        for name, t in horizon.items()
        if t < needed
    ]
    return horizon, reasons


def unobservable(
    world: World, watched: Sequence[str], trajectory: Trajectory, engine: Engine
) -> tuple[dict[str, float], list[str]]:
    """(effect by parameter [px], reasons): sampled values whose effect nobody could see.

    The effect of a parameter is the largest motion in the picture, of any body's centre at any frame, that a
    change by 1/20 of its slider makes (to first order: its sensitivity in pixels).
    """
    table = {p.path: p for p in parameters(world)}
    effects = {path: _effect(world, table[path], trajectory, engine) for path in watched if path in table}
    if not effects:
        raise UserError("the template watches no parameter that the world has", got=", ".join(watched))
    reasons = [
        f"not observable: 1/20 of the slider of {path} moves nothing by more than {effect:.2f} px"
        for path, effect in effects.items()
        if effect < LEAST_EFFECT
    ]
    return effects, reasons


def _effect(world: World, known: Parameter, trajectory: Trajectory, engine: Engine) -> float:
    steps = trajectory.frame_steps()
    position = trajectory.position[steps]
    found = motion_derivative(
        world, known.path, rate_hz=trajectory.rate_hz, engine=engine,
        base=(position, trajectory.orientation_wxyz[steps]),
    )  # fmt: skip
    change = SLIDER_SHARE * (known.slider[1] - known.slider[0]) * _per_slider(known)
    here = project(world.camera, position)
    step = 1e-4 / max(float(np.abs(found.position).max()), 1e-9)
    there = project(world.camera, position + step * found.position)
    shifts = np.linalg.norm(there - here, axis=-1) / step * abs(change)
    return float(np.nanmax(shifts))


def _per_slider(known: Parameter) -> float:
    """Of a logarithmic slider: its share is one of the value's own logarithm."""
    if known.scale == "linear":
        return 1.0
    low, high = known.slider
    return known.value * float(np.log(high / low)) / (high - low)
