"""Mesh files as exporters write them: read rightly, or told in words of the mesh when checked."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from fourdcb.dsl import emit, parse_script
from fourdcb.errors import Diagnostic, DiagnosticsError, UserError
from fourdcb.physics.bullet.mesh_shape import mesh_shape
from fourdcb.world import Object
from fourdcb.world._gltf import plain_glb
from fourdcb.world.mesh import mesh_size, object_mesh

MESHES = Path(__file__).parents[1] / "data" / "meshes"
ZERO = (0.0, 0.0, 0.0)
SCRIPT = """world = World()
floor = Plane(friction=1, restitution=1)
thing = Object("thing", mesh="{}", friction=0.5, restitution=0.2, pos=[0, 0, 0.5], vel=[0, 0, 0],
               acc=[0, 0, -9.8], material="steel"{})
"""


def body(mesh: str, mesh_up: str | None = None) -> Object:
    return Object(
        name="it", geometry="mesh", mesh=mesh, mesh_up=mesh_up, mass=1.0, pos=ZERO, vel=ZERO, acc=ZERO
    )


def checked(mesh: str, folder: Path = MESHES, more: str = "") -> tuple[Diagnostic, ...]:
    try:
        return parse_script(SCRIPT.format(mesh, more), base_dir=str(folder)).diagnostics
    except DiagnosticsError as error:
        return tuple(error.diagnostics)


FAULTS = {
    "inv.ply": "is inside out: its 12 triangles face inwards",
    "open.ply": "is open: 4 edges of its 10 triangles have no neighbour",
    "mixed.ply": "has triangles that face both ways: 4 of 12 face the other way",
    "nan.obj": "corners that are no finite numbers: 3 of 4 triangles",
    "pc.ply": "holds points and no triangle",
    "g_draco.glb": "the mesh file's Draco data cannot be decoded",
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_mesh_is_told_when_the_script_is_checked(name: str) -> None:
    (found,) = checked(name)
    assert (found.severity, found.code, found.line, found.path) == ("error", "mesh", 3, "thing.mesh")
    assert FAULTS[name] in found.message


@pytest.mark.parametrize("name", ["inv.ply", "open.ply", "mixed.ply"])
def test_the_engine_refuses_it_in_the_same_words(name: str) -> None:
    with pytest.raises(UserError, match=FAULTS[name].split(":")[0]):
        mesh_shape(body(name), base_dir=str(MESHES))


@pytest.mark.parametrize("name", ["g_plain.glb", "g_quant.glb", "g_sparse.glb", "g_vcol.glb"])
def test_accessors_of_every_kind_give_the_same_box(name: str) -> None:
    assert checked(name) == ()
    # The file's 0.2 × 0.3 × 0.4 m: glTF's y is up, so its z is the world's −y.
    np.testing.assert_allclose(mesh_size(body(name), str(MESHES)), (0.2, 0.4, 0.3), atol=1e-5)


def test_draco_is_decoded(tmp_path: Path) -> None:
    box = trimesh.creation.box((0.2, 0.3, 0.4))
    box.export(tmp_path / "d.glb", extension_draco=True)
    np.testing.assert_allclose(mesh_size(body("d.glb"), str(tmp_path)), (0.2, 0.4, 0.3), atol=1e-4)


def test_an_unknown_extension_is_named(tmp_path: Path) -> None:
    data = trimesh.creation.box().export(file_type="glb")
    (tmp_path / "m.glb").write_bytes(with_header(data, extensionsRequired=["EXT_meshopt_compression"]))
    (found,) = checked("m.glb", tmp_path)
    assert "needs an extension that cannot be read: EXT_meshopt_compression" in found.message


def with_header(data: bytes, **changes: Any) -> bytes:
    """A GLB file with other entries in its description."""
    length = struct.unpack_from("<I", data, 12)[0]
    text = json.dumps({**json.loads(data[20 : 20 + length]), **changes}).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + data[20 + length :]
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def test_gltf_stands_and_mesh_up_overrides_it() -> None:
    assert checked("yup.glb") == ()
    np.testing.assert_allclose(mesh_size(body("yup.glb"), str(MESHES)), (0.1, 0.1, 0.4), atol=1e-3)
    np.testing.assert_allclose(mesh_size(body("yup.glb", "z"), str(MESHES)), (0.1, 0.4, 0.1), atol=1e-3)
    mesh, file = (object_mesh(body("yup.glb", up), base_dir=str(MESHES)) for up in (None, "z"))
    x, y, z = file.vertices.T
    np.testing.assert_allclose(mesh.vertices, np.stack([x, -z, y], axis=1))
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    assert np.einsum("fi,fi->f", np.cross(b - a, c - a), mesh.normals[mesh.faces[:, 0]]).min() > 0
    assert checked("mm.obj", more=', mesh_up="x"')[0].code == "axis"


def test_mesh_up_is_read_back() -> None:
    world = parse_script(SCRIPT.format("yup.glb", ', mesh_up="z"'), base_dir=str(MESHES)).world
    assert world.objects[0].mesh_up == "z"
    assert parse_script(emit(world), base_dir=str(MESHES)).world == world


def test_millimetres_are_doubted() -> None:
    (found,) = checked("mm.obj")
    assert (found.code, found.severity) == ("doubtful-unit", "warning")
    assert "(400 mm would be 0.4 m)" in found.message


def test_a_size_beside_a_mesh_is_told_to_have_no_effect() -> None:
    (found,) = checked("g_plain.glb", more=", size=[1, 1, 1]")
    assert (found.code, found.path) == ("no-effect", "thing.size")


def test_a_far_origin_keeps_its_digits(tmp_path: Path) -> None:
    """Survey coordinates: 5,000 km from the origin a small volume is lost without recentring."""
    offset = np.array([5e6, -3e6, 200.0])
    box = trimesh.creation.icosphere(subdivisions=2, radius=0.1)
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in (box.vertices + offset).tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in box.faces.tolist()]
    (tmp_path / "far.obj").write_text("\n".join(lines))
    shape = mesh_shape(body("far.obj"), base_dir=str(tmp_path))
    assert shape.volume == pytest.approx(float(box.volume), rel=1e-6)
    np.testing.assert_allclose(shape.center, offset, atol=1e-6)
    np.testing.assert_allclose(shape.unit_inertia, [0.4 * 0.1**2] * 3, rtol=0.05)
    mesh = object_mesh(body("far.obj"), base_dir=str(tmp_path))
    radial = (mesh.vertices - offset) / 0.1
    assert np.einsum("vi,vi->v", radial, mesh.normals).min() > 0.99
    assert [d.code for d in checked("far.obj", tmp_path)] == ["far-origin"]


def test_vertex_colours_are_linear_in_gltf_and_srgb_elsewhere(tmp_path: Path) -> None:
    mesh = object_mesh(body("g_vcol.glb"), base_dir=str(MESHES))
    assert mesh.colors is not None
    np.testing.assert_allclose(mesh.colors, np.tile([1.0, 0.0, 0.0], (len(mesh.colors), 1)))
    box = trimesh.creation.box()
    box.visual.vertex_colors = [188, 188, 188, 255]
    box.export(tmp_path / "grey.ply")
    grey = object_mesh(body("grey.ply"), base_dir=str(tmp_path)).colors
    assert grey is not None
    np.testing.assert_allclose(grey, 0.5028, atol=1e-3)  # IEC 61966-2-1 of 188 / 255


KINDS = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123}


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(KINDS)), st.booleans(), st.integers(0, 2**32 - 1))
def test_normalised_and_sparse_accessors_are_what_the_specification_says(
    kind: str, sparse: bool, seed: int
) -> None:
    """glTF 2.0, 3.6.2.2: f = c / 127, c / 255, max(c / 127, −1) …; 3.6.2.3: sparse values replace others."""
    rng = np.random.default_rng(seed)
    info = np.iinfo(kind)
    values = rng.integers(info.min, info.max, (6, 3), dtype=kind, endpoint=True)
    patch = rng.integers(info.min, info.max, (2, 3), dtype=kind, endpoint=True)
    rows = np.array([1, 4], dtype="<u2")
    blob = values.tobytes() + patch.tobytes()
    blob += b"\0" * (-len(blob) % 4)
    views = [(0, values.nbytes), (values.nbytes, patch.nbytes), (len(blob), rows.nbytes)]
    blob += rows.tobytes()
    accessor: dict[str, Any] = {
        "bufferView": 0, "componentType": KINDS[kind], "count": 6, "type": "VEC3", "normalized": True,
    }  # fmt: skip
    expected = values.copy()
    if sparse:
        accessor["sparse"] = {"count": 2, "indices": {"bufferView": 2, "componentType": 5123},
                              "values": {"bufferView": 1}}  # fmt: skip
        expected[rows] = patch
    header = {
        "asset": {"version": "2.0"}, "buffers": [{"byteLength": len(blob)}], "accessors": [accessor],
        "bufferViews": [{"buffer": 0, "byteOffset": o, "byteLength": n} for o, n in views],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}], "nodes": [{"mesh": 0}],
        "scenes": [{"nodes": [0]}], "scene": 0,
    }  # fmt: skip
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 4)
    blob += b"\0" * (-len(blob) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(blob), b"BIN\0") + blob
    data = plain_glb(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks, where="it")
    mesh = trimesh.load(trimesh.util.wrap_as_stream(data), file_type="glb", force="mesh", process=False)
    np.testing.assert_allclose(mesh.vertices, np.maximum(expected / float(info.max), -1.0), atol=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200), st.integers(0, 800), st.integers(1, 60))
def test_damaged_files_end_in_a_clear_error(junk: bytes, at: int, cut: int) -> None:
    data = bytearray((MESHES / "g_vcol.glb").read_bytes())
    data[at : at + cut] = junk
    try:
        read = plain_glb(bytes(data), where="it")
    except UserError:
        return
    assert read.startswith(b"glTF")
