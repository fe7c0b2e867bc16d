"""Intervals over groups, against SciPy and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from fourdcb.evaluation.api import SampleScore
from fourdcb.evaluation.statistics import aggregate_mean, grouped_interval, paired_difference, share_interval


def test_groups_of_one_size_give_the_t_interval_of_their_means():
    rng = np.random.default_rng(1)
    values = rng.normal(size=36)
    groups = np.repeat([f"g{k}" for k in range(12)], 3)
    found = grouped_interval(values, list(groups))
    expected = stats.ttest_1samp(values.reshape(12, 3).mean(axis=1), 0.0).confidence_interval(0.95)
    assert found.low == pytest.approx(expected.low, rel=1e-12)
    assert found.high == pytest.approx(expected.high, rel=1e-12)


def test_samples_that_are_their_own_groups_give_the_plain_t_interval():
    values = np.random.default_rng(2).normal(size=20)
    found = grouped_interval(values, [str(k) for k in range(20)])
    expected = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-12)


def test_one_group_has_no_interval():
    found = grouped_interval(np.array([1.0, 2.0]), ["a", "a"])
    assert (found.mean, found.low, found.high) == (1.5, None, None)


def test_a_share_of_independent_samples_has_the_exact_binomial_interval():
    values = np.array([1.0] * 7 + [0.0] * 13)
    found = share_interval(values, [str(k) for k in range(20)])
    # The clustered variance of independent samples is p(1-p)/(n-1): one sample less than the exact one.
    exact = stats.binomtest(7, 20).proportion_ci(0.95, method="exact")
    assert found.low == pytest.approx(exact.low, abs=0.01)
    assert found.high == pytest.approx(exact.high, abs=0.01)


def test_shares_that_are_all_alike_do_not_shrink_to_a_point():
    found = share_interval(np.zeros(36), list(np.repeat([f"g{k}" for k in range(12)], 3)))
    exact = stats.binomtest(0, 12).proportion_ci(0.95, method="exact")
    assert (found.low, found.high) == pytest.approx((0.0, exact.high))


def test_intervals_cover_as_often_as_they_say():
    rng = np.random.default_rng(5)
    groups = list(np.repeat([f"g{k}" for k in range(12)], 3))
    hits = np.zeros(3)
    runs = 1500
    for _ in range(runs):
        shared = np.repeat(rng.normal(size=12), 3)
        values = shared + rng.normal(size=36)
        plain = grouped_interval(values, groups)
        paired = paired_difference(np.zeros(36), values, groups, rng=rng, resamples=499)
        chance = np.repeat(rng.beta(2, 2, size=12), 3)
        share = share_interval((rng.random(36) < chance).astype(float), groups)
        hits += [plain.low < 0 < plain.high, paired.low < 0 < paired.high, share.low < 0.5 < share.high]
    covered = hits / runs
    assert 0.93 <= covered[0] <= 0.97
    assert 0.93 <= covered[1] <= 0.97
    assert 0.93 <= covered[2] <= 0.995  # exact intervals are wider, never narrower


def test_the_paired_bootstrap_has_the_spread_of_scipys():
    rng = np.random.default_rng(9)
    difference = rng.normal(0.4, 1.0, size=30)
    groups = [str(k) for k in range(30)]
    found = paired_difference(np.zeros(30), difference, groups, rng=np.random.default_rng(0))
    scipy = stats.bootstrap(
        (difference,), np.mean, method="percentile", n_resamples=9_999, random_state=np.random.default_rng(1)
    ).confidence_interval
    factor = stats.t.ppf(0.975, 29) / stats.norm.ppf(0.975) * np.sqrt(30 / 29)
    mean = difference.mean()
    assert found.low == pytest.approx(mean + factor * (scipy.low - mean), abs=0.03)
    assert found.high == pytest.approx(mean + factor * (scipy.high - mean), abs=0.03)


def test_pairs_that_all_differ_alike_show_no_interval():
    found = paired_difference(np.zeros(6), np.ones(6), list("abcdef"), rng=np.random.default_rng(0))
    assert (found.mean, found.low, found.high, found.detectable) == (1.0, None, None, None)


def test_samples_without_a_number_stay_in_the_denominator_unless_nothing_applies():
    scores = [
        SampleScore(sample_id="a", metric_id="x", value=1.0),
        SampleScore(sample_id="b", metric_id="x", status="skipped", reason="generation_failed"),
        SampleScore(sample_id="c", metric_id="x", status="not_applicable"),
        SampleScore(sample_id="d", metric_id="x", value=np.float64(3.0)),
    ]
    found = aggregate_mean(scores, {})
    assert (found.value, found.count, found.total, found.skipped) == (2.0, 2, 3, 1)
