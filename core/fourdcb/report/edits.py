"""What edits of a script change: values, verdicts and figures before and after, pictures of one frame."""

from __future__ import annotations

from dataclasses import dataclass

from fourdcb.metrics.result import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedValue:
    """One edited parameter.

    Attributes:
        path: such as ``cup.restitution``.
        before, after: its values in ``unit``.
        unit: "" for plain numbers.
    """

    path: str
    before: float
    after: float
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditComparison:
    """A judged candidate beside itself without the edits; the report it stands in says what is after.

    Attributes:
        values: what was edited.
        before: the judgement without the edits; None when there is none.
        frame: the frame that the pictures show.
        pictures: (name, PNG file's bytes), such as original, before, after.
    """

    values: tuple[EditedValue, ...]
    before: Report | None = None
    frame: int = 0
    pictures: tuple[tuple[str, bytes], ...] = ()


def failing_frame(report: Report | None, *, preferred: int) -> int:
    """The frame at which a report's failures show: the preferred one if it is among them, else the first."""
    findings = () if report is None else report.findings
    frames = [f.frame for f in findings if f.frame is not None and f.severity == "error"]
    return preferred if preferred in frames or not frames else min(frames)
