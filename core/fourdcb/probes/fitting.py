"""Training one probe: twenty heads on train, one chosen on validation, all trained again on both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F32, F64, I64
from fourdcb.errors import UserError
from fourdcb.probes.heads.contract import Parameters, Setting
from fourdcb.probes.heads.linear import ridge
from fourdcb.probes.heads.table import is_closed, kind_of, reads_tokens, schedule_of, settings_of
from fourdcb.probes.heads.training import head_logits, train_heads
from fourdcb.probes.scores import balanced_accuracy, confusion_matrix
from fourdcb.probes.standardise import Standardiser, class_weights
from fourdcb.probes.task import Task
from fourdcb.randomness import generator


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """One probe of one task, ready to be tested once.

    Attributes:
        head: its kind.
        settings: of its K heads.
        validation_scores: balanced accuracy of each after training on train alone, shape (K,).
        chosen: the best of them on validation; the first where several are.
        standardiser: fitted to train.
        weights: of the classes, from train, shape (C,).
        parameters: of all K heads, trained again on train and validation.
    """

    head: str
    settings: tuple[Setting, ...]
    validation_scores: F64
    chosen: int
    standardiser: Standardiser
    weights: F64
    parameters: Parameters


def fit_probe(
    head: str, features: F32, task: Task, *, each_epoch: Callable[[], None] | None = None
) -> Fitted:
    """Choose and train a probe without looking at the test part.

    Standardiser and class weights come from train alone, the setting from validation.

    Args:
        head: its name, see :mod:`fourdcb.probes.heads.table`.
        features: of the task's rows: [CLS], shape (n, D), or tokens, shape (n, L, D).
        task: what is asked.
        each_epoch: see :func:`fourdcb.probes.heads.training.train_heads`.

    Raises:
        UserError: features are of another length or shape, or hold NaN.
    """
    check_features(head, features, task)
    train, validation = task.split.train, task.split.validation
    settings = settings_of(head)
    standardiser = Standardiser.fit(features[train])
    weights = class_weights(task.labels("train"), classes=len(task.classes))
    both = np.concatenate([train, validation])
    labels = np.concatenate([task.labels("train"), task.labels("validation")])

    def fitted(rows: I64, truth: I64) -> Parameters:
        return _train(
            head, features, rows, truth, settings, standardiser, weights, task, each_epoch=each_epoch
        )

    first = fitted(train, task.labels("train"))
    scores = head_scores(
        logits_of(head, first, features[validation], standardiser), task.labels("validation"),
        classes=len(task.classes),
    )  # fmt: skip
    return Fitted(
        head=head, settings=settings, validation_scores=scores, chosen=int(np.argmax(scores)),
        standardiser=standardiser, weights=weights, parameters=fitted(both, labels),
    )  # fmt: skip


def fit_shuffled(fitted: Fitted, features: F32, task: Task, *, count: int) -> Parameters:
    """The chosen probe trained again on permuted labels, ``count`` times: it must learn nothing."""
    rows = np.concatenate([task.split.train, task.split.validation])
    truth = np.concatenate([task.labels("train"), task.labels("validation")])
    rng = generator(task.seed, f"shuffled/{task.target.name}")
    permuted = np.stack([rng.permutation(truth) for _ in range(count)])
    settings = (fitted.settings[fitted.chosen],) * count
    if not is_closed(fitted.head):
        return _train(
            fitted.head, features, rows, permuted, settings, fitted.standardiser, fitted.weights, task
        )
    parts = [
        _train(fitted.head, features, rows, one, settings[:1], fitted.standardiser, fitted.weights, task)
        for one in permuted
    ]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _train(
    head: str,
    features: F32,
    rows: I64,
    truth: I64,
    settings: tuple[Setting, ...],
    standardiser: Standardiser,
    weights: F64,
    task: Task,
    *,
    each_epoch: Callable[[], None] | None = None,
) -> Parameters:
    classes, x = len(task.classes), features[rows]
    if is_closed(head):
        penalties = [setting.decay for setting in settings]
        standard = standardiser.apply(x).astype(np.float64)
        return ridge(standard, truth, weights[truth], penalties, classes=classes)
    return train_heads(
        kind_of(head), x, truth, weights[truth].astype(np.float32), settings, standardiser=standardiser,
        classes=classes, schedule=schedule_of(head), rng=generator(task.seed, f"{head}/{task.target.name}"),
        each_epoch=each_epoch,
    )  # fmt: skip


def logits_of(head: str, parameters: Parameters, x: F32, standardiser: Standardiser) -> F32:
    """Logits of all heads, shape (K, N, C)."""
    return head_logits(kind_of(head), parameters, x, standardiser, batch=64)


def head_scores(logits: F32, truth: I64, *, classes: int) -> F64:
    """Balanced accuracy of every head, shape (K,)."""
    return np.array(
        [
            balanced_accuracy(confusion_matrix(truth, found, n_classes=classes))
            for found in logits.argmax(axis=2)
        ]
    )


def check_features(head: str, features: F32, task: Task) -> None:
    """Raises UserError for features that this head cannot read."""
    wanted = 3 if reads_tokens(head) else 2
    where = f"probe {head}"
    if features.ndim != wanted:
        raise UserError(
            "features of another shape", where=where, got=f"shape {features.shape}",
            expected="tokens, shape (N, L, D)" if wanted == 3 else "[CLS], shape (N, D)",
        )  # fmt: skip
    if len(features) != len(task.rows):
        raise UserError(
            "features and labels differ in length", where=where,
            got=f"{len(features)} and {len(task.rows)}", expected="one row for every sample with a label",
        )  # fmt: skip
    bad = sum(int((~np.isfinite(features[k : k + 64])).sum()) for k in range(0, len(features), 64))
    if bad:
        raise UserError(
            "features hold NaN or infinity", where=where, got=f"{bad} values",
            hint="extract them again; the encoder's weights or precision may be at fault",
        )  # fmt: skip
