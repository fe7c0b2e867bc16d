"""Claims are derived from what a run was made of; nobody can raise one by asking."""

from __future__ import annotations

from dataclasses import dataclass

from fourdcb.errors import UserError
from fourdcb.evaluation.api.benchmark import Evidence
from fourdcb.evaluation.api.fidelity import CLAIMS, Claim, RunFidelity

# What a benchmark's evidence allows at most.
_CEILING: dict[Evidence, Claim] = {
    "none": "diagnostic",
    "bounded": "diagnostic",
    "full_suite": "exact_reproduction",
}
_COMPARED = ("data", "evaluation", "reference")  # parts that two runs must share to be compared


@dataclass(frozen=True, slots=True)
class DerivedClaim:
    """A claim, and what keeps it from being a stronger one."""

    claim: Claim
    reasons: tuple[str, ...]


def check_claim(claim: str) -> None:
    """Raises UserError when there is no such claim."""
    if claim not in CLAIMS:
        raise UserError("there is no such claim", got=repr(claim), expected=", ".join(CLAIMS))


def lower_claim(first: Claim | None, second: Claim | None) -> Claim | None:
    """The lower of two ceilings; None is no ceiling. Raises UserError when one is no claim."""
    ceilings = [claim for claim in (first, second) if claim is not None]
    for claim in ceilings:
        check_claim(claim)
    return min(ceilings, key=CLAIMS.index, default=None)


def derive_claim(
    fidelity: RunFidelity, *, evidence: Evidence | None, at_most: Claim | None = None
) -> DerivedClaim:
    """The strongest claim that a run may make.

    Args:
        fidelity: of its parts.
        evidence: of the benchmark; None for a run without a benchmark.
        at_most: a caller's own, lower ceiling; a higher one changes nothing.

    Raises:
        UserError: for a ceiling that is no claim.
    """
    if at_most is not None:
        check_claim(at_most)
    parts = {name: getattr(fidelity, name) for name in fidelity.__dataclass_fields__}
    reasons = [f"{name} is custom" for name in _COMPARED if parts[name] == "custom"]
    if reasons:
        found: Claim = "diagnostic"
    else:
        loose = [f"{name} is {level}, not locked" for name, level in parts.items() if level != "locked"]
        found = "benchmark_comparable" if loose else "exact_reproduction"
        reasons = loose
    ceilings: list[tuple[Claim, str]] = [
        (_CEILING[evidence], f"the catalog has {evidence} evidence for this benchmark")
        if evidence is not None
        else ("diagnostic", "the run has no benchmark")
    ]
    if at_most is not None:
        ceilings.append((at_most, f"the caller asked for {at_most} at most"))
    for ceiling, why in ceilings:
        if CLAIMS.index(ceiling) < CLAIMS.index(found):
            found = ceiling
            reasons.append(why)
    return DerivedClaim(found, tuple(reasons))
