"""Control variates: right on average, honest intervals, a real gain, and the plain mean where none is due."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fourdcb.errors import UserError
from fourdcb.randomness import generator
from fourdcb.x4val.combine import combine
from fourdcb.x4val.coverage import coverage_row
from fourdcb.x4val.estimate import control_variate_estimate, estimate_tally
from fourdcb.x4val.intervals import skewness_z
from fourdcb.x4val.tally import Tally, control_mean


def draw(rng, n, correlation):
    control = rng.normal(size=n)
    return 0.7 + correlation * control + np.sqrt(1 - correlation**2) * rng.normal(size=n), control


@pytest.mark.parametrize("correlation", [-0.9, 0.5, 0.9])
def test_unbiased_covering_and_sharper(correlation):
    rng = generator(0, f"x4val/{correlation}")
    estimates = []
    for _ in range(500):
        scores, control = draw(rng, 60, correlation)
        estimates.append(control_variate_estimate(scores, control, rng.normal(size=2000)))
    values = np.array([e.value for e in estimates])
    covered = np.mean([e.interval[0] <= 0.7 <= e.interval[1] for e in estimates])
    assert abs(values.mean() - 0.7) < 4 * values.std() / np.sqrt(len(values))
    assert 0.92 <= covered <= 0.98
    assert values.std() == pytest.approx(np.mean([e.standard_error for e in estimates]), rel=0.12)
    # Closed form: the variance falls by 1 - rho² N/(N + n).
    expected = 1 - correlation**2 * 2000 / 2060
    assert np.mean([e.variance_ratio for e in estimates]) == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize("kind", ["gaussian", "clustered", "pass_fail"])
def test_intervals_of_ten_samples_cover(kind):
    for correlation in (0.0, 0.9):
        row = coverage_row(kind, 10, correlation, repetitions=600)
        assert 0.925 <= row.coverage <= (0.975 if kind != "pass_fail" else 1.0), row


def test_the_gate_takes_what_pays_and_leaves_what_does_not():
    strong = coverage_row("gaussian", 20, 0.9, repetitions=300)
    assert strong.corrected > 0.95
    assert strong.rmse_ratio < 0.6
    useless = coverage_row("gaussian", 20, 0.0, repetitions=300)
    assert useless.corrected < 0.2
    assert useless.rmse_ratio < 1.03


def test_plain_interval_is_scipys_t():
    scores = stats.norm.ppf((np.arange(12) + 0.5) / 12)  # symmetric: skewed ones get the bootstrap
    found = estimate_tally(Tally().add(scores, np.zeros(12)), None)
    expected = stats.t.interval(0.95, 11, loc=scores.mean(), scale=stats.sem(scores))
    np.testing.assert_allclose(found.interval, expected)
    assert found.gate == "no_pool"


def test_plain_share_is_scipys_exact_interval():
    scores = np.array([1.0] * 14 + [0.0] * 6)
    found = estimate_tally(Tally().add(scores, np.zeros(20)), None)
    # The standard error has 19 degrees of freedom: the effective size is 19, not 20.
    low, high = stats.beta.ppf(0.025, 13.3, 5.7 + 1), stats.beta.ppf(0.975, 13.3 + 1, 5.7)
    np.testing.assert_allclose(found.interval, (low, high))
    everything = estimate_tally(Tally().add(np.ones(20), np.zeros(20)), None)
    assert everything.interval == pytest.approx(tuple(stats.binomtest(20, 20).proportion_ci(method="exact")))


def test_skewness_is_scipys():
    values = generator(0, "skew").exponential(size=30)
    error = np.sqrt(6 * 28 / (31 * 33))
    assert skewness_z(values) == pytest.approx(stats.skew(values) / error)


@given(st.integers(2, 30), st.integers(0, 10_000))
def test_a_tally_grows_like_one_made_at_once(first, seed):
    rng = np.random.default_rng(seed)
    scores, control = rng.normal(size=40), rng.normal(size=40)
    names = [f"scene {k}" for k in rng.integers(0, 12, size=40)]
    pool = control_mean(rng.normal(size=50))
    once = estimate_tally(Tally().add(scores, control, names), pool)
    grown = Tally().add(scores[:first], control[:first], names[:first])
    grown = grown.add(scores[first:], control[first:], names[first:])
    again = estimate_tally(grown, pool)
    assert again.value == pytest.approx(once.value, abs=1e-12)
    assert again.standard_error == pytest.approx(once.standard_error, abs=1e-12)
    assert again.samples == once.samples == 40


def test_a_constant_control_and_constant_scores_change_nothing():
    scores = generator(0, "constant").normal(size=50)
    found = control_variate_estimate(scores, np.ones(50), np.ones(500))
    assert found.value == found.raw_value == pytest.approx(scores.mean())
    assert found.gate == "no_spread"
    alike = control_variate_estimate(np.full(20, 0.3), scores[:20], scores)
    assert alike.interval is None  # how far others would stray was not seen


def test_combined_figure_is_the_weighted_mean():
    rng = generator(0, "combine")
    each = {
        name: estimate_tally(Tally().add(rng.normal(loc, 1, size=30), np.zeros(30)), None)
        for name, loc in (("a", 0.0), ("b", 1.0))
    }
    found = combine(each, {"a": 3.0, "b": 1.0})
    assert found.value == pytest.approx(0.75 * each["a"].value + 0.25 * each["b"].value)
    expected = np.hypot(0.75 * each["a"].standard_error, 0.25 * each["b"].standard_error)
    assert found.standard_error == pytest.approx(expected)


def test_shares_stay_within_zero_and_one():
    rng = generator(0, "shares")
    each = {}
    for name in "ab":
        control = rng.normal(size=12)
        scores = (control < 1.4).astype(np.float64)
        found = control_variate_estimate(scores, control, rng.normal(-1.0, 1.0, size=400))
        assert 0.0 <= found.value <= 1.0
        assert found.method == "binomial"
        each[name] = found
    low, high = combine(each, {"a": 1.0, "b": 1.0}).interval
    assert 0.0 <= low <= high <= 1.0


def test_bad_input_is_said():
    with pytest.raises(UserError, match="NaN"):
        control_variate_estimate(np.full(20, np.nan), np.ones(20), np.ones(5))
    with pytest.raises(UserError, match="needs its control"):
        control_variate_estimate(np.ones(20), np.ones(19), np.ones(5))
    with pytest.raises(UserError, match="too small"):
        control_variate_estimate(np.ones(20), np.ones(20), np.ones(1))
    with pytest.raises(UserError, match="no scored"):
        estimate_tally(Tally(), None)
    assert control_variate_estimate(np.arange(4.0), np.arange(4.0), np.arange(9.0)).gate == "too_few"


@pytest.mark.parametrize("shared", [0.0, 0.9])
def test_sources_of_the_same_scenes_err_together(shared):
    rng = generator(0, f"shared/{shared}")
    held, shares = 0, dict.fromkeys("abc", 1.0)
    for _ in range(300):
        scene = rng.normal(size=12)
        each = {}
        for name in "abc":
            scores = np.sqrt(shared) * scene + np.sqrt(1 - shared) * rng.normal(size=12)
            tally = Tally().add(scores, np.zeros(12), [f"scene {k}" for k in range(12)])
            each[name] = estimate_tally(tally, None)
        found = combine(each, shares)
        held += found.interval[0] <= 0.0 <= found.interval[1]
    assert found.shared == 12
    assert 0.91 <= held / 300 <= 0.985


def test_the_same_scores_thrice_are_worth_them_once():
    scores = generator(0, "thrice").normal(size=15)
    names = [f"scene {k}" for k in range(15)]
    one = estimate_tally(Tally().add(scores, np.zeros(15), names), None)
    found = combine(dict.fromkeys("abc", one), dict.fromkeys("abc", 1.0))
    theirs = stats.t.interval(0.95, 14, loc=scores.mean(), scale=stats.sem(scores))
    assert found.interval == pytest.approx(theirs)
