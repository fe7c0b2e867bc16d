"""Lens distortion against OpenCV."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourdcb.errors import UserError
from fourdcb.render import RasterRenderer, RenderSettings
from fourdcb.render.lens import lens_map
from fourdcb.world import Camera, Material, Object, World
from fourdcb.world.camera import distort, undistort

COEFFICIENTS = (-0.22, 0.08, 0.002, -0.0015, -0.01)


@settings(max_examples=30, deadline=None)
@given(
    k=st.tuples(*(st.floats(-0.3, 0.3) for _ in range(2)), *(st.floats(-0.01, 0.01) for _ in range(2)),
                st.floats(-0.1, 0.1)),
    seed=st.integers(0, 2**16),
)  # fmt: skip
def test_distortion_equals_opencv(k: tuple[float, float, float, float, float], seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = np.concatenate([rng.uniform(-1.0, 1.0, (20, 2)), np.ones((20, 1))], axis=1)
    expected, _ = cv2.projectPoints(points, np.zeros(3), np.zeros(3), np.eye(3), np.array(k))
    np.testing.assert_allclose(distort(points[:, :2], k), expected.reshape(-1, 2), atol=1e-9)


def test_undistort_inverts_distort() -> None:
    grid = np.stack(np.meshgrid(np.linspace(-0.6, 0.6, 15), np.linspace(-0.6, 0.6, 15)), axis=-1)
    np.testing.assert_allclose(undistort(distort(grid, COEFFICIENTS), COEFFICIENTS), grid, atol=1e-8)


def test_a_lens_without_coefficients_is_no_lens() -> None:
    assert lens_map(np.eye(3), (0.0, 0.0, 0.0, 0.0, 0.0), width=8, height=8) is None


def test_a_folding_lens_is_refused() -> None:
    world = World(camera=Camera(fov_y_deg=100.0, distortion=(-1.5, 0.0, 0.0, 0.0, 0.0)))
    with pytest.raises(UserError, match="lens"):
        RasterRenderer(world)


def test_a_rendered_ball_lies_where_opencv_projects_it() -> None:
    camera = Camera(pos=(0.0, -2.0, 0.0), target=(0.0, 0.0, 0.0), fov_y_deg=50.0, distortion=COEFFICIENTS)
    zero = (0.0, 0.0, 0.0)
    place = (0.62, 0.0, 0.58)
    ball = Object(name="b", geometry="sphere", size=(0.06,) * 3, pos=place, vel=zero, acc=zero, fixed=True,
                  material=Material(base_color=(1.0, 1.0, 1.0)))  # fmt: skip
    world = World(objects=(ball,), camera=camera, ambient=1.0, background=zero, lights=())
    poses = np.array([place]), np.array([[1.0, 0.0, 0.0, 0.0]])
    frame = RasterRenderer(world, RenderSettings(supersample=3)).render(poses, 0.0)
    rotation = camera.world_from_camera().T
    expected, _ = cv2.projectPoints(
        np.array([place]), cv2.Rodrigues(rotation)[0], -rotation @ np.array(camera.pos), camera.intrinsics(),
        np.array(COEFFICIENTS),
    )  # fmt: skip
    weight = frame.linear.sum(axis=-1)
    y, x = np.mgrid[: camera.height, : camera.width] + 0.5
    centre = np.array([(weight * x).sum(), (weight * y).sum()]) / weight.sum()
    np.testing.assert_allclose(centre, expected.ravel(), atol=0.1)
    ys, xs = np.nonzero(frame.instance == 0)
    np.testing.assert_allclose([xs.mean() + 0.5, ys.mean() + 0.5], expected.ravel(), atol=0.4)
