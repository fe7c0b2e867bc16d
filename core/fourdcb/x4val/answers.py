"""What the model under evaluation says of each sample, and how good that is."""

from __future__ import annotations

import csv
import importlib
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fourdcb.errors import FourDCBError, UserError
from fourdcb.x4val.labels import read_mask
from fourdcb.x4val.pictures import read_frames
from fourdcb.x4val.sources import Sample

Key = tuple[str, str]
"""Source and sample."""
Scores = Mapping[Key, float]


def scores_of(model: str, samples: Sequence[Sample]) -> Scores:
    """Scores of a model, by source and sample, for the samples that it was asked about.

    Args:
        model: a file of predictions (CSV, JSON or JSON lines with ``source``, ``sample``, and ``prediction``
            or ``score``), or ``module:function``, called with RGB frames (T, H, W, 3) and returning a class
            or a mask.
        samples: labelled ones are scored; a file may also score others by ``score``.

    Raises:
        UserError: the model cannot be read or called, or nothing can be scored.
    """
    path = Path(model)
    if path.suffix.lower() in (".csv", ".json", ".jsonl"):
        found = _from_file(path, samples)
    elif ":" in model:
        found = _from_function(_function(model), model, samples)
    else:
        raise UserError(
            "this is no model", got=model,
            expected="a file of predictions (.csv, .json, .jsonl) or module:function",
        )  # fmt: skip
    if not found:
        raise UserError(
            "the model scored no sample of any source", got=model,
            hint="source and sample must be named as in the configuration and its folders",
        )  # fmt: skip
    return found


def score_prediction(prediction: Any, sample: Sample) -> float:
    """1 for the right class and 0 for another; for masks the mean overlap of the classes that occur.

    The overlap is intersection over union, averaged over the classes of truth and prediction but the
    background (1 where there are none).
    """
    assert sample.label is not None
    if isinstance(prediction, np.ndarray) and prediction.ndim >= 2:
        if sample.label.mask is None:
            raise UserError("a mask was predicted for a sample without one", where=sample.id)
        truth = read_mask(sample.label.mask)
        if prediction.shape != truth.shape:
            raise UserError(
                "the predicted mask has another size", where=sample.id,
                got=str(prediction.shape), expected=str(truth.shape),
            )  # fmt: skip
        classes = sorted((set(np.unique(truth).tolist()) | set(np.unique(prediction).tolist())) - {0})
        overlaps = [
            np.logical_and(truth == c, prediction == c).sum()
            / np.logical_or(truth == c, prediction == c).sum()
            for c in classes
        ]
        return float(np.mean(overlaps)) if overlaps else 1.0
    return float(str(prediction) == sample.label.name)


def _from_function(call: Callable[[Any], Any], name: str, samples: Sequence[Sample]) -> dict[Key, float]:
    found: dict[Key, float] = {}
    for sample in samples:
        if sample.label is None:
            continue
        frames = read_frames(sample.path)
        try:
            prediction = call(frames)
        except FourDCBError:
            raise
        except Exception as error:
            raise UserError(
                "the model failed", where=f"{name} on {sample.id}", got=repr(error)[:200]
            ) from error
        found[sample.source, sample.id] = score_prediction(prediction, sample)
    return found


def _function(name: str) -> Callable[[Any], Any]:
    module, _, attribute = name.partition(":")
    try:
        call = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise UserError(
            "the model cannot be loaded", got=name, expected="module:function", hint=str(error)
        ) from error
    if not callable(call):
        raise UserError("the model is nothing to call", got=name)
    found: Callable[[Any], Any] = call
    return found


def _from_file(path: Path, samples: Sequence[Sample]) -> dict[Key, float]:
    by_key = {(s.source, s.id): s for s in samples}
    by_stem = {(s.source, Path(s.id).with_suffix("").as_posix()): s for s in samples}
    found: dict[Key, float] = {}
    for where, row in _rows(path):
        source, name = str(row.get("source", "")), str(row.get("sample", ""))
        sample = by_key.get((source, name)) or by_stem.get((source, Path(name).with_suffix("").as_posix()))
        if sample is None:
            raise UserError(
                "a prediction names no sample", where=where, got=f"source {source!r}, sample {name!r}",
                expected="names as in the configuration and below the source's folder",
            )  # fmt: skip
        key = (sample.source, sample.id)
        if key in found:
            raise UserError("a sample is predicted twice", where=where, got=name)
        found[key] = _score(row, sample, where)
    return found


def _score(row: Mapping[str, Any], sample: Sample, where: str) -> float:
    given = row.get("score")
    if given not in (None, ""):
        try:
            value = float(given)
        except (TypeError, ValueError) as error:
            raise UserError("a score is no number", where=where, got=repr(given)) from error
        if not np.isfinite(value):
            raise UserError("a score is not finite", where=where, got=str(given))
        return value
    if row.get("prediction") in (None, ""):
        raise UserError("a row has neither prediction nor score", where=where)
    if sample.label is None:
        raise UserError(
            "a prediction for a sample without label cannot be scored", where=where, got=sample.id,
            hint="give a score, or leave the sample out: it then serves the pool",
        )  # fmt: skip
    return score_prediction(row["prediction"], sample)


def _rows(path: Path) -> list[tuple[str, Mapping[str, Any]]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError("the predictions cannot be read", where=str(path), got=str(error)[:120]) from error
    if path.suffix.lower() == ".csv":
        reader = csv.DictReader(io.StringIO(text, newline=""))
        return [(f"{path}:{reader.line_num}", dict(row)) for row in reader]
    try:
        if path.suffix.lower() == ".jsonl":
            rows = [json.loads(line) for line in text.splitlines() if line.strip()]
        else:
            rows = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(
            "the predictions are not valid JSON", where=str(path), got=str(error)[:120]
        ) from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise UserError("the predictions must be a list of tables", where=str(path))
    return [(f"{path}, entry {k + 1}", row) for k, row in enumerate(rows)]
