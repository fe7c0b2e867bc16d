"""What a head is: many of one kind at once, each with its own settings, over the same frozen features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from fourdcb.arrays import F32

Parameters = dict[str, F32]
"""Of K heads: the first axis of every array has length K."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Hyper-parameters of one head: learning rate and L2 decay; a closed form has no rate."""

    rate: float
    decay: float


class Head(Protocol):
    """A kind of probe, trained by gradients.

    Attributes:
        name: under which it is reported.
        reads: ``cls``, shape (N, D), or ``tokens``, shape (N, L, D).
        decayed: names of the parameters that L2 decay acts on.
    """

    @property
    def name(self) -> str: ...
    @property
    def reads(self) -> Literal["cls", "tokens"]: ...
    @property
    def decayed(self) -> frozenset[str]: ...

    def start(self, heads: int, *, depth: int, classes: int, rng: np.random.Generator) -> Parameters:
        """Fresh parameters; all heads start alike, so that only their settings tell them apart."""
        ...

    def forward(self, parameters: Parameters, x: F32) -> tuple[F32, Any]:
        """(logits (K, B, C), what the backward pass needs) of a batch."""
        ...

    def backward(self, parameters: Parameters, kept: Any, error: F32) -> Parameters:
        """Gradients from those of the logits, shape (K, B, C)."""
        ...


def drawn(rng: np.random.Generator, heads: int, *shape: int, scale: float) -> F32:
    """One normal draw, the same for all heads, shape (K, *shape)."""
    values = (scale * rng.standard_normal(shape)).astype(np.float32)
    return np.broadcast_to(values, (heads, *shape)).copy()
