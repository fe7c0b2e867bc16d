"""Orientation errors against SciPy, and what symmetry forgives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from fourdcb.conventions import quaternion_from_rotation, wxyz_from_xyzw
from fourdcb.world import Geometry, Material, Object
from fourdcb.world.symmetry import Symmetry, cube_rotations, rotation_errors, symmetry

SEEDS = st.integers(0, 2**32 - 1)
NONE = Symmetry("none", (np.eye(3),))


def shape(geometry: Geometry, size: tuple[float, float, float], *, texture: str | None = None) -> Object:
    return Object(
        name="o",
        geometry=geometry,
        size=size,
        pos=(0, 0, 0),
        vel=(0, 0, 0),
        acc=(0, 0, -9.8),
        material=Material(base_color_map=texture),
    )


def same(obj: Object) -> Symmetry:
    size = np.array(obj.size)
    return symmetry(obj, obj, size, size)


def random_wxyz(seed: int, count: int) -> np.ndarray:
    return wxyz_from_xyzw(Rotation.random(count, rng=np.random.default_rng(seed)).as_quat())


def turned(orientation: np.ndarray, turn: Rotation) -> np.ndarray:
    rotations = Rotation.from_quat(orientation, scalar_first=True) * turn
    return rotations.as_quat(scalar_first=True)


@given(SEEDS)
@settings(max_examples=25, deadline=None)
def test_angle_equals_scipy(seed: int) -> None:
    a, b = random_wxyz(seed, 12), random_wxyz(seed + 1, 12)
    ra, rb = (Rotation.from_quat(q, scalar_first=True) for q in (a, b))
    expected = np.rad2deg((ra.inv() * rb).magnitude())
    np.testing.assert_allclose(rotation_errors(a, b, NONE)[0], expected, atol=1e-6)


def test_cube_group_is_the_octahedral_group() -> None:
    ours = {tuple(np.round(g, 9).ravel() + 0.0) for g in cube_rotations()}
    theirs = {tuple(np.round(g, 9).ravel() + 0.0) for g in Rotation.create_group("O").as_matrix()}
    assert ours == theirs
    assert np.array_equal(cube_rotations()[0], np.eye(3))


@given(SEEDS, st.floats(-180, 180))
@settings(max_examples=20, deadline=None)
def test_turning_about_a_free_axis_costs_nothing(seed: int, angle: float) -> None:
    q = random_wxyz(seed, 6)
    spun = turned(q, Rotation.from_euler("z", angle, degrees=True))
    for geometry in ("cylinder", "cone", "capsule", "sphere"):
        error, _ = rotation_errors(q, spun, same(shape(geometry, (0.1, 0.1, 0.3))))  # type: ignore[arg-type]
        assert error.max() < 1e-5


@given(SEEDS, st.integers(0, 23))
@settings(max_examples=20, deadline=None)
def test_a_cube_may_stand_on_any_face(seed: int, element: int) -> None:
    q = random_wxyz(seed, 6)
    other = turned(q, Rotation.from_matrix(cube_rotations()[element]))
    assert rotation_errors(q, other, same(shape("box", (0.1, 0.1, 0.1))))[0].max() < 1e-5


def test_a_quarter_turn_halfway_costs_90_degrees() -> None:
    q = np.tile([1.0, 0.0, 0.0, 0.0], (10, 1))
    other = q.copy()
    other[5:] = quaternion_from_rotation(Rotation.from_euler("z", 90, degrees=True).as_matrix())
    error, _ = rotation_errors(q, other, same(shape("box", (0.1, 0.1, 0.1))))
    assert sorted(np.round(error, 6)) == [0.0] * 5 + [90.0] * 5


def test_a_flat_box_has_two_fold_axes_only() -> None:
    box = same(shape("box", (0.3, 0.2, 0.1)))
    assert len(box.elements) == 4
    assert len(same(shape("box", (0.2, 0.2, 0.1))).elements) == 8


def test_texture_breaks_discrete_symmetry_only() -> None:
    assert len(same(shape("box", (0.1, 0.1, 0.1), texture="wood.png")).elements) == 1
    cylinder = same(shape("cylinder", (0.1, 0.1, 0.2), texture="label.png"))
    assert cylinder.free == "z"
    assert len(cylinder.elements) == 1
    assert len(same(shape("cylinder", (0.1, 0.1, 0.2))).elements) == 2


def test_extents_in_another_order_are_the_same_box() -> None:
    reference, candidate = shape("box", (0.3, 0.2, 0.1)), shape("box", (0.2, 0.3, 0.1))
    sym = symmetry(reference, candidate, np.array(candidate.size), np.array(reference.size))
    q = np.tile([1.0, 0.0, 0.0, 0.0], (4, 1))
    quarter = turned(q, Rotation.from_euler("z", 90, degrees=True))
    assert rotation_errors(q, quarter, sym)[0].max() == pytest.approx(0.0, abs=1e-5)
    assert rotation_errors(q, q, sym)[0].max() == pytest.approx(90.0)


@given(SEEDS, st.floats(0.1, 40), st.floats(0.1, 40))
@settings(max_examples=20, deadline=None)
def test_error_grows_with_an_injected_turn(seed: int, a: float, b: float) -> None:
    q = random_wxyz(seed, 5)
    axis = np.array([0.6, 0.0, 0.8])
    small, large = (
        rotation_errors(q, turned(q, Rotation.from_rotvec(np.deg2rad(x) * axis)), NONE)[0]
        for x in sorted((a, b))
    )
    assert np.all(small <= large + 1e-9)


def test_what_happens_after_the_horizon_does_not_choose_the_symmetry() -> None:
    """A cube that follows for six of ten frames and then tumbles by a half turn."""
    cube = same(shape("box", (0.1, 0.1, 0.1)))
    truth = np.tile([1.0, 0.0, 0.0, 0.0], (10, 1))
    guess = truth.copy()
    guess[6:] = [0.0, 1.0, 0.0, 0.0]
    guess[:6] = wxyz_from_xyzw(Rotation.from_euler("x", 89, degrees=True).as_quat())
    errors, _ = rotation_errors(truth, guess, cube, frames=6)
    np.testing.assert_allclose(errors[:6], 1.0, atol=1e-6)
    whole, _ = rotation_errors(truth, guess, cube)
    assert np.sum(whole**2) <= np.sum(errors**2) + 1e-9
