"""Control variates: right on average, honest intervals, a real gain; neighbours against scikit-learn."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from fourdcb.errors import UserError
from fourdcb.randomness import generator
from fourdcb.x4val import control_variate_estimate, nearest_neighbours, neighbour_mean


def draw(rng, n, correlation):
    control = rng.normal(size=n)
    return 0.7 + correlation * control + np.sqrt(1 - correlation**2) * rng.normal(size=n), control


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
def test_unbiased_covering_and_sharper(correlation):
    rng = generator(0, f"x4val/{correlation}")
    estimates = []
    for _ in range(600):
        scores, control = draw(rng, 60, correlation)
        estimates.append(control_variate_estimate(scores, control, rng.normal(size=2000)))
    values = np.array([e.value for e in estimates])
    covered = np.mean([e.interval[0] <= 0.7 <= e.interval[1] for e in estimates])
    assert abs(values.mean() - 0.7) < 4 * values.std() / np.sqrt(len(values))
    assert 0.92 <= covered <= 0.98
    predicted = np.mean([e.standard_error for e in estimates])
    assert values.std() == pytest.approx(predicted, rel=0.12)
    # Closed form: the variance falls by 1 - rho² N/(N + n).
    expected = 1 - correlation**2 * 2000 / 2060
    assert np.mean([e.variance_ratio for e in estimates]) == pytest.approx(expected, abs=0.05)


def test_a_useless_control_changes_little_and_a_constant_one_nothing():
    rng = generator(0, "constant")
    scores = rng.normal(size=50)
    estimate = control_variate_estimate(scores, np.ones(50), np.ones(500))
    assert estimate.value == estimate.raw_value
    assert estimate.beta == 0.0


def test_neighbours_equal_scikit_learn():
    rng = generator(0, "neighbours")
    gallery = rng.normal(size=(300, 8))
    ours = nearest_neighbours(gallery, gallery, k=5, exclude_self=True)
    theirs = NearestNeighbors(n_neighbors=6, metric="cosine").fit(gallery).kneighbors(gallery)[1][:, 1:]
    np.testing.assert_array_equal(ours, theirs)
    scores = rng.normal(size=300)
    np.testing.assert_allclose(
        neighbour_mean(gallery, gallery, scores, k=5, exclude_self=True), scores[theirs].mean(axis=1)
    )
    with pytest.raises(ValueError, match="k must lie"):
        nearest_neighbours(gallery, gallery[:3], k=3, exclude_self=True)


def test_too_little_data_is_said():
    with pytest.raises(UserError, match="not enough"):
        control_variate_estimate(np.ones(5), np.ones(5), np.ones(5))
    with pytest.raises(UserError, match="NaN"):
        control_variate_estimate(np.full(20, np.nan), np.ones(20), np.ones(5))
