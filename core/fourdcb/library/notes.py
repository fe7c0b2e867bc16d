"""Tags, notes and saved filters of a library: one small JSON file in its folder.

A folder that cannot be written has them in the user's data folder instead, and says so.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fourdcb.errors import UserError
from fourdcb.identity import write_output
from fourdcb.library.entry import Annotation
from fourdcb.library.filter import CaseFilter

NOTES_NAME = "library.json"
_FORMAT, _VERSION = "fourdcb.case-library", 1
_LONGEST_WAIT = 5.0  # [s] for another program's write, which takes milliseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryNotes:
    """What people wrote about the cases of a library.

    Attributes:
        place: the file that it is written to.
        in_library: whether that lies in the library itself.
        annotations: by the case's id; ids that are not there any more are kept.
        filters: saved filters by name.
        problem: why the file cannot be read; nothing is written over it then.
    """

    place: Path
    in_library: bool
    annotations: Mapping[str, Annotation] = field(default_factory=dict)
    filters: Mapping[str, CaseFilter] = field(default_factory=dict)
    problem: str = ""


def read_notes(root: Path, *, data_folder: Path | None = None) -> LibraryNotes:
    """Notes of the library in ``root``; those in the user's data folder win over those in the library.

    Args:
        root: the library.
        data_folder: the user's data folder; default that of the platform.
    """
    inside = root / NOTES_NAME
    writable = os.access(root, os.W_OK) and (not inside.exists() or os.access(inside, os.W_OK))
    outside = _outside(root, data_folder)
    notes = _load(inside, in_library=True)
    if not notes.problem and outside.is_file():
        own = _load(outside, in_library=False)
        notes = LibraryNotes(
            place=inside, in_library=True,
            annotations={**notes.annotations, **own.annotations},
            filters={**notes.filters, **own.filters},
            problem=own.problem,
        )  # fmt: skip
    if writable:
        return notes
    return LibraryNotes(
        place=outside, in_library=False, annotations=notes.annotations, filters=notes.filters,
        problem=notes.problem,
    )  # fmt: skip


def write_notes(
    root: Path,
    *,
    annotate: Mapping[str, Callable[[Annotation], Annotation]] | None = None,
    filters: Callable[[Mapping[str, CaseFilter]], Mapping[str, CaseFilter]] | None = None,
    data_folder: Path | None = None,
) -> LibraryNotes:
    """Apply a change to what is on disk *now*, so that another window's changes of other cases stay.

    Args:
        root: the library.
        annotate: by id, what becomes of a case's annotation.
        filters: what becomes of the saved filters.
        data_folder: the user's data folder; default that of the platform.

    Raises:
        UserError: the file cannot be written, or holds something that must not be lost.
    """
    with _alone(root):
        return _written(root, annotate or {}, filters, data_folder)


@contextmanager
def _alone(root: Path) -> Iterator[None]:
    """Hold the library, so that of two programs that write at once neither undoes what the other wrote.

    Raises:
        UserError: the folder is gone, or another program holds it for long.
    """
    import fcntl

    try:
        folder = os.open(root, os.O_RDONLY)
    except OSError as error:
        raise UserError("the library cannot be read", where=str(root), got=error.strerror) from error
    try:
        until = time.monotonic() + _LONGEST_WAIT
        while True:
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as error:
                if time.monotonic() > until:
                    raise UserError(
                        "another program is writing tags and notes", where=str(root), hint="try again"
                    ) from error
                time.sleep(0.01)
            except OSError:  # a file system without locks: one writer at a time is all that it can have
                break
        yield
    finally:
        os.close(folder)


def _written(
    root: Path,
    annotate: Mapping[str, Callable[[Annotation], Annotation]],
    filters: Callable[[Mapping[str, CaseFilter]], Mapping[str, CaseFilter]] | None,
    data_folder: Path | None,
) -> LibraryNotes:
    now = read_notes(root, data_folder=data_folder)
    if now.problem:
        raise UserError(
            "tags and notes cannot be saved over a file that cannot be read",
            where=str(now.place), got=now.problem, hint="mend or move that file",
        )  # fmt: skip
    annotations = dict(now.annotations)
    for case, change in annotate.items():
        annotations[case] = change(annotations.get(case, Annotation()))
    kept = {case: a for case, a in annotations.items() if a.tags or a.note}
    saved = dict(filters(now.filters)) if filters else dict(now.filters)
    changed = LibraryNotes(place=now.place, in_library=now.in_library, annotations=kept, filters=saved)
    try:
        now.place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            "the folder of the notes cannot be made", where=str(now.place.parent), got=error.strerror
        ) from error
    write_output(now.place, json.dumps(_document(changed, root), ensure_ascii=False, indent=1) + "\n")
    if now.in_library:
        outside = _outside(root, data_folder)
        try:
            outside.unlink(missing_ok=True)  # what it held is in the library now
        except OSError as error:
            raise UserError(
                "older tags and notes cannot be removed", where=str(outside), got=error.strerror,
                hint="delete that file: what it says wins over the library's own",
            ) from error  # fmt: skip
    return changed


def _document(notes: LibraryNotes, root: Path) -> dict[str, Any]:
    return {
        "format": _FORMAT,
        "version": _VERSION,
        **({} if notes.in_library else {"library": str(root)}),
        "cases": {c: {"tags": list(a.tags), "note": a.note} for c, a in sorted(notes.annotations.items())},
        "filters": {name: f.to_json() for name, f in notes.filters.items()},
    }


def _load(path: Path, *, in_library: bool) -> LibraryNotes:
    empty = LibraryNotes(place=path, in_library=in_library)
    try:
        if path.exists() and not path.is_file():
            raise UserError("not a file")
        document = json.loads(path.read_text(encoding="utf-8"))
        if document.get("format") != _FORMAT or document.get("version") != _VERSION:
            raise UserError(f"not a {_FORMAT} file of version {_VERSION}")
        annotations = {
            str(case): Annotation(tags=tidy_tags(record["tags"]), note=str(record["note"]))
            for case, record in document["cases"].items()
        }
        filters = {str(name): CaseFilter.from_json(f) for name, f in document["filters"].items()}
    except FileNotFoundError:
        return empty
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, UserError) as error:
        reason = error.what if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
        return LibraryNotes(place=path, in_library=in_library, problem=f"{path}: {reason}")
    return LibraryNotes(place=path, in_library=in_library, annotations=annotations, filters=filters)


def tidy_tags(tags: Any) -> tuple[str, ...]:
    """Tags without blanks around them, empty ones and repetition, sorted."""
    return tuple(sorted({" ".join(str(tag).split()) for tag in tags} - {""}))


def _outside(root: Path, data_folder: Path | None) -> Path:
    if data_folder is None:
        from platformdirs import user_data_path

        data_folder = user_data_path("fourdcb")
    digest = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]
    return data_folder / "libraries" / f"{digest}.json"
