"""What may stand at a place of a script, and which lines of two scripts differ."""

from __future__ import annotations

import difflib
import random

import pytest

from fourdcb.dsl import parse_script
from fourdcb.dsl.rules import rules_of
from fourdcb.world.presets import material_names
from fourdcb_studio.session.completion import completion
from fourdcb_studio.session.text_difference import text_difference


def offered(marked: str) -> list[str]:
    """What is put in at the bar of a text."""
    place = marked.index("|")
    return [s.insert for s in completion(marked.replace("|", ""), place).suggestions]


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("x = Obj|", ["Object("]),
        ('Object("a", resti|', ["restitution="]),
        ('Object("a", geometry="b|")', ["box"]),
        ('Object("a",\n  fixed=|', ["True", "False"]),
        ('Object(material=Material(rough|', ["roughness=", "roughness_map="]),
        ("Object('a (b', mas|", ["mass="]),
        ("Plane(material='matte g|')", ["matte grey"]),
    ],
)  # fmt: skip
def test_constructors_fields_and_values_are_offered_where_they_may_stand(marked, expected) -> None:
    assert offered(marked) == expected


@pytest.mark.parametrize("marked", ["# Obj|", "cup.re|", "Object(pos=[0, |", "", "x = 1 + |", 'Object("a|'])
def test_nothing_is_offered_elsewhere(marked) -> None:
    assert offered(marked or "|") == []


def test_a_field_that_is_stated_is_not_offered_again_and_what_must_be_stated_comes_first() -> None:
    words = offered('Object("a", mass=1, |, friction=0.2)')
    assert "mass=" not in words
    assert "friction=" not in words
    assert words[:4] == ["geometry=", "pos=", "vel=", "acc="]


def test_every_material_and_field_of_the_language_is_offered() -> None:
    assert offered('Object(material="|') == list(material_names())
    plane = {word.rstrip("=") for word in offered("Plane(|")}
    assert plane == {r.name for r in rules_of("Plane").values() if r.shape not in ("things", "camera")}


def test_what_is_offered_is_what_the_reader_takes() -> None:
    """Every material that completes is a material of a valid script."""
    for name in offered('Object(material="|'):
        text = f'Object("a", geometry="box", size=[1, 1, 1], mass=1, pos=[0, 0, 1], vel=[0, 0, 0], acc=[0, 0, 0], material="{name}")\nworld = World(duration=1, fps=10)\n'  # noqa: E501
        assert parse_script(text).world.objects[0].name == "a"


def test_lines_that_differ_are_those_of_a_unified_difference() -> None:
    rng = random.Random(4)
    for _ in range(50):
        left = [rng.choice("abcde") for _ in range(rng.randrange(12))]
        right = [rng.choice("abcde") for _ in range(rng.randrange(12))]
        found = text_difference("\n".join(left), "\n".join(right))
        told = list(difflib.ndiff(left, right))
        kept = [line[2:] for line in told if line.startswith("  ")]
        assert len(kept) <= len(left) - len(found.left) == len(right) - len(found.right)
        assert [x for i, x in enumerate(left, 1) if i not in found.left] == [
            x for i, x in enumerate(right, 1) if i not in found.right
        ]
        assert len(found.beside) == len(right)
        for line, other in enumerate(found.beside, 1):
            if line not in found.right:
                assert left[other - 1] == right[line - 1]
