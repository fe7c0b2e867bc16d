"""Masks of generated clips: the script is played and drawn; what moves is told apart from what does not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import I64
from fourdcb.dataset.framing import moving
from fourdcb.dataset.layout import REFERENCE_NAME
from fourdcb.dsl import load_script
from fourdcb.errors import UserError
from fourdcb.physics import judging_rate, simulate
from fourdcb.probes.samples import Sample

SIDE = 56  # of the masks [px]


@dataclass(frozen=True, slots=True)
class MaskedWindow:
    """Truth of one window.

    Attributes:
        things: 0 where nothing moves, else the number of a moving object from 1, shape (F, 56, 56).
        acting: number of the object that the scene is about.
    """

    things: NDArray[np.int16]
    acting: int


def fixed_frames(frames: int) -> I64:
    """Positions in a window that dense checks look at: first, middle, last; nobody picks pretty ones."""
    return np.unique(np.array([0, frames // 2, frames - 1], dtype=np.int64))


def masks_of(sample: Sample, positions: I64) -> MaskedWindow:
    """Masks of a generated clip's window at some positions in it.

    Raises:
        UserError: no script lies beside the clip.
    """
    from fourdcb.render import RasterRenderer, RenderSettings

    script = Path(sample.video).parent / REFERENCE_NAME
    if not script.is_file():
        raise UserError(
            "there is no truth of places for this clip", where=sample.id,
            expected=f"{REFERENCE_NAME} beside it", hint="dense checks need clips of fourdcb generate",
        )  # fmt: skip
    world = load_script(script).world
    trajectory = simulate(world, rate_hz=judging_rate(world.fps))
    camera = world.camera
    scale = 2 * SIDE / min(camera.width, camera.height)
    settings = RenderSettings(
        supersample=1, shadows=False, width=max(2 * SIDE, round(camera.width * scale)),
        height=max(2 * SIDE, round(camera.height * scale)),
    )  # fmt: skip
    drawing = RasterRenderer(world, settings)
    numbers = np.zeros(len(world.bodies) + 1, np.int16)  # the last one is "nothing", index -1
    free = moving(world)
    for number, (body, _) in enumerate(free, start=1):
        numbers[body] = number
    acting = next((k for k, (_, obj) in enumerate(free, start=1) if obj.kind == "dynamic"), 1)
    frames = []
    for position in positions:
        time = sample.window.frames[int(position)] / world.fps
        instance = drawing.render(trajectory, time).instance
        frames.append(_middle(numbers[instance])[1::2, 1::2])
    return MaskedWindow(np.stack(frames), acting)


def _middle(mask: NDArray[np.int16]) -> NDArray[np.int16]:
    """The middle square, as :func:`fourdcb.probes.windows.square` cuts it."""
    side = min(mask.shape)
    top, left = (mask.shape[0] - side) // 2, (mask.shape[1] - side) // 2
    return mask[top : top + side, left : left + side]


def shares(mask: NDArray[np.bool_], high: int, wide: int) -> NDArray[np.float32]:
    """Share of a mask in every cell of a grid, shape (high, wide)."""
    import cv2

    small = cv2.resize(mask.astype(np.float32), (wide, high), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.float32)
