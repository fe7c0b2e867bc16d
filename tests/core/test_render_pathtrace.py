"""The path tracer against the raster backend, which shares no line of tracing or shading with it."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fourdcb.dsl import load_script
from fourdcb.errors import UserError
from fourdcb.physics import simulate
from fourdcb.render import Frame, RasterRenderer, RenderSettings, backend
from fourdcb.trajectory import Trajectory
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
)
from fourdcb.world.fields import Vec3

pytest.importorskip("mitsuba")

from fourdcb.render.pathtrace import PathSettings, PathTracer, usable_variant, variant

SIZE = 72
ZERO = (0.0, 0.0, 0.0)
SUN = DirectionalLight(intensity=2.5)
DIRECT = PathSettings(spp=36, direct_only=True, variant="scalar_rgb")
FINE = RenderSettings(supersample=4)
Image = NDArray[Any]


def psnr(a: Image, b: Image) -> float:
    """Of two sRGB pictures [dB]."""
    error = float(np.mean((a / 255.0 - b / 255.0) ** 2))
    return -10.0 * float(np.log10(error)) if error > 0.0 else float("inf")


def start_poses(w: World) -> tuple[np.ndarray, np.ndarray]:
    position = [getattr(body, "pos", ZERO) for body in w.bodies]
    return np.array(position).reshape(-1, 3), np.array(
        [getattr(body, "rot", (1.0, 0.0, 0.0, 0.0)) for body in w.bodies]
    ).reshape(-1, 4)


def traced(w: World, settings: PathSettings = DIRECT, *, t: float = 0.0, aux: bool = False) -> Frame:
    return PathTracer(w, settings, FINE).render(start_poses(w), t, aux=aux)


def drawn(w: World, *, t: float = 0.0) -> Frame:
    return RasterRenderer(w, FINE).render(start_poses(w), t)


def thing(name: str, shape: str, size: Vec3, pos: Vec3, look: Material, **more: Any) -> Object:
    return Object(name=name, geometry=shape, size=size, pos=pos, vel=ZERO, acc=ZERO, material=look, **more)


def look(color: Vec3, roughness: float, metallic: float = 0.0, **maps: str) -> Material:
    return Material(base_color=color, roughness=roughness, metallic=metallic, **maps)


STILL = (
    thing("ball", "sphere", (0.4, 0.4, 0.4), (0.3, -0.1, 0.2), look((0.8, 0.3, 0.2), 0.4)),
    thing("block", "box", (0.3, 0.3, 0.3), (-0.2, 0.3, 0.15), look((0.3, 0.5, 0.8), 0.6, 1.0)),
    thing("cup", "cylinder", (0.24, 0.24, 0.3), (-0.25, -0.25, 0.15), look((0.9, 0.9, 0.88), 0.3)),
    thing("cone", "cone", (0.2, 0.2, 0.3), (0.0, 0.0, 0.15), look((0.9, 0.9, 0.2), 0.5)),
    thing("pill", "capsule", (0.1, 0.1, 0.3), (0.0, -0.4, 0.15), look((0.2, 0.9, 0.2), 0.5, 0.5)),
)
FLOOR = (Plane(material=look((0.6, 0.55, 0.5), 0.8)),)


def stage(
    *lights: Light, objects: tuple[Object, ...] = STILL, camera: Camera | None = None, **more: Any
) -> World:
    fields: dict[str, Any] = {"planes": FLOOR, "ambient": 0.0, "background": (0.2, 0.3, 0.4), **more}
    camera = camera or Camera(width=SIZE, height=SIZE, target=(0.0, 0.0, 0.15))
    return World(objects=objects, lights=lights, camera=camera, **fields)


@pytest.mark.parametrize("name", ["slide_cup", "bounce_ball", "collide_pair"])
def test_bundled_scenes_agree_with_raster_under_direct_light(name: str) -> None:
    with as_file(files("fourdcb_resources") / "scenes" / name / "world.py") as script:
        w = replace(load_script(Path(script)).world, ambient=0.0)
    trajectory, t = simulate(w), 0.5
    settings = RenderSettings(width=SIZE, height=SIZE, supersample=4)
    truth = PathTracer(w, DIRECT, settings).render(trajectory, t, aux=False)
    seen = RasterRenderer(w, settings).render(trajectory, t)
    assert psnr(truth.rgb, seen.rgb) >= 38.0

    n = len(w.objects)
    bare = replace(w, planes=(), lights=(), background=(1.0, 1.0, 1.0))
    still = tuple(array[:n] for array in trajectory.pose_at(t))
    settings = replace(settings, width=192, height=192)
    mask = (
        PathTracer(bare, replace(DIRECT, spp=25), settings).render(still, t, aux=False).linear[..., 0] < 0.5
    )
    silhouette = RasterRenderer(bare, settings).render(still, t).instance >= 0
    assert silhouette.any()
    assert (mask & silhouette).sum() / (mask | silhouette).sum() >= 0.99


@pytest.mark.parametrize(
    "lights",
    [
        (SUN,),
        (PointLight(pos=(0.9, 0.6, 1.6), intensity=7.0),),
        (AreaLight(pos=(0.4, -0.3, 1.2), direction=(-0.3, 0.2, -1.0), size=0.3, intensity=30.0),),
        (SUN, PointLight(pos=(0.9, 0.6, 1.6), intensity=3.0, color=(1.0, 0.5, 0.2))),
    ],
    ids=["directional", "point", "area", "two coloured"],
)
def test_every_light_agrees_with_raster(lights: tuple[Light, ...]) -> None:
    w = stage(*lights)
    truth = traced(w).rgb
    assert psnr(truth, drawn(w).rgb) >= 38.0
    plain = RasterRenderer(w, RenderSettings()).render(start_poses(w), 0.0, aux=False)
    assert psnr(truth, plain.rgb) >= 38.0


def test_lights_follow_their_curve_and_time_range() -> None:
    light = DirectionalLight(intensity=2.0, intensity_curve=(1.0, 3.0), time_range=(0.5, 4.0))
    w = stage(light, duration=4.0, background=ZERO)
    assert traced(w, t=0.0).linear.max() == 0.0
    early, late = traced(w, t=1.0).linear, traced(w, t=4.0).linear
    assert late.mean() / early.mean() == pytest.approx(3.0 / 1.5, rel=0.02)


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Textures: a smooth colour picture, a grey one, gentle bumps; a mesh with mirrored coordinates."""
    import cv2

    rng = np.random.default_rng(0)
    color = cv2.resize(rng.integers(30, 255, (6, 8, 3)).astype(np.uint8), (64, 48))
    grey = cv2.resize(rng.integers(60, 255, (5, 5)).astype(np.uint8), (40, 40))
    y, x = np.mgrid[0:64, 0:64] / 64 * 2 * np.pi
    bumps = np.stack([0.15 * np.sin(2 * x), 0.12 * np.sin(3 * y + 0.5), np.ones_like(x)], axis=-1)
    bumps /= np.linalg.norm(bumps, axis=-1, keepdims=True)
    cv2.imwrite(str(tmp_path / "color.png"), color)
    cv2.imwrite(str(tmp_path / "grey.png"), grey)
    cv2.imwrite(str(tmp_path / "bumps.png"), np.round(127.5 * (bumps[..., ::-1] + 1)).astype(np.uint8))
    (tmp_path / "folded.obj").write_text(
        "v -.2 -.2 0\nv 0 -.2 0\nv 0 .2 0\nv -.2 .2 0\nv .2 -.2 0\nv .2 .2 0\n"
        "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvn 0 0 1\n"
        "f 1/1/1 2/2/1 3/3/1\nf 1/1/1 3/3/1 4/4/1\nf 2/2/1 5/1/1 6/4/1\nf 2/2/1 6/4/1 3/3/1\n"
    )
    return tmp_path


def mapped(**maps: str) -> tuple[Object, ...]:
    surface = look((0.5, 0.5, 0.5), 0.7, 0.6 if "metallic_map" in maps else 0.0, **maps)
    return (
        thing("crate", "box", (0.5, 0.5, 0.5), (-0.1, 0.0, 0.25), surface),
        thing("globe", "sphere", (0.4, 0.4, 0.4), (0.4, -0.3, 0.2), surface),
    )


@pytest.mark.parametrize(
    "maps",
    [
        {"base_color_map": "color.png"},
        {"roughness_map": "grey.png", "metallic_map": "grey.png"},
        {"normal_map": "bumps.png", "base_color_map": "color.png"},
    ],
    ids=["colour", "roughness and metal", "bumps"],
)
def test_texture_maps_agree_with_raster(pictures: Path, maps: dict[str, str]) -> None:
    w = stage(SUN, objects=mapped(**maps), base_dir=str(pictures))
    plain = replace(w, objects=mapped())
    assert psnr(traced(w).rgb, drawn(w).rgb) >= 38.0
    assert psnr(traced(w).rgb, traced(plain).rgb) < 35.0


def test_bumps_of_a_mirrored_mesh_agree_with_raster(pictures: Path) -> None:
    surface = look((0.5, 0.5, 0.5), 0.9, normal_map="bumps.png")
    leaf = thing("leaf", "mesh", (0.4, 0.4, 0.01), (0.0, 0.0, 0.3), surface, mesh="folded.obj", mass=1.0)
    camera = Camera(width=SIZE, height=SIZE, pos=(0.3, -0.2, 1.5), target=(0.0, 0.0, 0.3), fov_y_deg=25.0)
    w = stage(SUN, objects=(leaf,), planes=(), camera=camera, base_dir=str(pictures))
    assert psnr(traced(w).rgb, drawn(w).rgb) >= 45.0


def test_no_normal_map_lights_a_side_that_faces_away(tmp_path: Path) -> None:
    """The seen side lies 10° behind the light's horizon; its map leans towards the light by 60°."""
    import cv2

    lean = np.array([0.0, np.sin(np.radians(60.0)), np.cos(np.radians(60.0))])
    for name, sign in (("up.png", 1.0), ("down.png", -1.0)):
        color = np.round(127.5 * (lean * [1.0, sign, 1.0] + 1.0)).astype(np.uint8)
        cv2.imwrite(str(tmp_path / name), np.tile(color[::-1], (8, 8, 1)))
    sun = DirectionalLight(direction=(0.0, -math.sin(math.radians(10.0)), -math.cos(math.radians(10.0))))
    camera = Camera(width=SIZE, height=SIZE, pos=(0.0, -1.5, 0.3), target=(0.0, 0.0, 0.3), fov_y_deg=20.0)
    for name in ("up.png", "down.png"):
        box = thing(
            "box", "box", (0.3, 0.3, 0.3), (0.0, 0.0, 0.3), look((0.5, 0.5, 0.5), 0.9, normal_map=name)
        )
        w = stage(sun, objects=(box,), planes=(), camera=camera, background=ZERO, base_dir=str(tmp_path))
        frame = drawn(w)
        side = (frame.instance == 0) & (frame.depth > 1.345) & (frame.depth < 1.355)
        assert side.sum() > 500
        assert frame.linear[side].max() == 0.0
        assert frame.shadow[side].min() == 1.0
        assert psnr(traced(w).rgb, frame.rgb) >= 38.0


@pytest.mark.parametrize("distortion", [(-0.2, 0.05, 0.01, -0.015, 0.0), (0.3, 0.05, 0.03, -0.02, 0.0)])
def test_the_lens_agrees_with_raster(distortion: tuple[float, float, float, float, float]) -> None:
    camera = Camera(width=96, height=60, target=(0.0, 0.0, 0.15), distortion=distortion)
    w = stage(SUN, camera=camera)
    frame, straight = traced(w), traced(replace(w, camera=replace(camera, distortion=(0.0,) * 5)))
    assert frame.rgb.shape == (60, 96, 3)
    assert psnr(frame.rgb, drawn(w).rgb) >= 38.0
    assert psnr(frame.rgb, straight.rgb) < 36.0


@pytest.fixture(scope="module")
def thrown() -> tuple[World, Trajectory]:
    ball = thing("ball", "sphere", (0.3, 0.3, 0.3), (-0.2, 0.0, 0.4), look((0.8, 0.3, 0.2), 0.4), mass=1.0)
    w = stage(SUN, objects=(replace(ball, vel=(8.0, 0.0, 1.0)),), duration=0.2)
    return w, simulate(w)


def test_motion_blur_agrees_with_raster(thrown: tuple[World, Trajectory]) -> None:
    w, trajectory = thrown
    blurred, sharp = RenderSettings(samples=8, supersample=3), RenderSettings(supersample=3)
    frame = PathTracer(w, DIRECT, blurred).render(trajectory, 0.02, aux=False)
    assert psnr(frame.rgb, RasterRenderer(w, blurred).render(trajectory, 0.02).rgb) >= 38.0
    assert psnr(frame.rgb, RasterRenderer(w, sharp).render(trajectory, 0.02).rgb) < 36.0


def test_paths_are_divided_among_the_poses(monkeypatch: pytest.MonkeyPatch, thrown: Any) -> None:
    w, trajectory = thrown
    asked: list[tuple[int, int]] = []
    picture = np.ones((SIZE, SIZE, 3), np.float32)

    def trace(_self: PathTracer, _poses: Any, _t: float, *, spp: int, seed: int) -> Image:
        asked.append((spp, seed))
        return picture

    monkeypatch.setattr(PathTracer, "_trace", trace)
    tracer = PathTracer(w, replace(DIRECT, spp=30), RenderSettings(samples=4))
    np.testing.assert_allclose(tracer.render(trajectory, 0.1, aux=False).linear, 1.0, rtol=1e-6)
    assert [spp for spp, _ in asked] == [8, 8, 7, 7]
    assert len({seed for _, seed in asked}) == 4
    asked.clear()
    PathTracer(w, replace(DIRECT, spp=2), RenderSettings(samples=4)).render(trajectory, 0.1, aux=False)
    assert [spp for spp, _ in asked] == [1, 1]


def test_vectorised_variants_trace_in_parts_that_fit_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    tracer = PathTracer(stage(SUN), replace(DIRECT, spp=20))
    assert tracer._passes([0.0, 1.0]) == [(0.0, 10), (1.0, 10)]
    monkeypatch.setattr(tracer, "variant", "llvm_ad_rgb")
    monkeypatch.setattr("fourdcb.render.pathtrace.tracer._PATHS_AT_ONCE", 4 * SIZE * SIZE)
    assert tracer._passes([0.0, 1.0]) == [(t, n) for t in (0.0, 1.0) for n in (4, 3, 3)]
    monkeypatch.setattr("fourdcb.render.pathtrace.tracer._PATHS_AT_ONCE", 1)
    assert tracer._passes([0.0]) == [(0.0, 1)] * 20


def test_seeds_repeat_and_differ() -> None:
    w = stage(AreaLight(pos=(0.4, -0.3, 1.2), size=0.4, intensity=20.0), ambient=0.3)
    settings = PathSettings(spp=9, variant="scalar_rgb")
    first, again = traced(w, settings), traced(w, settings)
    other = traced(w, replace(settings, seed=1))
    np.testing.assert_array_equal(first.linear, again.linear)
    assert not np.array_equal(first.linear, other.linear)
    assert psnr(first.rgb, other.rgb) > 20.0
    later = traced(w, settings, t=1.0)  # nothing changes but the noise
    assert not np.array_equal(first.linear, later.linear)


def test_the_camera_sees_the_background_and_no_emitter() -> None:
    lamp = AreaLight(pos=(0.0, 0.0, 0.3), direction=(0.0, 0.0, -1.0), size=0.4, intensity=20.0)
    w = stage(lamp, objects=(), planes=(), ambient=0.9)
    np.testing.assert_allclose(traced(w).linear, np.broadcast_to(w.background, (SIZE, SIZE, 3)), rtol=1e-6)
    bright = replace(w, exposure=2.0)
    np.testing.assert_array_equal(traced(bright).rgb, drawn(bright).rgb)
    np.testing.assert_array_equal(traced(replace(w, lights=(), ambient=0.0)).rgb, drawn(w).rgb)


def test_ambient_light_of_a_lone_ball_agrees_with_raster() -> None:
    camera = Camera(width=SIZE, height=SIZE, target=(0.3, -0.1, 0.2), fov_y_deg=20.0)
    w = stage(objects=STILL[:1], planes=(), camera=camera, ambient=0.7)
    frame, seen = traced(w, replace(DIRECT, spp=100)), drawn(w)
    core = seen.instance == 0
    for axis in (0, 1):
        core &= np.roll(core, 3, axis) & np.roll(core, -3, axis)
    np.testing.assert_allclose(frame.linear[core].mean(axis=0), seen.linear[core].mean(axis=0), rtol=0.01)


def test_interreflection_brightens_a_corner() -> None:
    red = look((0.9, 0.1, 0.1), 0.9)
    wall = thing("wall", "box", (0.05, 1.0, 1.0), (-0.2, 0.0, 0.5), red)
    w = stage(DirectionalLight(direction=(-0.7, 0.0, -0.7), intensity=3.0), objects=(wall,))
    direct, full = traced(w), traced(w, replace(DIRECT, direct_only=False))
    floor = drawn(w).instance == 1
    gain = (full.linear - direct.linear)[floor].mean(axis=0)
    assert gain[0] > 3.0 * gain[1] > 0.0


def test_buffers_are_those_of_raster() -> None:
    w = stage(SUN)
    frame, seen = traced(w, replace(DIRECT, spp=1), aux=True), drawn(w)
    for name in ("depth", "normal", "instance", "albedo", "shadow"):
        np.testing.assert_array_equal(getattr(frame, name), getattr(seen, name))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PathSettings(spp=0), "spp"),
        (lambda: PathSettings(seed=-1), "seed"),
        (lambda: PathSettings(max_depth=1), "max_depth"),
        (lambda: traced(stage(SUN), PathSettings(variant="oil_rgb")), "variant"),
        (lambda: PathTracer(stage(SUN), DIRECT, RenderSettings(shadows=False)), "shadows"),
        (lambda: backend("oil", stage(SUN)), "no such backend"),
        (lambda: backend("raster", stage(SUN), path=DIRECT), "pathtrace"),
        (lambda: traced(stage(SUN, camera=Camera(target=(1.2, -1.6, 0.0)))), "camera"),
    ],
)
def test_wrong_wishes_are_told(make: Callable[[], object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        make()


def test_a_backend_comes_by_name() -> None:
    assert isinstance(backend("raster", stage(SUN)), RasterRenderer)
    tracer = backend("pathtrace", stage(SUN), FINE, path=DIRECT)
    assert isinstance(tracer, PathTracer)
    assert tracer.settings == DIRECT


@pytest.mark.parametrize(("code", "expected"), [(0, "llvm_ad_rgb"), (-6, "scalar_rgb")])
def test_a_variant_that_aborts_is_not_used(monkeypatch: pytest.MonkeyPatch, code: int, expected: str) -> None:
    def run(*_args: object, **_more: object) -> subprocess.CompletedProcess[bytes]:
        return subprocess.CompletedProcess([], code)

    monkeypatch.setattr(variant.subprocess, "run", run)
    usable_variant.cache_clear()
    try:
        assert usable_variant() == expected
    finally:
        usable_variant.cache_clear()


def test_a_probe_that_never_ends_is_ended_by_its_own_watchdog() -> None:
    endless = variant._PROBE.partition("import mitsuba")[0] + "while True: pass"
    ended = subprocess.run([sys.executable, "-c", endless, "any", "0.1"], capture_output=True, check=False)
    assert ended.returncode == 1
    assert b"Timeout" in ended.stderr


def test_missing_mitsuba_names_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variant, "find_spec", lambda _name: None)
    with pytest.raises(UserError, match=r"pip install 'fourdcb\[pathtrace\]'"):
        PathTracer(stage(SUN), DIRECT)
