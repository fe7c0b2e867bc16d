"""An X4Val report as one page: first what a decision needs, then what it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fourdcb.identity import write_output
from fourdcb.report.html import filled
from fourdcb.report.pdf import pdf_bytes
from fourdcb.report.svg import Scale, padded_scale, round_ticks, text
from fourdcb.words import chosen

_WIDTH, _NAMES, _ROW = 640.0, 150.0, 30.0
_GATES = {
    "corrected": "sharpened by unscored samples",
    "does_not_pay": "plain mean: unscored samples would not narrow it",
    "too_few": "plain mean: too few independent samples",
    "no_spread": "plain mean: nothing varies",
    "skewed": "plain mean: scores too skewed for so few samples; its interval may be too narrow",
    "no_pool": "plain mean: too few unscored samples",
}


def write_x4val_page(path: Path, values: Mapping[str, Any]) -> tuple[Path, ...]:
    """Write the page beside a report: ``.html``, and ``.pdf`` where weasyprint is installed.

    Args:
        path: of the JSON report.
        values: the report.

    Raises:
        UserError: a file cannot be written.
    """
    from fourdcb.errors import MissingDependencyError, UserError

    page = x4val_html(values)
    written = [path.with_suffix(".html")]
    write_output(written[0], page)
    try:
        data = pdf_bytes(page)
    except (MissingDependencyError, UserError):  # the page says the same; `fourdcb doctor` tells what lacks
        return tuple(written)
    written.append(path.with_suffix(".pdf"))
    write_output(written[1], data)
    return tuple(written)


def x4val_html(values: Mapping[str, Any]) -> str:
    """The page as text."""
    sources = [_source(row, values) for row in values["sources"]]
    return filled(
        "x4val.html.j2",
        title=f"{Path(values['model']).name} over {len(sources)} source{'' if len(sources) == 1 else 's'}",
        language=chosen().language,
        report=values,
        sources=sources,
        headline=_headline(values),
        plain=_plain(values),
        warnings=_warnings(values),
        forest=_forest(values),
    )


def _headline(values: Mapping[str, Any]) -> str:
    found = values["accuracy_x4val"]
    low, high = found["interval"] or (None, None)
    if low is None:
        return f"The score is {found['value']:.3f}; how sure that is cannot be said from so few samples."
    sure = f"{100 * values['confidence_level']:g} %"
    return f"The score is {found['value']:.3f}, and with {sure} confidence between {low:.3f} and {high:.3f}."


def _plain(values: Mapping[str, Any]) -> str:
    """What the correction was worth, in words for somebody who never heard of it."""
    raw, reduction = values["accuracy_raw"], values["Reduction_Rate"]
    scored = sum(row["estimate"]["samples"] for row in values["sources"])
    worth = values["Effective_Sample_Size"]
    if not any(row["gate"] == "corrected" for row in values["sources"]):
        return (
            f"It is the plain weighted mean of {scored} scored samples: the samples that nobody scored do "
            "not tell enough to sharpen it, so nothing was added."
        )
    return (
        f"{scored} samples were scored. Samples that nobody scored, but that look like them, tell whether "
        "the scored ones are an easy or a hard draw. With that, the figure moved from "
        f"{raw['value']:.3f} to {values['accuracy_x4val']['value']:.3f}, and its variance fell by "
        f"{reduction:.0%}: it is as sure as the plain mean of about {worth:.0f} scored samples would be."
    )


def _warnings(values: Mapping[str, Any]) -> list[str]:
    told = [
        f"The source {row['source']} has moved since earlier evaluations: its weight is {row['weight']:.0%}."
        for row in values["weights"]
        if row.get("drifted")
    ]
    told += [
        f"{pair['first']} and {pair['second']} seem to see the model differently (ρ {pair['rho']:.2f}, "
        f"interval {pair['low']:.2f} … {pair['high']:.2f}): one figure for both may hide that. Look at "
        "samples of each, audit 100 wrong ones, or fine-tune the encoder on one source alone."
        for pair in values["source_pairs"]
        if pair.get("doubtful")
    ]
    told += [
        f"Scores of {row['name']} are very skewed: with {row['estimate']['samples']} samples its interval "
        "may be too narrow."
        for row in values["sources"]
        if row["gate"] == "skewed"
    ]
    return [*told, *values["notes"]]


def _source(row: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    estimate = row["estimate"]
    weights = {weight["source"]: weight for weight in values["weights"]}
    return {
        "name": row["name"],
        "weight": f"{weights[row['name']]['weight']:.0%}" if row["name"] in weights else "–",
        "raw": _figure(estimate["raw_value"], estimate["raw_interval"]),
        "value": _figure(estimate["value"], estimate["interval"]),
        "scored": estimate["samples"],
        "pool": row["pool"],
        "why": _GATES.get(row["gate"], str(row["gate"]).replace("_", " ")),
    }


def _figure(value: float, interval: Sequence[float] | None) -> str:
    return f"{value:.3f}" if interval is None else f"{value:.3f}  ({interval[0]:.3f} … {interval[1]:.3f})"


def _forest(values: Mapping[str, Any]) -> str:
    """Plain and sharpened means with their intervals, a row a source and one for all."""
    rows: list[tuple[str, Mapping[str, Any], Mapping[str, Any]]] = [
        (
            row["name"],
            {"value": row["estimate"]["raw_value"], "interval": row["estimate"]["raw_interval"]},
            {"value": row["estimate"]["value"], "interval": row["estimate"]["interval"]},
        )
        for row in values["sources"]
    ]
    rows.append(("all sources", values["accuracy_raw"], values["accuracy_x4val"]))
    ends = [end for _, *pair in rows for one in pair for end in (one["value"], *(one["interval"] or ()))]
    x = padded_scale(ends, start=_NAMES, end=_WIDTH - 12.0, least=0.02)
    height = _ROW * len(rows) + 28.0
    parts = [
        f'<svg viewBox="0 0 {_WIDTH:g} {height:g}" width="100%" role="img" aria-label="Means with intervals">'
    ]
    for tick in round_ticks(x.low, x.high, count=6):
        parts.append(_rule(x(tick), 4.0, height - 22.0))
        parts.append(text(x(tick), height - 6.0, f"{tick:g}", anchor="middle", kind="number"))
    for k, (name, raw, found) in enumerate(rows):
        y = 6.0 + _ROW * (k + 0.5)
        parts.append(text(0.0, y + 4.0, name[:24], kind="label"))
        parts.append(_bar(x, raw, y - 5.0, colour="#8d96a5"))
        parts.append(_bar(x, found, y + 5.0, colour="#2f7fd6"))
    return "".join([*parts, "</svg>"])


def _rule(at: float, top: float, bottom: float) -> str:
    way = f'x1="{at:.1f}" y1="{top:g}" x2="{at:.1f}" y2="{bottom:g}"'
    return f'<line {way} stroke="#8d96a5" stroke-opacity="0.3"/>'


def _bar(x: Scale, one: Mapping[str, Any], y: float, *, colour: str) -> str:
    mark = f'<circle cx="{x(one["value"]):.1f}" cy="{y:g}" r="3.5" fill="{colour}"/>'
    if one["interval"] is None:
        return mark
    low, high = (x(end) for end in one["interval"])
    way = f'x1="{low:.1f}" y1="{y:g}" x2="{high:.1f}" y2="{y:g}"'
    return f'<line {way} stroke="{colour}" stroke-width="2"/>{mark}'
