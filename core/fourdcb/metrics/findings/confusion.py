"""Findings about units and axes that a script seems to have confused: one reason for many wrong numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fourdcb.metrics.comparison import Comparison
from fourdcb.metrics.kinds import finding
from fourdcb.metrics.result import Axis, AxisResult, Finding
from fourdcb.world.confusions import Confusion, Subject, confusions

_AXIS: Mapping[Subject, Axis] = {
    "sizes": "geometry", "positions": "geometry", "turns": "geometry", "axes": "geometry",
    "velocities": "physics", "spins": "physics", "masses": "physics",
    "colours": "material_light", "lights": "material_light",
}  # fmt: skip
_FORMS: Mapping[Subject, str] = {"turns": "degrees", "lights": "degrees", "axes": "axes"}


def confusion_findings(c: Comparison, axes: Mapping[Axis, AxisResult]) -> Iterator[Finding]:
    """One finding for each confusion that makes the numbers plausible; none where nothing failed."""
    failed = {axis for axis, result in axes.items() if result.passed is False}
    for found in confusions(c.candidate.world, c.reference.world):
        axis = _AXIS[found.subjects[0]]
        if axis in failed or (axis != "material_light" and failed & {"geometry", "physics"}):
            yield confusion_finding(found)


def confusion_finding(found: Confusion) -> Finding:
    """``all sizes ≈ 100 × those of the reference: centimetres?``"""
    form = "factor" if found.factor is not None else _FORMS.get(found.subjects[0], "plain")
    return finding(
        "confusion", *found.objects, axis=_AXIS[found.subjects[0]], measured=found.factor or found.error,
        expected=1.0 if found.factor else found.error_so_read,
        form=form, subjects=found.subjects, reading=found.reading,
    )  # fmt: skip
