"""Numbers of the candidate that differ in effect from the reference's, as single changes worth trying."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from fourdcb.errors import UserError
from fourdcb.metrics.causes.contact_changes import pair_values, touching_pairs
from fourdcb.metrics.comparison import Comparison
from fourdcb.metrics.states import PairStates
from fourdcb.sensitivity import Change
from fourdcb.trajectory import Trajectory
from fourdcb.world import Object, Plane, World, effective_mass, parameter, with_value
from fourdcb.world.contact import ContactProperty

_RELATIVE = 1e-3
_SURFACE = 0.002
_VECTORS = ("vel", "ang_vel", "acc", "pos", "size")
_CONTACT: tuple[ContactProperty, ...] = ("restitution", "friction")
_MOST = 12
_FEWEST = 3
_AFFORDABLE = 600_000


def likely_changes(c: Comparison) -> list[Change]:
    """Changes of one number towards the reference, contact properties first.

    Contact coefficients count as pair products, for pairs that touch in either world; masses count only
    where moving bodies touch each other or a fluid. Long and crowded clips get fewer tries.
    """
    found: dict[str, Change] = {}
    for path, value in (*_contact(c), *_start(c), *_masses(c)):
        change = _change(c.candidate.world, path, value)
        if change is not None and path not in found:
            found[path] = change
    return list(found.values())[: _tries(c.candidate.trajectory)]


def _tries(trajectory: Trajectory) -> int:
    cost = len(trajectory.times) * len(trajectory.names) + 8 * len(trajectory.contacts)
    return int(np.clip(_AFFORDABLE // max(cost, 1), _FEWEST, _MOST))


def _change(world: World, path: str, value: float) -> Change | None:
    """None where the value lies outside the parameter's legal range."""
    known = parameter(world, path)
    if abs(value - known.value) <= _RELATIVE * max(abs(value), abs(known.value), 0.01):
        return None
    try:
        changed = with_value(world, path, value)
    except UserError:
        return None
    return Change(path=path, current=known.value, suggested=value, unit=known.unit, world=changed)


def first_change(c: Comparison, values: Iterable[tuple[str, float]]) -> Change | None:
    """The first of some paths and values that is a legal change of the candidate; None where none is."""
    changes = (_change(c.candidate.world, path, value) for path, value in values)
    return next((change for change in changes if change is not None), None)


def size_change(world: World, s: PairStates) -> Change | None:
    """The most different extent of a candidate's object set to the reference's; None where they agree.

    The two may have their axes in another order; a mesh's extents are not its size but follow it.
    """
    ratio = (np.abs(s.turn) @ s.reference_size) / s.candidate_size
    i = int(np.argmax(np.abs(np.log(ratio))))
    return _change(world, f"{s.match.candidate}.size[{i}]", float(s.candidate.size[i] * ratio[i]))


def _contact(c: Comparison) -> Iterator[tuple[str, float]]:
    touching = touching_pairs(c)
    for prop in _CONTACT:
        values = pair_values(c, prop, touching)
        for pair in touching:
            yield from values.for_pair(pair)


def _start(c: Comparison) -> Iterator[tuple[str, float]]:
    for field in _VECTORS:
        for m in c.matching.pairs:
            if c.candidate.world.object(m.candidate).kind == "kinematic":
                continue
            value = getattr(c.reference.world.object(m.reference), field)
            for i in range(3):
                yield f"{m.candidate}.{field}[{i}]", float(value[i])
    yield from _stage(c)
    for m in c.matching.pairs:
        yield f"{m.candidate}.rolling_friction", c.reference.world.object(m.reference).rolling_friction


def _stage(c: Comparison) -> Iterator[tuple[str, float]]:
    """Places and extents of static bodies whose visible surface is off."""
    reference = {body.name: body for body in c.reference.world.bodies}
    candidate = {body.name: body for body in c.candidate.world.bodies}
    by_place = {ref: cand for cand, ref in c.matching.counterpart.items()}
    for name, error in c.matching.static.errors.items():
        partner = c.matching.static.stand_in.get(name, by_place.get(name))
        if error < _SURFACE or partner is None:
            continue
        truth, guess = reference[name], candidate[partner]
        if isinstance(truth, Plane) and isinstance(guess, Plane):
            yield f"{partner}.offset", truth.offset
        elif isinstance(truth, Object) and isinstance(guess, Object):
            for field in ("pos", "size"):
                for i, value in enumerate(getattr(truth, field)):
                    yield f"{partner}.{field}[{i}]", float(value)


def _masses(c: Comparison) -> Iterator[tuple[str, float]]:
    moving = {m.candidate: m.reference for m in c.matching.pairs}
    if c.candidate.world.fluids:  # how deep a body sinks is its mass
        for name, partner in moving.items():
            yield f"{name}.mass", effective_mass(c.reference.world.object(partner))
    for a, b in touching_pairs(c):
        if a in moving and b in moving:
            for name in (a, b):
                yield f"{name}.mass", effective_mass(c.reference.world.object(moving[name]))
