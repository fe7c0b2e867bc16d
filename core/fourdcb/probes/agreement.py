"""Agreement with scikit-learn: the same answers and scores from the same numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F32, I64
from fourdcb.errors import MissingDependencyError
from fourdcb.probes.heads.contract import Setting
from fourdcb.probes.heads.linear import LinearHead, ridge
from fourdcb.probes.heads.training import Schedule, head_logits, train_heads
from fourdcb.probes.scores import balanced_accuracy, confusion_matrix, macro_f1, retrieval_scores
from fourdcb.probes.standardise import Standardiser, class_weights
from fourdcb.randomness import generator

_N, _DEPTH, _CLASSES = 400, 12, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """The largest difference between a figure of ours and scikit-learn's, over all repetitions."""

    what: str
    difference: float
    repetitions: int


def agreement(*, repetitions: int = 20, seed: int = 0) -> list[Agreement]:
    """Ridge and linear probes against RidgeClassifier and LogisticRegression, and all scores.

    Raises:
        MissingDependencyError: scikit-learn is not installed.
    """
    try:
        import sklearn  # noqa: F401
    except ImportError as error:
        raise MissingDependencyError("scikit-learn", extra="dev", purpose="the comparison") from error
    worst: dict[str, float] = {}
    for k in range(repetitions):
        for what, difference in _once(generator(seed, f"agreement/{k}")).items():
            worst[what] = max(worst.get(what, 0.0), difference)
    return [Agreement(what=what, difference=d, repetitions=repetitions) for what, d in worst.items()]


def _once(rng: np.random.Generator) -> dict[str, float]:
    from sklearn import metrics
    from sklearn.linear_model import LogisticRegression, RidgeClassifier
    from sklearn.preprocessing import StandardScaler

    truth = rng.choice(_CLASSES, _N, p=(0.5, 0.3, 0.15, 0.05))
    x = rng.normal(3.0, 2.0, (_N, _DEPTH)).astype(np.float32)
    x[np.arange(_N), truth] += 2.0
    known, asked = np.arange(0, _N, 2), np.arange(1, _N, 2)
    weights = class_weights(truth[known], classes=_CLASSES)
    scale, own = StandardScaler().fit(x[known].astype(np.float64)), Standardiser.fit(x[known])
    theirs = [scale.transform(x[rows].astype(np.float64)) for rows in (known, asked)]
    balance = weights[truth[known]]
    decay = 0.01
    regression = LogisticRegression(
        C=1 / (decay * len(known)), tol=1e-8, max_iter=3000, class_weight="balanced"
    )
    shares = regression.fit(theirs[0], truth[known]).predict_proba(theirs[1])
    trained = train_heads(
        LinearHead(), x[known], truth[known], balance.astype(np.float32), [Setting(0.03, decay)],
        standardiser=own, classes=_CLASSES, schedule=Schedule(epochs=800, batch=len(known)), rng=rng,
    )  # fmt: skip
    logits = head_logits(LinearHead(), trained, x[asked], own, batch=_N)[0].astype(np.float64)
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    penalty = 10.0
    solved = ridge(own.apply(x[known]).astype(np.float64), truth[known], balance, [penalty], classes=_CLASSES)
    answers = head_logits(LinearHead(), solved, x[asked], own, batch=_N)[0].argmax(axis=1)
    classifier = RidgeClassifier(alpha=penalty, class_weight="balanced").fit(theirs[0], truth[known])
    table = confusion_matrix(truth[asked], answers, n_classes=_CLASSES)
    return {
        "linear probe: probabilities": float(
            np.abs(raised / raised.sum(axis=1, keepdims=True) - shares).max()
        ),
        "ridge probe: share of other answers": float((answers != classifier.predict(theirs[1])).mean()),
        "balanced accuracy": abs(
            balanced_accuracy(table) - float(metrics.balanced_accuracy_score(truth[asked], answers))
        ),
        "macro-F1": abs(macro_f1(table) - float(metrics.f1_score(truth[asked], answers, average="macro"))),
        "mean average precision": _map_difference(x[asked], x[known], truth[asked], truth[known]),
    }  # fmt: skip


def _map_difference(
    queries: F32,
    gallery: F32,
    asked: I64,
    known: I64,
) -> float:
    from sklearn import metrics

    q, g = queries.astype(np.float64), gallery.astype(np.float64)
    relevant = asked[:, None] == known[None, :]
    own = retrieval_scores(q, g, relevant, ks=(1, 5))["map"]
    cosine = metrics.pairwise.cosine_similarity(q, g)
    theirs = np.mean([metrics.average_precision_score(r, s) for r, s in zip(relevant, cosine, strict=True)])
    return abs(own - float(theirs))
