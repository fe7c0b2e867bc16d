"""Writes a clip of the images as they are compared on screen, in a process of its own.

The view that paints the screen paints the clip, so what is written is what was seen: mode, zoom, wipe, range.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import U8
from fourdcb.progress import Progress
from fourdcb.world import World
from fourdcb_studio.session.messages import Role
from fourdcb_studio.views.compare.look import CompareLook

if TYPE_CHECKING:
    from fourdcb.replay import ReplayCache
    from fourdcb.trajectory import Trajectory
    from fourdcb.video import VideoReader
    from fourdcb_studio.session.clock import Clock
    from fourdcb_studio.views.compare.view import CompareView

Picture = Callable[[int], U8]
Shown = Literal["reference", "candidate", "before"]
_SHOWN: tuple[Shown, ...] = ("reference", "candidate", "before")
_BLINK_S = 0.5  # each picture stands this long, as on screen


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipExport:
    """What to write.

    Attributes:
        output: the file.
        n_frames, fps, times: the clock's grid; the clip is written at the mean rate.
        first, last: frames to write, inclusive.
        worlds: replays by role; a video stands in for the reference, a second one for the candidate.
        videos: files by the role that they stand in for.
        offset: frames by which the candidate is looked at ahead.
        look: how the images are painted.
        width, height: size of the view [px]; ratio: device px per view px.
        theme: name of the theme.
        outlines: whether silhouettes lie over the images.
    """

    output: str
    n_frames: int
    fps: float
    first: int
    last: int
    worlds: dict[Role, World]
    videos: dict[Role, str]
    offset: int
    look: CompareLook
    width: int
    height: int
    ratio: float
    theme: Literal["dark", "light"]
    outlines: bool
    times: NDArray[np.float64] | None = None


def export_clip(request: ClipExport, progress: Progress) -> str:
    """Write the clip and return its path. Raises UserError when a source cannot be read or written."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from fourdcb.render import RenderSettings
    from fourdcb.replay import ReplayCache
    from fourdcb.video import write_video
    from fourdcb_studio.application import make_application

    make_application(request.theme)
    replays = ReplayCache(RenderSettings())
    sources = _Sources(request, replays, progress)
    try:
        frames = _frames(request, sources, progress)
        write_video(Path(request.output), frames, fps=request.fps)
    finally:
        sources.close()
        replays.close()
    return request.output


def _frames(request: ClipExport, sources: _Sources, progress: Progress) -> Iterator[U8]:
    from fourdcb_studio.views.compare.view import CompareView

    view = CompareView()
    view.resize(request.width, request.height)
    view.set_look(request.look)
    progress.start("writing", request.last - request.first + 1)
    for frame in range(request.first, request.last + 1):
        sources.put(view, frame)
        view.set_blink(int((frame - request.first) / request.fps / _BLINK_S) % 2 == 1)
        yield _array(view, request.ratio)
        progress.advance()


def _array(view: CompareView, ratio: float) -> U8:
    from PySide6.QtGui import QImage

    from fourdcb_studio.views.compare.look import picture_of

    image = picture_of(view, view.cell_rects(), ratio).convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


class _Sources:
    """The pictures of each role at a frame of the clock."""

    def __init__(self, request: ClipExport, replays: ReplayCache, progress: Progress) -> None:
        from fourdcb.video import VideoReader

        self._request, self._replays = request, replays
        self._clock = _clock(request)
        self._readers: dict[Role, VideoReader] = {
            role: VideoReader(Path(path)) for role, path in request.videos.items()
        }
        progress.start("simulating", len(request.worlds))
        self._pictures: dict[Role, Picture] = {}
        for role, world in request.worlds.items():
            self._pictures[role] = self._replay_of(role, world)
            progress.advance()
        for role, reader in self._readers.items():
            self._pictures[role] = self._video_of(role, reader)

    def put(self, view: CompareView, frame: int) -> None:
        """Show a frame of the clock."""
        images = {role: self._pictures[role](frame) for role in _SHOWN if role in self._pictures}
        view.set_sources(images.get("reference"), images.get("candidate"), images.get("before"))
        self._put_errors(view, frame, images)
        if self._request.outlines:
            roles: tuple[Literal["reference", "candidate"], ...] = ("reference", "candidate")
            for role in roles:
                view.set_outline(role, self._silhouettes(role, frame))

    def _put_errors(self, view: CompareView, frame: int, images: dict[Shown, U8]) -> None:
        """The errors at each pixel, where the look shows them and they can be measured."""
        from fourdcb.metrics.pictures.maps import error_map

        look = self._request.look
        if look.measure == "color" or look.mode not in ("difference", "with_difference"):
            return
        reference, candidate = images.get("reference"), images.get("candidate")
        if reference is None or candidate is None or reference.shape != candidate.shape:
            return
        if look.measure == "ssim":
            view.set_error_map(error_map("ssim", reference, candidate))
        elif frame > 0:
            before = {role: self._pictures[role](frame - 1) for role in images}
            view.set_error_map(
                error_map(
                    "flow",
                    reference,
                    candidate,
                    reference_before=before["reference"],
                    candidate_before=before["candidate"],
                )
            )

    def close(self) -> None:
        """Close the videos."""
        for reader in self._readers.values():
            reader.close()

    def _replay_of(self, role: Role, world: World) -> Picture:
        trajectory = self._whole(world)
        return lambda frame: self._replays.picture(world, trajectory, self._shifted(role, frame))

    def _video_of(self, role: Role, reader: VideoReader) -> Picture:
        def picture(frame: int) -> U8:
            self._clock.seek(frame)
            offset = self._request.offset if role == "candidate" else 0
            return reader.frame(self._clock.index_in(reader.info.times, offset=offset))

        return picture

    def _shifted(self, role: Role, frame: int) -> int:
        """The frame of a role that is on screen; roles may show one and the same world."""
        ahead = self._request.offset if role == "candidate" else 0
        return min(max(frame + ahead, 0), self._request.n_frames - 1)

    def _whole(self, world: World) -> Trajectory:
        from fourdcb.replay import finished

        return finished(self._replays.whole(world, "judging"))

    def _silhouettes(self, role: Role, frame: int) -> NDArray[np.int16] | None:
        world = self._request.worlds.get(role)
        if world is None:
            return None
        _, instance, _ = self._replays.probe(world, self._whole(world), self._shifted(role, frame))
        return np.where(instance < len(world.objects), instance, np.int16(-1))


def _clock(request: ClipExport) -> Clock:
    from fourdcb_studio.session.clock import Clock

    clock = Clock()
    clock.set_grid(n_frames=request.n_frames, fps=request.fps, times=request.times)
    return clock
