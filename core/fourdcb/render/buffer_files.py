"""Geometry buffers of a clip as files: one ``.npz`` per frame for programs, PNG pictures for people."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F32, U8
from fourdcb.conventions import srgb_from_linear
from fourdcb.identity import write_output
from fourdcb.progress import NullProgress, Progress
from fourdcb.render.flow import optical_flow
from fourdcb.render.raster import RasterRenderer
from fourdcb.render.settings import Frame, RenderSettings
from fourdcb.trajectory import Trajectory
from fourdcb.world import World

FORMAT, VERSION = "fourdcb.buffers", 1
_FULL_FLOW = 1.0 / 32.0  # of the image height: motion that is drawn in full colour
_GOLDEN = 0.618034  # turns of hue between neighbours: colours of many instances stay apart


class Buffers(NamedTuple):
    """What a frame's file holds; see :class:`Frame` for the first five.

    Attributes:
        flow_forward, flow_backward: where the surface in each pixel is one frame later and earlier [px],
            float32, shape (H, W, 2). At the clip's ends motion goes on with the end velocities.
    """

    depth: F32
    normal: F32
    instance: NDArray[np.int16]
    albedo: F32
    shadow: F32
    flow_forward: F32
    flow_backward: F32


def write_buffers(
    folder: Path,
    world: World,
    trajectory: Trajectory,
    settings: RenderSettings,
    frames: Iterable[int],
    *,
    progress: Progress | None = None,
) -> int:
    """Write ``buffers.json``, and per frame ``frame_000012.npz`` and ``frame_000012_<name>.png``.

    Whatever backend draws the picture, its buffers are the raster backend's: geometry, without noise.

    Args:
        folder: made when it is missing.
        world: what moves.
        trajectory: its poses.
        settings: the image size counts; buffers are sharp.
        frames: which frames of the clip.
        progress: told of written frames.

    Returns:
        The number of frames written.

    Raises:
        UserError: when a file cannot be written.
    """
    chosen, told = list(frames), progress or NullProgress()
    told.start("buffers", len(chosen))
    renderer = RasterRenderer(world, replace(settings, samples=1, supersample=1))
    folder.mkdir(parents=True, exist_ok=True)
    about = {
        "format": FORMAT,
        "version": VERSION,
        "fps": world.fps,
        "frames": chosen,
        "instances": [body.name for body in world.bodies],
    }
    write_output(folder / "buffers.json", json.dumps(about, indent=2) + "\n")
    for k in chosen:
        buffers = _buffers(renderer, trajectory, k / world.fps)
        stream = io.BytesIO()
        np.savez_compressed(stream, **buffers._asdict())
        write_output(folder / f"frame_{k:06d}.npz", stream.getvalue())
        for name, picture in buffer_pictures(buffers).items():
            write_output(folder / f"frame_{k:06d}_{name}.png", png_bytes(picture))
        told.advance()
    return len(chosen)


def _buffers(renderer: RasterRenderer, trajectory: Trajectory, t: float) -> Buffers:
    world, step = renderer.world, 1.0 / renderer.world.fps
    frame: Frame = renderer.render(trajectory, t)
    return Buffers(
        frame.depth, frame.normal, frame.instance, frame.albedo, frame.shadow,
        optical_flow(world, trajectory, frame, t=t, dt=step),
        optical_flow(world, trajectory, frame, t=t, dt=-step),
    )  # fmt: skip


def buffer_pictures(buffers: Buffers) -> dict[str, U8]:
    """Viewable RGB pictures by name, uint8, shape (H, W, 3).

    Depth is bright near the camera and black on the background; the direction of flow is its hue.
    """
    return {
        "depth": _grey(_nearness(buffers.depth)),
        "normal": _bytes(np.where(buffers.instance[..., None] < 0, 0.0, 0.5 * buffers.normal + 0.5)),
        "instance": _instance_colours(buffers.instance),
        "albedo": _bytes(srgb_from_linear(buffers.albedo)),
        "shadow": _grey(buffers.shadow),
        "flow_forward": _flow_colours(buffers.flow_forward),
        "flow_backward": _flow_colours(buffers.flow_backward),
    }


def _nearness(depth: F32) -> F32:
    seen = np.isfinite(depth)
    if not seen.any():
        return np.zeros_like(depth)
    near, far = depth[seen].min(), depth[seen].max()
    share = (far - np.where(seen, depth, far)) / max(far - near, 1e-9)
    return np.where(seen, 0.15 + 0.85 * share, 0.0).astype(np.float32)


def _instance_colours(instance: NDArray[np.int16]) -> U8:
    hue = (instance.astype(np.float64) * _GOLDEN) % 1.0
    return _bytes(np.where(instance[..., None] < 0, 0.0, _from_hue(hue, np.full(hue.shape, 0.9))))


def _flow_colours(flow: F32) -> U8:
    known = np.nan_to_num(flow)
    length = np.linalg.norm(known, axis=-1) / (_FULL_FLOW * flow.shape[0])
    hue = (np.arctan2(known[..., 1], known[..., 0]) / (2.0 * np.pi)) % 1.0
    return _bytes(_from_hue(hue, np.clip(length, 0.0, 1.0)))


def _from_hue(hue: NDArray[np.float64], value: NDArray[np.float64]) -> NDArray[np.float64]:
    """Saturated colours of hues in turns, shape (..., 3)."""
    wheel = np.abs((hue[..., None] + np.array([0.0, 2.0, 1.0]) / 3.0) % 1.0 * 6.0 - 3.0) - 1.0
    return value[..., None] * np.clip(wheel, 0.0, 1.0)


def _grey(values: F32) -> U8:
    return np.repeat(_bytes(values)[..., None], 3, axis=-1)


def _bytes(values: NDArray[np.floating]) -> U8:
    return np.round(255.0 * np.clip(values, 0.0, 1.0)).astype(np.uint8)


def png_bytes(image: U8) -> bytes:
    """A picture as a PNG file."""
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(image).save(stream, format="PNG")
    return stream.getvalue()
