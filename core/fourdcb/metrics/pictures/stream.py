"""What a video file says of its presentation and a reader of figures must know: applied, or told."""

from __future__ import annotations

from collections.abc import Iterator

from fourdcb.metrics.kinds import finding
from fourdcb.metrics.result import Finding
from fourdcb.video import VideoInfo, fit_letterbox

_RARE = frozenset({"ycgco", "bt2020_cl"})
_LEAST_ANGLE = 0.5  # [deg]


def stream_findings(info: VideoInfo, role: str) -> tuple[Finding, ...]:
    """Remarks about one file.

    Args:
        info: what its reader found.
        role: whose it is: ``video``, ``reference`` or ``candidate``.
    """
    whose = f"clip_{role}"
    return (*_of_time(info, whose), *_of_shape(info, whose), *_of_colour(info, whose))


def stage_findings(info: VideoInfo, *, width: int, height: int) -> tuple[Finding, ...]:
    """How a video was brought onto a camera's picture size [px]."""
    place = fit_letterbox(source_width=info.width, source_height=info.height, width=width, height=height)
    if place.identity:
        return ()
    own, truth = (info.width, info.height), (width, height)
    if place.fills:
        return (finding("scaled", measured=float(own[0]), expected=float(width), own=own, truth=truth),)
    content = (place.content_width, place.content_height)
    return (
        finding(
            "size_mismatch", measured=float(own[0]), expected=float(width), own=own, truth=truth,
            content=content, form="stage",
        ),
    )  # fmt: skip


def _of_time(info: VideoInfo, whose: str) -> Iterator[Finding]:
    if info.truncated:
        yield finding("truncated", measured=float(info.n_frames), whose=whose)
    if info.interlaced:
        yield finding("interlaced", whose=whose)
    if info.discarded_frames:
        yield finding("doubled_stamps", measured=float(info.discarded_frames), whose=whose,
                      count=info.discarded_frames)  # fmt: skip
    if not info.stamped:
        yield finding("no_stamps", measured=info.fps, whose=whose)


def _of_shape(info: VideoInfo, whose: str) -> Iterator[Finding]:
    if len(info.sizes) > 1:
        yield finding("size_changes", whose=whose, first=info.sizes[0], second=info.sizes[1],
                      shown=(info.width, info.height))  # fmt: skip
    stored, shown = (info.stored_width, info.stored_height), (info.width, info.height)
    if info.cropped:
        yield finding("cropped", whose=whose, stored=stored, shown=shown)
    if round(info.stored_width * info.pixel_aspect) != info.stored_width:
        yield finding("pixel_aspect", measured=info.pixel_aspect, whose=whose, stored=stored, shown=shown)
    if info.rotation_left_over > _LEAST_ANGLE:
        yield finding("oblique_rotation", measured=info.rotation_left_over, whose=whose)
    if info.video_streams > 1:
        yield finding("video_streams", whose=whose, count=info.video_streams, number=info.stream)


def _of_colour(info: VideoInfo, whose: str) -> Iterator[Finding]:
    if info.transfer != "sdr":
        yield finding("hdr", whose=whose, transfer=f"clip_{info.transfer}")
    elif info.primaries != "bt709":
        yield finding("wide_gamut", whose=whose, primaries=f"clip_{info.primaries}")
    if info.color_space in _RARE:
        yield finding("rare_matrix", whose=whose, matrix=f"clip_{info.color_space}")
    if info.alpha:
        yield finding("transparent", whose=whose)
