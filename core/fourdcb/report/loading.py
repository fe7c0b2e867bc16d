"""Checks of a stored report that its types do not make: what is drawn must be numbers of the right shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from fourdcb.metrics.result import Report
from fourdcb.metrics.series import SERIES

_PER_FRAME = ("psnr", "ssim")
_LARGEST = 1e12  # beyond every metre, joule and frame number; keeps drawings in range


def complaints(report: Report) -> Iterator[str]:
    """What is wrong with the parts of a loaded report that are free-form in its types."""
    edits = report.inputs.get("edits", {})
    if not isinstance(edits, Mapping) or not all(_is_number(value) for value in edits.values()):
        yield "inputs.edits is not a table of numbers"
    for role, entry in report.inputs.items():
        if isinstance(entry, Mapping) and not isinstance(entry.get("path", ""), str):
            yield f"inputs.{role}.path is not text"
        elif isinstance(entry, Mapping) and role in ("code", "video") and "path" not in entry:
            yield f"inputs.{role} has no path"
    for k, finding in enumerate(report.findings):
        if finding.frame is not None and abs(finding.frame) > _LARGEST:
            yield f"findings[{k}].frame is out of range"
    times = report.series.get("times", [])
    if not _holds_numbers(times, columns=None):
        yield "series.times is not a list of numbers"
        return
    for name in _PER_FRAME:
        values = report.series.get(name, [])
        if not isinstance(values, list) or not _holds_numbers([v for v in values if v is not None], None):
            yield f"series.{name} is not a list of numbers"
    yield from _object_complaints(report.series.get("objects", {}), count=len(times))


def _object_complaints(objects: Any, *, count: int) -> Iterator[str]:
    if not isinstance(objects, Mapping):
        yield "series.objects is not a table"
        return
    for name, entry in objects.items():
        if not isinstance(entry, Mapping):
            yield f"series.objects.{name} is not a table"
            continue
        for row in SERIES:
            if row.id not in entry and not row.required:
                continue
            values = entry.get(row.id, [])
            if not _holds_numbers(values, columns=3 if row.vector else None) or len(values) != count:
                yield f"series.objects.{name}.{row.id} does not hold {count} frames of numbers"
        frames = entry.get("frames_in_horizon", count)
        if isinstance(frames, bool) or not isinstance(frames, int) or not 0 <= frames <= count:
            yield f"series.objects.{name}.frames_in_horizon is not a number of frames"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST


def _holds_numbers(values: Any, columns: int | None) -> bool:
    """Whether a list is an array of finite numbers, shape (T,), or (T, columns)."""
    if not isinstance(values, list):
        return False
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        return False
    if array.size == 0:
        return True
    shape = (len(values),) if columns is None else (len(values), columns)
    return array.shape == shape and array.dtype.kind in "iuf" and bool(np.all(np.abs(array) <= _LARGEST))
