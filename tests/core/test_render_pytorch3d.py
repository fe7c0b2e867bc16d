"""The differentiable renderer against the raster one: same faces, same picture, right gradients."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from fourdcb.errors import UserError
from fourdcb.render import RasterRenderer, RenderSettings
from fourdcb.world import AreaLight, Camera, DirectionalLight, Material, Object, Plane, PointLight, World

SCENES = Path(__file__).resolve().parents[2] / "resources" / "fourdcb_resources" / "scenes"
ZERO = (0.0, 0.0, 0.0)
SMALL = RenderSettings(supersample=1, width=128, height=128)
SUN = DirectionalLight(direction=(-0.5, 0.3, -0.8), intensity=2.0)


@pytest.fixture(scope="module")
def backend() -> Iterator[ModuleType]:
    """The backend; torch takes seconds to load, so it is loaded by the tests that run."""
    torch = pytest.importorskip("torch", reason="the learn extra is not installed")
    pytest.importorskip("pytorch3d", reason="the learn extra is not installed")
    import fourdcb.render.pytorch3d as module

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # pictures this small only wait for each other
    yield module
    torch.set_num_threads(threads)


def thing(name: str, geometry: Any, size: float, pos: tuple[float, float, float], **more: Any) -> Object:
    return Object(name=name, geometry=geometry, size=(size,) * 3, pos=pos, vel=ZERO, acc=ZERO, **more)


def ball_world(**more: Any) -> World:
    """A ball over a floor in one light, 64 x 64."""
    material = Material(base_color=(0.6, 0.3, 0.2), roughness=0.4, metallic=0.3)
    defaults: dict[str, Any] = {
        "objects": (thing("ball", "sphere", 0.6, (0.0, 0.0, 0.4), material=material),),
        "planes": (Plane(),),
        "lights": (SUN,),
        "camera": Camera(width=64, height=64),
    }
    return World(**{**defaults, **more})


def poses(w: World) -> tuple[np.ndarray, np.ndarray]:
    position = np.array([getattr(body, "pos", ZERO) for body in w.bodies], dtype=np.float64)
    rotation = [getattr(body, "rot", (1.0, 0.0, 0.0, 0.0)) for body in w.bodies]
    return position, np.array(rotation, dtype=np.float64)


def assert_alike(backend: ModuleType, w: World, settings: RenderSettings = SMALL) -> None:
    expected = RasterRenderer(w, settings).render(poses(w), 0.0)
    found = backend.TorchRenderer(w, settings, device="cpu").render(poses(w), 0.0)
    assert np.abs(expected.rgb.astype(int) - found.rgb).mean() <= 1.0
    assert expected.rgb.std() > 5.0
    same = expected.instance == found.instance
    assert same.mean() >= 0.995
    hit = same & (expected.instance >= 0)
    assert np.isinf(found.depth[found.instance < 0]).all()
    np.testing.assert_allclose(found.depth[hit], expected.depth[hit], rtol=1e-3)
    for name in ("normal", "albedo", "shadow"):
        assert np.abs(getattr(expected, name) - getattr(found, name))[hit].mean() < 2e-3, name


def test_without_the_extra_the_error_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from fourdcb.errors import UserError\n"
        "try:\n    import fourdcb.render.pytorch3d\n"
        "except UserError as error:\n    print(error)\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "pip install 'fourdcb[learn]'" in said


@pytest.mark.optional
@pytest.mark.parametrize("scene", ["slide_cup", "bounce_ball", "collide_pair"])
def test_bundled_scenes_have_the_same_faces_and_pictures(backend: ModuleType, scene: str) -> None:
    from fourdcb.dsl import load_script
    from fourdcb.physics import simulate

    w = load_script(SCENES / scene / "world.py").world
    trajectory = simulate(w, rate_hz=240.0, duration=0.4)
    raster, torch = RasterRenderer(w, SMALL), backend.TorchRenderer(w, SMALL, device="cpu")
    expected, found = raster.fragments(trajectory, 0.3), torch.fragments(trajectory, 0.3)
    same = expected.face == found.face
    assert same.mean() >= 0.995
    rows, columns = np.nonzero(~same)
    for y, x in zip(rows, columns, strict=True):  # the rest lie on edges
        assert found.face[y, x] in expected.face[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2]
    hit = same & (expected.face >= 0)
    np.testing.assert_allclose(found.depth[hit], expected.depth[hit], rtol=1e-4)
    np.testing.assert_allclose(found.barycentric[hit], expected.barycentric[hit], atol=2e-3)
    pictures = [r.render(trajectory, 0.3, aux=False).rgb.astype(int) for r in (raster, torch)]
    assert np.abs(pictures[0] - pictures[1]).mean() <= 1.0


@pytest.mark.optional
def test_every_light_shape_and_shadow(backend: ModuleType) -> None:
    shapes = ("sphere", "box", "cylinder", "cone", "capsule")
    objects = tuple(
        thing(name, name, 0.25, (0.35 * k - 0.7, 0.2 * (k % 2), 0.2), fixed=k == 1)
        for k, name in enumerate(shapes)
    )
    lights = (
        SUN,
        PointLight(pos=(0.5, -0.5, 1.2), intensity=1.5, color=(1.0, 0.7, 0.4)),
        AreaLight(pos=(-0.6, 0.2, 1.5), direction=(0.3, 0.0, -1.0), size=0.4, intensity=20.0),
    )
    w = ball_world(objects=objects, lights=lights, ambient=0.3, exposure=0.8)
    assert_alike(backend, w, RenderSettings(supersample=1, width=72, height=72))


@pytest.mark.optional
def test_lens_supersampling_and_no_shadows(backend: ModuleType) -> None:
    camera = Camera(width=96, height=64, distortion=(-0.2, 0.05, 0.002, -0.001, 0.0))
    settings = RenderSettings(supersample=2, shadows=False)
    assert_alike(backend, ball_world(camera=camera), settings)


@pytest.mark.optional
def test_a_floor_that_reaches_behind_the_camera_has_no_holes(backend: ModuleType) -> None:
    camera = Camera(pos=(0.0, -1.0, 0.15), target=(0.0, 0.0, 0.1), width=96, height=96)
    w = ball_world(camera=camera, planes=(Plane(size=20.0),))
    face = backend.TorchRenderer(w, device="cpu").fragments(poses(w), 0.0).face
    expected = RasterRenderer(w).fragments(poses(w), 0.0).face
    assert ((face < 0) != (expected < 0)).sum() <= 2


@pytest.mark.optional
def test_motion_blur_is_the_mean_over_the_shutter(backend: ModuleType) -> None:
    from fourdcb.physics import simulate

    ball = replace(ball_world().objects[0], vel=(4.0, 0.0, 0.0), pos=(-0.3, 0.0, 0.5))
    w = ball_world(objects=(ball,), duration=0.2)
    trajectory = simulate(w, rate_hz=240.0)
    settings = RenderSettings(supersample=1, samples=4)
    pictures = [
        r.render(trajectory, 0.1, aux=False).rgb.astype(int)
        for r in (RasterRenderer(w, settings), backend.TorchRenderer(w, settings, device="cpu"))
    ]
    assert np.abs(pictures[0] - pictures[1]).mean() <= 1.0


@pytest.mark.optional
def test_maps_of_colour_normal_roughness_and_metal(backend: ModuleType, tmp_path: Path) -> None:
    from PIL import Image

    rng = np.random.default_rng(0)
    for name in ("color", "normal", "roughness", "metallic"):
        coarse = rng.integers(60, 200, (4, 4, 3), dtype=np.uint8)
        if name == "normal":
            coarse[..., 2] = 250
        smooth = Image.fromarray(coarse).resize((64, 64), Image.Resampling.BILINEAR)
        smooth.save(tmp_path / f"{name}.png")
    material = Material(
        base_color_map="color.png", normal_map="normal.png", roughness_map="roughness.png",
        metallic_map="metallic.png", roughness=0.8, metallic=0.7,
    )  # fmt: skip
    objects = (
        thing("ball", "sphere", 0.5, (-0.3, 0.0, 0.3), material=material),
        thing("block", "box", 0.4, (0.35, 0.0, 0.2), material=material),
    )
    assert_alike(backend, ball_world(objects=objects, base_dir=str(tmp_path)))


def raster_total(w: World, weights: np.ndarray, settings: RenderSettings | None = None) -> float:
    frame = RasterRenderer(w, settings).render(poses(w), 0.0, aux=False)
    return float((frame.linear.astype(np.float64) * weights).sum())


def gradient(
    backend: ModuleType, w: World, name: str, weights: np.ndarray, settings: RenderSettings | None = None
) -> np.ndarray:
    import torch

    scene = backend.TorchScene.from_world(w, settings, dtype=torch.float64)
    parameters = scene.parameters(poses(w), 0.0)
    leaf = getattr(parameters, name).clone().requires_grad_()
    radiance = scene.shade(replace(parameters, **{name: leaf}))
    (radiance * torch.as_tensor(weights)).sum().backward()
    return np.asarray(leaf.grad.numpy())


def bumped(values: tuple[float, ...], k: int, step: float) -> tuple[float, ...]:
    return tuple(v + step * (i == k) for i, v in enumerate(values))


@pytest.mark.optional
@pytest.mark.parametrize("name", ["base_color", "roughness", "metallic"])
def test_gradients_of_the_material_equal_finite_differences_of_the_raster(
    backend: ModuleType, name: str
) -> None:
    w, step = ball_world(), 1e-3
    weights = np.random.default_rng(1).random((64, 64, 3))
    found = gradient(backend, w, name, weights)[0]
    value = getattr(w.objects[0].material, name)

    def total(new: Any) -> float:
        material = replace(w.objects[0].material, **{name: new})
        return raster_total(replace(w, objects=(replace(w.objects[0], material=material),)), weights)

    if name == "base_color":
        expected = [
            (total(bumped(value, k, step)) - total(bumped(value, k, -step))) / (2 * step) for k in range(3)
        ]
    else:
        expected = [(total(value + step) - total(value - step)) / (2 * step)]
    np.testing.assert_allclose(np.atleast_1d(found), expected, rtol=0.01)


@pytest.mark.optional
@pytest.mark.parametrize(
    ("light", "name", "field", "step"),
    [
        (SUN, "light_intensity", "intensity", 1e-2),
        (SUN, "light_direction", "direction", 1e-2),
        (PointLight(pos=(0.5, -0.5, 1.2)), "light_position", "pos", 1e-2),
        (
            AreaLight(pos=(0.3, -0.3, 1.2), direction=(-0.2, 0.1, -1.0), size=0.3, intensity=20.0),
            "light_direction", "direction", 1e-2,
        ),
    ],
    ids=["intensity", "direction", "point", "area"],
)  # fmt: skip
def test_gradients_of_lights_equal_finite_differences_of_the_raster(
    backend: ModuleType, light: Any, name: str, field: str, step: float
) -> None:
    w = ball_world(lights=(light,))
    weights = 0.5 + np.random.default_rng(2).random((64, 64, 3))
    found = np.atleast_1d(gradient(backend, w, name, weights)[0])
    value = np.atleast_1d(getattr(light, field)).tolist()

    def total(k: int, h: float) -> float:
        new = bumped(tuple(value), k, h)
        changed = replace(light, **{field: new if len(new) > 1 else new[0]})
        return raster_total(replace(w, lights=(changed,)), weights)

    expected = np.array([(total(k, step) - total(k, -step)) / (2 * step) for k in range(len(value))])
    assert np.abs(found - expected).max() <= 0.03 * np.abs(expected).max()


@pytest.mark.optional
@pytest.mark.parametrize(
    ("shape", "planes", "within"), [("sphere", (), 0.05), ("box", (), 0.02), ("box", (Plane(),), 0.05)]
)
def test_gradients_of_a_position_equal_finite_differences(
    backend: ModuleType, shape: str, planes: tuple[Plane, ...], within: float
) -> None:
    """Interior, outline and shadow together; fine samples, because outlines jump from one to the next."""
    body = thing("body", shape, 0.5, (0.0, 0.1, 0.5), material=ball_world().objects[0].material)
    w, step, fine = ball_world(objects=(body,), planes=planes), 0.02, RenderSettings(supersample=8)
    x, y = np.meshgrid(np.linspace(-1, 1, 64), np.linspace(-1, 1, 64))
    weights = np.repeat((1.0 + 0.8 * np.sin(3 * x + 1) * np.cos(2 * y - 0.5))[..., None], 3, axis=2)
    found = gradient(backend, w, "position", weights, fine)[0]

    def total(k: int, h: float) -> float:
        moved = replace(w.objects[0], pos=bumped(w.objects[0].pos, k, h))
        return raster_total(replace(w, objects=(moved,)), weights, fine)

    expected = np.array([(total(k, step) - total(k, -step)) / (2 * step) for k in range(3)])
    assert np.abs(found - expected).max() <= within * np.abs(expected).max()


@pytest.mark.optional
def test_gradients_of_a_turn_equal_finite_differences(backend: ModuleType) -> None:
    """About the vertical, by way of the quaternion's z; creases between a box's faces are borders, too."""
    body = thing("body", "box", 0.5, (0.0, 0.1, 0.5), rot=(0.96, 0.0, 0.0, 0.28))
    w, step, fine = ball_world(objects=(body,), planes=()), 0.02, RenderSettings(supersample=8)
    weights = np.repeat((1.0 + np.linspace(-0.9, 0.9, 64))[None, :, None], 64, axis=0).repeat(3, axis=2)
    found = gradient(backend, w, "orientation_wxyz", weights, fine)[0]

    def total(h: float) -> float:
        turned = np.array([0.96, 0.0, 0.0, 0.28 + h])
        rot = tuple((turned / np.linalg.norm(turned)).tolist())
        return raster_total(replace(w, objects=(replace(body, rot=rot),)), weights, fine)

    assert found[3] == pytest.approx((total(step) - total(-step)) / (2 * step), rel=0.05)


@pytest.mark.optional
def test_a_lost_body_is_found_by_following_gradients(backend: ModuleType) -> None:
    """From where it is seen beside its true place, by colour differences alone."""
    import torch

    truth = ball_world(objects=(thing("body", "box", 0.4, (0.1, 0.0, 0.3), rot=(0.966, 0.0, 0.0, 0.259)),))
    settings = RenderSettings(supersample=2, width=48, height=48)
    scene = backend.TorchScene.from_world(truth, settings)
    true = scene.parameters(poses(truth), 0.0)
    with torch.no_grad():
        target = scene.picture(true)
    place = (true.position[0] + torch.tensor([-0.1, 0.08, 0.0])).requires_grad_()
    optimiser = torch.optim.Adam([place], lr=0.02)
    for step in range(40):
        optimiser.zero_grad()
        picture = scene.picture(replace(true, position=torch.stack([place, true.position[1]])))
        ((picture - target) ** 2).mean().backward()
        optimiser.param_groups[0]["lr"] = 0.02 * 0.95**step
        optimiser.step()
    assert float((place.detach() - true.position[0]).norm()) < 0.02


@pytest.mark.optional
def test_a_picture_is_fitted_by_following_gradients(backend: ModuleType) -> None:
    import torch

    truth = ball_world()
    settings = RenderSettings(supersample=1, width=32, height=32)
    frame = RasterRenderer(truth, settings).render(poses(truth), 0.0, aux=False)
    target = torch.as_tensor(frame.rgb / 255.0).float()
    start = ball_world(lights=(replace(SUN, intensity=1.2, direction=(0.2, 0.5, -0.8)),))
    scene = backend.TorchScene.from_world(start, settings)
    parameters = scene.parameters(poses(start), 0.0)
    names = ("light_intensity", "light_direction")
    leaves = {name: getattr(parameters, name).clone().requires_grad_() for name in names}
    optimiser = torch.optim.Adam(list(leaves.values()), lr=0.08)
    for _ in range(40):
        optimiser.zero_grad()
        ((scene.picture(replace(parameters, **leaves)) - target) ** 2).mean().backward()
        optimiser.step()
    direction = torch.nn.functional.normalize(leaves["light_direction"].detach()[0], dim=0).numpy()
    expected = np.array(SUN.direction) / np.linalg.norm(SUN.direction)
    assert np.degrees(np.arccos(direction @ expected)) < 2.0
    assert float(leaves["light_intensity"].detach()) == pytest.approx(SUN.intensity, rel=0.05)


@pytest.mark.optional
def test_wrong_poses_and_devices_are_told(backend: ModuleType) -> None:
    w = ball_world()
    with pytest.raises(UserError, match="do not belong"):
        backend.TorchRenderer(w, device="cpu").render((np.zeros((1, 3)), np.ones((1, 4))), 0.0)
    with pytest.raises(UserError, match="device"):
        backend.TorchRenderer(w, device="abacus")


@pytest.mark.optional
def test_a_scene_of_nothing_is_its_background(backend: ModuleType) -> None:
    w = ball_world(objects=(), planes=(), lights=())
    nowhere = (np.zeros((0, 3)), np.zeros((0, 4)))
    frame = backend.TorchRenderer(w, device="cpu").render(nowhere, 0.0)
    expected = RasterRenderer(w).render(nowhere, 0.0)
    np.testing.assert_array_equal(frame.rgb, expected.rgb)
    assert (frame.instance == -1).all()


@pytest.mark.optional
def test_the_look_of_a_mesh_file_is_a_parameter_like_any_other(backend: ModuleType, tmp_path: Path) -> None:
    import trimesh
    from trimesh.visual.material import PBRMaterial

    box = trimesh.creation.box()
    material = PBRMaterial(baseColorFactor=(51, 153, 51, 255), roughnessFactor=0.3, metallicFactor=0.75)
    box.visual = trimesh.visual.TextureVisuals(uv=np.zeros((len(box.vertices), 2)), material=material)
    (tmp_path / "a.glb").write_bytes(box.export(file_type="glb"))
    body = Object(name="a", geometry="mesh", mesh="a.glb", mass=1.0, pos=ZERO, vel=ZERO, acc=ZERO)
    values = backend.TorchParameters.from_world(
        World(objects=(body,), base_dir=str(tmp_path)), np.zeros((1, 3)), np.array([[1.0, 0, 0, 0]]), 0.0
    )
    expected = 1.055 * np.array([0.2, 0.6, 0.2]) ** (1 / 2.4) - 0.055  # sRGB
    np.testing.assert_allclose(values.base_color[0].numpy(), expected, atol=1e-5)
    assert float(values.roughness[0]) == pytest.approx(0.3)
    assert float(values.metallic[0]) == pytest.approx(0.75)


@pytest.mark.optional
def test_the_curve_on_tensors_is_that_of_the_conventions(backend: ModuleType) -> None:
    import torch

    from fourdcb.conventions import linear_from_srgb, srgb_from_linear
    from fourdcb.render.pytorch3d import colour

    ramp = np.linspace(0.0, 1.0, 1001)
    for twin, ours in (
        (colour.linear_from_srgb, linear_from_srgb), (colour.srgb_from_linear, srgb_from_linear),
    ):  # fmt: skip
        np.testing.assert_allclose(twin(torch.as_tensor(ramp)).numpy(), ours(ramp), atol=1e-12)
