"""Object × frame matrices of every error, as numbers (NPZ) and as pictures (PNG)."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64
from fourdcb.identity import StrPath, write_output
from fourdcb.metrics.result import Report
from fourdcb.metrics.series import SERIES
from fourdcb.report.pictures import BACKGROUND, GAP, MUTED, TEXT, png_bytes, with_text

_CELL_HEIGHT, _CELL_WIDTH = 24, 6
_TITLE_HEIGHT, _NAME_WIDTH = 30, 120
_NEUTRAL = np.array([28.0, 31.0, 37.0])
_POSITIVE, _NEGATIVE = np.array([238.0, 108.0, 58.0]), np.array([59.0, 142.0, 237.0])


def heatmap_matrices(report: Report) -> dict[str, F64]:
    """Matrices of shape (N objects, T frames), objects in the order of ``report.series["objects"]``.

    ``position_x_mm``, ``position_y_mm``, ``position_z_mm`` (signed, candidate − reference),
    ``rotation_deg``, ``velocity_m_s`` (magnitudes), ``energy_j`` (signed). Empty without objects.
    """
    objects: Mapping[str, Any] = report.series.get("objects", {})
    if not objects:
        return {}
    found: dict[str, F64] = {}
    for row in (row for row in SERIES if row.heatmap):
        entries = [entry for entry in objects.values() if row.id in entry]
        if len(entries) < len(objects):
            continue  # an older report lacks it
        values = row.factor * np.array([entry[row.id] for entry in entries], dtype=np.float64)
        if row.minus:
            values -= row.factor * np.array([entry[row.minus] for entry in entries], dtype=np.float64)
        if row.vector:
            found |= {row.heatmap.format(letter): values[:, :, i] for i, letter in enumerate("xyz")}
        else:
            found[row.heatmap] = values
    return found


def write_heatmaps(report: Report, folder: StrPath) -> list[Path]:
    """Write ``heatmaps.npz`` (the matrices, ``objects``, ``times``) and one PNG a matrix.

    Returns:
        The files; none when no object was matched.
    """
    folder, matrices = Path(folder), heatmap_matrices(report)
    if not matrices:
        return []
    buffer = io.BytesIO()
    names = np.array(list(report.series["objects"]))
    arrays: dict[str, Any] = {**matrices, "objects": names, "times": np.asarray(report.series["times"])}
    np.savez_compressed(buffer, **arrays)
    written = [folder / "heatmaps.npz"]
    write_output(written[0], buffer.getvalue())
    for name, matrix in matrices.items():
        path = folder / f"heatmap_{name}.png"
        write_output(path, png_bytes(_picture(name, matrix, names.tolist())))
        written.append(path)
    return written


def _picture(title: str, matrix: F64, names: list[str]) -> NDArray[np.uint8]:
    """Blue to orange over the symmetric range of the matrix, one labelled row an object."""
    limit = float(np.abs(matrix).max(initial=0.0))
    strength = np.abs(matrix)[..., None] / (limit or 1.0)
    hue = np.where(matrix[..., None] >= 0, _POSITIVE, _NEGATIVE)
    cells = np.round(_NEUTRAL + strength * (hue - _NEUTRAL)).astype(np.uint8)
    rows = cells.repeat(_CELL_HEIGHT, axis=0).repeat(_CELL_WIDTH, axis=1)
    rows[_CELL_HEIGHT - 1 :: _CELL_HEIGHT] = BACKGROUND
    least = _NAME_WIDTH + 48 * GAP  # the title needs its room in a short clip, too
    width = max(least, _NAME_WIDTH + rows.shape[1] + GAP)
    image = np.empty((_TITLE_HEIGHT + rows.shape[0] + GAP, width, 3), dtype=np.uint8)
    image[:] = BACKGROUND
    image[_TITLE_HEIGHT:-GAP, _NAME_WIDTH : _NAME_WIDTH + rows.shape[1]] = rows
    heading = f"{title}   blue −{limit:.4g} … orange +{limit:.4g}   {matrix.shape[1]} frames"
    labels = [(GAP, _TITLE_HEIGHT + 4 + k * _CELL_HEIGHT, name, MUTED) for k, name in enumerate(names)]
    return with_text(image, [(GAP, 7, heading, TEXT), *labels])
