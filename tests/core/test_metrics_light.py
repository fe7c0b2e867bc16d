"""Light directions and shadows against geometry; roughness and metallic solved from rendered frames."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from fourdcb.metrics import MetricValue, load_criteria
from fourdcb.metrics.comparison import Comparison
from fourdcb.metrics.light.appearance import transfer_appearance
from fourdcb.metrics.light.lighting import flickering_frame, incoming, light_gaps
from fourdcb.metrics.light.material import (
    BACKGROUND,
    _enlarged,
    compare_appearance,
)
from fourdcb.metrics.light.metrics import (
    appearance_error,
    brdf_error,
    light_drift,
    light_offset,
    shadow_error,
)
from fourdcb.metrics.light.shadow import shadow_lengths
from fourdcb.metrics.matching import match
from fourdcb.metrics.measure import MetricFunction
from fourdcb.physics import simulate
from fourdcb.render import RenderSettings
from fourdcb.replay import Replay
from fourdcb.world import (
    AreaLight,
    Camera,
    DirectionalLight,
    Light,
    Material,
    Object,
    Plane,
    PointLight,
    World,
    with_value,
)
from fourdcb.world.camera import project, unproject

CRITERIA = load_criteria()
SUN = DirectionalLight(name="sun", direction=(-0.45, 0.55, -0.75), intensity=4.0)


def scene(*lights: Light, roughness: float = 0.3, metallic: float = 0.0) -> World:
    ball = Object(
        name="ball", geometry="sphere", size=(0.3, 0.3, 0.3), pos=(0, 0, 0.15), vel=(0, 0, 0),
        acc=(0, 0, -9.8),
        material=Material(base_color=(0.7, 0.4, 0.2), roughness=roughness, metallic=metallic),
    )  # fmt: skip
    camera = Camera(pos=(0.0, -1.5, 0.7), target=(0, 0, 0.15), width=96, height=96)
    return World(
        duration=0.2,
        fps=20,
        objects=(ball,),
        planes=(Plane(name="floor", friction=0.5, restitution=0.0),),
        lights=lights or (SUN,),
        camera=camera,
    )


def measured(*metrics: MetricFunction, **parts: Any) -> dict[str, MetricValue]:
    """Metrics of what was compared, as far as they look at it."""
    return {m.__name__: m(cast("Comparison", SimpleNamespace(**parts)), CRITERIA) for m in metrics}


def played(world: World) -> Replay:
    return Replay(world=world, trajectory=simulate(world), frames=None, settings=RenderSettings())


@pytest.fixture(scope="module")
def truth() -> Replay:
    return played(scene())


def test_irradiance_of_the_three_kinds_of_light() -> None:
    at, times = np.array([[0.0, 0.0, 0.0]]), np.zeros(1)
    sun = incoming(DirectionalLight(direction=(0, 0, -2), intensity=3.0), at, times, 1.0)
    np.testing.assert_allclose(sun, [[0, 0, 3.0]])
    bulb = incoming(PointLight(pos=(0, 0, 2.0), intensity=8.0), at, times, 1.0)
    np.testing.assert_allclose(bulb, [[0, 0, 2.0]])
    panel = AreaLight(pos=(0, 0, 2.0), direction=(0, 0, -1), size=0.5, intensity=8.0)
    np.testing.assert_allclose(incoming(panel, at, times, 1.0), [[0, 0, 8.0 * 0.25 / 4]])


@pytest.mark.parametrize("angle", [2.0, 10.0, 60.0])
def test_offset_is_the_angle_between_the_lights(truth: Replay, angle: float) -> None:
    a = np.deg2rad(angle)
    x, y, z = SUN.direction
    turned = (x * np.cos(a) - y * np.sin(a), x * np.sin(a) + y * np.cos(a), z)
    u, v = np.array(SUN.direction), np.array(turned)
    expected = np.rad2deg(np.arccos(u @ v / (np.linalg.norm(u) * np.linalg.norm(v))))
    candidate = scene(replace(SUN, direction=turned))
    found = measured(light_drift, light_offset, lights=light_gaps(truth, candidate))
    assert found["light_offset"].value == pytest.approx(expected)
    assert found["light_drift"].value == pytest.approx(0.0, abs=1e-9)


def test_splitting_a_light_changes_nothing(truth: Replay) -> None:
    half = replace(SUN, intensity=2.0)
    candidate = scene(half, replace(half, name="other"))
    found = measured(light_offset, lights=light_gaps(truth, candidate))
    assert found["light_offset"].value == pytest.approx(0.0)


def test_a_light_that_fades_over_to_another_drifts(truth: Replay) -> None:
    other = DirectionalLight(name="b", direction=(0.6, 0.3, -0.7), intensity=4.0, intensity_curve=(0, 1))
    candidate = scene(replace(SUN, intensity_curve=(1, 0)), other)
    found = measured(light_drift, light_offset, lights=light_gaps(truth, candidate))
    assert found["light_drift"].passed is False


def test_darkness_fails(truth: Replay) -> None:
    dark = replace(scene(), lights=())
    found = measured(light_drift, light_offset, lights=light_gaps(truth, dark))
    assert {m.passed for m in found.values()} == {False}


def test_shadow_length_equals_the_closed_form() -> None:
    """The farthest shadow point of a ball on a floor, found by dense sampling of its silhouette."""
    replay = played(scene())
    lengths = shadow_lengths(replay, replay.world)["ball"]
    camera, radius, centre = replay.world.camera, 0.15, np.array([0.0, 0.0, 0.15])
    d = np.array(SUN.direction) / np.linalg.norm(SUN.direction)
    rng = np.random.default_rng(0)
    surface = rng.normal(size=(20000, 3))
    surface = centre + radius * surface / np.linalg.norm(surface, axis=1, keepdims=True)
    ground = surface - (surface[:, 2:] / d[2]) * d
    pixels = project(camera, ground)
    foot = project(camera, np.zeros(3))
    expected = np.linalg.norm(pixels - foot, axis=1).max() * 256 / camera.height
    assert np.median(lengths.reference) == pytest.approx(expected, rel=0.04)
    assert np.all(lengths.error == 0)


def test_a_lower_sun_throws_longer_shadows(truth: Replay) -> None:
    low = scene(replace(SUN, direction=(-0.45, 0.55, -0.35)))
    found = measured(shadow_error, shadows=shadow_lengths(truth, low))
    assert found["shadow_error"].passed is False
    assert np.all(shadow_lengths(truth, low)["ball"].error > 0)


def test_points_seen_by_a_pixel_project_back_onto_it(truth: Replay) -> None:
    camera = truth.world.camera
    mask = np.zeros((96, 96), dtype=bool)
    mask[10, 20] = mask[70, 50] = True
    depth = np.full((96, 96), 1.7, dtype=np.float32)
    pixels = project(camera, unproject(camera, np.argwhere(mask)[:, ::-1] + 0.5, depth[mask]))
    np.testing.assert_allclose(pixels, [[20.5, 10.5], [50.5, 70.5]], atol=1e-4)


@pytest.mark.parametrize(
    ("roughness", "metallic"), [(0.2, 0.0), (0.45, 0.0), (0.6, 1.0), (0.35, 0.5), (0.8, 0.0)]
)
def test_surface_is_recovered_from_its_highlight(truth: Replay, roughness: float, metallic: float) -> None:
    candidate = played(scene(roughness=roughness, metallic=metallic))
    matching = match(truth.world, candidate.world, truth.trajectory, candidate.trajectory)
    gap = compare_appearance(truth, candidate, matching).surfaces["ball"]
    assert gap.method == "highlight"
    assert gap.candidate.roughness == pytest.approx(roughness, abs=0.02)
    assert gap.candidate.metallic == pytest.approx(metallic, abs=0.02)
    assert gap.reference.roughness == pytest.approx(0.3, abs=0.02)


def test_a_wrong_light_does_not_spoil_the_surface(truth: Replay) -> None:
    candidate = played(scene(PointLight(name="bulb", pos=(0.5, -0.8, 1.0), intensity=5.0)))
    matching = match(truth.world, candidate.world, truth.trajectory, candidate.trajectory)
    found = compare_appearance(truth, candidate, matching)
    assert found.surfaces["ball"].error < 0.02
    assert found.stops["ball"] > 0.1


def test_brightness_is_told_in_stops(truth: Replay) -> None:
    candidate = played(replace(with_value(scene(), "sun.intensity", 8.0), ambient=0.2))
    matching = match(truth.world, candidate.world, truth.trajectory, candidate.trajectory)
    found = compare_appearance(truth, candidate, matching)
    assert found.stops["floor"] == pytest.approx(1.0, abs=0.05)


def test_dressing_keeps_shapes_and_takes_materials(truth: Replay) -> None:
    candidate = played(scene(roughness=0.9))
    matching = match(truth.world, candidate.world, truth.trajectory, candidate.trajectory)
    world = transfer_appearance(truth.world, candidate.world, matching)
    assert world.object("ball").material.roughness == 0.9
    assert replace(world, objects=(), planes=()) == replace(truth.world, objects=(), planes=())


@pytest.mark.parametrize("start", [0.08, 0.01])
def test_a_light_that_is_out_for_a_while_is_seen(truth: Replay, start: float) -> None:
    """Also where it is on in most of the pictures that are looked at, and the mean direction is right."""
    candidate = played(scene(replace(SUN, time_range=(start, 1.0))))
    gaps = light_gaps(truth, candidate.world)
    frame = flickering_frame(gaps)
    assert frame is not None
    assert gaps["ball"].dark[frame]
    matching = match(truth.world, candidate.world, truth.trajectory, candidate.trajectory)
    stops = compare_appearance(truth, candidate, matching, also=frame).stops
    assert stops["floor"] > CRITERIA.thresholds["appearance_error"].value


@pytest.mark.parametrize("color", [(1.0, 0.2, 0.2), (0.3, 0.4, 1.0), (0.5, 0.5, 0.5)])
@pytest.mark.parametrize("intensity", [0.5, 4.0, 30.0])
def test_stops_are_the_log_ratio_of_the_channel_that_departs_most(
    truth: Replay, color: tuple[float, float, float], intensity: float
) -> None:
    """A light gives a channel its intensity times the channel's linear value; both ways round."""
    linear = np.array([((x + 0.055) / 1.055) ** 2.4 for x in color])  # sRGB above 0.04045
    departures = np.log2(intensity * linear / 4.0)
    expected = departures[np.abs(departures).argmax()]
    tinted = scene(replace(SUN, color=color, intensity=intensity))
    parts = scene(*(replace(SUN, name=f"s{k}", color=color, intensity=intensity / 2) for k in range(2)))
    for candidate in (tinted, parts):
        assert light_gaps(truth, candidate)["ball"].stops == pytest.approx(expected, abs=1e-4)
    assert light_gaps(played(tinted), scene())["ball"].stops == pytest.approx(-expected, abs=1e-4)


def test_steady_lights_ask_for_no_further_frame(truth: Replay) -> None:
    assert flickering_frame(light_gaps(truth, scene(replace(SUN, intensity=1.0)))) is None
    assert flickering_frame({}) is None


def test_a_wrong_background_is_seen_and_named(truth: Replay) -> None:
    red = replace(scene(), background=(0.9, 0.05, 0.05))
    matching = match(truth.world, red, truth.trajectory, truth.trajectory)
    seen = compare_appearance(truth, played(red), matching)
    found = measured(appearance_error, brdf_error, appearance=seen)
    assert found["appearance_error"].passed is False
    assert found["appearance_error"].detail["worst"] == BACKGROUND
    assert found["brdf_error"].passed is True


@pytest.mark.parametrize(
    ("cells", "pixels", "expected"), [(2, 3, [0, 1, 1]), (3, 2, [0, 2]), (2, 4, [0, 0, 1, 1])]
)
def test_a_pixel_belongs_to_the_cell_that_holds_its_centre(
    cells: int, pixels: int, expected: list[int]
) -> None:
    for cell in range(cells):
        line = np.arange(cells) == cell
        found = _enlarged(np.stack([line, ~line]), (2, pixels))
        assert found.tolist() == [[k == cell for k in expected], [k != cell for k in expected]]
        assert _enlarged(line[:, None], (pixels, 1))[:, 0].tolist() == [k == cell for k in expected]
