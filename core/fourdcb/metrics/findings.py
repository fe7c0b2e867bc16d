"""What went wrong, where and when, in sentences that an engineer reads without a manual."""

from __future__ import annotations

from collections.abc import Mapping

from fourdcb.metrics.comparison import Comparison
from fourdcb.metrics.criteria import Criteria
from fourdcb.metrics.result import Axis, AxisResult, Finding


def all_findings(c: Comparison, axes: Mapping[Axis, AxisResult], criteria: Criteria) -> tuple[Finding, ...]:
    """All findings, the most important first."""
    return ()
