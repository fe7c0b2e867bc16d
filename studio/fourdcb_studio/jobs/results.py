"""Records of the scheduler: what roles show, how worlds are named, what came back."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from dataclasses import dataclass, field

from fourdcb.errors import UserError
from fourdcb.metrics.result import Report
from fourdcb.physics import Rate
from fourdcb.world import World
from fourdcb_studio.session.messages import ReplayKey
from fourdcb_studio.session.motion import Motion

_KEPT_NAMES = 4096


@dataclass(frozen=True, slots=True)
class Target:
    """What a role shows."""

    world: World
    name: str

    def key(self, rate: Rate) -> ReplayKey:
        """Name of its replay at a rate."""
        return ReplayKey(self.name, rate)


class WorldNames:
    """Short names for worlds: equal worlds get equal names, for less than a content hash costs per edit."""

    def __init__(self) -> None:
        self._names: OrderedDict[World, str] = OrderedDict()
        self._numbers = itertools.count(1)

    def name(self, world: World) -> str:
        """The name of a world. Names of worlds that were not seen for long are given up."""
        name = self._names.get(world) or f"world-{next(self._numbers)}"
        self._names[world] = name
        self._names.move_to_end(world)
        while len(self._names) > _KEPT_NAMES:
            self._names.popitem(last=False)
        return name


@dataclass(slots=True)
class Timings:
    """What the last answers took."""

    simulate_ms: float | None = None
    draw_ms: float | None = None
    judge_s: float | None = None


@dataclass(slots=True)
class Results:
    """Motions, complete clips, judgements and failures by replay."""

    motions: dict[ReplayKey, Motion] = field(default_factory=dict)
    clips: dict[ReplayKey, bool] = field(default_factory=dict)
    reports: dict[ReplayKey, Report] = field(default_factory=dict)
    errors: dict[ReplayKey, UserError] = field(default_factory=dict)
    bad_frames: set[tuple[ReplayKey, int]] = field(default_factory=set)
