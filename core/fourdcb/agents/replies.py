"""Replies to agents: short, bounded, and in an exam without the answer key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fourdcb.metrics.result import AXES, Finding, Report
from fourdcb.metrics.specs import metric_symbol

MOST_CHARACTERS = 16_000  # about 4,000 tokens
FINDINGS_A_PAGE = 12


def bounded(text: str) -> str:
    """The text, cut where a reply would be too long; the cut is told."""
    if len(text) <= MOST_CHARACTERS:
        return text
    note = "\n… cut: the reply was too long"
    return text[: MOST_CHARACTERS - len(note)] + note


def verdict_text(report: Report, *, exam: bool) -> str:
    """Verdict, axes and, outside of exams, the figures with their thresholds."""
    lines = [f"verdict: {report.verdict}"]
    for axis in AXES:
        result = report.axes[axis]
        mark = {True: "passed", False: "FAILED", None: "not judged"}[result.passed]
        lines.append(f"{axis}: {mark}" + ("" if exam else _figures(result.metrics)))
    if report.verdict == "INCONCLUSIVE" and not exam:
        lines += [f"because: {reason}" for reason in report.reasons[:3]]
    return "\n".join(lines)


def _figures(metrics: Mapping[str, Any]) -> str:
    told = [
        f"{metric_symbol(name) or name} {m.value:.4g} {m.unit}".rstrip() + f" (limit {m.threshold:g})"
        for name, m in metrics.items()
        if m.value is not None and m.threshold is not None and m.passed is False
    ]
    return ": " + ", ".join(told) if told else ""


def findings_text(report: Report, own_names: Sequence[str], *, exam: bool, page: int = 1) -> str:
    """A page of findings.

    Args:
        report: of the candidate.
        own_names: names that the candidate's script uses; in an exam no others are told.
        exam: tells kinds and frames only: sentences, values and suggestions are an answer key.
        page: from 1.
    """
    start = (page - 1) * FINDINGS_A_PAGE
    shown = report.findings[start : start + FINDINGS_A_PAGE]
    if not shown:
        return "no findings" if not report.findings else f"no findings on page {page}"
    lines = [_exam_line(f, own_names) if exam else _line(f) for f in shown]
    rest = len(report.findings) - start - len(shown)
    if rest > 0:
        lines.append(f"{rest} more: findings(page={page + 1})")
    return "\n".join(lines)


def _exam_line(finding: Finding, own_names: Sequence[str]) -> str:
    names = [name for name in finding.objects if name in own_names]
    frame = "" if finding.frame is None else f" at frame {finding.frame}"
    return f"- {finding.axis}: {finding.kind}{frame}" + (f" ({', '.join(names)})" if names else "")


def _line(finding: Finding) -> str:
    cause = finding.likely_cause
    if cause is None or cause.suggested is None:
        return f"- {finding.message}"
    return f"- {finding.message}\n  suggestion: apply(path={cause.parameter!r}, value={cause.suggested:.9g})"
