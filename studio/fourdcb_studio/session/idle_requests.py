"""Builds the requests that fill idle time and the ones that write files, from plans and targets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fourdcb.metrics.result import Report
from fourdcb.world import parameter
from fourdcb_studio.session.errands import CASE_PREFIX, CasePlan
from fourdcb_studio.session.messages import CaseRequest, ExportRequest, ReplayKey, Role, StripRequest
from fourdcb_studio.session.results import Target
from fourdcb_studio.session.strips import StripPlan, strip_values

Targets = Mapping[Role, Target]


def strip_request(jobs: Iterator[int], plan: StripPlan, targets: Targets) -> StripRequest | None:
    """The next sensitivity strip, None when there is none to make."""
    candidate, reference, path = targets.get("candidate"), targets.get("reference"), plan.next_path()
    if candidate is None or reference is None or path is None:
        return None
    return StripRequest(
        job=next(jobs),
        key=candidate.key("judging"),
        world=candidate.world,
        reference=reference.world,
        path=path,
        values=strip_values(parameter(candidate.world, path)),
    )


def case_request(
    jobs: Iterator[int], plan: CasePlan, targets: Targets, video: str | None
) -> CaseRequest | None:
    """The next case of the folder to judge, None when all have a result."""
    reference, path = targets.get("reference"), plan.next_path()
    if reference is None or path is None:
        return None
    key = ReplayKey(f"{CASE_PREFIX}{path}", "judging")
    return CaseRequest(job=next(jobs), key=key, path=str(path), reference=reference.world, video=video)


def export_request(
    job: int,
    key: ReplayKey,
    report: Report,
    targets: Targets,
    *,
    video: str | None,
    files: tuple[str, str, str | None],
) -> ExportRequest:
    """Write ``report`` to ``files`` (JSON, HTML, PDF or None)."""
    candidate, reference = targets.get("candidate"), targets.get("reference")
    return ExportRequest(
        job=job,
        key=key,
        report=report,
        world=candidate.world if candidate else None,
        reference=reference.world if reference else None,
        video=video,
        output=files[0],
        html=files[1],
        pdf=files[2],
    )
