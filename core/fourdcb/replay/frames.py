"""Sequences of pictures: an array, drawn when asked for, still coming, until they are given up."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fourdcb.progress import Cancelled
from fourdcb.render import RasterRenderer, RenderSettings
from fourdcb.trajectory import Trajectory
from fourdcb.world import World


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

    def settled(self) -> FrameSequence:
        """The same pictures once no thread makes them any more; waits for that."""
        return self


def settled(frames: FrameSequence) -> FrameSequence:
    """The pictures once no thread makes them any more. Raises what the making of one raised."""
    return frames.settled() if isinstance(frames, MadeFrames) else frames


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

    def settled(self) -> NDArray[np.uint8]:
        """:meth:`array`."""
        return self.array()

    def picture(self, k: int) -> NDArray[np.uint8]:
        """Frame ``k``; waits for it. Raises what :meth:`fail` was told."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._there[k]) or self._error is not None)
            if not self._there[k]:
                assert self._error is not None
                raise self._error
        return self._frames[k]


class CancellableFrames(MadeFrames):
    """Pictures for a thread that somebody waits for: when nobody does any more, its work ends.

    Args:
        frames: the pictures.
        given_up: once it is set, the next access raises :class:`~fourdcb.progress.Cancelled`.
    """

    def __init__(self, frames: FrameSequence, given_up: threading.Event) -> None:
        self._frames, self._given_up = frames, given_up
        self.shape = frames.shape

    def picture(self, k: int) -> NDArray[np.uint8]:
        """Frame ``k``, unless the pictures were given up."""
        if self._given_up.is_set():
            raise Cancelled("nobody waits for the pictures any more")
        return self._frames[k]

    def settled(self) -> FrameSequence:
        """The pictures themselves, once they are all made; nobody can give these up."""
        return settled(self._frames)
