"""Fields that are no numbers, and whole things, change in the script's own text."""

from dataclasses import replace

import pytest

from fourdcb.dsl import parse_script
from fourdcb.dsl.structure import add_thing, remove_thing, set_field
from fourdcb.errors import UserError
from fourdcb.world import DirectionalLight, Object, World

SCRIPT = """# A ball. Äther!
world = World(duration=1.0)
ball = Object("ball", geometry="sphere", size=[0.1, 0.1, 0.1],  # round
              pos=[0, 0, 1], vel=[0, 0, 0], acc=[0, 0, -9.8])
"""
BOX = Object(name="crate", pos=(0.0, 0.0, 0.2), vel=(0.0, 0.0, 0.0), acc=(0.0, 0.0, -9.8))


def world_of(source: str) -> World:
    return parse_script(source).world


@pytest.mark.parametrize(
    ("field", "value"),
    [("geometry", "box"), ("fixed", True), ("rot", (0.0, 1.0, 0.0, 0.0)), ("ang_vel", (0.0, 1.0, 2.0))],
)
def test_one_field_changes_and_nothing_else(field: str, value: object) -> None:
    changed = set_field(SCRIPT, "ball", field, value)
    before = world_of(SCRIPT)
    expected = replace(before, objects=(replace(before.objects[0], **{field: value}),))
    assert world_of(changed) == expected
    assert changed.startswith("# A ball. Äther!\n")
    assert "# round" in changed


def test_a_stated_word_is_replaced_where_it_stands() -> None:
    assert set_field(SCRIPT, "ball", "geometry", "box") == SCRIPT.replace('"sphere"', '"box"')


def test_what_is_added_is_there_and_can_be_taken_away_again() -> None:
    grown = add_thing(SCRIPT, BOX)
    assert world_of(grown).objects == (*world_of(SCRIPT).objects, BOX)
    assert remove_thing(grown, "crate").rstrip() == SCRIPT.rstrip()


def test_a_stated_light_takes_the_place_of_the_one_that_stands_in() -> None:
    sun = DirectionalLight(name="sun", direction=(0.0, 0.0, -1.0), intensity=2.0)
    assert world_of(add_thing(SCRIPT, sun)).lights == (sun,)


def test_what_a_script_cannot_say_is_refused() -> None:
    with pytest.raises(UserError):
        add_thing(SCRIPT, replace(BOX, name="ball"))  # the name is taken
    with pytest.raises(UserError):
        remove_thing(SCRIPT, "nobody")
    with pytest.raises(UserError):
        set_field(SCRIPT, "ball", "no_such_field", 1)
    looped = SCRIPT + "for k in range(2):\n    Object(f'b{k}', pos=[k, 0, 1], vel=[0, 0, 0], acc=[0, 0, 0])\n"
    with pytest.raises(UserError):
        remove_thing(looped, "b1")  # it has no statement of its own
