"""The linear probe: what one linear layer reads out of [CLS]; and its closed form, the ridge classifier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from fourdcb.arrays import F32, F64, I64
from fourdcb.probes.heads.contract import Parameters


class LinearHead:
    """``x W + b``, trained on the cross-entropy with L2 decay: multinomial logistic regression."""

    name = "linear"
    reads: Literal["cls", "tokens"] = "cls"
    decayed = frozenset({"weight"})

    def start(self, heads: int, *, depth: int, classes: int, rng: np.random.Generator) -> Parameters:
        """Zeros: the loss is convex."""
        return {
            "weight": np.zeros((heads, depth, classes), np.float32),
            "bias": np.zeros((heads, 1, classes), np.float32),
        }

    def forward(self, parameters: Parameters, x: F32) -> tuple[F32, Any]:
        """Logits (K, B, C) of a batch (B, D)."""
        return x @ parameters["weight"] + parameters["bias"], x

    def backward(self, parameters: Parameters, kept: Any, error: F32) -> Parameters:
        """Gradients."""
        return {"weight": kept.T @ error, "bias": error.sum(axis=1, keepdims=True)}


def ridge(x: F64, labels: I64, weights: F64, penalties: Sequence[float], *, classes: int) -> Parameters:
    """Ridge regression onto one-hot targets, its intercept without penalty, for many penalties at once.

    One singular value decomposition serves all of them; two runs agree to the bit. Equals scikit-learn's
    ``RidgeClassifier`` with sample weights.

    Args:
        x: shape (N, D). labels: shape (N,). weights: of the samples, > 0, shape (N,).
        penalties: K of them, > 0.
        classes: C.

    Returns:
        Parameters of linear heads.
    """
    share = weights / weights.sum()
    targets = np.eye(classes)[labels]
    centre, level = share @ x, share @ targets
    root = np.sqrt(weights)[:, None]
    u, s, vt = np.linalg.svd(root * (x - centre), full_matrices=False)
    projected = u.T @ (root * (targets - level))
    weight = np.stack([vt.T @ ((s / (s**2 + penalty))[:, None] * projected) for penalty in penalties])
    bias = level - centre @ weight
    return {"weight": weight.astype(np.float32), "bias": bias[:, None, :].astype(np.float32)}
