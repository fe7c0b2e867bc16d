"""Pixels, rays and points through a lens, against OpenCV and against what is drawn."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fourdcb.arrays import F64
from fourdcb.errors import UserError
from fourdcb.metrics.geometry.raycast import cast, static_surfaces
from fourdcb.metrics.geometry.surface import view_rays
from fourdcb.physics import simulate
from fourdcb.render import RasterRenderer, RenderSettings
from fourdcb.render.motion import largest_motion
from fourdcb.world import Camera, Object, Plane, World
from fourdcb.world.camera import Coefficients, grid_rays, in_view, pixel_rays, project, unproject

BARREL: Coefficients = (-0.25, 0.06, 0.002, -0.0015, -0.004)
PINCUSHION: Coefficients = (0.2, 0.05, -0.001, 0.002, 0.0)
CAMERA = Camera(pos=(0.5, -2.0, 1.2), target=(0.1, 0.2, 0.3), fov_y_deg=55.0, width=320, height=200)

coefficients = st.tuples(
    st.floats(-0.3, 0.4), st.floats(-0.1, 0.2), st.floats(-5e-3, 5e-3), st.floats(-5e-3, 5e-3),
    st.floats(-0.05, 0.05),
)  # fmt: skip
cameras = st.builds(
    Camera,
    pos=st.tuples(st.floats(-2, 2), st.floats(-4, -1), st.floats(0.2, 3)),
    target=st.tuples(st.floats(-0.5, 0.5), st.floats(0, 1), st.floats(0, 1)),
    fov_y_deg=st.floats(15, 80),
    width=st.integers(64, 400),
    height=st.integers(64, 400),
    distortion=coefficients,
)


def opencv_pixels(camera: Camera, points: F64) -> F64:
    rotation = camera.world_from_camera().T
    found, _ = cv2.projectPoints(
        points, cv2.Rodrigues(rotation)[0], -rotation @ np.array(camera.pos), camera.intrinsics(),
        np.array(camera.distortion),
    )  # fmt: skip
    return np.asarray(found[:, 0])


@pytest.mark.parametrize("lens", [BARREL, PINCUSHION, (0.0,) * 5])
def test_points_lie_where_opencv_projects_them(lens: Coefficients) -> None:
    camera = replace(CAMERA, distortion=lens)
    points = np.random.default_rng(0).uniform([-0.7, -0.5, -0.3], [0.9, 1.0, 1.0], (200, 3))
    np.testing.assert_allclose(project(camera, points), opencv_pixels(camera, points), atol=1e-6)


@pytest.mark.parametrize("lens", [BARREL, PINCUSHION, (0.0,) * 5])
def test_rays_are_those_that_opencv_undistorts(lens: Coefficients) -> None:
    camera = replace(CAMERA, distortion=lens)
    pixels = np.random.default_rng(1).uniform([0, 0], [320, 200], (200, 2))
    exact = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 200, 1e-12)
    k = camera.intrinsics()
    ideal = cv2.undistortPoints(pixels[:, None], k, np.array(lens), criteria=exact)[:, 0]
    expected = np.column_stack([ideal, np.ones(200)]) @ camera.world_from_camera().T
    expected /= np.linalg.norm(expected, axis=-1, keepdims=True)
    np.testing.assert_allclose(pixel_rays(camera, pixels), expected, atol=1e-8)


@settings(max_examples=100, deadline=None)
@given(camera=cameras, seed=st.integers(0, 2**16))
def test_projection_inverts_unprojection(camera: Camera, seed: int) -> None:
    rng = np.random.default_rng(seed)
    pixels = rng.uniform([0, 0], [camera.width, camera.height], (40, 2))
    depth = rng.uniform(0.1, 20.0, 40)
    try:
        grid_rays(camera, columns=17, rows=17)
        points = unproject(camera, pixels, depth)
    except UserError:
        assume(False)  # a lens that folds the picture; the renderer refuses it, too
    np.testing.assert_allclose(project(camera, points), pixels, atol=1e-6)


def test_a_point_behind_the_camera_has_no_pixel_and_one_far_outside_never_folds_back() -> None:
    camera = replace(CAMERA, fov_y_deg=40.0, distortion=(-0.3, 0.0, 0.0, 0.0, 0.0))
    right, _, forward = camera.world_from_camera().T
    points = np.asarray(camera.pos) + np.array(
        [-forward, forward + 3.0 * right, 0.01 * forward + 9.0 * right]
    )
    pixels = project(camera, points)
    assert np.isnan(pixels[0]).all()
    assert np.all(opencv_pixels(camera, points[1:]) != pixels[1:])  # OpenCV folds them over
    assert np.all(pixels[1:, 0] > camera.width)
    np.testing.assert_allclose(pixels[1:, 1], 0.5 * camera.height, atol=1e-9)


@pytest.mark.parametrize("lens", [BARREL, PINCUSHION])
def test_cast_rays_hit_what_the_picture_shows(lens: Coefficients) -> None:
    """The judge's grid of view rays and the renderer see one world through one lens."""
    box = Object(
        name="box", geometry="box", size=(0.6, 0.4, 0.8), pos=(0.5, 0.4, 0.6), vel=(0, 0, 0), acc=(0, 0, 0),
        fixed=True,
    )  # fmt: skip
    world = World(
        objects=(box,), planes=(Plane(name="floor"),), camera=replace(CAMERA, distortion=lens), lights=()
    )
    origins, rays = view_rays(world.camera, (100, 160))
    hits = cast(static_surfaces(world), origins, rays)
    poses = np.array([box.pos, (0, 0, 0)]), np.array([[1.0, 0, 0, 0]] * 2)
    settings = RenderSettings(supersample=1, width=160, height=100)
    seen = RasterRenderer(world, settings).render(poses, 0.0)
    same = hits.body.reshape(100, 160) == seen.instance
    assert same.mean() > 0.99  # outlines are looked up at the nearest pixel
    depth = hits.distance * (rays @ world.camera.world_from_camera()[:, 2])
    both = same & (seen.instance == 0)
    assert np.count_nonzero(both) > 500
    gap = np.abs(depth.reshape(100, 160)[both] - seen.depth[both])
    assert np.quantile(gap, 0.9) < 5e-3
    straight = view_rays(replace(world.camera, distortion=(0.0,) * 5), (100, 160))
    ideal = cast(static_surfaces(world), *straight).body.reshape(100, 160)
    assert (ideal == seen.instance).mean() < 0.985  # without the lens it would be another picture


@pytest.mark.parametrize("lens", [BARREL, PINCUSHION])
def test_what_is_in_view_is_what_is_drawn(lens: Coefficients) -> None:
    camera = replace(CAMERA, distortion=lens)
    rng = np.random.default_rng(3)
    radius = 0.1
    points = unproject(camera, rng.uniform([-40, -40], [360, 240], (24, 2)), rng.uniform(1.5, 3.0, 24))
    found = in_view(camera, points, radius)
    assert 6 < np.count_nonzero(found) < 24
    for point, expected in zip(points, found, strict=True):
        ball = Object(
            name="b", geometry="sphere", size=(2 * radius,) * 3, pos=tuple(point),
            vel=(0, 0, 0), acc=(0, 0, 0),
        )  # fmt: skip
        world = World(objects=(ball,), camera=camera, lights=())
        renderer = RasterRenderer(world, RenderSettings(supersample=1))
        drawn = (renderer.render((point[None], np.array([[1.0, 0, 0, 0]])), 0.0).instance == 0).any()
        near = (
            in_view(camera, point[None], radius + 0.01)[0] != in_view(camera, point[None], radius - 0.01)[0]
        )
        assert near or drawn == expected


def test_a_blur_is_as_long_as_the_lens_shows_it() -> None:
    """A barrel lens squeezes the picture's rim."""
    ball = Object(name="b", size=(1e-4,) * 3, pos=(0.62, 0, 0.5), vel=(0.4, 0, 0), acc=(0, 0, 0))
    path = np.linspace((0.62, 0.0, 0.5), (0.66, 0.0, 0.5), 3)
    lengths = []
    for lens in ((0.0,) * 5, BARREL):
        camera = Camera(pos=(0, -2, 0), target=(0, 0, 0), fov_y_deg=50.0, distortion=lens)
        world = World(duration=1.0, fps=10.0, objects=(ball,), camera=camera)
        lengths.append(largest_motion(world, simulate(world), 0.05, RenderSettings(shutter=0.1)))
        expected = np.linalg.norm(np.diff(opencv_pixels(camera, path), axis=0), axis=-1).sum()
        assert lengths[-1] == pytest.approx(expected, rel=1e-2)
    assert lengths[1] < 0.95 * lengths[0]


def test_nobody_else_does_the_cameras_mathematics() -> None:
    """A focal length made of the field of view elsewhere is a camera without its lens."""
    room = Path(find_spec("fourdcb").origin).parent  # type: ignore[union-attr, arg-type]
    angle = re.compile(r"\.fov_y_deg|camera\.distortion(?!\")")
    free = {
        "world/camera.py",
        "world/plausibility.py",  # doubts an unusual angle
        "cli/bench_render.py",  # hands the angle to Bullet's own renderer
        "render/_stage.py",  # hands the lens to the picture's warp
    }
    for path in room.rglob("*.py"):
        name = path.relative_to(room).as_posix()
        assert name in free or not angle.search(path.read_text(encoding="utf-8")), name
