"""Functions of heads and their slopes, in single precision."""

from __future__ import annotations

import numpy as np

from fourdcb.arrays import F32

_EPS = np.float32(1e-5)


def gelu(x: F32) -> F32:
    """``x Φ(x)`` with the normal distribution's Φ (Hendrycks and Gimpel 2016), exact."""
    from scipy.special import ndtr

    found: F32 = x * ndtr(x)
    return found


def gelu_slope(x: F32) -> F32:
    """``Φ(x) + x φ(x)``."""
    from scipy.special import ndtr

    density = np.exp(np.float32(-0.5) * x * x) * np.float32(1.0 / np.sqrt(2.0 * np.pi))
    found: F32 = ndtr(x) + x * density
    return found


def softmax(x: F32, axis: int) -> F32:
    """Shares that sum to one along an axis."""
    raised = np.exp(x - x.max(axis=axis, keepdims=True))
    return raised / raised.sum(axis=axis, keepdims=True)


def normalise(x: F32) -> tuple[F32, F32]:
    """(x with mean 0 and deviation 1 along the last axis, the deviations' inverses), as LayerNorm does."""
    centred = x - x.mean(axis=-1, keepdims=True)
    inverse: F32 = 1.0 / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + _EPS)
    return centred * inverse, inverse


def normalise_slope(error: F32, normal: F32, inverse: F32) -> F32:
    """Gradient through :func:`normalise`."""
    mean = error.mean(axis=-1, keepdims=True)
    along = (error * normal).mean(axis=-1, keepdims=True)
    return inverse * (error - mean - normal * along)
