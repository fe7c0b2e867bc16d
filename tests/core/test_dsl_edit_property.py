"""Edits of random values in random worlds: the world changes by that value, the text by that literal."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fourdcb.dsl import Edit, ParsedScript, edit_value, emit, parse_script
from fourdcb.world import (
    AreaLight,
    Camera,
    DirectionalLight,
    Material,
    Object,
    Plane,
    PointLight,
    World,
    parameters,
    with_value,
)
from fourdcb.world.parameters import Parameter
from fourdcb.world.presets import material_names, material_preset
from fourdcb.world.validate import validate

_NUMBER = re.compile(r"[-+]?\s*(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
# The same two bodies in the styles of different writers.
TEMPLATES = (
    "world = World()\nE = 0.5  # bounce\na = Object('a', 'box', pos=[0, 0, 1], vel=[0, 0, 0], \n"
    "           acc=[0, 0, -9.8], restitution=E, mass=1_000e-3)\nb = Plane(friction=E, restitution=.5)\n",
    "world = World(exposure=1)\nspec = {'mass': 2, 'pos': [1, 2, 3], 'vel': (0, 0, 0), 'acc': (0, 0, -9.8)}\n"
    "for i in range(2):\n    Object(f'o{i}', geometry='cone', size=[0.1, 0.1, 0.3], **spec)\n",
    "import numpy as np\nworld = World()\ndef ball(name, x, r=0.05):\n\n"
    "    return Object(name, 'sphere', [2 * r] * 3,\n"
    "        pos=np.array([x, 0, r]), vel=[0, 0, 0], acc=[0, 0, -9.8], roughness=0.3, color=[1, 0, 0])\n"
    "one = ball('one', 0.5)\ntwo = ball('two', -0.5, r=0.1)\n"
    "one.vel[0] = 0.25\ntwo.friction = 0.4; two.mass = 3\n",
    'world = World()\r\nlamp = Light("lamp", pos=[0, 0, 2], intensity=5.0)\r\ncamera = Camera(fov=45)\r\n'
    "Object('球', 'box', pos=[-1, -2.50, +3], vel=[0, 0, 0], acc=[0, 0, -9.8])  # 球",
)


def numbers(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high).map(lambda x: float(f"{x:.9g}"))


def vectors(low: float, high: float) -> st.SearchStrategy[tuple[float, float, float]]:
    return st.tuples(*[numbers(low, high)] * 3)


@st.composite
def objects(draw: st.DrawFn, name: str) -> Object:
    geometry = draw(st.sampled_from(["sphere", "box", "cylinder", "cone", "capsule"]))
    x, y, z = sorted(draw(vectors(0.01, 2)))
    round_shape = geometry in ("cylinder", "cone", "capsule")
    size = (x, x, x) if geometry == "sphere" else (x, x, z) if round_shape else (x, y, z)
    return Object(
        name=name, geometry=geometry, size=size,  # type: ignore[arg-type]
        mass=draw(st.none() | numbers(0.01, 9)), friction=draw(st.none() | numbers(0, 1)),
        restitution=draw(st.none() | numbers(0, 1)), pos=draw(vectors(-5, 5)), vel=draw(vectors(-5, 5)),
        ang_vel=draw(st.just((0.0, 0.0, 0.0)) | vectors(-9, 9)), acc=draw(vectors(-10, 10)),
        material=draw(materials),
    )  # fmt: skip


materials = st.one_of(
    st.sampled_from(material_names()).map(material_preset),
    st.builds(Material, name=st.just("paint"), base_color=vectors(0, 1), roughness=numbers(0, 1)),
)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    lights: dict[str, Any] = {"intensity": draw(numbers(0, 9)), "color": draw(vectors(0, 1))}
    kind = draw(st.sampled_from([DirectionalLight, PointLight, AreaLight]))
    return World(
        duration=2.0,
        objects=tuple(draw(objects(name)) for name in draw(st.sampled_from(["a", "ab", ("top hat", "é")]))),
        planes=(Plane(name="floor", offset=draw(numbers(-1, 1)), material=draw(materials)),),
        lights=draw(st.sampled_from([(), (kind(name="lamp", **lights),), World().lights])),
        camera=Camera(fov_y_deg=draw(numbers(5, 90))),
        exposure=draw(numbers(0.1, 4)),
    )


def new_value(data: st.DataObject, known: Parameter) -> float:
    low, high = known.slider
    low, high = max(low, known.lower or low), min(high, known.upper or high)
    return data.draw(st.one_of(numbers(low, high), st.sampled_from([low, high, (low + high) / 2])))


def literal_span(script: ParsedScript, path: str) -> tuple[int, int]:
    """Where the number stands that states ``path``, in characters."""
    place = script.locations[path]
    start = sum(len(line) for line in script.source.splitlines(True)[: place.line - 1]) + place.column - 1
    match = _NUMBER.match(script.source, start)
    assert match, path
    return match.span()


def check(source: str, path: str, value: float) -> Edit:
    """Assert that the world changes by this value alone and the text by its literal or by one line."""
    before = parse_script(source)
    edit = edit_value(source, path, value)
    assert parse_script(edit.source).world == with_value(before.world, path, float(f"{value:.12g}"))
    if not edit.in_place:
        gap = "" if source.endswith("\n") else "\r\n" if "\r\n" in source else "\n"
        added = edit.source.removeprefix(source + gap)
        assert added != edit.source
        assert len(added.splitlines()) == 1
        assert edit.note
    elif edit.note is None:  # else the literal stands elsewhere, under a name
        name, _, index = path.partition("[")
        coupled = [f"{name}[{i}]" for i in range(3)] if name.endswith(".size") and index else [path]
        spans = [literal_span(before, each) for each in coupled if each in before.locations]
        start, end = min(spans)[0], max(spans)[1]
        assert edit.source.startswith(source[:start])
        assert edit.source.endswith(source[end:])
    return edit


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_any_value_of_any_world_can_be_edited(data: st.DataObject) -> None:
    world = data.draw(worlds())
    known = data.draw(st.sampled_from(parameters(world)))
    value = new_value(data, known)
    # Some values are legal alone and not together, such as a capsule that is wider than it is long.
    assume(not any(d.severity == "error" for d in validate(with_value(world, known.path, value))))
    check(emit(world), known.path, value)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_value_can_be_edited_in_any_style_and_again(data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(TEMPLATES))
    for _ in range(2):
        known = data.draw(st.sampled_from(parameters(parse_script(source).world)))
        source = check(source, known.path, new_value(data, known)).source
