"""Signed distances against trimesh, shape distances against geometry."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from scipy.spatial import ConvexHull, cKDTree

from fourdcb.metrics.geometry.shape import extents, shape_distance, surface_distance, surface_samples
from fourdcb.world import Geometry, Object, World

EYE = np.eye(3)


def shape(geometry: Geometry, size: tuple[float, float, float]) -> Object:
    return Object(name="o", geometry=geometry, size=size, pos=(0, 0, 0), vel=(0, 0, 0), acc=(0, 0, 0))


def gap(a: Object, b: Object) -> float:
    return shape_distance(a, World(), b, World(), EYE)


SOLIDS = {
    "sphere": trimesh.creation.icosphere(subdivisions=4, radius=0.1),
    "box": trimesh.creation.box((0.2, 0.3, 0.1)),
    "cylinder": trimesh.creation.cylinder(0.1, 0.3, sections=256),
    "capsule": trimesh.creation.capsule(height=0.2, radius=0.1, count=[96, 96]),
    "cone": trimesh.creation.cone(0.1, 0.3, sections=256),
}
SIZES = {
    "sphere": (0.2, 0.2, 0.2),
    "box": (0.2, 0.3, 0.1),
    "cylinder": (0.2, 0.2, 0.3),
    "capsule": (0.2, 0.2, 0.4),
    "cone": (0.2, 0.2, 0.3),
}


@pytest.mark.parametrize("geometry", SOLIDS)
def test_signed_distance_equals_brute_force(geometry: Geometry) -> None:
    solid = SOLIDS[geometry].copy()
    solid.vertices -= solid.bounds.mean(axis=0)
    points = np.random.default_rng(0).uniform(-0.3, 0.3, (200, 3))
    surface, _ = trimesh.sample.sample_surface(solid, 100_000, seed=1)
    far, _ = cKDTree(surface).query(points)
    faces = ConvexHull(solid.vertices).equations
    inside = (points @ faces[:, :3].T + faces[:, 3]).max(axis=1) <= 0
    ours = surface_distance(shape(geometry, SIZES[geometry]), World())(points)
    np.testing.assert_allclose(ours, np.where(inside, -far, far), atol=2e-3)


@pytest.mark.parametrize("geometry", SOLIDS)
def test_samples_lie_on_the_exact_surface(geometry: Geometry) -> None:
    obj = shape(geometry, SIZES[geometry])
    points = surface_samples(obj, World())
    assert np.abs(surface_distance(obj, World())(points)).max() < 1e-4
    assert np.ptp(points, axis=0) == pytest.approx(np.array(obj.size), rel=0.06)


@pytest.mark.parametrize("geometry", SOLIDS)
def test_a_shape_is_at_no_distance_from_itself(geometry: Geometry) -> None:
    obj = shape(geometry, SIZES[geometry])
    assert gap(obj, obj) == 0.0


def test_a_box_in_place_of_a_cylinder_is_seen() -> None:
    cup, box = shape("cylinder", (0.08, 0.08, 0.10)), shape("box", (0.08, 0.08, 0.10))
    assert gap(cup, box) / np.linalg.norm(cup.size) > 0.05


def test_larger_spheres_are_at_their_radius_difference() -> None:
    assert gap(shape("sphere", (0.2, 0.2, 0.2)), shape("sphere", (0.22, 0.22, 0.22))) == pytest.approx(0.01)


def test_extents_of_a_primitive_are_its_size() -> None:
    assert np.array_equal(extents(shape("box", (0.1, 0.2, 0.3)), World()), [0.1, 0.2, 0.3])
