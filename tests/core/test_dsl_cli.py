"""``fourdcb check`` and ``fourdcb schema``."""

from __future__ import annotations

import ast
import dataclasses
import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from fourdcb.cli.check import check
from fourdcb.cli.schema import schema
from fourdcb.dsl import parse_script, schema_json, schema_markdown, schema_prompt, schema_text
from fourdcb.world import Camera, Object, Plane
from fourdcb.world.fields import spec_of
from fourdcb.world.presets import material_names

GOOD = (
    "world = World()\nfloor = Plane(friction=1, restitution=1)\n"
    'Object("ball", "sphere", pos=[0, 0, 1], vel=[0, 0, 0], acc=[0, 0, -9.8], friction=1, restitution=1)\n'
)
BAD = "world = World()\nPlane(normal=[0, 0, 2], frction=1)\n"


@pytest.fixture
def app() -> typer.Typer:
    app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command()(check)
    app.command()(schema)
    return app


def test_check_says_valid(app: typer.Typer, tmp_path: Path) -> None:
    path = tmp_path / "w.py"
    path.write_text(GOOD)
    result = CliRunner().invoke(app, ["check", str(path)])
    assert (result.exit_code, result.stdout) == (
        0,
        f"{path}: valid – 1 object, 1 plane, 0 lights, 4 s at 30 frames/s\n",
    )


def test_check_lists_errors_with_their_places(app: typer.Typer, tmp_path: Path) -> None:
    path = tmp_path / "w.py"
    path.write_text(BAD)
    result = CliRunner().invoke(app, ["check", str(path)])
    assert result.exit_code == 2
    lines = result.stdout.splitlines()
    assert lines[0].startswith(f"{path}:2:14: Plane")
    assert lines[1].startswith(f"{path}:2:25: Plane")
    assert lines[-1] == f"{path}: not valid: 2 errors"


def test_check_json_is_for_tools(app: typer.Typer, tmp_path: Path) -> None:
    path = tmp_path / "w.py"
    path.write_text(BAD)
    result = CliRunner().invoke(app, ["check", "--json", str(path)])
    content = json.loads(result.stdout)
    assert (result.exit_code, content["valid"], content["world"]) == (2, False, None)
    assert [d["code"] for d in content["diagnostics"]] == ["not-unit", "unknown-field"]
    path.write_text(GOOD)
    content = json.loads(CliRunner().invoke(app, ["check", "--json", str(path)]).stdout)
    assert content["valid"]
    assert content["world"]["planes"] == ["floor"]


def test_a_script_without_objects_is_no_answer(app: typer.Typer, tmp_path: Path) -> None:
    path = tmp_path / "w.py"
    path.write_text("world = World()\nfloor = Plane(friction=1, restitution=1)\n")
    result = CliRunner().invoke(app, ["check", str(path)])
    assert result.exit_code == 2
    assert result.stdout.startswith(f"{path}:1:9: the script has no Object")


def test_check_extracts_and_says_so(app: typer.Typer, tmp_path: Path) -> None:
    path = tmp_path / "answer.md"
    path.write_text(f"Here:\n```python\n{GOOD}```\n")
    assert CliRunner().invoke(app, ["check", str(path)]).exit_code == 2
    result = CliRunner().invoke(app, ["check", "--extract", str(path)])
    assert result.exit_code == 0
    assert "took the code block that begins at line 3" in result.stdout


def test_check_reads_the_standard_input(app: typer.Typer) -> None:
    assert CliRunner().invoke(app, ["check", "-"], input=GOOD).exit_code == 0


def test_check_of_a_missing_file_is_json_too(app: typer.Typer, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["check", "--json", str(tmp_path / "none.py")])
    assert result.exit_code == 2
    assert json.loads(result.stdout)["diagnostics"][0]["message"] == "no such script"


@pytest.mark.parametrize("layout", ["text", "markdown", "json", "prompt"])
def test_schema_prints_every_layout(app: typer.Typer, layout: str) -> None:
    result = CliRunner().invoke(app, ["schema", "--format", layout])
    assert result.exit_code == 0
    assert "restitution" in result.stdout


def test_schema_names_every_field_unit_and_material() -> None:
    for text in (schema_text(), schema_markdown(), schema_prompt()):
        for cls in (Object, Plane, Camera):
            for field in dataclasses.fields(cls):
                assert field.name in text
                spec = spec_of(field)
                if spec is not None and spec.unit:
                    assert spec.unit in text
        assert all(name in text for name in material_names())


def test_the_example_of_the_prompt_is_a_sound_script() -> None:
    example = schema_prompt().split("Example:\n")[1]
    ast.parse(example)
    assert parse_script(example).diagnostics == ()


def test_json_schema_follows_the_dataclasses() -> None:
    content = json.loads(schema_json())
    thing = content["$defs"]["Object"]
    assert set(thing["required"]) == {"name", "pos", "vel", "acc"}
    assert thing["properties"]["restitution"]["maximum"] == 1
    assert thing["properties"]["vel"]["x-unit"] == "m/s"
    assert thing["properties"]["vel"]["minItems"] == 3
    assert content["$defs"]["World"]["properties"]["duration"]["exclusiveMinimum"] == 0
