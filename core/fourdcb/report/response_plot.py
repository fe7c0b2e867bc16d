"""A response curve as a small picture: a metric over the injected error, its limit, and where it fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fourdcb.metrics.specs import is_share
from fourdcb.report import svg
from fourdcb.report.wording import quantity
from fourdcb.words import metric_title

if TYPE_CHECKING:
    from fourdcb.evaluation.responses import Response

WIDTH, HEIGHT = 320.0, 232.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 14.0, 50.0, 42.0
_PAPER, _INK, _LINE, _BAD = "#fbfcfd", "#1a1e26", "#0a5fbf", "#b8261a"


def response_plot(found: Response) -> str:
    """The content of an SVG file."""
    factor = _factor(found)
    values, limit = [factor * v for v in found.values], factor * found.threshold
    x = svg.Scale(0.0, found.errors[-1], _LEFT, WIDTH - _RIGHT)
    y = svg.Scale(0.0, 1.12 * max(*values, 1.25 * limit), HEIGHT - _BOTTOM, _TOP)
    points = [(x(e), y(v)) for e, v in zip(found.errors, values, strict=True)]
    parts = [svg.box(0, 0, WIDTH, HEIGHT, fill=_PAPER, round_by=8), *_head(found)]
    parts += [*_failing(found, limit, x, y), *_grid(found, x, y)]
    parts += [*_limit_line(limit, x, y), *_crossing(found, limit, x, y)]
    parts.append(svg.polyline(points, kind="curve", stroke=_LINE))
    parts += [svg.dot(*point, radius=2.6, fill=_LINE, stroke=_PAPER) for point in points]
    label = f"{metric_title(found.metric)} against {found.error}"
    return svg.document(WIDTH, HEIGHT, parts, label=label, standalone=True) + "\n"


def _factor(found: Response) -> float:
    """From the metric's unit to the one that is shown: lengths in mm, shares in percent."""
    if found.unit == "m":
        return 1000.0
    return 100.0 if is_share(found.metric) else 1.0


def _head(found: Response) -> list[str]:
    needed = quantity(found.threshold, found.unit, share=is_share(found.metric))
    return [
        svg.text(_LEFT, 22, metric_title(found.metric), kind="label"),
        svg.text(WIDTH - _RIGHT, 22, found.scene, anchor="end"),
        svg.text(_LEFT, 38, f"passes {found.direction} {needed}"),
    ]


def _failing(found: Response, limit: float, x: svg.Scale, y: svg.Scale) -> list[str]:
    top, bottom = (y.end, y(limit)) if found.direction == "below" else (y(limit), y.start)
    return [svg.box(x.start, top, x.end - x.start, bottom - top, fill=_BAD, opacity=0.06)]


def _grid(found: Response, x: svg.Scale, y: svg.Scale) -> list[str]:
    parts = []
    for tick in svg.round_ticks(0.0, y.high, count=4):
        parts.append(svg.line(x.start, y(tick), x.end, y(tick)))
        parts.append(svg.text(x.start - 7, y(tick) + 4, f"{tick:g}", anchor="end", kind="number"))
    for tick in svg.round_ticks(0.0, x.high, count=4):
        parts.append(svg.line(x(tick), y.start, x(tick), y.start + 4))
        parts.append(svg.text(x(tick), y.start + 17, f"{tick:g}", anchor="middle", kind="number"))
    middle = 0.5 * (x.start + x.end)
    parts.append(svg.text(middle, HEIGHT - 9, found.error, anchor="middle"))
    return parts


def _limit_line(limit: float, x: svg.Scale, y: svg.Scale) -> list[str]:
    ends = [(x.start, y(limit)), (x.end, y(limit))]
    return [svg.polyline(ends, kind="limit", stroke=_BAD, dashed=True)]


def _crossing(found: Response, limit: float, x: svg.Scale, y: svg.Scale) -> list[str]:
    """A drop line where the metric starts to fail, with the error at which it does."""
    at = found.crossing
    if at is None:
        return []
    left = found.direction == "above" or x(at) > 0.4 * x.start + 0.6 * x.end
    where = x(at) - 6 if left else x(at) + 6
    return [
        svg.polyline([(x(at), y(limit)), (x(at), y.start)], kind="limit", stroke=_BAD),
        svg.dot(x(at), y(limit), radius=4, fill=_PAPER, stroke=_BAD),
        svg.text(where, y.start - 8, f"fails from {at:.2g}", anchor="end" if left else "start"),
    ]
