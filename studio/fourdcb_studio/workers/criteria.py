"""Reads the criteria; the window goes on meanwhile."""

from __future__ import annotations

from fourdcb.metrics import load_criteria
from fourdcb.progress import Progress
from fourdcb_studio.jobs.criteria import CriteriaRequest, CriteriaResult


def read_criteria(request: CriteriaRequest, progress: Progress) -> CriteriaResult:
    """Every threshold by its metric. Raises UserError when the criteria are damaged."""
    progress.start("reading the criteria", 1)
    found = load_criteria(None).thresholds
    return CriteriaResult(thresholds={name: limit.value for name, limit in found.items()})
