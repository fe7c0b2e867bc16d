"""Texts that are being typed and are not replayed yet, by the script that they belong to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Draft:
    """A text as it stands in the editor.

    Attributes:
        text: whole script, valid or not.
        values: the edited values that the text held when typing began.
    """

    text: str
    values: Mapping[str, float]


class Drafts:
    """At most one draft a script; they outlive a look at something else."""

    def __init__(self) -> None:
        self._drafts: dict[Path, Draft] = {}

    def __iter__(self) -> Iterator[Path]:
        return iter(self._drafts)

    def of(self, script: Path | None) -> Draft | None:
        """What is being typed in place of a script."""
        return None if script is None else self._drafts.get(script)

    def put(self, script: Path, text: str | None, values: Mapping[str, float]) -> bool:
        """The text stands so now, None for nothing of its own; whether there is a draft where there was
        none, or the other way round."""
        former = self._drafts.pop(script, None)
        if text is not None:
            self._drafts[script] = Draft(text, former.values if former is not None else dict(values))
        return (former is None) != (text is None)

    def clear(self) -> None:
        """The user gave them up."""
        self._drafts.clear()


def values_since(
    draft: Draft, values: Mapping[str, float], file_values: Mapping[str, float]
) -> dict[str, float]:
    """What sliders changed since typing began: the draft's text knows nothing of it."""
    paths = [path for path in {**draft.values, **values} if path in file_values]
    now = {path: values.get(path, file_values[path]) for path in paths}
    then = {path: draft.values.get(path, file_values[path]) for path in paths}
    return {path: now[path] for path in paths if now[path] != then[path]}
