"""Findings about units and axes that a script seems to have confused: one doubt behind many wrong numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fourdcb.metrics.comparison import Comparison
from fourdcb.metrics.result import Axis, AxisResult, Finding
from fourdcb.words import listed
from fourdcb.world.confusions import Confusion, Subject, confusions

_AXIS: Mapping[Subject, Axis] = {
    "sizes": "geometry", "positions": "geometry", "turns": "geometry", "axes": "geometry",
    "velocities": "physics", "spins": "physics", "masses": "physics",
    "colours": "material_light", "lights": "material_light",
}  # fmt: skip


def confusion_findings(c: Comparison, axes: Mapping[Axis, AxisResult]) -> Iterator[Finding]:
    """One doubt for each confusion that makes the numbers plausible; none where nothing failed."""
    failed = {axis for axis, result in axes.items() if result.passed is False}
    for found in confusions(c.candidate.world, c.reference.world):
        axis = _AXIS[found.subjects[0]]
        if axis not in failed and not (axis != "material_light" and failed & {"geometry", "physics"}):
            continue
        yield Finding(
            frame=None, time=None, axis=axis, objects=found.objects, kind="confusion",
            message=sentence(found), measured=found.factor or found.error,
            expected=1.0 if found.factor else found.error_so_read,
        )  # fmt: skip


def sentence(found: Confusion) -> str:
    """``all sizes ≈ 100 × those of the reference: centimetres?``"""
    if found.factor is not None:
        subjects = listed(found.subjects, most=3)
        return f"all {subjects} ≈ {found.factor:.4g} × those of the reference: {found.reading}?"
    numbers = f"{_amount(found, found.error)} off as they stand, {_amount(found, found.error_so_read)}"
    what = "positions, velocities and fields" if found.subjects == ("axes",) else listed(found.subjects)
    return f"{what} are {numbers} when read as {found.reading}: {found.reading}?"


def _amount(found: Confusion, value: float | None) -> str:
    assert value is not None  # there is an error where there is no factor
    return {
        "turns": f"{value:.0f}°", "lights": f"{value:.0f}°", "axes": f"{value:.2g} m (m/s, m/s²)",
    }.get(found.subjects[0], f"{value:.2g}")  # fmt: skip
