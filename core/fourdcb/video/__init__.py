"""Video files: frame-exact reading, writing, letterboxing, alignment by presentation time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fourdcb.video.alignment import Alignment as Alignment
from fourdcb.video.alignment import Timeline as Timeline
from fourdcb.video.alignment import align as align
from fourdcb.video.alignment import nearest_frames as nearest_frames
from fourdcb.video.alignment import usual_interval as usual_interval
from fourdcb.video.info import VideoInfo as VideoInfo
from fourdcb.video.letterbox import Letterbox as Letterbox
from fourdcb.video.letterbox import fit_letterbox as fit_letterbox
from fourdcb.video.letterbox import letterbox as letterbox

if TYPE_CHECKING:
    from fourdcb.video.reader import VideoReader as VideoReader
    from fourdcb.video.writer import check_video_suffix as check_video_suffix
    from fourdcb.video.writer import write_video as write_video

_LAZY = {
    "VideoReader": "fourdcb.video.reader",
    "check_video_suffix": "fourdcb.video.writer",
    "write_video": "fourdcb.video.writer",
}


def __getattr__(name: str) -> object:
    """Load what needs PyAV on first use."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)
