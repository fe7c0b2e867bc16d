"""The language: what scripts may say and what it means."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from fourdcb.dsl import load_script, parse_script
from fourdcb.errors import DiagnosticsError, UserError
from fourdcb.world import AreaLight, DirectionalLight, PointLight
from fourdcb.world.presets import material_preset

DESIGN = """\
world = World(duration=3.0, fps=30)                      # both optional; the video decides when given
cup = Object("cup", geometry="cylinder", size=[0.08, 0.08, 0.10], mass=0.15, friction=0.3, restitution=0.2,
             pos=[0.0, 0.0, 0.75], vel=[0.4, 0.0, 0.0], acc=[0.0, 0.0, -9.8], material="ceramic")
table = Plane(normal=[0.0, 0.0, 1.0], offset=0.0, restitution=0.2)
sun = DirectionalLight(direction=[-0.5, -0.3, -0.8], intensity_curve=[1.0, 0.98, 0.95])
camera = Camera(pos=[1.2, -1.6, 1.1], target=[0, 0, 0.4], fov_y_deg=40, width=256, height=256)
"""
STILL = "pos=[0, 0, 1], vel=[0, 0, 0], acc=[0, 0, -9.8]"


def ball(name: str = "ball", extra: str = "") -> str:
    return f'Object("{name}", geometry="sphere", {STILL}{extra})'


def test_the_design_example_means_what_it_says() -> None:
    script = parse_script(DESIGN)
    (cup,), (table,), (sun,) = script.world.objects, script.world.planes, script.world.lights
    assert (script.world.duration, script.world.fps, script.world.n_frames) == (3.0, 30.0, 90)
    assert cup.name == "cup"
    assert cup.geometry == "cylinder"
    assert cup.size == (0.08, 0.08, 0.1)
    assert (cup.mass, cup.friction, cup.restitution) == (0.15, 0.3, 0.2)
    assert (cup.pos, cup.vel, cup.acc) == ((0.0, 0.0, 0.75), (0.4, 0.0, 0.0), (0.0, 0.0, -9.8))
    assert cup.material == material_preset("ceramic")
    assert (table.name, table.normal, table.restitution, table.friction) == ("table", (0, 0, 1), 0.2, None)
    assert isinstance(sun, DirectionalLight)
    assert sun.intensity_curve == (1.0, 0.98, 0.95)
    assert script.world.camera.target == (0.0, 0.0, 0.4)
    assert script.diagnostics == ()


def test_locations_point_at_the_values() -> None:
    script = parse_script(DESIGN)
    lines = DESIGN.split("\n")
    for path, text in {
        "cup.mass": "0.15",
        "cup.vel[0]": "0.4",
        "cup": "Object",
        "table.offset": "0.0",
    }.items():
        place = script.locations[path]
        assert lines[place.line - 1][place.column - 1 :].startswith(text), path


def test_what_is_stated_is_told_from_defaults() -> None:
    assert parse_script(f"world = World()\n{ball()}").stated == frozenset()
    stated = parse_script(DESIGN).stated
    assert {"duration", "fps", "camera", "camera.width", "lights"} <= stated
    assert "exposure" not in stated


@pytest.mark.parametrize(
    ("line", "check"),
    [
        ('Object(name="a", geometry="box", position=[1, 2, 3], velocity=[0, 0, 0], gravity=[0, 0, -9.8])',
         lambda w: w.objects[0].pos == (1, 2, 3)),
        ('Light("sun", dir=[0, 0, -1], intensity=2, time_range=[0, 2.5])',
         lambda w: isinstance(w.lights[0], DirectionalLight) and w.lights[0].time_range == (0, 2.5)),
        ('Light("lamp", pos=[0, 0, 2])', lambda w: isinstance(w.lights[0], PointLight)),
        ('Light("panel", pos=[0, 0, 2], direction=[0, 0, -1], size=0.4)',
         lambda w: isinstance(w.lights[0], AreaLight)),
        ('world.add(Object("a", geometry="box", pos=[0, 0, 0], vel=[0, 0, 0], acc=[0, 0, 0]))',
         lambda w: [o.name for o in w.objects] == ["a"]),
        ("wall = Plane([0, 1, 0], -2)", lambda w: w.planes[0].offset == -2 and w.planes[0].name == "wall"),
        ('Object("d", mesh="duck.obj", pos=[0, 0, 0], vel=[0, 0, 0], acc=[0, 0, 0])',
         lambda w: w.objects[0].geometry == "mesh"),
        ('m = Material("paint", base_color=[1, 0, 0], roughness=0.1)\n' + f"a = {ball('a', ', material=m')}",
         lambda w: w.objects[0].material.base_color == (1, 0, 0)),
        (ball("a", ', material="steel", roughness=0.9, base_color=Texture("wood.png")'),
         lambda w: (w.objects[0].material.roughness, w.objects[0].material.metallic,
                    w.objects[0].material.base_color_map) == (0.9, 1.0, "wood.png")),
        (ball("a", ", euler_deg=[0, 0, 90]"),
         lambda w: w.objects[0].rot == pytest.approx((math.sqrt(0.5), 0, 0, math.sqrt(0.5)))),
        (ball("a", ", rot=[-1, 0, 0, 0]"), lambda w: w.objects[0].rot == (1, 0, 0, 0)),
        (ball("a", ", trajectory=[(0, [0, 0, 1]), (1, [1, 0, 1], [1, 0, 0, 0])]"),
         lambda w: w.objects[0].kind == "kinematic" and w.objects[0].trajectory[1].pos == (1, 0, 1)),
        (f"b = {ball()}\nb.restitution = 0.35\nb.vel[0] = 0.4\nb.pos = [1, 1, 1]\nb.pos[2] += 0.5",
         lambda w: (w.objects[0].restitution, w.objects[0].vel, w.objects[0].pos)
         == (0.35, (0.4, 0, 0), (1, 1, 1.5))),
        (f'{ball()}\nworld["ball"].mass = 3\nworld.camera.fov_y_deg = 50\nworld.exposure = 2',
         lambda w: (w.objects[0].mass, w.camera.fov_y_deg, w.exposure) == (3, 50, 2)),
        ("for i in range(3):\n    " + ball("b").replace('"b"', 'f"b{i:02d}"'),
         lambda w: [o.name for o in w.objects] == ["b00", "b01", "b02"]),
        ("world.camera = Camera(width=64, height=32)",
         lambda w: (w.camera.width, w.camera.height) == (64, 32)),
    ],
)  # fmt: skip
def test_spellings_and_forms(line: str, check: object) -> None:
    assert callable(check)
    assert check(parse_script(f"world = World()\n{line}").world)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 ** 10 // 3 % 7", 5), ("-(1 + 2) * 3 / 4", -2.25), ("math.sqrt(2)", math.sqrt(2)),
        ("np.deg2rad(180)", math.pi), ("np.linspace(0, 1, 5)[1]", 0.25), ("(np.array([1, 2]) * 3 + 1)[1]", 7),
        ("[i * j for i in range(4) if i % 2 for j in (1, 10)][-1]", 30), ("sum(x for x in [1, 2, 3])", 6),
        ("{'a': 1, **{'b': 2}}['b']", 2), ("dict(a=4)['a']", 4), ("max(*[1, 5, 2])", 5), ("len('abc')", 3),
        ("1 if 2 > 1 and not False else 0", 1), ("[1, 2, 3, 4][1:3][0]", 2), ("area(2, h=3)", 7.0),
        ("float(f'{3.14159:.2f}')", 3.14), ("[a + b for a, b in zip([1, 2], [3, 4])][1]", 6),
        ("1 < 2 < 3 < 4", True), ("int(3.9) + round(2.5)", 5), ("{k: v for k, v in [('x', 9)]}['x']", 9),
        ("3 in [1, 2, 3] or 1 / 0", True),
    ],
)  # fmt: skip
def test_expressions_agree_with_python(expression: str, value: float) -> None:
    source = (
        "import math\nimport numpy as np\nfrom fourdcb.dsl import *\nworld = World()\n"
        "def area(w, h=1, *, extra=1.0):\n    'Doc.'\n    if h > 2:\n"
        "        return w * h + extra\n    return 0\n"
        f"x = {expression}\nObject('a', geometry='box', pos=[x + 0.0, 0, 0], vel=[0, 0, 0], acc=[0, 0, 0])\n"
    )
    assert parse_script(source).world.objects[0].pos[0] == pytest.approx(float(value), abs=1e-12)


def test_lists_shared_between_objects_do_not_leak_edits() -> None:
    script = parse_script(
        "world = World()\nzero = [0, 0, 0]\n"
        "a = Object('a', geometry='box', pos=[0, 0, 0], vel=zero, acc=zero)\n"
        "b = Object('b', geometry='box', pos=[1, 0, 0], vel=zero, acc=zero)\na.vel[0] = 5\n"
    )
    assert [o.vel[0] for o in script.world.objects] == [5.0, 0.0]
    assert script.world.objects[0].acc == (0.0, 0.0, 0.0)


def test_unnamed_planes_and_lights_get_distinct_names() -> None:
    world = parse_script(
        "world = World()\nPlane()\nPlane(offset=-1)\nx = PointLight()\nfloor = Plane()"
    ).world
    assert [p.name for p in world.planes] == ["plane", "plane_2", "floor"]
    assert [light.name for light in world.lights] == ["x"]


def test_no_lights_is_not_the_default_light() -> None:
    assert parse_script("world = World(lights=[])").world.lights == ()
    assert [light.name for light in parse_script("world = World()").world.lights] == ["default light"]


def test_helper_recursion_within_bounds_works() -> None:
    source = "def fac(n):\n    return 1 if n < 2 else n * fac(n - 1)\nworld = World(duration=fac(4), fps=30)"
    assert parse_script(source).world.duration == 24.0


def test_files_are_read_with_their_folder(tmp_path: Path) -> None:
    corners, faces = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n", "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    (tmp_path / "duck.obj").write_text(corners + faces)
    path = tmp_path / "world.py"
    path.write_bytes(
        b"\xef\xbb\xbf" + f'world = World()\r\nObject("d", mesh="duck.obj", {STILL})\r\n'.encode()
    )
    script = load_script(path)
    assert script.world.base_dir == str(tmp_path)
    assert script.locations["d"].line == 2
    (tmp_path / "duck.obj").unlink()
    with pytest.raises(DiagnosticsError, match=r"there is no file 'duck.obj'"):
        load_script(path)


@pytest.mark.parametrize("data", [b"\xff\xfew\x00o\x00", b"world = World()  # \xe4", b"\x80abc"])
def test_undecodable_files_are_user_errors(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "w.py"
    path.write_bytes(data)
    with pytest.raises(UserError, match="UTF-"):
        load_script(path)


def test_missing_file_and_folder_are_user_errors(tmp_path: Path) -> None:
    for path, words in ((tmp_path / "none.py", "no such script"), (tmp_path, "a folder was given")):
        with pytest.raises(UserError, match=words):
            load_script(path)


def test_symbolic_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.obj").write_text("v 0 0 0\n")
    inside = tmp_path / "in"
    inside.mkdir()
    (inside / "a.obj").symlink_to(tmp_path / "secret.obj")
    (inside / "w.py").write_text(f'world = World()\nObject("d", mesh="a.obj", {STILL})\n')
    with pytest.raises(DiagnosticsError, match="leads out of the script's folder"):
        load_script(inside / "w.py")


FENCED = "Sure! Here it is:\n\n```python\nworld = World()\nball = {}\n```\n\nIt bounces.\n```\nother\n```\n"


def test_extract_takes_the_first_code_block_and_keeps_line_numbers() -> None:
    script = parse_script(FENCED.format(ball()), extract=True)
    assert script.first_line == 4
    assert script.locations["ball"].line == 5
    assert any(d.code == "extracted" and "line 4" in d.message for d in script.diagnostics)
    assert script.source.startswith("world = World()")
    with pytest.raises(DiagnosticsError, match=r":5:.*unknown field"):
        parse_script(FENCED.format(ball(extra=", bogus=1")), extract=True)


def test_markdown_without_extract_says_what_to_do() -> None:
    with pytest.raises(DiagnosticsError, match="use --extract"):
        parse_script(FENCED.format(ball()))


def test_extract_leaves_plain_scripts_alone() -> None:
    script = parse_script(DESIGN, extract=True)
    assert script.first_line == 1
    assert script.diagnostics == ()
