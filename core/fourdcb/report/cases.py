"""Keeps a judgement as a case of a library, with a picture of where it fails."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fourdcb.identity import StrPath
from fourdcb.library import add_case
from fourdcb.library.scan import REPORT_NAME
from fourdcb.metrics.pictures.clip import partners
from fourdcb.metrics.result import Report
from fourdcb.metrics.series_file import series_name
from fourdcb.report.files import report_with_series_beside
from fourdcb.report.pictures import png_bytes

if TYPE_CHECKING:
    from fourdcb.evaluation import Evaluation

_HEIGHT = 192  # of a thumbnail [px]
_GAP = 2


def store_case(evaluation: Evaluation, report: Report, library: StrPath, *, title: str | None = None) -> Path:
    """Store script, truth, video, report and a thumbnail in a library.

    Args:
        evaluation: what was judged.
        report: the report as it was written.
        library: folder of the library; made when missing.
        title: what the case is called; default scene and candidate.

    Returns:
        The case's folder.

    Raises:
        UserError: a file cannot be read, or the library not be written.
    """
    paths = {role: Path(entry["path"]) for role, entry in report.inputs.items() if entry}
    image = thumbnail(evaluation)
    text, series = report_with_series_beside(report, series_name(Path(REPORT_NAME)))
    return add_case(
        library,
        report=text,
        series=series,
        script=paths["code"],
        video=paths["video"],
        reference=paths.get("reference"),
        picture=None if image is None else png_bytes(image),
        title=title,
    )


def thumbnail(evaluation: Evaluation) -> NDArray[np.uint8] | None:
    """Original beside replay at the first finding's frame, else in the middle; None when not drawn."""
    frames, video = evaluation.candidate.frames, evaluation.video
    if frames is None:
        return None
    located = (f.frame for f in evaluation.report.findings if f.frame is not None)
    frame = min(next(located, len(frames) // 2), len(frames) - 1)
    tiles = [_small(frames[frame])]
    if video is not None:
        times = evaluation.candidate.world.frame_times()[frame : frame + 1]
        partner = int(partners(times, video.info.times)[0])
        original = video.frames[partner] if partner >= 0 else np.zeros_like(frames[frame])
        gap = np.zeros((tiles[0].shape[0], _GAP, 3), dtype=np.uint8)
        tiles = [_small(original), gap, tiles[0]]
    return np.concatenate(tiles, axis=1)


def _small(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    from PIL import Image

    height, width = image.shape[:2]
    if height <= _HEIGHT:
        return image
    size = (max(round(width * _HEIGHT / height), 1), _HEIGHT)
    return np.asarray(Image.fromarray(image).resize(size, Image.Resampling.LANCZOS))
