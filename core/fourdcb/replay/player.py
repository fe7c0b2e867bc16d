"""A world played back: world → trajectory → frames."""

from __future__ import annotations

from dataclasses import dataclass

from fourdcb.physics import Engine, judging_rate, simulate
from fourdcb.progress import Progress
from fourdcb.render import RenderSettings, render_clip
from fourdcb.replay.frames import DrawnFrames, FrameSequence
from fourdcb.trajectory import Trajectory
from fourdcb.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """One world played back.

    Attributes:
        world: what was played.
        trajectory: its states.
        frames: sRGB pictures, uint8, shape (T, H, W, 3): an array, :class:`DrawnFrames` of a long clip, or
            :class:`IncomingFrames` while they are drawn; None when only the motion was asked for.
        settings: how the pictures were made.
    """

    world: World
    trajectory: Trajectory
    frames: FrameSequence | None
    settings: RenderSettings


def replay(
    world: World,
    *,
    rate_hz: float | None = None,
    settings: RenderSettings | None = None,
    frames: bool = True,
    kept_bytes: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Replay:
    """Simulate and draw a world.

    Args:
        world: valid world.
        rate_hz: substeps per second; default the judging rate (smallest multiple of fps >= 960).
        settings: how to draw; default :class:`RenderSettings`.
        frames: whether to draw at all.
        kept_bytes: pictures that need more memory than this are drawn on demand; default never.
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
    pictures = _pictures(world, trajectory, settings, kept_bytes, progress) if frames else None
    return Replay(world=world, trajectory=trajectory, frames=pictures, settings=settings)


def _pictures(
    world: World,
    trajectory: Trajectory,
    settings: RenderSettings,
    kept_bytes: int | None,
    progress: Progress | None,
) -> FrameSequence:
    if kept_bytes is not None and not is_kept(world, settings, kept_bytes):
        return DrawnFrames(world, trajectory, settings)
    return render_clip(world, trajectory, settings, progress=progress)


def is_kept(world: World, settings: RenderSettings, kept_bytes: int) -> bool:
    """Whether the pictures of a clip need no more memory than this."""
    camera = settings.camera(world.camera)
    return 3 * world.n_frames * camera.height * camera.width <= kept_bytes
