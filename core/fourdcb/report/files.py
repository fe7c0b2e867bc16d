"""report.json: written whole, read back into the same types; its series inside, or in a file beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from fourdcb.errors import UserError
from fourdcb.identity import StrPath, write_output
from fourdcb.metrics.result import REPORT_FORMAT, REPORT_VERSION, REPORT_VERSION_BESIDE, Report
from fourdcb.metrics.series_file import read_series, series_name, with_series_beside
from fourdcb.metrics.stored import without_sentences
from fourdcb.report.loading import complaints

SeriesPlace = Literal["inside", "beside"]


def write_report(report: Report, path: StrPath, *, series: SeriesPlace = "inside") -> None:
    """Write ``report.json``; a file appears whole or not at all.

    Args:
        report: what to write.
        path: the file.
        series: ``inside`` makes one file that says everything, to be handed on; ``beside`` writes
            ``series.npz`` (``NAME.series.npz`` for ``NAME.json``) next to it: where many reports lie
            together they are looked through several times faster.

    Raises:
        UserError: the folder does not exist or cannot be written.
        ValueError: a non-finite number hides in the report.
    """
    path = Path(path)
    if series == "inside":
        write_output(path, report_text(report))
        return
    text, content = report_with_series_beside(report, series_name(path))
    # The series first: no report ever names a file that is not there yet.
    write_output(path.parent / series_name(path), content)
    write_output(path, text)


def report_text(report: Report) -> str:
    """The report.json with everything inside. Raises ValueError for a number that is not finite."""
    return _text(report.to_json())


def report_with_series_beside(report: Report, name: str) -> tuple[str, bytes]:
    """The report.json that refers to a file of this name beside it, and that file's content."""
    document, content = with_series_beside(report.to_json(), name)
    return _text(document), content


def _text(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def load_report(path: StrPath) -> Report:
    """Read a ``report.json``, and the file of its series where they stand beside it.

    Raises:
        UserError: a file is missing, is not JSON, is of another format or version, or a field is wrong.
    """
    path = Path(path)
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError("the report cannot be read", where=str(path), got=error.strerror) from error
    except UnicodeDecodeError as error:
        raise UserError("the report is not UTF-8 text", where=str(path)) from error
    except json.JSONDecodeError as error:
        raise UserError(
            "the report is not valid JSON",
            where=f"{path}:{error.lineno}:{error.colno}",
            got=error.msg,
            hint="was it cut off? judge again with `fourdcb eval`",
        ) from error
    except ValueError as error:  # a number of thousands of digits
        raise UserError("the report is not valid JSON", where=str(path), got=str(error)) from error
    except RecursionError as error:
        raise UserError("the report is nested too deeply", where=str(path)) from error
    return _structured(document, path)


def _structured(document: Any, path: Path) -> Report:
    where = str(path)
    if not isinstance(document, dict) or document.get("format") != REPORT_FORMAT:
        got = document.get("format") if isinstance(document, dict) else type(document).__name__
        raise UserError(
            "the file is not a report",
            where=where,
            got=f"format {got!r}",
            expected=f"format {REPORT_FORMAT!r}",
        )
    version = document.get("version")
    if version not in (REPORT_VERSION, REPORT_VERSION_BESIDE):
        raise UserError(
            "the report has another version",
            where=where,
            got=f"version {version!r}",
            expected=f"version {REPORT_VERSION} or {REPORT_VERSION_BESIDE}",
            hint="judge again with this release, or read it with the release that wrote it",
        )
    fields = {key: value for key, value in document.items() if key not in ("format", "version")}
    findings = fields.get("findings")
    if isinstance(findings, list):
        fields["findings"] = [without_sentences(f) if isinstance(f, dict) else f for f in findings]
    if version == REPORT_VERSION_BESIDE:
        fields["series"] = read_series(fields.get("series"), path)
    from cattrs import BaseValidationError, Converter, transform_error

    converter = Converter(forbid_extra_keys=True)
    try:
        report = converter.structure(fields, Report)
    except BaseValidationError as error:
        problems = transform_error(error, path="report")
        raise UserError("the report is malformed", where=where, got="; ".join(problems[:5])) from error
    wrong = list(complaints(report))
    if wrong:
        raise UserError("the report is malformed", where=where, got="; ".join(wrong[:5]))
    return report
