"""What moves in the pictures, frame by frame: for a video that has no truth script."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourdcb.arrays import F64
from fourdcb.world import World
from fourdcb_studio.jobs.contract import JobKind

if TYPE_CHECKING:
    from collections.abc import Mapping

TOGETHER = 0.5
"""Moving areas that overlap by less are apart."""
_LASTING = 3  # frames: a shorter gap is a flicker of the silhouettes


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureSeriesRequest:
    """Compare the candidate's pictures with a video's.

    Attributes:
        world: the candidate on the video's clock.
        video: its path.
    """

    world: World
    video: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureSeries:
    """``flow_error`` [px] and ``silhouette_iou`` at the replay's frames, shape (T,); NaN where unknown."""

    tracks: Mapping[str, F64]

    @property
    def departure(self) -> int | None:
        """The frame from which the moving areas lie apart; None where they never do, or nobody can tell."""
        return departure(self.tracks["silhouette_iou"])


def departure(overlap: F64) -> int | None:
    """First of the first three frames on end with an overlap below a half; those without one do not count.

    Args:
        overlap: of the moving areas, 0 … 1, NaN where nothing moves in either, shape (T,).
    """
    apart: list[int] = []
    for frame, value in enumerate(overlap.tolist()):
        if value != value:  # nothing moves: the run goes on
            continue
        apart = [*apart, frame] if value < TOGETHER else []
        if len(apart) == _LASTING:
            return apart[0]
    return None


PICTURE_SERIES = JobKind(
    name="picture_series",
    request=PictureSeriesRequest,
    place="process",
    work="fourdcb_studio.workers.picture_series:measure_pictures",
)
