"""How deep two bodies may overlap: less, where they are small."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fourdcb.metrics.contact.collision import Pair
from fourdcb.metrics.criteria import Criteria

if TYPE_CHECKING:
    from fourdcb.metrics.comparison import Comparison


def penetration_limits(c: Comparison, criteria: Criteria) -> Callable[[Pair], float]:
    """The allowed excess overlap of a pair of reference names [m], at most a share of the smaller body."""
    diagonals = {s.name: s.diagonal for s in c.states}

    def limit(pair: Pair) -> float:
        smaller = min((diagonals[name] for name in pair if name in diagonals), default=float("inf"))
        return min(criteria.penetration, criteria.penetration_relative * smaller)

    return limit
