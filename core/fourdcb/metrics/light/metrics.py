"""Material-light axis: surfaces, the light's direction, shadows and brightness, worst body each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from fourdcb.metrics.criteria import Criteria
from fourdcb.metrics.light.lighting import LightGap
from fourdcb.metrics.result import MetricValue

if TYPE_CHECKING:
    from fourdcb.metrics.comparison import Comparison

_QUANTILE = 0.75
_NOTHING = "no matched body is in view"


def brdf_error(c: Comparison, criteria: Criteria) -> MetricValue:
    """Largest error of roughness or metallic."""
    surfaces = {} if c.appearance is None else c.appearance.surfaces
    if not surfaces:
        return criteria.unmeasured("brdf_error", "not_applicable", _NOTHING)
    errors = {name: gap.error for name, gap in surfaces.items()}
    worst = max(errors, key=lambda k: errors[k])
    detail: dict[str, Any] = {
        "worst": worst,
        "method": surfaces[worst].method,
        "methods": {name: gap.method for name, gap in surfaces.items()},
        "script": {name: gap.script for name, gap in surfaces.items()},
    }
    return criteria.measured("brdf_error", errors[worst], per_object=errors, detail=detail)


def appearance_error(c: Comparison, criteria: Criteria) -> MetricValue:
    """Median error of brightness [stops] of a body or the background, in its worst frame."""
    if c.appearance is None or not c.appearance.surfaces:  # a background alone shows nothing
        return criteria.unmeasured("appearance_error", "not_applicable", _NOTHING)
    return _worst("appearance_error", c.appearance.stops, criteria)


def appearance_patch(c: Comparison, criteria: Criteria) -> MetricValue:
    """Error of brightness [stops] in a body's worst patch, or the 90th percentile over it, worst frame."""
    if c.patches is None or not c.patches.surface:
        return criteria.unmeasured("appearance_patch", "not_applicable", _NOTHING)
    most = dict(c.patches.most)
    values = {name: max(value, most[name]) for name, value in c.patches.surface.items()}
    worst = max(values, key=lambda k: values[k])
    detail = {"worst": worst, "percentile_90": most, "frame": c.patches.surface_frame[worst]}
    return criteria.measured("appearance_patch", values[worst], per_object=values, detail=detail)


def irradiance_error(c: Comparison, criteria: Criteria) -> MetricValue:
    """Error of the light [stops] in the worst patch of the stage, or at an object, worst frame."""
    if c.patches is None or not c.patches.light:
        return criteria.unmeasured("irradiance_error", "not_applicable", "nothing of the stage is in view")
    values = dict(c.patches.light)
    worst = max(values, key=lambda k: values[k])
    detail = {"worst": worst, "frame": c.patches.light_frame[worst]}
    return criteria.measured("irradiance_error", values[worst], per_object=values, detail=detail)


def light_drift(c: Comparison, criteria: Criteria) -> MetricValue:
    """Standard deviation over time of the angle between the two worlds' light [deg]."""
    return _angle("light_drift", c.lights, np.std, criteria)


def light_offset(c: Comparison, criteria: Criteria) -> MetricValue:
    """Mean over time of the angle between the two worlds' light [deg]."""
    return _angle("light_offset", c.lights, np.mean, criteria)


def _angle(
    metric: str, gaps: Mapping[str, LightGap], figure: Callable[..., Any], criteria: Criteria
) -> MetricValue:
    if any(gap.dark.all() for gap in gaps.values()):
        reason = "the candidate has no light where the reference has"
        return criteria.unmeasured(metric, "error", reason, passed=False)
    angles = {name: gap.angle[np.isfinite(gap.angle)] for name, gap in gaps.items()}
    values = {name: float(figure(angle)) for name, angle in angles.items() if len(angle)}
    if not values:
        return criteria.unmeasured(metric, "not_applicable", "no object is lit in both worlds")
    return _worst(metric, values, criteria)


def light_spread(c: Comparison, criteria: Criteria) -> MetricValue:
    """How far the lights stand from where the reference's stand, beyond their mean direction [deg]."""
    if not c.spreads:
        return criteria.unmeasured("light_spread", "not_applicable", "no object is lit in both worlds")
    return _worst("light_spread", c.spreads, criteria)


def shadow_error(c: Comparison, criteria: Criteria) -> MetricValue:
    """Largest difference of an object's shadow length [px].

    Of an object's frames the 75th percentile counts: where a shadow's tip crosses an edge its length jumps.
    """
    values = {
        name: float(np.quantile(np.abs(s.error), _QUANTILE)) for name, s in c.shadows.items() if len(s.error)
    }
    if not values:
        return criteria.unmeasured("shadow_error", "not_applicable", "no object throws a shadow in view")
    return _worst("shadow_error", values, criteria)


def _worst(metric: str, values: Mapping[str, float], criteria: Criteria) -> MetricValue:
    worst = max(values, key=lambda k: values[k])
    return criteria.measured(metric, values[worst], per_object=dict(values), detail={"worst": worst})
