"""Keeps a judgement as a case of a library, with a picture of where it fails."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fourdcb.evaluation.thumbnail import thumbnail
from fourdcb.identity import StrPath
from fourdcb.library import add_case
from fourdcb.library.scan import REPORT_NAME
from fourdcb.metrics.result import Report
from fourdcb.metrics.series_file import series_name
from fourdcb.report.files import report_with_series_beside
from fourdcb.report.pictures import png_bytes

if TYPE_CHECKING:
    from fourdcb.evaluation import Evaluation


def store_case(evaluation: Evaluation, report: Report, library: StrPath, *, title: str | None = None) -> Path:
    """Store script, truth, video, report and a thumbnail in a library.

    Args:
        evaluation: what was judged.
        report: the report as it was written.
        library: folder of the library; made when missing.
        title: what the case is called; default scene and candidate.

    Returns:
        The case's folder.

    Raises:
        UserError: a file cannot be read, or the library not be written.
    """
    paths = {role: Path(entry["path"]) for role, entry in report.inputs.items() if entry}
    image = thumbnail(evaluation)
    text, series = report_with_series_beside(report, series_name(Path(REPORT_NAME)))
    return add_case(
        library,
        report=text,
        series=series,
        script=paths["code"],
        video=paths["video"],
        reference=paths.get("reference"),
        picture=None if image is None else png_bytes(image),
        title=title,
    )
