"""Label files of a source: JSON, CSV or a folder of masks; whatever is wrong is told with its remedy."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fourdcb.arrays import I64
from fourdcb.errors import UserError
from fourdcb.x4val.pictures import PICTURE_SUFFIXES

_ID_KEYS = ("sample", "id", "file", "filename", "image", "name")
_LABEL_KEYS = ("label", "class", "target")
_CLUSTER_KEYS = ("cluster", "group", "scene", "patient", "device")


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What is known of one sample.

    Attributes:
        name: class; for a mask its most frequent class but the background.
        cluster: what it shares with other samples (scene, patient, device), or None.
        mask: file of its mask, or None.
    """

    name: str
    cluster: str | None = None
    mask: Path | None = None


def read_labels(path: Path) -> Mapping[str, Label]:
    """Labels by sample: its path below the source's folder, or its stem.

    A JSON file holds ``{"sample": "class", …}`` or a list of tables with ``sample``, ``label`` and perhaps
    ``cluster``; a CSV file has these columns; a folder holds one mask (grey PNG of class numbers, 0 the
    background) for each sample.

    Raises:
        UserError: the file is missing, empty, or no such thing.
    """
    if path.is_dir():
        return _masks(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UserError(
            "the label file cannot be read", where=str(path), got=error.strerror,
            hint="check label_path in the configuration",
        ) from error  # fmt: skip
    except UnicodeDecodeError as error:
        raise UserError("the label file is not UTF-8 text", where=str(path)) from error
    if not text.strip():
        raise UserError(
            "the label file is empty", where=str(path),
            hint="write one label for each sample, or set label_type: none and label_path: null",
        )  # fmt: skip
    rows = _json_rows(text, path) if path.suffix.lower() == ".json" else _csv_rows(text, path)
    labels: dict[str, Label] = {}
    for where, row in rows:
        sample, name = _first(row, _ID_KEYS), _first(row, _LABEL_KEYS)
        if sample is None or name is None:
            raise UserError(
                "a label lacks its sample or its class", where=where, got=", ".join(map(str, row)),
                expected="columns sample, label and perhaps cluster",
            )  # fmt: skip
        if sample in labels and labels[sample].name != name:
            raise UserError(
                "a sample has two labels", where=where, got=f"{sample}: {labels[sample].name}, {name}"
            )
        mask = path.parent / name if Path(name).suffix.lower() in PICTURE_SUFFIXES else None
        labels[sample] = Label(name=name, cluster=_first(row, _CLUSTER_KEYS), mask=mask)
    if not labels:
        raise UserError("the label file holds no labels", where=str(path))
    return {k: v if v.mask is None else _of_mask(v.mask, v.cluster) for k, v in labels.items()}


def _first(row: Mapping[str, Any], keys: Iterable[str]) -> str | None:
    for key in keys:
        value = row.get(key)
        if value is not None and str(value) != "":
            return str(value)
    return None


def _json_rows(text: str, path: Path) -> list[tuple[str, Mapping[str, Any]]]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = f":{error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise UserError(
            "the label file is not valid JSON", where=f"{path}{line}", got=str(error)[:120]
        ) from error
    if isinstance(data, dict):
        data = [
            {"sample": key, **(value if isinstance(value, dict) else {"label": value})}
            for key, value in data.items()
        ]
    if not isinstance(data, list) or not all(isinstance(row, dict) for row in data):
        raise UserError(
            "the label file has another shape", where=str(path),
            expected='{"sample": "class", …} or a list of tables with sample and label',
        )  # fmt: skip
    return [(f"{path}, entry {k + 1}", row) for k, row in enumerate(data)]


def _csv_rows(text: str, path: Path) -> list[tuple[str, Mapping[str, Any]]]:
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        rows = [(f"{path}:{reader.line_num}", _lower(row)) for row in reader]
    except csv.Error as error:
        raise UserError("the label file is not valid CSV", where=str(path), got=str(error)) from error
    head = [str(name).strip().lower() for name in reader.fieldnames or ()]
    if not set(head) & set(_ID_KEYS) or not set(head) & set(_LABEL_KEYS):
        raise UserError(
            "the label file's first line does not name its columns", where=f"{path}:1",
            got=", ".join(head)[:120], expected="sample, label and perhaps cluster",
        )  # fmt: skip
    return rows


def _lower(row: Mapping[Any, Any]) -> Mapping[str, Any]:
    return {str(key).strip().lower(): value for key, value in row.items() if key is not None}


def _masks(folder: Path) -> Mapping[str, Label]:
    files = sorted(p for p in folder.rglob("*") if p.suffix.lower() in PICTURE_SUFFIXES)
    if not files:
        raise UserError(
            "the label folder holds no masks", where=str(folder), expected="one grey PNG a sample"
        )
    return {path.relative_to(folder).as_posix(): _of_mask(path, None) for path in files}


def _of_mask(path: Path, cluster: str | None) -> Label:
    numbers, counts = np.unique(read_mask(path), return_counts=True)
    there = numbers > 0
    name = f"class {numbers[there][np.argmax(counts[there])]}" if there.any() else "background"
    return Label(name=name, cluster=cluster, mask=path)


def read_mask(path: Path) -> I64:
    """Class of each pixel, 0 for the background, shape (H, W).

    Raises:
        UserError: the file is no grey or palette picture.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as image:
            values = np.asarray(image)
    except (OSError, UnidentifiedImageError) as error:
        raise UserError("the mask cannot be read", where=str(path), got=str(error)[:120]) from error
    if values.ndim != 2:
        raise UserError(
            "the mask is a colour picture", where=str(path), got=f"shape {values.shape}",
            expected="a grey or palette picture of class numbers",
        )  # fmt: skip
    return values.astype(np.int64)
