"""Many heads trained in one pass over cached features: the same batches for all, settings of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F32, I64
from fourdcb.probes.heads.activations import softmax
from fourdcb.probes.heads.contract import Head, Parameters, Setting
from fourdcb.probes.standardise import Standardiser

_BETA1, _BETA2, _EPS = np.float32(0.9), np.float32(0.999), np.float32(1e-8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """How long heads are trained.

    Attributes:
        epochs: passes over the samples; the rate falls to zero along half a cosine.
        batch: samples of a step.
    """

    epochs: int
    batch: int


def train_heads(
    head: Head,
    x: F32,
    labels: I64,
    weights: F32,
    settings: Sequence[Setting],
    *,
    standardiser: Standardiser,
    classes: int,
    schedule: Schedule,
    rng: np.random.Generator,
    each_epoch: Callable[[], None] | None = None,
) -> Parameters:
    """Parameters of ``K = len(settings)`` heads (Adam, Kingma and Ba 2015).

    The loss of a head is the weighted mean cross-entropy plus ``decay/2`` times the squared length of its
    decayed parameters.

    Args:
        x: features, shape (N, D) or (N, L, D); never written to.
        labels: shape (N,), or (K, N) where every head has its own (permuted ones, say).
        weights: of the samples, in proportion, shape as ``labels``.
        standardiser: applied to every batch.
        classes: C.
        rng: draws the start and the order of the samples.
        each_epoch: asked after every epoch; raises when the encoder is not what it was.
    """
    count = len(settings)
    truth = np.broadcast_to(labels, (count, len(x)))
    heavy = np.broadcast_to(weights, (count, len(x))).astype(np.float32)
    heavy = heavy / heavy.mean(axis=1, keepdims=True)
    depth = x.shape[-1]
    parameters = head.start(count, depth=depth, classes=classes, rng=rng)
    first = {name: np.zeros_like(value) for name, value in parameters.items()}
    second = {name: np.zeros_like(value) for name, value in parameters.items()}
    rates = np.array([setting.rate for setting in settings], np.float32)
    decays = np.array([setting.decay for setting in settings], np.float32)
    batches = max(1, round(len(x) / schedule.batch))
    total, step = schedule.epochs * batches, 0
    for _ in range(schedule.epochs):
        for rows in np.array_split(rng.permutation(len(x)), batches):
            batch = standardiser.apply(x[rows])
            logits, kept = head.forward(parameters, batch)
            error = _error(logits, truth[:, rows], heavy[:, rows])
            gradients = head.backward(parameters, kept, error)
            step += 1
            now = rates * np.float32(0.5 + 0.5 * np.cos(np.pi * (step - 1) / total))
            for name, gradient in gradients.items():
                _descend(
                    parameters[name], gradient, first[name], second[name],
                    rates=now, decays=decays if name in head.decayed else None, step=step,
                )  # fmt: skip
        if each_epoch is not None:
            each_epoch()
    return parameters


def _descend(
    value: F32, gradient: F32, first: F32, second: F32, *, rates: F32, decays: F32 | None, step: int
) -> None:
    """One step of Adam for one parameter of all heads, shape (K, …), in place; ``gradient`` is used up.

    Head by head: what a head needs stays in the processor's cache.
    """
    scratch = np.empty_like(value[0])
    root = np.float32(1.0 / np.sqrt(1.0 - float(_BETA2) ** step))
    scale = np.float32(1.0 / (1.0 - float(_BETA1) ** step))
    for k in range(len(value)):
        own, slope, mean, square = value[k], gradient[k], first[k], second[k]
        if decays is not None:
            np.multiply(own, decays[k], out=scratch)
            slope += scratch
        np.subtract(slope, mean, out=scratch)
        scratch *= 1 - _BETA1
        mean += scratch
        np.multiply(slope, slope, out=scratch)
        scratch -= square
        scratch *= 1 - _BETA2
        square += scratch
        np.sqrt(square, out=scratch)
        scratch *= root
        scratch += _EPS
        np.divide(mean, scratch, out=scratch)
        scratch *= rates[k] * scale
        own -= scratch


def _error(logits: F32, truth: I64, weights: F32) -> F32:
    """Gradient of the weighted mean cross-entropy with respect to the logits, shape (K, B, C)."""
    share = softmax(logits, axis=2)
    heads, batch = truth.shape
    share[np.arange(heads)[:, None], np.arange(batch)[None, :], truth] -= 1.0
    return share * (weights / np.float32(batch))[:, :, None]


def head_logits(head: Head, parameters: Parameters, x: F32, standardiser: Standardiser, *, batch: int) -> F32:
    """Logits of all heads for all samples, shape (K, N, C)."""
    parts = [
        head.forward(parameters, standardiser.apply(x[k : k + batch]))[0] for k in range(0, len(x), batch)
    ]
    return np.concatenate(parts, axis=1)
