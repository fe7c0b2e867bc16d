"""Contact coefficients that would give pairs of candidate bodies what the reference gives theirs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fourdcb.metrics.comparison import Comparison
from fourdcb.world import contact_properties
from fourdcb.world.contact import ContactProperty

Pair = tuple[str, str]
_RELATIVE = 1e-3


@dataclass(frozen=True, slots=True)
class PairValues:
    """One coefficient of all candidate bodies that touch, and what it should be.

    Attributes:
        prop: which coefficient.
        own, wanted: the candidate's value and its counterpart's, by candidate body.
        moving: names of the dynamic ones.
        settled: wrong bodies that touch a right one: there the counterpart's own value is what mends it.
    """

    prop: ContactProperty
    own: Mapping[str, float]
    wanted: Mapping[str, float]
    moving: frozenset[str]
    settled: frozenset[str]

    def for_pair(self, pair: Pair) -> Iterator[tuple[str, float]]:
        """Paths and values that mend a pair's product, the likelier body first; nothing where it is right.

        The one wrong body gets its counterpart's value. Where both are wrong, so do the settled ones, as
        several pairs must not ask for several values of one body; else either can make up for the other.
        """
        a, b = pair
        product = self.wanted[a] * self.wanted[b]
        if abs(self.own[a] * self.own[b] - product) <= _RELATIVE * max(product, 0.01):
            return
        wrong = sorted((n for n in pair if self.is_wrong(n)), key=lambda n: n not in self.moving)
        settled = [n for n in wrong if n in self.settled]
        for name in settled or wrong:
            other = self.own[b if name == a else a]
            if settled:
                yield f"{name}.{self.prop}", self.wanted[name]
            elif other > 0:
                yield f"{name}.{self.prop}", product / other

    def is_wrong(self, name: str) -> bool:
        """Whether a body's own value differs from its counterpart's."""
        return _differ(self.own[name], self.wanted[name])


def pair_values(c: Comparison, prop: ContactProperty, touching: Sequence[Pair]) -> PairValues:
    """The coefficient of the bodies of ``touching``, as :func:`touching_pairs` gives them."""
    own, truth = contact_properties(c.candidate.world), contact_properties(c.reference.world)
    names = {name for pair in touching for name in pair}
    values = {n: float(getattr(own[n], prop)) for n in names}
    wanted = {n: float(getattr(truth[c.matching.counterpart[n]], prop)) for n in names}
    wrong = {n for n in names if _differ(values[n], wanted[n])}
    return PairValues(
        prop=prop,
        own=values,
        wanted=wanted,
        moving=frozenset(o.name for o in c.candidate.world.objects if o.kind == "dynamic"),
        settled=frozenset(n for pair in touching if len(wrong & set(pair)) == 1 for n in wrong & set(pair)),
    )


def touching_pairs(c: Comparison) -> list[Pair]:
    """Pairs of candidate names, all with a counterpart, that touch in either world."""
    back = {ref: cand for cand, ref in c.matching.counterpart.items()}
    found: dict[Pair, None] = {}
    for trajectory, names in ((c.candidate.trajectory, None), (c.reference.trajectory, back)):
        n = len(trajectory.names)
        keys = np.unique(trajectory.contacts.body_a.astype(np.int64) * n + trajectory.contacts.body_b)
        for key in keys:
            pair = tuple(trajectory.names[i] for i in divmod(int(key), n))
            pair = pair if names is None else tuple(names.get(x, "") for x in pair)
            if all(x in c.matching.counterpart for x in pair):
                found[(min(pair), max(pair))] = None
    return list(found)


def _differ(a: float, b: float) -> bool:
    return abs(a - b) > 1e-9 * max(abs(a), abs(b), 1.0)
