"""The report as one page that needs nothing but itself, to be read on a screen or on paper."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from fourdcb.identity import StrPath, write_output
from fourdcb.metrics.result import Report
from fourdcb.report.edits import EditComparison
from fourdcb.report.pdf import pdf_bytes
from fourdcb.report.view import FindingPicture, page_view
from fourdcb.words import chosen


def render_html(
    report: Report,
    *,
    pictures: Sequence[FindingPicture] = (),
    edits: EditComparison | None = None,
) -> str:
    """The page as text: no script, no link to anywhere; light and dark; prints well.

    Args:
        report: what to show.
        pictures: failing frames, shown with the first finding of their frame.
        edits: what edits of the script changed, shown as before and after.
    """
    words = chosen()
    shown = page_view(report, pictures=pictures, edits=edits)
    return filled("report.html.j2", say=words.say, language=words.language, **shown)


def filled(template: str, **values: Any) -> str:
    """A template of the resources filled in, with the pages' style sheet as ``css``."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(_template),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(css=_template("report.css"), **values)


def write_page(
    report: Report,
    *,
    html: StrPath | None = None,
    pdf: StrPath | None = None,
    pictures: Sequence[FindingPicture] = (),
    edits: EditComparison | None = None,
) -> None:
    """Write the page of :func:`render_html` as an HTML file, a PDF, or both.

    Raises:
        MissingDependencyError: a PDF is asked for and weasyprint is not installed.
        UserError: its system libraries are missing, or a path cannot be written.
    """
    if html is None and pdf is None:
        return
    page = render_html(report, pictures=pictures, edits=edits)
    if html is not None:
        write_output(Path(html), page)
    if pdf is not None:
        write_output(Path(pdf), pdf_bytes(page))


def _template(name: str) -> str:
    return resources.files("fourdcb_resources").joinpath("report", name).read_text(encoding="utf-8")
