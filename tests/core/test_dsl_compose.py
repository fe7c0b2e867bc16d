"""``Object(…) + Light(…)``: the source document's first example, and what is strict in it on purpose."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fourdcb.dsl import edit_value, parse_script
from fourdcb.errors import DiagnosticsError

INTRO = (
    'Object("cup", pos=[0.2, -0.1, 0.8], vel=[0, 0, -0.3], material="ceramic")'
    '+Light("sun", dir=[-0.7, -0.5, -0.3], intensity=1.2, time_range=[0.0, 2.5])\n'
)
WHOLE = INTRO.replace('material="ceramic"', 'geometry="cylinder", acc=[0, 0, -9.8], material="ceramic"')
APART = "world = World()\n" + WHOLE.replace(")+Light", ")\nLight")


def test_the_first_example_verbatim_says_the_way_out() -> None:
    with pytest.raises(DiagnosticsError) as caught:
        parse_script(INTRO)
    errors = [(d.code, d.path, d.hint) for d in caught.value.diagnostics if d.severity == "error"]
    assert [(code, path) for code, path, _ in errors] == [
        ("missing-field", "cup.geometry"), ("missing-field", "cup.acc"),
    ]  # fmt: skip
    assert "acc=[0, 0, -9.8]" in str(errors[1][2])
    assert 'geometry="box"' in str(errors[0][2])


@pytest.mark.parametrize(
    "form", ["{}", "world = {}", "scene = {}", "world = World()\n{}", "w = World() + {}"]
)
def test_a_sum_of_things_is_their_world(form: str) -> None:
    assert parse_script(form.format(WHOLE)).world == parse_script(APART).world


def test_a_sum_takes_planes_cameras_and_worlds_and_grows() -> None:
    source = WHOLE.rstrip() + " + Plane('floor', friction=1, restitution=1) + Camera(width=64, height=32)\n"
    source += (
        "world.duration = 2\nworld += Plane('wall', normal=[0, 1, 0], offset=-2)\nworld['cup'].mass = 0.2\n"
    )
    world = parse_script(source).world
    assert (world.duration, world.camera.width, world.objects[0].mass) == (2.0, 64, 0.2)
    assert [plane.name for plane in world.planes] == ["floor", "wall"]


@pytest.mark.parametrize("wrong", ["Material() + Light('l', pos=[0, 0, 1])", "Object('a', 'box') + 3"])
def test_other_sums_are_refused(wrong: str) -> None:
    with pytest.raises(DiagnosticsError) as caught:
        parse_script("world = World()\nx = " + wrong + "\n")
    assert "type" in {d.code for d in caught.value.diagnostics}


def test_a_composed_world_can_be_edited() -> None:
    edit = edit_value(WHOLE, "world.ambient", 0.25)
    assert parse_script(edit.source).world.ambient == 0.25


def test_the_documents_command_line_works_from_a_source_tree(tmp_path: Path) -> None:
    front = Path(__file__).parents[2] / "core" / "eval.py"
    done = subprocess.run(
        [sys.executable, str(front), "--help"], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "--code" in done.stdout
