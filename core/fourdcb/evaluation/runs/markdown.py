"""The readable report of a run, derived from its scorecard and scores; the scorecard is what counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_ARROWS = {"higher": "↑", "lower": "↓", None: ""}


def run_markdown(card: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], *, order: Sequence[str]) -> str:
    """Markdown of a run.

    Args:
        card: the scorecard.
        rows: by :func:`sample_rows`.
        order: ids of the numbers, as they are to stand.
    """
    model, benchmark = card["model"], card["benchmark"]
    lines = [
        f"# {model['id']} on {benchmark['id']} {benchmark.get('revision', '')}".rstrip(),
        "",
        f"{card['samples']} samples, split `{card['split']}`, claim **{card['claim']}**, "
        + leaderboard_words(card)
        + (":" if card["blocking_reasons"] else "."),
        "",
        *[f"- {reason}" for reason in card["blocking_reasons"]],
        "",
        "| metric | | mean | 95 % interval | scored | of | without a number |",
        "|---|---|--:|--:|--:|--:|---|",
        *[_metric_row(name, card["metrics"][name]) for name in order if name in card["metrics"]],
        "",
        "Intervals count groups of samples (templates), not samples.",
        "",
        "| sample | answer | verdict | why |",
        "|---|---|---|---|",
        *[
            f"| {_cell(row['sample_id'])} | {row['status']} | {row['verdict']} | {_cell(row['why'])} |"
            for row in rows
        ],
        "",
        f"Fingerprint `{card['fingerprint'][:16]}`; criteria `{card['criteria']['id']}` "
        f"v{card['criteria']['version']}.",
        "",
    ]
    return "\n".join(lines)


def leaderboard_words(card: Mapping[str, Any], *, metric: str = "deployable") -> str:
    """Whether a run can be placed on a leaderboard, without the reasons that the scorecard names itself."""
    if not card["leaderboard_valid"]:
        return "not fit for a leaderboard"
    total = card["metrics"].get(metric, {}).get("aggregate", {})
    if total.get("skipped"):
        lacking = f"{total['skipped']} of {total['total']} samples have no number"
        return f"not placed on a leaderboard by {metric}: {lacking}"
    return "fit for a leaderboard"


def _metric_row(name: str, entry: Mapping[str, Any]) -> str:
    total, definition = entry["aggregate"], entry["definition"] or {}
    value = "–" if total["value"] is None else f"{total['value']:.4g}"
    span = "–" if total["low"] is None else f"{total['low']:.4g} … {total['high']:.4g}"
    skipped = ", ".join(f"{count} {reason}" for reason, count in entry["skipped"].items())
    arrow = _ARROWS[definition.get("direction")]
    return f"| {name} | {arrow} | {value} | {span} | {total['count']} | {total['total']} | {skipped} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def sample_rows(
    results: Mapping[str, Any], scores: Mapping[tuple[str, str], Any], sample_ids: Sequence[str]
) -> list[dict[str, Any]]:
    """One row for each sample: how it was answered, its verdict, and which axes failed."""
    return [
        {
            "sample_id": sample_id,
            "status": results[sample_id].status,
            "verdict": _verdict(scores, sample_id),
            "why": results[sample_id].error or _why(scores, sample_id),
        }
        for sample_id in sample_ids
    ]


def _verdict(scores: Mapping[tuple[str, str], Any], sample_id: str) -> str:
    score = scores.get((sample_id, "deployable"))
    if score is None or score.reason == "generation_failed":
        return "–"
    if score.value is None:
        return "INCONCLUSIVE"
    return "DEPLOYABLE" if score.value else "DEPLOYMENT_NOT_RECOMMENDED"


def _why(scores: Mapping[tuple[str, str], Any], sample_id: str) -> str:
    score = scores.get((sample_id, "deployable"))
    if score is not None and score.reason not in (None, "generation_failed", "inconclusive"):
        return f"{score.reason}: {score.detail.get('message', '')}".rstrip(": ")
    failed = [
        axis
        for axis in ("geometry", "physics", "material_light", "time")
        if (found := scores.get((sample_id, f"{axis}_passed"))) is not None and found.value == 0.0
    ]
    return "failed: " + ", ".join(failed) if failed else ""
