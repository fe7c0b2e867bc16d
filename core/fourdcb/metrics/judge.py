"""Judge a candidate's replay against the reference's: four axes, findings, verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fourdcb.arrays import F64
from fourdcb.metrics.causes.motion import MotionCauses, motion_causes, with_causes
from fourdcb.metrics.comparison import Comparison, compare
from fourdcb.metrics.criteria import Criteria
from fourdcb.metrics.findings.coefficients import folded
from fourdcb.metrics.findings.order import all_findings
from fourdcb.metrics.measure import measured
from fourdcb.metrics.pictures.agreement import Agreement, foreign_finding, video_agreement
from fourdcb.metrics.pictures.clip import (
    ClipQuality,
    clip_findings,
    clip_quality,
    length_mismatch,
    partners,
)
from fourdcb.metrics.pictures.edges import EdgeAgreement, edge_agreement
from fourdcb.metrics.result import AXES, Axis, AxisResult, Finding, MetricValue, Report, Status
from fourdcb.metrics.series import all_series
from fourdcb.metrics.specs import specs_of
from fourdcb.metrics.verdict import axis_result, decide, derive_claim, unjudged
from fourdcb.video import Timeline
from fourdcb.words import ENGLISH, load

if TYPE_CHECKING:
    from fourdcb.physics import Engine
    from fourdcb.replay import FrameSequence, Replay

_NO_TRUTH = "no truth script: only the pictures can be compared"
_MOTION: tuple[Axis, ...] = ("geometry", "physics", "time")
_NO_RATE = "how fast the replay is drawn was not measured"
_NO_BENCHMARK = "not known to be a sample of a benchmark"
_FAST = "judged fast, without rendering: material and light were skipped"


def judge(
    *,
    reference: Replay | None,
    candidate: Replay,
    video_frames: FrameSequence | None,
    video_times: F64 | Timeline | None,
    criteria: Criteria,
    fast: bool = False,
    horizon: Mapping[str, float] | None = None,
    remarks: tuple[Finding, ...] = (),
    inputs: Mapping[str, Any] | None = None,
    environment: Mapping[str, Any] | None = None,
    replay_rate: MetricValue | None = None,
    engine: Engine | None = None,
    incomparable: str | None = _NO_BENCHMARK,
) -> Report:
    """Judge one candidate: equal arguments give equal reports, whatever the machine does meanwhile.

    Args:
        reference: the truth's replay, or None: then only the image metrics are measured.
        candidate: the candidate's replay on the reference's stage (camera, duration, fps, physics rate).
        video_frames: sRGB [T, H, W, 3] of the candidate's picture size, or None.
        video_times: presentation times of the video's frames [s]; a timeline where the last is held.
        criteria: thresholds.
        fast: leave out everything that needs pictures; the verdict is then never DEPLOYABLE.
        horizon: predictability horizon by reference object [s]; None takes the whole clip as predictable.
        remarks: what else must be known of the video, told first.
        inputs, environment: provenance, copied into the report.
        replay_rate: ``replay_fps`` as it was measured; None leaves it unmeasured, and the verdict open.
        engine: plays the likely causes; default a fresh one.
        incomparable: why nobody else's judgement can be compared with this one; None when one can.

    Raises:
        UserError: when the two replays do not share rate and frame rate.
    """
    worlds = pictures = None
    if not fast:
        pictures = compare_pictures(reference, candidate, video_frames, video_times)
    if reference is not None:
        worlds = compare_worlds(reference, candidate, criteria, horizon=horizon, fast=fast, engine=engine)
    return report_of(
        worlds, pictures, reference=reference, candidate=candidate, video_times=video_times,
        criteria=criteria, fast=fast, horizon=horizon, remarks=remarks, inputs=inputs,
        environment=environment, replay_rate=replay_rate, incomparable=incomparable,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldsCompared:
    """What two worlds say about each other: the half of a judgement that needs no pictures of the clip.

    Attributes:
        comparison: which thing is which, and how they differ.
        metrics: by axis and name; all but the rate of the replay.
        causes: what may have led to the wrong motion; None when it is right, or nobody asked.
    """

    comparison: Comparison
    metrics: Mapping[Axis, Mapping[str, MetricValue]]
    causes: MotionCauses | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PicturesCompared:
    """What the pictures say: the other half.

    Attributes:
        clip: candidate against the video, or against the reference's pictures; None without either.
        agreement: how well the video shows the truth's motion; None where nothing can be told.
        edges: how well it shows the truth's picture; None where the motion tells, or there is no video.
    """

    clip: ClipQuality | None
    agreement: Agreement | None
    edges: EdgeAgreement | None = None


def compare_worlds(
    reference: Replay,
    candidate: Replay,
    criteria: Criteria,
    *,
    horizon: Mapping[str, float] | None = None,
    fast: bool = False,
    engine: Engine | None = None,
    causes: bool = True,
) -> WorldsCompared:
    """Compare two worlds and their motions, and search the causes of what moves wrongly.

    Args:
        reference, candidate, criteria, horizon, fast, engine: see :func:`judge`.
        causes: whether to search.

    Raises:
        UserError: when the two replays do not share rate and frame rate.
    """
    comparison = compare(reference, candidate, criteria, horizon or {}, fast=fast)
    metrics = {axis: measured(axis, comparison, criteria, undrawn=_FAST) for axis in AXES}
    wrong = any(m.passed is False for axis in _MOTION for m in metrics[axis].values())
    found = motion_causes(comparison, engine=engine) if wrong and causes and not fast else None
    return WorldsCompared(comparison=comparison, metrics=metrics, causes=found)


def compare_pictures(
    reference: Replay | None,
    candidate: Replay,
    video_frames: FrameSequence | None,
    video_times: F64 | Timeline | None,
) -> PicturesCompared:
    """Look at the pictures, the video first: the candidate's may still be on their way."""
    agreement = edges = None
    if reference is not None and video_frames is not None and video_times is not None:
        partner = partners(reference.world.frame_times(), video_times)
        agreement = video_agreement(reference, video_frames, partner)
        if agreement is None and reference.world.bodies:
            edges = edge_agreement(reference, video_frames, partner)
    clip = _clip(candidate, reference, video_frames, video_times)
    return PicturesCompared(clip=clip, agreement=agreement, edges=edges)


def report_of(
    worlds: WorldsCompared | None,
    pictures: PicturesCompared | None,
    *,
    reference: Replay | None,
    candidate: Replay,
    video_times: F64 | Timeline | None,
    criteria: Criteria,
    fast: bool,
    horizon: Mapping[str, float] | None,
    remarks: tuple[Finding, ...],
    inputs: Mapping[str, Any] | None,
    environment: Mapping[str, Any] | None,
    replay_rate: MetricValue | None,
    incomparable: str | None = _NO_BENCHMARK,
) -> Report:
    """Both halves of a judgement as one report; see :func:`judge` for the rest.

    Args:
        worlds: None without a reference.
        pictures: None when judged fast.
    """
    clip = None if pictures is None else pictures.clip
    axes = (
        unjudged(criteria, _NO_TRUTH) if worlds is None else _axes(worlds, replay_rate, criteria, fast=fast)
    )
    states = () if worlds is None else worlds.comparison.states
    caveat = _NO_TRUTH if reference is None else _FAST if fast else None
    foreign = () if pictures is None else foreign_finding(pictures.agreement, pictures.edges, criteria)
    findings = (*foreign, *remarks, *_findings(worlds, axes, criteria), *clip_findings(clip))
    void = _foreign(reference, video_times) or (foreign[0].told(load(ENGLISH)) if foreign else None)
    verdict, reasons = decide(axes, caveat=caveat, void=void)
    return Report(
        verdict=verdict,
        claim=derive_claim(axes, caveat=void or caveat or incomparable),
        reasons=reasons,
        axes=axes,
        image=_image(clip, fast=fast),
        findings=findings,
        horizon=_horizon_record(reference, horizon),
        series=all_series(candidate.world.frame_times(), states, clip.series() if clip else {}),
        inputs=dict(inputs or {}),
        environment={
            **(environment or {}),
            "criteria": {"id": criteria.id, "version": criteria.version, "sha256": criteria.sha256},
        },
    )


def _foreign(reference: Replay | None, video_times: F64 | Timeline | None) -> str | None:
    """Why the truth script cannot be the truth of this video, or None: the two differ in length."""
    if reference is None or video_times is None:
        return None
    mismatch = length_mismatch(reference.world.frame_times(), video_times)
    if mismatch is None:
        return None
    return f"{mismatch.told(load(ENGLISH))}, so the truth script does not describe this video"


def _findings(
    worlds: WorldsCompared | None, axes: Mapping[Axis, AxisResult], criteria: Criteria
) -> tuple[Finding, ...]:
    """What is wrong with the candidate's world, and why where that is known."""
    if worlds is None:
        return ()
    findings = all_findings(worlds.comparison, axes, criteria)
    return folded(findings if worlds.causes is None else with_causes(findings, worlds.causes))


def _axes(
    worlds: WorldsCompared, rate: MetricValue | None, criteria: Criteria, *, fast: bool
) -> dict[Axis, AxisResult]:
    if rate is None and fast:
        rate = criteria.unmeasured("replay_fps", "skipped", _FAST)
    elif rate is None:
        rate = criteria.unmeasured("replay_fps", "not_measured", _NO_RATE)
    whole = {**worlds.metrics, "time": {**worlds.metrics["time"], "replay_fps": rate}}
    return {axis: axis_result(metrics) for axis, metrics in whole.items()}


def _clip(
    candidate: Replay,
    reference: Replay | None,
    video_frames: FrameSequence | None,
    video_times: F64 | Timeline | None,
) -> ClipQuality | None:
    """Against the video, or against the reference's pictures when there is no video."""
    drawn = candidate.frames
    if drawn is None:
        return None
    times = candidate.world.frame_times()[: len(drawn)]
    if video_frames is not None and video_times is not None:
        return clip_quality(drawn, times, video_frames, video_times)
    if reference is not None and reference.frames is not None:
        return clip_quality(drawn, times, reference.frames, times)
    return None


def _image(clip: ClipQuality | None, *, fast: bool) -> dict[str, MetricValue]:
    status: Status = "skipped" if fast else "not_measured"
    reason = _FAST if fast else "there is nothing to compare with"
    found = {
        spec.id: MetricValue(unit=spec.unit, status=status, reason=reason)
        for spec in specs_of(None)
        if spec.judged
    }
    if clip is not None:
        found |= clip.metrics()
    return found


def _horizon_record(reference: Replay | None, horizon: Mapping[str, float] | None) -> dict[str, Any]:
    """Per reference object: seconds, and the share of the clip that is."""
    if reference is None or horizon is None:
        return {}
    duration = reference.world.duration
    return {name: {"seconds": t, "fraction": min(t / duration, 1.0)} for name, t in horizon.items()}
