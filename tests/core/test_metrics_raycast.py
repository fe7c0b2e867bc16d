"""First hits against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourdcb.metrics.geometry.raycast import cast, static_surfaces
from fourdcb.world import Camera, Object, Plane, World
from fourdcb.world.camera import grid_rays, project


def fixed(name: str, geometry: str, pos: tuple[float, float, float], size: float) -> Object:
    return Object(
        name=name, geometry=geometry, pos=pos, size=(size,) * 3, vel=(0, 0, 0), acc=(0, 0, 0), fixed=True
    )  # type: ignore[arg-type]


@given(st.integers(0, 10_000))
@settings(max_examples=15, deadline=None)
def test_sphere_box_and_plane_are_hit_where_they_are(seed: int) -> None:
    rng = np.random.default_rng(seed)
    world = World(
        objects=(fixed("ball", "sphere", (1.5, 0, 0.5), 1.0), fixed("box", "box", (-1.5, 0, 0.5), 1.0)),
        planes=(Plane(name="floor"),),
    )
    origins = np.tile([0.0, 0.0, 3.0], (50, 1))
    targets = rng.uniform([-2.5, -1, 0], [2.5, 1, 1], (50, 3))
    d = (targets - origins) / np.linalg.norm(targets - origins, axis=1, keepdims=True)
    hits = cast(static_surfaces(world), origins, d)
    points = origins + hits.distance[:, None] * d
    radius = np.linalg.norm(points - [1.5, 0, 0.5], axis=1)
    assert np.all(np.isfinite(hits.distance))
    assert radius[hits.body == 0] == pytest.approx(0.5, abs=2e-3)  # a faceted sphere
    assert np.abs(points - [-1.5, 0, 0.5])[hits.body == 1].max(axis=1) == pytest.approx(0.5)
    assert points[hits.body == 2, 2] == pytest.approx(0.0, abs=1e-9)
    assert np.all(radius[hits.body != 0] > 0.498)
    assert np.all(np.sum(hits.normal * d, axis=1) < 0)


def test_rays_that_meet_nothing() -> None:
    world = World(objects=(fixed("box", "box", (0, 0, 0), 1.0),))
    up = np.array([[0.0, 0.0, 1.0]])
    hits = cast(static_surfaces(world), np.array([[0.0, 0.0, 2.0]]), up)
    assert hits.distance[0] == np.inf
    assert hits.body[0] == -1
    assert cast(static_surfaces(World()), np.zeros((1, 3)), up).body[0] == -1


def test_view_rays_and_projection_are_inverse() -> None:
    camera = Camera(width=64, height=48)
    rays = grid_rays(camera, columns=64, rows=48)
    pixels = project(camera, np.asarray(camera.pos) + 2.5 * rays)
    rows, columns = np.divmod(np.arange(64 * 48), 64)
    np.testing.assert_allclose(pixels, np.column_stack([columns + 0.5, rows + 0.5]), atol=1e-9)
