"""Sets of lights compared: against SciPy's Wasserstein distance on a circle's arc, and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from fourdcb.metrics.light.spread import set_distance_deg


def on_arc(angles_deg: list[float], weights: list[float]) -> np.ndarray:
    """Lights in one plane: there the distance is the one-dimensional one."""
    a = np.deg2rad(angles_deg)
    return np.array(weights)[:, None] * np.stack([np.cos(a), np.sin(a), np.zeros_like(a)], axis=-1)


LIGHTS = st.lists(st.tuples(st.floats(-80, 80), st.floats(0.1, 5.0)), min_size=1, max_size=4)


@given(LIGHTS, LIGHTS)
@settings(max_examples=40, deadline=None)
def test_on_an_arc_it_is_the_wasserstein_distance(
    a: list[tuple[float, float]], b: list[tuple[float, float]]
) -> None:
    (angles_a, weights_a), (angles_b, weights_b) = (tuple(map(list, zip(*x, strict=True))) for x in (a, b))
    expected = wasserstein_distance(angles_a, angles_b, weights_a, weights_b)
    found = set_distance_deg(on_arc(angles_a, weights_a), on_arc(angles_b, weights_b))
    assert found == pytest.approx(expected, abs=1e-4)
    assert set_distance_deg(on_arc(angles_b, weights_b), on_arc(angles_a, weights_a)) == pytest.approx(
        found, abs=1e-4
    )


@pytest.mark.parametrize("angle", [5.0, 10.0, 30.0])
def test_a_light_split_to_both_sides_stands_so_far_away(angle: float) -> None:
    assert set_distance_deg(on_arc([0.0], [2.0]), on_arc([-angle, angle], [1.0, 1.0])) == pytest.approx(angle)


def test_a_ring_stands_its_radius_away_and_a_doubled_light_nowhere() -> None:
    phi = np.linspace(0, 2 * np.pi, 6, endpoint=False)
    rim = np.deg2rad(15.0)
    ring = np.stack([np.sin(rim) * np.cos(phi), np.sin(rim) * np.sin(phi), np.full(6, np.cos(rim))], axis=-1)
    sun = np.array([[0.0, 0.0, 3.0]])
    assert set_distance_deg(sun, ring) == pytest.approx(15.0)
    assert set_distance_deg(sun, np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 2.0]])) == 0.0
    assert set_distance_deg(np.concatenate([sun, 0.0 * sun + [3.0, 0, 0]]), ring[::2]) > 15.0
