"""Findings about contact coefficients: of one pair, or of all that have the same fault."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

from fourdcb.metrics.result import Finding
from fourdcb.world.contact import ContactProperty

Pair = tuple[str, str]
COEFFICIENTS: tuple[ContactProperty, ...] = ("restitution", "friction")


def pair_arguments(pairs: Sequence[Pair], *, together: bool) -> dict[str, Any]:
    """What the sentence says of pairs (mover, other) that all have one coefficient.

    Args:
        together: whether both bodies have a share in the number.
    """
    others = {other for _, other in pairs}
    if len(others) > 1:
        return {"form": "pairs", "pairs": tuple(pairs), "together": together}
    movers = tuple(mover for mover, _ in pairs)
    surface = others.pop()
    return {
        "form": "on_one",
        "movers": movers,
        "count": len(movers),
        "surface": surface,
        "together": together,
    }


def folded(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings with those of one coefficient, equal numbers and an equal suggestion made one.

    It stands where the first of them stood, at the earliest frame of all, and keeps all their objects.
    """
    groups: dict[Hashable, list[Finding]] = {}
    for k, finding in enumerate(findings):
        groups.setdefault(_fault(finding) if finding.kind in COEFFICIENTS else k, []).append(finding)
    return tuple(group[0] if len(group) == 1 else _one(group) for group in groups.values())


def _fault(finding: Finding) -> Hashable:
    cause, together = finding.likely_cause, bool(finding.arguments.get("together"))
    told = None if cause is None else (cause.parameter.partition(".")[2], cause.current, cause.suggested)
    numbers = finding.kind, finding.severity, _digits(finding.measured), _digits(finding.expected)
    return numbers, told, together or finding.objects[1]


def _one(group: Sequence[Finding]) -> Finding:
    first = min(group, key=lambda f: (f.frame is None, f.frame))
    pairs = [(f.objects[0], f.objects[1]) for f in group]
    names = dict.fromkeys([*(mover for mover, _ in pairs), *(other for _, other in pairs)])
    causes = [f.likely_cause for f in group if f.likely_cause is not None]
    paths = list(dict.fromkeys(cause.parameter for cause in causes))
    return replace(
        first,
        objects=tuple(names),
        arguments=pair_arguments(pairs, together=bool(first.arguments.get("together"))),
        likely_cause=replace(causes[0], alike=tuple(paths[1:])) if causes else None,
    )


def _digits(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
