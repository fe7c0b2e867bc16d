"""The other scripts of the scene folder, judged when there is time."""

from __future__ import annotations

from fourdcb_studio.jobs.board import Board
from fourdcb_studio.jobs.contract import Effect, JobKind, always
from fourdcb_studio.jobs.plans import CASE_PREFIX
from fourdcb_studio.session.messages import CaseAnswer, CaseRequest, Failed, ReplayKey


def _next(board: Board, rested: bool) -> CaseRequest | None:
    reference, path = board.targets.get("reference"), board.cases.next_path()
    if reference is None or path is None:
        return None
    key = ReplayKey(f"{CASE_PREFIX}{path}", "judging")
    return CaseRequest(job=0, key=key, path=str(path), reference=reference.world, video=board.video)


def _apply(answer: CaseAnswer, board: Board, current: bool) -> Effect:
    board.cases.take(answer)
    return Effect(topics=("cases",))


def _fail(failed: Failed, board: Board) -> Effect:
    board.cases.fail(failed.key, failed.error.what)
    return Effect(topics=("cases",))


def _lost(request: CaseRequest, board: Board) -> None:
    board.cases.fail(request.key, "the simulation process ended on this script")


CASE = JobKind(
    name="case",
    request=CaseRequest,
    place="simulation",
    tier="idle",
    wanted=_next,
    obsolete=always,
    gives_way_to=frozenset({"probe", "error_map"}),  # somebody looks at pixels: other candidates can wait
    answers=(CaseAnswer,),
    final=(CaseAnswer,),
    apply=_apply,
    fail=_fail,
    lost=_lost,
)
