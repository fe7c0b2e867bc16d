"""A report with its pictures, written to files as it stood when it was asked for."""

from __future__ import annotations

from dataclasses import replace

from fourdcb.metrics.result import Report
from fourdcb_studio.jobs.board import Board
from fourdcb_studio.jobs.contract import Effect, JobKind
from fourdcb_studio.session.answer_words import written
from fourdcb_studio.session.messages import ExportAnswer, ExportRequest, Failed, ReplayKey
from fourdcb_studio.session.state import message_of


def export_request(
    board: Board, job: int, key: ReplayKey, report: Report, *, files: tuple[str, str, str | None]
) -> ExportRequest:
    """Write ``report`` to ``files`` (JSON, HTML, PDF or None), with what the edits changed."""
    candidate, reference = board.targets.get("candidate"), board.targets.get("reference")
    request = ExportRequest(
        job=job,
        key=key,
        report=report,
        world=candidate.world if candidate else None,
        reference=reference.world if reference else None,
        video=board.video,
        output=files[0],
        html=files[1],
        pdf=files[2],
    )
    before = board.targets.get("before")
    if before is None or not board.edits:
        return request
    return replace(
        request,
        before=before.world,
        edits=dict(board.edits),
        report_before=board.results.reports.get(before.key("judging")),
        frame=board.playhead,
    )


def _apply(answer: ExportAnswer, board: Board, current: bool) -> Effect:
    board.exports.end(answer.job)
    return Effect(message=written(answer))


def _fail(failed: Failed, board: Board) -> Effect:
    board.exports.end(failed.job)
    return Effect(message=message_of(failed.error))


EXPORT = JobKind(
    name="export",
    request=ExportRequest,
    place="simulation",
    tier="work",
    wanted=lambda board, rested: board.exports.waiting,
    answers=(ExportAnswer,),
    final=(ExportAnswer,),
    apply=_apply,
    fail=_fail,
)
