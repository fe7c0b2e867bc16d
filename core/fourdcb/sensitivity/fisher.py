"""Fisher information of a linear model with white noise: what can be told, and what is confounded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F64

_NULL = 1e-10  # share of the largest singular value that counts as zero


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Information:
    """What observations y = J u + noise of unit variance say about u, from the SVD of J.

    Attributes:
        singular_values: of J, descending, shape (P,).
        directions: one combination of the parameters a row, shape (P, P); the first is seen best.
        covariance: Cramér-Rao bound (JᵀJ + prior · I)⁻¹, shape (P, P); without a prior combinations that
            are not seen are left out of it (pseudoinverse).
        together: its standard deviations, all parameters unknown, shape (P,); inf where nothing is seen.
        alone: standard deviations when all other parameters are known, shape (P,).
    """

    singular_values: F64
    directions: F64
    covariance: F64
    together: F64
    alone: F64

    @property
    def condition(self) -> float:
        """Largest to smallest singular value; inf when a combination is not seen at all."""
        if not self.singular_values.size:
            return 1.0
        least = float(self.singular_values[-1])
        return float(self.singular_values[0]) / least if least > 0 else float("inf")

    def correlation(self, i: int, j: int) -> float:
        """Correlation of two estimates, -1 … 1."""
        size = float(np.sqrt(self.covariance[i, i] * self.covariance[j, j]))
        return float(self.covariance[i, j]) / size if size > 0 else 0.0


def information(jacobian: F64, *, prior: float = 0.0) -> Information:
    """Information in a whitened Jacobian, shape (M, P): rows in units of the noise.

    Args:
        jacobian: singular values under 1e-10 of the largest count as zero.
        prior: information on every parameter from elsewhere, 1 / variance.
    """
    rows, count = jacobian.shape
    padded = np.vstack([jacobian, np.zeros((count - rows, count))]) if rows < count else jacobian
    _, s, vt = np.linalg.svd(padded, full_matrices=False)
    s = np.where(s > _NULL * s.max(initial=0.0), s, 0.0)
    total = s**2 + prior
    unobservable = np.any(np.abs(vt[total == 0.0]) > 1e-6, axis=0)
    weight = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    covariance = (vt.T * weight) @ vt
    with np.errstate(divide="ignore"):
        alone = 1.0 / np.sqrt(np.sum(jacobian**2, axis=0) + prior)
    together = np.where(unobservable, np.inf, np.sqrt(np.maximum(np.diag(covariance), 0.0)))
    return Information(
        singular_values=s, directions=vt, covariance=covariance, together=together, alone=alone
    )
