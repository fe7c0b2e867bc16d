"""What the simulation process should do next: a pure function of what is wanted and what is there.

What is wanted follows from targets, playhead and drag, so an edit never queues anything: the newest wins.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fourdcb_studio.jobs.board import Board
from fourdcb_studio.jobs.contract import JobKind, Tier


def next_of(kinds: Iterable[JobKind], tiers: frozenset[Tier], board: Board, *, rested: bool) -> Any:
    """The most urgent request of some tiers, None when nothing of them is wanted.

    Args:
        rested: whether a held slider has not moved for a moment.
    """
    for kind in kinds:
        if kind.tier in tiers and kind.place == "simulation":
            request = kind.next_request(board, rested=rested)
            if request is not None:
                return request
    return None


FRAMES: frozenset[Tier] = frozenset({"frame"})
WORK: frozenset[Tier] = frozenset({"asked", "work"})
IDLE: frozenset[Tier] = frozenset({"idle"})


def next_frame(kinds: Iterable[JobKind], board: Board) -> Any:
    """The current frame, where it lacks."""
    return next_of(kinds, FRAMES, board, rested=True)


def next_work(kinds: Iterable[JobKind], board: Board, *, rested: bool) -> Any:
    """Whole-clip work that the user waits for."""
    return next_of(kinds, WORK, board, rested=rested) if board.prefetch else None


def next_background(kinds: Iterable[JobKind], board: Board, *, rested: bool) -> Any:
    """Whole-clip work, else what fills idle time; nothing idle while a slider is held."""
    work = next_work(kinds, board, rested=rested)
    if work is not None or board.dragging or not board.prefetch:
        return work
    return next_of(kinds, IDLE, board, rested=rested)
