"""What lies under the pixels of one picture, with the world that was drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourdcb.world import World
from fourdcb_studio.session.messages import ProbeAnswer

BACKGROUND = "background"


@dataclass(frozen=True, slots=True)
class Pixel:
    """One pixel of a drawn picture.

    Attributes:
        depth: along the camera's axis [m]; None where there is nothing.
        body: name of what is seen, or ``background``.
        normal: of the surface in the world; None on the background.
    """

    depth: float | None
    body: str
    normal: tuple[float, float, float] | None


@dataclass(frozen=True, slots=True)
class Probed:
    """An answer beside the world that it is about: its numbers mean nothing in any other.

    Attributes:
        answer: depth, body and normal under every pixel.
        world: whose bodies the answer counts.
    """

    answer: ProbeAnswer
    world: World

    def pixel(self, x: int, y: int) -> Pixel | None:
        """What is at a pixel; None outside the picture."""
        height, width = self.answer.instance.shape
        if not (0 <= x < width and 0 <= y < height):
            return None
        depth, body = float(self.answer.depth[y, x]), int(self.answer.instance[y, x])
        found = depth if np.isfinite(depth) else None
        if body < 0:
            return Pixel(found, BACKGROUND, None)
        nx, ny, nz = (float(v) for v in self.answer.normal[y, x])
        return Pixel(found, (*self.world.bodies, *self.world.fluids)[body].name, (nx, ny, nz))

    def index(self, name: str | None) -> int | None:
        """Number of a body in the answer; None where there is none of that name."""
        return next((k for k, body in enumerate(self.world.bodies) if body.name == name), None)

    def silhouettes(self) -> NDArray[np.int16]:
        """The object under each pixel, shape (H, W), -1 for none; planes have no silhouette that tells."""
        instance = self.answer.instance
        return np.where(instance < len(self.world.objects), instance, np.int16(-1))
