"""Findings about what happens: bounces, slides, falls and rests that differ from the reference's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from fourdcb.metrics.comparison import Comparison
from fourdcb.metrics.kinds import finding
from fourdcb.metrics.matching import Match
from fourdcb.metrics.result import Finding
from fourdcb.trajectory import Event, EventKind, Trajectory

_RELATIVE = 0.08
_LEAST = 0.005
_LATE = 0.1
SURFACE = "the surface"  # one that is no body of the reference


def motion_findings(c: Comparison) -> Iterator[Finding]:
    """Per matched object: bounce, slide, topple and rest, each told once."""
    for m in c.matching.pairs:
        truth = _Story(c.reference.trajectory, m.reference)
        guess = _Story(c.candidate.trajectory, m.candidate)
        yield from _bounces(c, m, truth, guess)
        yield from _slides(c, m, truth, guess)
        if not _round(c, m):
            yield from _topples(m, truth, guess)
        yield from _rests(m, truth, guess)


def _round(c: Comparison, m: Match) -> bool:
    """Whether one of a pair is a ball, which has no upright; a ball of a mesh file is not known as one."""
    pair = c.reference.world.object(m.reference), c.candidate.world.object(m.candidate)
    return any(obj.geometry == "sphere" for obj in pair)


class _Story:
    """Events of one body, with the heights and ways that belong to them."""

    def __init__(self, trajectory: Trajectory, name: str) -> None:
        self.trajectory, self.name = trajectory, name
        self.events = [e for e in trajectory.events if name in e.bodies]
        self.position = trajectory.position[:, trajectory.index(name)]

    def first(self, kind: EventKind) -> Event | None:
        return next((e for e in self.events if e.kind == kind), None)

    def last(self, kind: EventKind) -> Event | None:
        return next((e for e in reversed(self.events) if e.kind == kind), None)

    def frame(self, t: float) -> int:
        return self.trajectory.frame_at(t)

    def apex(self, bounce: Event) -> tuple[float, float]:
        """(rise [m], time [s]) of the highest point between a bounce and the body's next touch."""
        after = [e.time for e in self.events if e.kind == "touch" and e.time > bounce.time + 1e-9]
        start = round(bounce.time * self.trajectory.rate_hz)
        stop = round(min(after) * self.trajectory.rate_hz) if after else len(self.position) - 1
        height = self.position[start : max(stop, start) + 1, 2]
        top = int(np.argmax(height))
        return float(height[top] - height[0]), float(self.trajectory.times[start + top])

    def slide(self) -> tuple[float, Event, float] | None:
        """(way [m], start, end time [s]) of the longest slide."""
        slides = [e for e in self.events if e.kind in ("slide_start", "slide_stop")]
        best: tuple[float, Event, float] | None = None
        for i, event in enumerate(slides):
            if event.kind != "slide_start":
                continue
            ends = [e.time for e in slides[i + 1 :] if e.bodies == event.bodies]
            end = ends[0] if ends else float(self.trajectory.times[-1])
            a, b = (round(t * self.trajectory.rate_hz) for t in (event.time, end))
            way = float(np.linalg.norm(self.position[b] - self.position[a]))
            if best is None or way > best[0]:
                best = (way, event, end)
        return best


def _bounces(c: Comparison, m: Match, truth: _Story, guess: _Story) -> Iterator[Finding]:
    a, b = truth.first("bounce"), guess.first("bounce")
    if a is not None and b is None:
        yield _finding("no_bounce", m, guess, a.time, None, a.time)
    elif b is not None and a is None:
        yield _finding("extra_bounce", m, guess, b.time, b.time, None)
    elif a is not None and b is not None and _same_partner(c, a, b):
        (truth_rise, _), (rise, time) = truth.apex(a), guess.apex(b)
        if abs(rise - truth_rise) > max(_LEAST, _RELATIVE * truth_rise):
            yield _finding("bounce_height", m, guess, time, rise, truth_rise)


def _same_partner(c: Comparison, a: Event, b: Event) -> bool:
    return sorted(a.bodies) == sorted(c.matching.counterpart.get(name, name) for name in b.bodies)


def _slides(c: Comparison, m: Match, truth: _Story, guess: _Story) -> Iterator[Finding]:
    a, b = truth.slide(), guess.slide()
    if a is None or b is None or not _same_partner(c, a[1], b[1]):
        return
    if abs(b[0] - a[0]) > max(2 * _LEAST, _RELATIVE * a[0]):
        surface = next((n for n in a[1].bodies if n != m.reference), SURFACE)
        yield _finding("slide", m, guess, b[2], b[0], a[0], surface=surface)


def _topples(m: Match, truth: _Story, guess: _Story) -> Iterator[Finding]:
    a, b = truth.first("topple"), guess.first("topple")
    if a is not None and b is None:
        yield _finding("topple", m, guess, a.time, None, a.time, form="never")
    elif b is not None and a is None:
        yield _finding("topple", m, guess, b.time, b.time, None, form="only")


def _rests(m: Match, truth: _Story, guess: _Story) -> Iterator[Finding]:
    a, b = truth.last("rest"), guess.last("rest")
    if a is not None and b is None:
        yield _finding("rest", m, guess, a.time, None, a.time, form="never")
    elif a is not None and b is not None and abs(b.time - a.time) > _LATE:
        yield _finding("rest", m, guess, b.time, b.time, a.time, form="other")


def _finding(
    kind: str, m: Match, story: _Story, time: float, measured: float | None, expected: float | None,
    **arguments: Any,
) -> Finding:  # fmt: skip
    return finding(
        kind, m.reference, frame=story.frame(time), time=time, measured=measured, expected=expected,
        **arguments,
    )  # fmt: skip
