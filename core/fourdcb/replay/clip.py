"""The video that is judged against: kept in memory while it is small, decoded on demand when it is long."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fourdcb.arrays import U8
from fourdcb.identity import StrPath
from fourdcb.progress import Progress
from fourdcb.replay.frames import FrameSequence, MadeFrames
from fourdcb.video import VideoInfo, letterbox
from fourdcb.world import World

if TYPE_CHECKING:
    from fourdcb.video import VideoReader

KEPT_BYTES = 48 * 2**20  # pictures of a clip that need more are made again whenever they are needed


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoFrames:
    """A video's frames on the stage's picture size.

    Attributes:
        info: what the file says of itself.
        frames: sRGB, uint8, shape (T, H, W, 3): an array, or a sequence that decodes on demand.
    """

    info: VideoInfo
    frames: FrameSequence


def on_clock_of(world: World, info: VideoInfo) -> World:
    """The world over a video's length and at its rate, so that each video frame has a frame of its own.

    A variable rate takes the grid of its shorter frame intervals (their 5th percentile).
    """
    fps, duration = grid_of(info)
    return replace(world, duration=duration, fps=fps)


def grid_of(info: VideoInfo) -> tuple[float, float]:
    """Frame rate [1/s] and duration [s] of a world over a video, see :func:`on_clock_of`."""
    if info.constant_rate or info.n_frames < 2:
        return info.fps, info.n_frames / info.fps
    fps = 1.0 / float(np.percentile(np.diff(info.times), 5.0))
    whole = round(fps)
    if whole > 0 and abs(fps - whole) < 0.005 * whole:  # stamps are rounded to the file's clock
        fps = float(whole)
    return fps, info.duration


class DecodedFrames(MadeFrames):
    """Frames of a video file on a picture size, decoded when asked for. Threads take turns.

    The file is opened at the first frame and stays open as long as the sequence lives.

    Raises:
        UserError: from any access, when the file cannot be read any more.
    """

    def __init__(self, path: Path, *, width: int, height: int, n_frames: int) -> None:
        self.shape = (n_frames, height, width, 3)
        self._path = path
        self._lock = threading.Lock()
        self._reader: VideoReader | None = None

    def picture(self, k: int) -> U8:
        """Decode frame ``k``."""
        from fourdcb.video import VideoReader

        with self._lock:
            if self._reader is None:
                self._reader = VideoReader(self._path, cache_bytes=_CACHE_BYTES)
            return fitted(self._reader.frame(k), width=self.shape[2], height=self.shape[1])


_CACHE_BYTES = 16 * 2**20


def read_on_stage(
    path: StrPath, stage: World, *, progress: Progress | None = None, kept_bytes: int | None = None
) -> VideoFrames:
    """Read a video onto the picture size of ``stage``.

    Args:
        path: the video.
        stage: whose camera's picture size is wanted.
        progress: told of each decoded frame.
        kept_bytes: clips that need more memory than this are decoded on demand; default never.

    Raises:
        UserError: when it cannot be read.
    """
    from fourdcb.video import VideoReader

    with VideoReader(path) as reader:
        return from_reader(reader, stage, progress=progress, kept_bytes=kept_bytes)


def from_reader(
    reader: VideoReader, stage: World, *, progress: Progress | None = None, kept_bytes: int | None = None
) -> VideoFrames:
    """The same from an open video, frame by frame so that large sources stay out of memory."""
    width, height = stage.camera.width, stage.camera.height
    shape = (reader.info.n_frames, height, width, 3)
    if kept_bytes is not None and int(np.prod(shape)) > kept_bytes:
        lazy = DecodedFrames(reader.path, width=width, height=height, n_frames=shape[0])
        return VideoFrames(info=reader.info, frames=lazy)
    frames = np.empty(shape, dtype=np.uint8)
    if progress is not None:
        progress.start("decoding", len(frames))
    for k, frame in enumerate(reader.frames()):
        frames[k] = fitted(frame, width=width, height=height)
        if progress is not None:
            progress.advance()
    return VideoFrames(info=reader.info, frames=frames)


def fitted(frame: U8, *, width: int, height: int) -> U8:
    """A frame on a picture size: as it is, or letterboxed into it."""
    same = frame.shape[:2] == (height, width)
    return frame if same else letterbox(frame, width=width, height=height)[0]
