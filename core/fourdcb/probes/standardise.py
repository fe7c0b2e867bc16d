"""The standardiser and class weights: fitted to the training part, and able to say so."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F32, F64, I64
from fourdcb.errors import UserError

_LEAST = 1e-6  # of the largest deviation: a channel that varies less says nothing and stays as it is


@dataclass(frozen=True, slots=True)
class Standardiser:
    """``(x - mean) / scale`` by channel; shapes (D,)."""

    mean: F32
    scale: F32

    @classmethod
    def fit(cls, x: F32) -> Standardiser:
        """From the training part's features, shape (N, D) or (N, L, D), of whatever precision.

        Raises:
            UserError: a value is no number.
        """
        total, squares, count = np.zeros(x.shape[-1]), np.zeros(x.shape[-1]), 0
        centre = np.asarray(x[:1], np.float64).reshape(-1, x.shape[-1]).mean(axis=0)  # against cancellation
        for k in range(0, len(x), 64):
            values = np.asarray(x[k : k + 64], np.float64).reshape(-1, x.shape[-1]) - centre
            total += values.sum(axis=0)
            squares += (values**2).sum(axis=0)
            count += len(values)
        mean = total / count
        if not np.isfinite(squares).all():
            raise UserError(
                "features hold NaN or infinity", got=f"{int((~np.isfinite(squares)).sum())} channels",
                hint="extract them again; the encoder's weights or precision may be at fault",
            )  # fmt: skip
        scale = np.sqrt(np.maximum(squares / count - mean**2, 0.0))
        scale = np.where(scale > _LEAST * max(float(scale.max()), 1e-30), scale, 1.0)
        return cls((mean + centre).astype(np.float32), scale.astype(np.float32))

    def apply(self, x: F32) -> F32:
        """Standardised, in single precision."""
        return (np.asarray(x, np.float32) - self.mean) / self.scale


def class_weights(labels: I64, *, classes: int) -> F64:
    """Weight of every class, ``N / (C · N_c)``, from the training part's labels, shape (C,).

    Raises:
        UserError: the training part lacks a class.
    """
    counts = np.bincount(labels, minlength=classes)
    if (counts == 0).any():
        raise UserError(
            "the training part lacks a class", got=str(np.flatnonzero(counts == 0).tolist()),
            hint="use more groups or another seed",
        )  # fmt: skip
    weights: F64 = len(labels) / (classes * counts)
    return weights
