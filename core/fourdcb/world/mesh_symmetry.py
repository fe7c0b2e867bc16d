"""About which axes a body may turn without its shape showing it, told from the surface itself."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from fourdcb.conventions import quaternion_from_axis_angle, rotation_from_quaternion
from fourdcb.world.mesh import TriangleMesh, object_mesh
from fourdcb.world.mesh_samples import distance_to, spread_points
from fourdcb.world.mesh_surface import middle
from fourdcb.world.model import Object
from fourdcb.world.symmetry import FreeAxes, free_axes

_SAMPLES = 4000
_TRIED = 800
_TURNS_DEG = (51.0, 100.0)  # no regular prism of a few sides looks alike after both
_OFF = 0.015  # of the diagonal: the edges of a prism of twelve sides stand out by as much from its cylinder
_QUANTILE = 0.95
_AXES: tuple[FreeAxes, ...] = ("x", "y", "z")


def seen_free_axes(obj: Object, *, base_dir: str) -> FreeAxes:
    """About which of its own axes a body may turn without its shape showing it, about its middle.

    A mesh file is asked whether its surface covers itself after odd turns. Patterns on it do not count.

    Raises:
        UserError: when a mesh file is missing or unreadable.
    """
    if obj.geometry != "mesh":
        return free_axes(obj.geometry)
    return _free_axes(object_mesh(obj, base_dir=base_dir))


@lru_cache(maxsize=64)
def _free_axes(mesh: TriangleMesh) -> FreeAxes:
    triangles = mesh.vertices[mesh.faces] - middle(mesh.vertices)
    points = spread_points(triangles, _TRIED)[0]
    distance = distance_to(triangles, _SAMPLES)
    limit = _OFF * float(np.linalg.norm(np.ptp(mesh.vertices, axis=0)))

    def covers(axis: int) -> bool:
        turns = (quaternion_from_axis_angle(np.eye(3)[axis], np.deg2rad(a)) for a in _TURNS_DEG)
        gaps = (distance(points @ rotation_from_quaternion(q).T) for q in turns)
        return all(float(np.quantile(gap, _QUANTILE)) < limit for gap in gaps)

    found = [name for i, name in enumerate(_AXES) if covers(i)]
    if not found:
        return "none"
    return found[0] if len(found) == 1 else "all"
