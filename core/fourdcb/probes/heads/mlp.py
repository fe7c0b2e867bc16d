"""A probe with one hidden layer over [CLS]: it may compute, not only read, and is reported as such."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fourdcb.arrays import F32
from fourdcb.probes.heads.activations import gelu, gelu_slope
from fourdcb.probes.heads.contract import Parameters, drawn


@dataclass(frozen=True, slots=True)
class MlpHead:
    """Linear, GELU, linear; ``width`` hidden units."""

    width: int = 64
    name: str = "mlp"
    reads: Literal["cls", "tokens"] = "cls"
    decayed: frozenset[str] = frozenset({"inner", "outer"})

    def start(self, heads: int, *, depth: int, classes: int, rng: np.random.Generator) -> Parameters:
        """He's draw for the inner layer, zeros for the outer one."""
        return {
            "inner": drawn(rng, heads, depth, self.width, scale=float(np.sqrt(2.0 / depth))),
            "inner_bias": np.zeros((heads, 1, self.width), np.float32),
            "outer": drawn(rng, heads, self.width, classes, scale=float(np.sqrt(1.0 / self.width))),
            "outer_bias": np.zeros((heads, 1, classes), np.float32),
        }

    def forward(self, parameters: Parameters, x: F32) -> tuple[F32, Any]:
        """Logits (K, B, C) of a batch (B, D)."""
        before = x @ parameters["inner"] + parameters["inner_bias"]
        hidden = gelu(before)
        return hidden @ parameters["outer"] + parameters["outer_bias"], (x, before, hidden)

    def backward(self, parameters: Parameters, kept: Any, error: F32) -> Parameters:
        """Gradients."""
        x, before, hidden = kept
        inner = (error @ parameters["outer"].transpose(0, 2, 1)) * gelu_slope(before)
        return {
            "inner": x.T @ inner,
            "inner_bias": inner.sum(axis=1, keepdims=True),
            "outer": hidden.transpose(0, 2, 1) @ error,
            "outer_bias": error.sum(axis=1, keepdims=True),
        }
