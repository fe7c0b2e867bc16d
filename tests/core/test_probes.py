"""Probes against scikit-learn, and the leaks that they must refuse."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fourdcb.errors import UserError
from fourdcb.probes import (
    Split,
    balanced_accuracy,
    confusion_matrix,
    group_split,
    linear_probe,
    macro_f1,
    retrieval_scores,
)
from fourdcb.randomness import generator

labels = st.lists(st.integers(0, 3), min_size=2, max_size=40)


@given(labels, st.randoms())
def test_scores_equal_scikit_learn(truth, random):
    predicted = [random.randint(0, 3) for _ in truth]
    table = confusion_matrix(np.array(truth), np.array(predicted), n_classes=4)
    np.testing.assert_array_equal(table, sk.confusion_matrix(truth, predicted, labels=[0, 1, 2, 3]))
    expected = np.mean([sk.recall_score(truth, predicted, labels=[c], average=None)[0] for c in set(truth)])
    assert balanced_accuracy(table) == pytest.approx(expected)
    assert macro_f1(table) == pytest.approx(sk.f1_score(truth, predicted, average="macro"))


def test_mean_average_precision_equals_scikit_learn():
    rng = generator(0, "retrieval")
    queries, gallery = rng.normal(size=(12, 5)), rng.normal(size=(40, 5))
    relevant = rng.random((12, 40)) < 0.2
    relevant[:, 0] = True
    similarity = (queries / np.linalg.norm(queries, axis=1, keepdims=True)) @ (
        gallery / np.linalg.norm(gallery, axis=1, keepdims=True)
    ).T
    expected = np.mean([sk.average_precision_score(r, s) for r, s in zip(relevant, similarity, strict=True)])
    scores = retrieval_scores(queries, gallery, relevant, ks=(1, 40))
    assert scores["map"] == pytest.approx(expected)
    assert scores["recall@40"] == 1.0
    with pytest.raises(ValueError, match="relevant"):
        retrieval_scores(queries, gallery, np.zeros_like(relevant), ks=(1,))


@settings(max_examples=40)
@given(
    st.lists(st.integers(0, 9), min_size=12, max_size=80).filter(lambda g: len(set(g)) >= 3),
    st.integers(0, 99),
)
def test_groups_never_leak(keys, seed):
    groups = [str(key) for key in keys]
    split = group_split(groups, rng=generator(seed, "split"))
    split.verify(groups)
    assert min(len(split.train), len(split.validation), len(split.test)) > 0


def test_a_leaking_split_is_refused():
    split = Split(train=np.array([0, 1]), validation=np.array([2]), test=np.array([3]))
    with pytest.raises(UserError, match="leaks"):
        split.verify(["a", "b", "c", "a"])
    with pytest.raises(UserError, match="exactly once"):
        split.verify(["a", "b", "c", "d", "e"])


def separable(rng, n=240, groups=24):
    truth = rng.integers(0, 3, n)
    features = rng.normal(size=(n, 10))
    features[np.arange(n), truth] += 4.0
    return features, truth, [f"video{i % groups}" for i in range(n)]


def test_probe_reads_what_is_there_and_controls_read_nothing():
    rng = generator(0, "probe")
    features, truth, groups = separable(rng)
    split = group_split(groups, rng=rng)
    result = linear_probe(features, truth, split, groups, rng=rng)
    assert result.accuracy > 0.9
    assert abs(result.shuffled_accuracy - 1 / 3) < 0.2
    noise = linear_probe(rng.normal(size=features.shape), truth, split, groups, rng=rng)
    assert noise.accuracy < 0.6


def test_probe_equals_scikit_learn_where_classes_are_unequal():
    rng = generator(0, "unequal")
    truth = np.repeat([0, 1, 2], [200, 80, 20])
    features = rng.normal(3.0, 2.0, size=(300, 6))
    features[np.arange(300), truth] += 1.5
    groups = [str(i) for i in range(300)]
    split = group_split(groups, rng=rng)
    result = linear_probe(features, truth, split, groups, rng=rng)
    same = make_pipeline(StandardScaler(), RidgeClassifier(alpha=result.penalty))
    same.fit(features[split.train], truth[split.train])
    expected = sk.confusion_matrix(truth[split.test], same.predict(features[split.test]), labels=[0, 1, 2])
    np.testing.assert_array_equal(result.confusion, expected)


def test_test_part_does_not_move_the_fit():
    rng = generator(0, "leak")
    features, truth, groups = separable(rng)
    split = group_split(groups, rng=rng)
    before = linear_probe(features, truth, split, groups, rng=generator(0, "c"))
    shifted = features.copy()
    shifted[split.test[1:]] += 1000.0
    after = linear_probe(shifted, truth, split, groups, rng=generator(0, "c"))
    assert after.penalty == before.penalty


def test_bad_features_are_named():
    rng = generator(0, "bad")
    features, truth, groups = separable(rng)
    split = group_split(groups, rng=rng)
    with pytest.raises(UserError, match="length"):
        linear_probe(features[:-1], truth, split, groups, rng=rng)
    features[3, 2] = np.nan
    with pytest.raises(UserError, match="NaN"):
        linear_probe(features, truth, split, groups, rng=rng)
