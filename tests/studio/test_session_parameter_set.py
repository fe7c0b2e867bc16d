"""Edits are commands: one drag one step, undo and redo, snapshots, changed marks."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourdcb.errors import UserError
from fourdcb.world import Object, Plane, World
from fourdcb_studio.session.parameter_set import ParameterSet

_WORLD = World(
    objects=(
        Object(name="cup", pos=(0.0, 0.0, 1.0), vel=(0.0, 0.0, 0.0), acc=(0.0, 0.0, -9.8), restitution=0.5),
    ),
    planes=(Plane(name="floor"),),
)


def test_a_drag_is_one_step() -> None:
    edits = ParameterSet(_WORLD)
    for value in (0.45, 0.4, 0.36):
        edits.change("cup.restitution", value)
    edits.commit("cup.restitution", 0.35)
    assert edits.world.object("cup").restitution == 0.35
    assert edits.undo()
    assert edits.world == _WORLD
    assert not edits.undo()
    assert edits.redo()
    assert edits.world.object("cup").restitution == 0.35


def test_stage_says_what_must_run_again() -> None:
    edits = ParameterSet(_WORLD)
    assert edits.commit("cup.roughness", 0.2) == "render"
    assert edits.commit("cup.vel[0]", 0.2) == "physics"


def test_returning_to_the_files_value_is_no_edit_and_restores_the_very_world() -> None:
    edits = ParameterSet(_WORLD)
    mass = edits.file_values["cup.mass"]  # a default that the script does not state
    edits.commit("cup.mass", 3.0)
    edits.commit("cup.mass", mass)
    assert not edits.changed
    assert edits.world == _WORLD


def test_out_of_range_changes_nothing() -> None:
    edits = ParameterSet(_WORLD)
    with pytest.raises(UserError, match="out of range"):
        edits.change("cup.restitution", 1.5)
    assert edits.world is _WORLD
    assert edits.dragging is None


def test_reset_all_is_one_step() -> None:
    edits = ParameterSet(_WORLD)
    edits.commit("cup.restitution", 0.1)
    edits.commit("cup.friction", 0.9)
    assert edits.reset_all()
    assert edits.world == _WORLD
    edits.undo()
    assert edits.changed == {"cup.restitution", "cup.friction"}


def test_snapshots_survive_edits_and_a_save() -> None:
    edits = ParameterSet(_WORLD)
    edits.commit("cup.restitution", 0.2)
    name = edits.take_snapshot()
    edits.commit("cup.restitution", 0.9)
    edits.rebase(edits.world)
    assert edits.apply_snapshot(name)
    assert edits.world.object("cup").restitution == 0.2
    assert edits.changed == {"cup.restitution"}


_OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("commit"), st.sampled_from(["cup.restitution", "cup.friction"]), st.floats(0, 1)),
        st.tuples(st.just("change"), st.sampled_from(["cup.restitution", "cup.vel[1]"]), st.floats(0, 1)),
        st.tuples(st.sampled_from(["undo", "redo", "reset_all"])),
    ),
    max_size=20,
)


@settings(max_examples=40, deadline=None)
@given(_OPERATIONS)
def test_undoing_everything_returns_to_the_file_and_redo_to_the_end(operations: list[tuple]) -> None:
    edits = ParameterSet(_WORLD)
    for name, *arguments in operations:
        getattr(edits, name)(*arguments)
    end = edits.world
    steps = 0
    while edits.undo():
        steps += 1
    assert edits.world == _WORLD
    assert not edits.changed
    for _ in range(steps):
        edits.redo()
    while edits.redo_label and edits.world != end:
        edits.redo()
    assert edits.world == end
