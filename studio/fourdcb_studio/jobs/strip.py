"""How far the motion is from the reference's, against the value of one parameter."""

from __future__ import annotations

from fourdcb.world import parameter
from fourdcb_studio.jobs.board import Board
from fourdcb_studio.jobs.contract import Effect, JobKind, always, tell_failure
from fourdcb_studio.session.messages import Failed, StripAnswer, StripRequest


def _next(board: Board, rested: bool) -> StripRequest | None:
    key, path = board.judging_key(), board.strips.next_path()
    candidate, reference = board.targets.get("candidate"), board.targets.get("reference")
    if key is None or board.is_broken(key) or candidate is None or reference is None or path is None:
        return None
    known = parameter(candidate.world, path)
    values, closer = board.strips.next_values(known)
    return StripRequest(
        job=0,
        key=key,
        world=candidate.world,
        reference=reference.world,
        path=path,
        values=values,
        closer=closer,
        log=known.scale == "log" and values[0] > 0,
    )


def _apply(answer: StripAnswer, board: Board, current: bool) -> Effect:
    if current:  # of the candidate as it stands
        board.strips.take(answer.path, answer.values, answer.errors)
    return Effect(topics=("strips",))


def _fail(failed: Failed, board: Board) -> Effect:
    board.strips.want(())  # one parameter less is no error of the world
    return tell_failure(failed, board)


STRIP = JobKind(
    name="strip",
    request=StripRequest,
    place="simulation",
    tier="idle",
    wanted=_next,
    obsolete=always,
    answers=(StripAnswer,),
    final=(StripAnswer,),
    apply=_apply,
    fail=_fail,
)
