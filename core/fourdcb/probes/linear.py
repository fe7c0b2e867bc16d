"""The linear probe: what a frozen encoder's features hold, read by one linear layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F64
from fourdcb.errors import UserError
from fourdcb.probes.scores import IntArray, accuracy, balanced_accuracy, confusion_matrix, macro_f1
from fourdcb.probes.splits import Split

PENALTIES = (1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeResult:
    """Scores on the test part, which is looked at once.

    Attributes:
        accuracy, balanced_accuracy, macro_f1: in [0, 1].
        chance: accuracy of always naming the test part's most frequent class.
        penalty: ridge penalty that validation chose.
        confusion: counts, rows = truth, shape (C, C).
        shuffled_accuracy: the same probe trained on shuffled labels; must lie near chance.
    """

    accuracy: float
    balanced_accuracy: float
    macro_f1: float
    chance: float
    penalty: float
    confusion: IntArray
    shuffled_accuracy: float


def linear_probe(
    features: F64,
    labels: IntArray,
    split: Split,
    groups: Sequence[str],
    *,
    rng: np.random.Generator,
) -> ProbeResult:
    """Train a ridge classifier on frozen features and test it once.

    Standardisation is fitted on the training part alone; the penalty is chosen by balanced accuracy on
    the validation part; the classifier is ridge regression onto one-hot targets with an intercept that bears
    no penalty (closed form, so two runs agree to the bit).

    Args:
        features: shape (N, D), finite.
        labels: class indices, shape (N,).
        split: parts by sample index; checked for leaking groups.
        groups: group key of every sample, length N.
        rng: for the shuffled-label control.

    Raises:
        UserError: for non-finite features, unequal lengths, a leaking split, or a class that training lacks.
    """
    _check(features, labels, groups)
    split.verify(groups)
    n_classes = int(labels.max()) + 1
    missing = sorted(set(np.unique(labels).tolist()) - set(np.unique(labels[split.train]).tolist()))
    if missing:
        raise UserError(
            "the training part lacks a class", got=str(missing), hint="use more groups or another seed"
        )
    confusion, penalty = _fit_and_test(features, labels, split, n_classes)
    shuffled = labels.copy()
    fitting = np.concatenate([split.train, split.validation])
    shuffled[fitting] = rng.permutation(labels[fitting])
    control, _ = _fit_and_test(features, shuffled, split, n_classes)
    return ProbeResult(
        accuracy=accuracy(confusion),
        balanced_accuracy=balanced_accuracy(confusion),
        macro_f1=macro_f1(confusion),
        chance=float(confusion.sum(axis=1).max() / confusion.sum()),
        penalty=penalty,
        confusion=confusion,
        shuffled_accuracy=accuracy(control),
    )


def _check(features: F64, labels: IntArray, groups: Sequence[str]) -> None:
    if not len(features) == len(labels) == len(groups):
        raise UserError(
            "features, labels and groups differ in length",
            got=f"{len(features)}, {len(labels)}, {len(groups)}",
        )
    if not np.isfinite(features).all():
        raise UserError("features hold NaN or infinity", got=f"{int((~np.isfinite(features)).sum())} values")


def _fit_and_test(features: F64, labels: IntArray, split: Split, n_classes: int) -> tuple[IntArray, float]:
    mean, scale = features[split.train].mean(axis=0), features[split.train].std(axis=0)
    standard = (features - mean) / np.where(scale > 1e-12, scale, 1.0)
    targets = np.eye(n_classes)[labels[split.train]]
    intercept = targets.mean(axis=0)  # the training part's features have mean 0
    # One decomposition serves every penalty.
    u, s, vt = np.linalg.svd(standard[split.train], full_matrices=False)
    projected = u.T @ (targets - intercept)

    def predict(penalty: float, indices: IntArray) -> IntArray:
        weights = vt.T @ ((s / (s**2 + penalty))[:, None] * projected)
        return np.argmax(standard[indices] @ weights + intercept, axis=1)

    def validation_score(penalty: float) -> float:
        predicted = predict(penalty, split.validation)
        return balanced_accuracy(confusion_matrix(labels[split.validation], predicted, n_classes=n_classes))

    best = max(PENALTIES, key=validation_score)
    return confusion_matrix(labels[split.test], predict(best, split.test), n_classes=n_classes), best
