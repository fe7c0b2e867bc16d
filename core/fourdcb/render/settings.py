"""What a render is asked for and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourdcb.errors import UserError
from fourdcb.world import Camera

MAX_SAMPLES = 64
MAX_SUPERSAMPLE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderSettings:
    """How to render; what to render is the world's business.

    Attributes:
        samples: poses within the shutter that are averaged (motion blur); 1 is a sharp picture at t, "auto"
            as many as the motion in each frame needs, see :func:`adaptive_samples`.
        supersample: colour samples per pixel along each axis, averaged in linear light.
        shadows: whether lights cast shadows.
        shadow_size: largest side of one caster's shadow map [texels].
        area_samples: points along each side of an area light that it is sampled at.
        width, height: image size [px]; None is the camera's. The vertical field of view stays.
        shutter: time that the shutter is open, centred on the frame's time [s].
    """

    samples: int | Literal["auto"] = 1
    supersample: int = 2
    shadows: bool = True
    shadow_size: int = 1024
    area_samples: int = 3
    width: int | None = None
    height: int | None = None
    shutter: float = 1.0 / 60.0

    def __post_init__(self) -> None:
        if self.samples != "auto":
            _in_range("samples", self.samples, 1, MAX_SAMPLES)
        _in_range("supersample", self.supersample, 1, MAX_SUPERSAMPLE)
        _in_range("shadow_size", self.shadow_size, 16, 8192)
        _in_range("area_samples", self.area_samples, 1, 8)
        for name in ("width", "height"):
            value = getattr(self, name)
            if value is not None:
                _in_range(name, value, 8, 4096)
        if not 0.0 <= self.shutter <= 1.0:
            raise UserError("shutter is out of range", got=f"{self.shutter:g} s", expected="0 … 1 s")

    def camera(self, camera: Camera) -> Camera:
        """A world's camera with the pictures' own size."""
        return camera.sized(width=self.width or camera.width, height=self.height or camera.height)


def _in_range(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise UserError(f"{name} is out of range", got=str(value), expected=f"{low} … {high}")


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One rendered image with its geometry buffers.

    ``rgb`` and ``linear`` are blurred and anti-aliased; the other buffers are the sharp scene at time t,
    sampled at the pixel centres, and empty (0 rows) when they were not asked for.

    Attributes:
        rgb: sRGB, uint8, shape (H, W, 3).
        linear: radiance before exposure, float32, shape (H, W, 3).
        depth: z in the camera frame [m], float32, shape (H, W); inf where nothing is hit.
        normal: unit shading normal in the world, towards the camera, float32, shape (H, W, 3); 0 for none.
        instance: index into ``world.bodies``, int16, shape (H, W); -1 for none, their number for a fluid.
        albedo: linear base colour, float32, shape (H, W, 3).
        shadow: part of the lights' power that does not reach the surface, float32, shape (H, W): 0 lit,
            1 in shadow or facing away from all lights.
    """

    rgb: NDArray[np.uint8]
    linear: NDArray[np.float32]
    depth: NDArray[np.float32]
    normal: NDArray[np.float32]
    instance: NDArray[np.int16]
    albedo: NDArray[np.float32]
    shadow: NDArray[np.float32]


class FrameBuffers(NamedTuple):
    """The part of a :class:`Frame` that is geometry and light, not picture."""

    depth: NDArray[np.float32]
    normal: NDArray[np.float32]
    instance: NDArray[np.int16]
    albedo: NDArray[np.float32]
    shadow: NDArray[np.float32]


def no_buffers() -> FrameBuffers:
    """The buffers of a frame for which none were asked for."""
    empty = np.empty((0, 0), np.float32)
    vectors = np.empty((0, 0, 3), np.float32)
    return FrameBuffers(empty, vectors, np.empty((0, 0), np.int16), vectors, empty)


@dataclass(frozen=True, slots=True, eq=False)
class Fragments:
    """What each pixel sees, in PyTorch3D's layout with one face per pixel.

    Attributes:
        face: index of the nearest face, int32, shape (H, W); -1 for none.
        barycentric: perspective-correct weights of its three vertices, float32, shape (H, W, 3).
        depth: z in the camera frame [m], float32, shape (H, W); inf for none.
    """

    face: NDArray[np.int32]
    barycentric: NDArray[np.float32]
    depth: NDArray[np.float32]
