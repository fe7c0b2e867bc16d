"""What a kind of job is: what is asked, where it runs, when it is obsolete, what its answer changes. No Qt.

A kind is one file that makes a :class:`JobKind` and one row of the registry. The planner, the scheduler and
the status bar know nothing else of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from fourdcb_studio.jobs.board import Board
from fourdcb_studio.session.messages import Failed
from fourdcb_studio.session.notifier import Topic
from fourdcb_studio.session.state import Message, message_of

Place = Literal["simulation", "process", "pool"]
"""The simulation process, a niced process of its own, a thread of the pool."""

Tier = Literal["frame", "work", "idle", "asked"]
"""The current frame; what the user waits for; what fills idle time; what runs when somebody asks for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What an answer changed: topics to refresh, and what the user is told."""

    topics: tuple[Topic, ...] = ()
    message: Message | None = None
    ready: bool = False  # the simulation process can work (again)


NOTHING = Effect()


def keep_nothing(answer: Any, board: Board, current: bool) -> Effect:
    """An answer that only its asker reads."""
    return NOTHING


def never(request: Any, board: Board) -> bool:
    """A job that goes on whatever changes."""
    return False


def always(request: Any, board: Board) -> bool:
    """A job that any change makes obsolete."""
    return True


def forget_nothing(request: Any, board: Board) -> None:
    """A job whose loss leaves no trace."""


def tell_failure(failed: Failed, board: Board) -> Effect:
    """An error of what is on screen is told."""
    if board.pair or failed.key in (board.wanted_key("candidate"), board.wanted_key("reference")):
        return Effect(topics=("frame",), message=message_of(failed.error))
    return NOTHING


def keep_failure(failed: Failed, board: Board) -> Effect:
    """An error of a replay ends all work on it, and is told if it is on screen."""
    board.results.errors[failed.key] = failed.error
    return tell_failure(failed, board)


def asked_for(name: str) -> Callable[[Board, bool], Any]:
    """Wanted when somebody asked for it, until it is answered."""
    return lambda board, rested: board.asked.get(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobKind:
    """One row of the registry.

    Attributes:
        name: what it is called in answers and in the status bar.
        request: class of what is asked; immutable and picklable.
        place: where it runs.
        tier: how urgent it is.
        work: ``module:function`` that does it, for kinds that run in a process or a pool thread; called with
            the request and a Progress. Requests of the simulation process name their own.
        wanted: the next request, from the state alone and whether a held slider has rested; its job number is
            0. None when nothing is wanted, or all that is wanted is there.
        obsolete: whether a request that is under way is not wanted any more.
        gives_way_to: kinds that need not wait for this one.
        answers: classes of the answers that ``apply`` takes in.
        final: classes of the answers that end it.
        apply: takes an answer in; told whether the job was the one in flight.
        fail: takes an error in.
        lost: the process ended while it did this.
        words: what the status bar says of it.
    """

    name: str
    request: type
    place: Place
    tier: Tier = "asked"
    work: str = ""
    wanted: Callable[[Board, bool], Any] | None = None
    obsolete: Callable[[Any, Board], bool] = never
    gives_way_to: frozenset[str] = frozenset()
    answers: tuple[type, ...] = ()
    final: tuple[type, ...] = ()
    apply: Callable[[Any, Board, bool], Effect] = keep_nothing
    fail: Callable[[Failed, Board], Effect] = keep_failure
    lost: Callable[[Any, Board], None] = forget_nothing
    words: str = ""

    def next_request(self, board: Board, *, rested: bool) -> Any:
        """What of this kind is wanted and not there; None for nothing."""
        return (self.wanted or asked_for(self.name))(board, rested)
