"""What went wrong, where and when: everything that is found, in the order in which people are told."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from fourdcb.metrics.comparison import Comparison
from fourdcb.metrics.criteria import Criteria
from fourdcb.metrics.findings.confusion import confusion_findings
from fourdcb.metrics.findings.contact import contact_findings
from fourdcb.metrics.findings.geometry import geometry_findings, matching_findings
from fourdcb.metrics.findings.light import light_findings
from fourdcb.metrics.findings.motion import motion_findings
from fourdcb.metrics.kinds import finding, rank
from fourdcb.metrics.result import Axis, AxisResult, Finding


def all_findings(c: Comparison, axes: Mapping[Axis, AxisResult], criteria: Criteria) -> tuple[Finding, ...]:
    """All findings, the most important first (see ``in_order``)."""
    found: list[Finding] = [*confusion_findings(c, axes), *matching_findings(c)]
    found += geometry_findings(c, axes["geometry"], axes["time"], criteria)
    if axes["physics"].passed is False or axes["geometry"].passed is False:
        found += contact_findings(c, axes["physics"], criteria)
        found += motion_findings(c)
    found += _replay_rate(axes["time"], criteria)
    found += light_findings(c, axes["material_light"], criteria)
    return in_order(found)


def _replay_rate(time: AxisResult, criteria: Criteria) -> list[Finding]:
    rate = time.metrics["replay_fps"]
    if rate.value is None or rate.passed is not False:
        return []
    told: dict[str, Any] = {"form": "slow"}
    if rate.detail.get("spread", 0.0) >= criteria.replay_spread:
        told = {"form": "uneven", "spread": rate.detail["spread"], "hz": rate.detail["paced_hz"],
                "allowed": criteria.replay_spread}  # fmt: skip
    return [finding("replay_rate", measured=rate.value, expected=rate.threshold, **told)]


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Errors before remarks, causes before their consequences, of one kind the worst first.

    What is said twice is kept once.
    """
    unique = {(f.kind, f.frame, f.objects, f.measured, repr(f.arguments)): f for f in findings}
    severities = ("error", "warning", "info")
    return tuple(
        sorted(
            unique.values(),
            key=lambda f: (
                severities.index(f.severity),
                rank(f.kind),
                -_gap(f),
                -1 if f.frame is None else f.frame,
                f.objects,
            ),
        )
    )


def _gap(finding: Finding) -> float:
    """How far off it is in its own unit: comparable among findings of one kind.

    What happens in one of the two worlds only is further off than anything that happens in both.
    """
    if finding.measured is None and finding.expected is None:
        return 0.0
    if finding.measured is None or finding.expected is None:
        return math.inf
    return abs(finding.measured - finding.expected)
