"""Two videos against each other by their pictures alone: no script, no verdict, a diagnostic report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.errors import UserError
from fourdcb.evaluation.environment import environment_record, input_record, video_record
from fourdcb.identity import StrPath
from fourdcb.metrics import load_criteria
from fourdcb.metrics.kinds import finding
from fourdcb.metrics.pictures.clip_comparison import ClipComparison, compare_clips
from fourdcb.metrics.pictures.measures import SSIM_SIDE
from fourdcb.metrics.pictures.motion import Backgrounds, background_indices, both_go_on
from fourdcb.metrics.pictures.stream import stream_findings
from fourdcb.metrics.result import Finding, Report
from fourdcb.metrics.verdict import unjudged
from fourdcb.progress import Progress
from fourdcb.replay.clip import fitted
from fourdcb.video import Alignment, Letterbox, VideoInfo, align, fit_letterbox

if TYPE_CHECKING:
    from fourdcb.video import VideoReader

_NO_SCRIPT = "no world script"
# Frames below this are worth a finding [dB]; encoding alone stays above 35.
_ALIKE_PSNR = 30.0
_WORST_FRAMES = 3
_AS_MUCH_PSNR = 1.0  # [dB]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VideoDiff:
    """A comparison of two videos and what it was made from.

    Attributes:
        report: claim "diagnostic", verdict INCONCLUSIVE; image metrics, findings, per-frame series.
        comparison: per-pair measures.
        alignment: which frames were paired.
        placement: how the second video was fitted into the first one's size.
    """

    report: Report
    comparison: ClipComparison
    alignment: Alignment
    placement: Letterbox


def diff_videos(reference: StrPath, candidate: StrPath, *, progress: Progress | None = None) -> VideoDiff:
    """Compare the pictures of two videos, paired by presentation time.

    A candidate of another size is letterboxed into the reference's size. Frames are streamed.

    Raises:
        UserError: when a video cannot be read, is too small to compare, or the two have no time in common.
    """
    from fourdcb.video import VideoReader  # PyAV loads only when a clip is read

    reference, candidate = Path(reference), Path(candidate)
    with VideoReader(reference) as a, VideoReader(candidate) as b:
        alignment = align(a.info.times, b.info.times, duration_a=a.info.duration, duration_b=b.info.duration)
        if not alignment.index_a.size:
            raise UserError("the videos have no time in common", where=f"{reference}, {candidate}")
        if min(a.info.width, a.info.height) < SSIM_SIDE:
            raise UserError(
                "the video is too small to compare", where=str(reference), expected=f"{SSIM_SIDE} px or more"
            )
        placement = fit_letterbox(
            source_width=b.info.width, source_height=b.info.height, width=a.info.width, height=a.info.height
        )
        pairs = alignment.index_a.size
        comparison = compare_clips(
            _pairs(a, b, alignment, range(pairs)),
            backgrounds=Backgrounds.of(_pairs(a, b, alignment, background_indices(pairs))),
            goes_on=both_go_on(alignment.index_a, alignment.index_b),
            total=pairs,
            progress=progress,
        )
        inputs = {
            "reference": {**input_record(reference), **video_record(a.info)},
            "candidate": {**input_record(candidate), **video_record(b.info)},
        }
        findings = (
            *_stream_findings(a.info, b.info, alignment, placement),
            *_motion_findings(comparison),
            *_worst_frame_findings(comparison, alignment),
        )
    report = _report(comparison, alignment, findings, inputs)
    return VideoDiff(report=report, comparison=comparison, alignment=alignment, placement=placement)


def _pairs(
    a: VideoReader, b: VideoReader, alignment: Alignment, chosen: Iterable[int]
) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.uint8]]]:
    width, height = a.info.width, a.info.height
    for k in chosen:
        first, second = a.frame(int(alignment.index_a[k])), b.frame(int(alignment.index_b[k]))
        yield first, fitted(second, width=width, height=height)


def _report(
    comparison: ClipComparison, alignment: Alignment, findings: tuple[Finding, ...], inputs: dict[str, Any]
) -> Report:
    return Report(
        verdict="INCONCLUSIVE",
        claim="diagnostic",
        reasons=(f"{_NO_SCRIPT}: two videos can be compared by their pictures only",),
        axes=unjudged(load_criteria(), _NO_SCRIPT),
        image=comparison.metrics(),
        findings=findings,
        horizon={},
        series={
            "frame": alignment.index_a.tolist(),
            "candidate_frame": alignment.index_b.tolist(),
            "time": alignment.times.tolist(),
            **comparison.series(),
        },
        inputs=inputs,
        environment=environment_record(),
    )


def _stream_findings(
    a: VideoInfo, b: VideoInfo, alignment: Alignment, placement: Letterbox
) -> Iterator[Finding]:
    """Findings that need no pixels: length, rate, size, and what each file says of its presentation."""
    if not alignment.same_length:
        common = alignment.end - alignment.start
        yield finding("length_mismatch", measured=b.duration, expected=a.duration, common=common)
    if not alignment.same_rate:
        yield finding("rate_mismatch", measured=b.fps, expected=a.fps)
    if not placement.identity:
        yield finding(
            "size_mismatch", measured=float(b.width), expected=float(a.width), own=(b.width, b.height),
            truth=(a.width, a.height), content=(placement.content_width, placement.content_height),
            form="scaled" if placement.fills else "pair",
        )  # fmt: skip
    yield from stream_findings(a, "reference")
    yield from stream_findings(b, "candidate")


def _motion_findings(comparison: ClipComparison) -> Iterator[Finding]:
    found = None if comparison.beside is None else comparison.beside.finding()
    if found is not None:
        yield found


def _worst_frame_findings(comparison: ClipComparison, alignment: Alignment) -> Iterator[Finding]:
    """The frames that differ most; those that differ as much are told with the first of them."""
    frames, psnr = alignment.index_a, comparison.psnr
    groups: list[list[int]] = []
    for pair in _worst_pairs(psnr):
        if groups and psnr[pair] - psnr[groups[-1][0]] < _AS_MUCH_PSNR:
            groups[-1].append(pair)
        else:
            groups.append([pair])
    for pair, *others in groups:
        frame = int(frames[pair])
        alike = sorted(int(frames[other]) for other in others)
        yield finding(
            "image_difference", frame=frame, time=float(alignment.times[pair]), measured=float(psnr[pair]),
            expected=_ALIKE_PSNR, ssim=float(comparison.ssim[pair]),
            alike=tuple(alike) if len(alike) > 1 else None, alike_one=alike[0] if len(alike) == 1 else None,
        )  # fmt: skip


def _worst_pairs(psnr: NDArray[np.float64]) -> list[int]:
    """The pairs that differ most, the worst first, at least a tenth of the clip apart."""
    apart = max(1, len(psnr) // 10)
    chosen: list[int] = []
    for pair in np.argsort(psnr, kind="stable"):
        if psnr[pair] >= _ALIKE_PSNR or len(chosen) == _WORST_FRAMES:
            break
        if all(abs(int(pair) - other) >= apart for other in chosen):
            chosen.append(int(pair))
    return chosen
