"""Specular, opacity, subsurface scattering and vertex colours: against Mitsuba and closed forms."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from fourdcb.conventions import linear_from_srgb
from fourdcb.dsl import edit_value, emit, parse_script
from fourdcb.errors import DiagnosticsError, UserError
from fourdcb.render import RasterRenderer, RenderSettings
from fourdcb.render import backend as renderer_of
from fourdcb.render.brdf import ETA, eta_from_specular, fresnel_dielectric
from fourdcb.render.presence import presences
from fourdcb.world import (
    Camera,
    DirectionalLight,
    Material,
    Object,
    Plane,
    World,
    parameter,
    parameters,
    with_value,
)

ZERO = (0.0, 0.0, 0.0)
SUN = DirectionalLight(name="sun", direction=(-0.4, 0.5, -0.8), intensity=3.0)
FINE = RenderSettings(supersample=4)


def scene(*materials: Material, ambient: float = 0.0, **more: Any) -> World:
    """Balls in a row over a floor, each of one material."""
    balls = tuple(
        Object(
            name=f"ball{i}", geometry="sphere", size=(0.3, 0.3, 0.3), mass=1.0, material=m,
            pos=(0.35 * (i - 0.5 * (len(materials) - 1)), 0.0, 0.15), vel=ZERO, acc=ZERO,
        )
        for i, m in enumerate(materials)
    )  # fmt: skip
    floor = Plane(name="floor", material=Material(base_color=(0.5, 0.45, 0.4), roughness=0.7))
    camera = Camera(pos=(0.0, -1.5, 0.8), target=(0.0, 0.0, 0.12), fov_y_deg=35.0, width=96, height=96)
    world = World(objects=balls, planes=(floor,), lights=(SUN,), camera=camera, ambient=ambient)
    return replace(world, **more)


def poses(world: World) -> tuple[np.ndarray, np.ndarray]:
    position = np.array([getattr(body, "pos", ZERO) for body in world.bodies]).reshape(-1, 3)
    return position, np.tile([1.0, 0.0, 0.0, 0.0], (len(position), 1))


def drawn(world: World) -> np.ndarray:
    return RasterRenderer(world, FINE).render(poses(world), 0.0, aux=False).linear


def traced(world: World, spp: int = 36, **more: Any) -> np.ndarray:
    pytest.importorskip("mitsuba")
    from fourdcb.render.pathtrace import PathSettings, PathTracer

    settings = PathSettings(spp=spp, direct_only=True, variant="scalar_rgb", **more)
    return PathTracer(world, settings, FINE).render(poses(world), 0.0, aux=False).linear


def psnr(a: np.ndarray, b: np.ndarray) -> float:
    from fourdcb.conventions import srgb_from_linear

    gap = srgb_from_linear(np.clip(a, 0, 1)) - srgb_from_linear(np.clip(b, 0, 1))
    return float(-10.0 * np.log10(np.mean(gap**2)))


def test_specular_is_the_reflectance_head_on() -> None:
    for specular in (0.1, 0.5, 1.0):
        assert fresnel_dielectric(1.0, eta_from_specular(specular)) == pytest.approx(0.08 * specular)
    assert eta_from_specular(0.5) == pytest.approx(ETA, abs=1e-12)


FINISHES = {
    "specular": (Material(specular=0.0, roughness=0.3), Material(specular=1.0, roughness=0.3)),
    "subsurface": (
        Material(base_color=(0.8, 0.3, 0.2), roughness=0.5, subsurface=1.0),
        Material(base_color=(0.8, 0.3, 0.2), roughness=0.9, subsurface=0.4),
    ),
    "subsurface of another colour": (
        Material(base_color=(0.8, 0.7, 0.6), subsurface=0.7, subsurface_color=(0.9, 0.2, 0.1)),
        Material(base_color=(0.8, 0.7, 0.6), metallic=0.5, subsurface=0.7, subsurface_color=(0.1, 0.9, 0.1)),
    ),
    "opacity": (Material(base_color=(0.2, 0.3, 0.8), opacity=0.5), Material(base_color=(0.9, 0.2, 0.1))),
    "two translucent": (
        Material(opacity=0.25, roughness=0.3), Material(base_color=(0.1, 0.6, 0.1), opacity=0.75),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FINISHES)
def test_mitsuba_agrees(name: str) -> None:
    world = scene(*FINISHES[name])
    seen = drawn(world)
    assert psnr(seen, traced(world)) >= 38.0
    without = tuple(
        replace(m, specular=None, opacity=None, subsurface=None, subsurface_color=None)
        for m in FINISHES[name]
    )
    assert psnr(seen, drawn(scene(*without))) < 45.0  # it is seen at all


@pytest.mark.parametrize("name", ["specular", "subsurface", "subsurface of another colour"])
def test_ambient_light_agrees_with_mitsuba_on_a_free_body(name: str) -> None:
    """A convex body alone: nothing occludes the constant environment."""
    materials = FINISHES[name]
    for material in materials:
        world = scene(material, ambient=0.6, lights=(), planes=())
        assert psnr(drawn(world), traced(world, spp=256)) >= 38.0


def test_opacity_is_a_mixture_of_there_and_not() -> None:
    body = Material(base_color=(0.2, 0.3, 0.8), opacity=0.3)
    world = scene(body)
    there = drawn(scene(replace(body, opacity=None)))
    gone = drawn(replace(world, objects=()))
    np.testing.assert_allclose(drawn(world), 0.3 * there + 0.7 * gone, atol=1e-6)
    np.testing.assert_allclose(drawn(scene(replace(body, opacity=0.0))), gone, atol=1e-6)


def test_presences_are_a_distribution_over_all_subsets() -> None:
    world = scene(Material(opacity=0.2), Material(), Material(opacity=0.6))
    found = {tuple(p.kept.tolist()): p.weight for p in presences(world)}
    assert sum(found.values()) == pytest.approx(1.0)
    for a, c in itertools.product((True, False), repeat=2):
        kept = tuple(i for i, there in enumerate((a, True, c, True)) if there)
        assert found[kept] == pytest.approx((0.2 if a else 0.8) * (0.6 if c else 0.4))
    assert presences(scene(Material())) == ()
    with pytest.raises(UserError, match="too many bodies are translucent"):
        presences(scene(*[Material(opacity=0.5)] * 5))


def test_a_renderer_is_kept_where_only_light_levels_change() -> None:
    world = scene(Material(opacity=0.5))
    renderer = RasterRenderer(world, FINE)
    renderer.render(poses(world), 0.0)
    brighter = replace(world, lights=(replace(SUN, intensity=5.0),))
    assert renderer.for_world(brighter) is renderer
    np.testing.assert_allclose(
        renderer.render(poses(world), 0.0).linear,
        RasterRenderer(brighter, FINE).render(poses(world), 0.0).linear,
    )


@pytest.fixture
def checked_box(tmp_path: Path) -> Path:
    """Boxes whose corners have colours of their own."""
    box = trimesh.creation.box((0.3, 0.3, 0.3))
    box.apply_translation((0.0, 0.0, 0.0))
    colors = np.random.default_rng(3).integers(0, 256, (len(box.vertices), 4), dtype=np.uint8)
    colors[:, 3] = 255
    box.visual.vertex_colors = colors
    for suffix in ("glb", "ply", "obj"):
        box.export(tmp_path / f"box.{suffix}")
    return tmp_path


@pytest.mark.parametrize("suffix", ["glb", "ply", "obj"])
def test_vertex_colours_are_drawn(checked_box: Path, suffix: str) -> None:
    thing = Object(
        name="box", geometry="mesh", mesh=f"box.{suffix}", mass=1.0, pos=(0.0, 0.0, 0.15), vel=ZERO, acc=ZERO
    )
    world = scene(base_dir=str(checked_box))
    world = replace(world, objects=(thing,))
    seen = drawn(world)
    assert psnr(seen, traced(world)) >= 38.0
    white = drawn(replace(world, objects=(replace(thing, material=Material(base_color=(1.0, 1.0, 1.0))),)))
    assert psnr(seen, white) < 30.0


def test_red_corners_make_a_red_box(tmp_path: Path) -> None:
    folder = Path(__file__).parents[1] / "data" / "meshes"
    thing = Object(name="box", geometry="mesh", mesh="g_vcol.glb", mass=1.0, pos=ZERO, vel=ZERO, acc=ZERO)
    world = replace(scene(base_dir=str(folder)), objects=(thing,), planes=())
    albedo = RasterRenderer(world, FINE).render(poses(world), 0.0).albedo
    assert albedo.reshape(-1, 3)[:, 0].max() == pytest.approx(1.0)
    assert albedo[..., 1:].max() == pytest.approx(0.0)
    stated = replace(thing, material=Material(base_color=(0.5, 0.5, 0.5)))
    grey = RasterRenderer(replace(world, objects=(stated,)), FINE).render(poses(world), 0.0).albedo
    assert grey.max() == pytest.approx(float(linear_from_srgb(0.5)), abs=1e-6)


SCRIPT = """world = World()
ball = Object("ball", geometry="sphere", pos=[0, 0, 1], vel=[0, 0, 0], acc=[0, 0, -9.8], friction=1,
              restitution=1, specular=0.25, opacity=0.5, subsurface=0.3, subsurface_color=[0.9, 0.2, 0.1])
wax = Material("wax", base_color=[0.9, 0.8, 0.6], subsurface=0.8)
floor = Plane(friction=1, restitution=1, material=wax)
"""


def test_the_fields_are_read_emitted_listed_and_edited() -> None:
    world = parse_script(SCRIPT).world
    assert parse_script(emit(world)).world == world
    assert world.planes[0].material.subsurface == 0.8
    paths = {p.path for p in parameters(world)}
    assert {"ball.specular", "ball.opacity", "ball.subsurface_color[1]", "floor.subsurface"} <= paths
    assert "floor.opacity" not in paths  # not stated: no slider
    changed = with_value(world, "ball.opacity", 0.75)
    assert parameter(changed, "ball.opacity").value == 0.75
    edit = edit_value(SCRIPT, "ball.subsurface_color[1]", 0.4)
    assert edit.in_place
    assert parse_script(edit.source).world.objects[0].material.subsurface_color == (0.9, 0.4, 0.1)


def test_values_out_of_range_are_errors() -> None:
    with pytest.raises(DiagnosticsError) as caught:
        parse_script(SCRIPT.replace("opacity=0.5", "opacity=1.5"))
    assert [(d.code, d.path) for d in caught.value.diagnostics] == [("out-of-range", "ball.opacity")]


@pytest.mark.parametrize("name", FINISHES)
def test_pytorch3d_agrees(name: str) -> None:
    pytest.importorskip("pytorch3d")
    world = scene(*FINISHES[name], ambient=0.2)
    settings = RenderSettings()
    a = renderer_of("pytorch3d", world, settings).render(poses(world), 0.0, aux=False).rgb.astype(float)
    b = RasterRenderer(world, settings).render(poses(world), 0.0, aux=False).rgb.astype(float)
    assert np.abs(a - b).mean() <= 1.0


def test_pytorch3d_draws_vertex_colours(checked_box: Path) -> None:
    pytest.importorskip("pytorch3d")
    thing = Object(
        name="box", geometry="mesh", mesh="box.glb", mass=1.0, pos=(0.0, 0.0, 0.15), vel=ZERO, acc=ZERO
    )
    world = replace(scene(base_dir=str(checked_box)), objects=(thing,))
    settings = RenderSettings()
    a = renderer_of("pytorch3d", world, settings).render(poses(world), 0.0, aux=False).rgb.astype(float)
    b = RasterRenderer(world, settings).render(poses(world), 0.0, aux=False).rgb.astype(float)
    assert np.abs(a - b).mean() <= 1.0


def test_what_is_not_stated_can_be_set_and_edited_all_the_same() -> None:
    """A suggestion may name a field that the script leaves out."""
    source = SCRIPT.replace(", opacity=0.5", "")
    world = parse_script(source).world
    assert parameter(world, "ball.opacity").value == 1.0
    assert "ball.opacity" not in {p.path for p in parameters(world)}
    edit = edit_value(source, "ball.opacity", 0.5)
    assert parse_script(edit.source).world == parse_script(SCRIPT).world


@pytest.mark.parametrize(("field", "value"), [("opacity", 0.5), ("subsurface", 1.0)])
def test_a_wrong_finish_is_found_and_named(field: str, value: float) -> None:
    from fourdcb.evaluation import judge_replays
    from fourdcb.metrics import MetricValue, Report, load_criteria
    from fourdcb.replay import replay

    def world(**finish: float) -> World:
        red = Material(base_color=(0.8, 0.2, 0.1), subsurface_color=(0.2, 0.8, 0.3), roughness=0.8)
        return replace(scene(replace(red, **finish)), duration=0.3, ambient=0.1)

    def judged(candidate: World) -> Report:
        return judge_replays(
            reference=replay(world(**{field: value})), candidate=replay(candidate), video_frames=None,
            video_times=None, criteria=load_criteria(), replay_rate=MetricValue(value=100.0, unit="1/s"),
        )  # fmt: skip

    assert judged(world(**{field: value})).axes["material_light"].passed
    wrong = judged(world())
    assert wrong.axes["material_light"].metrics["appearance_error"].passed is False
    causes = [f.likely_cause for f in wrong.findings if f.likely_cause is not None]
    assert any(cause.parameter == f"ball0.{field}" and cause.suggested == value for cause in causes)
