"""Object × frame matrices of every error, as numbers (NPZ) and as pictures (PNG)."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.metrics.result import Report
from fourdcb.report.files import write_output
from fourdcb.report.pictures import png_bytes

F64 = NDArray[np.float64]
_CELL_HEIGHT, _CELL_WIDTH = 24, 6
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
    position = np.array([entry["position_error"] for entry in objects.values()], dtype=np.float64) * 1000.0
    energy = [
        np.subtract(entry["energy"], entry["reference_energy"], dtype=np.float64)
        for entry in objects.values()
    ]
    return {
        **{f"position_{letter}_mm": position[:, :, axis] for axis, letter in enumerate("xyz")},
        "rotation_deg": np.array([entry["rotation_error_deg"] for entry in objects.values()]),
        "velocity_m_s": np.array([entry["velocity_error"] for entry in objects.values()]),
        "energy_j": np.array(energy),
    }


def write_heatmaps(report: Report, folder: Path) -> list[Path]:
    """Write ``heatmaps.npz`` (the matrices, ``objects``, ``times``) and one PNG a matrix.

    Returns:
        The files; none when no object was matched.
    """
    matrices = heatmap_matrices(report)
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
        write_output(path, png_bytes(_picture(matrix)))
        written.append(path)
    return written


def _picture(matrix: F64) -> NDArray[np.uint8]:
    """Blue to orange over the symmetric range of the matrix; rows are parted by a dark line."""
    limit = float(np.abs(matrix).max(initial=0.0)) or 1.0
    strength = np.abs(matrix)[..., None] / limit
    hue = np.where(matrix[..., None] >= 0, _POSITIVE, _NEGATIVE)
    cells = np.round(_NEUTRAL + strength * (hue - _NEUTRAL)).astype(np.uint8)
    image = cells.repeat(_CELL_HEIGHT, axis=0).repeat(_CELL_WIDTH, axis=1)
    image[_CELL_HEIGHT - 1 :: _CELL_HEIGHT] = 0
    return image
