"""Sentences about contact coefficients: of one pair, or of all that have the same fault."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

from fourdcb.metrics.result import Finding
from fourdcb.words import listed

Pair = tuple[str, str]
_VERBS = {"restitution": "bounce", "friction": "slide"}
_TOGETHER = " (of the two together)"


def sentence(pairs: Sequence[Pair], prop: str, own: float, truth: float, *, together: bool) -> str:
    """What some pairs (mover, other) do with which coefficient, and with which the reference does.

    Args:
        together: whether both bodies have a share in the number.
    """
    verb = _VERBS[prop] + ("s" if len(pairs) == 1 else "")
    text = f"{verb} with {prop} {own:.2f}"
    others = {other for _, other in pairs}
    if len(others) == 1:
        text = f"{listed([mover for mover, _ in pairs])} {text} on {others.pop()}"
    else:
        text = f"{listed([f'{mover} on {other}' for mover, other in pairs], 'pairs')} {text}"
    return f"{text}, the reference with {truth:.2f}{_TOGETHER if together else ''}"


def folded(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings with those of one coefficient, equal numbers and an equal suggestion made one.

    It stands where the first of them stood, at the earliest frame of all, and keeps all their objects.
    """
    groups: dict[Hashable, list[Finding]] = {}
    for k, finding in enumerate(findings):
        groups.setdefault(_fault(finding) if finding.kind in _VERBS else k, []).append(finding)
    return tuple(group[0] if len(group) == 1 else _one(group) for group in groups.values())


def _fault(finding: Finding) -> Hashable:
    cause, together = finding.likely_cause, finding.message.endswith(_TOGETHER)
    told = None if cause is None else (cause.parameter.partition(".")[2], cause.current, cause.suggested)
    numbers = finding.kind, finding.severity, _digits(finding.measured), _digits(finding.expected)
    return numbers, told, together or finding.objects[1]


def _one(group: Sequence[Finding]) -> Finding:
    first = min(group, key=lambda f: (f.frame is None, f.frame))
    pairs = [(f.objects[0], f.objects[1]) for f in group]
    names = dict.fromkeys([*(mover for mover, _ in pairs), *(other for _, other in pairs)])
    assert first.measured is not None  # every coefficient is known
    assert first.expected is not None
    together = first.message.endswith(_TOGETHER)
    text = sentence(pairs, first.kind, first.measured, first.expected, together=together)
    causes = [f.likely_cause for f in group if f.likely_cause is not None]
    paths = list(dict.fromkeys(cause.parameter for cause in causes))
    return replace(
        first,
        objects=tuple(names),
        message=f"frame {first.frame}: {text}",
        likely_cause=replace(causes[0], alike=tuple(paths[1:])) if causes else None,
    )


def _digits(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
