"""Any executable: the video goes in by its path, the script comes out of a file or of standard output."""

from __future__ import annotations

import json
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from fourdcb.errors import UserError
from fourdcb.evaluation.api import GenerationRequest, GenerationResult, Record
from fourdcb.evaluation.runners.settings import MAX_SCRIPT_BYTES, script_result, settings_of
from fourdcb.work.worker import die_with_parent

_TOLD = 2000  # characters of the command's complaints that are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSettings(Record):
    """The command line.

    Attributes:
        command: split as a shell splits, but run without one; ``{video}``, ``{output}`` (a file to write;
            without
            it standard output is the script), ``{request}`` (a JSON file with the whole request) and
            ``{sample}``
            are filled in.
        revision: says when its answers change.
    """

    command: str
    revision: str = ""


class CommandRunner:
    """Runs the command once for each sample."""

    def __init__(self, settings: CommandSettings) -> None:
        self._settings = settings
        try:
            self._words = shlex.split(settings.command)
        except ValueError as error:
            raise UserError(
                "the command cannot be split into words", got=settings.command, hint=str(error)
            ) from error
        if not any("{video}" in word or "{request}" in word for word in self._words):
            raise UserError(
                "the command is given no video", got=settings.command, expected="{video} or {request} in it"
            )

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """A runner of ``command`` and ``revision``."""
        return cls(settings_of(CommandSettings, config, runner="command"))

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The command line; the program behind it is not looked at."""
        return self._settings.to_dict()

    def generate(self, request: GenerationRequest) -> GenerationResult:
        """What the command answers; a status other than 0 is a failed generation."""
        with tempfile.TemporaryDirectory(prefix="fourdcb-command-") as folder:
            output, asked = Path(folder) / "answer.py", Path(folder) / "request.json"
            asked.write_text(json.dumps(request.to_dict()), encoding="utf-8")
            filled = {
                "{video}": str(request.inputs.get("video", "")), "{output}": str(output),
                "{request}": str(asked), "{sample}": request.sample_id,
            }  # fmt: skip
            words = [_filled(word, filled) for word in self._words]
            printed, complaints = Path(folder) / "stdout", Path(folder) / "stderr"
            with printed.open("wb") as out, complaints.open("wb") as err:
                try:
                    status = subprocess.call(
                        words,
                        stdin=subprocess.DEVNULL,
                        stdout=out,
                        stderr=err,
                        preexec_fn=die_with_parent,
                    )
                except OSError as error:
                    raise UserError(
                        "the command cannot be run", where=words[0], got=error.strerror
                    ) from error
            told = _tail(complaints)
            if status != 0:
                raise UserError(
                    "the command failed", where=words[0], got=f"exit code {status}", hint=told or None
                )
            answer = output if output.is_file() else printed
            if answer.stat().st_size > MAX_SCRIPT_BYTES:
                raise UserError(
                    "the answer is too large for a script", expected=f"at most {MAX_SCRIPT_BYTES} bytes"
                )
            text = answer.read_text(encoding="utf-8", errors="replace")
            return script_result(request, text, metadata={"stderr": told} if told else None)

    def cleanup(self) -> None:
        """Nothing is held."""


def _filled(word: str, values: Mapping[str, str]) -> str:
    for key, value in values.items():
        word = word.replace(key, value)
    return word


def _tail(path: Path) -> str:
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - _TOLD))
        return stream.read().decode(errors="replace").strip()
