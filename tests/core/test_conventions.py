"""Converters against SciPy's Rotation, OpenCV's projection and the published sRGB curve."""

import re
from importlib.util import find_spec
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

from fourdcb import conventions as conv
from fourdcb.world.camera import camera_rotation, intrinsics_from_fov

quaternions = arrays(np.float64, 4, elements=st.floats(-1, 1)).filter(lambda q: np.linalg.norm(q) > 0.1)
angles = st.floats(-170, 170)


def scipy_rotation(quat_wxyz):
    return Rotation.from_quat(conv.xyzw_from_wxyz(quat_wxyz))


@given(quaternions)
def test_rotation_matrix_equals_scipy(q):
    np.testing.assert_allclose(
        conv.rotation_from_quaternion(q), scipy_rotation(conv.normalized(q)).as_matrix(), atol=1e-12
    )


@given(quaternions)
def test_matrix_round_trip_is_canonical(q):
    back = conv.quaternion_from_rotation(conv.rotation_from_quaternion(q))
    canonical = conv.canonical_quaternion(q)
    assert back[0] >= 0
    assert min(np.abs(back - canonical).max(), np.abs(back + canonical).max()) < 1e-7


@given(quaternions, quaternions)
def test_product_and_angle_equal_scipy(a, b):
    a, b = conv.canonical_quaternion(a), conv.canonical_quaternion(b)
    product = scipy_rotation(a) * scipy_rotation(b)
    np.testing.assert_allclose(
        conv.rotation_from_quaternion(conv.multiply_quaternions(a, b)), product.as_matrix(), atol=1e-10
    )
    expected = np.rad2deg((scipy_rotation(a).inv() * scipy_rotation(b)).magnitude())
    assert conv.rotation_angle_deg(a, b) == pytest.approx(expected, abs=1e-6)


@given(angles, angles, angles)
def test_euler_is_intrinsic_xyz(x, y, z):
    expected = Rotation.from_euler("XYZ", [x, y, z], degrees=True).as_matrix()
    np.testing.assert_allclose(
        conv.rotation_from_quaternion(conv.quaternion_from_euler_deg([x, y, z])), expected, atol=1e-10
    )


def test_small_angles_keep_their_digits():
    q = conv.quaternion_from_axis_angle([0, 0, 1], 1e-9)
    assert conv.rotation_angle_deg([1, 0, 0, 0], q) == pytest.approx(np.rad2deg(1e-9), rel=1e-6)


def test_camera_projects_as_opencv_does():
    pos, target = np.array([1.2, -1.6, 1.1]), np.array([0.0, 0.0, 0.3])
    world_from_camera = camera_rotation(pos, target)
    intrinsics = intrinsics_from_fov(fov_y_deg=40, width=256, height=192)
    points = np.random.default_rng(0).uniform(-0.3, 0.3, (20, 3))
    in_camera = (points - pos) @ world_from_camera
    ours = (in_camera @ intrinsics.T)[:, :2] / in_camera[:, 2:]
    rvec, _ = cv2.Rodrigues(world_from_camera.T)
    theirs, _ = cv2.projectPoints(points, rvec, -world_from_camera.T @ pos, intrinsics, None)
    np.testing.assert_allclose(ours, theirs[:, 0], atol=1e-6)
    assert np.linalg.det(world_from_camera) == pytest.approx(1.0)
    assert world_from_camera[2, 1] < 0, "image down must point down in the world"


@pytest.mark.parametrize("target", [(0, 0, 0), (0, 0, 5)])
def test_degenerate_camera_is_refused(target):
    with pytest.raises(ValueError):
        camera_rotation((0, 0, 0), target)


def test_srgb_curve():
    # Reference points of IEC 61966-2-1.
    assert conv.linear_from_srgb(0.5) == pytest.approx(0.21404114, abs=1e-7)
    assert conv.srgb_from_linear(0.0031308) == pytest.approx(0.04045, abs=1e-5)
    ramp = np.linspace(0, 1, 256)
    np.testing.assert_allclose(conv.srgb_from_linear(conv.linear_from_srgb(ramp)), ramp, atol=1e-12)


def test_the_srgb_curve_stands_in_one_place():
    """Whoever needs another form of it (tables, tensors) makes it from this one or takes its numbers."""
    told = re.compile(r"(?<![\d.])(12\.92|0\.0031308|0\.04045|1\.055|0\.2126|0\.7152)(?!\d)")
    rooms = [Path(find_spec(name).origin).parent for name in ("fourdcb", "fourdcb_studio")]
    # BT.709's matrix of luma and chroma is a row of a table of video matrices, which has more of its kind.
    free = {"conventions.py", "ycbcr.py"}
    for path in (path for room in rooms for path in room.rglob("*.py") if path.name not in free):
        assert not (found := told.findall(path.read_text(encoding="utf-8"))), f"{path}: {found}"


def test_srgb_of_negative_and_large_values_is_clipped():
    np.testing.assert_allclose(conv.srgb_from_linear([-1.0, 2.0]), [0.0, 1.0], atol=1e-15)
