"""Titles, units and numbers as people read them."""

from __future__ import annotations

from dataclasses import replace

from fourdcb.metrics.result import Cause, MetricValue
from fourdcb.metrics.specs import is_share, spec_of
from fourdcb.words import chosen, status_title, unit_sign

_LONG_UNIT = 6
# Below these a number is rounding, not a measurement; by unit as shown.
_NOISE = {"mm": 1e-3, "°": 1e-3, "%": 1e-2, "px": 1e-2}
_LEAST_NOISE = 1e-6
_SCALES = {"plain": 1.0, "share": 100.0, "grey_levels": 255.0}


def quantity(value: float, unit: str, *, share: bool = False) -> str:
    """A number with its unit: lengths in mm, shares in percent, three significant digits, no noise.

    >>> quantity(0.0612, "m"), quantity(0.31, "", share=True), quantity(2.5, "deg")
    ('61.2 mm', '31 %', '2.5°')
    """
    if unit == "m":
        value, sign = 1000.0 * value, "mm"
    elif share:
        value, sign = 100.0 * value, "%"
    else:
        sign = unit_sign(unit)
    gap = "" if sign in ("", "°") else " "
    return f"{_digits(value, noise=_NOISE.get(sign, _LEAST_NOISE))}{gap}{sign}"


def metric_value(name: str, metric: MetricValue) -> str:
    """The value, or the status in words when there is none."""
    if metric.value is None:
        return status_title(metric.status)
    # A long unit is said once, beside the threshold.
    unit = "" if metric.threshold is not None and len(metric.unit) > _LONG_UNIT else metric.unit
    return metric_quantity(name, metric.value, unit)


def metric_quantity(name: str, value: float, unit: str) -> str:
    """A value of a metric with its unit; metrics of pictures have fixed decimals, so that columns compare.

    >>> metric_quantity("ssim", 0.89, ""), metric_quantity("difference", 0.0747, "")
    ('0.890', '19.0 of 255')
    """
    spec = spec_of(name)
    if spec.decimals is None:
        return quantity(value, unit, share=spec.form == "share")
    sign = unit_sign(spec.form if spec.form != "plain" else unit)
    return f"{_SCALES[spec.form] * value:.{spec.decimals}f} {sign}".rstrip().replace("-", "−")


def relative_to_size(metric: MetricValue) -> str:
    """``26.6 % of its diagonal``: a length over that of the worst object's bounding box; "" where unknown."""
    share = metric.detail.get("relative")
    if metric.unit != "m" or not isinstance(share, float) or not metric.value:
        return ""
    return chosen().say("lines.of_diagonal", share=quantity(share, "", share=True))


def metric_threshold(name: str, metric: MetricValue) -> str:
    """The side and limit that pass, or a dash."""
    if metric.threshold is None:
        return "–"
    side = "<" if metric.direction == "below" else ">"
    return f"{side} {quantity(metric.threshold, metric.unit, share=is_share(name))}"


def value_and_threshold(name: str, metric: MetricValue) -> tuple[str, str]:
    """The two as neighbours in a table, where a long unit stands with the value."""
    if metric.value is None or len(metric.unit) <= _LONG_UNIT:
        return metric_value(name, metric), metric_threshold(name, metric)
    value = metric_quantity(name, metric.value, metric.unit)
    return value, metric_threshold(name, replace(metric, unit=""))


def cause_sentence(cause: Cause | None) -> str | None:
    """``cup.restitution is 0.6; 0.2 would fit better``, or None; others alike are named."""
    return None if cause is None else cause.told()


def _digits(value: float, *, noise: float) -> str:
    text = f"{0.0 if abs(value) < noise else value:.3g}"
    if "e" in text:
        text = f"{value:.0f}" if abs(value) >= 1 else f"{value:.1e}"
    return text.replace("-", "−")
