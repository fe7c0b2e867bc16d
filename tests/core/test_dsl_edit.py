"""Edits of one value: the text keeps every other byte, the world changes by exactly that value."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourdcb.dsl import edit_value, emit, parse_script
from fourdcb.dsl.edit import format_like
from fourdcb.errors import DiagnosticsError, UserError
from fourdcb.world import World, parameters, with_value

REST = "vel=[0, 0, 0], acc=[0, 0, -9.8]"
KEYWORD = (
    f'world = World()\ncup = Object("cup", geometry="box", pos=[0, 0, 1], {REST}, mass=0.20)  # 0.20 kg\n'
)
STYLES: list[tuple[str, str, str, float, str, str]] = [
    ("keyword", KEYWORD, "cup.mass", 0.35, "mass=0.20)", "mass=0.35)"),
    ("list entry", KEYWORD, "cup.pos[2]", 2.5, "pos=[0, 0, 1]", "pos=[0, 0, 2.5]"),
    ("negative entry", KEYWORD, "cup.acc[2]", 1.62, "-9.8]", "1.62]"),
    ("becomes negative", KEYWORD, "cup.vel[0]", -0.4, "vel=[0, 0", "vel=[-0.4, 0"),
    ("positional", "world = World(3.0, 30)\nf = Plane([0, 0, 1], -0.50)\n", "f.offset", 0.25,
     "-0.50", "0.25"),
    ("world.add", f'world = World()\nworld.add(Object("a", "box", pos=(1, 2, 3), {REST}))\n',
     "a.pos[1]", 4, "(1, 2, 3)", "(1, 4, 3)"),
    ("named constant", f'world = World()\nE = 0.5  # bounce\na = Object("a", "box", pos=[0, 0, 1], {REST}, '
     "restitution=E)\n", "a.restitution", 0.7, "E = 0.5 ", "E = 0.7 "),
    ("named list", f'world = World()\nP = [0.0, 0.0, 1.0]\na = Object("a", "box", pos=P, {REST})\n',
     "a.pos[0]", 0.3, "P = [0.0", "P = [0.3"),
    ("dict unpacked", 'world = World()\ncommon = dict(vel=[0, 0, 0], acc=[0, 0, -9.8], friction=0.3)\n'
     'a = Object("a", "box", pos=[0, 0, 1], **common)\n', "a.friction", 0.4, "friction=0.3", "friction=0.4"),
    ("dict literal", f'world = World()\nspec = {{"mass": 1e-1}}\na = Object("a", "box", pos=[0, 0, 1], '
     f"{REST}, **spec)\n", "a.mass", 0.25, "1e-1", "2.5e-1"),
    ("assignment", KEYWORD + "cup.mass = 1\n", "cup.mass", 3, "cup.mass = 1", "cup.mass = 3"),
    ("component assignment", KEYWORD + "cup.vel[0] = 1.0\n", "cup.vel[0]", 0.5, "= 1.0", "= 0.5"),
    ("many lines", 'world = World()\na = Object(\n    "a",\n    geometry="box",\n    pos=[\n'
     '        0.10,  # x\n'
     f"        0.20,\n        0.30,\n    ],\n    {REST},\n)\n", "a.pos[0]", 0.15, "0.10,  # x", "0.15,  # x"),
    ("unicode before", f'world = World()\nü = Object("é", geometry="box", pos=[0, 0, 1], {REST}, mass=2)\n',
     "é.mass", 4, "mass=2", "mass=4"),
    ("windows line ends", KEYWORD.replace("\n", "\r\n"), "cup.mass", 0.35, "mass=0.20)", "mass=0.35)"),
    ("byte order mark", "\ufeff" + KEYWORD, "cup.mass", 0.35, "mass=0.20)", "mass=0.35)"),
    ("no last newline", KEYWORD.rstrip(), "cup.mass", 0.35, "mass=0.20)", "mass=0.35)"),
    ("light", 'world = World()\nLight("sun", dir=[0, 0, -1], intensity=2.0)\n', "sun.direction[0]", 0.1,
     "dir=[0,", "dir=[0.1,"),
    ("camera", "world = World()\ncamera = Camera(fov_y_deg=40)\n", "camera.fov_y_deg", 35, "=40", "=35"),
    ("world", "world = World(exposure=1.0)\n", "world.exposure", 1.5, "exposure=1.0", "exposure=1.5"),
    ("material", 'world = World()\nm = Material("paint", roughness=.50)\nfloor = Plane(material=m)\n',
     "floor.roughness", 0.25, "=.50", "=0.25"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("style", "source", "path", "value", "old", "new"), STYLES, ids=[s[0] for s in STYLES]
)
def test_literal_is_replaced_and_nothing_else(
    style: str, source: str, path: str, value: float, old: str, new: str
) -> None:
    edit = edit_value(source, path, value)
    assert edit.in_place, edit.note
    assert source.count(old) == 1
    assert edit.source == source.replace(old, new)
    assert parse_script(edit.source).world == with_value(parse_script(source).world, path, value)


OVERRIDES: list[tuple[str, str, str, float, str]] = [
    ("expression", 'world = World()\nH = 0.5\na = Object("a", "box", pos=[0, 0, H + 1], ' + REST + ")\n",
     "a.pos[2]", 2.0, "a.pos[2] = 2.0"),
    ("loop", "world = World()\nfor i in range(2):\n    Object(f'b{i}', 'box', pos=[i, 0, 1], mass=1, "
     + REST + ")\n", "b1.mass", 2.5, 'world["b1"].mass = 2.5'),
    ("default", KEYWORD, "cup.restitution", 0.35, "cup.restitution = 0.35"),
    ("shared constant", 'world = World()\nE = 0.5\na = Plane(restitution=E)\n'
     'b = Plane(offset=-1, restitution=E)\n',
     "b.restitution", 0.25, "b.restitution = 0.25"),
    ("implied camera", KEYWORD, "camera.fov_y_deg", 35, "world.camera.fov_y_deg = 35.0"),
    ("implied light", KEYWORD, "default light.intensity", 2, 'world["default light"].intensity = 2.0'),
    ("preset colour", KEYWORD, "cup.base_color[0]", 0.75, "cup.base_color = [0.75, 0.5, 0.5]"),
    ("helper function", "def make(n, m):\n    return Object(n, 'box', pos=[0, 0, 1], mass=m * 2, " + REST
     + ")\nworld = World()\na = make('a', 1)\n", "a.mass", 3, "a.mass = 3.0"),
    ("euler", KEYWORD + "cup.euler_deg = [0, 0, 45]\n", "cup.ang_vel[2]", 3, "cup.ang_vel[2] = 3.0"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("style", "source", "path", "value", "line"), OVERRIDES, ids=[s[0] for s in OVERRIDES]
)
def test_computed_values_get_an_override_line(
    style: str, source: str, path: str, value: float, line: str
) -> None:
    edit = edit_value(source, path, value)
    assert not edit.in_place
    assert edit.source == source + line + "\n"
    assert edit.note is not None
    assert path in edit.note
    assert parse_script(edit.source).world == with_value(parse_script(source).world, path, value)
    again = edit_value(edit.source, path, value / 2)
    assert again.in_place
    assert again.source.count("\n") == edit.source.count("\n")


def test_round_shapes_keep_their_round_cross_section() -> None:
    for geometry, size, changed in (
        ("sphere", "[0.1, 0.1, 0.1]", "[0.2, 0.2, 0.2]"),
        ("cylinder", "[0.1, 0.1, 0.3]", "[0.2, 0.2, 0.3]"),
    ):
        source = (
            f'world = World()\nb = Object("b", geometry="{geometry}", size={size}, pos=[0, 0, 1], {REST})\n'
        )
        assert edit_value(source, "b.size[0]", 0.2).source == source.replace(size, changed)


def test_override_follows_the_line_ends_of_the_file() -> None:
    source = KEYWORD.replace("\n", "\r\n").rstrip()
    assert edit_value(source, "cup.friction", 0.5).source == source + "\r\ncup.friction = 0.5\r\n"


@pytest.mark.parametrize(
    ("value", "literal", "text"),
    [
        (0.35000000000000003, "0.20", "0.35"), (0.5, "0.20", "0.50"), (2.0, "1", "2"), (2.5, "1", "2.5"),
        (0.125, "0.2", "0.125"), (-1.0, "3", "-1"), (2e-3, "1e-3", "2e-3"), (0.0, "1e-3", "0"),
        (150.0, "1E2", "1.5E2"), (3.0, "1.", "3."), (1e-7, "0.1", "1e-07"), (12.0, "0.50", "12.00"),
    ],
)  # fmt: skip
def test_numbers_follow_the_style_of_the_literal(value: float, literal: str, text: str) -> None:
    assert float(format_like(value, literal)) == pytest.approx(value, rel=1e-12)
    assert format_like(float(f"{value:.12g}"), literal) == text


def test_wrong_edits_are_refused() -> None:
    with pytest.raises(UserError, match="no such parameter"):
        edit_value(KEYWORD, "cup.mas", 1)
    with pytest.raises(UserError, match="out of range"):
        edit_value(KEYWORD, "cup.restitution", 1.5)
    with pytest.raises(DiagnosticsError):
        edit_value("world = Wrld()", "world.exposure", 1)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_parameter_of_an_emitted_world_can_be_edited(data: st.DataObject) -> None:
    source = STYLES[data.draw(st.integers(0, len(STYLES) - 1))][1]
    world = parse_script(source).world
    if data.draw(st.booleans()):
        source = emit(world)
    known = data.draw(st.sampled_from(parameters(world)))
    low, high = known.slider
    value = float(f"{data.draw(st.floats(max(low, known.lower or low), min(high, known.upper or high))):.6g}")
    expected: World = with_value(world, known.path, value)
    assert parse_script(edit_value(source, known.path, value).source).world == expected
