"""The thresholds that errors are measured against, read beside the window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fourdcb_studio.jobs.contract import JobKind


@dataclass(frozen=True, slots=True)
class CriteriaRequest:
    """Read the criteria by which the Studio judges."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriteriaResult:
    """Thresholds by metric, in the units of ``fourdcb/metrics/specs.py``."""

    thresholds: Mapping[str, float]


CRITERIA = JobKind(
    name="criteria",
    request=CriteriaRequest,
    place="pool",
    work="fourdcb_studio.workers.criteria:read_criteria",
)
