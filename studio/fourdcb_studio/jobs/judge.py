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
    return judgement_of(board, key) or _before(board)


def _before(board: Board) -> JudgeRequest | None:
    """The judgement of what the candidate is compared with, where somebody compares their figures."""
    before, candidate = board.targets.get("before"), board.targets.get("candidate")
    if not board.judges_before or before is None or candidate is None or board.pair is not None:
        return None
    key, reference = before.key("judging"), board.targets.get("reference")
    if key in board.results.reports or board.is_broken(key) or (reference is None and board.video is None):
        return None
    return JudgeRequest(
        job=0,
        key=key,
        world=before.world,
        reference=reference.world if reference else None,
        video=board.video,
        files=board.files,
        edits=board.before_edits,
    )


def _obsolete(request: JudgeRequest, board: Board) -> bool:
    before = board.targets.get("before")
    wanted = {board.wanted_key("candidate"), before.key("judging") if before is not None else None}
    return request.key not in wanted


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
    obsolete=_obsolete,
    answers=(JudgeAnswer,),
    final=(JudgeAnswer,),
    apply=_apply,
)
