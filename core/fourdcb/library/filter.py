"""Narrowing a list of cases down: facets with counts, text, order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fourdcb.errors import UserError
from fourdcb.library.entry import VERDICTS, CaseEntry
from fourdcb.library.summary import SEVERITIES
from fourdcb.metrics.result import AXES

_VALUES: dict[str, Callable[[CaseEntry], tuple[str, ...]]] = {
    "verdict": lambda e: (e.verdict,),
    "axis": lambda e: e.failed_axes,
    "kind": lambda e: e.summary.kinds if e.summary else (),
    "severity": lambda e: (e.summary.severity,) if e.summary and e.summary.severity else (),
    "template": lambda e: (e.template,) if e.template else (),
    "scene": lambda e: (e.scene,) if e.scene else (),
    "candidate": lambda e: (e.candidate,) if e.candidate else (),
    "object": lambda e: e.object_types,
    "tag": lambda e: e.annotation.tags,
}
FACETS: tuple[str, ...] = tuple(_VALUES)
"""What cases can be narrowed down by. ``axis`` is one that failed, ``kind`` that of a finding."""
_NUMBER = re.compile(r"(\d{1,18})")  # longer ones are several: Python limits the digits of an int
_FIXED: dict[str, tuple[str, ...]] = {"verdict": VERDICTS, "axis": AXES, "severity": SEVERITIES}
SORTS: tuple[str, ...] = ("severity", "date", "title", *AXES)
"""Orders that every library has; names of metrics are orders, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFilter:
    """Which cases are wanted: of every facet one of the chosen values, and every word of the text.

    Attributes:
        chosen: facet → values; a facet without values asks for nothing.
        text: words, any case.
    """

    chosen: Mapping[str, frozenset[str]] = field(default_factory=dict)
    text: str = ""

    def __bool__(self) -> bool:
        return bool(self.text.strip()) or any(self.chosen.values())

    def toggled(self, facet: str, value: str) -> CaseFilter:
        """With a value chosen, or no longer. Raises UserError for a facet that there is not."""
        check_facet(facet)
        values = self.chosen.get(facet, frozenset()) ^ {value}
        rest = {name: kept for name, kept in self.chosen.items() if name != facet}
        return replace(self, chosen={**rest, facet: values} if values else rest)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON value."""
        return {"chosen": {name: sorted(values) for name, values in self.chosen.items()}, "text": self.text}

    @staticmethod
    def from_json(value: Any) -> CaseFilter:
        """Back from :meth:`to_json`. Raises UserError when it is something else."""
        if not isinstance(value, dict) or not isinstance(value.get("chosen"), dict):
            raise UserError("not a filter of cases", got=str(value)[:80])
        chosen = {check_facet(str(name)): frozenset(map(str, vs)) for name, vs in value["chosen"].items()}
        return CaseFilter(chosen=chosen, text=str(value.get("text", "")))


def parse_filter(words: Iterable[str], *, text: str = "") -> CaseFilter:
    """A filter from ``facet=value`` words; the same facet again is another value that will do.

    Raises:
        UserError: for a word without ``=``, an unknown facet, or a value that the facet cannot have.
    """
    chosen: dict[str, frozenset[str]] = {}
    for word in words:
        facet, separator, value = word.partition("=")
        if not separator or not value:
            raise UserError("not a filter", got=word, expected="FACET=VALUE, such as axis=physics")
        check_facet(facet)
        if facet in _FIXED and value not in _FIXED[facet]:
            expected = ", ".join(_FIXED[facet])
            raise UserError(f"not a value of the facet {facet!r}", got=value, expected=expected)
        chosen[facet] = chosen.get(facet, frozenset()) | {value}
    return CaseFilter(chosen=chosen, text=text)


def check_facet(name: str) -> str:
    """The name. Raises UserError when there is no such facet."""
    if name not in _VALUES:
        raise UserError("no such facet", got=name, expected=", ".join(FACETS))
    return name


def facet_values(entry: CaseEntry, facet: str) -> tuple[str, ...]:
    """What a case has of a facet."""
    return _VALUES[facet](entry)


def matching(entries: Iterable[CaseEntry], wanted: CaseFilter) -> list[CaseEntry]:
    """Cases that a filter lets through, in their order."""
    words = wanted.text.casefold().split()
    active = [(name, values) for name, values in wanted.chosen.items() if values]
    return [e for e in entries if _says(e, words) and all(_has(e, name, vs) for name, vs in active)]


def facet_counts(entries: Iterable[CaseEntry], wanted: CaseFilter) -> dict[str, dict[str, int]]:
    """For every facet, how many cases choosing each value would show, given the *other* facets and the text.

    Most frequent first; facets with an order of their own keep it. A chosen value is listed even at 0.
    """
    words = wanted.text.casefold().split()
    active = {name: values for name, values in wanted.chosen.items() if values}
    counts: dict[str, dict[str, int]] = {name: dict.fromkeys(active.get(name, ()), 0) for name in FACETS}
    for entry in entries:
        if not _says(entry, words):
            continue
        missed = [name for name, values in active.items() if not _has(entry, name, values)]
        if len(missed) > 1:
            continue
        for name in missed or FACETS:
            count = counts[name]
            for value in facet_values(entry, name):
                count[value] = count.get(value, 0) + 1
    return {name: _ordered(name, counts[name]) for name in FACETS}


def _ordered(facet: str, counts: Mapping[str, int]) -> dict[str, int]:
    if facet in _FIXED:
        return {value: counts[value] for value in _FIXED[facet] if value in counts}
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _says(entry: CaseEntry, words: Sequence[str]) -> bool:
    return all(word in entry.haystack for word in words)


def _has(entry: CaseEntry, facet: str, values: frozenset[str]) -> bool:
    return any(value in values for value in facet_values(entry, facet))


def ordered(entries: Iterable[CaseEntry], sort: str) -> list[CaseEntry]:
    """Cases in an order: the worst, or the newest, first; equal ones by title.

    Args:
        entries: the cases.
        sort: one of :data:`SORTS`, or a metric.

    Raises:
        UserError: for an order that no case knows.
    """
    listed = sorted(entries, key=lambda e: (_natural(e.title), e.id))
    if sort == "title":
        return listed
    if sort == "date":
        return sorted(listed, key=lambda e: -e.judged)
    if sort == "severity":
        return sorted(listed, key=_gravity)
    if sort in AXES:
        return sorted(listed, key=lambda e: _axis_gravity(e, sort))
    metrics = {name for e in listed if e.summary for name in e.summary.badness}
    if sort not in metrics and listed:
        raise UserError("no such order", got=sort, expected=", ".join([*SORTS, *sorted(metrics)]))
    return sorted(listed, key=lambda e: -(e.summary.badness.get(sort, -1.0) if e.summary else -1.0))


def _gravity(entry: CaseEntry) -> tuple[int, int, float]:
    worst = max((axis.badness for axis in entry.summary.axes.values()), default=0.0) if entry.summary else 0.0
    return VERDICTS.index(entry.verdict), -len(entry.failed_axes), -worst


def _axis_gravity(entry: CaseEntry, axis: str) -> tuple[int, float]:
    result = entry.summary.axes.get(axis) if entry.summary else None
    if result is None:
        return 3, 0.0
    return {False: 0, None: 1, True: 2}[result.passed], -result.badness


def _natural(text: str) -> tuple[int | str, ...]:
    """``case_9`` before ``case_10``: words and numbers take turns, words first."""
    return tuple(int(part) if k % 2 else part for k, part in enumerate(_NUMBER.split(text.casefold())))
