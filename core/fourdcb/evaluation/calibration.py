"""Sizes of faults found anew: just within all thresholds, and just beyond those that the fault must fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fourdcb.dataset.faults import Fault, FaultSize, start_value
from fourdcb.dataset.layout import REFERENCE_NAME
from fourdcb.errors import UserError
from fourdcb.evaluation.confusion import FaultScene
from fourdcb.identity import StrPath
from fourdcb.physics import make_engine
from fourdcb.progress import NullProgress, Progress

_NEARER, _FARTHER = 0.85, 1.15  # steps of a size's distance from the truth
_TRIES = 24
_DIGITS = 3  # of the distance
_NEAR: tuple[FaultSize, ...] = ("just_under", "just_over")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    """A fault whose sizes did not get what they deserve, with sizes that do."""

    scene: str
    fault: str
    values: Mapping[FaultSize, float]


def mend_sizes(
    root: StrPath, faults: Mapping[str, Sequence[Fault]], *, progress: Progress | None = None
) -> list[Mended]:
    """Judge every fault in its three sizes; where a size is off, look for the two that lie at the thresholds.

    What a fault is and which axes it fails is never changed: only how far from the truth the sizes lie.

    Args:
        root: folder of the scene folders.
        faults: by scene.
        progress: told of every fault.

    Raises:
        UserError: for a bad truth; for a perfect copy that does not pass, a far fault that does not get what
            it deserves, or one that has no such sizes, all of them together.
    """
    told = progress or NullProgress()
    told.start("judging", sum(map(len, faults.values())))
    found, wrong = [], list[str]()
    with make_engine() as engine:
        for name, each in faults.items():
            scene = FaultScene(Path(root) / name / REFERENCE_NAME, engine)
            for fault in each:
                values, complaint = _mended(scene, fault)
                if complaint:
                    wrong.append(complaint)
                elif values:
                    found.append(Mended(scene=name, fault=fault.name, values=values))
                told.advance()
    if wrong:
        raise UserError(
            "faults do not get what they deserve",
            where=str(root),
            got="; ".join(wrong),
            hint="choose other far values, or state the axes that they fail",
        )
    return found


def _mended(scene: FaultScene, fault: Fault) -> tuple[Mapping[FaultSize, float], str]:
    """Sizes that get what they deserve, none when they do already; and what is wrong with them still."""
    complaint = _complaint(scene, fault, "far")
    if complaint or fault.parameter is None or not any(_complaint(scene, fault, size) for size in _NEAR):
        return {}, complaint
    start, far = start_value(scene.source, fault), fault.values["far"]

    def at(share: float) -> float:
        return float(f"{start + float(f'{share * (far - start):.{_DIGITS}g}'):.6g}")

    sizes, still = dict(fault.values), []
    for size, factor in zip(_NEAR, (_NEARER, _FARTHER), strict=True):
        share = (sizes[size] - start) / (far - start)
        for _ in range(_TRIES):
            still_wrong = _complaint(scene, replace(fault, values=sizes), size)
            if not still_wrong:
                break
            share *= factor
            sizes[size] = at(min(share, 1.0))
        else:
            still.append(still_wrong)
    return sizes, "; ".join(still)


def _complaint(scene: FaultScene, fault: Fault, size: FaultSize) -> str:
    """What is not as the fault deserves; "" when all is."""
    cell = scene.cell(fault, size)
    if not cell.complaints:
        return ""
    failed = ", ".join(cell.failed) or "none"
    return (
        f"{scene.name}.{fault.name} {cell.size} = {cell.value} fails {failed}: {', '.join(cell.complaints)}"
    )
