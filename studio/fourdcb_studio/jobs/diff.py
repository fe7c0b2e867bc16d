"""Two videos against each other by their pictures; the answer is a judgement."""

from __future__ import annotations

from fourdcb_studio.jobs.board import Board
from fourdcb_studio.jobs.contract import JobKind
from fourdcb_studio.session.messages import DiffRequest, JudgeAnswer


def _next(board: Board, rested: bool) -> DiffRequest | None:
    key, pair = board.judging_key(), board.pair
    if pair is None or key is None or key in board.results.reports or board.is_broken(key):
        return None
    return DiffRequest(job=0, key=key, reference=pair[0], candidate=pair[1])


DIFF = JobKind(
    name="diff", request=DiffRequest, place="simulation", tier="work", wanted=_next, final=(JudgeAnswer,)
)
