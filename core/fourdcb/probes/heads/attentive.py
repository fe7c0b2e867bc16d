"""The attentive probe: one learnable query looks at all tokens of a window, then classifies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fourdcb.arrays import F32
from fourdcb.probes.heads.activations import gelu, gelu_slope, normalise, normalise_slope, softmax
from fourdcb.probes.heads.contract import Parameters, drawn


@dataclass(frozen=True, slots=True)
class AttentiveHead:
    """Cross-attention of one query, residual with it, two-layer MLP with GELU, LayerNorm, linear classifier.

    ``z = q + softmax(q·(x Wk)/√M) (x Wv)``, ``logits = LayerNorm(W₂ GELU(W₁ z)) Wc``. With a single query the
    key projection folds into the query, ``q·(x Wk) = x·(Wk q)``, and the value projection may follow the
    weighted sum: the same function, at a cost of one vector a token in place of two matrices.

    Attributes:
        width: M, of query, keys and values.
        hidden: of the MLP.
    """

    width: int = 64
    hidden: int = 128
    name: str = "attentive"
    reads: Literal["cls", "tokens"] = "tokens"
    decayed: frozenset[str] = frozenset({"key", "value", "inner", "outer", "classifier"})

    def start(self, heads: int, *, depth: int, classes: int, rng: np.random.Generator) -> Parameters:
        """Normal draws scaled by the square root of what comes in."""
        m, h = self.width, self.hidden

        def layer(inside: int, out: int) -> F32:
            return drawn(rng, heads, inside, out, scale=inside**-0.5)

        return {
            "query": drawn(rng, heads, 1, m, scale=1.0),
            "key": layer(depth, m), "value": layer(depth, m),
            "inner": layer(m, h), "inner_bias": np.zeros((heads, 1, h), np.float32),
            "outer": layer(h, m), "outer_bias": np.zeros((heads, 1, m), np.float32),
            "gain": np.ones((heads, 1, m), np.float32), "shift": np.zeros((heads, 1, m), np.float32),
            "classifier": layer(m, classes), "bias": np.zeros((heads, 1, classes), np.float32),
        }  # fmt: skip

    def forward(self, parameters: Parameters, x: F32) -> tuple[F32, Any]:
        """Logits (K, B, C) of a batch of tokens (B, L, D)."""
        p = parameters
        looked_for: F32 = (p["key"] @ p["query"].transpose(0, 2, 1))[:, :, 0] * np.float32(self.width**-0.5)
        attention: F32 = softmax(x @ looked_for.T, axis=1)  # (B, L, K)
        pooled: F32 = attention.transpose(0, 2, 1) @ x  # (B, K, D)
        state: F32 = p["query"] + pooled.transpose(1, 0, 2) @ p["value"]  # (K, B, M)
        before = state @ p["inner"] + p["inner_bias"]
        hidden = gelu(before)
        normal, inverse = normalise(hidden @ p["outer"] + p["outer_bias"])
        scaled: F32 = normal * p["gain"] + p["shift"]
        logits: F32 = scaled @ p["classifier"] + p["bias"]
        return logits, (x, attention, pooled, state, before, hidden, normal, inverse, scaled)

    def backward(self, parameters: Parameters, kept: Any, error: F32) -> Parameters:
        """Gradients."""
        p, g = parameters, {}
        x, attention, pooled, state, before, hidden, normal, inverse, scaled = kept
        g["classifier"] = scaled.transpose(0, 2, 1) @ error
        g["bias"] = error.sum(axis=1, keepdims=True)
        e = error @ p["classifier"].transpose(0, 2, 1)
        g["gain"], g["shift"] = (e * normal).sum(axis=1, keepdims=True), e.sum(axis=1, keepdims=True)
        e = normalise_slope(e * p["gain"], normal, inverse)
        g["outer"], g["outer_bias"] = hidden.transpose(0, 2, 1) @ e, e.sum(axis=1, keepdims=True)
        e = (e @ p["outer"].transpose(0, 2, 1)) * gelu_slope(before)
        g["inner"], g["inner_bias"] = state.transpose(0, 2, 1) @ e, e.sum(axis=1, keepdims=True)
        e = e @ p["inner"].transpose(0, 2, 1)  # of the state, (K, B, M)
        g["value"] = pooled.transpose(1, 2, 0) @ e  # (K, D, M)
        of_pooled = (e @ p["value"].transpose(0, 2, 1)).transpose(1, 0, 2)  # (B, K, D)
        by_token = x @ of_pooled.transpose(0, 2, 1)  # (B, L, K)
        of_scores = attention * (by_token - (attention * by_token).sum(axis=1, keepdims=True))
        depth, heads = x.shape[2], attention.shape[2]
        looked_for = of_scores.reshape(-1, heads).T @ x.reshape(-1, depth)  # (K, D), gradient of Wk q / √M
        looked_for = looked_for[:, :, None] * np.float32(self.width**-0.5)
        g["key"] = looked_for @ p["query"]
        g["query"] = e.sum(axis=1, keepdims=True) + looked_for.transpose(0, 2, 1) @ p["key"]
        return g
