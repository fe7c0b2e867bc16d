"""Looks that mesh files bring count as those that scripts state."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import trimesh
from PIL import Image
from trimesh.visual.material import PBRMaterial

from fourdcb.conventions import srgb_from_linear
from fourdcb.metrics import load_criteria
from fourdcb.metrics.comparison import Comparison
from fourdcb.metrics.light.appearance import stated_material
from fourdcb.metrics.light.material import compare_appearance
from fourdcb.metrics.light.metrics import appearance_error, brdf_error
from fourdcb.metrics.matching import match
from fourdcb.physics import simulate
from fourdcb.render import RenderSettings
from fourdcb.replay import Replay
from fourdcb.world import Camera, DirectionalLight, Material, Object, World

GREEN = (51, 153, 51, 255)  # linear factors 0.2, 0.6, 0.2


def box_file(path: Path, **material: Any) -> str:
    box = trimesh.creation.box()
    uv = np.array([[0.25, 0.25], [0.75, 0.75]])[np.arange(len(box.vertices)) % 2]
    box.visual = trimesh.visual.TextureVisuals(uv=uv, material=PBRMaterial(**material))
    path.write_bytes(box.export(file_type="glb"))
    return path.name


def played(folder: Path, mesh: str | None, material: Material | None = None) -> Replay:
    box = Object(
        name="box", geometry="mesh" if mesh else "box", mesh=mesh, size=(1, 1, 1), mass=1.0,
        pos=(0, 0, 0), vel=(0, 0, 0), acc=(0, 0, 0), material=material or Material(),
    )  # fmt: skip
    world = World(
        duration=0.1,
        fps=20,
        objects=(box,),
        lights=(DirectionalLight(name="sun", direction=(-0.4, 0.6, -0.7), intensity=4.0),),
        camera=Camera(pos=(0.8, -3.0, 1.5), target=(0, 0, 0), width=64, height=64),
        base_dir=str(folder),
    )
    return Replay(world=world, trajectory=simulate(world), frames=None, settings=RenderSettings())


def verdicts(truth: Replay, candidate: Replay) -> dict[str, bool | None]:
    matching = match(truth.world, candidate.world, truth.trajectory, candidate.trajectory)
    seen = cast("Comparison", SimpleNamespace(appearance=compare_appearance(truth, candidate, matching)))
    return {m.__name__: m(seen, load_criteria()).passed for m in (brdf_error, appearance_error)}


STATED = Material(base_color=tuple(srgb_from_linear(np.array(GREEN[:3]) / 255).tolist()), roughness=0.3)


@pytest.mark.parametrize("textured", [False, True])
def test_a_file_may_answer_for_the_script(tmp_path: Path, textured: bool) -> None:
    """Either side's look may lie in its mesh file."""
    look: dict[str, Any] = {"baseColorFactor": GREEN}
    if textured:
        srgb = np.rint(255 * srgb_from_linear(np.array(GREEN[:3]) / 255)).astype(np.uint8)
        look = {"baseColorTexture": Image.fromarray(np.broadcast_to(srgb, (8, 8, 3)).copy())}
    name = box_file(tmp_path / "a.glb", roughnessFactor=0.3, metallicFactor=0.0, **look)
    by_file, by_script = played(tmp_path, name), played(tmp_path, None, STATED)
    for truth, candidate in ((by_script, by_file), (by_file, by_script)):
        assert set(verdicts(truth, candidate).values()) == {True}


def test_a_file_states_the_mean_of_its_factors_times_its_images(tmp_path: Path) -> None:
    """By glTF: linear factor times linear image; green tells roughness, blue metalness."""
    halves = np.zeros((8, 8, 3), dtype=np.uint8)
    halves[:4] = 255  # linear mean 0.5 where the mean of the code values would give 0.214
    both = np.broadcast_to(np.uint8([255, 204, 102]), (8, 8, 3)).copy()
    name = box_file(
        tmp_path / "a.glb", baseColorFactor=GREEN, roughnessFactor=0.5, metallicFactor=0.25,
        baseColorTexture=Image.fromarray(halves), metallicRoughnessTexture=Image.fromarray(both),
    )  # fmt: skip
    world = played(tmp_path, name).world
    found = stated_material(world.objects[0], world)
    expected = 1.055 * (0.5 * np.array(GREEN[:3]) / 255) ** (1 / 2.4) - 0.055  # sRGB
    assert found.base_color == pytest.approx(tuple(expected), abs=2e-3)
    assert (found.roughness, found.metallic) == pytest.approx((0.5 * 0.8, 0.25 * 0.4), abs=1e-6)


def test_silence_does_not_borrow_the_look_of_the_truths_file(tmp_path: Path) -> None:
    name = box_file(tmp_path / "a.glb", baseColorFactor=GREEN, roughnessFactor=0.3, metallicFactor=0.0)
    truth, silent = played(tmp_path, name), played(tmp_path, None)
    assert verdicts(truth, silent)["appearance_error"] is False


def test_a_copy_of_the_truths_file_is_the_truth(tmp_path: Path) -> None:
    """Wherever it lies, with its images."""
    noise = np.random.default_rng(0).integers(0, 256, size=(8, 8, 3), dtype=np.uint8)
    (tmp_path / "other").mkdir()
    for folder in (tmp_path, tmp_path / "other"):
        box_file(folder / "a.glb", baseColorTexture=Image.fromarray(noise), roughnessFactor=0.3)
    truth, candidate = played(tmp_path, "a.glb"), played(tmp_path / "other", "a.glb")
    assert set(verdicts(truth, candidate).values()) == {True}
    red = replace(candidate.world.objects[0], material=Material(base_color=(1, 0, 0)))
    wrong = replace(candidate, world=replace(candidate.world, objects=(red,)))
    assert verdicts(truth, wrong)["appearance_error"] is False


def slab(folder: Path, material: Material) -> Replay:
    """A slab from above, in light from 60° beside the vertical: 30° from any mirror reflection."""
    truth = played(folder, None, material)
    thing = replace(truth.world.objects[0], size=(1.2, 1.2, 0.1))
    sun = DirectionalLight(name="sun", direction=(0.866, 0.0, -0.5), intensity=4.0)
    camera = Camera(pos=(0, 0, 4.0), target=(0, 0, 0), up=(0, 1, 0), width=64, height=64)
    world = replace(truth.world, objects=(thing,), lights=(sun,), camera=camera)
    return Replay(world=world, trajectory=simulate(world), frames=None, settings=RenderSettings())


@pytest.mark.parametrize(
    ("own", "method", "passed"),
    [
        ({"roughness": 0.37}, "unseen", True),  # 0.17 off by the script, and no pixel tells
        ({"metallic": 1.0}, "script", False),  # no highlight, but the whole slab is darker
        ({}, "script", True),
    ],
)
def test_roughness_counts_only_where_exchanging_it_is_seen(
    tmp_path: Path, own: dict[str, float], method: str, passed: bool
) -> None:
    base = Material(base_color=(0.6, 0.5, 0.4), roughness=0.2, metallic=0.0)
    truth, candidate = slab(tmp_path, base), slab(tmp_path, replace(base, **own))
    matching = match(truth.world, candidate.world, truth.trajectory, candidate.trajectory)
    found = compare_appearance(truth, candidate, matching)
    assert found.surfaces["box"].method == method
    seen = cast("Comparison", SimpleNamespace(appearance=found))
    assert brdf_error(seen, load_criteria()).passed is passed
