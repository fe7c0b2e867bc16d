"""Joins the stages: world → trajectory → frames."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fourdcb.physics import judging_rate, simulate
from fourdcb.progress import Progress
from fourdcb.render import RenderSettings, render_clip
from fourdcb.trajectory import Trajectory
from fourdcb.world import World


class Engine(Protocol):
    """Anything that rolls a world out; :class:`fourdcb.physics.BulletEngine` is the one that ships."""

    def rollout(
        self, world: World, *, rate_hz: float, duration: float | None = None, progress: Progress | None = None
    ) -> Trajectory:
        """States over time at ``rate_hz`` substeps per second."""

    def frame_poses(
        self, world: World, *, rate_hz: float, duration: float | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Position (T, N, 3) and orientation_wxyz (T, N, 4) of that rollout at its frames only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """One world played back.

    Attributes:
        world: what was played.
        trajectory: its states.
        frames: sRGB pictures, uint8, shape (T, H, W, 3); None when only the motion was asked for.
        settings: how the pictures were made.
    """

    world: World
    trajectory: Trajectory
    frames: NDArray[np.uint8] | None
    settings: RenderSettings


def replay(
    world: World,
    *,
    rate_hz: float | None = None,
    settings: RenderSettings | None = None,
    frames: bool = True,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Replay:
    """Simulate and draw a world.

    Args:
        world: valid world.
        rate_hz: substeps per second; default the judging rate (smallest multiple of fps >= 960).
        settings: how to draw; default :class:`RenderSettings`.
        frames: whether to draw at all.
        engine: reused engine; default a fresh one.
        progress: told of simulated and drawn frames.

    Raises:
        SimulationDivergedError: when the rollout explodes.
        UserError: when the world asks for something that engine or renderer cannot do.
    """
    rate = judging_rate(world.fps) if rate_hz is None else rate_hz
    settings = settings or RenderSettings()
    if engine is None:
        trajectory = simulate(world, rate_hz=rate, progress=progress)
    else:
        trajectory = engine.rollout(world, rate_hz=rate, progress=progress)
    pictures = render_clip(world, trajectory, settings, progress=progress) if frames else None
    return Replay(world=world, trajectory=trajectory, frames=pictures, settings=settings)


def on_stage_of(candidate: World, reference: World) -> World:
    """The candidate's world seen by the reference's camera, over its duration and at its frame rate.

    The script that is judged chooses neither viewpoint nor clock.
    """
    changes: dict[str, Any] = {
        "camera": reference.camera,
        "duration": reference.duration,
        "fps": reference.fps,
        "exposure": reference.exposure,
    }
    return replace(candidate, **changes)
