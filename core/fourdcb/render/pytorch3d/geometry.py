"""The meshes of a world as tensors, placed in the world."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fourdcb.render._kernels.arrays import Mesh, View
from fourdcb.render.pytorch3d.parameters import TorchParameters


@dataclass(frozen=True, slots=True, eq=False)
class Geometry:
    """Meshes in the bodies' frames; V vertices, F faces, N bodies.

    Attributes:
        points, normals: in the body's frame, shape (V, 3).
        uv: texture coordinates, shape (V, 2).
        body_of_point: shape (V,).
        faces: shape (F, 3).
        body_of_face: shape (F,).
        part_of_face: number of the smooth part (faces joined by vertices; sharp edges split those), (F,).
        face_ranges: first face and end of each body.
        closed: whether a body is a closed convex primitive, whose back is never seen, shape (N,).
        centres: centres of the bounding spheres in the bodies' frames, shape (N, 3).
        colors: linear factors of the base colour per vertex, shape (V, 3); None where no body has any.
    """

    points: Tensor
    normals: Tensor
    uv: Tensor
    body_of_point: Tensor
    faces: Tensor
    body_of_face: Tensor
    part_of_face: Tensor
    face_ranges: tuple[tuple[int, int], ...]
    closed: Tensor
    centres: Tensor
    colors: Tensor | None

    @classmethod
    def from_mesh(cls, mesh: Mesh, *, device: torch.device, dtype: torch.dtype) -> Geometry:
        """Copy the arrays that the raster backend draws."""

        def tensor(array: object, kind: torch.dtype) -> Tensor:
            return torch.as_tensor(array).to(device=device, dtype=kind, copy=True)

        bodies = torch.as_tensor(mesh.bodies).long()
        counts = bodies[:, 1] - bodies[:, 0]
        return cls(
            points=tensor(mesh.local[:, :3], dtype),
            normals=tensor(mesh.local[:, 3:6], dtype),
            uv=tensor(mesh.points[:, 6:8], dtype),
            body_of_point=torch.repeat_interleave(torch.arange(len(bodies)), counts).to(device),
            faces=tensor(mesh.faces[:, :3], torch.int64),
            body_of_face=tensor(mesh.faces[:, 3], torch.int64),
            part_of_face=tensor(_smooth_parts(mesh), torch.int64),
            face_ranges=tuple((int(row[2]), int(row[3])) for row in mesh.bodies),
            closed=tensor(mesh.bodies[:, 4] != 0, torch.bool),
            centres=tensor(mesh.spheres[:, :3], dtype),
            colors=tensor(mesh.colors, dtype) if len(mesh.colors) else None,
        )

    def placed(self, parameters: TorchParameters) -> Placed:
        """The meshes at the poses of ``parameters``."""
        rotation = rotations(parameters.orientation_wxyz)
        turn, shift = rotation[self.body_of_point], parameters.position[self.body_of_point]
        return Placed(
            points=(turn @ self.points[..., None])[..., 0] + shift,
            normals=(turn @ self.normals[..., None])[..., 0],
            centres=(rotation @ self.centres[..., None])[..., 0] + parameters.position,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """World coordinates: points and normals, shape (V, 3); centres of bounding spheres, shape (N, 3)."""

    points: Tensor
    normals: Tensor
    centres: Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Viewpoint:
    """A pinhole camera as tensors: position (3,), rotation world_from_camera (3, 3), and its numbers [px]."""

    position: Tensor
    rotation: Tensor
    view: View

    @classmethod
    def from_view(cls, view: View, *, device: torch.device, dtype: torch.dtype) -> Viewpoint:
        """The same camera on a device."""
        return cls(
            position=torch.tensor(view.position, device=device, dtype=dtype),
            rotation=torch.tensor(view.rotation, device=device, dtype=dtype).reshape(3, 3),
            view=view,
        )

    def rays(self, rows: Tensor, columns: Tensor) -> Tensor:
        """World directions through pixel centres, with camera z = 1, shape (P, 3)."""
        u = (columns.to(self.position) + 0.5 - self.view.centre_x) / self.view.focal
        v = (rows.to(self.position) + 0.5 - self.view.centre_y) / self.view.focal
        return torch.stack([u, v, torch.ones_like(u)], dim=-1) @ self.rotation.T


def _smooth_parts(mesh: Mesh) -> NDArray[np.int64]:
    """Connected component of every face, shape (F,)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n, (a, b, c) = len(mesh.local), mesh.faces[:, :3].T
    rows, columns = np.concatenate([a, b]), np.concatenate([b, c])
    joined = coo_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(n, n))
    _, part = connected_components(joined, directed=False)
    return np.asarray(part[a], dtype=np.int64)


def rotations(orientation_wxyz: Tensor) -> Tensor:
    """Rotation matrices world_from_body of quaternions of any length, shape (..., 3, 3)."""
    w, x, y, z = torch.nn.functional.normalize(orientation_wxyz, dim=-1).unbind(-1)
    elements = [
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    ]  # fmt: skip
    return torch.stack(elements, dim=-1).reshape(*orientation_wxyz.shape[:-1], 3, 3)


def dot(a: Tensor, b: Tensor) -> Tensor:
    """Inner product along the last axis."""
    return (a * b).sum(dim=-1)
