"""Derivatives against closed forms of mechanics and of light."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from fourdcb.conventions import linear_from_srgb
from fourdcb.errors import SimulationDivergedError, UserError
from fourdcb.physics import make_engine
from fourdcb.render import RenderSettings
from fourdcb.sensitivity import motion_derivative, pixel_derivative
from fourdcb.sensitivity.differences import differentiate
from fourdcb.sensitivity.rotation import rotation_vectors
from fourdcb.world import DirectionalLight, Material, Object, Parameter, Plane, World, parameter

G = 9.8
FLOOR = Plane(name="floor", friction=1.0, restitution=1.0)


def body(**fields: object) -> Object:
    defaults: dict[str, object] = {
        "name": "body", "geometry": "sphere", "size": (0.1, 0.1, 0.1), "mass": 1.0, "friction": 0.3,
        "restitution": 0.7, "pos": (0.0, 0.0, 1.0), "vel": (0.0, 0.0, 0.0), "acc": (0.0, 0.0, -G),
    }  # fmt: skip
    return Object(**(defaults | fields))  # type: ignore[arg-type]


def test_free_fall() -> None:
    world = World(duration=0.4, fps=30, objects=(body(),))
    t = world.frame_times()
    expected = {"body.vel[0]": (0, t), "body.acc[2]": (2, 0.5 * t**2), "body.pos[1]": (1, np.ones_like(t))}
    with make_engine() as engine:
        for path, (axis, value) in expected.items():
            found = motion_derivative(world, path, engine=engine)
            assert found.position[:, 0, axis] == pytest.approx(value, abs=1e-9)
            others = np.delete(found.position[:, 0], axis, axis=-1)
            assert np.abs(others).max() < 1e-9
            assert found.derivative.smooth
        spin = motion_derivative(world, "body.ang_vel[1]", engine=engine)
    assert spin.rotation[:, 0, 1] == pytest.approx(t, abs=1e-6)


def test_slide_to_rest_answers_to_friction() -> None:
    box = body(geometry="box", size=(0.2, 0.2, 0.1), restitution=0.0, pos=(0, 0, 0.05), vel=(1.5, 0, 0))
    world = World(duration=0.8, fps=30, objects=(box,), planes=(FLOOR,))
    t, stop = world.frame_times(), 1.5 / (0.3 * G)
    found = motion_derivative(world, "body.friction")
    expected = np.where(t < stop, -0.5 * G * t**2, -(1.5**2) / (2 * 0.3**2 * G))
    assert found.position[:, 0, 0] == pytest.approx(expected, abs=1e-3)
    assert found.derivative.smooth


def test_mass_alone_changes_nothing() -> None:
    world = World(duration=0.5, fps=30, objects=(body(pos=(0, 0, 0.2)),), planes=(FLOOR,))
    found = motion_derivative(world, "body.mass", rate_hz=960.0)
    assert not found.position.any()
    assert found.derivative.defect == 0.0


def test_bounce_height_answers_to_restitution() -> None:
    """Apex e² h after the first bounce: dh'/de = 2 e h."""
    h, e = 1.0, 0.7
    world = World(duration=1.0, fps=60, objects=(body(pos=(0, 0, h + 0.05)),), planes=(FLOOR,))
    fall = math.sqrt(2 * h / G)
    apex = round((fall + e * math.sqrt(2 * h / G)) * 60)
    found = motion_derivative(world, "body.restitution")
    assert found.position[apex, 0, 2] == pytest.approx(2 * e * h, rel=0.01)


def lit_world(**changes: object) -> World:
    sun = DirectionalLight(name="sun", direction=(0.3, 0.2, -1.0), intensity=2.0)
    ball = body(size=(0.4, 0.4, 0.4), pos=(0, 0, 0.3), material=Material(base_color=(0.4, 0.5, 0.6)))
    return replace(World(duration=0.1, fps=30, objects=(ball,), lights=(sun,), ambient=0.0), **changes)  # type: ignore[arg-type]


SMALL = RenderSettings(width=48, height=48, supersample=1)
POSES = [(np.array([[0.0, 0.0, 0.3]]), np.array([[1.0, 0.0, 0.0, 0.0]]))]


def derivative(world: World, path: str, **kwargs: object) -> np.ndarray:
    return pixel_derivative(world, path, [0.0], poses=POSES, settings=SMALL, **kwargs).value[0]  # type: ignore[arg-type]


def shown(world: World) -> np.ndarray:
    from fourdcb.sensitivity.derivatives import pictures

    return pictures(world, [0.0], POSES, settings=SMALL, space="linear")[0]


def test_pixels_are_linear_in_exposure_and_intensity() -> None:
    world = lit_world(exposure=0.8)
    picture = shown(world)
    assert derivative(world, "world.exposure", space="linear") == pytest.approx(picture / 0.8, abs=1e-4)
    dark = shown(replace(world, lights=(replace(world.lights[0], intensity=0.0),)))
    per_intensity = derivative(world, "sun.intensity", space="linear")
    assert per_intensity == pytest.approx((picture - dark) / 2.0, abs=1e-4)
    assert np.abs(per_intensity).max() > 0.05


def test_srgb_pixels_follow_the_chain_rule() -> None:
    world = lit_world()
    picture = shown(world)
    mid = (picture > 0.01) & (picture < 0.9)
    encoded = derivative(world, "world.exposure")
    slope = 1.055 / 2.4 * np.maximum(picture, 1e-9) ** (1 / 2.4 - 1)
    assert encoded[mid] == pytest.approx((slope * picture)[mid], rel=2e-3)


def test_diffuse_light_is_affine_in_the_linear_base_colour() -> None:
    """A rough dielectric under one light: the picture is affine in the linear base colour."""
    world = lit_world()
    found = derivative(world, "body.base_color[0]", space="linear")
    low, high = (
        shown(replace(world, objects=(replace(world.objects[0], material=replace(
            world.objects[0].material, base_color=(value, 0.5, 0.6))),)))
        for value in (0.2, 0.7)
    )  # fmt: skip
    per_linear = (high - low)[..., 0] / float(linear_from_srgb(0.7) - linear_from_srgb(0.2))
    slope = 2.4 / 1.055 * ((0.4 + 0.055) / 1.055) ** 1.4
    assert found[..., 0] == pytest.approx(per_linear * slope, abs=2e-4)
    assert not found[..., 1:].any()


def test_held_and_followed_motion() -> None:
    ball = body(vel=(1.0, 0, 0), pos=(0, 0, 0.3), acc=(0, 0, 0), size=(0.3, 0.3, 0.3))
    world = World(duration=0.3, fps=30, objects=(ball,))
    times = [0.0, 0.2]
    followed = pixel_derivative(world, "body.vel[0]", times, settings=SMALL)
    assert not followed.value[0].any()
    assert np.abs(followed.value[1]).max() > 0.05
    poses = [POSES[0], POSES[0]]
    assert not pixel_derivative(world, "body.vel[0]", times, poses=poses, settings=SMALL).value.any()


def known(value: float, lower: float | None = None, upper: float | None = None) -> Parameter:
    return Parameter(
        path="a.b", value=value, unit="", lower=lower, upper=upper, slider=(0.0, 1.0), scale="linear",
        stage="physics", group="", doc="",
    )  # fmt: skip


def test_doubt_tells_smooth_from_broken() -> None:
    smooth = differentiate(lambda v: np.array([math.exp(v), v**3]), known(0.5), step=0.1)
    assert smooth.value == pytest.approx([math.exp(0.5), 0.75], abs=1e-5)
    assert smooth.smooth
    assert not smooth.one_sided
    kink = differentiate(lambda v: np.array([abs(v - 0.5)]), known(0.5), step=0.1)
    assert kink.defect == pytest.approx(2.0)
    assert not kink.smooth


def test_at_the_end_of_the_range_one_side_is_enough() -> None:
    at_end = differentiate(lambda v: np.array([v**2]), known(1.0, 0.0, 1.0), step=0.02)
    assert at_end.one_sided
    assert at_end.value[0] == pytest.approx(2.0, abs=1e-9)


def test_rounding_is_not_a_derivative() -> None:
    found = differentiate(lambda v: np.array([1e-12 * math.sin(1e6 * v)]), known(0.5), rounding=1e-9)
    assert found.value[0] == 0.0
    assert found.defect == 0.0


def test_an_explosion_on_one_side_leaves_the_other() -> None:
    def measure(value: float) -> np.ndarray:
        if value > 0.5:
            raise SimulationDivergedError(body="a", time=0.1, reason="left")
        return np.array([3.0 * value])

    assert differentiate(measure, known(0.5)).value[0] == pytest.approx(3.0)

    def both(value: float) -> np.ndarray:
        if value != 0.5:
            raise SimulationDivergedError(body="a", time=0.1, reason="left")
        return np.array([0.0])

    with pytest.raises(SimulationDivergedError, match="explodes beside"):
        differentiate(both, known(0.5))


def test_rotation_vectors_match_scipy() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 50, 4))
    a, b = (q / np.linalg.norm(q, axis=-1, keepdims=True) for q in (a, b))
    expected = (
        Rotation.from_quat(np.roll(a, -1, -1)) * Rotation.from_quat(np.roll(b, -1, -1)).inv()
    ).as_rotvec()
    assert rotation_vectors(a, b) == pytest.approx(expected, abs=1e-9)
    assert rotation_vectors(a, -a) == pytest.approx(np.zeros((50, 3)), abs=1e-9)


def test_unknown_parameter() -> None:
    with pytest.raises(UserError, match="no such parameter"):
        motion_derivative(World(objects=(body(),)), "body.weight")
    assert parameter(World(objects=(body(),)), "body.mass").value == 1.0
