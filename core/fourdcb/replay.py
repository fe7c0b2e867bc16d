"""Joins the stages: world → trajectory → frames."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fourdcb.physics import judging_rate, simulate
from fourdcb.progress import Cancelled, Progress
from fourdcb.render import RasterRenderer, RenderSettings, on_one_thread, render_clip
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


class FrameSequence(Protocol):
    """Pictures of a clip, sRGB uint8 (H, W, 3) each: an array (T, H, W, 3), or something that makes them."""

    @property
    def shape(self) -> tuple[int, ...]:
        """(T, H, W, 3)."""

    def __len__(self) -> int: ...

    def __getitem__(self, k: int, /) -> NDArray[np.uint8]: ...

    def __iter__(self) -> Iterator[NDArray[np.uint8]]: ...


class MadeFrames(ABC):
    """A :class:`FrameSequence` whose pictures are made when they are asked for."""

    shape: tuple[int, ...]

    @abstractmethod
    def picture(self, k: int) -> NDArray[np.uint8]:
        """Make frame ``k``, which exists."""

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, k: int) -> NDArray[np.uint8]:
        if not 0 <= k < len(self):
            raise IndexError(f"frame {k} of a clip of {len(self)} frames")
        return self.picture(k)

    def __iter__(self) -> Iterator[NDArray[np.uint8]]:
        return (self[k] for k in range(len(self)))


class DrawnFrames(MadeFrames):
    """A replay's pictures, drawn when asked for. Threads take turns."""

    def __init__(self, world: World, trajectory: Trajectory, settings: RenderSettings) -> None:
        self._renderer = RasterRenderer(world, settings)
        self._trajectory = trajectory
        self._times = world.frame_times()
        self._lock = threading.Lock()
        self.shape = (world.n_frames, self._renderer.height, self._renderer.width, 3)

    def picture(self, k: int) -> NDArray[np.uint8]:
        """Draw frame ``k``."""
        with self._lock:
            return self._renderer.render(self._trajectory, float(self._times[k]), aux=False).rgb


class IncomingFrames(MadeFrames):
    """A replay's pictures while another thread still draws them: whoever asks for one waits for it.

    Args:
        n_frames, height, width: of the clip.
    """

    def __init__(self, n_frames: int, *, height: int, width: int) -> None:
        self.shape = (n_frames, height, width, 3)
        self._frames = np.empty(self.shape, dtype=np.uint8)
        self._there = np.zeros(n_frames, dtype=np.bool_)
        self._changed = threading.Condition()
        self._error: BaseException | None = None

    def put(self, k: int, picture: NDArray[np.uint8]) -> None:
        """Frame ``k`` is drawn."""
        self._frames[k] = picture
        with self._changed:
            self._there[k] = True
            self._changed.notify_all()

    def fail(self, error: BaseException) -> None:
        """No more frames come: who waits for one gets this error."""
        with self._changed:
            self._error = error
            self._changed.notify_all()

    def array(self) -> NDArray[np.uint8]:
        """All frames, shape (T, H, W, 3); waits for the last. Raises what :meth:`fail` was told."""
        for k in range(len(self)):
            self[k]
        return self._frames

    def picture(self, k: int) -> NDArray[np.uint8]:
        """Frame ``k``; waits for it. Raises what :meth:`fail` was told."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._there[k]) or self._error is not None)
            if not self._there[k]:
                assert self._error is not None
                raise self._error
        return self._frames[k]


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
    height, width = settings.height or world.camera.height, settings.width or world.camera.width
    return 3 * world.n_frames * height * width <= kept_bytes


@contextmanager
def drawn_meanwhile(played: Replay) -> Iterator[Replay]:
    """The replay with pictures that a thread draws while the block runs, in order.

    The block may look at them at once; when it ends by an error the drawing ends, too.

    Raises:
        UserError: from any access, when the renderer cannot draw the world.
    """
    camera, settings = played.world.camera, played.settings
    times = played.world.frame_times()
    frames = IncomingFrames(
        len(times), height=settings.height or camera.height, width=settings.width or camera.width
    )
    given_up = threading.Event()

    def draw() -> None:
        try:
            with on_one_thread():
                renderer = RasterRenderer(played.world, settings)
                for k, t in enumerate(times):
                    if given_up.is_set():
                        frames.fail(Cancelled("nobody waits for the pictures any more"))
                        return
                    frames.put(k, renderer.render(played.trajectory, float(t), aux=False).rgb)
        except BaseException as error:  # noqa: BLE001 - raised again where a frame is waited for
            frames.fail(error)

    thread = threading.Thread(target=draw, name="fourdcb-drawing", daemon=True)
    thread.start()
    try:
        yield replace(played, frames=frames)
    except BaseException:
        given_up.set()
        raise
    finally:
        thread.join()
