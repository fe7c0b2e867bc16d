"""What a report says in a terminal about metrics that have no value."""

from __future__ import annotations

from dataclasses import replace

from fourdcb.cli.summary import report_lines
from fourdcb.metrics import load_criteria
from fourdcb.metrics.result import Axis, AxisResult, Cause, Finding, MetricValue, Report
from fourdcb.metrics.verdict import unjudged

NO_TRUTH = "no truth script: only the pictures can be compared"
EARLY = "the reference is unpredictable from frame 2 on"


def report(axes: dict[Axis, AxisResult], *reasons: str, findings: tuple[Finding, ...] = ()) -> Report:
    return Report(
        verdict="INCONCLUSIVE", claim="diagnostic", reasons=reasons, axes=axes, image={},
        findings=findings, horizon={}, series={}, inputs={}, environment={},
    )  # fmt: skip


def test_the_reason_stands_once_beside_the_metrics_that_it_concerns() -> None:
    axes = unjudged(load_criteria(), NO_TRUTH)
    lost = MetricValue(status="not_measured", reason=EARLY)
    measured = MetricValue(value=0.0, threshold=0.05, passed=True)
    still = MetricValue(status="not_applicable", reason="nothing moves")
    axes["geometry"] = AxisResult(
        passed=None, metrics={"delta_pos": lost, "delta_rot": lost, "delta_scale": measured}
    )
    axes["time"] = AxisResult(passed=None, metrics={"drift_rate": lost, "replay_fps": still})
    lines = report_lines(report(axes, "several"))
    assert lines[0].endswith(f": Δ_pos, Δ_rot not measured ({EARLY}), Δ_scale 0 % (< 5 %)")
    assert lines[1] == f"[–] Physical consistency: not measured ({NO_TRUTH})"
    assert lines[2] == "[–] Material-light: not measured"
    assert lines[3].endswith(": Drift_Rate not measured, Replay_FPS not applicable (nothing moves)")


def test_what_the_last_line_says_is_not_said_before() -> None:
    lines = report_lines(report(unjudged(load_criteria(), NO_TRUTH), NO_TRUTH))
    assert [line.rpartition(": ")[2] for line in lines[:4]] == ["not measured"] * 4
    assert "\n".join(lines).count(NO_TRUTH) == 1


def test_a_cause_is_told_once_for_all_bodies_that_share_it() -> None:
    def found(name: str, *alike: str) -> Finding:
        cause = Cause(parameter=f"{name}.friction", current=0.3, suggested=0.5, alike=alike)
        text = {"text": name}
        return Finding(frame=1, time=0.0, axis="physics", objects=(name,), arguments=text, likely_cause=cause)

    findings = found("a", "b.friction"), found("b"), found("a"), found("c")
    lines = report_lines(report(unjudged(load_criteria(), NO_TRUTH), findings=findings))
    causes = [line.strip() for line in lines if "likely cause" in line]
    assert causes == [
        "likely cause: a.friction is 0.3; 0.5 would fit better (likewise for b)",
        "likely cause: c.friction is 0.3; 0.5 would fit better",
    ]


def test_a_length_stands_beside_its_share_of_the_body() -> None:
    """Two centimetres are much for a marble and little for a cupboard."""
    axes = unjudged(load_criteria(), NO_TRUTH)
    far = MetricValue(
        value=0.03, unit="m", threshold=0.02, passed=False, detail={"worst": "ball", "relative": 0.1083}
    )
    for metric, told in (
        (far, "Δ_pos 30 mm (needed < 20 mm; 10.8 % of its diagonal) FAIL"),
        (replace(far, value=0.01, passed=True), "Δ_pos 10 mm (< 20 mm; 10.8 % of its diagonal)"),
        (replace(far, value=0.0, passed=True), "Δ_pos 0 mm (< 20 mm)"),
        (replace(far, detail={}), "Δ_pos 30 mm (needed < 20 mm) FAIL"),
    ):
        axes["geometry"] = AxisResult(passed=metric.passed, metrics={"delta_pos": metric})
        assert report_lines(report(axes))[0].endswith(f": {told}")
