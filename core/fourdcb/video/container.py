"""Opening media files, with every failure told as a UserError."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import av
import av.error

from fourdcb.errors import UserError
from fourdcb.video.suffixes import VIDEO_SUFFIXES

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.video.stream import VideoStream


def open_video(path: Path) -> tuple[InputContainer, VideoStream]:
    """Open ``path`` for reading and pick its default video stream, else its first (covers do not count).

    Raises:
        UserError: when the file is missing, unreadable, not a video or holds no video stream.
    """
    _check_is_file(path)
    try:
        # An absolute path is never taken for a URL, whatever colons it holds.
        container = av.open(str(path.absolute()), mode="r", options={"protocol_whitelist": "file"})
    except PermissionError as error:
        raise UserError("the video may not be read", where=str(path), hint="check its permissions") from error
    except (av.error.FFmpegError, OSError, ValueError) as error:
        raise UserError(
            "the file is not a readable video",
            where=str(path),
            got=getattr(error, "strerror", None) or str(error),
            expected="a video such as MP4, MKV or WebM",
            hint="the file may be cut off or damaged" if path.suffix.lower() in _MOVIE_SUFFIXES else None,
        ) from error
    if _is_no_clip(container.format.name):
        found = container.format.long_name
        container.close()
        raise UserError("the file is not a video", where=str(path), got=found)
    streams = video_streams(container)
    if not streams:
        container.close()
        raise UserError("the file holds no video stream that can be decoded", where=str(path))
    stream = next((s for s in streams if _is(s, "default")), streams[0])
    # Frame threads hold frames back, so every seek pays for a full pipeline: only large frames are worth it.
    stream.thread_type = "AUTO" if stream.width * stream.height >= _LARGE else "SLICE"
    return container, stream


# FFmpeg also "plays" text, still pictures and playlists; a playlist would reach for other files.
_NO_CLIPS = frozenset({"tty", "image2", "hls", "concat", "sdp", "dash"})
_LARGE = 1280 * 720  # [px]
_MOVIE_SUFFIXES = VIDEO_SUFFIXES | {".ts"}


def _is_no_clip(format_name: str) -> bool:
    return format_name.endswith("_pipe") or not _NO_CLIPS.isdisjoint(format_name.split(","))


def video_streams(container: InputContainer) -> list[VideoStream]:
    """Streams of moving pictures that can be decoded."""
    streams = container.streams.video
    return [s for s in streams if s.codec_context is not None and not _is(s, "attached_pic")]


def _is(stream: VideoStream, disposition: str) -> bool:
    from av.stream import Disposition

    return bool(stream.disposition & Disposition[disposition])


def _check_is_file(path: Path) -> None:
    if path.is_dir():
        raise UserError("a folder was given where a video file is needed", where=str(path))
    if not path.exists():
        raise UserError("the video does not exist", where=str(path))
    if not path.is_file():
        raise UserError("the path is not a regular file", where=str(path))
    try:
        empty = path.stat().st_size == 0
        with path.open("rb"):
            pass
    except OSError as error:
        raise UserError("the video may not be read", where=str(path), got=str(error)) from error
    if empty:
        raise UserError("the video file is empty", where=str(path), got="0 bytes")
