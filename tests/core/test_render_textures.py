"""Textures seen from near and far, and blur that follows the motion."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fourdcb.conventions import linear_from_srgb
from fourdcb.errors import UserError
from fourdcb.render import RasterRenderer, RenderSettings, adaptive_samples
from fourdcb.render._textures import pyramid
from fourdcb.render.motion import largest_motion
from fourdcb.trajectory import ContactTable, Trajectory
from fourdcb.world import AreaLight, Camera, DirectionalLight, Material, Object, Plane, World

ZERO = (0.0, 0.0, 0.0)
SHARP = RenderSettings(supersample=1)


def checker(folder: Path, *, cells: int = 32, texels: int = 256) -> str:
    import cv2

    i, j = np.mgrid[:texels, :texels] * cells // texels
    image = np.where((i + j) % 2 == 0, 255, 0).astype(np.uint8)
    cv2.imwrite(str(folder / "checker.png"), np.repeat(image[..., None], 3, axis=2))
    return "checker.png"


def floor(folder: Path, camera: Camera, **maps: str) -> World:
    look = Material(base_color=(1.0, 1.0, 1.0), roughness=1.0, **maps)
    return World(
        objects=(), planes=(Plane(material=look, size=400.0),), camera=camera, lights=(), ambient=1.0,
        base_dir=str(folder),
    )  # fmt: skip


def albedo(w: World, settings: RenderSettings = SHARP) -> np.ndarray:
    return RasterRenderer(w, settings).render((np.zeros((1, 3)), np.array([[1.0, 0, 0, 0]])), 0.0).albedo


def test_a_far_checker_is_grey_and_agrees_with_supersampling(tmp_path: Path) -> None:
    camera = Camera(pos=(0.0, 0.0, 40.0), target=(0.0, 0.01, 0.0), fov_y_deg=40.0, width=64, height=64)
    w = floor(tmp_path, camera, base_color_map=checker(tmp_path))
    seen = albedo(w)
    assert np.abs(seen - 0.5).max() < 0.02
    plain = RenderSettings(supersample=8)
    poses = np.zeros((1, 3)), np.array([[1.0, 0, 0, 0]])
    fine = RasterRenderer(w, plain).render(poses, 0.0, aux=False).linear
    coarse = RasterRenderer(w, SHARP).render(poses, 0.0, aux=False).linear
    assert np.abs(coarse - fine).max() < 0.03


def test_a_slanted_checker_keeps_its_rows_and_does_not_flicker(tmp_path: Path) -> None:
    """Towards the horizon the footprint is long: probes along it keep what a round one would blur away."""
    camera = Camera(pos=(0.0, -2.0, 0.6), target=(0.0, 2.0, 0.3), fov_y_deg=40.0, width=96, height=96)
    w = floor(tmp_path, camera, base_color_map=checker(tmp_path, cells=8))
    poses = np.zeros((1, 3)), np.array([[1.0, 0, 0, 0]])
    truth = RasterRenderer(w, RenderSettings(supersample=8)).render(poses, 0.0, aux=False).linear
    seen = RasterRenderer(w, SHARP).render(poses, 0.0, aux=False).linear
    hit = np.abs(albedo(w)).sum(axis=-1) > 0
    hit &= np.arange(96)[:, None] > 40
    assert np.abs(seen - truth)[hit].mean() < 0.09
    assert np.corrcoef(seen[hit][:, 0], truth[hit][:, 0])[0, 1] > 0.9


def test_a_near_texture_is_looked_up_as_it_is(tmp_path: Path) -> None:
    camera = Camera(pos=(0.3, 0.2, 0.5), target=(0.3, 0.2001, 0.0), fov_y_deg=40.0, width=64, height=64)
    w = floor(tmp_path, camera, base_color_map=checker(tmp_path, cells=4, texels=16))
    seen = albedo(w)[..., 0]
    assert set(np.round(np.unique(seen), 6)) >= {0.0, 1.0}
    intrinsics, rotation, eye = camera.intrinsics(), camera.world_from_camera(), np.array(camera.pos)
    y, x = np.mgrid[:64, :64] + 0.5
    rays = np.stack([(x - 32) / intrinsics[0, 0], (y - 32) / intrinsics[0, 0], np.ones_like(x)], axis=-1)
    rays = rays @ rotation.T
    point = eye + rays * (-eye[2] / rays[..., 2])[..., None]
    a, b = (point[..., 0] % 1.0) * 16 - 0.5, (1.0 - point[..., 1] % 1.0) * 16 - 0.5
    i, j = np.floor(a).astype(int), np.floor(b).astype(int)
    image = ((np.add.outer(np.arange(16) // 4, np.arange(16) // 4)) % 2 == 0).astype(float)

    def texel(di: int, dj: int) -> np.ndarray:
        return image[(j + dj) % 16, (i + di) % 16]

    fa, fb = a - i, b - j
    expected = (1 - fb) * ((1 - fa) * texel(0, 0) + fa * texel(1, 0))
    expected += fb * ((1 - fa) * texel(0, 1) + fa * texel(1, 1))
    np.testing.assert_allclose(seen, expected, atol=1e-4)


@pytest.mark.parametrize("size", [(1, 1), (7, 3), (64, 32), (5, 16)])
def test_a_pyramid_keeps_the_mean_and_ends_in_one_texel(size: tuple[int, int]) -> None:
    image = np.random.default_rng(0).random((*size, 3)).astype(np.float32)
    levels = pyramid(image)
    assert levels[-1].shape == (1, 1, 3)
    assert len(levels) == 1 + int(np.log2(max(size)))
    np.testing.assert_allclose(levels[-1][0, 0], image.mean(axis=(0, 1)), atol=0.05 if 7 in size else 0.02)


def ball_world(*, fixed: bool = False, width: int = 96) -> World:
    ball = Object(
        name="ball", geometry="sphere", size=(0.2, 0.2, 0.2), mass=1.0, pos=(0.0, 0.0, 0.5), vel=ZERO,
        acc=ZERO, fixed=fixed,
    )  # fmt: skip
    camera = Camera(pos=(0.0, -2.0, 0.5), target=(0.0, 0.0, 0.5), fov_y_deg=40.0, width=width, height=96)
    return World(objects=(ball,), planes=(Plane(),), camera=camera, lights=(DirectionalLight(),))


def flight(w: World, speed: float) -> Trajectory:
    """The ball moves along x, in parallel with the image."""
    times = np.arange(241) / 240.0
    position, orientation = np.zeros((241, 2, 3)), np.zeros((241, 2, 4))
    orientation[..., 0] = 1.0
    position[:, 0] = (0.0, 0.0, 0.5)
    position[:, 0, 0] += speed * (times - 0.5)
    zeros, rows, none = np.zeros_like(position), np.empty((0, 3)), np.empty(0, np.int32)
    table = ContactTable(
        step=none, body_a=none, body_b=none, position=rows, normal=rows, distance=np.empty(0),
        normal_impulse=np.empty(0), tangential_impulse=rows, velocity_before=rows, velocity_after=rows,
    )  # fmt: skip
    return Trajectory(
        names=("ball", "plane"), kinds=("dynamic", "static"), fps=30.0, rate_hz=240.0, times=times,
        position=position, orientation_wxyz=orientation, linear_velocity=zeros, angular_velocity=zeros,
        kinetic_energy=zeros[..., 0], potential_energy=zeros[..., 0], contacts=table, events=(),
    )  # fmt: skip


def test_a_still_scene_needs_one_sample_and_is_the_same_picture() -> None:
    w = ball_world()
    still = flight(w, 0.0)
    assert adaptive_samples(w, still, 0.5, SHARP) == 1
    auto = RasterRenderer(w, RenderSettings(samples="auto")).render(still, 0.5)
    one = RasterRenderer(w, RenderSettings(samples=1)).render(still, 0.5)
    np.testing.assert_array_equal(auto.linear, one.linear)
    np.testing.assert_array_equal(auto.rgb, one.rgb)


@pytest.mark.parametrize("speed", [0.3, 1.0, 2.0, 4.0, 40.0])
def test_the_number_of_samples_follows_the_motion_in_pixels(speed: float) -> None:
    w = ball_world()
    path = speed / 60.0 * w.camera.intrinsics()[0, 0] / 1.9  # the nearest corners are 1.9 m away
    trajectory = flight(w, speed)
    assert largest_motion(w, trajectory, 0.5, SHARP) == pytest.approx(path, rel=1e-6)
    expected = 1 if path <= 0.5 else min(max(int(np.ceil(path)), 2), 16)
    assert adaptive_samples(w, trajectory, 0.5, SHARP) == expected
    wide = replace(SHARP, width=192, height=192)
    assert largest_motion(w, trajectory, 0.5, wide) == pytest.approx(2 * path, rel=1e-6)
    auto = RasterRenderer(w, RenderSettings(samples="auto")).render(trajectory, 0.5, aux=False)
    fixed = RasterRenderer(w, RenderSettings(samples=expected)).render(trajectory, 0.5, aux=False)
    np.testing.assert_array_equal(auto.linear, fixed.linear)


def test_what_cannot_move_and_a_closed_shutter_need_one_sample() -> None:
    w = ball_world(fixed=True)
    assert adaptive_samples(w, flight(w, 4.0), 0.5, SHARP) == 1
    w = ball_world()
    assert adaptive_samples(w, flight(w, 40.0), 0.5, replace(SHARP, shutter=0.0)) == 1


def test_a_body_at_the_camera_needs_all_samples() -> None:
    w = ball_world()
    w = replace(w, camera=replace(w.camera, pos=(0.0, -0.05, 0.5)))
    assert adaptive_samples(w, flight(w, 0.5), 0.5, SHARP) == 16


def test_more_points_of_an_area_light_converge() -> None:
    lamp = AreaLight(pos=(0.3, 0.0, 1.2), direction=(-0.2, 0.0, -1.0), size=0.6, intensity=12.0)
    w = replace(ball_world(), lights=(lamp,))
    poses = np.array([[0.0, 0.0, 0.5], ZERO]), np.array([[1.0, 0, 0, 0]] * 2)

    def picture(n: int) -> np.ndarray:
        return RasterRenderer(w, replace(SHARP, area_samples=n)).render(poses, 0.0, aux=False).linear

    truth = picture(8)
    errors = [float(np.abs(picture(n) - truth).mean()) for n in (1, 3, 5)]
    assert errors[0] > errors[1] > errors[2]


def test_wishes_out_of_range_are_told() -> None:
    with pytest.raises(UserError, match="area_samples"):
        RenderSettings(area_samples=0)
    with pytest.raises(UserError, match="samples"):
        RenderSettings(samples=65)


def test_maps_are_linearised_only_as_colours(tmp_path: Path) -> None:
    import cv2

    cv2.imwrite(str(tmp_path / "grey.png"), np.full((4, 4, 3), 128, np.uint8))
    camera = Camera(pos=(0.0, 0.0, 1.0), target=(0.0, 0.001, 0.0), width=32, height=32)
    colour = albedo(floor(tmp_path, camera, base_color_map="grey.png"))
    np.testing.assert_allclose(colour, linear_from_srgb(128 / 255), atol=1e-5)
