"""Turns that a pattern on a body's surface shows where its shape hides them: as far as the pixels tell.

A plain ball may spin unseen; one with a texture, a normal map or coloured vertices may not, unless it is so
small, its pattern so faint or so much of it out of sight that the pictures stay the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from fourdcb.arrays import F64
from fourdcb.conventions import (
    multiply_quaternions,
    quaternion_from_axis_angle,
    quaternion_from_rotation,
    rotation_from_quaternion,
)
from fourdcb.render import RasterRenderer, RenderSettings
from fourdcb.world import Object, World
from fourdcb.world.camera import in_view
from fourdcb.world.looks import has_map, has_vertex_colors
from fourdcb.world.mesh import mesh_look, mesh_size, object_mesh
from fourdcb.world.mesh_surface import middle as box_middle
from fourdcb.world.mesh_symmetry import seen_free_axes
from fourdcb.world.parts import WorldPart, part_of
from fourdcb.world.symmetry import FreeAxes

_MOMENTS = 3
_HEIGHT = 256  # [px] at most
_TURNS_DEG = (40.0, 97.0, 180.0)
_LEVELS = 8  # of 255: compression and noise of a video change as much
_SHARE = 0.02  # of the body's pixels
_LEAST_PIXELS = 4
_AXES: tuple[FreeAxes, ...] = ("x", "y", "z")

Pose = tuple[tuple[float, ...], tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class ShownTurns:
    """What a pattern leaves of a body's symmetry.

    Attributes:
        free: axes about which it may still turn without being seen.
        resolution_deg: the turn that moves what is seen at the body's rim by half a pixel [deg].
        stage: the body alone; poses: where it was looked at.
    """

    free: FreeAxes
    resolution_deg: float
    stage: World
    poses: tuple[Pose, ...]

    def hides(self, g: F64) -> bool:
        """Whether the pictures stay the same after a turn ``g`` [3, 3] in the body's own frame."""
        return np.array_equal(g, np.eye(3)) or _hidden(self.stage, self.poses, g)


def patterned(obj: Object, world: World) -> bool:
    """Whether an object's look may differ from place to place.

    Raises:
        UserError: when a mesh file is missing or unreadable.
    """
    if has_map(obj.material) or has_vertex_colors(obj, world):
        return True
    look = mesh_look(obj, base_dir=world.base_dir)
    images = ("base_color_image", "normal_image", "metallic_roughness_image")
    return look is not None and any(getattr(look, name) is not None for name in images)


def shown_turns(obj: Object, world: World, position: F64, orientation_wxyz: F64) -> ShownTurns | None:
    """Turns of an object that only its pattern shows; None where it has no pattern.

    It is drawn alone, under the world's lights, at up to three moments at which it is in view.

    Args:
        position: of the object at the frames [m], shape (T, 3).
        orientation_wxyz: likewise, shape (T, 4).

    Raises:
        UserError: when a mesh file or a texture is missing or unreadable.
    """
    if not patterned(obj, world):
        return None
    size = mesh_size(obj, world.base_dir) if obj.geometry == "mesh" else np.asarray(obj.size)
    seen = np.flatnonzero(in_view(world.camera, position, 0.5 * float(np.linalg.norm(size))))
    chosen = seen[np.linspace(0, len(seen) - 1, _MOMENTS).astype(int)] if len(seen) else seen
    poses = tuple(
        (tuple(position[k].tolist()), tuple(orientation_wxyz[k].tolist())) for k in np.unique(chosen)
    )
    stage = replace(world, objects=(obj,), planes=())
    shape = seen_free_axes(obj, base_dir=world.base_dir)
    return ShownTurns(
        free=_free(stage, poses, shape),
        resolution_deg=_resolution(stage, part_of(stage, "looks"), poses),
        stage=stage,
        poses=poses,
    )


def _free(stage: World, poses: tuple[Pose, ...], shape: FreeAxes) -> FreeAxes:
    """The axes among those of the shape's symmetry about which the pattern shows no turn."""
    axes = _AXES if shape == "all" else tuple(axis for axis in _AXES if axis == shape)
    hidden = [axis for axis in axes if all(_hidden(stage, poses, g) for g in _turns(axis))]
    if len(hidden) == len(_AXES):
        return "all"
    return hidden[0] if len(hidden) == 1 else "none"


def _turns(axis: FreeAxes) -> list[F64]:
    unit = np.eye(3)["xyz".index(axis)]
    return [rotation_from_quaternion(quaternion_from_axis_angle(unit, np.deg2rad(a))) for a in _TURNS_DEG]


def _hidden(stage: World, poses: tuple[Pose, ...], g: F64) -> bool:
    turn = tuple(np.round(g, 12).ravel().tolist())
    return _drawn_alike(stage, part_of(stage, "looks"), poses, turn)


@lru_cache(maxsize=512)
def _drawn_alike(stage: World, _key: WorldPart, poses: tuple[Pose, ...], turn: tuple[float, ...]) -> bool:
    """Whether a body's pictures at some poses stay the same when it is turned in its own frame."""
    renderer = _renderer(stage)
    g = quaternion_from_rotation(np.array(turn).reshape(3, 3))
    obj = stage.objects[0]
    middle = box_middle(object_mesh(obj, base_dir=stage.base_dir).vertices)
    for position, orientation in poses:
        truth = np.array([orientation])
        turned = multiply_quaternions(truth, g)
        shift = (rotation_from_quaternion(truth) - rotation_from_quaternion(turned)) @ middle
        place = np.array([position])
        own = renderer.render((place, truth), 0.0)
        other = renderer.render((place + shift, turned), 0.0)
        body = (own.instance == 0) | (other.instance == 0)
        changed = np.abs(own.rgb.astype(np.int16) - other.rgb).max(axis=-1) > _LEVELS
        if np.count_nonzero(changed & body) >= max(_LEAST_PIXELS, _SHARE * np.count_nonzero(body)):
            return False
    return True


@lru_cache(maxsize=128)
def _resolution(stage: World, _key: WorldPart, poses: tuple[Pose, ...]) -> float:
    """Half a pixel at the rim of the body where it is largest [deg]; a half turn where it is never seen."""
    renderer = _renderer(stage)
    seen = [0]
    for position, orientation in poses:
        picture = renderer.render((np.array([position]), np.array([orientation])), 0.0)
        seen.append(int(np.count_nonzero(picture.instance == 0)))
    if not max(seen):
        return 180.0
    radius = (max(seen) / np.pi) ** 0.5
    return float(np.rad2deg(min(0.5 / radius, np.pi)))


def _renderer(stage: World) -> RasterRenderer:
    camera = stage.camera
    height = min(camera.height, _HEIGHT)
    width = max(8, round(camera.width * height / camera.height))
    settings = RenderSettings(samples=1, supersample=2, shadows=False, width=width, height=height)
    return RasterRenderer(stage, settings)
