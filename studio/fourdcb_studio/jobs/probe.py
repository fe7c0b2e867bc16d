"""What lies under the pixels of the frame that somebody looks at."""

from __future__ import annotations

from fourdcb_studio.jobs.board import Board
from fourdcb_studio.jobs.contract import Effect, JobKind, always, tell_failure
from fourdcb_studio.session.messages import Failed, ProbeAnswer, ProbeRequest


def _next(board: Board, rested: bool) -> ProbeRequest | None:
    for role in board.probes.roles:
        key, frame = board.wanted_key(role), board.frame_of(role)
        if key is None or board.is_broken(key) or board.probes.get(role, key, frame) is not None:
            continue
        return ProbeRequest(job=0, key=key, role=role, world=board.targets[role].world, frame=frame)
    return None


def _apply(answer: ProbeAnswer, board: Board, current: bool) -> Effect:
    board.probes.take(answer)
    return Effect(topics=("probe",))


def _fail(failed: Failed, board: Board) -> Effect:
    board.probes.want(())
    return tell_failure(failed, board)


PROBE = JobKind(
    name="probe",
    request=ProbeRequest,
    place="simulation",
    tier="idle",
    wanted=_next,
    obsolete=always,
    answers=(ProbeAnswer,),
    final=(ProbeAnswer,),
    apply=_apply,
    fail=_fail,
)
