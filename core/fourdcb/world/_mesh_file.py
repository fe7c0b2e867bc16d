"""Reading mesh files: one triangle soup, normals smooth up to a crease angle. Imports trimesh and scipy."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from trimesh.visual.material import PBRMaterial

from fourdcb.arrays import F64, I32
from fourdcb.conventions import linear_from_srgb
from fourdcb.errors import UserError
from fourdcb.world._gltf import COLOURS, plain_glb
from fourdcb.world.mesh_look import MeshLook

CREASE_DEG = 40.0


Arrays = tuple[F64, I32, F64, F64 | None, F64 | None]


def load_mesh(path: str) -> Arrays:
    """Vertices, faces, normals, texture coordinates and linear colours of a mesh file, in its own frame.

    Raises:
        UserError: when the file is unreadable, holds a number that is not finite or no triangle of positive
            area.
    """
    corners, attributes, n_uv = _corners(path)
    if not np.isfinite(corners).all():
        bad = int((~np.isfinite(corners)).any(axis=(1, 2)).sum())
        raise UserError("the mesh file holds corners that are no finite numbers", where=path,
                        got=f"{bad} of {len(corners)} triangles have one")  # fmt: skip
    # About the middle of its box: far from the origin a small mesh has few digits left for areas and normals.
    middle = 0.5 * (corners.reshape(-1, 3).min(axis=0) + corners.reshape(-1, 3).max(axis=0))
    corners = corners - middle
    area_vectors = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    extent = float(np.ptp(corners.reshape(-1, 3), axis=0).max())
    solid = np.linalg.norm(area_vectors, axis=-1) > 1e-14 * extent**2
    if not solid.any():
        raise UserError("the mesh file holds no triangle with an area", where=path)
    corners, area_vectors, attributes = corners[solid], area_vectors[solid], attributes[solid]
    welded = _weld(corners.reshape(-1, 3), 1e-7 * extent).reshape(-1, 3)
    group = _smooth_groups(welded, area_vectors)
    normals = _group_normals(corners, area_vectors, group)
    first, faces, values = _indexed(group, attributes.reshape(3 * len(attributes), attributes.shape[-1]))
    uv, colors = values[:, :n_uv], values[:, n_uv:]
    return (
        corners.reshape(-1, 3)[first] + middle, faces, normals[group[first]],
        uv if n_uv else None, colors if colors.shape[1] else None,
    )  # fmt: skip


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


def _corners(path: str) -> tuple[F64, F64, int]:
    """Corner positions [F, 3, 3], what else the corners carry [F, 3, A], and how much of it is texture
    coordinates (2 or 0); the rest is a linear colour."""
    mesh = _read(path)
    uv, colors = getattr(mesh.visual, "uv", None), _colors(mesh)
    parts = [np.zeros((len(mesh.vertices), 0))]
    has_uv = uv is not None and len(uv) == len(mesh.vertices)
    if has_uv:
        parts.append(np.asarray(uv, dtype=np.float64))
    if colors is not None:
        parts.append(colors)
    positions = np.asarray(mesh.vertices, dtype=np.float64)[mesh.faces]
    return positions, np.concatenate(parts, axis=1)[mesh.faces], 2 if has_uv else 0


def _colors(mesh: Any) -> F64 | None:
    """Linear colours of vertices [V, 3]: glTF's are linear, bytes of OBJ and PLY files sRGB."""
    stored = mesh.vertex_attributes.get(COLOURS)
    if stored is not None and len(stored) == len(mesh.vertices):
        return np.asarray(stored, dtype=np.float64)
    if mesh.visual.kind != "vertex":
        return None
    return np.asarray(linear_from_srgb(np.asarray(mesh.visual.vertex_colors)[:, :3] / 255.0))


def _read(path: str) -> Any:
    """All of a file's triangles as one mesh of trimesh's."""
    glb = Path(path).suffix.lower() == ".glb"
    try:
        source: Any = BytesIO(plain_glb(Path(path).read_bytes(), where=path)) if glb else path
        mesh: Any = trimesh.load(source, file_type="glb" if glb else None, force="mesh", process=False)
    except UserError:
        raise
    except Exception as error:  # trimesh raises whatever its readers raise
        raise UserError("the mesh file cannot be read", where=path, got=str(error)) from error
    if isinstance(mesh, trimesh.PointCloud) or (isinstance(mesh, trimesh.Trimesh) and not len(mesh.faces)):
        raise UserError("the mesh file holds points and no triangle", where=path,
                        expected="a surface of triangles")  # fmt: skip
    if not isinstance(mesh, trimesh.Trimesh):
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


def _indexed(group: NDArray[np.int64], attributes: F64) -> tuple[NDArray[np.int64], I32, F64]:
    """One vertex per group and distinct attributes: the corner that it stands for, faces, attributes."""
    key = np.concatenate([group[:, None].astype(np.float64), attributes], axis=1)
    _, first, index = np.unique(key, axis=0, return_index=True, return_inverse=True)
    return first, index.reshape(-1, 3).astype(np.int32), attributes[first]
