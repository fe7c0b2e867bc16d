"""All metrics of the candidate, once its clip is there."""

from __future__ import annotations

from fourdcb_studio.jobs.board import Board
from fourdcb_studio.jobs.contract import Effect, JobKind
from fourdcb_studio.session.messages import JudgeAnswer, JudgeRequest, ReplayKey


def judgement_of(board: Board, key: ReplayKey) -> JudgeRequest | None:
    """The candidate's judgement, unless it is there, cannot be, or there is nothing to judge by."""
    candidate = board.targets.get("candidate")
    if candidate is None or key in board.results.reports or board.is_broken(key):
        return None
    reference = board.targets.get("reference")
    if reference is None and board.video is None:
        return None
    return JudgeRequest(
        job=0,
        key=key,
        world=candidate.world,
        reference=reference.world if reference else None,
        video=board.video,
        files=board.files,
        edits=board.edits,
    )


def _next(board: Board, rested: bool) -> JudgeRequest | None:
    key = board.judging_key()
    if board.dragging or key is None or key not in board.results.clips:
        return None
    return judgement_of(board, key)


def _apply(answer: JudgeAnswer, board: Board, current: bool) -> Effect:
    board.keep(board.results.reports, answer.key, answer.report)
    board.timings.judge_s = answer.seconds
    return Effect(topics=("report",))


JUDGE = JobKind(
    name="judge",
    request=JudgeRequest,
    place="simulation",
    tier="work",
    wanted=_next,
    obsolete=lambda request, board: board.wanted_key("candidate") != request.key,
    answers=(JudgeAnswer,),
    final=(JudgeAnswer,),
    apply=_apply,
)
