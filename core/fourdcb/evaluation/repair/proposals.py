"""What is worth trying on a candidate: the report's own suggestions, then values that belong together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from fourdcb.evaluation.repair.differences import (
    CONTACT,
    KIND,
    LIGHT,
    LOOKS,
    SHAPE,
    STAGE,
    START,
    Differences,
    differences,
)
from fourdcb.evaluation.repair.edits import Edit, SetNumber
from fourdcb.evaluation.repair.stage import Judgement
from fourdcb.world import World
from fourdcb.world.material import MAPS

Origin = Literal["suggestion", "structure", "joined"]
# Values of one body that make up for each other, the fewest first.
_COUPLED: tuple[tuple[str, ...], ...] = (
    *((name,) for name in (*START, *SHAPE, *CONTACT, *STAGE)),
    ("geometry", "size"), ("mass", "restitution"), ("friction", "rolling_friction"), ("pos", "vel"),
    ("pos", "rot"), ("vel", "ang_vel"), ("pos", "vel", "acc"), CONTACT, START, (*START, *SHAPE),
    (*START, *CONTACT), (*START, *CONTACT, *SHAPE, *STAGE, *KIND),
)  # fmt: skip
_LOOKS_TOGETHER: tuple[tuple[str, ...], ...] = (
    ("base_color",), MAPS, ("roughness", "metallic"), ("base_color", *MAPS), LOOKS,
)  # fmt: skip
_LIGHT_TOGETHER: tuple[tuple[str, ...], ...] = (
    ("direction",), ("pos",), ("intensity",), ("color",), ("intensity", "color"),
    ("intensity_curve", "direction_curve", "time_range"), LIGHT,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Proposal:
    """Edits that are tried together."""

    origin: Origin
    edits: tuple[Edit, ...]


def proposals(judged: Judgement, own: World, reference: World) -> Iterator[Proposal]:
    """In the order in which they are worth trying; none twice.

    Args:
        judged: with causes.
        own: the candidate as judged.
        reference: the truth.
    """
    found = differences(own, reference, _counterpart(judged, own, reference))
    groups: list[tuple[Origin, Iterable[Iterable[Edit]]]] = [
        ("structure", _structure(found)),
        ("suggestion", _suggestions(judged)),
    ]
    failed = judged.failed
    if any(axis != "material_light" for axis in failed):
        groups.append(("joined", _motion(found)))
    if "material_light" in failed or not failed:
        groups.append(("joined", _looks(found)))
    seen: set[frozenset[str]] = set()
    for origin, candidates in groups:
        for edits in map(tuple, candidates):
            key = frozenset(map(repr, edits))
            if edits and key not in seen:
                seen.add(key)
                yield Proposal(origin, edits)


def _counterpart(judged: Judgement, own: World, reference: World) -> Mapping[str, str]:
    """Of the judgement; where nothing could be judged, bodies of one name stand for each other."""
    names = {body.name for body in reference.bodies}
    if judged.comparison is None:
        return {body.name: body.name for body in own.bodies if body.name in names}
    return judged.comparison.matching.counterpart


def _structure(found: Differences) -> Iterator[Iterable[Edit]]:
    """What is missing or needless, in a body's place or kind, all of it together first."""
    things: list[Edit] = [*found.removed, *found.added]
    kinds = [edit for fields in found.bodies.values() for edit in _of(fields, KIND)]
    yield things
    yield kinds
    yield [*things, *kinds]
    for edit in things:
        yield [edit]


def _suggestions(judged: Judgement) -> Iterator[Iterable[Edit]]:
    if judged.report is None:
        return
    for finding in judged.report.findings:
        cause = finding.likely_cause
        if cause is not None and cause.suggested is not None and finding.severity == "error":
            paths = (cause.parameter, *cause.alike)
            yield [SetNumber(path, cause.current, cause.suggested) for path in paths]


def _motion(found: Differences) -> Iterator[Iterable[Edit]]:
    bodies = found.bodies
    for names in _COUPLED:
        for fields in bodies.values():
            yield _of(fields, names)
    for names in _COUPLED:  # all bodies at once: other units, other axes, pairs of coefficients
        yield [edit for fields in bodies.values() for edit in _of(fields, names)]


def _looks(found: Differences) -> Iterator[Iterable[Edit]]:
    for names in _LIGHT_TOGETHER:
        for fields in found.lights.values():
            yield _of(fields, names)
    for names in _LOOKS_TOGETHER:
        for fields in found.bodies.values():
            yield _of(fields, names)
    yield from found.sky.values()
    lights = [edit for fields in found.lights.values() for edit in _of(fields, LIGHT)]
    sky = [edit for edits in found.sky.values() for edit in edits]
    yield lights
    yield [*lights, *sky]
    surfaces = [edit for fields in found.bodies.values() for edit in _of(fields, LOOKS)]
    yield surfaces
    yield [*lights, *sky, *surfaces]


def _of(fields: Mapping[str, list[Edit]], names: Sequence[str]) -> list[Edit]:
    return [edit for name in names for edit in fields.get(name, ())]
