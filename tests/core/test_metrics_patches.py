"""What a median forgives: wrong patches of a body, split and flashing lights, second shadows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import fourdcb_resources
from fourdcb.dsl import load_script
from fourdcb.metrics import load_criteria
from fourdcb.metrics.comparison import Comparison, compare
from fourdcb.metrics.findings.light import light_findings
from fourdcb.metrics.light.patches import picture_gap, worst_lit_frames, worst_patch
from fourdcb.metrics.measure import measured
from fourdcb.metrics.result import MetricValue
from fourdcb.metrics.verdict import axis_result
from fourdcb.physics import make_engine
from fourdcb.replay import Replay, replay
from fourdcb.world import DirectionalLight, PointLight, World

CRITERIA = load_criteria()
SCENES = Path(fourdcb_resources.__file__).parent / "scenes"


@pytest.fixture(scope="module")
def truth() -> Iterator[Replay]:
    with make_engine() as engine:
        yield replay(load_script(SCENES / "bounce_ball" / "world.py").world, frames=False, engine=engine)


def compared(truth: Replay, world: World) -> Comparison:
    return compare(truth, replace(truth, world=world), CRITERIA, {}, fast=False)


def values(c: Comparison) -> dict[str, MetricValue]:
    return measured("material_light", c, CRITERIA, undrawn="")


def turned(sun: DirectionalLight, angle_deg: float) -> tuple[float, float, float]:
    (x, y, z), a = sun.direction, np.deg2rad(angle_deg)
    return float(x * np.cos(a) - y * np.sin(a)), float(x * np.sin(a) + y * np.cos(a)), z


def sun_of(world: World) -> DirectionalLight:
    sun = world.lights[0]
    assert isinstance(sun, DirectionalLight)
    return sun


def test_the_truth_itself_differs_by_exactly_nothing(truth: Replay) -> None:
    found = values(compared(truth, truth.world))
    assert found["appearance_patch"].value == 0.0
    assert found["irradiance_error"].value == 0.0


@pytest.mark.parametrize("angle_deg", [20.0, 30.0])
def test_a_sun_split_in_two_fails_though_its_mean_direction_is_right(truth: Replay, angle_deg: float) -> None:
    sun = sun_of(truth.world)
    halves = tuple(
        replace(sun, name=name, direction=turned(sun, side * angle_deg), intensity=0.5 * sun.intensity)
        for name, side in (("left", -1), ("right", 1))
    )
    c = compared(truth, replace(truth.world, lights=halves))
    found = values(c)
    assert found["light_offset"].passed
    assert found["irradiance_error"].passed is False
    told = [f for f in light_findings(c, axis_result(found), CRITERIA) if f.kind == "irradiance"]
    assert len(told) == 1 or any(found[name].passed is False for name in ("shadow_error", "appearance_error"))


def test_a_flash_and_a_jump_of_three_frames_fail(truth: Replay) -> None:
    sun, n = sun_of(truth.world), truth.trajectory.n_frames
    factors = [1.0] * n
    factors[60:63] = [2.0] * 3
    flash = replace(truth.world, lights=(replace(sun, intensity_curve=tuple(factors)),))
    ways = [sun.direction] * n
    ways[70:73] = [turned(sun, 40.0)] * 3
    jump = replace(truth.world, lights=(replace(sun, direction_curve=tuple(ways)),))
    for world, frames in ((flash, range(59, 64)), (jump, range(69, 74))):
        assert set(worst_lit_frames(truth, world)[:1]) <= set(frames)
        assert values(compared(truth, world))["irradiance_error"].passed is False


def test_a_hot_spot_and_a_second_shadow_fail(truth: Replay) -> None:
    sun = sun_of(truth.world)
    spot = PointLight(name="spot", pos=(0.2, 0.15, 0.05), intensity=0.05)
    second = replace(sun, name="second", direction=turned(sun, 90.0), intensity=0.2 * sun.intensity)
    for lights in ((sun, spot), (replace(sun, intensity=0.9 * sun.intensity), second)):
        found = values(compared(truth, replace(truth.world, lights=lights)))
        assert found["irradiance_error"].passed is False


def test_lights_within_their_limits_pass(truth: Replay) -> None:
    sun = sun_of(truth.world)
    for light in (replace(sun, direction=turned(sun, 4.0)), replace(sun, intensity=0.86 * sun.intensity)):
        assert values(compared(truth, replace(truth.world, lights=(light,))))["irradiance_error"].passed


def test_an_image_that_is_wrong_on_a_part_fails_and_is_named(truth: Replay, tmp_path: Path) -> None:
    """A third of the ball in another colour."""
    cv2 = pytest.importorskip("cv2")
    plain = np.full((64, 128, 3), 180, np.uint8)
    spoiled = plain.copy()
    spoiled[:, 40:80] = 20
    for name, image in (("plain.png", plain), ("spoiled.png", spoiled)):
        cv2.imwrite(str(tmp_path / name), image)

    def with_image(name: str | None) -> World:
        ball, *others = truth.world.objects
        material = replace(ball.material, base_color_map=name)
        return replace(
            truth.world, objects=(replace(ball, material=material), *others), base_dir=str(tmp_path)
        )

    reference = replace(truth, world=with_image("plain.png"))
    assert values(compared(reference, with_image("plain.png")))["appearance_patch"].value == 0.0
    c = compared(reference, with_image("spoiled.png"))
    found = values(c)
    assert found["appearance_patch"].passed is False
    assert found["appearance_patch"].value > 1.0  # the images differ by 7 stops, less what reflects over them
    assert found["irradiance_error"].value == 0.0
    bare = compared(reference, with_image(None))
    told = [f for f in light_findings(bare, axis_result(values(bare)), CRITERIA) if f.objects == ("ball",)]
    assert told
    assert all(f.likely_cause is None or "base_color" not in f.likely_cause.parameter for f in told)


def test_a_pixel_aside_is_no_difference_and_a_spot_is() -> None:
    rng = np.random.default_rng(3)
    a = rng.normal(size=(40, 50, 3))
    moved = np.roll(a, 3, axis=1)
    inner = (slice(5, -5), slice(8, -8))
    assert picture_gap(a, moved)[inner].max() == 0.0
    flat = np.zeros((40, 50, 3))
    spot = flat.copy()
    spot[10:20, 10:20] = 1.5
    assert picture_gap(flat, spot)[10:20, 10:20] == pytest.approx(np.full((10, 10), 1.5))


def test_the_worst_patch_is_a_mean_over_a_square() -> None:
    error = np.zeros((30, 30))
    error[10:15, 10:15] = 2.0
    whole = np.ones((30, 30), bool)
    assert worst_patch(error, whole) == pytest.approx(2.0)
    error[12, 12] = 27.0
    assert worst_patch(error, whole) == pytest.approx(3.0)
    assert worst_patch(error, ~whole | (error > 20)) == pytest.approx(27.0)  # smaller than any square
