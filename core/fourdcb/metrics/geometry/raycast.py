"""Exact first hits of rays on triangle meshes: small, renderer-free, for surfaces and shadows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64
from fourdcb.conventions import rotation_from_quaternion
from fourdcb.world import Object, Plane, World, is_static

_EPSILON = 1e-9
_CHUNK = 2_000_000
_PART = 256


@dataclass(frozen=True, slots=True)
class Cluster:
    """Faces of one body and the sphere that holds them (centre [m], squared radius [m²])."""

    faces: NDArray[np.int64]
    centre: F64
    square: float


@dataclass(frozen=True, slots=True)
class Surfaces:
    """Triangles of several bodies in the world frame.

    Attributes:
        origin, edge1, edge2: per triangle [m], shape (F, 3).
        body: index of the body that owns it, shape (F,).
        clusters: by body: all its faces, then the same faces in small neighbourhoods.
    """

    origin: F64
    edge1: F64
    edge2: F64
    body: NDArray[np.int64]
    clusters: tuple[tuple[Cluster, ...], ...]


@dataclass(frozen=True, slots=True)
class Hits:
    """First hits of R rays.

    Attributes:
        distance: along the unit ray [m], inf where nothing is hit, shape (R,).
        body: index of the body, -1 where nothing is hit, shape (R,).
        normal: geometric unit normal, facing the ray's origin, shape (R, 3).
    """

    distance: F64
    body: NDArray[np.int64]
    normal: F64


def body_triangles(body: Object | Plane, base_dir: str) -> F64:
    """Triangle corners in the body's start pose, world frame [m], shape (F, 3, 3)."""
    from fourdcb.world.mesh import object_mesh, plane_mesh

    if isinstance(body, Plane):
        mesh = plane_mesh(body)
        return mesh.vertices[mesh.faces]
    mesh = object_mesh(body, base_dir=base_dir)
    vertices = mesh.vertices @ rotation_from_quaternion(body.rot).T + np.asarray(body.pos)
    return vertices[mesh.faces]


def static_surfaces(world: World, *, without: Collection[str] = ()) -> Surfaces:
    """Triangles of all static objects and planes but ``without``; ``body`` indexes ``world.bodies``."""
    corners, owner = [np.zeros((0, 3, 3))], [np.zeros(0, dtype=np.int64)]
    for i, body in enumerate(world.bodies):
        if body.name not in without and is_static(body):
            triangles = body_triangles(body, world.base_dir)
            corners.append(triangles)
            owner.append(np.full(len(triangles), i, dtype=np.int64))
    t, owners = np.concatenate(corners), np.concatenate(owner)
    clusters = tuple(_clusters(t, np.flatnonzero(owners == b)) for b in np.unique(owners))
    return Surfaces(t[:, 0], t[:, 1] - t[:, 0], t[:, 2] - t[:, 0], owners, clusters)


def _clusters(triangles: F64, faces: NDArray[np.int64]) -> tuple[Cluster, ...]:
    groups = [faces, *(faces[i : i + _PART] for i in range(0, len(faces), _PART))]
    found = []
    for group in groups:
        points = triangles[group].reshape(-1, 3)
        centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
        square = float(np.max(np.sum((points - centre) ** 2, axis=-1)))
        found.append(Cluster(group, centre, square * (1 + _EPSILON) + _EPSILON))
    return tuple(found)


def cast(surfaces: Surfaces, origins: F64, directions: F64) -> Hits:
    """First hit of every ray (Möller & Trumbore, "Fast, minimum storage ray/triangle intersection", 1997).

    Args:
        origins, directions: shape (R, 3); directions are unit vectors.
    """
    count = len(directions)
    distance = np.full(count, np.inf)
    face = np.full(count, -1)
    if not len(surfaces.body):
        return Hits(distance, face, np.zeros_like(directions))
    for whole, *parts in surfaces.clusters:
        passing = _passing(whole, origins, directions, np.arange(count))
        for part in parts if len(passing) else ():
            near = _passing(part, origins, directions, passing) if len(parts) > 1 else passing
            for rays in np.array_split(near, 1 + len(near) * len(part.faces) // _CHUNK):
                t = _distances(surfaces, part.faces, origins[rays], directions[rays])
                nearest = np.argmin(t, axis=1)
                found = t[np.arange(len(rays)), nearest]
                closer = found < distance[rays]
                distance[rays[closer]] = found[closer]
                face[rays[closer]] = part.faces[nearest[closer]]
    return Hits(distance, np.where(face >= 0, surfaces.body[face], -1), _normals(surfaces, face, directions))


def _passing(c: Cluster, origins: F64, directions: F64, rays: NDArray[np.int64]) -> NDArray[np.int64]:
    """Those rays that meet a cluster's sphere."""
    offset = c.centre - origins[rays]
    along = np.einsum("ij,ij->i", offset, directions[rays])
    aside = np.einsum("ij,ij->i", offset, offset) - along**2
    return rays[(aside <= c.square) & (along + c.square**0.5 > 0)]


def _distances(s: Surfaces, part: NDArray[np.int64], origins: F64, directions: F64) -> F64:
    d, e1, e2 = directions[:, None, :], s.edge1[part], s.edge2[part]
    p = np.cross(d, e2)
    det = np.sum(e1 * p, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = np.where(np.abs(det) > _EPSILON * 1e-6, 1.0 / det, np.nan)
        offset = origins[:, None, :] - s.origin[part]
        u = np.sum(offset * p, axis=-1) * inverse
        q = np.cross(offset, e1)
        v = np.sum(d * q, axis=-1) * inverse
        t = np.sum(e2 * q, axis=-1) * inverse
        hit = (u >= -_EPSILON) & (v >= -_EPSILON) & (u + v <= 1 + _EPSILON) & (t > 1e-6)
    return np.where(hit, t, np.inf)


def _normals(s: Surfaces, face: NDArray[np.int64], directions: F64) -> F64:
    n = np.cross(s.edge1[face], s.edge2[face])
    n /= np.maximum(np.linalg.norm(n, axis=-1, keepdims=True), 1e-30)
    facing = np.where(np.sum(n * directions, axis=-1, keepdims=True) > 0, -n, n)
    return np.where((face >= 0)[:, None], facing, 0.0)
