"""Measures motion and silhouettes at every frame, in a process of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourdcb.progress import Progress
from fourdcb_studio.jobs.picture_series import PictureSeries, PictureSeriesRequest

_KEYS = ("flow_error", "silhouette_iou")
_Pair = tuple[NDArray[np.uint8], NDArray[np.uint8]]


def measure_pictures(request: PictureSeriesRequest, progress: Progress) -> PictureSeries:
    """Compare every replay frame with the video frame of its time.

    Raises:
        UserError: when the video or the world cannot be used.
    """
    from fourdcb.metrics.pictures.clip import partners
    from fourdcb.metrics.pictures.clip_comparison import compare_clips
    from fourdcb.metrics.pictures.motion import Backgrounds, background_indices, both_go_on
    from fourdcb.replay import on_clock_of, read_on_stage, replay

    clip = read_on_stage(Path(request.video), request.world, progress=progress)
    world = on_clock_of(request.world, clip.info)
    drawn = replay(world, progress=progress).frames
    assert drawn is not None
    times = world.frame_times()[: len(drawn)]
    partner = partners(times, np.asarray(clip.info.times))
    paired = np.flatnonzero(partner >= 0)

    def pairs(chosen: Iterable[int]) -> Iterator[_Pair]:
        return ((clip.frames[int(partner[k])], drawn[k]) for k in map(int, paired[list(chosen)]))

    tracks = {key: np.full(len(drawn), np.nan) for key in _KEYS}
    if len(paired):
        found = compare_clips(
            pairs(range(len(paired))),
            backgrounds=Backgrounds.of(pairs(background_indices(len(paired)))),
            goes_on=both_go_on(paired, partner[paired]),
            total=len(paired),
            progress=progress,
        )
        for key in _KEYS:
            tracks[key][paired] = getattr(found, key)
    return PictureSeries(tracks=tracks)
