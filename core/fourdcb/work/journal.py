"""Append-only files of JSON lines that survive a kill at any instant.

Every line carries a checksum. What a kill tore off at the end is cut away when the file is opened for
writing; a
line that was damaged later is left out, told of, and kept aside. Neither is ever taken for a record.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from fourdcb.errors import UserError
from fourdcb.identity import canonical_json

_LOG = logging.getLogger(__name__)
_CHECK = "crc32"


@dataclass(frozen=True, slots=True)
class JournalContents:
    """What a journal holds.

    Attributes:
        records: the whole records, in the order in which they were written.
        damaged: the lines that are no records, with their 1-based numbers.
        whole_bytes: length of the file up to the end of its last whole line.
    """

    records: tuple[dict[str, Any], ...]
    damaged: tuple[tuple[int, bytes], ...]
    whole_bytes: int


def journal_line(record: Mapping[str, Any]) -> bytes:
    """One line with its checksum."""
    body = canonical_json(record)
    return (canonical_json({**json.loads(body), _CHECK: zlib.crc32(body.encode())}) + "\n").encode()


def read_journal(path: Path) -> JournalContents:
    """All whole records of a journal; a file that is not there holds none.

    Raises:
        UserError: the file cannot be read.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return JournalContents((), (), 0)
    except OSError as error:
        raise UserError("the journal cannot be read", where=str(path), got=error.strerror) from error
    whole = data.rfind(b"\n") + 1
    records: list[dict[str, Any]] = []
    damaged: list[tuple[int, bytes]] = []
    for number, line in enumerate(data[:whole].splitlines(), 1):
        record = _record(line)
        if record is None:
            damaged.append((number, line))
        else:
            records.append(record)
    return JournalContents(tuple(records), tuple(damaged), whole)


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except ValueError:  # of JSON or of its encoding
        return None
    if not isinstance(value, dict):
        return None
    check = value.pop(_CHECK, None)
    try:
        return value if check == zlib.crc32(canonical_json(value).encode()) else None
    except (ValueError, TypeError):
        return None


class Journal:
    """A journal that is open for writing; a context manager. One process at a time writes it.

    Args:
        path: the file; made when missing, torn and damaged lines are removed (the damaged ones are kept in
            ``NAME.damaged`` beside it).

    Raises:
        UserError: the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        found = read_journal(path)
        self.records = found.records
        self.damaged = found.damaged
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if found.damaged:
                self._set_damaged_aside(found)
            self._stream = path.open("ab", buffering=0)
            # What a kill tore off is no whole line; it must not become the head of the next one.
            os.truncate(path, found.whole_bytes if not found.damaged else path.stat().st_size)
            self._length = path.stat().st_size
        except OSError as error:
            raise _unwritable(path, error) from error

    def _set_damaged_aside(self, found: JournalContents) -> None:
        from fourdcb.identity import write_atomic

        aside = self._path.with_name(self._path.name + ".damaged")
        with aside.open("ab") as stream:
            stream.writelines(line + b"\n" for _, line in found.damaged)
            stream.flush()
            os.fsync(stream.fileno())
        write_atomic(self._path, b"".join(journal_line(record) for record in found.records))
        lines = ", ".join(str(number) for number, _ in found.damaged)
        _LOG.warning("%s: damaged line(s) %s are left out and kept in %s", self._path, lines, aside.name)

    def append(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Write records and have the disk hold them before this returns: all of them or none.

        Raises:
            UserError: the disk is full or the file cannot be written; the file is as it was.
        """
        data = b"".join(journal_line(record) for record in records)
        if not data:
            return
        try:
            view = memoryview(data)
            while view:
                written = self._stream.write(view)
                if not written:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                view = view[written:]
            os.fsync(self._stream.fileno())
        except OSError as error:
            os.truncate(self._path, self._length)
            raise _unwritable(self._path, error) from error
        self._length += len(data)

    def close(self) -> None:
        """Close the file. A second call does nothing."""
        self._stream.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _unwritable(path: Path, error: OSError) -> UserError:
    hint = (
        "free some space and run the same command again; it resumes" if error.errno == errno.ENOSPC else None
    )
    return UserError("the journal cannot be written", where=str(path), got=error.strerror, hint=hint)
