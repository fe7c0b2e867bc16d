"""Series of a report in a file beside it: ``.npz`` with one array for each list of numbers.

A report is mostly series of numbers by frame. Where many reports lie together, whoever looks through them
should read what they say and nothing else.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.errors import UserError
from fourdcb.metrics.result import REPORT_VERSION_BESIDE

FORMAT, VERSION = "fourdcb.series", 1
_HEADER = "header"
_ARRAY = "array"  # in the header: a list of numbers that is an array of this name
_LITERAL = "literal"  # anything else, as it is
_EXACT = 2**53  # integers up to here are the same as floats


def series_name(report: Path) -> str:
    """Name of the file of a report's series: ``series.npz`` for ``report.json``, else ``NAME.series.npz``."""
    return "series.npz" if report.name == "report.json" else f"{report.stem}.series.npz"


def pack_series(series: Mapping[str, Any]) -> bytes:
    """The file's content. Raises ValueError for a number that is not finite."""
    arrays: dict[str, NDArray[Any]] = {}
    layout = _packed(series, arrays)
    header = {"format": FORMAT, "version": VERSION, "layout": layout}
    buffer = io.BytesIO()
    stored: dict[str, Any] = {
        _HEADER: np.array(json.dumps(header, ensure_ascii=True, allow_nan=False)), **arrays
    }  # fmt: skip
    np.savez_compressed(buffer, **stored)
    return buffer.getvalue()


def with_series_beside(document: Mapping[str, Any], name: str) -> tuple[dict[str, Any], bytes]:
    """A report's JSON value that refers to a file of this name beside it, and that file's content."""
    content = pack_series(document["series"])
    told = {"version": REPORT_VERSION_BESIDE, "series": reference_to(name, content)}
    return {**document, **told}, content


def reference_to(name: str, content: bytes) -> dict[str, str]:
    """What the report says instead of its series."""
    return {"file": name, "sha256": hashlib.sha256(content).hexdigest()}


def read_series(reference: Any, report: Path) -> dict[str, Any]:
    """The series that a report refers to.

    Args:
        reference: see :func:`reference_to`.
        report: the report's own path; the file lies in its folder.

    Raises:
        UserError: the reference is malformed, or the file is missing, another one or damaged.
    """
    name, digest = _checked(reference, report)
    path = report.parent / name
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UserError(
            "the series of the report cannot be read", where=str(path), got=error.strerror,
            hint="the report refers to this file beside it: keep and hand on both",
        ) from error  # fmt: skip
    found = hashlib.sha256(content).hexdigest()
    if found != digest:
        raise UserError(
            "the series beside the report are another report's", where=str(path), got=f"sha256 {found[:12]}…",
            expected=f"sha256 {digest[:12]}…",
        )  # fmt: skip
    try:
        return _unpacked_file(content)
    except (
        OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error, RecursionError,
    ) as error:  # fmt: skip
        raise UserError("the series of the report are damaged", where=str(path), got=str(error)) from error


def _checked(reference: Any, report: Path) -> tuple[str, str]:
    if isinstance(reference, dict) and set(reference) == {"file", "sha256"}:
        name, digest = reference["file"], reference["sha256"]
        if isinstance(name, str) and isinstance(digest, str) and name == Path(name).name and name != "..":
            return name, digest
    raise UserError(
        "the report is malformed", where=str(report), got=f"series {str(reference)[:80]}",
        expected="the name of a file beside it, and its sha256",
    )  # fmt: skip


def _packed(value: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _packed(inner, arrays) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        array = _array_of(value)
        if array is not None:
            name = f"a{len(arrays)}"
            arrays[name] = array
            return [_ARRAY, name]
    return [_LITERAL, value]


def _array_of(values: list[Any] | tuple[Any, ...]) -> NDArray[Any] | None:
    """Numbers of one shape as an array, NaN where there is None; None for anything else."""
    leaves = list(_leaves(values))
    if not leaves or not all(_is_plain(number) for number in leaves):
        return None
    whole = all(isinstance(number, int) for number in leaves)
    try:
        array = np.array(values, dtype=np.int64 if whole else np.float64)
    except (ValueError, TypeError):  # rows of different lengths
        return None
    return array


def _leaves(values: list[Any] | tuple[Any, ...]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list | tuple):
            yield from _leaves(value)
        else:
            yield value


def _is_plain(value: Any) -> bool:
    if value is None:
        return True
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= _EXACT if isinstance(value, int) else math.isfinite(value)


def _unpacked_file(content: bytes) -> dict[str, Any]:
    with np.load(io.BytesIO(content), allow_pickle=False) as stored:
        header = json.loads(str(stored[_HEADER]))
        if header["format"] != FORMAT or header["version"] != VERSION:
            raise ValueError(f"format {header['format']!r}, version {header['version']!r}")
        found = _unpacked(header["layout"], stored)
    if not isinstance(found, dict):
        raise ValueError("the series are no table")
    return found


def _unpacked(layout: Any, stored: Mapping[str, NDArray[Any]]) -> Any:
    if isinstance(layout, dict):
        return {key: _unpacked(inner, stored) for key, inner in layout.items()}
    kind, value = layout
    if kind == _LITERAL:
        return value
    if kind != _ARRAY:
        raise ValueError(f"an entry of kind {kind!r}")
    return _with_none(stored[value])


def _with_none(array: NDArray[Any]) -> Any:
    if array.dtype.kind == "i" or not np.isnan(array).any():
        return array.tolist()
    found = array.astype(object)
    found[np.isnan(array)] = None
    return found.tolist()
