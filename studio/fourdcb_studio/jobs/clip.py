"""The rest of the clip: motion first, then pictures outwards from the playhead."""

from __future__ import annotations

from fourdcb_studio.jobs.board import Board
from fourdcb_studio.jobs.contract import NOTHING, Effect, JobKind
from fourdcb_studio.jobs.judge import judgement_of
from fourdcb_studio.session.messages import (
    ROLES,
    ClipAnswer,
    ClipRequest,
    JudgeRequest,
    MotionAnswer,
    ReplayKey,
    Role,
)


def _next(board: Board, rested: bool) -> ClipRequest | None:
    if board.dragging:
        return _next_motion(board) if rested else None
    for role in _roles(board):
        key = board.wanted_key(role)
        if key is not None and key not in board.results.clips and not board.is_broken(key):
            return _request(board, role, key, draw=role in board.visible or role == "candidate")
    return None


def _roles(board: Board) -> list[Role]:
    """The candidate first; the reference always (its motion is compared with); before when looked at."""
    always = {"candidate", "reference", *(["before"] if board.moves_before else [])}
    return [r for r in ROLES if r in always or r in board.visible]


def _next_motion(board: Board) -> ClipRequest | None:
    key = board.wanted_key("candidate")
    if key is None or board.motion("candidate") is not None or board.is_broken(key):
        return None
    return _request(board, "candidate", key, draw=False)


def _request(board: Board, role: Role, key: ReplayKey, *, draw: bool) -> ClipRequest:
    return ClipRequest(
        job=0,
        role=role,
        key=key,
        world=board.targets[role].world,
        around=board.frame_of(role),
        draw=draw,
        have=tuple(sorted(board.store.frames(str(key)))) if draw else (),
        judged=_judged_beside(board, role, key) if draw else None,
    )


def _judged_beside(board: Board, role: Role, key: ReplayKey) -> JudgeRequest | None:
    """What can be judged while this clip is drawn: the candidate, once the reference has moved."""
    if role != "candidate" or key != board.judging_key():
        return None
    moved = "reference" not in board.targets or board.motion("reference") is not None
    return judgement_of(board, key) if moved else None


def _apply(answer: MotionAnswer | ClipAnswer, board: Board, current: bool) -> Effect:
    if isinstance(answer, MotionAnswer):
        board.keep(board.results.motions, answer.key, answer.motion)
        return Effect(topics=("motion",))
    board.keep(board.results.clips, answer.key, True)
    return NOTHING


CLIP = JobKind(
    name="clip",
    request=ClipRequest,
    place="simulation",
    tier="work",
    wanted=_next,
    obsolete=lambda request, board: board.wanted_key(request.role) != request.key,
    answers=(MotionAnswer, ClipAnswer),
    final=(ClipAnswer,),
    apply=_apply,
)
