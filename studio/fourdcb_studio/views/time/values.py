"""The figures at the playhead and under the mouse, as words with units."""

from __future__ import annotations

import math

from fourdcb.words import tr
from fourdcb_studio.views.time.data import Limits, TimelineData, value_at
from fourdcb_studio.views.time.layout import Row

_QUIET = 0.05
"""Errors below this part of the map's range are written in the muted colour."""


def signed_text(value: float, digits: int = 1) -> str:
    """``+24.0``, ``−3.1`` with a true minus sign; ``0.0`` has none."""
    text = f"{abs(value):.{digits}f}"
    if float(text) == 0:
        return text
    return ("+" if value > 0 else "−") + text


def row_value(data: TimelineData, row: Row, frame: int, limits: Limits) -> tuple[str, bool] | None:
    """(text, whether it is small) of an error strip at a frame; None where nothing was measured."""
    tracks = data.errors.get(row.object)
    if tracks is None or not 0 <= frame < len(tracks.rotation):
        return None
    if row.kind in ("x", "y", "z"):
        value, limit = float(tracks.xyz[frame, "xyz".index(row.kind)]), limits.position
        text = f"{signed_text(value)} mm"
    elif row.kind == "rotation":
        value, limit = float(tracks.rotation[frame]), limits.rotation
        text = f"{value:.1f}°"
    elif row.kind == "energy":
        value, limit = float(tracks.energy[frame]), limits.energy
        text = f"{signed_text(100 * value, 0)} %"
    else:
        return None
    return (text, abs(value) < _QUIET * limit) if math.isfinite(value) else None


def curve_values(data: TimelineData, frame: float) -> list[tuple[str, bool]]:
    """(text, whether it is the reference's) of the plot at a frame."""
    curve = data.curve
    if curve is None:
        return []
    found = []
    for values, quiet in ((curve.candidate, False), (curve.reference, True)):
        value = value_at(curve, values, frame / data.fps)
        if value is not None:
            found.append((f"{figure(value)} {curve.unit}".rstrip(), quiet))
    return found


def figure(value: float) -> str:
    """A number with about three places, plain for sizes that occur, with a true minus sign."""
    size = abs(value)
    if size != 0 and not 1e-3 <= size < 1e5:
        text = f"{value:.2e}"
    else:
        text = f"{value:.3f}" if size < 100 else f"{value:.1f}"
    return text.replace("-", "−")


def read_out(data: TimelineData, row: Row, frame: int, limits: Limits) -> list[str]:
    """Lines of the card under the mouse."""
    lines = [tr("frame {frame} · {value:.3f} s", frame=frame, value=frame / data.fps)]
    if row.kind == "findings":
        lines += [f.text for f in data.findings if abs(f.frame - frame) <= _near(data)]
    elif row.kind == "contacts":
        lines += [f"{c.kind}: {c.text}" for c in data.contacts if abs(c.frame - frame) <= _near(data)]
    elif row.kind == "curve" and data.curve is not None:
        words = [
            f"{tr('original') if quiet else tr('replay')} {text}" for text, quiet in curve_values(data, frame)
        ]
        lines += [data.curve.label, *words]
    else:
        value = row_value(data, row, frame, limits)
        if value is not None:
            name = f"{row.object} " if row.object else ""
            lines.append(f"{name}{row.kind.upper() if len(row.kind) == 1 else row.kind}  {value[0]}")
    return [line if len(line) <= 64 else line[:63] + "…" for line in lines[:6]]


def _near(data: TimelineData) -> int:
    return max(0, data.n_frames // 240)
