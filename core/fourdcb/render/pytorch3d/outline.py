"""How outlines move: the gradient that a rasterised picture lacks, because each pixel keeps its face.

Two neighbouring samples that see different smooth parts have a border between them. The nearer part carries
it: along its normal, the occluding contour of a rigid body moves as the surface at its rim does. A border
that moves by d samples from a towards b changes the sum of the two by (a - b) d; pairs along both axes
together give the area that a slanted border sweeps (Reynolds' transport theorem). Where bodies touch or cut
each other the border in truth follows both; here it follows the nearer.
"""

from __future__ import annotations

import torch
from torch import Tensor

from fourdcb.render.pytorch3d.geometry import Geometry, Placed, Viewpoint
from fourdcb.render.pytorch3d.rasterise import Hits


def outline_change(
    picture: Tensor, face: Tensor, hits: Hits, geometry: Geometry, placed: Placed, eye: Viewpoint
) -> Tensor:
    """Zero, with the gradient of moving outlines, shape (H, W, 3); ``picture`` is the samples' radiance."""
    place = (hits.row, hits.column)
    corners = placed.points[geometry.faces[hits.face]]
    rim = (hits.weights.detach()[..., None] * corners).sum(dim=1)
    camera = (rim - eye.position) @ eye.rotation
    pixel = eye.view.focal * camera[:, :2] / camera[:, 2:]
    still = torch.zeros((*face.shape, 2), dtype=rim.dtype, device=rim.device)
    motion = still.index_put(place, pixel - pixel.detach())
    depth = (still[..., 0] + torch.inf).index_put(place, camera[:, 2].detach())
    part = torch.where(face >= 0, geometry.part_of_face[face.clamp(min=0)], -1)
    radiance = picture.detach()
    along_rows = _swept(radiance, part, depth, motion[..., 0])
    along_columns = _swept(radiance.transpose(0, 1), part.T, depth.T, motion[..., 1].T)
    return along_rows + along_columns.transpose(0, 1)


def _swept(radiance: Tensor, part: Tensor, depth: Tensor, motion: Tensor) -> Tensor:
    """The change of each sample by the borders towards its neighbours in its row, half a pair's each."""
    border = part[:, :-1] != part[:, 1:]
    first_is_nearer = depth[:, :-1] <= depth[:, 1:]
    moved = torch.where(first_is_nearer, motion[:, :-1], motion[:, 1:])
    jump = radiance[:, :-1] - radiance[:, 1:]
    half = 0.5 * torch.where(border, moved, 0.0)[..., None] * jump
    pad = torch.nn.functional.pad
    return pad(half, (0, 0, 0, 1)) + pad(half, (0, 0, 1, 0))
