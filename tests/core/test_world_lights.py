"""Lights that move: directions along great circles, places along lines, the same in every renderer."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from fourdcb.dsl import edit_value, parse_script
from fourdcb.errors import DiagnosticsError
from fourdcb.evaluation import judge_replays
from fourdcb.metrics import MetricValue, Report, load_criteria
from fourdcb.metrics.causes.light import direction_cause
from fourdcb.metrics.light.lighting import incoming
from fourdcb.render import RasterRenderer, RenderSettings, backend
from fourdcb.replay import replay
from fourdcb.sensitivity.identifiability import default_unknowns
from fourdcb.world import (
    AreaLight,
    Camera,
    DirectionalLight,
    Light,
    PointLight,
    World,
    light_at,
    parameter,
    parameters,
    with_value,
)
from fourdcb.world.fields import Vec3
from fourdcb.world.validate import validate

HEAD = """world = World(duration=2.0, fps=10)
floor = Plane("floor", friction=1, restitution=1)
ball = Object("ball", geometry="sphere", size=[0.2, 0.2, 0.2], mass=1, friction=0.4, restitution=0.2,
              pos=[0, 0, 0.1], vel=[0, 0, 0], acc=[0, 0, -9.8])
"""
SWING = ((-0.8, 0.2, -0.9), (0.0, 0.5, -1.0), (0.7, 0.1, -0.6))


def scene(*lights: Light) -> World:
    world = parse_script(HEAD).world
    camera = Camera(pos=(0.0, -1.2, 0.8), target=(0.0, 0.0, 0.1), width=96, height=96)
    return replace(world, lights=lights, camera=camera, ambient=0.0)


def poses(world: World) -> tuple[np.ndarray, np.ndarray]:
    position = [getattr(body, "pos", (0.0, 0.0, 0.0)) for body in world.bodies]
    return np.array(position), np.array([(1.0, 0.0, 0.0, 0.0)] * len(world.bodies))


vectors = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: math.hypot(*v) > 0.1)


@settings(max_examples=100, deadline=None)
@given(vectors, vectors, st.floats(0, 1))
def test_directions_turn_at_a_constant_rate_on_the_sphere(a: Vec3, b: Vec3, share: float) -> None:
    p, q = (np.asarray(v) / np.linalg.norm(v) for v in (a, b))
    if np.linalg.norm(p + q) < 1e-2 or np.linalg.norm(p - q) < 1e-6:
        return
    light = light_at(DirectionalLight(direction_curve=(a, b)), 3.0 * share, duration=3.0)
    assert isinstance(light, DirectionalLight)
    axis = np.cross(p, q)
    whole = Rotation.from_rotvec(
        axis / np.linalg.norm(axis) * math.atan2(float(np.linalg.norm(axis)), float(p @ q))
    )
    turn = Slerp([0.0, 1.0], Rotation.concatenate([Rotation.identity(), whole]))(share)
    np.testing.assert_allclose(light.direction, turn.apply(p), atol=1e-7)


def test_entries_lie_evenly_over_the_time_range_or_the_clip() -> None:
    curve = ((0.0, 0.0, 1.0), (2.0, 0.0, 1.0), (2.0, 4.0, 1.0))
    lamp = PointLight(position_curve=curve)

    def at(light: PointLight, t: float) -> Vec3:
        stands = light_at(light, t, duration=4.0)
        assert isinstance(stands, PointLight)
        assert stands.position_curve == ()
        return stands.pos

    assert at(lamp, 1.0) == pytest.approx((1.0, 0.0, 1.0))
    assert at(lamp, 3.0) == pytest.approx((2.0, 2.0, 1.0))
    ranged = replace(lamp, time_range=(1.0, 2.0))
    assert at(ranged, 1.25) == pytest.approx((1.0, 0.0, 1.0))
    assert at(ranged, 0.0) == pytest.approx(curve[0])
    assert at(ranged, 9.0) == pytest.approx(curve[2])


def test_scripts_state_curves_in_two_ways() -> None:
    plain = parse_script(HEAD + f"sun = Light('sun', dir={[list(v) for v in SWING]}, intensity=2)\n").world
    named = parse_script(HEAD + f"DirectionalLight('sun', direction_curve={SWING}, intensity=2)\n").world
    assert plain.lights == named.lights == (DirectionalLight(name="sun", direction_curve=SWING, intensity=2),)
    lamp = parse_script(HEAD + "Light('lamp', pos=[[0, 0, 1], [1, 0, 1]])\n").world.lights[0]
    assert lamp == PointLight(name="lamp", position_curve=((0, 0, 1), (1, 0, 1)))
    panel = "AreaLight('p', pos=[[0, 0, 1], [1, 0, 1]], direction=np.array([[0, 0, -1], [0, 1, -1]]))\n"
    assert parse_script("import numpy as np\n" + HEAD + panel).world.lights[0].direction_curve[1] == (
        0,
        1,
        -1,
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[[0, 0, -1], [0, 0, 1]]", "direction"),
        ("[[0, 0, -1], [0, 0, 0]]", "direction"),
        ("[[0, 0, -1], [0, 1]]", "type"),
        ("[[0, 0, -1], [0, float('nan'), 1]]", "non-finite"),
    ],
)
def test_a_curve_that_says_nothing_is_an_error(text: str, code: str) -> None:
    with pytest.raises(DiagnosticsError) as caught:
        parse_script(HEAD + f"DirectionalLight(direction_curve={text})\n".replace("float('nan')", "1e999"))
    assert [d.code for d in caught.value.diagnostics if d.severity == "error"] == [code]


def test_numbers_of_curves_are_parameters() -> None:
    world = scene(DirectionalLight(name="sun", direction_curve=SWING))
    paths = [p.path for p in parameters(world) if p.owner == "sun"]
    assert "sun.direction_curve[1][2]" in paths
    assert not any(path.startswith("sun.direction[") for path in paths)
    assert parameter(world, "sun.direction_curve[2][0]").value == 0.7
    changed = with_value(world, "sun.direction_curve[2][0]", 0.25).lights[0]
    assert changed.direction_curve == (*SWING[:2], (0.25, 0.1, -0.6))
    free = {p.path for p in default_unknowns(world) if p.owner == "sun"}
    assert "sun.direction_curve[2][2]" in free
    assert "sun.direction_curve[2][0]" not in free  # of a direction only ratios matter


@pytest.mark.parametrize(
    ("text", "in_place"),
    [("[[-0.8, 0.2, -0.9], [0.0, 0.5, -1.0]]", True), ("[[-0.8, 0.2, -0.9]] + [[0.0, 0.5, -1.0]]", False)],
)
def test_a_number_of_a_curve_is_edited_in_the_text(text: str, in_place: bool) -> None:
    source = HEAD + f"sun = DirectionalLight(direction_curve={text})  # kept\n"
    edit = edit_value(source, "sun.direction_curve[1][0]", 0.125)
    assert edit.in_place == in_place
    assert parse_script(edit.source).world.lights[0].direction_curve[1] == (0.125, 0.5, -1.0)
    assert "# kept" in edit.source


LIGHTS: dict[str, Light] = {
    "sun": DirectionalLight(name="sun", direction_curve=SWING),
    "lamp": PointLight(name="lamp", position_curve=((-1.0, -0.5, 1.0), (1.0, 0.5, 1.2)), intensity=4.0),
    "panel": AreaLight(
        name="panel", position_curve=((-0.8, 0.0, 1.0), (0.8, 0.0, 1.0)), size=0.3, intensity=20.0,
        direction_curve=((0.5, 0.0, -1.0), (-0.5, 0.0, -1.0)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", LIGHTS)
def test_a_moving_light_draws_what_a_still_one_draws_there(kind: str) -> None:
    """Drawn in any order: what was kept of one moment must not stay for another."""
    world = scene(LIGHTS[kind])
    renderer = RasterRenderer(world, RenderSettings())
    for t in (0.0, 1.3, 0.4, 1.3, 2.0):
        still = scene(light_at(LIGHTS[kind], t, duration=world.duration))
        expected = RasterRenderer(still, RenderSettings()).render(poses(still), t)
        found = renderer.render(poses(world), t)
        np.testing.assert_array_equal(found.rgb, expected.rgb)
        np.testing.assert_allclose(found.shadow, expected.shadow, atol=1e-6)
    assert np.abs(renderer.render(poses(world), 0.0).linear - found.linear).max() > 0.05


@pytest.mark.parametrize("kind", LIGHTS)
def test_mitsuba_agrees(kind: str) -> None:
    pytest.importorskip("mitsuba")
    from fourdcb.render.pathtrace import PathSettings, PathTracer

    world = scene(LIGHTS[kind])
    fine = RenderSettings(supersample=4, area_samples=8)
    tracer = PathTracer(world, PathSettings(spp=36, direct_only=True, variant="scalar_rgb"), fine)
    raster = RasterRenderer(world, fine)
    for t in (0.2, 1.7):
        truth, seen = (r.render(poses(world), t).rgb / 255.0 for r in (tracer, raster))
        assert -10.0 * np.log10(np.mean((truth - seen) ** 2)) >= 38.0


def test_pytorch3d_agrees() -> None:
    pytest.importorskip("pytorch3d")
    world = scene(*LIGHTS.values())
    torch_renderer = backend("pytorch3d", world, RenderSettings())
    raster = RasterRenderer(world, RenderSettings())
    for t in (0.2, 1.7):
        a, b = (r.render(poses(world), t).rgb.astype(float) for r in (torch_renderer, raster))
        assert np.abs(a - b).mean() <= 1.0


def test_what_arrives_follows_the_light() -> None:
    times = np.linspace(0.0, 2.0, 9)
    points = np.zeros((9, 3))
    found = incoming(LIGHTS["sun"], points, times, 2.0)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 3.0)
    for row, t in zip(found, times, strict=True):
        np.testing.assert_allclose(row, -3.0 * np.asarray(light_at(LIGHTS["sun"], t, duration=2.0).direction))


def test_light_drift_is_measured_with_one_light() -> None:
    """A sun that turns by 20° over the clip, answered by one that stands still in the middle of it."""
    turning = tuple((math.sin(math.radians(a)), 0.4, -math.cos(math.radians(a))) for a in (-10.0, 0.0, 10.0))
    truth = scene(DirectionalLight(name="sun", direction_curve=turning))
    still = scene(DirectionalLight(name="sun", direction=(0.0, 0.4, -1.0)))
    assert validate(truth) == []

    def judged(candidate: World) -> Report:
        return judge_replays(
            reference=replay(truth, frames=False), candidate=replay(candidate, frames=False),
            video_frames=None, video_times=None, criteria=load_criteria(),
            replay_rate=MetricValue(value=100.0, unit="1/s"),
        )  # fmt: skip

    right, wrong = (judged(w).axes["material_light"].metrics for w in (truth, still))
    assert right["light_drift"].value == pytest.approx(0.0, abs=1e-6)
    assert right["light_drift"].passed
    assert wrong["light_drift"].value is not None
    assert wrong["light_drift"].value > 2.5
    assert wrong["light_drift"].passed is False


def test_a_wrong_entry_of_a_curve_is_the_cause() -> None:
    wrong = (*SWING[:2], (0.1, 0.1, -0.6))
    truth = scene(DirectionalLight(name="sun", direction_curve=SWING))
    cause = direction_cause(truth, scene(DirectionalLight(name="sun", direction_curve=wrong)))
    assert cause is not None
    assert cause.parameter == "sun.direction_curve[2][0]"
    assert cause.suggested is not None
    # Of its own length: only the direction counts.
    length = math.hypot(*wrong[2]) / math.hypot(*SWING[2])
    assert cause.suggested == pytest.approx(0.7 * length, abs=1e-3)
    still = direction_cause(truth, scene(DirectionalLight(name="sun", direction=(-1.0, 0.5, -1.0))))
    assert still is not None
    assert still.parameter == "sun.direction[0]"
    assert direction_cause(truth, truth) is None
