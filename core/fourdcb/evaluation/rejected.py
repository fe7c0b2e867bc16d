"""Candidates that cannot be replayed: the worst verdict with a reason code, never a missing report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from fourdcb.dsl import load_script, require_objects
from fourdcb.errors import Diagnostic, DiagnosticsError, SimulationDivergedError, UserError
from fourdcb.evaluation.environment import environment_record, input_record
from fourdcb.identity import StrPath
from fourdcb.metrics.criteria import load_criteria
from fourdcb.metrics.kinds import finding
from fourdcb.metrics.result import AXES, AxisResult, Finding, Report
from fourdcb.metrics.specs import specs_of

RejectionReason = Literal["script_invalid", "simulation_diverged"]
FALLBACK_SCRIPT = "world = World()\n# Default fallback\n"  # the source document's


def rejection(error: UserError, code: StrPath) -> RejectionReason | None:
    """Why the script at ``code`` is rejected; None when the error is not the script's fault.

    A script that is not there is nobody's answer: that stays bad input.
    """
    code = Path(code)
    if not code.is_file():
        return None
    if isinstance(error, SimulationDivergedError):
        return "simulation_diverged" if error.where in (None, str(code)) else None
    if isinstance(error, DiagnosticsError):
        files = {remark.file for remark in error.diagnostics}
        return "script_invalid" if files <= {None, str(code)} else None
    return "script_invalid" if _complaint(code) == str(error) else None


def _complaint(code: Path) -> str | None:
    """What is wrong with the script alone; the same path may have been given in another role, too."""
    try:
        require_objects(load_script(code, extract=True), filename=str(code))
    except UserError as error:
        return str(error)
    return None


def rejected_report(
    reason: RejectionReason,
    error: UserError,
    *,
    code: StrPath,
    video: StrPath,
    reference: StrPath | None,
    criteria: StrPath | None,
) -> Report:
    """The report of a candidate that cannot be replayed: every axis failed, nothing measured.

    Args:
        reason: by :func:`rejection`.
        error: what is wrong.
        code, video, reference, criteria: as they were given.

    Raises:
        UserError: for an input that cannot be read.
    """
    limits = load_criteria(criteria)
    axes = {
        axis: AxisResult(
            passed=False,
            metrics={
                spec.id: limits.unmeasured(
                    spec.id, "error", reason, passed=None if spec.of_machine else False
                )
                for spec in specs_of(axis)
            },
        )
        for axis in AXES
    }
    inputs = {"code": input_record(Path(code)), "video": input_record(Path(video))}
    return Report(
        verdict="DEPLOYMENT_NOT_RECOMMENDED",
        claim="diagnostic",
        reasons=(reason,),
        axes=axes,
        image={},
        findings=tuple(_findings(reason, error)),
        horizon={},
        series={},
        inputs={**inputs, "reference": None if reference is None else input_record(Path(reference))},
        environment={**environment_record(), "criteria": {"id": limits.id, "version": limits.version}},
    )


def _findings(reason: RejectionReason, error: UserError) -> Sequence[Finding]:
    if isinstance(error, SimulationDivergedError):
        return [
            finding(
                "unreplayable", error.body, time=error.time, form=reason, body=error.body, seconds=error.time,
                complaint=error.reason,
            )
        ]  # fmt: skip
    remarks = error.diagnostics if isinstance(error, DiagnosticsError) else ()
    errors = [remark for remark in remarks if remark.severity == "error"]
    if not errors:
        return [finding("unreplayable", form=reason, complaint=error.what)]
    return [
        finding("unreplayable", form=_form(reason, remark), complaint=remark.message, line=remark.line)
        for remark in errors
    ]


def _form(reason: RejectionReason, remark: Diagnostic) -> str:
    return reason if remark.line is None else f"{reason}_at_line"
