"""How faithful a run is to what it claims to reproduce, and what it may claim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fourdcb.evaluation.api.records import Record

# locked: pinned by hash and unchanged; official: unchanged, but not everything is pinned; custom: anything
# else.
Fidelity = Literal["locked", "official", "custom"]
FIDELITIES: tuple[Fidelity, ...] = ("locked", "official", "custom")
Claim = Literal["exact_reproduction", "benchmark_comparable", "diagnostic"]
# From the weakest to the strongest.
CLAIMS: tuple[Claim, ...] = ("diagnostic", "benchmark_comparable", "exact_reproduction")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFidelity(Record):
    """Fidelity of each part of a run.

    Attributes:
        generation: the model, its settings and the seed.
        data: the samples: all of them, with the bytes of the benchmark.
        evaluation: metrics, criteria and code of the judge.
        runtime: machine and versions.
        reference: the truth scripts.
    """

    generation: Fidelity
    data: Fidelity
    evaluation: Fidelity
    runtime: Fidelity
    reference: Fidelity
