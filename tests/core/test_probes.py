"""Scores of probes against scikit-learn, and splits that keep groups whole."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

from fourdcb.errors import UserError
from fourdcb.probes.scores import balanced_accuracy, confusion_matrix, macro_f1, retrieval_scores
from fourdcb.probes.splits import Split, group_split
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


def test_what_is_taken_out_of_the_gallery_is_never_found():
    rng = generator(0, "excluded")
    queries, gallery = rng.normal(size=(6, 4)), rng.normal(size=(20, 4))
    relevant = rng.random((6, 20)) < 0.4
    relevant[:, 0] = relevant[:, 1] = True
    excluded = rng.random((6, 20)) < 0.3
    excluded[:, 0] = False
    found = retrieval_scores(queries, gallery, relevant, ks=(1, 5), excluded=excluded)
    one_by_one = [
        retrieval_scores(
            queries[q : q + 1], gallery[~excluded[q]], relevant[q : q + 1, ~excluded[q]], ks=(1, 5)
        )
        for q in range(6)
    ]
    for key, value in found.items():
        assert value == pytest.approx(np.mean([one[key] for one in one_by_one]))
