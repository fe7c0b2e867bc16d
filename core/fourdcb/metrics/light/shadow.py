"""Length of the shadows that objects throw on static surfaces, in the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64
from fourdcb.conventions import normalized, rotation_from_quaternion
from fourdcb.metrics.geometry.raycast import Surfaces, cast, static_surfaces
from fourdcb.metrics.light.lighting import incoming
from fourdcb.world import Camera, Object, World
from fourdcb.world.camera import project

if TYPE_CHECKING:
    from fourdcb.replay import Replay

_FRAMES = 16
_OUTLINE = 64
LIFT = 0.002
REFERENCE_HEIGHT = 256.0


class OffscreenBody(NamedTuple):
    """A body out of view.

    Attributes:
        name: in its own world.
        mark: what tells it apart from bodies of its name that are in view, or of the other world.
    """

    name: str
    mark: Literal["unseen", "unseen, of the reference"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShadowLengths:
    """Shadow length of one object under both lights [px at 256 px picture height].

    Attributes:
        frames: which frames were looked at, shape (K,).
        reference, candidate: lengths, NaN where the foot of the object is out of view, shape (K,).
        offscreen: the body that throws it, where the camera does not see it and one of the worlds lacks it.
    """

    frames: NDArray[np.int64]
    reference: F64
    candidate: F64
    offscreen: OffscreenBody | None = None

    @property
    def error(self) -> F64:
        """Candidate minus reference, only where measured."""
        gap = self.candidate - self.reference
        return gap[np.isfinite(gap)]


def shadow_lengths(reference: Replay, candidate: World) -> dict[str, ShadowLengths]:
    """Lengths on the reference's motion, shapes, receivers and camera; only the lights differ.

    The length is the largest distance in the picture between the point below the object's centre and the
    shadow's outline, clipped to the picture. It is found by casting the object's outline along the
    strongest light onto the static surfaces.
    """
    receivers = static_surfaces(reference.world)
    t = reference.trajectory
    frames = np.unique(np.round(np.linspace(0, t.n_frames - 1, _FRAMES)).astype(np.int64))
    found: dict[str, ShadowLengths] = {}
    for obj in reference.world.objects:
        if obj.kind == "static":
            continue
        lengths = np.array([_both(reference, candidate, obj, int(k), receivers) for k in frames])
        found[obj.name] = ShadowLengths(frames=frames, reference=lengths[:, 0], candidate=lengths[:, 1])
    return found


def _both(
    reference: Replay, candidate: World, obj: Object, frame: int, receivers: Surfaces
) -> tuple[float, float]:
    t = reference.trajectory
    step, i = int(t.frame_steps()[frame]), t.index(obj.name)
    centre, time = t.position[step, i], float(t.times[step])
    outline = (
        _outline(obj, reference.world) @ rotation_from_quaternion(t.orientation_wxyz[step, i]).T + centre
    )
    foot = _foot(obj, centre, receivers)
    camera = reference.world.camera
    if foot is None:
        return np.nan, np.nan
    anchor = project(camera, foot)
    if not _inside(camera, anchor):
        return np.nan, np.nan
    own = _length(reference.world, outline, centre, time, anchor, camera, receivers)
    if candidate.lights == reference.world.lights and candidate.duration == reference.world.duration:
        return own, own
    return own, _length(candidate, outline, centre, time, anchor, camera, receivers)


def _outline(obj: Object, world: World) -> F64:
    """At most 64 extreme points of the shape about ``pos`` (support points), shape (P, 3)."""
    from fourdcb.world.mesh import object_mesh

    vertices = object_mesh(obj, base_dir=world.base_dir).vertices
    k = np.arange(_OUTLINE) + 0.5
    z, phi = 1 - 2 * k / _OUTLINE, np.pi * (1 + 5**0.5) * k
    r = np.sqrt(1 - z**2)
    directions = np.column_stack([r * np.cos(phi), r * np.sin(phi), z])
    return vertices[np.unique(np.argmax(vertices @ directions.T, axis=0))]


def _foot(obj: Object, centre: F64, receivers: Surfaces) -> F64 | None:
    """The point of a static surface below the centre (along the object's field, else along −z)."""
    down = np.asarray(obj.acc, dtype=np.float64)
    down = normalized(down) if np.linalg.norm(down) > 0 else np.array([0.0, 0.0, -1.0])
    hit = cast(receivers, centre[None], down[None])
    return centre + hit.distance[0] * down if np.isfinite(hit.distance[0]) else None


def _length(
    world: World, outline: F64, centre: F64, time: float, anchor: F64, camera: Camera, receivers: Surfaces
) -> float:
    light = strongest(world, centre, time)
    if light is None:
        return 0.0
    towards = incoming(world.lights[light], outline, np.full(len(outline), time), world.duration)
    strength = np.linalg.norm(towards, axis=-1, keepdims=True)
    if not np.all(strength > 0):
        return 0.0
    away = -towards / strength
    start = outline - LIFT * away  # a resting object's lowest points lie in the surface itself
    hit = cast(receivers, start, away)
    on = np.isfinite(hit.distance)
    if not on.any():
        return 0.0
    pixels = project(camera, start[on] + hit.distance[on, None] * away[on])
    pixels = pixels[np.isfinite(pixels).all(axis=-1)]
    if not len(pixels):
        return 0.0
    clipped = _clipped(anchor, pixels, camera)
    return float(np.linalg.norm(clipped - anchor, axis=-1).max() * REFERENCE_HEIGHT / camera.height)


def strongest(world: World, centre: F64, time: float) -> int | None:
    """Index of the light that is strongest at a point and time [s], None in the dark."""
    strengths = [
        float(np.linalg.norm(incoming(light, centre[None], np.array([time]), world.duration)))
        for light in world.lights
    ]
    best = int(np.argmax(strengths)) if strengths else -1
    return best if best >= 0 and strengths[best] > 0 else None


def _inside(camera: Camera, pixel: F64) -> bool:
    return bool(np.all(pixel >= 0) and pixel[0] <= camera.width and pixel[1] <= camera.height)


def _clipped(anchor: F64, pixels: F64, camera: Camera) -> F64:
    """Points moved along the line to the anchor until they lie in the picture."""
    direction = pixels - anchor
    extent = np.array([camera.width, camera.height], dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        to_edge = np.where(direction > 0, (extent - anchor) / direction, -anchor / direction)
    reach = np.where(direction == 0, np.inf, to_edge).min(axis=-1)
    return anchor + np.minimum(reach, 1.0)[:, None] * direction
