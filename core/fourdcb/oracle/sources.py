"""What an inversion may read: a video file and a declared camera."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fourdcb.arrays import F64
from fourdcb.dsl import load_script
from fourdcb.errors import UserError
from fourdcb.progress import Progress
from fourdcb.replay import FrameSequence, on_clock_of, read_on_stage
from fourdcb.world import Camera, World
from fourdcb.world.camera_record import camera_from

_MOST_FRAMES = 1800


@dataclass(frozen=True, slots=True, eq=False)
class Clip:
    """A clip on its camera's picture size: frames (T, H, W, 3), their times [s], the grid's rate [1/s]."""

    frames: FrameSequence
    times: F64
    fps: float
    camera: Camera


def declared_camera(path: Path) -> Camera:
    """The camera of a ``camera.json`` or of a script.

    Raises:
        UserError: when it cannot be read or is no camera.
    """
    if path.suffix != ".json":
        return load_script(path, extract=True).world.camera
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError("the camera cannot be read", where=str(path), got=str(error)) from error
    return camera_from(record, where=str(path))


def clip_of(video: Path, camera: Camera, *, progress: Progress | None = None) -> Clip:
    """Read a video onto a camera's picture size.

    Raises:
        UserError: when it cannot be read, or is too long.
    """
    stage = World(camera=camera)
    clip = read_on_stage(video, stage, progress=progress)
    if len(clip.frames) > _MOST_FRAMES:
        raise UserError(
            "the clip is too long to invert",
            got=f"{len(clip.frames)} frames",
            expected=f"at most {_MOST_FRAMES}",
        )
    world = on_clock_of(stage, clip.info)
    return Clip(clip.frames, np.asarray(clip.info.times, dtype=np.float64), world.fps, camera)
