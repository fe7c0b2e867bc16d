"""Tables of the docs that follow from the library's own."""

from __future__ import annotations

from collections.abc import Iterator

from fourdcb.metrics.criteria import Criteria
from fourdcb.metrics.result import AXES
from fourdcb.metrics.specs import MetricSpec, specs_of
from fourdcb.report.wording import quantity
from fourdcb.words import ENGLISH, load

BEGIN, END = "<!-- metrics: made by fourdcb.report.reference -->", "<!-- end of metrics -->"


def metrics_table(criteria: Criteria) -> str:
    """The judged metrics in Markdown: axis, name, what it says, what passes."""
    return "\n".join(["| axis | metric | what it says | passes |", "|---|---|---|---|", *_rows(criteria)])


def renewed(page: str, criteria: Criteria) -> str:
    """A page of the docs with the table between its two marks made anew.

    Raises:
        ValueError: the page has no marks.
    """
    before, begun, rest = page.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not begun or not ended:
        raise ValueError(f"the page lacks {BEGIN} or {END}")
    return f"{before}{BEGIN}\n\n{metrics_table(criteria)}\n\n{END}{after}"


def _rows(criteria: Criteria) -> Iterator[str]:
    words = load(ENGLISH)
    for axis in AXES:
        title = words.get(f"axes.{axis}.title", axis).lower()
        for k, spec in enumerate(specs_of(axis)):
            says = words.get(f"metrics.{spec.id}.says", "")
            yield f"| {title if k == 0 else ''} | `{spec.id}` | {says} | {_limit(spec, criteria)} |"


def _limit(spec: MetricSpec, criteria: Criteria) -> str:
    side = "<" if spec.direction == "below" else ">"
    value = criteria.thresholds[spec.id].value
    if spec.unit == "m":  # as the criteria file has it
        return f"{side} {value:g} m"
    return f"{side} {quantity(value, spec.unit, share=spec.form == 'share')}"
