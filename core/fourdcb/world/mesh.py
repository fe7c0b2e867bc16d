"""Triangle meshes of every shape, in the body's own frame: one geometry for pictures and for metrics.

Triangles are counter-clockwise seen from outside; vertices are split where the surface has a sharp edge,
so that one normal per vertex gives the right shading. Closed shapes are watertight up to that split.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from fourdcb.arrays import F64, I32
from fourdcb.conventions import normalized
from fourdcb.errors import UserError
from fourdcb.world.mesh_look import MeshLook
from fourdcb.world.model import Object, Plane

SEGMENTS = 64
_RINGS = 32


@dataclass(frozen=True, slots=True, eq=False)
class TriangleMesh:
    """An indexed triangle mesh.

    Attributes:
        vertices: [m], shape (V, 3).
        faces: vertex indices, shape (F, 3), counter-clockwise seen from outside.
        normals: unit, outward, one per vertex, shape (V, 3).
        uv: texture coordinates, shape (V, 2), v upwards; None when a mesh file has none.
        colors: linear factors of the base colour per vertex, shape (V, 3); None when a file has none.
    """

    vertices: F64
    faces: I32
    normals: F64
    uv: F64 | None
    colors: F64 | None = None


def object_mesh(obj: Object, *, base_dir: str) -> TriangleMesh:
    """Mesh of an object in its own frame (origin = ``pos``, Z up); arrays are shared and read-only.

    A file whose up is y (glTF's, and ``mesh_up="y"``) is turned: its (x, y, z) are (x, −z, y) here.

    Raises:
        UserError: when a mesh file is missing, unreadable or holds no triangle.
    """
    if obj.geometry == "mesh":
        return _file_mesh(obj, base_dir)
    return _primitive(obj.geometry, *obj.size)


def mesh_look(obj: Object, *, base_dir: str) -> MeshLook | None:
    """The material in an object's GLB file; None for other shapes and files and where it holds none.

    Raises:
        UserError: when the file is missing or unreadable.
    """
    if obj.geometry != "mesh" or Path(obj.mesh or "").suffix.lower() != ".glb":
        return None
    return _load_look(*_file_key(obj, base_dir))


def plane_mesh(plane: Plane) -> TriangleMesh:
    """The square of a plane in the world frame; one texture tile per metre."""
    normal = normalized(plane.normal)
    helper = np.array([0.0, 1.0, 0.0]) if abs(normal[1]) < 0.9 else np.array([0.0, 0.0, 1.0])
    right = normalized(np.cross(helper, normal))
    up = np.cross(normal, right)
    half = 0.5 * plane.size
    corners = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    vertices = plane.offset * normal + corners[:, :1] * right + corners[:, 1:] * up
    faces = np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32)
    return _frozen(vertices, faces, np.tile(normal, (4, 1)), corners)


def mesh_size(obj: Object, base_dir: str) -> F64:
    """Full extents of the object's bounding box in its own frame [m], shape (3,)."""
    vertices = object_mesh(obj, base_dir=base_dir).vertices
    return np.asarray(vertices.max(axis=0) - vertices.min(axis=0))


def _frozen(
    vertices: F64, faces: I32, normals: F64, uv: F64 | None, colors: F64 | None = None
) -> TriangleMesh:
    mesh = TriangleMesh(
        np.ascontiguousarray(vertices),
        np.ascontiguousarray(faces, dtype=np.int32),
        np.ascontiguousarray(normals),
        None if uv is None else np.ascontiguousarray(uv),
        None if colors is None else np.ascontiguousarray(colors),
    )
    for array in (mesh.vertices, mesh.faces, mesh.normals, mesh.uv, mesh.colors):
        if array is not None:
            array.setflags(write=False)
    return mesh


@lru_cache(maxsize=256)
def _primitive(geometry: str, x: float, y: float, z: float) -> TriangleMesh:
    if geometry == "box":
        return _box(x, y, z)
    radius, half = 0.5 * x, 0.5 * z
    if geometry == "sphere":
        angles = np.linspace(-0.5 * math.pi, 0.5 * math.pi, _RINGS + 1)
        return _revolved([_arc(radius, 0.0, angles)])
    if geometry == "cylinder":
        side = _line((radius, -half), (radius, half))
        return _revolved([_line((0.0, -half), (radius, -half)), side, _line((radius, half), (0.0, half))])
    if geometry == "cone":
        return _revolved([_line((0.0, -half), (radius, -half)), _line((radius, -half), (0.0, half))])
    if geometry == "capsule":
        straight = max(0.0, half - radius)
        lower = _arc(radius, -straight, np.linspace(-0.5 * math.pi, 0.0, _RINGS // 2 + 1))
        upper = _arc(radius, straight, np.linspace(0.0, 0.5 * math.pi, _RINGS // 2 + 1))
        return _revolved([np.concatenate([lower, upper if straight > 0.0 else upper[1:]])])
    raise AssertionError(f"no mesh for geometry {geometry!r}")


def _arc(radius: float, centre_z: float, angles: F64) -> F64:
    """Profile points (r, z, normal_r, normal_z), shape (K, 4), on a circle around (0, centre_z)."""
    cos, sin = np.cos(angles), np.sin(angles)
    cos[np.abs(cos) < 1e-12] = 0.0
    return np.stack([radius * cos, centre_z + radius * sin, cos, sin], axis=-1)


def _line(start: tuple[float, float], end: tuple[float, float]) -> F64:
    """Profile of a straight segment; the solid lies to its left when (r, z) is drawn right-handed."""
    dr, dz = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dr, dz)
    normal = (dz / length, -dr / length)
    return np.array([[*start, *normal], [*end, *normal]])


def _revolved(profiles: list[F64]) -> TriangleMesh:
    """Surface of revolution about z; each profile is smooth, edges between profiles are sharp."""
    angles = np.arange(SEGMENTS + 1) * (2.0 * math.pi / SEGMENTS)
    cos, sin = np.cos(angles), np.sin(angles)
    cos[-1], sin[-1] = cos[0], sin[0]  # the texture seam has two vertices at one place
    length = sum(float(np.hypot(*np.diff(p[:, :2], axis=0).T).sum()) for p in profiles)
    parts: list[tuple[F64, I32, F64, F64]] = []
    first, travelled = 0, 0.0
    for profile in profiles:
        r, z, nr, nz = profile.T
        steps = np.concatenate([[0.0], np.hypot(np.diff(r), np.diff(z)).cumsum()])
        v = np.broadcast_to(((travelled + steps) / length)[:, None], (len(r), SEGMENTS + 1))
        u = np.broadcast_to(angles / (2.0 * math.pi), v.shape)
        rings = np.broadcast_to(z[:, None], v.shape)
        vertices = np.stack([np.outer(r, cos), np.outer(r, sin), rings], axis=-1)
        flat = np.broadcast_to(nz[:, None], v.shape)
        normals = np.stack([np.outer(nr, cos), np.outer(nr, sin), flat], axis=-1)
        faces = _grid_faces(len(r), SEGMENTS + 1, collapsed_first=r[0] == 0, collapsed_last=r[-1] == 0)
        uv = np.stack([u, v], axis=-1)
        parts.append((vertices.reshape(-1, 3), faces + first, normals.reshape(-1, 3), uv.reshape(-1, 2)))
        first += vertices.shape[0] * vertices.shape[1]
        travelled += float(steps[-1])
    vertices, faces, normals, uv = (np.concatenate(column) for column in zip(*parts, strict=True))
    return _frozen(vertices, faces, normals, uv)


def _grid_faces(rows: int, columns: int, *, collapsed_first: bool, collapsed_last: bool) -> I32:
    i, j = np.meshgrid(np.arange(rows - 1), np.arange(columns - 1), indexing="ij")
    a = i * columns + j
    b, c, d = a + 1, a + columns + 1, a + columns
    lower = np.stack([a, b, c], axis=-1)[1 if collapsed_first else 0 :]
    upper = np.stack([a, c, d], axis=-1)[: rows - 2 if collapsed_last else rows - 1]
    return np.concatenate([lower.reshape(-1, 3), upper.reshape(-1, 3)]).astype(np.int32)


def _box(x: float, y: float, z: float) -> TriangleMesh:
    corners: list[F64] = []
    normals: list[F64] = []
    faces: list[tuple[int, int, int]] = []
    uv: list[tuple[float, float]] = []
    half = 0.5 * np.array([x, y, z])
    for axis in range(3):
        for sign in (1.0, -1.0):
            normal = np.zeros(3)
            normal[axis] = sign
            right = np.zeros(3)
            right[(axis + 1) % 3] = sign
            up = np.cross(normal, right)
            first = 4 * len(normals)
            for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                corners.append((normal + a * right + b * up) * half)
                uv.append((0.5 * (a + 1), 0.5 * (b + 1)))
            normals.append(normal)
            faces += [(first, first + 1, first + 2), (first, first + 2, first + 3)]
    vertex_normals = np.repeat(np.array(normals), 4, axis=0)
    return _frozen(np.array(corners), np.array(faces, dtype=np.int32), vertex_normals, np.array(uv))


def _file_mesh(obj: Object, base_dir: str) -> TriangleMesh:
    return _load_mesh(*_file_key(obj, base_dir), up_axis(obj))


def up_axis(obj: Object) -> str:
    """The axis of an object's mesh file that is up: what the script says, else y for GLB and z for others."""
    default = "y" if Path(obj.mesh or "").suffix.lower() == ".glb" else "z"
    return obj.mesh_up or default


def _file_key(obj: Object, base_dir: str) -> tuple[str, int, int]:
    """Path, time and size of an object's mesh file: what its content is kept under."""
    path = Path(base_dir) / (obj.mesh or "")
    if not obj.mesh or not path.is_file():
        raise UserError(
            f"object {obj.name!r}: mesh file not found",
            got=str(obj.mesh),
            expected="an OBJ, PLY or GLB file beside the script",
        )
    status = path.stat()
    return str(path.resolve()), status.st_mtime_ns, status.st_size


@lru_cache(maxsize=32)
def _load_mesh(path: str, _modified_ns: int, _size: int, up: str) -> TriangleMesh:
    from fourdcb.world._mesh_file import load_mesh

    vertices, faces, normals, uv, colors = load_mesh(path)
    if up == "y":
        vertices, normals = _z_up(vertices), _z_up(normals)
    return _frozen(vertices, faces, normals, uv, colors)


def _z_up(vectors: F64) -> F64:
    return np.stack([vectors[:, 0], -vectors[:, 2], vectors[:, 1]], axis=1)


@lru_cache(maxsize=32)
def _load_look(path: str, _modified_ns: int, _size: int) -> MeshLook | None:
    from fourdcb.world._mesh_file import load_look

    return load_look(path)
