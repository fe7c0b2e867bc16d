"""Derivatives of motion and of pixels with respect to one parameter of a world."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from fourdcb.arrays import F64, Poses
from fourdcb.conventions import srgb_from_linear
from fourdcb.sensitivity.differences import Derivative, differentiate
from fourdcb.sensitivity.rotation import rotation_vectors
from fourdcb.world import Parameter, World, parameter, with_value

if TYPE_CHECKING:
    from fourdcb.physics import Engine
    from fourdcb.render import RenderSettings

Space = Literal["linear", "srgb"]
_ROUNDING = 1e-8  # [m], [rad]: what the solver makes of the last digits of a mass
_PIXEL_ROUNDING = 1e-6  # pictures are drawn in single precision


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MotionDerivative:
    """Change of all bodies' poses at the frames per unit of one parameter.

    Attributes:
        position: [m / unit], world frame, shape (T, N, 3), bodies in the order of ``world.bodies``.
        rotation: turn [rad / unit] as a rotation vector in the world frame, shape (T, N, 3).
        derivative: both stacked along the last axis, with step and reliability.
    """

    position: F64
    rotation: F64
    derivative: Derivative


def motion_derivative(
    world: World,
    path: str,
    *,
    rate_hz: float | None = None,
    engine: Engine | None = None,
    base: Poses | None = None,
    step: float | None = None,
) -> MotionDerivative:
    """How every body's path answers to one parameter: four rollouts.

    Args:
        world: where to take the derivative.
        path: parameter such as ``cup.friction``.
        rate_hz: physics rate; default the judging rate.
        engine: reused engine; default a fresh one.
        base: the world's own poses at the frames, when they exist already.
        step: finite-difference step [unit]; default 1/500 of the slider.

    Raises:
        UserError: for an unknown parameter.
        SimulationDivergedError: when the world explodes at its own value or on both sides of it.
    """
    from fourdcb.physics import judging_rate, make_engine

    known = parameter(world, path)
    rate = judging_rate(world.fps) if rate_hz is None else rate_hz
    with nullcontext(engine) if engine is not None else make_engine() as running:
        position, orientation = base if base is not None else running.frame_poses(world, rate_hz=rate)

        def measure(value: float) -> F64:
            if value == known.value:
                return np.concatenate([position, np.zeros_like(position)], axis=-1)
            moved, turned = running.frame_poses(with_value(world, path, value), rate_hz=rate)
            return np.concatenate([moved, rotation_vectors(turned, orientation)], axis=-1)

        found = differentiate(measure, known, step=step, rounding=_ROUNDING)
    return MotionDerivative(position=found.value[..., :3], rotation=found.value[..., 3:], derivative=found)


def pixel_derivative(
    world: World,
    path: str,
    times: Sequence[float],
    *,
    poses: Sequence[Poses] | None = None,
    settings: RenderSettings | None = None,
    space: Space = "srgb",
    rate_hz: float | None = None,
    engine: Engine | None = None,
    step: float | None = None,
) -> Derivative:
    """How the pictures answer to one parameter, shape (K, H, W, 3).

    Pixels that an edge sweeps over are differences of whole samples: they are right on average over an
    edge, not one by one.

    Args:
        world: where to take the derivative.
        path: parameter such as ``cup.roughness``, ``sun.intensity`` or ``camera.pos[0]``.
        times: of the K pictures [s].
        poses: of all bodies at these times; the motion is then held. Default: the world is simulated
            anew for every value of a parameter of the physics stage.
        settings: size and quality; default :class:`fourdcb.render.RenderSettings`.
        space: ``linear`` radiance times exposure, or ``srgb`` as encoded, clipped to [0, 1].
        rate_hz, engine: for the rollouts; default the judging rate and a fresh engine.
        step: finite-difference step [unit]; default 1/500 of the slider.

    Raises:
        UserError: for an unknown parameter.
    """
    known = parameter(world, path)
    shown = poses if poses is not None else _poses_at(world, times, rate_hz, engine)

    def measure(value: float) -> F64:
        changed = with_value(world, path, value)
        moves = poses is None and known.stage == "physics" and value != known.value
        return pictures(
            changed, times, _poses_at(changed, times, rate_hz, engine) if moves else shown,
            settings=settings, space=space,
        )  # fmt: skip

    return differentiate(measure, known, step=step, rounding=_PIXEL_ROUNDING)


def pictures(
    world: World,
    times: Sequence[float],
    poses: Sequence[Poses],
    *,
    settings: RenderSettings | None = None,
    space: Space = "srgb",
) -> F64:
    """Unquantised pictures of poses, shape (K, H, W, 3)."""
    from fourdcb.render import RasterRenderer

    renderer = RasterRenderer(world, settings)
    frames = [renderer.render(pose, t, aux=False).linear for pose, t in zip(poses, times, strict=True)]
    exposed = np.stack(frames).astype(np.float64) * world.exposure
    return exposed if space == "linear" else np.asarray(srgb_from_linear(np.clip(exposed, 0.0, 1.0)))


def changes_pictures(known: Parameter) -> bool:
    """Whether a parameter changes how a world with a given motion looks."""
    return known.stage == "render" or known.part == "shape"


def _poses_at(
    world: World, times: Sequence[float], rate_hz: float | None, engine: Engine | None
) -> list[Poses]:
    from fourdcb.physics import judging_rate, simulate

    rate = judging_rate(world.fps) if rate_hz is None else rate_hz
    trajectory = simulate(world, rate_hz=rate) if engine is None else engine.rollout(world, rate_hz=rate)
    return [trajectory.pose_at(t) for t in times]
