"""The files that a model's answers come from: a change makes earlier answers another model's."""

from __future__ import annotations

import importlib.util
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fourdcb.errors import UserError
from fourdcb.evaluation.runs.plan import ModelEntry
from fourdcb.identity import file_sha256


def model_files(entry: ModelEntry) -> dict[str, str]:
    """SHA-256 of the files of a model, by what they are called in its settings; nothing is loaded.

    Looked at are the scripts of a folder, the file of a function or module, the weights of a torch module,
    and the files that a command names. What those files call in turn is not: the setting ``revision`` tells
    of its changes.

    Raises:
        UserError: one of them cannot be read.
    """
    found = {}
    for name, path in _files(entry):
        try:
            found[name] = file_sha256(path)
        except OSError as error:
            raise UserError(
                "a file of the model cannot be read", where=str(path), got=error.strerror
            ) from error
    return found


def _files(entry: ModelEntry) -> Iterable[tuple[str, Path]]:
    given = {name: value for name, value in entry.parameters.items() if isinstance(value, str)}
    if entry.target == "scripts" and "folder" in given:
        folder = Path(given["folder"])
        for path in sorted(folder.rglob("*" + given.get("pattern", ".py"))):
            if path.is_file():
                yield path.relative_to(folder).as_posix(), path
    elif entry.target == "command" and "command" in given:
        for word in _words(given["command"]):
            if _is_file(word):
                yield word, Path(word)
    elif entry.target == "torch":
        yield from _module(given.get("module", ""))
        if given.get("weights"):
            yield "weights", Path(given["weights"])
    elif entry.target == "python":
        yield from _module(given.get("function", ""))
    elif ":" in entry.target:
        yield from _module(entry.target)


def _module(target: str) -> Iterable[tuple[str, Path]]:
    """The source of the module of ``module:name``; nothing where it cannot be found: loading says why."""
    name = target.partition(":")[0]
    try:
        spec: Any = importlib.util.find_spec(name)
    except Exception:  # noqa: BLE001 - a package that fails to load tells so when the model is loaded
        return
    if spec is not None and spec.has_location and spec.origin.endswith(".py"):
        yield name, Path(spec.origin)


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:  # told when the command is loaded
        return []


def _is_file(word: str) -> bool:
    try:
        # Programs of the system, named in full, are not the model's, and differ from machine to machine.
        return not word.startswith("/usr/") and not word.startswith("/bin/") and Path(word).is_file()
    except (OSError, ValueError):
        return False
