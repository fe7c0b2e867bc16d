"""One object over time on one ruler: findings, X/Y/Z error strips, rotation, height of both worlds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fourdcb.arrays import F64
from fourdcb.metrics.result import Finding
from fourdcb.report import svg
from fourdcb.report.wording import quantity

WIDTH, LEFT, RIGHT = 900.0, 84.0, 92.0
ROW, GAP = 16.0, 4.0
PLOT = 110.0


def object_timeline(name: str, series: Mapping[str, Any], *, times: F64, findings: Sequence[Finding]) -> str:
    """Inline SVG of one object's errors and height.

    Args:
        name: the reference's name of the object.
        series: ``report.series["objects"][name]``: position_error [m], shape (T, 3), and so on.
        times: of the frames [s], shape (T,).
        findings: all findings; those of this object (or of none) are marked.
    """
    count = len(times)
    x = svg.Scale(0.0, float(max(count, 1)), LEFT, WIDTH - RIGHT)
    errors = np.asarray(series["position_error"], dtype=np.float64).reshape(-1, 3)
    rotation = np.asarray(series["rotation_error_deg"], dtype=np.float64)
    parts = _ruler(x, times)
    parts += _markers(x, name, findings, y=26.0)
    y = 38.0
    limit = max(float(np.abs(errors).max(initial=0.0)), 1e-3)
    for axis, letter in enumerate("XYZ"):
        parts += _row(letter, errors[:, axis], x=x, y=y, limit=limit, unit="m", signed=True)
        y += ROW + GAP
    most = max(float(rotation.max(initial=0.0)), 0.5)
    parts += _row("rotation", rotation, x=x, y=y, limit=most, unit="deg", signed=False)
    y += ROW + 3 * GAP
    parts += _height_plot(series, x=x, top=y)
    bottom = y + PLOT
    parts.append(_beyond_horizon(int(series.get("frames_in_horizon", count)), count, x=x, bottom=bottom))
    parts += _legend(limit, most, y=bottom + 22.0)
    return svg.document(WIDTH, bottom + 30.0, parts, label=f"errors of {name} over the frames")


def curve_plot(title: str, values: Sequence[float | None], *, least_span: float) -> str:
    """Inline SVG of one per-frame figure of the pictures (PSNR, SSIM); None leaves a gap.

    Args:
        title: what the values are.
        values: one a frame.
        least_span: of the vertical axis, so that noise looks like noise.
    """
    measured = [value for value in values if value is not None]
    x = svg.Scale(0.0, float(max(len(values), 1)), LEFT, WIDTH - RIGHT)
    y = svg.padded_scale(measured, start=84.0, end=8.0, least=least_span)
    parts = _value_grid(y)
    for run in _runs(values):
        points = [(x(k + 0.5), y(value)) for k, value in run]
        parts.append(svg.polyline(points, kind="candidate", stroke="#0a5fbf"))
    parts.append(svg.text(WIDTH - RIGHT + 10, 16, title, kind="label"))
    if measured:
        parts.append(svg.text(WIDTH - RIGHT + 10, 33, f"least {min(measured):.3g}", kind="number"))
    return svg.document(WIDTH, 92.0, parts, label=f"{title} over the frames")


def _runs(values: Sequence[float | None]) -> list[list[tuple[int, float]]]:
    """Stretches of consecutive measured values with their indices."""
    runs: list[list[tuple[int, float]]] = [[]]
    for k, value in enumerate(values):
        if value is not None:
            runs[-1].append((k, value))
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _ruler(x: svg.Scale, times: F64) -> list[str]:
    parts = [svg.text(LEFT - 10, 12, "frame", anchor="end")]
    for tick in svg.round_ticks(0.0, float(max(len(times) - 1, 1)), count=10):
        parts.append(svg.text(x(tick), 12, f"{tick:g}", anchor="middle", kind="number"))
        parts.append(svg.line(x(tick), 18, x(tick), 38 + 4 * (ROW + GAP) + 2 * GAP + PLOT))
    if len(times):
        parts.append(svg.text(WIDTH - RIGHT + 10, 12, f"{float(times[-1]):.2f} s", kind="number"))
    return parts


def _markers(x: svg.Scale, name: str, findings: Sequence[Finding], *, y: float) -> list[str]:
    parts = [svg.text(LEFT - 10, y + 4, "findings", anchor="end")]
    for finding in findings:
        if finding.frame is None or (finding.objects and name not in finding.objects):
            continue
        left = x(finding.frame + 0.5)
        if finding.severity == "error":
            parts.append(f'<circle class="bad" cx="{left:.1f}" cy="{y:.1f}" r="4" fill="#b8261a"/>')
        else:
            points = f"{left - 4.5:.1f},{y + 4:.1f} {left + 4.5:.1f},{y + 4:.1f} {left:.1f},{y - 4.5:.1f}"
            parts.append(f'<polygon class="warning" points="{points}" fill="#7d5200"/>')
    return parts


def _row(
    label: str, values: F64, *, x: svg.Scale, y: float, limit: float, unit: str, signed: bool
) -> list[str]:
    worst = float(values[np.argmax(np.abs(values))]) if len(values) else 0.0
    shown = quantity(worst, unit)
    return [
        svg.text(LEFT - 10, y + 12, label, anchor="end"),
        f'<rect class="track" x="{x.start:.1f}" y="{y:.1f}" width="{x.end - x.start:.1f}" '
        f'height="{ROW}" fill="#eef0f3"/>',
        svg.strip(values.tolist(), x=x, y=y, height=ROW, limit=limit, signed=signed),
        svg.text(WIDTH - RIGHT + 10, y + 12, f"+{shown}" if signed and worst > 0 else shown, kind="number"),
    ]


def _height_plot(series: Mapping[str, Any], *, x: svg.Scale, top: float) -> list[str]:
    candidate = np.asarray(series["position"], dtype=np.float64).reshape(-1, 3)[:, 2]
    reference = np.asarray(series["reference_position"], dtype=np.float64).reshape(-1, 3)[:, 2]
    y = svg.padded_scale([*candidate, *reference], start=top + PLOT, end=top, least=0.01)
    parts = _value_grid(y)
    for heights, kind, stroke, dashed in (
        (reference, "reference", "#566072", True),
        (candidate, "candidate", "#0a5fbf", False),
    ):
        points = [(x(k + 0.5), y(float(height))) for k, height in enumerate(heights)]
        parts.append(svg.polyline(points, kind=kind, stroke=stroke, dashed=dashed))
    for row, (words, kind) in enumerate(
        [("height [m]", "label"), ("— replay", "note"), ("- - original", "note")]
    ):
        parts.append(svg.text(WIDTH - RIGHT + 10, top + 12 + 17 * row, words, kind=kind))
    return parts


def _value_grid(y: svg.Scale) -> list[str]:
    parts: list[str] = []
    for tick in svg.round_ticks(y.low, y.high, count=4):
        parts.append(svg.line(LEFT, y(tick), WIDTH - RIGHT, y(tick)))
        parts.append(svg.text(LEFT - 10, y(tick) + 4, f"{tick:g}", anchor="end", kind="number"))
    return parts


def _beyond_horizon(frames: int, count: int, *, x: svg.Scale, bottom: float) -> str:
    if frames >= count:
        return ""
    left = x(frames)
    return (
        f'<rect class="beyond" x="{left:.1f}" y="18" width="{x.end - left:.1f}" '
        f'height="{bottom - 18:.1f}" fill="#566072" fill-opacity="0.14"/>'
    )


def _legend(limit: float, most: float, *, y: float) -> list[str]:
    bar = svg.Scale(0.0, 49.0, LEFT + 62, LEFT + 222)
    signed = svg.strip([k - 24 for k in range(49)], x=bar, y=y - 9, height=10, limit=24.0, signed=True)
    turn = svg.Scale(0.0, 25.0, LEFT + 420, LEFT + 520)
    size = svg.strip(list(range(25)), x=turn, y=y - 9, height=10, limit=24.0, signed=False)
    return [
        svg.text(LEFT + 54, y, quantity(-limit, "m"), anchor="end", kind="number"),
        signed,
        _bar_frame(bar, y),
        svg.text(bar.end + 8, y, f"+{quantity(limit, 'm')}", kind="number"),
        svg.text(turn.start - 8, y, "0°", anchor="end", kind="number"),
        size,
        _bar_frame(turn, y),
        svg.text(turn.end + 8, y, quantity(most, "deg"), kind="number"),
    ]


def _bar_frame(bar: svg.Scale, y: float) -> str:
    return (
        f'<rect class="frame" x="{bar.start:.1f}" y="{y - 9:.1f}" width="{bar.end - bar.start:.1f}" '
        'height="10" fill="none" stroke="#d3d8e0"/>'
    )
