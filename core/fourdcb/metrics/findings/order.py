"""What went wrong, where and when, in sentences that an engineer reads without a manual."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from fourdcb.metrics.comparison import Comparison
from fourdcb.metrics.criteria import Criteria
from fourdcb.metrics.findings.confusion import confusion_findings
from fourdcb.metrics.findings.contact import contact_findings
from fourdcb.metrics.findings.geometry import geometry_findings, matching_findings
from fourdcb.metrics.findings.light import light_findings
from fourdcb.metrics.findings.motion import motion_findings
from fourdcb.metrics.result import Axis, AxisResult, Finding

_ORDER = (
    "confusion",
    "missing_object", "extra_object", "wrong_kind", "penetration", "restitution", "friction", "no_bounce",
    "extra_bounce", "bounce_height", "missed_contact", "extra_contact", "contact_time",
    "contact_length", "slide", "topple", "rest", "surface", "shape", "size", "position", "rotation",
    "light_direction", "light_drift", "roughness", "metallic", "shadow", "appearance", "drift",
    "replay_rate", "foreign", "horizon", "clip",
)  # fmt: skip


def all_findings(c: Comparison, axes: Mapping[Axis, AxisResult], criteria: Criteria) -> tuple[Finding, ...]:
    """All findings, the most important first (see ``in_order``)."""
    found: list[Finding] = [*confusion_findings(c, axes), *matching_findings(c)]
    found += geometry_findings(c, axes["geometry"], axes["time"], criteria)
    if axes["physics"].passed is False or axes["geometry"].passed is False:
        found += contact_findings(c, axes["physics"], criteria)
        found += motion_findings(c)
    found += _replay_rate(axes["time"])
    found += light_findings(c, axes["material_light"], criteria)
    return in_order(found)


def _replay_rate(time: AxisResult) -> list[Finding]:
    rate = time.metrics["replay_fps"]
    if rate.value is None or rate.passed is not False:
        return []
    message = f"the replay draws {rate.value:.0f} frames/s (more than {rate.threshold:g} are needed)"
    if rate.reason:
        message = f"the replay is {rate.reason}"
    return [
        Finding(
            frame=None, time=None, axis="time", objects=(), kind="replay_rate", message=message,
            measured=rate.value, expected=rate.threshold, unit=rate.unit,
        )
    ]  # fmt: skip


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Errors before remarks, causes before their consequences, of one kind the worst first.

    Equal messages are kept once.
    """
    unique = {f.message: f for f in findings}.values()
    severities = ("error", "warning", "info")
    return tuple(
        sorted(
            unique,
            key=lambda f: (
                severities.index(f.severity),
                _ORDER.index(f.kind),
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
