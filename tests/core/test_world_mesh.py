"""Meshes of shapes: closed, outward, of the right volume; files keep their frame and their creases."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from fourdcb.errors import UserError
from fourdcb.world import Object, Plane, primitive_volume
from fourdcb.world.mesh import TriangleMesh, mesh_size, object_mesh, plane_mesh

SHAPES = ("sphere", "box", "cylinder", "cone", "capsule")
ZERO = (0.0, 0.0, 0.0)


def make(geometry: str, size: tuple[float, float, float], mesh: str | None = None) -> Object:
    return Object(name="it", geometry=geometry, size=size, mesh=mesh, pos=ZERO, vel=ZERO, acc=ZERO)


def volume(mesh: TriangleMesh) -> float:
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    return float(np.einsum("fi,fi->", a, np.cross(b, c)) / 6.0)


@pytest.mark.parametrize("geometry", SHAPES)
@settings(max_examples=15, deadline=None)
@given(x=st.floats(0.01, 2.0), z=st.floats(0.01, 2.0))
def test_primitives_are_closed_outward_and_as_large_as_their_formula(
    geometry: str, x: float, z: float
) -> None:
    size = (x, x, x) if geometry == "sphere" else (x, x, max(z, x) if geometry == "capsule" else z)
    obj = make(geometry, size)
    mesh = object_mesh(obj, base_dir=".")
    expected = primitive_volume(obj)
    assert expected is not None
    assert volume(mesh) == pytest.approx(expected, rel=0.005)
    assert volume(mesh) <= expected * (1.0 + 1e-9)
    np.testing.assert_allclose(mesh_size(obj, "."), size, rtol=1e-9)
    welded = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
    welded.merge_vertices(merge_norm=True, merge_tex=True)
    assert welded.is_watertight
    assert welded.is_winding_consistent


@pytest.mark.parametrize("geometry", SHAPES)
def test_vertex_normals_are_unit_and_follow_the_facets(geometry: str) -> None:
    mesh = object_mesh(make(geometry, (0.2, 0.2, 0.5)), base_dir=".")
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=-1), 1.0, atol=1e-12)
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    facet = np.cross(b - a, c - a)
    facet /= np.linalg.norm(facet, axis=-1, keepdims=True)
    assert np.einsum("fi,fki->fk", facet, mesh.normals[mesh.faces]).min() > 0.99


def test_arrays_are_shared_and_read_only() -> None:
    first = object_mesh(make("cylinder", (0.1, 0.1, 0.2)), base_dir=".")
    assert object_mesh(make("cylinder", (0.1, 0.1, 0.2)), base_dir="x") is first
    with pytest.raises(ValueError, match="read-only"):
        first.vertices[0, 0] = 1.0


@pytest.mark.parametrize("normal", [(0.0, 0.0, 1.0), (0.0, 0.6, 0.8), (-1.0, 0.0, 0.0)])
def test_a_plane_lies_on_its_equation(normal: tuple[float, float, float]) -> None:
    mesh = plane_mesh(Plane(normal=normal, offset=0.3, size=4.0))
    np.testing.assert_allclose(mesh.vertices @ np.array(normal), 0.3, atol=1e-12)
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    np.testing.assert_allclose(np.cross(b - a, c - a).sum(axis=0), 2 * 16.0 * np.array(normal), atol=1e-9)


@pytest.mark.parametrize("suffix", ["obj", "ply", "glb"])
def test_mesh_files_keep_their_own_frame_and_size(tmp_path: Path, suffix: str) -> None:
    box = trimesh.creation.box((0.2, 0.3, 0.4))
    box.apply_translation((1.0, 0.0, 0.0))
    box.export(tmp_path / f"block.{suffix}")
    obj = replace(make("mesh", (0.1, 0.1, 0.1), mesh=f"block.{suffix}"), mesh_up="z")
    mesh = object_mesh(obj, base_dir=str(tmp_path))
    np.testing.assert_allclose(mesh_size(obj, str(tmp_path)), (0.2, 0.3, 0.4), atol=1e-6)
    assert mesh.vertices[:, 0].mean() == pytest.approx(1.0)
    assert volume(mesh) == pytest.approx(0.024, rel=1e-5)
    assert len(mesh.vertices) == 24
    assert (np.abs(mesh.normals).max(axis=-1) > 0.999).all()


def test_smooth_files_have_smooth_normals(tmp_path: Path) -> None:
    trimesh.creation.icosphere(subdivisions=3, radius=0.5).export(tmp_path / "ball.ply")
    mesh = object_mesh(make("mesh", (0.1, 0.1, 0.1), mesh="ball.ply"), base_dir=str(tmp_path))
    radial = mesh.vertices / np.linalg.norm(mesh.vertices, axis=-1, keepdims=True)
    assert np.einsum("vi,vi->v", radial, mesh.normals).min() > 0.999


def test_missing_and_broken_files_are_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not found"):
        object_mesh(make("mesh", (1.0, 1.0, 1.0), mesh="no.obj"), base_dir=str(tmp_path))
    (tmp_path / "bad.ply").write_text("this is no mesh")
    with pytest.raises(UserError, match="mesh file"):
        object_mesh(make("mesh", (1.0, 1.0, 1.0), mesh="bad.ply"), base_dir=str(tmp_path))
    (tmp_path / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n")
    with pytest.raises(UserError, match="no triangle"):
        object_mesh(make("mesh", (1.0, 1.0, 1.0), mesh="flat.obj"), base_dir=str(tmp_path))
