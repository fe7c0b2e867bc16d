"""The keys of everything that is kept: derived from the field specs, so that no field is forgotten."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from fourdcb.identity import content_hash, file_sha256
from fourdcb.world import (
    AreaLight,
    Camera,
    DirectionalLight,
    Fluid,
    Material,
    Object,
    Plane,
    PointLight,
    World,
    parameters,
    with_value,
)
from fourdcb.world.fields import Part, spec_of
from fourdcb.world.parts import READS, part_of

BALL = Object(name="ball", geometry="sphere", pos=(0, 0, 1), vel=(0, 0, 0), acc=(0, 0, -9.8))
WORLD = World(
    duration=0.5,
    objects=(BALL,),
    planes=(Plane(name="floor"),),
    fluids=(Fluid(name="water", size=(1, 1, 1), pos=(0, 0, 0), acc=(0, 0, -9.8)),),
    lights=(DirectionalLight(name="sun"), PointLight(name="lamp"), AreaLight(name="panel")),
)


def classes() -> Iterator[type[Any]]:
    """Every dataclass that a world nests, from the type hints."""
    waiting: list[Any] = [World]
    while waiting:
        hint = waiting.pop()
        if dataclasses.is_dataclass(hint):
            yield hint  # type: ignore[misc]
            hints = get_type_hints(hint)
            waiting += [
                hints[f.name] for f in dataclasses.fields(hint) if (s := spec_of(f)) and s.part == "nested"
            ]
        else:
            waiting += get_args(hint)


def test_every_field_of_every_dataclass_of_the_world_says_what_it_belongs_to() -> None:
    found = set(classes())
    assert found == {
        World, Object, Plane, Fluid, Camera, Material, DirectionalLight, PointLight, AreaLight,
    }  # fmt: skip
    for cls in found:
        for field in dataclasses.fields(cls):
            spec = spec_of(field)
            assert spec is not None, f"{cls.__name__}.{field.name} has no FieldSpec"
            assert spec.part in get_args(Part), f"{cls.__name__}.{field.name} does not say its part"


def test_every_part_but_provenance_is_read_by_the_picture() -> None:
    assert READS["pictures"] == set(get_args(Part)) - {"nested", "provenance"}
    assert all(parts <= READS["pictures"] for parts in READS.values())


def test_a_key_changes_with_what_its_stage_reads_and_with_nothing_else() -> None:
    for known in parameters(WORLD):
        low, high = known.slider
        middle = 0.5 * (low + high)
        other = with_value(WORLD, known.path, middle if middle != known.value else 0.3 * low + 0.7 * high)
        assert other != WORLD, known.path
        for stage in ("rollout", "pictures", "horizon"):
            changed = part_of(other, stage, engine="e 1") != part_of(WORLD, stage, engine="e 1")
            assert changed == (known.part in READS[stage]), (known.path, stage)
        changed = part_of(other, "looks") != part_of(WORLD, "looks")
        assert changed == (known.part in READS["looks"]), known.path


def test_equal_parts_are_one_key_and_engines_keep_apart() -> None:
    again = dataclasses.replace(WORLD, objects=(dataclasses.replace(BALL),), source="# text")
    assert {part_of(WORLD, "rollout", engine="bullet 2"): 1}[
        part_of(again, "rollout", engine="bullet 2")
    ] == 1
    assert part_of(WORLD, "rollout", engine="bullet 2") != part_of(WORLD, "rollout", engine="bullet 3")
    with pytest.raises(ValueError, match="engine"):
        part_of(WORLD, "rollout", engine="")
    with pytest.raises(ValueError, match="engine"):
        part_of(WORLD, "looks", engine="bullet 2")  # type: ignore[call-overload]


def test_what_never_moves_is_another_picture_to_draw() -> None:
    for still in ({"fixed": True}, {"mass": 0.0}):
        other = dataclasses.replace(WORLD, objects=(dataclasses.replace(BALL, **still),))
        assert part_of(other, "looks") != part_of(WORLD, "looks")
    heavier = dataclasses.replace(WORLD, objects=(dataclasses.replace(BALL, mass=2.0),))
    assert part_of(heavier, "looks") == part_of(WORLD, "looks")


def test_files_of_one_name_in_two_folders_are_two_files(tmp_path: Path) -> None:
    cup = dataclasses.replace(BALL, geometry="mesh", mesh="cup.obj")
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "cup.obj").write_text(name if name == "c" else "same")
    a, b, c = (
        dataclasses.replace(WORLD, objects=(cup,), base_dir=str(tmp_path / name)) for name in ("a", "b", "c")
    )
    assert a == b  # a world's equality is that of its script
    assert part_of(a, "looks") != part_of(b, "looks")

    def stored(world: World) -> str:
        return content_hash(part_of(world, "horizon", engine="e 1", file_key=file_sha256))

    assert stored(a) == stored(b) != stored(c)
    before = part_of(a, "looks")
    (tmp_path / "a" / "cup.obj").write_text("edited, longer")
    assert part_of(a, "looks") != before
    (tmp_path / "a" / "cup.obj").unlink()
    assert isinstance(hash(part_of(a, "looks")), int)
