"""What turns nobody sees: of patterned bodies as far as pixels tell, of meshes from their surface."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh
from PIL import Image
from scipy.spatial.transform import Rotation

from fourdcb.conventions import wxyz_from_xyzw
from fourdcb.metrics.geometry.shape import extents
from fourdcb.metrics.geometry.turns import covering_turns, pair_symmetry
from fourdcb.sensitivity.shown_turns import shown_turns
from fourdcb.world import Camera, DirectionalLight, Material, Object, World
from fourdcb.world.mesh import object_mesh
from fourdcb.world.mesh_symmetry import seen_free_axes
from fourdcb.world.symmetry import rotation_errors

FRAMES = 20


def world_of(body: Object, folder: Path, *, distance: float = 0.6) -> World:
    camera = Camera(pos=(0.0, -distance, 0.15), target=(0.0, 0.0, 0.0), fov_y_deg=30, width=128, height=128)
    sun = DirectionalLight(name="sun", direction=(-0.4, 0.6, -0.7), intensity=3.0)
    return World(
        duration=1.0, fps=FRAMES, objects=(body,), lights=(sun,), camera=camera, base_dir=str(folder)
    )


def body(geometry: str, *, texture: str | None = None, mesh: str | None = None) -> Object:
    size = (0.1, 0.1, 0.1) if geometry != "cylinder" else (0.1, 0.1, 0.14)
    return Object(
        name="thing", geometry=geometry, size=size, mesh=mesh, pos=(0.0, 0.0, 0.0), vel=(0, 0, 0),
        acc=(0, 0, 0), material=Material(base_color_map=texture),
    )  # fmt: skip


def image(folder: Path, name: str, pixels: np.ndarray) -> str:
    Image.fromarray(pixels.astype(np.uint8)).save(folder / name)
    return name


@pytest.fixture
def sectors(tmp_path: Path) -> str:
    """Eight upright sectors of different brightness: no turn leaves them as they are."""
    columns = np.repeat([230, 40, 180, 90, 250, 20, 120, 60], 8)
    return image(tmp_path, "sectors.png", np.tile(columns[None, :, None], (32, 1, 3)))


@pytest.fixture
def bands(tmp_path: Path) -> str:
    """Rings about the axis: a turn about it is not seen."""
    rows = np.repeat([230, 40, 180, 90, 250, 20, 120, 60], 8)
    return image(tmp_path, "bands.png", np.tile(rows[:, None, None], (1, 32, 3)))


def spun(turn_deg: float, rate_deg: float = 0.0, axis: str = "z") -> np.ndarray:
    """Orientations over the clip, shape (T, 4)."""
    angles = turn_deg + rate_deg * np.arange(FRAMES) / FRAMES
    return wxyz_from_xyzw(Rotation.from_euler(axis, angles[:, None], degrees=True).as_quat())


def errors(thing: Object, scene: World, truth: np.ndarray, guess: np.ndarray) -> np.ndarray:
    shown = shown_turns(thing, scene, np.zeros((FRAMES, 3)), truth)
    size = extents(thing, scene)
    return rotation_errors(truth, guess, pair_symmetry((thing, scene), (thing, scene), (size, size), shown))[
        0
    ]


@pytest.mark.parametrize("geometry", ["sphere", "cylinder"])
@pytest.mark.parametrize("turn", [45.0, 90.0, 180.0])
def test_a_texture_shows_that_a_round_body_is_turned(
    geometry: str, turn: float, sectors: str, tmp_path: Path
) -> None:
    thing = body(geometry, texture=sectors)
    found = errors(thing, world_of(thing, tmp_path), spun(0.0), spun(turn))
    assert found == pytest.approx(turn, abs=2.0)  # half a pixel at the rim is forgiven
    plain = body(geometry)
    assert errors(plain, world_of(plain, tmp_path), spun(0.0), spun(turn)).max() < 1e-5


@pytest.mark.parametrize("rate", [-200.0, 600.0])
def test_a_texture_shows_a_spin_backwards_or_three_times_as_fast(
    rate: float, sectors: str, tmp_path: Path
) -> None:
    thing = body("sphere", texture=sectors)
    scene = world_of(thing, tmp_path)
    assert errors(thing, scene, spun(0.0, 200.0), spun(0.0, rate)).max() > 90.0
    assert errors(thing, scene, spun(0.0, 200.0), spun(0.0, 200.0)).max() == 0.0


def test_bands_hide_a_turn_about_their_axis_and_no_other(bands: str, tmp_path: Path) -> None:
    ball = body("sphere", texture=bands)
    scene = world_of(ball, tmp_path)
    assert errors(ball, scene, spun(0.0), spun(70.0)).max() < 1e-5
    assert errors(ball, scene, spun(0.0), spun(70.0, axis="x")).min() > 65.0


def test_what_the_pixels_cannot_tell_is_not_judged(sectors: str, tmp_path: Path) -> None:
    even = image(tmp_path, "even.png", np.full((16, 16, 3), 140))
    for thing, distance in ((body("sphere", texture=even), 0.6), (body("sphere", texture=sectors), 60.0)):
        scene = world_of(thing, tmp_path, distance=distance)
        assert errors(thing, scene, spun(0.0), spun(90.0)).max() < 1e-5


def mesh_file(folder: Path, name: str, surface: trimesh.Trimesh) -> Object:
    (folder / name).write_text(trimesh.exchange.obj.export_obj(surface, include_normals=False))
    return body("mesh", mesh=name)


def test_a_mesh_box_turned_by_a_quarter_is_the_same_box(tmp_path: Path) -> None:
    square = mesh_file(tmp_path, "square.obj", trimesh.creation.box(extents=(0.1, 0.1, 0.2)))
    scene = world_of(square, tmp_path)
    assert errors(square, scene, spun(0.0), spun(90.0)).max() < 1e-5
    assert errors(square, scene, spun(0.0), spun(180.0, axis="x")).max() < 1e-5
    assert errors(square, scene, spun(0.0), spun(45.0)).min() == pytest.approx(45.0)
    assert errors(square, scene, spun(0.0), spun(90.0, axis="x")).min() == pytest.approx(90.0)
    oblong = mesh_file(tmp_path, "oblong.obj", trimesh.creation.box(extents=(0.1, 0.15, 0.2)))
    assert errors(oblong, world_of(oblong, tmp_path), spun(0.0), spun(90.0)).min() == pytest.approx(90.0)


def test_a_mesh_wedge_has_no_turn(tmp_path: Path) -> None:
    """As tall as it is wide, but only half of a box."""
    corners = [[0, 0, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 0], [0, 1, 1]]
    wedge = mesh_file(tmp_path, "wedge.obj", trimesh.Trimesh(0.1 * np.array(corners)).convex_hull)
    mesh = object_mesh(wedge, base_dir=str(tmp_path))
    assert len(covering_turns(mesh, mesh)) == 2  # and the half turn that swaps its two flat sides


@pytest.mark.parametrize(
    ("surface", "free"),
    [
        (trimesh.creation.icosphere(subdivisions=4, radius=0.05), "all"),
        (trimesh.creation.cylinder(radius=0.05, height=0.2, sections=48), "z"),
        (trimesh.creation.box(extents=(0.1, 0.1, 0.1)), "none"),
        (trimesh.creation.cylinder(radius=0.05, height=0.2, sections=6), "none"),
        (trimesh.creation.torus(major_radius=0.1, minor_radius=0.03), "z"),
    ],
)
def test_free_axes_of_meshes_are_those_of_their_solids(
    surface: trimesh.Trimesh, free: str, tmp_path: Path
) -> None:
    assert seen_free_axes(mesh_file(tmp_path, "m.obj", surface), base_dir=str(tmp_path)) == free
    lying = surface.copy()
    lying.apply_transform(trimesh.transformations.rotation_matrix(np.pi / 2, [0, 1, 0]))
    expected = "x" if free == "z" else free
    assert seen_free_axes(mesh_file(tmp_path, "l.obj", lying), base_dir=str(tmp_path)) == expected


def test_coloured_vertices_show_the_turn_of_a_mesh_box(tmp_path: Path) -> None:
    surface = trimesh.creation.box(extents=(0.1, 0.1, 0.1)).subdivide()
    red = surface.vertices[:, 0] > 0.049
    surface.visual.vertex_colors = np.where(red[:, None], [[255, 0, 0, 255]], [[200, 200, 200, 255]])
    (tmp_path / "red.ply").write_bytes(surface.export(file_type="ply"))
    thing = body("mesh", mesh="red.ply")
    scene = world_of(thing, tmp_path)
    assert errors(thing, scene, spun(30.0), spun(120.0)).min() > 85.0
    plain = mesh_file(tmp_path, "plain.obj", trimesh.creation.box(extents=(0.1, 0.1, 0.1)))
    assert errors(plain, world_of(plain, tmp_path), spun(30.0), spun(120.0)).max() < 1e-5
