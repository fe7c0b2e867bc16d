"""Reading mesh files: one triangle soup, normals smooth up to a crease angle. Imports trimesh and scipy."""

from __future__ import annotations

from typing import Any

import numpy as np
import trimesh
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from trimesh.visual.material import PBRMaterial

from fourdcb.errors import UserError
from fourdcb.world.mesh import MeshLook

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
CREASE_DEG = 40.0


def load_mesh(path: str) -> tuple[F64, I32, F64, F64 | None]:
    """Vertices, faces, normals and texture coordinates of a mesh file, in the file's own frame and units.

    Raises:
        UserError: when the file is unreadable or holds no triangle of positive area.
    """
    corners, corner_uv = _corners(path)
    area_vectors = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    extent = float(np.ptp(corners.reshape(-1, 3), axis=0).max()) if len(corners) else 0.0
    solid = np.linalg.norm(area_vectors, axis=-1) > 1e-14 * extent**2
    if not solid.any() or not np.isfinite(corners).all():
        raise UserError("the mesh file holds no triangle with an area", where=path)
    corners, area_vectors = corners[solid], area_vectors[solid]
    corner_uv = None if corner_uv is None else corner_uv[solid]
    welded = _weld(corners.reshape(-1, 3), 1e-7 * extent).reshape(-1, 3)
    group = _smooth_groups(welded, area_vectors)
    normals = _group_normals(corners, area_vectors, group)
    return _indexed(corners.reshape(-1, 3), group, normals, corner_uv)


def load_look(path: str) -> MeshLook | None:
    """The metallic-roughness material of a GLB file; None when it has none.

    Raises:
        UserError: when the file is unreadable.
    """
    material: Any = getattr(_read(path).visual, "material", None)
    if not isinstance(material, PBRMaterial):
        return None
    factor = np.ones(3) if material.baseColorFactor is None else np.asarray(material.baseColorFactor)[:3]
    factor = factor / 255.0 if factor.dtype == np.uint8 else factor.astype(np.float64)
    return MeshLook(
        base_color=(float(factor[0]), float(factor[1]), float(factor[2])),
        roughness=_factor(material.roughnessFactor),
        metallic=_factor(material.metallicFactor),
        base_color_image=_pixels(material.baseColorTexture),
        normal_image=_pixels(material.normalTexture),
        metallic_roughness_image=_pixels(material.metallicRoughnessTexture),
    )


def _factor(value: Any) -> float:
    """glTF's factors are 1 where a file is silent."""
    return 1.0 if value is None else float(value)


def _pixels(image: Any) -> NDArray[np.uint8] | None:
    return None if image is None else np.asarray(image.convert("RGB"), dtype=np.uint8)


def _corners(path: str) -> tuple[F64, F64 | None]:
    """Corner positions [F, 3, 3] and texture coordinates [F, 3, 2] of all the file's triangles."""
    mesh = _read(path)
    uv = getattr(mesh.visual, "uv", None)
    positions = np.asarray(mesh.vertices, dtype=np.float64)[mesh.faces]
    if uv is None or len(uv) != len(mesh.vertices):
        return positions, None
    return positions, np.asarray(uv, dtype=np.float64)[mesh.faces]


def _read(path: str) -> Any:
    """All of a file's triangles as one mesh of trimesh's."""
    try:
        mesh: Any = trimesh.load(path, force="mesh", process=False)
    except Exception as error:  # trimesh raises whatever its readers raise
        raise UserError("the mesh file cannot be read", where=path, got=str(error)) from error
    if not isinstance(mesh, trimesh.Trimesh) or len(mesh.faces) == 0:
        raise UserError("the mesh file holds no triangle", where=path)
    return mesh


def _weld(points: F64, tolerance: float) -> NDArray[np.int64]:
    """Index of the place of every point; points in one cell of side ``tolerance`` share a place."""
    cells = np.round(points / max(tolerance, 1e-300)).astype(np.int64)
    _, place = np.unique(cells, axis=0, return_inverse=True)
    return place.reshape(-1)


def _smooth_groups(welded: NDArray[np.int64], area_vectors: F64) -> NDArray[np.int64]:
    """Corners [3F] that share a normal: same place, joined across edges flatter than the crease angle."""
    n_corners = welded.size
    unit = area_vectors / np.linalg.norm(area_vectors, axis=-1, keepdims=True)
    start = np.arange(n_corners)
    face, slot = start // 3, start % 3
    end = face * 3 + (slot + 1) % 3
    place = welded.reshape(-1)
    low, high = np.minimum(place[start], place[end]), np.maximum(place[start], place[end])
    order = np.lexsort((high, low))
    same = (low[order][1:] == low[order][:-1]) & (high[order][1:] == high[order][:-1])
    a, b = order[:-1][same], order[1:][same]
    flat = np.sum(unit[face[a]] * unit[face[b]], axis=-1) > np.cos(np.deg2rad(CREASE_DEG))
    a, b = a[flat], b[flat]
    aligned = place[start[a]] == place[start[b]]
    first = np.where(aligned, start[b], end[b])
    second = np.where(aligned, end[b], start[b])
    rows, columns = np.concatenate([start[a], end[a]]), np.concatenate([first, second])
    graph = coo_matrix((np.ones(len(rows)), (rows, columns)), shape=(n_corners, n_corners))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


def _group_normals(corners: F64, area_vectors: F64, group: NDArray[np.int64]) -> F64:
    """Unit normal of each group: mean of the face normals weighted with the corner angles."""
    unit = area_vectors / np.linalg.norm(area_vectors, axis=-1, keepdims=True)
    to_next = np.roll(corners, -1, axis=1) - corners
    to_previous = np.roll(corners, 1, axis=1) - corners
    sine = np.linalg.norm(np.cross(to_next, to_previous), axis=-1)
    angle = np.arctan2(sine, np.sum(to_next * to_previous, axis=-1)).reshape(-1)
    total = np.zeros((int(group.max()) + 1, 3))
    np.add.at(total, group, angle[:, None] * np.repeat(unit, 3, axis=0))
    return total / np.maximum(np.linalg.norm(total, axis=-1, keepdims=True), 1e-300)


def _indexed(
    corners: F64, group: NDArray[np.int64], normals: F64, corner_uv: F64 | None
) -> tuple[F64, I32, F64, F64 | None]:
    """One vertex per group, or per (group, texture coordinate)."""
    key = group[:, None].astype(np.float64)
    flat_uv = None if corner_uv is None else corner_uv.reshape(-1, 2)
    if flat_uv is not None:
        key = np.concatenate([key, flat_uv], axis=1)
    _, first, index = np.unique(key, axis=0, return_index=True, return_inverse=True)
    faces = index.reshape(-1, 3).astype(np.int32)
    return corners[first], faces, normals[group[first]], None if flat_uv is None else flat_uv[first]
