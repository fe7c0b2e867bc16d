"""Findings about light and surfaces; their causes are read off the two scripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from fourdcb.arrays import F64
from fourdcb.metrics.causes.light import brightness_cause, direction_cause, wander_cause
from fourdcb.metrics.comparison import Comparison
from fourdcb.metrics.criteria import Criteria
from fourdcb.metrics.kinds import finding
from fourdcb.metrics.light.appearance import stand_ins
from fourdcb.metrics.light.lighting import flickering_frame
from fourdcb.metrics.light.material import BACKGROUND, SurfaceGap
from fourdcb.metrics.result import AxisResult, Cause, Finding, MetricValue
from fourdcb.world.looks import FINISH, stated_finish, stated_look
from fourdcb.world.material import MAPS

_NEUTRAL = 0.15
_SAME_SURFACE = 0.02
_LIGHTS = "lights"
_CHANNELS = ("red", "green", "blue")


def light_findings(c: Comparison, axis: AxisResult, criteria: Criteria) -> Iterator[Finding]:
    """One finding per failed metric and object; a light that is wrong everywhere is told once."""
    failed = {name: m for name, m in axis.metrics.items() if m.passed is False}
    if "light_offset" in failed:
        yield _offset(c, failed["light_offset"])
    if "light_drift" in failed:
        yield _drift(c, failed["light_drift"])
    if "light_spread" in failed:
        yield _spread(c, failed["light_spread"])
    if "brdf_error" in failed and c.appearance is not None:
        limit = criteria.thresholds["brdf_error"]
        for name, gap in c.appearance.surfaces.items():
            if not limit.passes(gap.error):
                yield _surface(c, name, gap)
    if "shadow_error" in failed:
        yield from _shadows(c, failed["shadow_error"], criteria)
    if "appearance_error" in failed:
        yield from _appearance(c, failed["appearance_error"], criteria)
    yield from _patches(c, failed)


def _patches(c: Comparison, failed: Mapping[str, MetricValue]) -> Iterator[Finding]:
    """What only parts of the pictures show: told where nothing else about surface or light is."""
    assert c.patches is not None or not failed  # nothing that is drawn fails in a fast judgement
    plain = {"appearance_error", "brdf_error"} & set(failed)
    if "appearance_patch" in failed and c.patches is not None:
        metric = failed["appearance_patch"]
        for name, value in sorted(metric.per_object.items(), key=lambda item: -item[1]):
            told = any(name in failed[other].per_object and not _ok(failed[other], name) for other in plain)
            if metric.threshold is not None and value >= metric.threshold and not told:
                frame, form = c.patches.surface_frame[name], _image_form(c, name)
                yield _patch(c, "appearance_patch", name, metric, frame, form=form)
    lit = {"appearance_error", "light_offset", "light_drift", "shadow_error"} & set(failed)
    if "irradiance_error" in failed and not lit and c.patches is not None:
        metric = failed["irradiance_error"]
        name, own, truth = str(metric.detail["worst"]), c.candidate.world, c.reference.world
        many: dict[str, Any] = {"form": "spot"}
        if len(own.lights) != len(truth.lights):
            many = {"form": "number", "own": len(own.lights), "truth": len(truth.lights)}
        cause = wander_cause(truth, own)
        frame = c.patches.light_frame[name]
        yield _patch(c, "irradiance", name, metric, frame, likely_cause=cause, **many)


def _ok(metric: MetricValue, name: str) -> bool:
    return metric.threshold is None or metric.per_object[name] < metric.threshold


def _patch(c: Comparison, kind: str, name: str, metric: MetricValue, frame: int, **told: Any) -> Finding:
    return finding(
        kind, name, frame=frame, time=frame / c.reference.world.fps, measured=metric.per_object[name],
        expected=metric.threshold, body=name, **told,
    )  # fmt: skip


def _image_form(c: Comparison, name: str) -> str:
    """Which sentence: whether one of the two, or each, has an image on the body."""
    own, truth = _images(c, name)
    if own == truth:
        return "spot"
    if any(own) and any(truth):
        return "other_image"
    return "missing_image" if any(truth) else "needless_image"


def _images(c: Comparison, name: str) -> tuple[tuple[str | None, ...], tuple[str | None, ...]]:
    """Names of the image files on a body, the candidate's and the reference's."""
    body = stand_ins(c.matching)[name]
    own, truth = (
        next(b.material for b in world.bodies if b.name == wanted)
        for world, wanted in ((c.candidate.world, body), (c.reference.world, name))
    )
    found = [tuple(getattr(material, field) for field in MAPS) for material in (own, truth)]
    return found[0], found[1]


def _offset(c: Comparison, metric: MetricValue) -> Finding:
    cause = direction_cause(c.reference.world, c.candidate.world)
    if metric.value is None:
        return finding("light_direction", form="dark", likely_cause=cause)
    name = str(metric.detail["worst"])
    angle = c.lights[name].angle
    frame = int(np.nanargmax(angle))
    return finding(
        "light_direction", name, frame=frame, time=frame / c.reference.world.fps, measured=metric.value,
        expected=metric.threshold, form="off", angle=float(angle[frame]), likely_cause=cause,
    )  # fmt: skip


def _drift(c: Comparison, metric: MetricValue) -> Finding:
    if metric.value is None:
        return _offset(c, metric)
    name = str(metric.detail["worst"])
    angle = c.lights[name].angle
    frame = int(np.nanargmax(np.abs(angle - np.nanmedian(angle))))
    return finding(
        "light_drift", name, frame=frame, time=frame / c.reference.world.fps, measured=metric.value,
        expected=metric.threshold, least=float(np.nanmin(angle)), most=float(np.nanmax(angle)),
        likely_cause=wander_cause(c.reference.world, c.candidate.world),
    )  # fmt: skip


def _spread(c: Comparison, metric: MetricValue) -> Finding:
    own, truth = len(c.candidate.world.lights), len(c.reference.world.lights)
    return finding(
        "light_spread", str(metric.detail["worst"]), measured=metric.value, expected=metric.threshold,
        form="number" if own != truth else "apart", own=own, truth=truth,
    )  # fmt: skip


def _surface(c: Comparison, name: str, gap: SurfaceGap) -> Finding:
    rough = abs(gap.candidate.roughness - gap.reference.roughness)
    metal = abs(gap.candidate.metallic - gap.reference.metallic)
    prop = "roughness" if rough >= metal else "metallic"
    own, truth = float(getattr(gap.candidate, prop)), float(getattr(gap.reference, prop))
    body = stand_ins(c.matching)[name]
    world = c.candidate.world
    current = next(getattr(stated_look(b, world), prop) for b in world.bodies if b.name == body)
    return finding(
        prop, name, frame=gap.frame, time=None if gap.frame is None else gap.frame / c.reference.world.fps,
        measured=own, expected=truth, form=gap.method,
        likely_cause=Cause(parameter=f"{body}.{prop}", current=current, suggested=round(truth, 3)),
    )  # fmt: skip


def _shadows(c: Comparison, metric: MetricValue, criteria: Criteria) -> Iterator[Finding]:
    cause = direction_cause(c.reference.world, c.candidate.world)
    for name, value in metric.per_object.items():
        if criteria.thresholds["shadow_error"].passes(value):
            continue
        lengths = c.shadows[name]
        gap = lengths.candidate - lengths.reference
        i = int(np.nanargmax(np.abs(gap)))
        frame = int(lengths.frames[i])
        wrong = float(gap[i])
        hidden = lengths.offscreen
        forms = ("extra", "missing") if hidden else ("longer", "shorter")
        body, mark = (name, None) if hidden is None else hidden
        yield finding(
            "shadow", *(() if hidden else (name,)), frame=frame,
            time=frame / c.reference.world.fps, measured=float(lengths.candidate[i]),
            expected=float(lengths.reference[i]), form=forms[0] if wrong > 0 else forms[1],
            body=body, mark=mark, gap=abs(wrong), likely_cause=None if hidden else cause,
        )  # fmt: skip


def _appearance(c: Comparison, metric: MetricValue, criteria: Criteria) -> Iterator[Finding]:
    """One finding per cause: a wrong light alters all bodies at once."""
    worlds = (c.reference.world, c.candidate.world)
    relit = worlds[0].lights != worlds[1].lights or worlds[0].ambient != worlds[1].ambient
    limit = criteria.thresholds["appearance_error"]
    groups: dict[str, list[str]] = {}
    causes = {name: _appearance_cause(c, name) for name in metric.per_object}
    for name, value in sorted(metric.per_object.items(), key=lambda item: -item[1]):
        if not limit.passes(value):
            cause = causes[name]
            own = name == BACKGROUND or not relit
            key = cause.parameter if cause is not None else name if own else _LIGHTS
            groups.setdefault(key, []).append(name)
    for names in groups.values():
        worst = min(names, key=lambda name: float(np.ptp(_tint(c, name))))
        yield _look_finding(c, worst, names, metric, causes[worst])


def _look_finding(
    c: Comparison, worst: str, names: list[str], metric: MetricValue, cause: Cause | None
) -> Finding:
    """What is seen on one body, and which others look wrong likewise; with its frame where light changes."""
    frame = None
    if c.appearance is not None and flickering_frame(c.lights) is not None:
        frame = c.appearance.worst_frame[worst]
    return finding(
        "appearance", *(name for name in names if name != BACKGROUND), frame=frame,
        time=None if frame is None else frame / c.reference.world.fps,
        measured=metric.per_object[worst], expected=metric.threshold, likely_cause=cause, body=worst,
        likewise=tuple(name for name in names if name != worst),
        **_look(_tint(c, worst), metric.per_object[worst]),
    )  # fmt: skip


def _tint(c: Comparison, name: str) -> F64:
    """Median log2 radiance ratio of a body's channels, shape (3,)."""
    assert c.appearance is not None  # there is no appearance metric without it
    return np.array(c.appearance.tint[name])


def _look(tint: F64, stops: float) -> dict[str, Any]:
    """How a body looks: which sentence, and which channel."""
    k = int(np.argmax(np.abs(tint)))
    if abs(tint[k]) < max(_NEUTRAL, 0.5 * stops):
        return {"form": "mixed"}
    if np.ptp(tint) < _NEUTRAL:
        return {"form": "bright" if tint.mean() > 0 else "dark"}
    return {"form": "much" if tint[k] > 0 else "little", "channel": _CHANNELS[k]}


def _appearance_cause(c: Comparison, name: str) -> Cause | None:
    """The base colour where the scripts differ in it, else opacity and its like, the lights, the surface."""
    if name == BACKGROUND:
        return None  # the message says it all, and it is no parameter that could be applied
    shown_by = {} if c.appearance is None else c.appearance.shown_by
    body = shown_by.get(name, stand_ins(c.matching)[name])
    own, truth = (
        next(stated_look(b, world).base_color for b in world.bodies if b.name == wanted)
        for world, wanted in ((c.candidate.world, body), (c.reference.world, name))
    )
    images = _images(c, name) if name in stand_ins(c.matching) else ((), ())
    if any(images[0]) != any(images[1]):
        return None  # no base colour makes up for an image, and none is read off the file's mean
    k = int(np.argmax(np.abs(np.subtract(own, truth))))
    if abs(own[k] - truth[k]) > 0.02:
        return Cause(parameter=f"{body}.base_color[{k}]", current=own[k], suggested=truth[k])
    if (finish := _finish_cause(c, body, name)) is not None:
        return finish
    light = brightness_cause(c.reference.world, c.candidate.world)
    gap = None if c.appearance is None else c.appearance.surfaces.get(name)
    if light is None and gap is not None and gap.script > _SAME_SURFACE:
        return _surface(c, name, gap).likely_cause
    return light


def _finish_cause(c: Comparison, body: str, name: str) -> Cause | None:
    """The most different of opacity, subsurface and specular, where the scripts differ in one."""
    own, truth = (
        next(stated_finish(b, (0.0, 0.0, 0.0)) for b in world.bodies if b.name == wanted)
        for world, wanted in ((c.candidate.world, body), (c.reference.world, name))
    )
    field = max(FINISH, key=lambda f: abs(own[f] - truth[f]))
    if abs(own[field] - truth[field]) <= 0.02:
        return None
    return Cause(parameter=f"{body}.{field}", current=own[field], suggested=truth[field])
