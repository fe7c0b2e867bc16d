"""A run of a model over a benchmark as one page, derived from its scorecard."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fourdcb.evaluation.runs.execution import RunOutcome
from fourdcb.evaluation.runs.markdown import leaderboard_words
from fourdcb.identity import write_output
from fourdcb.metrics.specs import spec_of
from fourdcb.report.html import filled
from fourdcb.words import chosen

_FIRST = ("deployable", "script_valid", "generation_success")


def write_run_page(outcome: RunOutcome) -> Path | None:
    """Write ``report.html`` into a run's folder; None for a shard, which has no scorecard yet.

    Raises:
        UserError: the page cannot be written.
    """
    if outcome.card is None:
        return None
    path = outcome.folder / "report.html"
    write_output(path, run_html(outcome.card, outcome.rows))
    return path


def run_html(card: Mapping[str, Any], rows: Any) -> str:
    """The page as text.

    Args:
        card: scorecard.
        rows: one for each sample, by :func:`fourdcb.evaluation.runs.markdown.sample_rows`.
    """
    metrics = [_metric(name, entry) for name, entry in card["metrics"].items()]
    metrics.sort(key=lambda row: (_FIRST.index(row["id"]) if row["id"] in _FIRST else len(_FIRST), row["id"]))
    benchmark = card["benchmark"]
    title = f"{card['model']['id']} on {benchmark['id']} {benchmark.get('revision', '')}".strip()
    return filled(
        "run.html.j2",
        card=card,
        rows=rows,
        metrics=metrics,
        language=chosen().language,
        title=title,
        place=leaderboard_words(card),
    )


def _metric(name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    total, definition = entry["aggregate"], entry["definition"] or {}
    low, high = total["low"], total["high"]
    return {
        "id": name,
        "title": name.replace("_", " "),
        "unit": spec_of(name).unit,
        "arrow": {"higher": "↑", "lower": "↓"}.get(str(definition.get("direction")), ""),
        "value": None if total["value"] is None else f"{total['value']:.4g}",
        "interval": None if low is None else f"{low:.4g} … {high:.4g}",
        "scored": f"{total['count']} of {total['total']}",
        "skipped": ", ".join(
            f"{count} {reason.replace('_', ' ')}" for reason, count in entry["skipped"].items()
        ),
    }
