"""One mistake hides no other: everything wrong with a thing is told together, once, in source order."""

from __future__ import annotations

import pytest

from fourdcb.dsl import parse_script
from fourdcb.errors import Diagnostic, DiagnosticsError

GOOD = "'box', pos=[0, 0, 1], vel=[0, 0, 0], acc=[0, 0, -9.8]"
RED = "Material(base_color=[191, 41, 31])"


def errors(source: str) -> list[Diagnostic]:
    with pytest.raises(DiagnosticsError) as caught:
        parse_script("world = World()\n" + source)
    found = list(caught.value.diagnostics)
    places = [(d.line or 0, d.column or 0) for d in found]
    assert places == sorted(places)
    assert len({(d.line, d.column, d.code, d.message) for d in found}) == len(found)
    return found


def codes(source: str) -> list[str]:
    return [d.code for d in errors(source)]


COLOURS = ["out-of-range"] * 3


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (f"Object('a', {GOOD}, material={RED})", COLOURS),
        (f"Object('a', {GOOD}, material={RED}, fricton=0.12)", [*COLOURS, "unknown-field"]),
        (f"Object('a', {GOOD}, fricton=0.12, material={RED})", ["unknown-field", *COLOURS]),
        (f"Plane(normal=[0, 0, 2], material={RED})", ["not-unit", *COLOURS]),
        (f"Object('a', {GOOD}, material=Material(roughness=2, rough=1))", ["out-of-range", "unknown-field"]),
        (f"Object('a', {GOOD}, material='steal', mass=-1)", ["unknown-material", "out-of-range"]),
        (f"Object('a', {GOOD}, material=Material(name=7, roughness=2))", ["type", "out-of-range"]),
        (f"m = {RED}", COLOURS),
        (f"Object({GOOD.partition(', ')[2]}, mass=-1)", ["missing-field", "missing-field", "out-of-range"]),
    ],
)
def test_a_wrong_field_does_not_hide_another(source: str, expected: list[str]) -> None:
    assert codes(source) == expected


def test_the_hint_of_a_nested_colour_stays_beside_a_misspelt_field() -> None:
    found = errors(f"Object('a', {GOOD}, material={RED}, fricton=0.12)")
    assert [d.path for d in found[:3]] == [f"a.base_color[{k}]" for k in range(3)]
    assert all("divide by 255" in (d.hint or "") for d in found[:3])
    assert "friction" in (found[3].hint or "")


def test_two_objects_tell_both_their_errors() -> None:
    source = (
        f"Object('a', {GOOD}, material={RED}, fricton=1)\nObject('b', {GOOD}, mas=1, material={RED}, mass=-1)"
    )
    found = errors(source)
    assert [(d.line, d.code) for d in found] == [
        *[(2, code) for code in [*COLOURS, "unknown-field"]],
        *[(3, code) for code in ["unknown-field", *COLOURS, "out-of-range"]],
    ]


@pytest.mark.parametrize("wrong", ["", ", fricton=1"])
@pytest.mark.parametrize(
    ("material", "expected"),
    [
        (RED, COLOURS),
        ("Material(roughness='x', metallic=2)", ["type", "out-of-range"]),
        ("Material(roughnes=1, metallic=2)", ["unknown-field", "out-of-range"]),
    ],
)
def test_a_material_used_twice_tells_its_errors_once(wrong: str, material: str, expected: list[str]) -> None:
    source = f"m = {material}\nObject('a', {GOOD}, material=m{wrong})\nPlane('p', material=m)"
    assert codes(source) == expected + (["unknown-field"] if wrong else [])


def test_a_wrong_material_value_shows_even_when_its_first_user_replaces_it() -> None:
    source = (
        f"m = Material(roughness=2)\nObject('a', {GOOD}, material=m, roughness=0.5)\nPlane('p', material=m)"
    )
    assert [d.path for d in errors(source)] == ["p.roughness"]


def test_what_only_the_whole_thing_shows_is_told_beside_a_misspelt_field() -> None:
    source = f"Object('a', {GOOD.replace('box', 'sphere')}, size=[1, 2, 1], fricton=1)"
    assert codes(source) == ["size", "unknown-field"]


def test_a_duplicate_is_checked_like_the_first() -> None:
    source = f"Object('a', {GOOD})\nObject('a', {GOOD}, mass=-1)"
    assert codes(source) == ["duplicate-name", "out-of-range"]
