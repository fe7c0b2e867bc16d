"""The evaluation as plain values under the names of its file, and the history that weights come from."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from fourdcb.errors import UserError
from fourdcb.identity import jsonable
from fourdcb.work.journal import journal_line, read_journal
from fourdcb.x4val.evaluate import Evaluation, Material, SourceResult
from fourdcb.x4val.weights import PastEvaluation, centre_and_spread

HISTORY = "history.jsonl"


def report_path(folder: Path, now: datetime) -> Path:
    """``report_YYYYMMDD_HHMMSS.json``; with ``_2`` behind where there is one: none is written over."""
    stem = f"report_{now:%Y%m%d_%H%M%S}"
    path, count = folder / f"{stem}.json", 1
    while path.exists():
        count += 1
        path = folder / f"{stem}_{count}.json"
    return path


def report_values(
    found: Evaluation, *, model: str, confidence: float = 0.95, notes: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The report, JSON-safe: combined figures first, then each source with its reasons."""
    total = found.combined
    return {
        "format": "x4val-report", "version": 1, "model": model, "encoder": found.encoder,
        "control_variate_k": found.neighbours, "confidence_level": confidence,
        "accuracy_raw": {"value": total.raw_value, "interval": total.raw_interval},
        "accuracy_x4val": {"value": total.value, "interval": total.interval},
        "consistency_score": found.consistency,
        "Raw_Variance": None if total.raw_standard_error is None else total.raw_standard_error**2,
        "X4Val_Variance": None if total.standard_error is None else total.standard_error**2,
        "Reduction_Rate": 1.0 - total.variance_ratio,
        "Effective_Sample_Size": total.effective_sample_size,
        "shared_clusters": total.shared,
        "sources": [_source(source) for source in found.sources],
        "weights": [jsonable(weight) for weight in found.weights],
        "source_pairs": [jsonable(pair) | {"doubtful": pair.doubtful} for pair in found.pairs],
        "cross_checks": [jsonable(check) for check in found.checks],
        "notes": list(notes),
    }  # fmt: skip


def _source(source: SourceResult) -> dict[str, Any]:
    row = dict(jsonable(source))
    hidden = ("influence", "raw_influence")  # one number a cluster: of use to the combined figure alone
    row["estimate"] = {key: value for key, value in row["estimate"].items() if key not in hidden}
    return row | {"gate": source.estimate.gate}


def load_history(folder: Path, *, encoder: str) -> tuple[PastEvaluation, ...]:
    """Earlier evaluations that were written into a folder, oldest first.

    Those of another encoder are passed over: their centres lie in another space (:func:`other_encoders`).

    Raises:
        UserError: the history cannot be read, or holds something else.
    """
    path = folder / HISTORY
    rows = []
    for record in read_journal(path).records:
        if record.get("encoder") != encoder:
            continue
        try:
            rows.append(
                PastEvaluation(
                    source=str(record["source"]), value=float(record["value"]),
                    centre=np.asarray(record["centre"], dtype=np.float64), spread=float(record["spread"]),
                )
            )  # fmt: skip
        except (KeyError, TypeError, ValueError) as error:
            raise UserError("the history holds another kind of line", where=str(path)) from error
    return tuple(rows)


def other_encoders(folder: Path, *, encoder: str) -> tuple[str, ...]:
    """Names of the other encoders in a folder's history: what they tell is not used for the weights."""
    found = {str(record.get("encoder")) for record in read_journal(folder / HISTORY).records}
    return tuple(sorted(found - {encoder}))


def remember(folder: Path, found: Evaluation, material: Material) -> None:
    """Append this evaluation to the folder's history.

    Raises:
        UserError: the history cannot be written.
    """
    values = {source.name: source.estimate.value for source in found.sources}
    lines = []
    for name, value in values.items():
        rows = [i for i, sample in enumerate(material.samples) if sample.source == name]
        centre, spread = centre_and_spread(material.embeddings[rows])
        record = {
            "source": name, "encoder": found.encoder, "value": value, "spread": spread,
            "centre": [round(float(x), 7) for x in centre],
        }  # fmt: skip
        lines.append(journal_line(record))
    path = folder / HISTORY
    try:
        with path.open("ab") as file:
            file.write(b"".join(lines))
    except OSError as error:
        raise UserError("the history cannot be written", where=str(path), got=error.strerror) from error
