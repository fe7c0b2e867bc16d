"""parse(emit(world)) == world for every valid world."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fourdcb.conventions import canonical_quaternion, normalized
from fourdcb.dsl import emit, parse_script
from fourdcb.errors import UserError
from fourdcb.world import (
    AreaLight,
    Camera,
    DirectionalLight,
    Keyframe,
    Material,
    Object,
    Plane,
    PointLight,
    World,
)
from fourdcb.world.lights import angle_between
from fourdcb.world.presets import material_names, material_preset
from fourdcb.world.validate import validate


def numbers(low: float, high: float, **kwargs: Any) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False, allow_infinity=False, **kwargs)


def vectors(low: float = -50.0, high: float = 50.0, count: int = 3) -> st.SearchStrategy[tuple[float, ...]]:
    return st.tuples(*[numbers(low, high)] * count)


positive = numbers(1e-3, 10.0)
unit_interval = numbers(0.0, 1.0)
colors = vectors(0.0, 1.0)
directions = vectors(-2.0, 2.0).filter(lambda v: math.hypot(*v) > 0.1)
quaternions = vectors(-1.0, 1.0, 4).filter(lambda q: math.hypot(*q) > 0.1).map(
    lambda q: tuple(float(c) for c in canonical_quaternion(q))
)  # fmt: skip
normals = directions.map(lambda v: tuple(float(c) for c in normalized(v)))
names = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=12).filter(
    lambda s: s.isprintable() and s not in ("camera", "world")
)
images = st.sampled_from([None, "a.png", "maps/wood grain.jpg"])
materials = st.one_of(
    st.just(Material()),
    st.sampled_from(material_names()).map(material_preset),
    st.builds(
        Material,
        name=names | st.sampled_from(material_names()),
        base_color=st.none() | colors,
        roughness=st.none() | st.just(0.8) | unit_interval,
        metallic=st.none() | st.just(0.0) | unit_interval,
        specular=st.none() | st.just(0.5) | unit_interval,
        opacity=st.none() | st.just(1.0) | unit_interval,
        subsurface=st.none() | unit_interval,
        subsurface_color=st.none() | colors,
        friction=st.none() | numbers(0, 2),
        restitution=st.none() | unit_interval,
        density=st.none() | numbers(1, 2e4),
        base_color_map=images,
        normal_map=images,
        roughness_map=images,
        metallic_map=images,
    ),
)


@st.composite
def sizes(draw: st.DrawFn, geometry: str) -> tuple[float, float, float]:
    x, y, z = draw(positive), draw(positive), draw(positive)
    if geometry == "sphere":
        return x, x, x
    if geometry == "capsule":
        return min(x, z), min(x, z), max(x, z)
    return (x, x, z) if geometry in ("cylinder", "cone") else (x, y, z)


@st.composite
def objects(draw: st.DrawFn, name: str) -> Object:
    geometry = draw(st.sampled_from(["sphere", "box", "cylinder", "cone", "capsule", "mesh"]))
    times = sorted(draw(st.sets(numbers(0, 10), max_size=3)))
    return Object(
        name=name,
        geometry=geometry,  # type: ignore[arg-type]
        mesh=draw(st.sampled_from(["a.obj", "m/b c.ply"])) if geometry == "mesh" else None,
        size=draw(sizes(geometry)),
        mass=draw(st.none() | numbers(0, 100)),
        friction=draw(st.none() | numbers(0, 2)),
        restitution=draw(st.none() | unit_interval),
        rolling_friction=draw(numbers(0, 0.1)),
        pos=draw(vectors()),
        rot=draw(quaternions),
        vel=draw(vectors()),
        ang_vel=draw(vectors()),
        acc=draw(vectors()),
        fixed=draw(st.booleans()),
        trajectory=tuple(Keyframe(t, draw(vectors()), draw(quaternions)) for t in times),
        material=draw(materials),
    )


def _has_a_way(curve: list[tuple[float, float, float]]) -> bool:
    """Whether no direction is opposite to the one before."""
    return all(angle_between(a, b) < 3.1 for a, b in pairwise(curve))


@st.composite
def lights(draw: st.DrawFn, name: str) -> DirectionalLight | PointLight | AreaLight:
    kind = draw(st.sampled_from([DirectionalLight, PointLight, AreaLight]))
    common: dict[str, Any] = {
        "name": name,
        "intensity": draw(numbers(0, 100)),
        "color": draw(colors),
        "intensity_curve": tuple(draw(st.lists(numbers(0, 3), max_size=4))),
        "time_range": draw(st.none() | st.tuples(numbers(0, 1), numbers(1, 5))),
    }
    if kind is not PointLight:
        common["direction"] = draw(directions)
        common["direction_curve"] = tuple(draw(st.lists(directions, max_size=3).filter(_has_a_way)))
    if kind is not DirectionalLight:
        common["pos"] = draw(vectors())
        common["position_curve"] = tuple(draw(st.lists(vectors(), max_size=3)))
    if kind is AreaLight:
        common["size"] = draw(positive)
    return kind(**common)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    found = draw(st.lists(names, unique=True, max_size=6))
    kinds = [draw(st.integers(0, 2)) for _ in found]
    pick = {k: [n for n, kind in zip(found, kinds, strict=True) if kind == k] for k in range(3)}
    return World(
        duration=draw(numbers(0.1, 30)),
        fps=draw(numbers(1, 120)),
        objects=tuple(draw(objects(n)) for n in pick[0]),
        planes=tuple(
            Plane(
                name=n,
                normal=draw(normals),
                offset=draw(numbers(-5, 5)),
                friction=draw(st.none() | positive),
                restitution=draw(st.none() | unit_interval),
                size=draw(positive),
                material=draw(materials),
            )
            for n in pick[1]
        ),
        lights=tuple(draw(lights(n)) for n in pick[2]),
        camera=Camera(
            pos=(draw(numbers(1, 5)), draw(numbers(1, 5)), draw(numbers(-5, 5))),
            target=draw(vectors(-0.5, 0.5)),
            fov_y_deg=draw(numbers(1, 170)),
            width=draw(st.integers(8, 300)),
            height=draw(st.integers(8, 300)),
            distortion=draw(vectors(-0.3, 0.3, 5)),
        ),
        ambient=draw(numbers(0, 2)),
        background=draw(vectors(0, 3)),
        exposure=draw(numbers(0.01, 5)),
    )  # fmt: skip


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(worlds())
def test_emitted_worlds_read_back_equal(world: World) -> None:
    assert [d for d in validate(world) if d.severity == "error"] == []
    text = emit(world)
    again = parse_script(text)
    assert again.world == world
    assert emit(again.world) == text


def test_the_default_world_reads_back_equal() -> None:
    assert parse_script(emit(World())).world == World()
    assert parse_script(emit(World(lights=()))).world == World(lights=())


def test_emitted_lines_are_short_and_named() -> None:
    obj = Object(name="cup", geometry="box", pos=(0.1, 0.2, 0.3), vel=(1, 2, 3), acc=(0, 0, -9.8))
    text = emit(World(objects=(obj,)))
    assert "\ncup = Object(" in text
    assert max(map(len, text.splitlines())) <= 100


def test_a_world_that_is_not_finite_has_no_script() -> None:
    with pytest.raises(UserError, match="not finite"):
        emit(World(exposure=math.inf))
