"""Everything that one judgement leaves on disk."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from fourdcb.errors import UserError
from fourdcb.identity import StrPath, write_output
from fourdcb.metrics.pictures.clip import partners
from fourdcb.metrics.result import Finding, Report
from fourdcb.report.edits import EditComparison
from fourdcb.report.files import SeriesPlace, write_report
from fourdcb.report.heatmaps import write_heatmaps
from fourdcb.report.html import write_page
from fourdcb.report.pictures import comparison_picture, png_bytes, side_by_side
from fourdcb.report.view import FindingPicture

if TYPE_CHECKING:
    from fourdcb.evaluation import Evaluation

# Nothing, the failing frames, or these and the side-by-side clip.
Media = Literal["none", "frames", "clip"]
MOST_PICTURES = 8
_GRAVITY = {"error": 0, "warning": 1, "info": 2}


def write_evaluation(
    evaluation: Evaluation,
    output: StrPath,
    *,
    debug: StrPath | None = None,
    media: Media = "none",
    html: StrPath | None = None,
    pdf: StrPath | None = None,
    edits: EditComparison | None = None,
    series: SeriesPlace = "inside",
) -> Report:
    """Write ``report.json`` and whatever else is asked for.

    Args:
        evaluation: what was judged.
        output: the report.json to write.
        debug: folder (made when missing) for failure frames, the side-by-side clip and heatmaps; their
            paths, relative to ``output``, go into the report's ``artifacts``.
        media: what a report without a debug folder has beside it, in the folder that :func:`media_folder`
            names; nothing is there when nothing was drawn.
        html, pdf: also write the readable report, with the failure frames inside.
        edits: what edits of the script changed, for the readable report.
        series: where the report's series are written, see :func:`~fourdcb.report.write_report`.

    Returns:
        The report as written, ``artifacts`` included.

    Raises:
        UserError: a path cannot be written.
    """
    output = Path(output)
    debug, html, pdf = (None if path is None else Path(path) for path in (debug, html, pdf))
    for target in (output, html, pdf):
        if target is not None and not target.absolute().parent.is_dir():
            raise UserError("the folder of the report does not exist", where=str(target.absolute().parent))
    kept = media if debug is None and evaluation.candidate.frames is not None else "none"
    pictures = failure_pictures(evaluation) if debug or html or pdf or kept != "none" else []
    report, base = evaluation.report, output.absolute().parent
    if debug is not None:
        report = replace(report, artifacts=_write_debug(evaluation, pictures, debug, base=base))
    elif kept == "clip" or (kept == "frames" and pictures):
        found = _write_media(evaluation, pictures, media_folder(output), base=base, clip=kept == "clip")
        report = replace(report, artifacts=found)
    write_report(report, output, series=series)
    write_page(report, html=html, pdf=pdf, pictures=pictures, edits=edits)
    return report


def media_folder(output: StrPath) -> Path:
    """Where the pictures and the clip of a report lie: ``report_media`` beside ``report.json``."""
    output = Path(output)
    return output.with_name(f"{output.stem}_media")


def failure_pictures(evaluation: Evaluation) -> list[FindingPicture]:
    """Pictures of the gravest failing frames, one a frame, at most eight, in frame order.

    Empty when nothing was drawn (judged fast).
    """
    frames = evaluation.candidate.frames
    if frames is None:
        return []
    gravest = _gravest_frames(evaluation.report.findings, count=len(frames))
    originals = _originals(evaluation, [frame for frame, _ in gravest])
    pictures = []
    for (frame, findings), original in zip(gravest, originals, strict=True):
        caption = f"frame {frame} · " + "; ".join(finding.told(place=False) for finding in findings)
        image = comparison_picture(original, frames[frame], caption=caption)
        pictures.append(FindingPicture(frame=frame, png=png_bytes(image)))
    return sorted(pictures, key=lambda picture: picture.frame)


def pictures_of_report(report: Report, base: StrPath) -> list[FindingPicture]:
    """Failure frames that an earlier run left on disk; those that are gone are left out.

    Args:
        report: a loaded report.
        base: folder of its report.json, which the paths in ``artifacts`` are relative to.
    """
    found = []
    for entry in report.artifacts.get("failure_frames", []):
        path = Path(base) / entry["path"]
        if path.is_file():
            found.append(FindingPicture(frame=int(entry["frame"]), png=path.read_bytes()))
    return found


def _gravest_frames(findings: Sequence[Finding], *, count: int) -> list[tuple[int, list[Finding]]]:
    by_frame: dict[int, list[Finding]] = {}
    for finding in sorted(findings, key=lambda f: _GRAVITY[f.severity]):
        if finding.frame is not None and 0 <= finding.frame < count and finding.severity != "info":
            by_frame.setdefault(finding.frame, []).append(finding)
    return list(by_frame.items())[:MOST_PICTURES]


def _originals(
    evaluation: Evaluation, wanted: Sequence[int] | None = None
) -> Iterator[NDArray[np.uint8] | None]:
    """The video's frames on show at the wanted (default all) candidate frames, None beyond the ends."""
    video, frames = evaluation.video, evaluation.candidate.frames
    count = 0 if frames is None else len(frames)
    chosen = range(count) if wanted is None else wanted
    if video is None:
        yield from (None for _ in chosen)
        return
    shown = partners(evaluation.candidate.world.frame_times()[:count], video.info.times)
    yield from (None if shown[k] < 0 else video.frames[int(shown[k])] for k in chosen)


def _write_debug(
    evaluation: Evaluation, pictures: Sequence[FindingPicture], folder: Path, *, base: Path
) -> dict[str, Any]:
    artifacts = _write_media(evaluation, pictures, folder, base=base, clip=True)
    artifacts["heatmaps"] = [_relative(path, base) for path in write_heatmaps(evaluation.report, folder)]
    return artifacts


def _write_media(
    evaluation: Evaluation, pictures: Sequence[FindingPicture], folder: Path, *, base: Path, clip: bool
) -> dict[str, Any]:
    """Failure frames and, with ``clip``, both sides as one video; their paths relative to ``base``."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError("the folder cannot be made", where=str(folder), got=error.strerror) from error
    artifacts: dict[str, Any] = {"failure_frames": []}
    for picture in pictures:
        path = folder / f"frame_{picture.frame:04d}.png"
        write_output(path, picture.png)
        artifacts["failure_frames"].append({"frame": picture.frame, "path": _relative(path, base)})
    if clip and evaluation.video is not None and evaluation.candidate.frames is not None:
        from fourdcb.video import write_video

        target = folder / "side_by_side.mp4"
        pairs = zip(_originals(evaluation), evaluation.candidate.frames, strict=True)
        write_video(target, side_by_side(pairs), fps=evaluation.candidate.world.fps)
        artifacts["side_by_side"] = _relative(target, base)
    return artifacts


def _relative(path: Path, base: Path) -> str:
    return Path(os.path.relpath(path.absolute(), base)).as_posix()
