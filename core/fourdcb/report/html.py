"""The report as one HTML page that needs nothing but itself."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from fourdcb.identity import StrPath, write_output
from fourdcb.metrics.result import Report
from fourdcb.report.edits import EditComparison
from fourdcb.report.view import FindingPicture, page_view


def render_html(
    report: Report,
    *,
    pictures: Sequence[FindingPicture] = (),
    edits: EditComparison | None = None,
    title: str | None = None,
) -> str:
    """The page as text: no script, no link to anywhere; light and dark; prints well.

    Args:
        report: what to show.
        pictures: failing frames, shown with the first finding of their frame.
        edits: what edits of the script changed, shown as before and after.
        title: default the names of the inputs.
    """
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(_template),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    shown = page_view(report, pictures=pictures, edits=edits, title=title)
    return environment.get_template("report.html.j2").render(css=_template("report.css"), **shown)


def write_html(
    report: Report,
    path: StrPath,
    *,
    pictures: Sequence[FindingPicture] = (),
    edits: EditComparison | None = None,
    title: str | None = None,
) -> None:
    """Write :func:`render_html`'s page. Raises UserError when the path cannot be written."""
    write_output(Path(path), render_html(report, pictures=pictures, edits=edits, title=title))


def _template(name: str) -> str:
    return resources.files("fourdcb_resources").joinpath("report", name).read_text(encoding="utf-8")
