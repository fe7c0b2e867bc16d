"""Frame-exact random access to the frames of a clip."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator, Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np
from av.video.reformatter import VideoReformatter
from numpy.typing import NDArray

from fourdcb.errors import UserError
from fourdcb.identity import StrPath
from fourdcb.video.clean_aperture import read_clean_aperture
from fourdcb.video.colour import Rgb, coding_of, rgb_from_frame
from fourdcb.video.container import open_video, video_streams
from fourdcb.video.decoder import FrameDecoder
from fourdcb.video.index import FrameIndex, build_index
from fourdcb.video.info import VideoInfo
from fourdcb.video.presentation import Presentation, orientation_of
from fourdcb.video.survey import survey

if TYPE_CHECKING:
    from av.video.frame import VideoFrame

# Going on decoding is cheaper than a seek when the key frame is this near (frames).
_NEAR = 8
_DEFAULT_CACHE_BYTES = 192 * 2**20
_LEAST_FRAMES = 4


class VideoReader:
    """Reads any frame of a clip, exactly as sequential decoding would give it.

    Frames are numbered by presentation order. The decoder's state and recently decoded frames are kept, so
    that sequential reading and steps by one frame, forwards and backwards, do not decode a GOP again.
    Memory does not grow with the clip. Not thread-safe; give each thread its own reader.

    Args:
        path: the video file.
        cache_bytes: memory for decoded frames.

    Raises:
        UserError: when the file is missing, not a video, or has no frame that can be decoded.
    """

    def __init__(self, path: StrPath, *, cache_bytes: int = _DEFAULT_CACHE_BYTES) -> None:
        self.path = Path(path)
        container, stream = open_video(self.path)
        try:
            self._index = build_index(self.path, container, stream)
            if not self._index.frame_pts.size:
                raise UserError("the video holds no frames", where=str(self.path))
            self._stream, self._streams = stream.index, len(video_streams(container))
            self._survey = survey(container, stream, self._index)
            self._decoder = FrameDecoder(self.path, container, stream, self._index)
        except BaseException:
            container.close()
            raise
        self._reformatter = VideoReformatter()
        self._capacity = _LEAST_FRAMES
        self._cache: OrderedDict[int, VideoFrame] = OrderedDict()
        self._run: Generator[tuple[int, VideoFrame], None, None] | None = None
        self._cursor = -1
        self._closed = False
        try:
            first = self._stored_frame(0)
        except BaseException:
            self.close()
            raise
        self._capacity = max(_LEAST_FRAMES, cache_bytes // _frame_bytes(first))
        try:
            self._presentation = self._presented(first)
            self.info = self._describe(first)
        except BaseException:
            self.close()
            raise

    def frame(self, i: int) -> Rgb:
        """Frame ``i`` in presentation order, sRGB uint8, shape (H, W, 3); the caller owns the array.

        Raises:
            IndexError: when ``i`` is not in [0, n_frames).
            UserError: when the frame is damaged.
        """
        if not 0 <= i < self.info.n_frames:
            raise IndexError(f"frame {i} of a clip of {self.info.n_frames} frames")
        return self._presentation.shown(rgb_from_frame(self._stored_frame(i), self._reformatter))

    def frames(self, start: int = 0, stop: int | None = None) -> Iterator[Rgb]:
        """Frames ``start`` … ``stop - 1`` one by one; memory stays flat."""
        end = self.info.n_frames if stop is None else min(stop, self.info.n_frames)
        for i in range(start, end):
            yield self.frame(i)

    def read_all(self) -> Rgb:
        """All frames at once, shape (T, H, W, 3)."""
        clip = np.empty((self.info.n_frames, self.info.height, self.info.width, 3), dtype=np.uint8)
        for i, frame in enumerate(self.frames()):
            clip[i] = frame
        return clip

    def index_at(self, t: float) -> int:
        """The frame that is shown at ``t`` [s]; the first or last one outside of the clip.

        A stamp that was rounded to the file's clock still holds its nominal time.
        """
        times = self.info.times
        slack = 1e-9
        if len(times) > 1:
            tick = float(self._index.time_base)
            slack += min(0.5 * tick, 6e-4, 0.25 * float(np.diff(times).min()))
        return int(np.clip(np.searchsorted(times, t + slack, side="right") - 1, 0, len(times) - 1))

    def close(self) -> None:
        """Release the file; reading afterwards is an error."""
        self._end_run()
        self._cache.clear()
        self._decoder.close()
        self._closed = True

    def __enter__(self) -> VideoReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return self.info.n_frames

    def _stored_frame(self, i: int) -> VideoFrame:
        if self._closed:
            raise ValueError("the reader is closed")
        cached = self._cache.get(i)
        if cached is not None:
            self._cache.move_to_end(i)
            return cached
        if self._run is not None and self._cursor < i and self._worth_going_on(i):
            frame = self._advance_to(i)
            if frame is not None:
                return frame
        entry = self._index.entry_for(i) if self._index.timed else 0
        # A key frame may be one in name only (intra refresh): then start from earlier ones.
        for start in dict.fromkeys((entry, max(entry - 1, 0), 0)):
            self._end_run()
            self._run, self._cursor = self._decoder.run_from(start, i), -1
            frame = self._advance_to(i)
            if frame is not None:
                return frame
        raise UserError(f"frame {i} of the video is damaged and cannot be decoded", where=str(self.path))

    def _end_run(self) -> None:
        # PyAV must not be asked for packets of a container that was closed meanwhile: end the run first.
        if self._run is not None:
            self._run.close()
        self._run = None

    def _worth_going_on(self, i: int) -> bool:
        if not self._index.timed:
            return True
        entry_pts = int(self._index.key_pts[self._index.entry_for(i)])
        return entry_pts <= self._index.frame_pts[min(self._cursor + _NEAR, i)]

    def _advance_to(self, i: int) -> VideoFrame | None:
        """Decode on until frame ``i`` comes out; None when the decoder passes it by."""
        assert self._run is not None
        for rank, frame in self._run:
            self._cursor = max(self._cursor, rank)
            self._keep(rank, frame)
            if rank == i:
                return frame
            if rank > i + _NEAR:
                return None
        self._run = None
        return None

    def _keep(self, rank: int, frame: VideoFrame) -> None:
        self._cache[rank] = frame
        self._cache.move_to_end(rank)
        while len(self._cache) > self._capacity:
            self._cache.popitem(last=False)

    def _presented(self, first: VideoFrame) -> Presentation:
        size = {"width": first.width, "height": first.height}
        return Presentation(
            stored_width=first.width,
            stored_height=first.height,
            aperture=read_clean_aperture(self.path, stream=self._stream, **size),
            pixel_aspect=self._index.pixel_aspect,
            orientation=orientation_of(first),
        )

    def _describe(self, first: VideoFrame) -> VideoInfo:
        index, shown = self._index, self._presentation
        times, fps, constant = _timing(index)
        last = float(index.last_duration * index.time_base) or 1.0 / fps
        try:
            coding = coding_of(first)
        except UserError as error:
            error.where = error.where or str(self.path)
            raise
        return VideoInfo(
            width=shown.width,
            height=shown.height,
            stored_width=first.width,
            stored_height=first.height,
            sizes=tuple(dict.fromkeys(((first.width, first.height), *self._survey.sizes))),
            n_frames=len(times),
            fps=fps,
            constant_rate=constant,
            duration=float(times[-1]) + last,
            times=times,
            start_time=float(index.frame_pts[0] * index.time_base) if index.timed else 0.0,
            codec=index.codec,
            pix_fmt=first.format.name,
            rotation=shown.orientation.rotation,
            rotation_left_over=shown.orientation.left_over,
            mirrored=shown.orientation.mirrored,
            color_space=coding.space,
            full_range=coding.full_range,
            transfer=coding.transfer,
            primaries=coding.primaries,
            alpha=coding.alpha,
            pixel_aspect=index.pixel_aspect,
            cropped=shown.aperture is not None,
            interlaced=first.interlaced_frame or self._survey.interlaced,
            stream=self._stream,
            video_streams=self._streams,
            stamped=index.timed or index.spaced,
            discarded_frames=index.discarded,
            truncated=index.truncated,
        )


def _timing(index: FrameIndex) -> tuple[NDArray[np.float64], float, bool]:
    """Times [s], mean rate [1/s] and whether the rate is constant."""
    nominal = index.nominal_fps
    n = index.frame_pts.size
    if not index.spaced:
        return np.arange(n, dtype=np.float64) / nominal, nominal, True
    ticks = index.frame_pts - index.frame_pts[0]
    times = ticks.astype(np.float64) * index.time_base.numerator / index.time_base.denominator
    measured = (n - 1) / float(times[-1]) if n > 1 else nominal
    tick = float(index.time_base)
    for fps in (nominal, measured):
        if np.all(np.abs(times - np.arange(n) / fps) <= tick + 1e-9):
            return times, fps, True
    return times, measured, False


def _frame_bytes(frame: VideoFrame) -> int:
    return sum(plane.buffer_size for plane in frame.planes)
