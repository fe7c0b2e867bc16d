"""The regression baseline of the source document, mended so that it runs on any clip.

It knows no physics: where the largest moving thing is, how large it looks and how fast it starts. What it
    cannot
see it fills with one fixed guess. A model that does not beat it has learned nothing about the video.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fourdcb.errors import UserError
from fourdcb.evaluation.api import GenerationRequest, GenerationResult, Record
from fourdcb.evaluation.runners.settings import script_result, settings_of
from fourdcb.world import Camera

F64 = NDArray[np.float64]
REVISION = "1"
_CHANGED = 24  # grey levels by which a moving pixel differs from the background
_SMALLEST = 12  # pixels of something that moves
_START_FRAMES = 5  # over which the start velocity is fitted
_MASS, _FRICTION, _RESTITUTION = 0.15, 0.25, 0.25  # the source document's fixed guesses


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineSettings(Record):
    """It has no settings."""


class BaselineRunner:
    """Centroids of the largest moving region, lifted to the ground under the declared camera."""

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """The runner; settings are refused."""
        settings_of(BaselineSettings, config, runner="baseline")
        return cls()

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Its revision."""
        return {"revision": REVISION}

    def generate(self, request: GenerationRequest) -> GenerationResult:
        """A script with one sphere. Raises UserError when nothing moves, or the camera is not declared."""
        from fourdcb.evaluation.runners.clip_array import sampled_frames

        declared = request.inputs.get("camera")
        if not isinstance(declared, Mapping):
            raise UserError("the baseline needs the camera", where=request.sample_id)
        given: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in declared.items()}
        camera = Camera(**given)
        frames, times, info = sampled_frames(request.inputs["video"], 0)
        track = moving_track(np.stack(frames))
        seen = np.flatnonzero(np.isfinite(track[:, 0]))
        if len(seen) < 2:
            raise UserError("nothing moves in the video", where=request.sample_id)
        scale = np.array([camera.width / frames[0].shape[1], camera.height / frames[0].shape[0]])
        start = seen[:_START_FRAMES]
        places, radius = _lifted(camera, track[start, :2] * scale, float(track[start[0], 2] * scale[1]))
        slope = np.polyfit(times[start] - times[start[0]], places, 1)[0]
        return script_result(
            request, _script(places[0], slope, radius, seconds=info.n_frames / info.fps, fps=info.fps)
        )

    def cleanup(self) -> None:
        """Nothing is held."""


def moving_track(frames: NDArray[np.uint8]) -> F64:
    """Centre and size of the largest region that differs from the clip's median picture.

    Args:
        frames: sRGB, shape (T, H, W, 3).

    Returns:
        column, row and radius of a disk of the same area [px], shape (T, 3); NaN where nothing moves.
    """
    import cv2

    grey = np.stack([cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY) for frame in frames]).astype(np.int16)
    background = np.median(grey[:: max(1, len(grey) // 60)], axis=0)
    track = np.full((len(frames), 3), np.nan)
    for k, picture in enumerate(grey):
        changed = (np.abs(picture - background) > _CHANGED).astype(np.uint8)
        count, _, stats, centres = cv2.connectedComponentsWithStats(changed, connectivity=8)
        if count < 2:
            continue
        largest = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
        area = float(stats[largest, cv2.CC_STAT_AREA])
        if area >= _SMALLEST:
            track[k] = (*(centres[largest] + 0.5), np.sqrt(area / np.pi))
    return track


def _lifted(camera: Camera, pixels: F64, radius_px: float) -> tuple[F64, float]:
    """Points (n, 3) where the pixels' rays meet the plane through the camera's target that faces it, and a
    radius [m].

    Nothing in one picture tells the depth; the target's is the best guess that needs no physics.
    """
    focal = 0.5 * camera.height / np.tan(np.radians(camera.fov_y_deg) / 2)
    rotation = camera.world_from_camera()
    depth = float(rotation[:, 2] @ (np.asarray(camera.target) - np.asarray(camera.pos)))
    middle = np.array([camera.width, camera.height]) / 2
    rays = np.column_stack([(pixels - middle) / focal, np.ones(len(pixels))])
    return np.asarray(camera.pos) + depth * rays @ rotation.T, radius_px / focal * depth


def _script(position: F64, velocity: F64, radius: float, *, seconds: float, fps: float) -> str:
    def numbers(vector: F64) -> str:
        return ", ".join(f"{value:.4f}" for value in vector)

    size = 2 * radius
    return f"""# Generated by the baseline regressor
world = World(duration={seconds:.6f}, fps={fps:g})
thing = Object(
    "thing", geometry="sphere", size=[{size:.4f}, {size:.4f}, {size:.4f}],
    mass={_MASS}, friction={_FRICTION}, restitution={_RESTITUTION},
    pos=[{numbers(position)}], vel=[{numbers(velocity)}], acc=[0.0, 0.0, -9.8],
)
ground = Plane(normal=[0.0, 0.0, 1.0], offset=0.0, restitution={_RESTITUTION})
"""
