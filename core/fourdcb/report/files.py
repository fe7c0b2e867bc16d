"""report.json: written whole, read back into the same types."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fourdcb.errors import UserError
from fourdcb.identity import StrPath, write_output
from fourdcb.metrics.result import Report
from fourdcb.metrics.stored import without_sentences
from fourdcb.report.loading import complaints

FORMAT, VERSION = "fourdcb.report", 1


def write_report(report: Report, path: StrPath) -> None:
    """Write ``report.json``; the file appears whole or not at all.

    Raises:
        UserError: the folder does not exist or cannot be written.
        ValueError: a non-finite number hides in the report.
    """
    text = json.dumps(report.to_json(), ensure_ascii=False, indent=1, allow_nan=False)
    write_output(Path(path), text + "\n")


def load_report(path: StrPath) -> Report:
    """Read a ``report.json``.

    Raises:
        UserError: the file is missing, is not JSON, is of another format or version, or a field is wrong.
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
    return _structured(document, where=str(path))


def _structured(document: Any, *, where: str) -> Report:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        got = document.get("format") if isinstance(document, dict) else type(document).__name__
        raise UserError(
            "the file is not a report", where=where, got=f"format {got!r}", expected=f"format {FORMAT!r}"
        )
    if document.get("version") != VERSION:
        raise UserError(
            "the report has another version",
            where=where,
            got=f"version {document.get('version')!r}",
            expected=f"version {VERSION}",
            hint="judge again with this release, or read it with the release that wrote it",
        )
    fields = {key: value for key, value in document.items() if key not in ("format", "version")}
    findings = fields.get("findings")
    if isinstance(findings, list):
        fields["findings"] = [without_sentences(f) if isinstance(f, dict) else f for f in findings]
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
