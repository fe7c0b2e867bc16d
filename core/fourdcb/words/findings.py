"""The sentence of a finding, from its kind and its arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fourdcb.words.catalogue import Catalogue


def finding_sentence(
    words: Catalogue,
    kind: str,
    arguments: Mapping[str, Any],
    *,
    objects: Sequence[str] = (),
    frame: int | None = None,
    measured: float | None = None,
    expected: float | None = None,
) -> str:
    """What a finding says; kinds that the catalogue lacks are spelled out, with their objects.

    Args:
        words: the language.
        kind: of the finding.
        arguments: ``form`` chooses the sentence ``findings.KIND.FORM``; ``text`` is said as it is.
        objects: ``{object}`` and ``{other}`` are the first two.
        frame: is told where the sentence has ``{at}``; None tells none.
        measured, expected: as in the finding.
    """
    at = "" if frame is None else words.say("findings.at", frame=frame)
    if "text" in arguments:
        return (at if arguments.get("placed") else "") + str(arguments["text"])
    said = sentence_of(words, kind, arguments, objects=objects, at=at, measured=measured, expected=expected)
    return said if said is not None else at + _spelled(words, kind, objects)


def sentence_of(
    words: Catalogue, kind: str, arguments: Mapping[str, Any], *, objects: Sequence[str], at: str = "",
    measured: float | None = None, expected: float | None = None,
) -> str | None:  # fmt: skip
    """The catalogue's sentence, or None where it has none for this kind or these arguments."""
    form = arguments.get("form")
    values = {**dict(zip(("object", "other"), objects, strict=False)), "measured": measured,
              "expected": expected, "at": at, **arguments}  # fmt: skip
    try:
        return words.say(f"findings.{kind}" if form is None else f"findings.{kind}.{form}", **values)
    except (
        KeyError,
        ValueError,
        TypeError,
        AttributeError,
        OverflowError,
    ):  # of another release
        return None


def _spelled(words: Catalogue, kind: str, objects: Sequence[str]) -> str:
    name = (kind or "finding").replace("_", " ")
    return words.say("findings.of", kind=name, objects=tuple(objects)) if objects else name
