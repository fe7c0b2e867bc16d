"""A world ready to be drawn and differentiated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from fourdcb.arrays import Poses
from fourdcb.errors import UserError
from fourdcb.render._scene import Scene, compile_scene, make_view
from fourdcb.render._stage import ImagePlane, image_plane, poses_at
from fourdcb.render.lens import LensMap
from fourdcb.render.pytorch3d.colour import srgb_from_linear
from fourdcb.render.pytorch3d.geometry import Geometry, Placed, Viewpoint
from fourdcb.render.pytorch3d.lights import LightLayout
from fourdcb.render.pytorch3d.outline import outline_change
from fourdcb.render.pytorch3d.parameters import TorchParameters
from fourdcb.render.pytorch3d.rasterise import (
    Hits,
    TorchFragments,
    fragments_of,
    hit_faces,
    nearest_faces,
)
from fourdcb.render.pytorch3d.shading import Shaded, shade_hits
from fourdcb.render.pytorch3d.shadows import ShadowMaps
from fourdcb.render.pytorch3d.surface import Surface, Textures, surface_at
from fourdcb.render.settings import RenderSettings
from fourdcb.trajectory import Trajectory
from fourdcb.world import World


class Sight(NamedTuple):
    """One sharp look at the scene, in the ideal (undistorted) picture."""

    face: Tensor
    hits: Hits
    surface: Surface
    shaded: Shaded
    placed: Placed


@dataclass(frozen=True, slots=True, eq=False)
class TorchScene:
    """Renders one world from tensors. Not thread-safe: shadow maps are drawn in place.

    Gradients flow to all parameters: through shading they are exact, through outlines and the soft rims of
    shadows to first order (see ``outline`` and ``shadows``). Textures and sizes carry none.

    Attributes:
        world: what was compiled; its appearance and poses only matter as defaults of ``parameters``.
        settings: size, supersampling and shadows; motion blur is the renderer's.
        device, dtype: of every tensor; the dtype is that of shading, PyTorch3D itself works in float32.
    """

    world: World
    settings: RenderSettings
    device: torch.device
    dtype: torch.dtype
    _scene: Scene
    _geometry: Geometry
    _textures: Textures
    _layout: LightLayout
    _table: Tensor
    _plane: ImagePlane
    _views: dict[int, tuple[Viewpoint, ShadowMaps | None]]

    @classmethod
    def from_world(
        cls,
        world: World,
        settings: RenderSettings | None = None,
        *,
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
    ) -> TorchScene:
        """Compile a world.

        Raises:
            UserError: a degenerate camera, missing meshes or textures, or a device that is not there.
        """
        chosen, settings = _checked(device), settings or RenderSettings()
        scene = compile_scene(world)
        return cls(
            world=world,
            settings=settings,
            device=chosen,
            dtype=dtype,
            _scene=scene,
            _geometry=Geometry.from_mesh(scene.mesh, device=chosen, dtype=dtype),
            _textures=Textures.from_materials(scene.materials, device=chosen, dtype=dtype),
            _layout=LightLayout.from_scene(world, scene),
            _table=torch.as_tensor(scene.materials.albedo).to(device=chosen, dtype=dtype),
            _plane=image_plane(settings.camera(world.camera)),
            _views={},
        )

    def parameters(self, trajectory: Trajectory | Poses, t: float) -> TorchParameters:
        """The world's own values at time ``t`` [s], to be changed with ``dataclasses.replace``.

        Args:
            trajectory: of this world, or poses: position (N, 3), orientation_wxyz (N, 4).
            t: time, of the lights too.
        """
        position, orientation = poses_at(self.world, trajectory, t)
        return TorchParameters.from_world(
            self.world, position, orientation, t, device=self.device, dtype=self.dtype
        )

    def fragments(self, parameters: TorchParameters) -> TorchFragments:
        """Faces, barycentrics and depth at the pixel centres of the ideal (undistorted) picture."""
        eye, _ = self.view(1)
        placed = self._geometry.placed(parameters)
        face = nearest_faces(self._geometry, placed, eye)
        hits = hit_faces(face, self._geometry, placed, eye)
        return fragments_of(face, hits, self._geometry, placed, eye)

    def shade(self, parameters: TorchParameters) -> Tensor:
        """Radiance before exposure, averaged over the samples of each pixel, shape (H, W, 3)."""
        scale = self.settings.supersample
        sight = self.look(parameters, scale)
        picture = parameters.background.expand(*sight.face.shape, 3)
        picture = picture.index_put((sight.hits.row, sight.hits.column), sight.shaded.radiance)
        if sight.placed.points.requires_grad:
            eye, _ = self.view(scale)
            picture = picture + outline_change(
                picture, sight.face, sight.hits, self._geometry, sight.placed, eye
            )
        height, width = sight.face.shape[0] // scale, sight.face.shape[1] // scale
        picture = picture.reshape(height, scale, width, scale, 3).mean(dim=(1, 3))
        return picture if self.lens is None else _warped(picture, self.lens)

    def picture(self, parameters: TorchParameters) -> Tensor:
        """sRGB in [0, 1], shape (H, W, 3)."""
        return srgb_from_linear(parameters.exposure * self.shade(parameters))

    def look(self, parameters: TorchParameters, scale: int) -> Sight:
        """Everything that ``scale`` samples per pixel and axis see, without background and lens."""
        eye, maps = self.view(scale)
        samples = self._layout.samples(parameters)
        placed = self._geometry.placed(parameters)
        if maps is not None and samples:
            maps.draw(samples, parameters)
        face = nearest_faces(self._geometry, placed, eye)
        hits = hit_faces(face, self._geometry, placed, eye)
        surface = surface_at(hits, self._geometry, placed, self._textures, parameters)
        shaded = shade_hits(surface, eye, samples, parameters.ambient, self._table, maps, placed.centres)
        return Sight(face, hits, surface, shaded, placed)

    @property
    def lens(self) -> LensMap | None:
        """Where the picture's pixels look into the ideal picture, None for an ideal lens."""
        return self._plane.lens

    def view(self, scale: int) -> tuple[Viewpoint, ShadowMaps | None]:
        """The camera at ``scale`` samples per pixel and axis, and its shadow maps (None: no shadows)."""
        if scale not in self._views:
            plane, maps = self._plane, None
            view = make_view(
                self.world.camera, plane.intrinsics, width=plane.width, height=plane.height, scale=scale
            )
            if self.settings.shadows:
                maps = ShadowMaps(self._scene, view, size=self.settings.shadow_size)
            self._views[scale] = Viewpoint.from_view(view, device=self.device, dtype=self.dtype), maps
        return self._views[scale]


def _checked(device: torch.device | str) -> torch.device:
    try:
        chosen = torch.device(device)
        torch.empty(0, device=chosen)
    except (RuntimeError, AssertionError) as error:
        raise UserError(
            "the device cannot be used",
            got=str(device),
            expected="cpu or cuda",
            hint=str(error).split("\n")[0],
        ) from error
    return chosen


def _warped(image: Tensor, lens: LensMap) -> Tensor:
    """``lens.warp`` on a tensor: bilinear look-up, shape (h, w, C) to (H, W, C)."""
    x, y = lens.x - 0.5, lens.y - 0.5
    i = np.clip(np.floor(x).astype(np.int64), 0, lens.width - 2)
    j = np.clip(np.floor(y).astype(np.int64), 0, lens.height - 2)
    fx, fy = (torch.as_tensor((a - b)[..., None]).to(image) for a, b in ((x, i), (y, j)))
    left, top = torch.as_tensor(i).to(image.device), torch.as_tensor(j).to(image.device)
    above = (1 - fx) * image[top, left] + fx * image[top, left + 1]
    below = (1 - fx) * image[top + 1, left] + fx * image[top + 1, left + 1]
    return (1 - fy) * above + fy * below
