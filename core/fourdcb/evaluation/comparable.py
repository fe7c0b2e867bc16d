"""What a verdict may be compared with: criteria, truth and video enter by their hashes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from fourdcb.metrics import Criteria, load_criteria

_LOCK = ".lock.json"


def why_incomparable(criteria: Criteria, inputs: Mapping[str, Any]) -> str | None:
    """Why a judgement is comparable with nobody else's; None when it is.

    It is when thresholds, truth script and video are those of one sample of a benchmark that is shipped with
    its hashes. Another criteria file can make a wrong answer pass, and so can another truth.

    Args:
        criteria: that are judged by.
        inputs: of the report; ``reference`` and ``video`` with their ``sha256``.
    """
    if criteria != load_criteria():
        return "the criteria are not the shipped ones"
    given = tuple(str(_record(inputs, part).get("sha256", "")) for part in ("reference", "video"))
    if (criteria.sha256, *given) not in _samples():
        return "truth and video are not a sample of a shipped benchmark"
    return None


def _record(inputs: Mapping[str, Any], part: str) -> Mapping[str, Any]:
    record = inputs.get(part)
    return record if isinstance(record, Mapping) else {}


@cache
def _samples() -> frozenset[tuple[str, str, str]]:
    """Hashes of criteria, truth and video of every sample that a shipped lock holds."""
    folder = files("fourdcb_resources") / "catalogs"
    locks = (json.loads(f.read_text(encoding="utf-8")) for f in folder.iterdir() if f.name.endswith(_LOCK))
    return frozenset(
        (lock["criteria"], sample["reference"], sample["video"])
        for lock in locks
        for sample in lock["samples"].values()
    )
