"""Numbers of the candidate that differ in effect from the reference's, as single changes worth trying."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fourdcb.errors import UserError
from fourdcb.metrics.comparison import Comparison
from fourdcb.metrics.states import PairStates
from fourdcb.sensitivity import Change
from fourdcb.trajectory import Trajectory
from fourdcb.world import Object, Plane, World, contact_properties, effective_mass, parameter, with_value
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
    where moving bodies touch each other. Long and crowded clips get fewer tries.
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


def contact_change(c: Comparison, pair: tuple[str, str], prop: ContactProperty) -> Change | None:
    """The one body's coefficient that gives a pair of candidate bodies the reference's product.

    The body whose own coefficient differs is changed, so that its value becomes the reference's; where both
    differ the moving one. None where no legal value of one body does it.
    """
    changes = (_change(c.candidate.world, path, value) for path, value in _pair_values(c, pair, prop))
    return next((change for change in changes if change is not None), None)


def size_change(world: World, s: PairStates) -> Change | None:
    """The most different extent of a candidate's object set to the reference's; None where they agree.

    The two may have their axes in another order; a mesh's extents are not its size but follow it.
    """
    ratio = (np.abs(s.turn) @ s.reference_size) / s.candidate_size
    i = int(np.argmax(np.abs(np.log(ratio))))
    return _change(world, f"{s.match.candidate}.size[{i}]", float(s.candidate.size[i] * ratio[i]))


def _contact(c: Comparison) -> Iterator[tuple[str, float]]:
    touching = _touching(c)
    for prop in _CONTACT:
        for pair in touching:
            yield from _pair_values(c, pair, prop)


def _pair_values(c: Comparison, pair: tuple[str, str], prop: ContactProperty) -> Iterator[tuple[str, float]]:
    """Coefficients of either body that give the pair the reference's product, the likelier body first."""
    own, truth = contact_properties(c.candidate.world), contact_properties(c.reference.world)
    moving = {o.name for o in c.candidate.world.objects if o.kind == "dynamic"}
    a, b = pair
    values = {n: float(getattr(own[n], prop)) for n in pair}
    wanted = {n: float(getattr(truth[c.matching.counterpart[n]], prop)) for n in pair}
    product = wanted[a] * wanted[b]
    if abs(values[a] * values[b] - product) <= _RELATIVE * max(product, 0.01):
        return
    for name in sorted(pair, key=lambda n: (values[n] == wanted[n], n not in moving)):
        other = values[b if name == a else a]
        if other > 0:
            yield f"{name}.{prop}", product / other


def _touching(c: Comparison) -> list[tuple[str, str]]:
    """Pairs of candidate names, all with a counterpart, that touch in either world."""
    back = {ref: cand for cand, ref in c.matching.counterpart.items()}
    found: dict[tuple[str, str], None] = {}
    for trajectory, names in ((c.candidate.trajectory, None), (c.reference.trajectory, back)):
        n = len(trajectory.names)
        keys = np.unique(trajectory.contacts.body_a.astype(np.int64) * n + trajectory.contacts.body_b)
        for key in keys:
            pair = tuple(trajectory.names[i] for i in divmod(int(key), n))
            pair = pair if names is None else tuple(names.get(x, "") for x in pair)
            if all(x in c.matching.counterpart for x in pair):
                found[(min(pair), max(pair))] = None
    return list(found)


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
    for a, b in _touching(c):
        if a in moving and b in moving:
            for name in (a, b):
                yield f"{name}.mass", effective_mass(c.reference.world.object(moving[name]))
