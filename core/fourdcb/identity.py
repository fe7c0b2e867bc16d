"""Canonical JSON and content hashes: equal content gives equal bytes, on every machine."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fourdcb.errors import UserError

if TYPE_CHECKING:
    import numpy as np

# What every function that takes a file accepts.
StrPath = str | os.PathLike[str]


def jsonable(value: object) -> Any:
    """Plain JSON value of dataclasses, tuples, numpy scalars and arrays.

    Raises:
        ValueError: for NaN and infinities, which JSON does not have.
        TypeError: for anything that has no JSON form.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: jsonable(getattr(value, f.name)) for f in dataclasses.fields(value) if f.compare}
    if isinstance(value, dict):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    if (
        type(value).__module__.partition(".")[0] == "numpy"
    ):  # an array or a scalar; numpy itself is not loaded
        plain: Any = value
        return jsonable(plain.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"JSON has no {value}; use a status beside an empty value")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def canonical_json(value: object) -> str:
    """JSON with sorted keys and no spaces; floats in their shortest exact form."""
    return json.dumps(
        jsonable(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def encodable(value: Any) -> Any:
    """A JSON value whose texts all have a UTF-8 form: lone surrogates are written as their escapes."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {encodable(key): encodable(item) for key, item in value.items()}
    return [encodable(item) for item in value] if isinstance(value, list) else value


def content_hash(value: object) -> str:
    """SHA-256 (hex) of the canonical JSON together with the type's name."""
    return hashlib.sha256(f"{type(value).__name__}:{canonical_json(value)}".encode()).hexdigest()


def array_hash(*arrays: np.ndarray[Any, Any]) -> str:
    """SHA-256 (hex) of the bytes, shapes and dtypes of the arrays."""
    import numpy as np

    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def file_sha256(path: Path) -> str:
    """SHA-256 (hex) of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_atomic(path: Path, data: bytes | str) -> None:
    """Write a whole file or nothing: temp file beside the target, fsync, rename.

    Keeps the mode of a file that is replaced. A pipe or device (``/dev/stdout``) is written into, never
    replaced. File names that are not UTF-8 appear in text as ``\\udcff``, which is their escape in JSON, too.

    Raises:
        OSError: the target cannot be written.
    """
    payload = data.encode(errors="backslashreplace") if isinstance(data, str) else data
    if path.exists() and not path.is_file() and not path.is_dir():
        path.write_bytes(payload)
        return
    path = Path(os.path.realpath(path))  # a symbolic link keeps pointing; its target is replaced
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(payload)
            stream.flush()
            os.fsync(stream.fileno())
        mode = path.stat().st_mode & 0o777 if path.exists() else new_file_mode()
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_output(path: Path, data: bytes | str) -> None:
    """:func:`write_atomic` for files that a person asked for. Raises UserError that names the path."""
    try:
        write_atomic(path, data)
    except OSError as error:
        raise UserError("the file cannot be written", where=str(path), got=error.strerror) from error


_asking = threading.Lock()


def new_file_mode() -> int:
    """Permissions that a file made now would get.

    A process cannot look at its mask without setting one: threads take turns, and files that others make at
    that moment get too few permissions rather than too many.
    """
    with _asking:
        mask = os.umask(0o077)
        os.umask(mask)
    return 0o666 & ~mask
