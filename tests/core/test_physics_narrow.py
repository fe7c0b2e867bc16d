"""The narrow phase against brute force, closed forms and MuJoCo."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourdcb.arrays import F64
from fourdcb.conventions import quaternion_from_axis_angle, rotation_from_quaternion
from fourdcb.kernels.jit import kernel
from fourdcb.physics.conformance.mesh_files import half_pipe, icosphere, prism, tray
from fourdcb.physics.contact.narrow import BodyForm, Contacts, body_form, contacts, table_of, workspace
from fourdcb.physics.contact.narrow.collide import collide
from fourdcb.physics.contact.narrow.forms import HALF_SPACE_FORM
from fourdcb.physics.contact.narrow.primitives import primitive_form
from fourdcb.world import Object

SHAPES = ("sphere", "capsule", "box", "cylinder", "cone")
PAIRS = [(a, b) for k, a in enumerate(SHAPES) for b in SHAPES[k:]]
I3 = np.eye(3)
ORIGIN = np.zeros(3)


@kernel
def _collide(
    table: Any, work: Any, i: int, j: int, pos_i: F64, rot_i: F64, pos_j: F64, rot_j: F64, margin: float,
    out: Any, count: Any,
) -> None:  # fmt: skip
    count[0] = collide(table, work, i, j, pos_i, rot_i, pos_j, rot_j, margin, out, 0)


@dataclass(frozen=True)
class Body:
    """A form at a pose."""

    form: BodyForm
    pos: F64
    rot: F64
    geometry: str = ""
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Found:
    point: F64
    normal: F64
    distance: F64
    feature: F64
    patch: F64


def rows(a: Body, b: Body, margin: float, *, swap: bool = False) -> Found:
    """Contacts of a and b as bodies 0 and 1, or asked for the other way round."""
    table = table_of([a.form, b.form])
    out: Contacts = contacts(64)
    count = np.zeros(1, dtype=np.int64)
    order = ((1, b), (0, a)) if swap else ((0, a), (1, b))
    (i, first), (j, second) = order
    _collide(
        table, workspace(table), i, j, np.ascontiguousarray(first.pos), np.ascontiguousarray(first.rot),
        np.ascontiguousarray(second.pos), np.ascontiguousarray(second.rot), margin, out, count,
    )  # fmt: skip
    n = int(count[0])
    assert n <= 64
    sign = -1.0 if swap else 1.0
    return Found(out.point[:n], sign * out.normal[:n], out.distance[:n], out.feature[:n], out.patch[:n])


def body(geometry: str, size: tuple[float, float, float], pos: F64 = ORIGIN, rot: F64 = I3) -> Body:
    return Body(
        primitive_form(geometry, size, name=geometry), np.asarray(pos, dtype=float), rot, geometry, size
    )


def plane(pos: F64 = ORIGIN, rot: F64 = I3) -> Body:
    return Body(HALF_SPACE_FORM, np.asarray(pos, dtype=float), rot)


def turn(axis: tuple[float, float, float], angle: float) -> F64:
    return rotation_from_quaternion(quaternion_from_axis_angle(axis, angle))


def reach_along(a: Body, directions: F64) -> F64:
    """How far a primitive at the origin reaches along unit directions, shape (N, 3)."""
    d = directions @ a.rot
    x, _, z = a.size
    wide = np.hypot(d[:, 0], d[:, 1])
    if a.geometry == "sphere":
        return np.full(len(d), 0.5 * x)
    if a.geometry == "box":
        return np.abs(d) @ (0.5 * np.array(a.size))
    if a.geometry == "capsule":
        return 0.5 * x + (0.5 * z - 0.5 * x) * np.abs(d[:, 2])
    if a.geometry == "cylinder":
        return 0.5 * x * wide + 0.5 * z * np.abs(d[:, 2])
    return np.maximum(0.75 * z * d[:, 2], 0.5 * x * wide - 0.25 * z * d[:, 2])


def gap_along(a: Body, b: Body, directions: F64) -> F64:
    """Room between a and b along directions from b to a; the largest is the signed distance."""
    return directions @ (a.pos - b.pos) - reach_along(a, -directions) - reach_along(b, directions)


_K = np.arange(3000) + 0.5
_POLAR, _AZIMUTH = np.arccos(1 - 2 * _K / 3000), np.pi * (1 + 5**0.5) * _K
SPREAD = np.stack(
    [np.cos(_AZIMUTH) * np.sin(_POLAR), np.sin(_AZIMUTH) * np.sin(_POLAR), np.cos(_POLAR)], axis=1
)
STEPS = np.random.default_rng(0).normal(size=(60, 3))


def searched_distance(a: Body, b: Body) -> float:
    """A lower bound of the signed distance, close to it: the best of many directions, refined."""
    room = gap_along(a, b, SPREAD)
    best = -math.inf
    for k in np.argsort(-room)[:6]:
        direction, value, width = SPREAD[k], room[k], 0.05
        for _ in range(45):
            tried = direction + width * STEPS
            tried /= np.linalg.norm(tried, axis=1)[:, None]
            values = gap_along(a, b, tried)
            j = int(values.argmax())
            if values[j] > value:
                direction, value = tried[j], values[j]
            else:
                width *= 0.55
        best = max(best, float(value))
    return best


def outside(a: Body, points: F64) -> F64:
    """Signed distance of points from a primitive's surface, written apart from the product's."""
    p = (points - a.pos) @ a.rot
    x, _, z = a.size
    wide = np.hypot(p[:, 0], p[:, 1])
    if a.geometry == "sphere":
        return np.linalg.norm(p, axis=1) - 0.5 * x
    if a.geometry == "capsule":
        high = np.clip(p[:, 2], -0.5 * (z - x), 0.5 * (z - x))
        return np.hypot(wide, p[:, 2] - high) - 0.5 * x
    if a.geometry == "box":
        q = np.abs(p) - 0.5 * np.array(a.size)
    elif a.geometry == "cylinder":
        q = np.stack([wide - 0.5 * x, np.abs(p[:, 2]) - 0.5 * z], axis=1)
    else:
        up, slant = p[:, 2] + 0.25 * z, math.hypot(0.5 * x, z)
        side = ((wide - 0.5 * x) * z + up * 0.5 * x) / slant
        return np.maximum(side, -up)  # enough on and inside the surface
    return np.linalg.norm(np.maximum(q, 0.0), axis=1) + np.minimum(q.max(axis=1), 0.0)


lengths = st.floats(0.05, 0.5)
angles = st.floats(0.0, 2 * math.pi)
parts = st.floats(-1.0, 1.0)


@st.composite
def bodies(draw: st.DrawFn, geometry: str) -> Body:
    a, b, c = draw(lengths), draw(lengths), draw(lengths)
    size = {"sphere": (a, a, a), "box": (a, b, c), "capsule": (a, a, a + b)}.get(geometry, (a, a, c))
    quaternion = np.array([draw(parts), draw(parts), draw(parts), draw(parts)])
    quaternion = (
        quaternion / np.linalg.norm(quaternion)
        if np.linalg.norm(quaternion) > 0.1
        else np.array([1.0, 0, 0, 0])
    )
    return body(geometry, size, ORIGIN, rotation_from_quaternion(quaternion))


@st.composite
def meetings(draw: st.DrawFn, pair: tuple[str, str]) -> tuple[Body, Body, float]:
    """Two primitives that nearly touch along a random direction, and the larger one's size."""
    a, b = draw(bodies(pair[0])), draw(bodies(pair[1]))
    direction = np.array([draw(parts), draw(parts), draw(parts) + 1e-3])
    direction /= np.linalg.norm(direction)
    size, small = max(*a.size, *b.size), min(*a.size, *b.size)
    share = draw(st.floats(-0.05, 0.3))
    far = -gap_along(a, b, direction[None])[0] + share * (size if share > 0 else small)
    return Body(a.form, far * direction, a.rot, a.geometry, a.size), b, size


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_distance_and_normal_are_the_best_that_any_direction_gives(pair: tuple[str, str]) -> None:
    @settings(max_examples=25, deadline=None, derandomize=True)
    @given(meetings(pair))
    def check(case: tuple[Body, Body, float]) -> None:
        a, b, size = case
        found = rows(a, b, 10.0)
        least = int(found.distance.argmin())
        told = float(found.distance[least])
        assert gap_along(a, b, found.normal[least : least + 1])[0] == pytest.approx(told, abs=1e-7 * size)
        assert told > searched_distance(a, b) - 1e-7 * size
        on_a = found.point[least] + 0.5 * told * found.normal[least]
        on_b = found.point[least] - 0.5 * told * found.normal[least]
        assert abs(outside(a, on_a[None])[0]) < 1e-6 * size
        assert abs(outside(b, on_b[None])[0]) < 1e-6 * size

    check()


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_contacts_turn_swap_and_scale_with_the_scene(pair: tuple[str, str]) -> None:
    @settings(max_examples=15, deadline=None, derandomize=True)
    @given(meetings(pair), parts, angles)
    def check(case: tuple[Body, Body, float], tip: float, angle: float) -> None:
        a, b, size = case
        margin = 0.02 * size
        found = rows(a, b, margin)
        swapped = rows(a, b, margin, swap=True)
        assert np.array_equal(found.point, swapped.point)
        assert np.array_equal(found.normal, swapped.normal)
        assert np.array_equal(found.feature, swapped.feature)
        spin, shift = turn((tip, 0.3, 1.0), angle), np.array([3.0, -2.0, 5.0])
        moved = [Body(x.form, spin @ x.pos + shift, spin @ x.rot, x.geometry, x.size) for x in (a, b)]
        turned = rows(moved[0], moved[1], margin)
        assert len(turned.distance) == len(found.distance)
        # The distance search knows the direction between a curved rim and an edge to a few millionths.
        exact = 1e-9 if pair[0] == "sphere" else 1e-5
        assert turned.point == pytest.approx(found.point @ spin.T + shift, abs=exact * size)
        assert turned.normal == pytest.approx(found.normal @ spin.T, abs=exact)
        assert turned.distance == pytest.approx(found.distance, abs=1e-9 * size)
        large = [body(x.geometry, tuple(64 * s for s in x.size), 64 * x.pos, x.rot) for x in (a, b)]
        assert rows(large[0], large[1], 64 * margin).point == pytest.approx(64 * found.point, abs=1e-5 * size)

    check()


def test_a_box_stands_on_four_corners_wherever_it_looks() -> None:
    for angle in (0.0, 0.3, 2.0):
        box = body("box", (0.1, 0.2, 0.3), np.array([1.0, 2.0, 0.1499]), turn((0, 0, 1), angle))
        found = rows(box, plane(), 1e-3)
        assert found.distance == pytest.approx(np.full(4, -1e-4), abs=1e-15)
        local = (found.point - box.pos) @ box.rot
        assert np.abs(local[:, :2]) == pytest.approx(np.tile([0.05, 0.1], (4, 1)), abs=1e-15)


def test_levers_of_even_pressure() -> None:
    square = rows(body("box", (0.1, 0.1, 0.06), np.array([0, 0, 0.03])), plane(), 1e-3)
    assert square.patch[0] == pytest.approx([0.01, 0.1 * (math.sqrt(2) + math.asinh(1)) / 6], rel=1e-12)
    disc = rows(body("cylinder", (0.1, 0.1, 0.06), np.array([0, 0, 0.03])), plane(), 1e-3)
    assert disc.patch[0] == pytest.approx([math.pi * 0.05**2, 2 / 3 * 0.05], rel=1e-12)
    coin = body("cylinder", (0.024, 0.024, 0.0015), np.array([0, 0, 0.0015]))
    assert rows(coin, body("cylinder", (0.05, 0.05, 0.0015)), 1e-4).patch[0, 1] == pytest.approx(0.008)


@pytest.mark.parametrize("tilt", [1e-7, 1e-4, 0.01, 0.3, 1.5])
@pytest.mark.parametrize("azimuth", [0.0, 0.2, 1.0])
def test_a_tilted_can_touches_with_the_lowest_point_of_its_rim(tilt: float, azimuth: float) -> None:
    rot = turn((0, 0, 1), azimuth) @ turn((0, 1, 0), tilt) @ turn((0, 0, 1), 0.37)
    low = 0.05 * math.sin(tilt) + 0.1 * math.cos(tilt)
    can = body("cylinder", (0.1, 0.1, 0.2), np.array([0.0, 0.0, low]), rot)
    found = rows(can, plane(), 1e-5)
    k = int(found.distance.argmin())
    assert found.distance[k] == pytest.approx(0.0, abs=1e-8)
    if tilt > 1e-5:  # upright its corners stand for the rim
        x = 0.05 * math.cos(tilt) - 0.1 * math.sin(tilt)
        expected = [x * math.cos(azimuth), x * math.sin(azimuth), 0.0]
        assert found.point[k] == pytest.approx(expected, abs=1e-9)


def test_a_can_lies_on_a_line_and_a_cone_on_its_side() -> None:
    side = turn((1, 0, 0), math.pi / 2)
    can = rows(body("cylinder", (0.1, 0.1, 0.2), np.array([0, 0, 0.05]), side), plane(), 1e-4)
    assert sorted(can.point[:, 1].round(12)) == [-0.1, 0.1]
    cans = rows(
        body("cylinder", (0.08, 0.08, 0.1), np.array([0.08, 0.02, 0.0]), side),
        body("cylinder", (0.08, 0.08, 0.1), ORIGIN, side), 1e-4,
    )  # fmt: skip
    assert sorted(cans.point[:, 1].round(12)) == [-0.03, 0.05]
    assert cans.normal == pytest.approx(np.tile([1.0, 0.0, 0.0], (2, 1)), abs=1e-12)
    slope = math.atan2(0.05, 0.12)
    rot = turn((0, 1, 0), math.pi / 2 + slope)
    lowest = reach_along(body("cone", (0.1, 0.1, 0.12), ORIGIN, rot), np.array([[0.0, 0.0, -1.0]]))[0]
    cone = rows(body("cone", (0.1, 0.1, 0.12), np.array([0, 0, lowest]), rot), plane(), 1e-6)
    assert len(cone.distance) == 2
    assert np.linalg.norm(cone.point[0] - cone.point[1]) == pytest.approx(math.hypot(0.05, 0.12))


def test_two_cards_meet_over_their_common_rectangle() -> None:
    low, high = (
        body("box", (0.086, 0.054, 0.0003)),
        body("box", (0.086, 0.054, 0.0003), np.array([0.02, 0.01, 0.0003])),
    )
    found = rows(high, low, 1e-5)
    assert found.patch[0, 0] == pytest.approx((0.086 - 0.02) * (0.054 - 0.01))
    assert len(found.distance) == 4


def test_distances_agree_with_mujoco() -> None:
    mujoco = pytest.importorskip("mujoco")
    rng = np.random.default_rng(4)
    kinds = ("sphere", "capsule", "box", "cylinder")
    for _ in range(60):
        made = []
        for shift in (0.0, 0.9):
            geometry = kinds[rng.integers(4)]
            a, b, c = rng.uniform(0.1, 0.3, 3)
            size = {"sphere": (a, a, a), "box": (a, b, c), "capsule": (a, a, a + b)}.get(geometry, (a, a, c))
            axis = rng.normal(size=3)
            pos = np.array([shift, 0, 0]) + rng.uniform(-0.15, 0.15, 3)
            made.append(body(geometry, size, pos, turn(tuple(axis), rng.uniform(0, 6))))
        model = mujoco.MjModel.from_xml_string(_mjcf(made))
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        told = mujoco.mj_geomDistance(model, data, 0, 1, 10.0, np.zeros(6))
        found = rows(made[0], made[1], 10.0)
        assert found.distance.min() == pytest.approx(told, abs=2e-5)


def _mjcf(made: list[Body]) -> str:
    text = []
    for k, b in enumerate(made):
        x, y, z = (0.5 * s for s in b.size)
        size = {"sphere": f"{x}", "capsule": f"{x} {z - x}", "cylinder": f"{x} {z}"}.get(
            b.geometry, f"{x} {y} {z}"
        )
        axes = " ".join(str(v) for v in [*b.rot[:, 0], *b.rot[:, 1]])
        pos = " ".join(str(v) for v in b.pos)
        text.append(
            f'<body name="b{k}" pos="{pos}" xyaxes="{axes}"><freejoint/>'
            f'<geom type="{b.geometry}" size="{size}"/></body>'
        )
    return (
        f"<mujoco><option><flag nativeccd='enable'/></option><worldbody>{''.join(text)}</worldbody></mujoco>"
    )


def mesh_body(folder: Any, text: str, size: tuple[float, float, float], *, fixed: bool = False) -> BodyForm:
    (folder / "m.obj").write_text(text, encoding="ascii")
    thing = Object(
        name="m",
        geometry="mesh",
        mesh="m.obj",
        size=size,
        pos=(0, 0, 0),
        vel=(0, 0, 0),
        acc=(0, 0, 0),
        fixed=fixed,
    )
    return body_form(thing, base_dir=str(folder))


def test_meshes_that_stand_for_round_shapes_are_those_shapes(tmp_path: Any) -> None:
    ball = mesh_body(tmp_path, icosphere(0.05, 3), (0.1,) * 3)
    own = primitive_form("sphere", (0.1,) * 3, name="s")
    assert ball.parts[0].kind == own.parts[0].kind
    assert ball.unit_inertia == pytest.approx(own.unit_inertia, rel=1e-6)
    can = mesh_body(tmp_path, prism(0.05, 0.2, 48), (0.1, 0.1, 0.2))
    own = primitive_form("cylinder", (0.1, 0.1, 0.2), name="c")
    assert can.parts[0].kind == own.parts[0].kind
    assert can.parts[0].size == pytest.approx(own.parts[0].size, rel=1e-9)
    nut = mesh_body(tmp_path, prism(0.05, 0.02, 6), (0.1, 0.1, 0.02))
    assert nut.parts[0].solid is not None
    assert len(nut.parts[0].solid.normal) == 8  # exact faces, none of them in triangles


def test_a_floor_of_triangles_carries_a_roller_on_the_points_of_a_plane(tmp_path: Any) -> None:
    floor = Body(mesh_body(tmp_path, tray(2.0, 16, 0.02), (2, 2, 0.12), fixed=True), ORIGIN, I3)
    floor = Body(floor.form, np.array(floor.form.center), I3)
    rng = np.random.default_rng(1)
    for _ in range(50):
        rot = turn((0, 0, 1), rng.uniform(0, 6)) @ turn((1, 0, 0), math.pi / 2)
        pos = np.array([*rng.uniform(-0.7, 0.7, 2), 0.04 - 1e-6])
        can = body("cylinder", (0.08, 0.08, 0.1), pos, rot)
        expected, found = rows(can, plane(), 1e-5), rows(can, floor, 1e-5)
        order = [np.lexsort(f.point.T.round(7)) for f in (expected, found)]
        assert found.point[order[1]] == pytest.approx(expected.point[order[0]], abs=1e-6)
        assert set(found.feature) == {0, 1}  # its two ends, whatever triangles they are over


def test_a_channel_of_flat_strips_is_round_to_a_ball(tmp_path: Any) -> None:
    pipe = mesh_body(tmp_path, half_pipe(0.5, 0.4, 24), (0.87, 0.4, 0.35), fixed=True)
    channel = Body(pipe, np.array(pipe.center), I3)
    for angle in np.linspace(0.0, 0.4, 41):
        up = np.array([-math.sin(angle), 0.0, math.cos(angle)])
        ball = body("sphere", (0.08,) * 3, np.array([0.0, 0.017, 0.5]) - 0.46 * up)
        found = rows(ball, channel, 1e-4)
        assert len(found.distance) == 1
        assert abs(found.distance[0]) < 1e-6  # the flat strips leave up to 0.5 mm
        assert found.normal[0] == pytest.approx(up, abs=1e-6)
