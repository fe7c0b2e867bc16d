"""Whether a verb will be able to write its results: asked before the work, not after it."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path

from fourdcb.errors import UserError


def check_outputs(
    *, files: Sequence[Path | None], folder: Path | None = None, inputs: Sequence[Path | None] = ()
) -> None:
    """Refuse results that could not be written, or that would destroy an input or one another.

    Args:
        files: files to write; None entries are results that nobody asked for.
        folder: folder that will be made when it is missing.
        inputs: files that are read and must survive.

    Raises:
        UserError: naming the first path that will not do.
    """
    taken: list[Path] = []
    for file in (file for file in files if file is not None):
        _check_file(file)
        for source in (source for source in inputs if source is not None):
            if _same(file, source):
                raise UserError(
                    "the result would overwrite an input", where=str(file), hint="choose another file name"
                )
        if any(_same(file, other) for other in taken):
            raise UserError("two results would go into one file", where=str(file))
        taken.append(file)
    if folder is not None:
        _check_folder(folder)


def _check_file(path: Path) -> None:
    parent = path.absolute().parent
    try:
        if path.is_dir():
            raise UserError("a folder was given where a file is to be written", where=str(path))
        if not parent.is_dir():
            raise UserError(
                "the folder of the result does not exist", where=str(path), got=f"no folder {parent}",
                hint="make the folder first",
            )  # fmt: skip
        if path.exists() and not path.is_file():
            return  # a pipe or a device
        if os.path.islink(os.path.realpath(path)):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    except OSError as error:  # a name that is too long, a loop of links
        raise UserError("the file cannot be written", where=str(path), got=error.strerror) from error
    if not os.access(Path(os.path.realpath(path)).parent, os.W_OK):
        raise UserError("the file cannot be written", where=str(path), got=f"{parent} is not writable")


def _check_folder(path: Path) -> None:
    nearest = path.absolute()
    while not nearest.exists() and nearest != nearest.parent:
        nearest = nearest.parent
    if not nearest.is_dir():
        raise UserError(
            "a file was given where a folder is needed", where=str(path), got=f"the file {nearest}"
        )
    if not os.access(nearest, os.W_OK):
        raise UserError("the folder cannot be written", where=str(path), got=f"{nearest} is not writable")


def _same(a: Path, b: Path) -> bool:
    if a.is_file() and b.is_file():
        return a.samefile(b)
    return a.absolute() == b.absolute() and (not a.exists() or a.is_file())
