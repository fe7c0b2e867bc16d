"""Validation of worlds that were made in Python, and the start-pose overlap."""

from __future__ import annotations

import math
import re
from dataclasses import fields, replace
from importlib.resources import files
from pathlib import Path

import pytest

from fourdcb.errors import UserError
from fourdcb.world import Keyframe, Material, Object, Plane, World, with_value
from fourdcb.world.looks import stated_look
from fourdcb.world.material import Material as CanonicalMaterial
from fourdcb.world.overlap import overlap_depth
from fourdcb.world.preset_page import materials_markdown
from fourdcb.world.presets import material_names, material_preset, material_sources
from fourdcb.world.validate import validate

BOX = Object(
    name="a", geometry="box", pos=(0, 0, 1), vel=(0, 0, 0), acc=(0, 0, -9.8), friction=1, restitution=0
)
BACKWARDS = (Keyframe(1, (0, 0, 0)), Keyframe(0, (0, 0, 0)))
SPHERE = replace(BOX, geometry="sphere")


def codes(world: World, severity: str = "error") -> list[str]:
    return [d.code for d in validate(world) if d.severity == severity]


def test_the_default_world_is_sound() -> None:
    assert validate(World()) == []
    assert validate(World(objects=(BOX,))) == []


@pytest.mark.parametrize(
    ("obj", "code", "path"),
    [
        (replace(BOX, mass=-1.0), "out-of-range", "a.mass"),
        (replace(BOX, mass=math.nan), "non-finite", "a.mass"),
        (replace(BOX, pos=(0, math.inf, 0)), "non-finite", "a.pos[1]"),
        (replace(BOX, size=(0, 1, 1)), "out-of-range", "a.size[0]"),
        (replace(BOX, restitution=1.01), "out-of-range", "a.restitution"),
        (replace(BOX, material=Material(roughness=-0.1)), "out-of-range", "a.roughness"),
        (replace(BOX, rot=(1, 1, 1, 1)), "not-unit", "a.rot"),
        (replace(BOX, geometry="mesh"), "geometry", "a.geometry"),
        (replace(BOX, mesh="a.obj"), "geometry", "a.geometry"),
        (replace(SPHERE, size=(1, 1, 2)), "size", "a.size"),
        (replace(BOX, geometry="mesh", mesh="../a.obj"), "path", "a.mesh"),
        (replace(BOX, trajectory=BACKWARDS), "keyframes", "a.trajectory[1]"),
        (replace(BOX, trajectory=(Keyframe(0, (0, 0, math.nan)),)), "non-finite", "a.trajectory"),
        (replace(BOX, name=""), "name", ""),
    ],
)  # fmt: skip
def test_errors_carry_code_and_path(obj: Object, code: str, path: str) -> None:
    found = [(d.code, d.path) for d in validate(World(objects=(obj,))) if d.severity == "error"]
    assert (code, path) in found


def test_names_are_shared_by_objects_planes_and_lights() -> None:
    assert codes(World(objects=(BOX,), planes=(Plane(name="a"),))) == ["duplicate-name"]
    assert codes(World(objects=(replace(BOX, name="default light"),))) == ["duplicate-name"]


def test_large_worlds_are_refused() -> None:
    many = tuple(replace(BOX, name=f"b{i}", pos=(i, 0, 1)) for i in range(201))
    assert "too-large" in codes(World(objects=many))
    assert "too-large" in codes(World(duration=500, objects=many[:10]))


def test_files_are_checked_on_request(tmp_path: Path) -> None:
    world = World(objects=(replace(BOX, geometry="mesh", mesh="a.obj"),), base_dir=str(tmp_path))
    assert validate(world) == []
    assert [d.code for d in validate(world, files=True)] == ["missing-file"]
    corners = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\n"
    (tmp_path / "a.obj").write_text(corners + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    assert validate(world, files=True) == []


def test_static_pairs_cause_no_contact_warning() -> None:
    fixed = replace(BOX, friction=None, restitution=None, fixed=True)
    assert codes(World(objects=(fixed,), planes=(Plane(),)), "warning") == []


def test_overlap_with_a_plane_is_exact_for_a_tilted_box() -> None:
    half_turn = math.sin(math.pi / 8), math.cos(math.pi / 8)
    box = replace(BOX, size=(0.2, 0.2, 0.2), rot=(half_turn[1], half_turn[0], 0, 0), pos=(0, 0, 0.1))
    assert overlap_depth(box, Plane()) == pytest.approx(0.1 * math.sqrt(2) - 0.1)


def test_overlap_of_spheres_is_exact_and_symmetric() -> None:
    one, two = replace(SPHERE, pos=(0, 0, 0)), replace(SPHERE, pos=(0.03, 0.04, 0))
    assert overlap_depth(one, two) == pytest.approx(0.05)
    assert overlap_depth(two, one) == pytest.approx(0.05)
    apart = overlap_depth(one, replace(SPHERE, pos=(1, 0, 0)))
    assert apart is not None
    assert apart < 0


def test_overlap_of_boxes_and_cylinders() -> None:
    one, two = replace(BOX, pos=(0, 0, 0)), replace(BOX, pos=(0.09, 0, 0))
    assert overlap_depth(one, two) == pytest.approx(0.01)
    can = replace(BOX, geometry="cylinder", pos=(0, 0, 0))
    diagonal = replace(can, pos=(0.08, 0.08, 0))  # the bounding boxes overlap, the round shapes do not
    depth = overlap_depth(can, diagonal)
    assert depth is not None
    assert depth < 0
    assert overlap_depth(can, replace(can, pos=(0, 0, 0.1))) == pytest.approx(0.0)
    assert overlap_depth(BOX, replace(BOX, geometry="mesh", mesh="a.obj")) is None


def test_overlap_beside_the_tip_of_a_cone() -> None:
    cone = replace(BOX, geometry="cone", size=(0.2, 0.2, 0.4), pos=(0, 0, 0.2))
    assert overlap_depth(cone, Plane()) == pytest.approx(0.0)
    beside = overlap_depth(cone, replace(SPHERE, pos=(0.1, 0, 0.35)))
    assert beside is not None
    assert beside < 0
    touching = overlap_depth(cone, replace(SPHERE, pos=(0, 0, 0.44)))
    assert touching == pytest.approx(0.01)


def test_round_shapes_change_size_across_together() -> None:
    world = World(
        objects=(replace(SPHERE, name="s"), replace(BOX, name="c", geometry="cylinder", pos=(1, 0, 1)))
    )
    assert with_value(world, "s.size[2]", 0.3).objects[0].size == (0.3, 0.3, 0.3)
    assert with_value(world, "c.size[1]", 0.3).objects[1].size == (0.3, 0.3, 0.1)
    assert with_value(world, "c.size[2]", 0.3).objects[1].size == (0.1, 0.1, 0.3)
    assert validate(with_value(world, "s.size[0]", 0.3)) == []


def test_presets_are_real_materials_with_sources() -> None:
    names = material_names()
    assert len(names) >= 21
    assert {"ceramic", "steel", "rubber", "oak", "glass", "ice", "matte grey"} <= set(names)
    for name in names:
        preset = material_preset(name)
        assert preset.name == name
        assert all(0 <= c <= 1 for c in (*preset.base_color, preset.roughness, preset.metallic))
        if name == "matte grey":
            continue
        assert preset.friction is not None
        assert 0 < preset.friction < 1.2
        assert preset.restitution is not None
        assert 0 < preset.restitution < 1
        assert preset.density is not None
        assert 10 < preset.density < 2e4
        assert set(material_sources(name)) == {"friction", "restitution", "density"}


def test_a_preset_factor_gives_the_table_value_for_a_like_pair() -> None:
    glass = material_preset("glass")
    assert glass.restitution is not None
    assert glass.restitution**2 == pytest.approx(0.94, abs=2e-3)


def test_the_default_material_states_nothing_and_looks_like_its_preset() -> None:
    silent, preset = CanonicalMaterial(), material_preset("matte grey")
    assert preset == replace(silent, base_color=(0.5, 0.5, 0.5), roughness=0.8, metallic=0.0)
    assert all(getattr(silent, f.name) is None for f in fields(silent) if f.name != "name")
    bare = replace(BOX, material=silent)
    assert stated_look(bare, World(objects=(bare,))) == ((0.5, 0.5, 0.5), 0.8, 0.0)


def test_unknown_preset_is_a_user_error() -> None:
    with pytest.raises(UserError, match="no such material"):
        material_preset("unobtainium")


def test_the_page_of_materials_is_current_and_names_known_sources() -> None:
    page = files("fourdcb_resources").joinpath("docs/materials.md").read_text(encoding="utf-8")
    assert page == materials_markdown(), (
        "write fourdcb.world.presets.materials_markdown() to docs/materials.md"
    )
    known = set(re.findall(r"^\| ([A-Z]{3}) \|", page, flags=re.M))
    assert len(known) == 6
    for name in material_names():
        if name != "matte grey":
            used = {text[:3] for text in material_sources(name).values()}
            assert used <= known, name
