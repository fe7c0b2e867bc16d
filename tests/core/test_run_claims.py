"""Claims follow from fidelity and evidence; callers lower them and never raise them."""

from __future__ import annotations

from itertools import product

import pytest

from fourdcb.errors import UserError
from fourdcb.evaluation.api import RunFidelity
from fourdcb.evaluation.api.fidelity import CLAIMS, FIDELITIES
from fourdcb.evaluation.claims import derive_claim, lower_claim

_PARTS = ("generation", "data", "evaluation", "runtime", "reference")


@pytest.mark.parametrize("evidence", ["none", "bounded", "full_suite", None])
def test_all_combinations_of_fidelity(evidence):
    for levels in product(FIDELITIES, repeat=5):
        parts = dict(zip(_PARTS, levels, strict=True))
        found = derive_claim(RunFidelity(**parts), evidence=evidence)
        compared = [parts[name] for name in ("data", "evaluation", "reference")]
        if evidence != "full_suite" or "custom" in compared:
            expected = "diagnostic"
        elif set(levels) == {"locked"}:
            expected = "exact_reproduction"
        else:
            expected = "benchmark_comparable"
        assert found.claim == expected, (parts, evidence)
        assert found.reasons or found.claim == "exact_reproduction"
        for ceiling in CLAIMS:
            lowered = derive_claim(RunFidelity(**parts), evidence=evidence, at_most=ceiling)
            assert CLAIMS.index(lowered.claim) == min(CLAIMS.index(expected), CLAIMS.index(ceiling))


def test_of_two_ceilings_the_lower_counts():
    for first in (None, *CLAIMS):
        for second in (None, *CLAIMS):
            found = lower_claim(first, second)
            ranks = [CLAIMS.index(claim) for claim in (first, second) if claim is not None]
            assert found == (CLAIMS[min(ranks)] if ranks else None)
    with pytest.raises(UserError, match="no such claim"):
        lower_claim("diagnostic", "best")


def test_an_unknown_ceiling_is_refused():
    with pytest.raises(UserError, match="no such claim"):
        derive_claim(RunFidelity(**dict.fromkeys(_PARTS, "locked")), evidence="full_suite", at_most="best")
