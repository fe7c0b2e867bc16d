"""From first guesses to a fitted hypothesis: body by body over a growing part, then all together."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fourdcb.oracle.outline_fit import OutlineFit, OutlineProblem, Outlines
from fourdcb.oracle.unknowns import Hypothesis, Kind
from fourdcb.physics import Engine, judging_rate, preview_rate

START: frozenset[Kind] = frozenset({"size", "pos", "vel"})
TURNING: frozenset[Kind] = START | {"turn"}
CONTACT: frozenset[Kind] = frozenset({"friction", "restitution"})
_BOUNCES = (0.3, 0.5, 0.65, 0.8, 0.92)
_RUBS = (0.05, 0.15, 0.4)
_SPINS = (-25.0, 25.0)
_DRIFT, _SIMPLER = 0.4, 1.3  # [m/s] a start so slow may be none; times the cost that a simpler start may have
_AFTER = 4  # frames beyond a kink that tell how it went on


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """What a search works with: ``deadline`` on ``time.monotonic``'s clock."""

    outlines: Outlines
    engine: Engine
    deadline: float

    @property
    def fps(self) -> float:
        """Of the clip [1/s]."""
        return self.outlines.fps

    def problem(
        self, *, until: int | None = None, names: Sequence[str] | None = None, fine: bool = False
    ) -> OutlineProblem:
        """Residuals over the first frames of some bodies."""
        outlines = self.outlines if until is None else self.outlines.until(until)
        if names is not None:
            outlines = replace(outlines, by_name={n: outlines.by_name[n] for n in names})
        rate = judging_rate(self.fps) if fine else preview_rate(self.fps)
        return OutlineProblem(outlines, self.engine, rate_hz=rate, deadline=self.deadline)

    def over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() > self.deadline


def alone(search: Search, hypothesis: Hypothesis, name: str, kinks: Sequence[int], last: int) -> Hypothesis:
    """Fit one body as if no other moved: to its first kink, then kink by kink to frame ``last``."""
    body = hypothesis.body(name)
    kept = [b for b in hypothesis.bodies if b.thing.fixed or b.thing.name == name]
    lone = replace(hypothesis, bodies=tuple(kept))
    stops = [k for k in kinks if k < last]
    first = min(stops[0] if stops else last, last)
    rubbing: frozenset[Kind] = frozenset() if body.rests_on is None else frozenset({"friction"})
    wanted = (TURNING | rubbing) & body.fitted
    found = search.problem(until=max(first, 5), names=[name]).fit(lone.fitting([name], wanted)).hypothesis
    found = _refit(found, body.fitted, name)
    for stop in _stops(stops, first, last):
        problem = search.problem(until=stop, names=[name])
        found = scan(problem, found, name, body.fitted)
        found = _refit(problem.fit(found, rounds=8).hypothesis, body.fitted, name)
        if search.over():
            break
    if body.rests_on is None and not search.over():
        found = _released(search.problem(until=last, names=[name]), found, name)
    return hypothesis.with_body(found.body(name))


def _released(problem: OutlineProblem, hypothesis: Hypothesis, name: str) -> Hypothesis:
    """The same body let go at rest, where that explains the outlines about as well: the simpler one wins."""
    body = hypothesis.body(name)
    if np.hypot(*body.thing.vel[:2]) > _DRIFT or abs(body.thing.vel[2]) > _DRIFT:
        return hypothesis
    thing = replace(body.thing, vel=(0.0, 0.0, 0.0), ang_vel=(0.0, 0.0, 0.0))
    still = replace(body, thing=thing, fitted=body.fitted - {"vel", "spin"})
    tried = problem.fit(hypothesis.with_body(still), rounds=8)
    return tried.hypothesis if tried.cost < _SIMPLER * problem.cost(hypothesis) else hypothesis


def _stops(kinks: Sequence[int], first: int, last: int) -> list[int]:
    """Ends of growing windows: a little after the first kinks, then the whole."""
    ends = [k + _AFTER + 3 for k in kinks[:3] if k + _AFTER + 3 < last]
    if not ends and last > 1.5 * first:
        ends = [round(0.5 * (first + last))]
    return [*ends, last]


def _refit(hypothesis: Hypothesis, fitted: frozenset[Kind], name: str) -> Hypothesis:
    return hypothesis.with_body(replace(hypothesis.body(name), fitted=fitted))


def scan(problem: OutlineProblem, hypothesis: Hypothesis, name: str, fitted: frozenset[Kind]) -> Hypothesis:
    """The best of a few coefficients and spins beside the present ones: bounces leave dents in residuals."""
    body = hypothesis.body(name)
    tries = [hypothesis]
    bounces = _BOUNCES if "restitution" in fitted else (body.thing.restitution or 0.0,)
    rubs = _RUBS if "friction" in fitted else (body.thing.friction or 0.0,)
    for bounce, rub in itertools.product(bounces, rubs):
        thing = replace(body.thing, restitution=bounce, friction=rub)
        tries.append(hypothesis.with_body(replace(body, thing=thing)))
    best = min(tries, key=problem.cost)
    if "spin" in fitted:
        across = np.array([-body.thing.vel[1], body.thing.vel[0], 0.0])
        speed = float(np.linalg.norm(across))
        if speed > 0.05:
            spun = [best]
            for spin in _SPINS:
                x, y, z = (float(c) for c in spin * across / speed)
                thing = replace(best.body(name).thing, ang_vel=(x, y, z))
                spun.append(best.with_body(replace(best.body(name), thing=thing)))
            best = min(spun, key=problem.cost)
    return best


def together(search: Search, hypothesis: Hypothesis, *, rounds: int = 10, fine: bool = False) -> OutlineFit:
    """Fit everything at once over the whole clip."""
    return search.problem(fine=fine).fit(hypothesis, rounds=rounds)
