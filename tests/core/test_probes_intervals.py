"""Intervals: they cover, they know that few groups tell little, and equal scipy's exact one at the border."""

import numpy as np
import pytest
from scipy.stats import binomtest

from fourdcb.probes.intervals import Tested as Answered
from fourdcb.probes.intervals import balanced_difference, balanced_estimate
from fourdcb.randomness import generator


def answered(right: list[bool], *, classes: int = 2, windows: int = 1) -> Answered:
    """One group a decision; classes in turn."""
    truth = np.repeat(np.arange(len(right)) % classes, windows)
    ok = np.repeat(np.array(right), windows)
    groups = tuple(f"g{i:03d}" for i in np.repeat(np.arange(len(right)), windows))
    return Answered(truth, np.where(ok, truth, (truth + 1) % classes), groups, classes)


@pytest.mark.parametrize("groups", [4, 10, 40])
def test_all_right_is_as_sure_as_so_many_groups_allow(groups):
    estimate = balanced_estimate(answered([True] * groups, windows=3), rng=generator(0, "all"))
    expected = binomtest(groups, groups).proportion_ci(0.95, "exact")
    assert estimate.value == 1.0
    assert estimate.low == pytest.approx(expected.low)
    assert estimate.high == 1.0


def test_few_groups_that_are_all_right_are_not_above_chance():
    assert balanced_estimate(answered([True] * 4), rng=generator(0, "few")).low < 0.5


def test_a_class_of_three_groups_keeps_the_interval_wide():
    truth = np.array([0] * 40 + [1] * 3)
    rare = Answered(truth, truth.copy(), tuple(f"g{i}" for i in range(43)), 2)
    estimate = balanced_estimate(rare, rng=generator(0, "rare"))
    assert estimate.low == pytest.approx(binomtest(6, 6).proportion_ci(0.95, "exact").low)


@pytest.mark.parametrize(("groups", "share"), [(12, 0.9), (24, 0.95), (40, 0.7)])
def test_intervals_cover_the_truth(groups, share):
    covered = 0
    for k in range(150):
        rng = generator(k, f"cover/{groups}/{share}")
        estimate = balanced_estimate(answered((rng.random(groups) < share).tolist()), rng=rng)
        covered += estimate.low <= share <= estimate.high
    assert covered >= 0.90 * 150


def test_a_lead_by_five_groups_may_be_chance_and_by_six_it_is_not():
    base = [True] * 20
    for worse, leads in ((5, False), (6, True)):
        other = [k >= worse for k in range(20)]
        lead = balanced_difference(answered(base), answered(other), rng=generator(0, "lead"))
        assert lead.value == pytest.approx(worse / 20)
        assert (lead.low > 0.0) is leads


def test_two_groups_give_no_interval():
    assert balanced_estimate(answered([True, True]), rng=generator(0, "two")).low is None
