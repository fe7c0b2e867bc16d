"""What all runners need: settings that are checked, and answers that are scripts."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from fourdcb.errors import UserError
from fourdcb.evaluation.api import GenerationRequest, GenerationResult

MAX_SCRIPT_BYTES = 1 << 20
AnySettings = TypeVar("AnySettings")


def settings_of(kind: type[AnySettings], config: Mapping[str, Any], *, runner: str) -> AnySettings:
    """A dataclass of settings.

    Raises:
        UserError: for a setting that the runner does not know, lacks, or of a wrong type.
    """
    from fourdcb.evaluation.api.records import Record

    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    for name in config:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            raise UserError(
                f"the runner {runner!r} has no setting {name!r}", expected=", ".join(known),
                hint=f"did you mean {near[0]!r}?" if near else None,
            )  # fmt: skip
    assert issubclass(kind, Record)
    texts = {field.name for field in fields(kind) if field.type == "str"}  # type: ignore[arg-type]
    given = {
        name: str(value) if name in texts and type(value) is int else value for name, value in config.items()
    }  # `--set revision=2` is a text that happens to be a number
    return kind.from_dict(given)


def script_result(
    request: GenerationRequest, answer: object, *, metadata: Mapping[str, Any] | None = None
) -> GenerationResult:
    """The result of a model that gave a script: its text, or the path of a file that holds it.

    Raises:
        UserError: the answer is neither, or too large.
    """
    text = _text_of(answer)
    if len(text.encode(errors="replace")) > MAX_SCRIPT_BYTES:
        raise UserError("the answer is too large for a script", expected=f"at most {MAX_SCRIPT_BYTES} bytes")
    if not text.strip():
        raise UserError("the model gave an empty answer")
    return GenerationResult(
        sample_id=request.sample_id, status="ok", artifacts={"script": text}, metadata=dict(metadata or {})
    )


def _text_of(answer: object) -> str:
    if isinstance(answer, str) and ("\n" in answer or not _is_file(answer)):
        return answer
    if isinstance(answer, str | Path):
        try:
            return Path(answer).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(
                "the script that the model named cannot be read", where=str(answer), got=str(error)
            ) from error
    raise UserError(
        "the model's answer is no script",
        got=type(answer).__name__,
        expected="the text of a script, or its path",
    )


def _is_file(name: str) -> bool:
    try:
        return len(name) < 4096 and Path(name).is_file()
    except (OSError, ValueError):
        return False
