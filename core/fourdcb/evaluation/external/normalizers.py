"""From what an evaluator wrote to numbers by sample."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fourdcb.errors import UserError

Normalized = Mapping[str, Mapping[str, Any]]  # sample id → number's id → value
Normalizer = Callable[[str], Normalized]

_SAMPLE = "sample_id"


def normalizer(name: str) -> Normalizer:
    """The normalizer of a name.

    ``rows`` reads a JSON list of tables, JSON lines or CSV, each row with ``sample_id`` and numbers;
    ``table`` a JSON table ``{sample_id: {number: value}}``; ``module:function`` is given the text and
    returns such a table.

    Raises:
        UserError: there is no such normalizer.
    """
    if name in _BUILT_IN:
        return _BUILT_IN[name]
    if ":" not in name:
        raise UserError(
            f"there is no normalizer {name!r}", expected=", ".join([*_BUILT_IN, "module:function"])
        )
    from fourdcb.evaluation.resolver import as_function

    return as_function(name)


def normalized(
    text: str, *, by: str, samples: Sequence[str], numbers: Sequence[str], where: str
) -> dict[str, dict[str, Any]]:
    """Numbers of the planned samples; what the evaluator left out is not there.

    Args:
        text: raw output.
        by: name of the normalizer.
        samples: that were planned.
        numbers: that were declared; others are left aside.
        where: how to call the output in complaints.

    Raises:
        UserError: the output is malformed, or tells of samples that nobody planned.
    """
    try:
        table = normalizer(by)(text)
    except UserError as error:
        raise UserError(error.what, where=where, got=error.got, expected=error.expected) from error
    if not isinstance(table, Mapping) or not all(isinstance(row, Mapping) for row in table.values()):
        raise UserError("the normalizer gave no table", where=where, expected="{sample_id: {number: value}}")
    strangers = sorted(set(map(str, table)) - set(samples))
    if strangers:
        raise UserError(
            "the evaluator tells of samples that were not planned", where=where, got=", ".join(strangers[:5])
        )
    return {
        str(sample): {name: row[name] for name in numbers if name in row} for sample, row in table.items()
    }


def _rows(text: str) -> Normalized:
    found: dict[str, dict[str, Any]] = {}
    for k, row in enumerate(_parsed_rows(text), 1):
        if not isinstance(row, Mapping) or not isinstance(row.get(_SAMPLE), str):
            raise UserError(
                f"row {k} names no sample", got=str(row)[:100], expected=f"a table with {_SAMPLE}"
            )
        name = row[_SAMPLE]
        if name in found:
            raise UserError(f"two rows tell of the sample {name!r}")
        found[name] = {key: value for key, value in row.items() if key != _SAMPLE}
    return found


def _parsed_rows(text: str) -> list[Any]:
    stripped = text.lstrip()
    if stripped.startswith("["):
        return _json(text, list)
    if stripped.startswith("{"):
        return [_json(line, dict) for line in text.splitlines() if line.strip()]
    reader = csv.DictReader(io.StringIO(text))
    if reader.fieldnames is None or _SAMPLE not in reader.fieldnames:
        raise UserError(
            "the output is no list of rows",
            got=text[:100],
            expected=f"JSON, JSON lines or CSV with {_SAMPLE}",
        )
    return [
        {
            name: value if name == _SAMPLE else _number(value)
            for name, value in row.items()
            if name is not None
        }
        for row in reader
    ]


def _number(text: Any) -> Any:
    """A CSV field as the number it is; empty is no value, and what is no number stays text."""
    if not isinstance(text, str) or not text.strip():
        return None
    try:
        return float(text)
    except ValueError:
        return text


def _table(text: str) -> Normalized:
    found: Normalized = _json(text, dict)
    return found


def _json(text: str, kind: type) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError("the output is no JSON", got=f"{text[:80]!r}: {error}") from error
    if not isinstance(value, kind):
        raise UserError("the output has another shape", got=type(value).__name__, expected=kind.__name__)
    return value


_BUILT_IN: dict[str, Normalizer] = {"rows": _rows, "table": _table}
