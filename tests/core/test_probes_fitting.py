"""Training of probes: against scikit-learn, against finite differences, and blind to the test part."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fourdcb.errors import UserError
from fourdcb.probes.fitting import fit_probe, fit_shuffled, logits_of
from fourdcb.probes.heads.attentive import AttentiveHead
from fourdcb.probes.heads.contract import Setting
from fourdcb.probes.heads.linear import LinearHead
from fourdcb.probes.heads.mlp import MlpHead
from fourdcb.probes.heads.table import HEADS
from fourdcb.probes.heads.training import Schedule, train_heads
from fourdcb.probes.standardise import Standardiser, class_weights
from fourdcb.probes.task import make_task
from fourdcb.randomness import generator


def separable(probe_table, *, n=240, groups=24, depth=10, push=4.0):
    rng = generator(0, "separable")
    truth = rng.integers(0, 3, n)
    features = rng.normal(size=(n, depth)).astype(np.float32)
    features[np.arange(n), truth] += push
    table = probe_table([f"class {k}" for k in truth], [f"video{i % groups}" for i in range(n)])
    return features, make_task(table, "what", seed=0)


def scores(head, fitted, parameters, features, task):
    logits = logits_of(head, parameters, features[task.split.test], fitted.standardiser)
    return (logits.argmax(axis=2) == task.sealed_labels[task.split.test]).mean(axis=1)


@pytest.mark.parametrize("head", [head for head in HEADS if head != "frame_ridge"])
def test_a_probe_reads_what_is_there_and_nothing_from_shuffled_labels(probe_table, head):
    features, task = separable(probe_table)
    if head == "attentive":  # the same told by one token of three
        tokens = generator(0, "tokens").normal(size=(len(features), 3, 10)).astype(np.float32)
        tokens[:, 1] = 2 * features
        features = tokens
    fitted = fit_probe(head, features, task)
    assert scores(head, fitted, fitted.parameters, features, task)[fitted.chosen] > 0.9
    shuffled = fit_shuffled(fitted, features, task, count=4)
    assert abs(scores(head, fitted, shuffled, features, task).mean() - 1 / 3) < 0.2


def test_ridge_equals_scikit_learn_where_classes_are_unequal(probe_table):
    rng = generator(0, "unequal")
    truth = np.repeat([0, 1, 2], [200, 80, 20])
    features = rng.normal(3.0, 2.0, size=(300, 6)).astype(np.float32)
    features[np.arange(300), truth] += 1.5
    task = make_task(probe_table([str(k) for k in truth], [str(i) for i in range(300)]), "what", seed=0)
    fitted = fit_probe("ridge", features, task)
    both = np.concatenate([task.split.train, task.split.validation])
    weights = class_weights(truth[task.split.train], classes=3)
    standard = StandardScaler().fit(features[task.split.train].astype(np.float64))
    for k in range(0, 20, 5):
        same = RidgeClassifier(alpha=fitted.settings[k].decay)
        same.fit(standard.transform(features[both]), truth[both], sample_weight=weights[truth[both]])
        expected = same.predict(standard.transform(features[task.split.test]))
        found = logits_of("ridge", fitted.parameters, features[task.split.test], fitted.standardiser)[k]
        np.testing.assert_array_equal(found.argmax(axis=1), expected)


def test_linear_heads_equal_logistic_regression_one_for_each_decay():
    rng = generator(0, "logistic")
    truth = rng.integers(0, 3, 150)
    x = rng.normal(size=(150, 5)).astype(np.float32)
    x[np.arange(150), truth] += 1.0
    weights = rng.uniform(0.5, 2.0, 150).astype(np.float32)
    weights /= weights.mean()
    decays = (1e-3, 1e-2, 1e-1)
    found = train_heads(
        LinearHead(), x, truth, weights, [Setting(0.03, decay) for decay in decays],
        standardiser=Standardiser.fit(x), classes=3, schedule=Schedule(epochs=1500, batch=150), rng=rng,
    )  # fmt: skip
    for k, decay in enumerate(decays):
        same = make_pipeline(
            StandardScaler(), LogisticRegression(C=1 / (decay * 150), tol=1e-9, max_iter=2000)
        )
        same.fit(x.astype(np.float64), truth, logisticregression__sample_weight=weights)
        own = found["weight"][k].T  # what all classes have in common moves no answer, and decays slowly
        np.testing.assert_allclose(own - own.mean(axis=0), same[-1].coef_, atol=2e-3)


@pytest.mark.parametrize("head", [LinearHead(), MlpHead(width=4), AttentiveHead(width=5, hidden=7)])
def test_gradients_are_those_of_the_loss(head):
    rng = generator(0, f"gradient/{head.name}")
    x = rng.normal(size=(3, 11, 6) if head.reads == "tokens" else (3, 6))
    start = head.start(2, depth=6, classes=3, rng=rng)
    parameters = {name: rng.normal(size=value.shape) for name, value in start.items()}
    error = rng.normal(size=(2, 3, 3))
    gradients = head.backward(parameters, head.forward(parameters, x)[1], error)
    assert set(gradients) == set(parameters)
    for name, value in parameters.items():
        place = tuple(int(rng.integers(side)) for side in value.shape)
        step = np.zeros_like(value)
        step[place] = 1e-5
        up, down = (
            (head.forward({**parameters, name: value + sign * step}, x)[0] * error).sum() for sign in (1, -1)
        )
        assert gradients[name][place] == pytest.approx((up - down) / 2e-5, rel=1e-4, abs=1e-6)


def test_the_test_part_moves_nothing_that_is_fitted(probe_table):
    features, task = separable(probe_table)
    before = fit_probe("ridge", features, task)
    shifted = features.copy()
    shifted[task.split.test[1:]] += 1000.0
    after = fit_probe("ridge", shifted, task)
    assert after.chosen == before.chosen
    np.testing.assert_array_equal(after.parameters["weight"], before.parameters["weight"])
    np.testing.assert_array_equal(after.standardiser.mean, before.standardiser.mean)


def test_bad_features_are_named_with_their_remedy(probe_table):
    features, task = separable(probe_table)
    with pytest.raises(UserError, match="length"):
        fit_probe("ridge", features[:-1], task)
    with pytest.raises(UserError, match="another shape"):
        fit_probe("attentive", features, task)
    broken = features.copy()
    broken[3, 2] = np.nan
    with pytest.raises(UserError, match=r"NaN[\s\S]*extract them again"):
        fit_probe("ridge", broken, task)
    with pytest.raises(UserError, match="no such head"):
        fit_probe("deep", features, task)


def test_labels_that_cannot_be_split_are_told_with_their_remedy(probe_table):
    with pytest.raises(UserError, match=r"no clip has this label[\s\S]*fill in"):
        make_task(probe_table([None] * 4, list("abcd")), "what", seed=0)
    with pytest.raises(UserError, match="nothing to tell apart"):
        make_task(probe_table(["a"] * 4, list("abcd")), "what", seed=0)
    with pytest.raises(UserError, match=r"cannot be in train, validation and test[\s\S]*other sources"):
        make_task(probe_table(["a", "b"] * 6, ["one"] * 12), "what", seed=0)
    with pytest.raises(UserError, match=r"class b: [\s\S]*1 group"):
        make_task(probe_table(["a"] * 9 + ["b"] * 3, [*"cdefghijk", "x", "x", "x"]), "what", seed=0)


def test_clips_that_share_a_key_or_their_pixels_stay_together(probe_table):
    keys = {0: frozenset({"mesh:1"}), 5: frozenset({"mesh:1", "seed:2"}), 9: frozenset({"seed:2"})}
    same = np.full((8, 24, 24, 3), 90, np.uint8)
    table = probe_table(
        ["a", "b"] * 10, [f"g{i:02d}" for i in range(20)], keys=keys, thumbnails={3: same, 12: same + 1}
    )
    assert table.joined[0] == table.joined[5] == table.joined[9] == "g00"
    assert table.joined[3] == table.joined[12]
    assert table.tied == 1
    assert len(set(table.joined)) == 17
