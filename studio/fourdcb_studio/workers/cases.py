"""Judges another script of the scene folder, fast first: most failures show without a picture."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from fourdcb.dsl import load_script
from fourdcb.errors import UserError
from fourdcb.metrics.result import Report
from fourdcb.replay import ReplayCache, Steps
from fourdcb.world import World, on_stage_of
from fourdcb_studio.session.messages import CaseAnswer, CaseRequest, JudgeRequest
from fourdcb_studio.workers.judging import Judge


def judge_case(judge: Judge, replays: ReplayCache, request: CaseRequest) -> Steps[CaseAnswer]:
    """Judge a case; yields every few milliseconds, so that dropping the generator cancels.

    A script that cannot be read or replayed is an answer too: its error is what the list shows.
    """
    try:
        world = on_stage_of(load_script(Path(request.path)).world, request.reference)
        asked = JudgeRequest(
            job=request.job,
            key=request.key,
            world=world,
            reference=request.reference,
            video=request.video,
            fast=True,
        )
        report = (yield from judge.work(asked)).report
        if report.verdict == "INCONCLUSIVE":  # what is left shows in the pictures only
            report = (yield from judge.work(replace(asked, fast=False))).report
        trajectory = yield from replays.whole(world, "judging")
        image = replays.picture(world, trajectory, _telling_frame(report, world))
    except UserError as error:
        return CaseAnswer(
            job=request.job, path=request.path, verdict=None, findings=(), image=None, error=error.what
        )
    return CaseAnswer(
        job=request.job, path=request.path, verdict=report.verdict, findings=report.findings, image=image
    )


def _telling_frame(report: Report, world: World) -> int:
    """The first failure's frame, else the middle of the clip."""
    frames = (f.frame for f in report.findings if f.frame is not None)
    return min(next(frames, world.n_frames // 2), world.n_frames - 1)
