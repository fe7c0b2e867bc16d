"""Extents, signed distances and surface samples of shapes; the shape distance between two of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fourdcb.arrays import F64
from fourdcb.identity import file_sha256
from fourdcb.world import Object, World
from fourdcb.world.mesh_samples import Distance, distance_to, spread_points

_SAMPLES = 1500
_MESH_SAMPLES = 8000
_QUANTILE = 0.95


def extents(obj: Object, world: World) -> F64:
    """Full extents in the object's own frame [m], shape (3,)."""
    if obj.geometry != "mesh":
        return np.asarray(obj.size, dtype=np.float64)
    from fourdcb.world.mesh import mesh_size

    return mesh_size(obj, world.base_dir)


def centre(obj: Object, world: World) -> F64:
    """Centre of the bounding box in the object's own frame [m], shape (3,)."""
    if obj.geometry != "mesh":
        return np.zeros(3)
    from fourdcb.world.mesh import object_mesh

    vertices = object_mesh(obj, base_dir=world.base_dir).vertices
    return np.asarray(0.5 * (vertices.min(axis=0) + vertices.max(axis=0)))


def shape_distance(
    reference: Object, reference_world: World, candidate: Object, candidate_world: World, g: F64
) -> float:
    """95th percentile of the distance between the two surfaces, centres and axes aligned [m].

    Args:
        g: rotation [3, 3] from the reference's axes to the candidate's.
    """
    size_r, size_c = extents(reference, reference_world), extents(candidate, candidate_world)
    if _same_form(reference, reference_world, candidate, candidate_world) and np.array_equal(
        np.abs(g).T @ size_c, size_r
    ):
        return 0.0
    points_r = surface_samples(reference, reference_world) - centre(reference, reference_world)
    points_c = surface_samples(candidate, candidate_world) - centre(candidate, candidate_world)
    to_candidate = np.abs(surface_distance(candidate, candidate_world)(points_r @ g.T))
    to_reference = np.abs(surface_distance(reference, reference_world)(points_c @ g))
    return float(max(np.quantile(to_candidate, _QUANTILE), np.quantile(to_reference, _QUANTILE)))


def _same_form(a: Object, a_world: World, b: Object, b_world: World) -> bool:
    """Whether two objects are scaled copies of one primitive or of one mesh file."""
    if a.geometry != b.geometry or a.geometry != "mesh":
        return a.geometry == b.geometry
    return file_sha256(Path(a_world.base_dir) / str(a.mesh)) == file_sha256(
        Path(b_world.base_dir) / str(b.mesh)
    )


def surface_distance(obj: Object, world: World) -> Distance:
    """Distance to the surface as a function of points [P, 3] about the box centre, own axes [m].

    Signed (negative inside) for primitives, unsigned for mesh files.
    """
    x, y, z = (0.5 * float(s) for s in obj.size)
    table: dict[str, Distance] = {
        "sphere": lambda p: np.linalg.norm(p, axis=-1) - x,
        "box": lambda p: _box_distance(np.abs(p), np.array([x, y, z])),
        "cylinder": lambda p: _box_distance(_cylindrical(p), np.array([x, z])),
        "capsule": lambda p: np.linalg.norm(_clamped(p, z - x), axis=-1) - x,
        "cone": lambda p: _cone_distance(p, x, z),
    }
    return table.get(obj.geometry) or _mesh_distance(obj, world)


def surface_samples(obj: Object, world: World) -> F64:
    """Points on the surface, spread evenly by area, own frame [m], shape (P, 3); the same every time."""
    from fourdcb.world.mesh import object_mesh

    mesh = object_mesh(obj, base_dir=world.base_dir)
    count = _MESH_SAMPLES if obj.geometry == "mesh" else _SAMPLES
    points, _ = spread_points(mesh.vertices[mesh.faces], count)
    if obj.geometry == "mesh":
        return points
    return _onto(points, surface_distance(obj, world))


def _onto(points: F64, distance: Distance) -> F64:
    """One Newton step onto the exact surface: facets of a round shape lie inside it."""
    h = 1e-6
    gradient = np.stack(
        [(distance(points + h * e) - distance(points - h * e)) / (2 * h) for e in np.eye(3)], -1
    )
    return points - distance(points)[:, None] * gradient


def _cylindrical(p: F64) -> F64:
    return np.stack([np.linalg.norm(p[..., :2], axis=-1), np.abs(p[..., 2])], axis=-1)


def _box_distance(q: F64, half: F64) -> F64:
    """Signed distance to |q_i| <= half_i for non-negative coordinates."""
    d = q - half
    return np.linalg.norm(np.maximum(d, 0.0), axis=-1) + np.minimum(np.max(d, axis=-1), 0.0)


def _clamped(p: F64, half_axis: float) -> F64:
    q = p.copy()
    q[..., 2] -= np.clip(q[..., 2], -max(half_axis, 0.0), max(half_axis, 0.0))
    return q


def _cone_distance(p: F64, radius: float, half: float) -> F64:
    """Cone with its apex at +half and its base disc at -half: distance to the outline in (rho, z)."""
    q = np.stack([np.linalg.norm(p[..., :2], axis=-1), p[..., 2]], axis=-1)
    corners = np.array([[0.0, -half], [radius, -half], [0.0, half]])
    base = _segment_distance(q, corners[0], corners[1])
    side = _segment_distance(q, corners[1], corners[2])
    inside = (q[..., 1] > -half) & (q[..., 0] < radius * (half - q[..., 1]) / (2 * half))
    return np.where(inside, -1.0, 1.0) * np.minimum(base, side)


def _segment_distance(q: F64, a: F64, b: F64) -> F64:
    ab = b - a
    t = np.clip((q - a) @ ab / (ab @ ab), 0.0, 1.0)
    return np.linalg.norm(q - a - t[..., None] * ab, axis=-1)


def _mesh_distance(obj: Object, world: World) -> Distance:
    from fourdcb.world.mesh import object_mesh

    mesh = object_mesh(obj, base_dir=world.base_dir)
    return distance_to(mesh.vertices[mesh.faces] - centre(obj, world), _MESH_SAMPLES)
