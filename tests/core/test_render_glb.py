"""The material that a GLB file brings, and when a script's own goes before it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from PIL import Image
from trimesh.visual.material import PBRMaterial

from fourdcb.conventions import linear_from_srgb
from fourdcb.render import RasterRenderer, RenderSettings
from fourdcb.render._scene import compile_scene
from fourdcb.world import Camera, Material, Object, World, parameter, parameters, with_value
from fourdcb.world.presets import material_preset

ZERO = (0.0, 0.0, 0.0)


def panel(path: Path, **material: Any) -> str:
    """A square of 1 m in the plane z = 0, seen from above, with its texture upright."""
    vertices = np.array([[-0.5, -0.5, 0], [0.5, -0.5, 0], [0.5, 0.5, 0], [-0.5, 0.5, 0]])
    uv = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    visual = trimesh.visual.TextureVisuals(uv=uv, material=PBRMaterial(**material)) if material else None
    mesh = trimesh.Trimesh(vertices, [[0, 1, 2], [0, 2, 3]], visual=visual, process=False)
    path.write_bytes(mesh.export(file_type="glb"))
    return path.name


def world(folder: Path, mesh: str, material: Material | None = None) -> World:
    body = Object(
        name="panel", geometry="mesh", mesh=mesh, mesh_up="z", mass=1.0, pos=ZERO, vel=ZERO, acc=ZERO,
        material=material or Material(),
    )  # fmt: skip
    camera = Camera(pos=(0.0, -1e-6, 2.0), target=ZERO, fov_y_deg=20.0, width=64, height=64)
    return World(objects=(body,), camera=camera, lights=(), ambient=1.0, base_dir=str(folder))


def quarters() -> np.ndarray:
    """Red on the upper left, green on the lower right, else grey."""
    image = np.full((32, 32, 3), 128, np.uint8)
    image[:16, :16], image[16:, 16:] = (255, 0, 0), (0, 255, 0)
    return image


def row(w: World) -> tuple[np.ndarray, np.ndarray]:
    materials = compile_scene(w).materials
    return materials.surface[0, :5], materials.maps[0, :5]


def test_an_embedded_texture_is_drawn_upright_and_times_its_factor(tmp_path: Path) -> None:
    name = panel(
        tmp_path / "a.glb", baseColorTexture=Image.fromarray(quarters()), baseColorFactor=[255, 128, 255, 255]
    )
    poses = np.zeros((1, 3)), np.array([[1.0, 0, 0, 0]])
    seen = RasterRenderer(world(tmp_path, name), RenderSettings(supersample=1)).render(poses, 0.0).albedo
    np.testing.assert_allclose(seen[16, 16], [1.0, 0.0, 0.0], atol=1e-3)
    np.testing.assert_allclose(seen[48, 48], [0.0, 128 / 255, 0.0], atol=1e-3)
    grey = float(linear_from_srgb(128 / 255))
    np.testing.assert_allclose(seen[16, 48], [grey, grey * 128 / 255, grey], atol=1e-3)


def test_factors_are_used_where_the_script_is_silent(tmp_path: Path) -> None:
    name = panel(
        tmp_path / "a.glb", baseColorFactor=[51, 102, 204, 255], roughnessFactor=0.3, metallicFactor=0.75
    )
    surface, maps = row(world(tmp_path, name))
    np.testing.assert_allclose(surface, [0.2, 0.4, 0.8, 0.3, 0.75], atol=1e-6)
    assert (maps == [-1, -1, -1, -1, 0]).all()
    surface, _ = row(world(tmp_path, name, Material(roughness=0.5)))
    np.testing.assert_allclose(surface, [0.2, 0.4, 0.8, 0.5, 0.75], atol=1e-6)
    red = Material(base_color=(1.0, 0.0, 0.0), metallic=0.2)
    surface, _ = row(world(tmp_path, name, red))
    np.testing.assert_allclose(surface, [1.0, 0.0, 0.0, 0.3, 0.2], atol=1e-6)


def test_a_value_that_is_stated_counts_even_where_it_is_the_default(tmp_path: Path) -> None:
    """A stated 0.8 is a stated 0.8: also the default material, named."""
    name = panel(
        tmp_path / "a.glb", baseColorFactor=[51, 102, 204, 255], roughnessFactor=0.3, metallicFactor=0.75,
        metallicRoughnessTexture=Image.fromarray(np.full((4, 4, 3), 128, np.uint8)),
    )  # fmt: skip
    grey = float(linear_from_srgb(0.5))
    for material, expected, images in (
        (Material(roughness=0.8), [0.2, 0.4, 0.8, 0.8, 0.75], [False, True]),
        (Material(metallic=0.0), [0.2, 0.4, 0.8, 0.3, 0.0], [True, False]),
        (Material(base_color=(0.5, 0.5, 0.5)), [grey, grey, grey, 0.3, 0.75], [True, True]),
        (material_preset("matte grey"), [grey, grey, grey, 0.8, 0.0], [False, False]),
    ):
        surface, maps = row(world(tmp_path, name, material))
        np.testing.assert_allclose(surface, expected, atol=1e-6)
        assert (maps[2:4] >= 0).tolist() == images


def test_a_slider_shows_what_is_drawn(tmp_path: Path) -> None:
    """The file's look is the effective value; to change a component states the whole colour."""
    name = panel(
        tmp_path / "a.glb", baseColorFactor=[51, 102, 204, 255], roughnessFactor=0.3, metallicFactor=0.75
    )
    w = world(tmp_path, name)
    assert parameter(w, "panel.roughness").value == pytest.approx(0.3)
    assert linear_from_srgb(parameter(w, "panel.base_color[1]").value) == pytest.approx(0.4, abs=1e-6)
    redder = with_value(w, "panel.base_color[0]", 1.0)
    np.testing.assert_allclose(row(redder)[0], [1.0, 0.4, 0.8, 0.3, 0.75], atol=1e-6)
    np.testing.assert_allclose(row(with_value(w, "panel.roughness", 0.8))[0][3], 0.8)
    (tmp_path / name).unlink()
    known = {p.path for p in parameters(w)}  # what cannot be known has no slider
    assert "panel.mass" in known
    assert "panel.roughness" not in known


def test_roughness_and_metallic_share_an_image(tmp_path: Path) -> None:
    both = np.zeros((8, 8, 3), np.uint8)
    both[..., 1], both[..., 2] = 51, 204
    name = panel(
        tmp_path / "a.glb", metallicRoughnessTexture=Image.fromarray(both), normalTexture=None,
        roughnessFactor=0.5, metallicFactor=1.0,
    )  # fmt: skip
    w = world(tmp_path, name)
    materials = compile_scene(w).materials
    surface, maps = row(w)
    assert (maps[:2] == -1).all()
    first = [int(materials.images[maps[k], 0]) for k in (2, 3)]
    np.testing.assert_allclose(materials.texels[first, 0], [0.2, 0.8], atol=1e-6)
    np.testing.assert_allclose(surface[3:], [0.5, 1.0])


def test_a_script_that_names_a_map_gets_nothing_of_the_file(tmp_path: Path) -> None:
    name = panel(tmp_path / "a.glb", baseColorTexture=Image.fromarray(quarters()), roughnessFactor=0.1)
    Image.fromarray(np.full((4, 4, 3), 255, np.uint8)).save(tmp_path / "white.png")
    surface, maps = row(world(tmp_path, name, Material(roughness_map="white.png")))
    assert (maps[[0, 1, 3]] == -1).all()
    assert surface[3] == 0.8  # nobody says anything: the default


@pytest.mark.parametrize("suffix", ["glb", "ply"])
def test_a_file_without_a_material_changes_nothing(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(trimesh.creation.box().export(file_type=suffix))
    surface, maps = row(world(tmp_path, path.name))
    plain, _ = row(replace(world(tmp_path, path.name), objects=(box(),)))
    np.testing.assert_array_equal(surface, plain)
    assert maps[4] == 0


def box() -> Object:
    return Object(name="box", geometry="box", size=(1.0, 1.0, 1.0), mass=1.0, pos=ZERO, vel=ZERO, acc=ZERO)
