"""Assignment against brute force; what renaming, reordering, missing and static bodies change."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourdcb.metrics.geometry.surface import match_static
from fourdcb.metrics.matching import _Sides, match
from fourdcb.trajectory import ContactTable, Trajectory
from fourdcb.world import Camera, Keyframe, Object, Plane, World

FLOOR = Plane(name="floor", friction=0.5, restitution=0.5)


def thing(name: str, pos: tuple[float, float, float], size: float = 0.1, **more: object) -> Object:
    return Object(name=name, pos=pos, size=(size, size, size), vel=(0, 0, 0), acc=(0, 0, -9.8), **more)  # type: ignore[arg-type]


def still(world: World, velocity: tuple[float, float, float] = (0, 0, 0)) -> Trajectory:
    """A trajectory in which every object moves with one velocity and nothing touches."""
    names = tuple(b.name for b in world.bodies)
    kinds = tuple("static" if isinstance(b, Plane) else b.kind for b in world.bodies)
    steps = world.n_frames * 4
    times = np.arange(steps + 1) / (4 * world.fps)
    start = np.array([(0.0, 0.0, 0.0) if isinstance(b, Plane) else b.pos for b in world.bodies])
    moving = np.array([kind != "static" for kind in kinds])[:, None]
    position = start + times[:, None, None] * np.asarray(velocity) * moving
    orientation = np.zeros((steps + 1, len(names), 4))
    orientation[..., 0] = 1.0
    empty, nobody = np.zeros((0, 3)), np.zeros(0, np.int32)
    none = ContactTable(
        step=nobody, body_a=nobody, body_b=nobody, position=empty, normal=empty,
        distance=np.zeros(0), normal_impulse=np.zeros(0), tangential_impulse=empty,
        velocity_before=empty, velocity_after=empty,
    )  # fmt: skip
    return Trajectory(
        names=names, kinds=kinds, fps=world.fps, rate_hz=4 * world.fps, times=times, position=position,
        orientation_wxyz=orientation, linear_velocity=np.zeros_like(position),
        angular_velocity=np.zeros_like(position), kinetic_energy=np.zeros(position.shape[:2]),
        potential_energy=np.zeros(position.shape[:2]), contacts=none, events=(),
    )  # fmt: skip


def world(*objects: Object, planes: tuple[Plane, ...] = (FLOOR,)) -> World:
    return World(duration=0.5, fps=20, objects=objects, planes=planes)


def pairs(reference: World, candidate: World) -> dict[str, str]:
    found = match(reference, candidate, still(reference), still(candidate))
    return {m.reference: m.candidate for m in found.pairs}


def random_world(seed: int, count: int, prefix: str) -> World:
    rng = np.random.default_rng(seed)
    return world(
        *(
            thing(
                f"{prefix}{i}",
                tuple(rng.uniform(-0.5, 0.5, 3).tolist()),  # type: ignore[arg-type]
                size=float(rng.uniform(0.05, 0.2)),
                geometry=str(rng.choice(["box", "sphere", "cylinder"])),
            )
            for i in range(count)
        )
    )


@given(st.integers(0, 10_000), st.integers(1, 4))
@settings(max_examples=20, deadline=None)
def test_assignment_is_the_cheapest_of_all(seed: int, count: int) -> None:
    reference, candidate = random_world(seed, count, "r"), random_world(seed + 1, count, "c")
    sides = _Sides(reference, candidate, still(reference), still(candidate))
    cost = {(r.name, c.name): sides._cost(r, c) for r in reference.objects for c in candidate.objects}
    names = [o.name for o in reference.objects]
    best = min(
        sum(cost[pair] for pair in zip(names, order, strict=True))
        for order in permutations([o.name for o in candidate.objects])
    )
    found = pairs(reference, candidate)
    assert sum(cost[pair] for pair in found.items()) == pytest.approx(best)


@given(st.integers(0, 10_000), st.permutations(range(3)))
@settings(max_examples=15, deadline=None)
def test_names_and_order_change_nothing(seed: int, order: list[int]) -> None:
    reference = random_world(seed, 3, "r")
    renamed = world(*(replace(reference.objects[i], name=f"other{i}") for i in order))
    assert pairs(reference, renamed) == {f"r{i}": f"other{i}" for i in range(3)}


def test_names_break_exact_ties() -> None:
    twins = world(thing("a", (0, 0, 0.5)), thing("b", (0, 0, 0.5)))
    swapped = world(thing("b", (0, 0, 0.5)), thing("a", (0, 0, 0.5)))
    assert pairs(twins, swapped) == {"a": "a", "b": "b"}


def test_missing_and_extra_objects_are_named() -> None:
    reference = world(thing("cup", (0, 0, 0.5)), thing("ball", (0.3, 0, 0.5)))
    candidate = world(thing("cup", (0, 0, 0.5)))
    one = match(reference, candidate, still(reference), still(candidate))
    assert (one.missing, one.extra) == (("ball",), ())
    other = match(candidate, reference, still(candidate), still(reference))
    assert (other.missing, other.extra) == ((), ("ball",))


def test_a_static_body_may_stand_for_one_that_rests() -> None:
    reference = world(thing("block", (0, 0, 0.05), mass=1.0))
    candidate = world(thing("base", (0, 0, 0.05), fixed=True))
    found = match(reference, candidate, still(reference), still(candidate))
    assert found.missing == ()
    assert found.pairs[0].same_kind
    moving = match(reference, candidate, still(reference, (0.1, 0, 0)), still(candidate))
    assert not moving.pairs[0].same_kind


def test_a_keyframed_body_is_of_another_kind() -> None:
    reference = world(thing("cup", (0, 0, 0.5)))
    candidate = world(thing("cup", (0, 0, 0.5), trajectory=(Keyframe(0.0, (0, 0, 0.5)),)))
    assert not match(reference, candidate, still(reference), still(candidate)).pairs[0].same_kind


TABLE = Object(name="table", pos=(0, 0, 0.2), size=(0.6, 0.6, 0.4), vel=(0, 0, 0), acc=(0, 0, 0), fixed=True)


def test_the_hidden_extent_of_a_static_body_is_free() -> None:
    reference = world(TABLE)
    sunk = replace(TABLE, name="slab", pos=(0, 0, 0.1), size=(0.6, 0.6, 0.6))
    found = match_static(reference, world(sunk))
    assert max(found.errors.values()) < 1e-9
    assert found.counterpart == {"slab": "table", "floor": "floor"}


def test_a_ground_box_may_stand_for_a_plane() -> None:
    ground = replace(TABLE, name="ground", pos=(0, 0, -0.5), size=(20, 20, 1.0))
    found = match_static(world(TABLE), world(TABLE, ground, planes=()))
    assert max(found.errors.values()) < 1e-9
    assert found.counterpart["ground"] == "floor"


@pytest.mark.parametrize("lift", [0.01, 0.03, 0.1])
def test_a_lifted_table_top_is_measured_along_its_normal(lift: float) -> None:
    above = Camera(pos=(0, 0, 2.0), target=(0, 0, 0), up=(0, 1, 0))
    reference = replace(world(TABLE), camera=above)
    lifted = replace(TABLE, pos=(0, 0, 0.2 + lift))
    assert match_static(reference, world(lifted)).errors["table"] == pytest.approx(lift, abs=1e-6)


def test_a_missing_and_an_invented_table_are_seen() -> None:
    assert match_static(world(TABLE), world()).errors["table"] > 0.02
    bare = world(planes=())
    assert match_static(bare, world(TABLE, planes=())).extra["table"] == 1.0


def test_an_invented_box_in_front_of_the_floor_is_seen() -> None:
    """Its few samples are far fewer than one in twenty of the floor's."""
    crate = replace(TABLE, name="crate", pos=(0.4, 0.4, 0.1), size=(0.2, 0.2, 0.2))
    found = match_static(world(), world(crate))
    assert found.errors["floor"] < 0.02
    assert found.extra["crate"] > 0.02
    assert match_static(world(crate), world(replace(crate, name="box"))).extra == {}


def test_a_floor_in_two_tiles_is_no_invention() -> None:
    tiles = [
        replace(TABLE, name=f"tile{k}", pos=(x, 0, -0.5), size=(10, 20, 1)) for k, x in enumerate((-5, 5))
    ]
    found = match_static(world(), world(*tiles, planes=()))
    assert found.extra == {}
    assert max(found.errors.values()) < 1e-9


def test_a_static_stand_in_is_judged_by_its_pose_and_hides_nothing() -> None:
    reference = world(thing("block", (0, 0, 0.4), size=0.8, mass=1.0))
    candidate = world(thing("base", (0, 0, 0.4), size=0.8, fixed=True))
    for a, b in ((reference, candidate), (candidate, reference)):
        static = match(a, b, still(a), still(b)).static
        assert static.extra == {}
        assert static.errors == {"floor": 0.0}


def test_bodies_out_of_view_are_paired_by_place_whatever_their_names() -> None:
    up = Camera(pos=(0, 0, 1.0), target=(0, 0, 3.0), up=(0, 1, 0))
    reference = replace(world(thing("cup", (0, 0, 2.0))), camera=up)
    renamed = replace(reference, planes=(replace(reference.planes[0], name="ground"),))
    assert match(reference, renamed, still(reference), still(renamed)).counterpart["ground"] == "floor"


def test_a_name_does_not_make_a_hidden_body_the_floor() -> None:
    reference = world(thing("cup", (0, 0, 0.5)))
    guide = thing("floor", (0, 0, -2.0), fixed=True)
    candidate = world(reference.objects[0], guide, planes=(replace(reference.planes[0], name="ground"),))
    found = match(reference, candidate, still(reference), still(candidate))
    assert found.counterpart == {"cup": "cup", "ground": "floor"}


AHEAD = Camera(pos=(0, -2, 0.5), target=(0, 0, 0.5))


def ahead(*objects: Object, planes: tuple[Plane, ...] = ()) -> World:
    return replace(world(*objects, planes=planes), camera=AHEAD)


@pytest.mark.parametrize(("width", "seen"), [(0.2, True), (0.065, True), (0.036, True), (0.015, False)])
def test_even_a_few_samples_of_an_invented_or_missing_thing_count(width: float, seen: bool) -> None:
    """At 2 m a sample is 2 m · tan(fov/2) · 2 / 96 wide; four of them are enough."""
    dot = thing("dot", (0, 0, 0.5), width, fixed=True)
    sample = 4.0 * np.tan(np.deg2rad(AHEAD.fov_y_deg) / 2) / 96 * max(AHEAD.width / AHEAD.height, 1.0)
    assert (width > 2.1 * sample) == seen
    assert match_static(ahead(), ahead(dot)).extra.get("dot", 0.0) == (1.0 if seen else 0.0)
    assert match_static(ahead(dot), ahead()).errors.get("dot", 0.0) == (1.0 if seen else 0.0)


def test_a_small_thing_that_is_there_may_stand_a_sample_aside() -> None:
    dot = thing("dot", (0, 0, 0.5), 0.036, fixed=True)
    found = match_static(ahead(dot), ahead(replace(dot, pos=(0.012, 0, 0.5))))
    assert found.stand_in == {"dot": "dot"}
    assert found.errors == found.extra == {}


def test_parts_are_where_both_bodies_are_seen() -> None:
    """A wall of two halves: the smaller one is a part, on its side of the picture alone."""
    wall = replace(thing("wall", (0, 0.05, 0.5)), size=(4.0, 0.1, 4.0), fixed=True)
    right = replace(wall, name="right", size=(1.8, 0.1, 4.0), pos=(1.1, 0.05, 0.5))
    left = replace(wall, name="left", size=(2.2, 0.1, 4.0), pos=(-0.9, 0.05, 0.5))
    found = match_static(ahead(wall), ahead(right, left))
    assert found.stand_in == {"wall": "left"}
    (part,) = found.parts
    assert (part.reference, part.candidate) == ("wall", "right")
    columns = np.flatnonzero(part.where.any(axis=0)) / part.where.shape[1]
    half = 2.0 * np.tan(np.deg2rad(AHEAD.fov_y_deg) / 2) * AHEAD.width / AHEAD.height
    assert columns.min() == pytest.approx(0.5 + 0.5 * 0.2 / half, abs=3 / part.where.shape[1])
    assert not part.where.all(axis=0)[: part.where.shape[1] // 2].any()


def test_what_the_camera_does_not_see_is_named_unless_its_pose_is_judged() -> None:
    shown, behind = thing("shown", (0, 0, 0.5), 0.4, fixed=True), thing("behind", (0, -4, 0.5), fixed=True)
    moving = thing("moving", (0, -4, 2.0))
    both = ahead(shown, behind, moving)
    assert match_static(both, ahead(shown)).offscreen == (frozenset({"behind"}), frozenset())
    assert match_static(ahead(shown), both).offscreen == (frozenset(), frozenset({"behind"}))
    assert match_static(both, both, judged=(("behind",), ())).offscreen[0] == frozenset()
