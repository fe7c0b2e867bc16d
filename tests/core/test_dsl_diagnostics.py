"""Messages: what, where, and what to do about it; all of them at once."""

from __future__ import annotations

import pytest

from fourdcb.dsl import parse_script
from fourdcb.errors import Diagnostic, DiagnosticsError

GOOD = "pos=[0, 0, 1], vel=[0, 0, 0], acc=[0, 0, -9.8]"


def errors(source: str, *, world: bool = True) -> tuple[Diagnostic, ...]:
    with pytest.raises(DiagnosticsError) as caught:
        parse_script(("world = World()\n" if world else "") + source, filename="pred.py")
    return tuple(d for d in caught.value.diagnostics if d.severity == "error")


def test_the_design_message_word_by_word() -> None:
    fields = "geometry='box', pos=[0, 0, 1], vel=[0, 0, 0], accel=[0, 0, -9.8]"
    source = f"world = World()\n\n\ncup = x = Object('cup', {fields})"
    found = [str(d) for d in errors(source, world=False)]
    assert (
        "pred.py:4:11: Object 'cup': missing required field 'acc' (expected 3 numbers, m/s²)."
        " Did you mean 'accel'?" in found
    )
    assert any("unknown field 'accel'. Did you mean 'acc'?" in line for line in found)


CASES: list[tuple[str, str, str]] = [
    (f"Object('a', 'box', {GOOD}, restituton=0.5)", "unknown-field", "Did you mean 'restitution'?"),
    (f"Object('a', geometry='sphere', radius=0.1, {GOOD})", "unknown-field", "Sizes are full extents"),
    (f"Object('a', 'box', size=0.1, {GOOD})", "type", "Write size=[0.1, 0.1, 0.1]."),
    (f"Object('a', geometry='cube', {GOOD})", "geometry", "Did you mean 'box'?"),
    (f"Object('a', {GOOD})", "missing-field", "'geometry'"),
    (f"Object(geometry='box', {GOOD})", "missing-field", "'name'"),
    ("Object('a', 'box', pos=[0, 0], vel=[0, 0, 0], acc=[0, 0, 0])", "type", "expected 3 numbers, m, got 2"),
    ("Object('a', 'box', pos=[0, 0, '1'], vel=[0, 0, 0], acc=[0, 0, 0])", "type", "pos[2]"),
    ("Object('a', 'box', pos=[0, 0, float('inf')], vel=[0, 0, 0], acc=[0, 0, 0])", "non-finite", "finite"),
    (f"Object('a', 'box', {GOOD}, mass=True)", "type", "expected a number, kg"),
    (f"Object('a', 'box', {GOOD}, mass=-1)", "out-of-range", "a.mass must be ≥ 0 kg, got -1"),
    (f"Object('a', 'box', {GOOD}, restitution=1.2)", "out-of-range", "≤ 1, got 1.2"),
    (f"Object('a', 'box', {GOOD}, friction=-0.1)", "out-of-range", "≥ 0"),
    (f"Object('a', 'box', {GOOD}, roughness=2)", "out-of-range", "a.roughness"),
    (f"Object('a', 'box', {GOOD}, material='steal')", "unknown-material", "Did you mean 'steel'?"),
    (f"Object('a', geometry='sphere', size=[1, 1, 2], {GOOD})", "size", "three equal sizes"),
    (f"Object('a', geometry='cone', size=[1, 2, 2], {GOOD})", "size", "equal x and y"),
    (f"Object('a', geometry='capsule', size=[1, 1, 0.5], {GOOD})", "size", "caps"),
    (f"Object('a', 'box', {GOOD}, rot=[1, 1, 0, 0])", "not-unit", "normalised: [0.707107, 0.707107, 0, 0]"),
    (f"Object('a', 'box', {GOOD}, rot=[1, 0, 0, 0], euler_deg=[0, 0, 1])", "type", "give one"),
    (f"Object('a', 'box', {GOOD}, trajectory=[(1, [0, 0, 0]), (1, [0, 0, 0])])", "keyframes", "increase"),
    (f"Object('a', mesh='../x.obj', {GOOD})", "path", "inside the script's folder"),
    (f"Object('a', mesh='/etc/x.obj', {GOOD})", "path", "inside the script's folder"),
    (f"Object('a', mesh='C:\\\\x.obj', {GOOD})", "path", "inside the script's folder"),
    (f"Object('a', mesh='x.exe', {GOOD})", "path", "must end in .obj"),
    (f"Object('a', 'box', normal_map=Texture('../n.png'), {GOOD})", "path", "inside the script's folder"),
    (f"Object('a', 'box', {GOOD})\nObject('a', 'box', {GOOD})", "duplicate-name", "Line 2 has it"),
    (f"Object('camera', geometry='box', {GOOD})", "duplicate-name", "reserved"),
    ("Plane(normal=[0, 0, 2])", "not-unit", "normalised: [0, 0, 1]"),
    ("Plane(normal=[0, 0, 0])", "not-unit", "zero vector"),
    ("Camera()\nCamera()", "duplicate-name", "one Camera"),
    ("w = World()", "duplicate-name", "one World"),
    ("Camera(pos=[0, 0, 1], target=[0, 0, 1])", "camera", "target"),
    ("DirectionalLight(dir=[0, 0, 0])", "direction", "zero"),
    ("Light('s', dir=[0, 0, -1], pos=[0, 0, 1])", "unknown-field", "AreaLight"),
    ("Light('s', dir=[0, 0, -1], time_range=[2, 1])", "range", "forwards"),
    ("Fluid('water')", "missing-field", "Fluid 'water': missing required field 'size'"),
    ("Fluid('water', viscosity=1)", "unknown-field", "no viscosity"),
    ("Material('m', transmission=1)", "unknown-field", "not supported yet"),
    ("Material('m', clearcoat=1)", "unknown-field", "not supported yet"),
    ("Material('m', clearcoat=1)", "unknown-field", "not supported yet"),
    ("world.simulate()", "unknown-field", "no field 'simulate'"),
    ("x = wrld", "undefined-name", "Did you mean 'world'?"),
    ("x = math.pi", "undefined-name", "math"),
    (f"a = Object('a', 'box', {GOOD})\na.material.roughness = 1", "type", "Write thing.roughness = …"),
    ("import os", "refused", "import of 'os'"), ("from os import path", "refused", "import from 'os'"),
    ("from math import gamma", "refused", "math.gamma is not allowed"),
    ("import numpy.linalg", "refused", "not allowed"),
    ("while True:\n    pass", "refused", "'while'"), ("class A:\n    pass", "refused", "classes"),
    ("def f():\n    global x", "refused", "'global'"), ("@f\ndef g():\n    pass", "refused", "decorators"),
    ("x = lambda *a: 1", "refused", "Name every parameter"), ("x = ().__class__", "refused", "underscore"),
    ("open('/etc/passwd')", "undefined-name", "'open'"), ("eval('1')", "undefined-name", "'eval'"),
    ("exec('1')", "undefined-name", "'exec'"), ("__import__('os')", "refused", "underscores"),
    ("x = '%s' % 1", "type", "f-string"), ("x = '{}'.format(1)", "unknown-attribute", "f-string"),
    ("import numpy as np\nx = np.random", "refused", "np.random is not allowed"),
    ("x = 1 / 0", "type", "division by zero"), ("x = [1][3]", "index", "out of range"),
    ("x = {'a': 1}['b']", "index", "no key 'b'"), ("return 1", "syntax", "outside its function"),
    ("x = (", "syntax", "Python syntax error"), ("\tx = 1\n  y = 2", "syntax", "indent"),
    ("def f(a):\n    return a\nf()", "type", "misses 'a'"), ("f = 1\nf()", "type", "cannot be called"),
    ("World(duration=3)", "duplicate-name", "one World"), ("world.add(3)", "type", "world.add takes"),
    ("world.duration = 0", "out-of-range", "> 0 s"), ("world.fps = 'a'", "type", "expected a number"),
    ("camera = Camera(width=100000)", "out-of-range", "≤ 4096"),
    ("world.duration = 500\nworld.fps = 1000\nCamera(width=4000, height=4000)", "too-large", "pixels"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "code", "words"), CASES, ids=[f"{i}-{c[1]}" for i, c in enumerate(CASES)])
def test_each_mistake_has_its_message_and_place(line: str, code: str, words: str) -> None:
    found = [d for d in errors(line) if d.code == code]
    assert found, [str(d) for d in errors(line)]
    assert any(words in str(d) for d in found), [str(d) for d in found]
    assert all(d.file == "pred.py" for d in found)
    assert all(d.line is not None and d.line >= 2 and d.column is not None for d in found)


def test_a_script_needs_a_top_level_world() -> None:
    for source in ("x = 1", "def f():\n    world = World()\nf()", "w = World()", "world = 3", ""):
        assert any(d.code == "no-world" for d in errors(source, world=False)), source


def test_all_mistakes_are_shown_together_and_in_order() -> None:
    found = errors(
        "import os\na = Object('a', 'box', pos=[0, 0, 1])\nb = Plane(normal=[1, 1, 0])\nx = zz\n"
        f"c = Object('c', geometry='box', {GOOD}, mass=-2)\n"
    )
    assert [d.code for d in found] == [
        "refused", "missing-field", "missing-field", "not-unit", "undefined-name", "out-of-range",
    ]  # fmt: skip
    assert [d.line for d in found] == [2, 3, 3, 4, 5, 6]


def test_one_mistake_causes_one_message() -> None:
    found = errors("x = zz\ny = x + 1\nz = [y, x]\nObject('a', 'box', pos=z, vel=z, acc=z)\n")
    assert [d.code for d in found] == ["undefined-name"]


def test_columns_count_characters_not_bytes() -> None:
    (found,) = errors("ä = 'üöä'; x = zz")
    assert found.column == 16


def warnings(source: str) -> dict[str, Diagnostic]:
    return {d.code: d for d in parse_script("world = World()\n" + source).diagnostics}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (f"Object('a', 'box', {GOOD}, mass=20000)", "doubtful-mass"),
        ("Object('a', 'box', pos=[0, 0, 1], vel=[200, 0, 0], acc=[0, 0, 0])", "doubtful-speed"),
        ("Object('a', 'box', pos=[0, 0, 1], vel=[0, 0, 0], acc=[0, 0, 9.8])", "doubtful-acc"),
        ("Object('a', 'box', pos=[0, 0, 1], vel=[1, 0, 0], acc=[0, 0, 0], fixed=True)", "no-effect"),
        ("world.lights = []", "no-light"),
        ("world.lights = []\nworld.ambient = 0", "no-light"),
        (f"Plane()\nObject('a', 'box', {GOOD})", "unstated-friction"),
        (f"Plane(friction=1)\nObject('a', 'box', {GOOD})", "unstated-restitution"),
        ("Plane()\nObject('a', 'box', pos=[0, 0, 0.01], vel=[0, 0, 0], acc=[0, 0, 0])", "overlap"),
    ],
)
def test_doubtful_values_are_warnings(line: str, code: str) -> None:
    found = warnings(line)
    assert code in found
    assert found[code].severity == "warning"


def test_an_unstated_pair_says_what_the_replay_uses() -> None:
    found = warnings(f"Plane()\nObject('a', 'box', {GOOD})")
    assert "the replay uses 0.5." in found["unstated-friction"].message
    assert "the replay uses 0." in found["unstated-restitution"].message


def test_a_sound_world_has_no_warnings() -> None:
    assert warnings(
        "Plane(friction=1, restitution=1)\n"
        "rest = dict(vel=[0, 0, 0], acc=[0, 0, -9.8], friction=0.3, restitution=0)\n"
        "Object('a', 'box', pos=[0, 0, 0.05], **rest)\nObject('b', 'box', pos=[0, 0, 0.15], **rest)"
    ) == {}  # fmt: skip
