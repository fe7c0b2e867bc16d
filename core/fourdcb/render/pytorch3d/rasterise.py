"""Which face each pixel sees, by PyTorch3D.

Every body is rasterised in the rectangle that it may cover and the nearest is kept: PyTorch3D's CPU kernel
tests each pixel against each face, so a small body in a large picture would cost the whole picture.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from pytorch3d.renderer.mesh.rasterize_meshes import rasterize_meshes
from pytorch3d.structures import Meshes
from torch import Tensor

from fourdcb.render._kernels.project import NEAR
from fourdcb.render.pytorch3d.geometry import Geometry, Placed, Viewpoint, dot

# PyTorch3D leaves out pixels that lie exactly on an edge, also on one between two faces: [NDC²], far below
# a thousandth of a pixel.
_EDGE = 1e-12


class TorchFragments(NamedTuple):
    """What each pixel sees, in PyTorch3D's layout with one face per pixel.

    Attributes:
        face: index of the nearest face, int64, shape (H, W); -1 for none.
        barycentric: perspective-correct weights of its three vertices, shape (H, W, 3); 0 for none.
        depth: z in the camera frame [m], shape (H, W); inf for none.
    """

    face: Tensor
    barycentric: Tensor
    depth: Tensor


class Hits(NamedTuple):
    """The pixels that see a face, P of them.

    Attributes:
        row, column: shape (P,).
        face: shape (P,).
        weights: barycentric, shape (P, 3).
        ray: world direction with camera z = 1, shape (P, 3).
    """

    row: Tensor
    column: Tensor
    face: Tensor
    weights: Tensor
    ray: Tensor


def nearest_faces(geometry: Geometry, placed: Placed, eye: Viewpoint) -> Tensor:
    """Index of the nearest face at every pixel centre, int64, shape (H, W); -1 for none. No gradients."""
    with torch.no_grad():
        camera = (placed.points - eye.position) @ eye.rotation
        seen = _seen_faces(geometry, placed, eye)
        face = torch.full((eye.view.height, eye.view.width), -1, dtype=torch.int64, device=camera.device)
        depth = torch.full(face.shape, torch.inf, dtype=torch.float32, device=camera.device)
        for first, end in geometry.face_ranges:
            faces = torch.arange(first, end, device=camera.device)[seen[first:end]]
            _draw(faces, geometry.faces[faces], camera, eye, face, depth)
    return face


def _seen_faces(geometry: Geometry, placed: Placed, eye: Viewpoint) -> Tensor:
    """All faces but the backs of closed bodies, bool, shape (F,)."""
    a, b, c = placed.points[geometry.faces].unbind(1)
    faces_away = dot(torch.linalg.cross(b - a, c - a), a - eye.position) >= 0.0
    return ~(faces_away & geometry.closed[geometry.body_of_face])


def _draw(ids: Tensor, corners: Tensor, camera: Tensor, eye: Viewpoint, face: Tensor, depth: Tensor) -> None:
    """Draw some faces over ``face`` and ``depth`` (H, W) where they are nearer."""
    rect = _covered(camera[corners].reshape(-1, 3), eye)
    if rect is None:
        return
    left, top, right, bottom = rect
    size = min(right - left, bottom - top)
    vertices, corners = torch.unique(corners, return_inverse=True)
    x, y, z = camera[vertices].double().unbind(-1)
    safe = torch.where(z.abs() < 1e-9, 1e-9, z)
    # PyTorch3D's device coordinates: +X left, +Y up, the shorter side spans 2.
    across = (0.5 * (left + right) - eye.view.centre_x - eye.view.focal * x / safe) * (2.0 / size)
    up = (0.5 * (top + bottom) - eye.view.centre_y - eye.view.focal * y / safe) * (2.0 / size)
    mesh = Meshes(torch.stack([across, up, safe], dim=-1).float()[None], corners[None])
    found, z_buffer, _, _ = rasterize_meshes(
        mesh,
        image_size=(bottom - top, right - left),
        blur_radius=_EDGE,
        faces_per_pixel=1,
        perspective_correct=True,
        clip_barycentric_coords=True,
        z_clip_value=NEAR,
    )
    found, z_buffer = found[0, ..., 0], z_buffer[0, ..., 0]
    window = (slice(top, bottom), slice(left, right))
    nearer = (found >= 0) & (z_buffer < depth[window])
    depth[window] = torch.where(nearer, z_buffer, depth[window])
    face[window] = torch.where(nearer, ids[found.clamp(min=0)], face[window])


def _covered(points: Tensor, eye: Viewpoint) -> tuple[int, int, int, int] | None:
    """Left, top, right, bottom [px] of what camera points (P, 3) may cover, None for nothing."""
    width, height = eye.view.width, eye.view.height
    if len(points) == 0 or float(points[:, 2].max()) < NEAR:
        return None
    if float(points[:, 2].min()) < NEAR:
        return 0, 0, width, height
    place = eye.view.focal * points[:, :2] / points[:, 2:]
    low, high = place.amin(0).tolist(), place.amax(0).tolist()
    left = int(max(low[0] + eye.view.centre_x - 1.0, 0.0))
    top = int(max(low[1] + eye.view.centre_y - 1.0, 0.0))
    right = int(min(max(high[0] + eye.view.centre_x + 2.0, 0.0), width))
    bottom = int(min(max(high[1] + eye.view.centre_y + 2.0, 0.0), height))
    return (left, top, right, bottom) if right > left and bottom > top else None


def hit_faces(face: Tensor, geometry: Geometry, placed: Placed, eye: Viewpoint) -> Hits:
    """Where the rays of the pixels that see a face meet it.

    The weights are computed anew from the ray (Möller-Trumbore): float32 edge functions lose digits on a
    clipped floor, and these carry gradients to the poses. The face that a pixel sees is held fixed.
    """
    row, column = torch.nonzero(face >= 0, as_tuple=True)
    hit, ray = face[row, column], eye.rays(row, column)
    a, b, c = placed.points[geometry.faces[hit]].unbind(1)
    along, across = b - a, c - a
    p = torch.linalg.cross(ray, across)
    det = dot(along, p)
    det = torch.where(det == 0.0, torch.full_like(det, torch.inf), det)
    start = eye.position - a
    w1 = (dot(start, p) / det).clamp(0.0, 1.0)
    w2 = (dot(ray, torch.linalg.cross(start, along)) / det).clamp(0.0, 1.0)
    total = (w1 + w2).clamp(min=1.0)
    w1, w2 = w1 / total, w2 / total
    return Hits(row, column, hit, torch.stack([1.0 - w1 - w2, w1, w2], dim=-1), ray)


def fragments_of(
    face: Tensor, hits: Hits, geometry: Geometry, placed: Placed, eye: Viewpoint
) -> TorchFragments:
    """Whole-picture tensors; barycentrics and depth are differentiable in the poses."""
    point = interpolate(hits, placed.points, geometry)
    depth = torch.full(face.shape, torch.inf, dtype=point.dtype, device=point.device)
    weights = torch.zeros((*face.shape, 3), dtype=point.dtype, device=point.device)
    place = (hits.row, hits.column)
    return TorchFragments(
        face=face,
        barycentric=weights.index_put(place, hits.weights),
        depth=depth.index_put(place, (point - eye.position) @ eye.rotation[:, 2]),
    )


def interpolate(hits: Hits, values: Tensor, geometry: Geometry) -> Tensor:
    """Values (V, C) of the vertices at the hits, shape (P, C)."""
    return (hits.weights[..., None] * values[geometry.faces[hits.face]]).sum(dim=1)
