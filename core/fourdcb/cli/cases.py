"""``fourdcb cases``: look through a library of judged cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from fourdcb.library import CaseEntry, CaseFilter, CaseLibrary

_MOST_VALUES = 8


def cases(
    folder: Annotated[Path, typer.Argument(help="A folder, of any depth, that holds reports.")],
    filter_: Annotated[
        list[str] | None,
        typer.Option(
            "--filter",
            help="FACET=VALUE, such as axis=physics; of one facet any value will do, of several all must.",
        ),
    ] = None,
    text: Annotated[str, typer.Option(help="Words that must all occur.")] = "",
    sort: Annotated[str, typer.Option(help="severity, date, title, an axis or a metric.")] = "severity",
    limit: Annotated[int, typer.Option(help="Rows at most; 0 for all.", min=0)] = 40,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON only: every case, no limit.")] = False,
) -> None:
    """List judged cases, the worst first, with counts by verdict, failed axis, finding, scene and tag."""
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.library import CaseLibrary, parse_filter

    wanted = parse_filter(filter_ or (), text=text)
    with terminal_progress() as progress:
        library = CaseLibrary.open(folder, progress=progress)
    selected = library.select(wanted, sort=sort)
    if json_:
        typer.echo(_document(library, wanted, selected))
        return
    shown = selected[:limit] if limit else selected
    for line in (*_rows(shown), *_facets(library.facets(wanted), wanted), *_ending(library, selected, shown)):
        typer.echo(line)


def _document(library: CaseLibrary, wanted: CaseFilter, selected: Sequence[CaseEntry]) -> str:
    import json

    from fourdcb.identity import jsonable

    return json.dumps(
        {
            "format": "fourdcb-cases",
            "version": 1,
            "library": str(library.root),
            "total": len(library.entries),
            "filter": wanted.to_json(),
            "cases": [jsonable(dict(entry.to_json())) for entry in selected],
            "facets": library.facets(wanted),
        },
        ensure_ascii=False,
    )


def _rows(entries: Sequence[CaseEntry]) -> Iterator[str]:
    width = max((len(entry.title) for entry in entries), default=0)
    width = min(max(width, 8), 44)
    for entry in entries:
        title = entry.title if len(entry.title) <= width else entry.title[: width - 1] + "…"
        frame = "" if entry.frame is None else f"frame {entry.frame}: "
        tags = "".join(f" #{tag}" for tag in entry.annotation.tags)
        yield f"{_axes(entry)}  {title:{width}}  {frame}{entry.headline}{tags}"


def _axes(entry: CaseEntry) -> str:
    """``✗GP··``: the verdict, then the letter of every failed axis, ``?`` of one not judged."""
    mark = {"not_deployable": "✗", "deployable": "✓", "inconclusive": "?", "unreadable": "!"}[entry.verdict]
    if entry.summary is None:
        return f"{mark}    "
    from fourdcb.metrics.result import AXIS_LETTERS

    letters = []
    for axis, letter in AXIS_LETTERS.items():
        passed = entry.summary.axes[axis].passed
        letters.append(letter if passed is False else "?" if passed is None else "·")
    return mark + "".join(letters)


def _facets(counts: Mapping[str, Mapping[str, int]], wanted: CaseFilter) -> Iterator[str]:
    yield ""
    for facet, values in counts.items():
        if not values:
            continue
        chosen = wanted.chosen.get(facet, frozenset())
        told = [
            f"{'*' if value in chosen else ''}{value} {count}"
            for value, count in list(values.items())[:_MOST_VALUES]
        ]
        if len(values) > _MOST_VALUES:
            told.append(f"and {len(values) - _MOST_VALUES} more")
        yield f"{facet:9}  {', '.join(told)}"


def _ending(library: CaseLibrary, selected: Sequence[CaseEntry], shown: Sequence[CaseEntry]) -> Iterator[str]:
    total = len(library.entries)
    rest = f", {len(selected) - len(shown)} not listed (--limit 0)" if len(shown) < len(selected) else ""
    if total == 0:
        yield f"no reports under {library.root}; keep one with: fourdcb eval … --save-case {library.root}"
    else:
        yield f"{len(selected)} of {total} cases{rest}"
    for folder in library.unread:
        yield f"warning: not looked into: {folder}"
    if library.notes.problem:
        yield f"warning: tags and notes cannot be read: {library.notes.problem}"
