"""Findings as report.json has them: sentences are left behind, but for those that no kind can say again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fourdcb.words import ENGLISH, load, sentence_of


def without_sentences(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a stored finding.

    Reports of earlier releases have a ``message`` but no ``arguments``, later ones may have kinds that
    this one does not know: such a sentence is kept as the argument ``text``, so that nothing is lost.

    Args:
        entry: one of the findings of report.json; what else is wrong with it is left to the reader's checks.
    """
    fields = {key: value for key, value in entry.items() if key != "message"}
    cause = fields.get("likely_cause")
    if isinstance(cause, Mapping):
        fields["likely_cause"] = {key: value for key, value in cause.items() if key != "message"}
    message = entry.get("message")
    if isinstance(message, str) and not _can_be_said(fields):
        known = fields.get("arguments")
        fields["arguments"] = {**(known if isinstance(known, Mapping) else {}), **_as_text(message, fields)}
    return fields


def _can_be_said(fields: Mapping[str, Any]) -> bool:
    kind, arguments = fields.get("kind", ""), fields.get("arguments")
    if not isinstance(arguments, Mapping) or "text" in arguments:
        return isinstance(arguments, Mapping)
    objects, numbers = fields.get("objects", ()), [fields.get(key) for key in ("measured", "expected")]
    if not isinstance(objects, list | tuple):
        return False
    said = sentence_of(
        load(ENGLISH), str(kind), arguments, objects=objects, measured=numbers[0], expected=numbers[1]
    )
    return said is not None


def _as_text(message: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The sentence of another release; the frame that it begins with is told apart as in others."""
    begins = f"frame {fields.get('frame')}: "
    placed = message.startswith(begins)
    return {"text": message[len(begins) :], "placed": True} if placed else {"text": message}
