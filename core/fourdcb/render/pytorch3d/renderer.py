"""Frames from the differentiable renderer, in the manner of the raster one."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fourdcb.arrays import Poses
from fourdcb.errors import UserError
from fourdcb.render._stage import poses_at
from fourdcb.render.lens import pick
from fourdcb.render.motion import blur_times
from fourdcb.render.presence import presences
from fourdcb.render.pytorch3d.colour import srgb_from_linear
from fourdcb.render.pytorch3d.geometry import dot
from fourdcb.render.pytorch3d.scene import TorchScene
from fourdcb.render.settings import Fragments, Frame, FrameBuffers, RenderSettings, no_buffers
from fourdcb.trajectory import Trajectory
from fourdcb.world import World


class TorchRenderer:
    """Renders one world at many times, without gradients; ``scene`` gives those. Not thread-safe."""

    def __init__(
        self,
        world: World,
        settings: RenderSettings | None = None,
        *,
        device: torch.device | str | None = None,
    ) -> None:
        """``device`` None takes CUDA where there is one.

        Raises:
            UserError: a degenerate camera, missing meshes or textures, or a device that is not there.
        """
        if world.fluids:
            raise UserError(
                "this renderer cannot draw a fluid",
                where=world.fluids[0].name,
                hint="use raster or pathtrace",
            )
        if device is None:
            device = "cuda" if torch.cuda.is_available() else "cpu"
        self.scene = TorchScene.from_world(world, settings, device=device)
        self.world, self.settings = world, self.scene.settings
        self._mixed = [
            (part, TorchScene.from_world(part.world, settings, device=device)) for part in presences(world)
        ]
        camera = self.settings.camera(world.camera)
        self.width, self.height = camera.width, camera.height

    def render(self, trajectory: Trajectory | Poses, t: float, *, aux: bool = True) -> Frame:
        """The picture at time ``t`` [s].

        Args:
            trajectory: a trajectory of this world, or poses at ``t``: position (N, 3), orientation_wxyz
                (N, 4) in the order of ``world.bodies``; with poses nothing is blurred.
            aux: whether depth, normal, instance, albedo and shadow are wanted too.
        """
        times = blur_times(self.world, trajectory, t, self.settings)
        with torch.no_grad():
            pictures = [self._shade(poses_at(self.world, trajectory, time), time) for time in times]
            linear = torch.stack(pictures).mean(dim=0)
            rgb = (255.0 * srgb_from_linear(self.world.exposure * linear)).round().to(torch.uint8)
            buffers = self._buffers(trajectory, t) if aux else no_buffers()
        return Frame(rgb.cpu().numpy(), linear.float().cpu().numpy(), *buffers)

    def _shade(self, poses: Poses, t: float) -> Tensor:
        """Radiance of one pose, where bodies that let light through are there for their share."""
        if not self._mixed:
            return self.scene.shade(self.scene.parameters(poses, t))
        pictures = [p.weight * s.shade(s.parameters(p.poses(poses), t)) for p, s in self._mixed]
        return torch.stack(pictures).sum(dim=0)

    def fragments(self, trajectory: Trajectory | Poses, t: float) -> Fragments:
        """Faces, barycentrics and depth at the pixel centres of the ideal (undistorted) picture."""
        with torch.no_grad():
            found = self.scene.fragments(self.scene.parameters(trajectory, t))
        return Fragments(
            face=found.face.cpu().numpy().astype(np.int32),
            barycentric=found.barycentric.float().cpu().numpy(),
            depth=found.depth.float().cpu().numpy(),
        )

    def _buffers(self, trajectory: Trajectory | Poses, t: float) -> FrameBuffers:
        parameters = self.scene.parameters(trajectory, t)
        sight = self.scene.look(parameters, 1)
        eye, _ = self.scene.view(1)
        surface = sight.surface
        depth = dot(surface.position - eye.position, eye.rotation[:, 2])

        def spread(values: Tensor, background: float, dtype: type) -> NDArray[Any]:
            image = torch.full((*sight.face.shape, *values.shape[1:]), background, device=values.device)
            image = image.to(values.dtype).index_put((sight.hits.row, sight.hits.column), values)
            array = image.cpu().numpy().astype(dtype)
            return array if self.scene.lens is None else pick(array, self.scene.lens)

        return FrameBuffers(
            depth=spread(depth, np.inf, np.float32),
            normal=spread(surface.normal, 0.0, np.float32),
            instance=spread(surface.body, -1, np.int16),
            albedo=spread(surface.base, 0.0, np.float32),
            shadow=spread(sight.shaded.shadow, 0.0, np.float32),
        )
