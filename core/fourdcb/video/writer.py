"""Writing clips: streamed in, whole file or nothing out."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import av
import av.error
import numpy as np
from av.video.reformatter import ColorPrimaries, ColorRange, Colorspace, ColorTrc, VideoReformatter
from numpy.typing import NDArray

from fourdcb.errors import UserError
from fourdcb.identity import StrPath, new_file_mode
from fourdcb.video.colour import EXACT
from fourdcb.video.scheduling import kept_scheduling

if TYPE_CHECKING:
    from av.container import OutputContainer
    from av.video.frame import VideoFrame
    from av.video.stream import VideoStream

_SUFFIXES = (".mp4", ".mkv", ".mov", ".webm", ".m4v", ".avi")
Codec = Literal["h264", "hevc", "vp9", "av1", "ffv1"]
_ENCODERS: dict[str, str] = {
    "h264": "libx264",
    "hevc": "libx265",
    "vp9": "libvpx-vp9",
    "av1": "libsvtav1",
    "ffv1": "ffv1",
}
_SPC_SMPTE170M = 6
# H.264 and HEVC crop by whole chroma samples.
_EVEN_ONLY = frozenset({"libx264", "libx265"})
# Their chroma lies on the even columns; VP9 and AV1 leave it open, and FFmpeg then reads it between them.
_LEFT_SITED = frozenset({"libx264", "libx265"})
# SVT-AV1 writes its settings to stderr, past FFmpeg's log; it reads this when it opens.
_SVT_ERRORS_ONLY = ("SVT_LOG", "1")


def write_video(
    path: StrPath,
    frames: Iterable[NDArray[np.uint8]],
    *,
    fps: float,
    crf: int = 18,
    b_frames: int = 3,
    lossless: bool = False,
    codec: Codec | None = None,
    gop: int | None = None,
    threads: int | None = None,
) -> int:
    """Encode frames to a file; the file appears when it is complete.

    Lossy clips are yuv420p, limited range, BT.601 matrix, and tagged so: readers that honour tags and
    readers that assume BT.601 (OpenCV) see the same colours. Every size is kept: of an odd one, which H.264
    and HEVC cannot crop to in yuv420p, they get whole chroma (yuv444p). Lossless clips keep every RGB value
    (H.264 RGB, or FFV1 in Matroska).

    Args:
        path: target; its suffix picks the container (.mp4, .mkv, .mov, .webm, .m4v, .avi).
        frames: sRGB uint8 images of one shape (H, W, 3); taken one by one.
        fps: frame rate [1/s].
        crf: constant rate factor of lossy codecs (0…51 for H.264; lower is better).
        b_frames: most consecutive bidirectional frames.
        lossless: keep the values exactly.
        codec: h264, hevc, vp9, av1 or ffv1 (always lossless); by default vp9 in WebM, else h264.
        gop: frames between key frames; the encoder's default when None.
        threads: of the encoder, as many as it likes when None; its choice changes the bytes, so 1 gives the
            same file on every machine.

    Returns:
        The number of frames written.

    Raises:
        UserError: when there are no frames, shapes differ, or the path or codec does not work.
    """
    target = Path(path)
    check_video_suffix(target)
    if not (np.isfinite(fps) and fps > 0):
        raise UserError("the frame rate must be positive", got=str(fps))
    if not target.parent.is_dir():
        raise UserError("the folder of the video does not exist", where=str(target.parent))
    source = iter(frames)
    first = next(source, None)
    if first is None:
        raise UserError("a video needs at least one frame", where=str(target))
    temporary = _temporary_beside(target)
    try:
        settings = _Settings(
            fps=fps, crf=crf, b_frames=b_frames, lossless=lossless, gop=gop, threads=threads,
            codec=codec or ("vp9" if target.suffix.lower() == ".webm" and not lossless else "h264"),
            odd=any(side % 2 for side in first.shape[:2]),
        )  # fmt: skip
        count = _encode(temporary, settings, _checked(first, source))
        _move(temporary, target)
    except av.error.FFmpegError as error:
        raise _not_written(target, error) from error
    finally:
        temporary.unlink(missing_ok=True)
    return count


def check_video_suffix(path: StrPath) -> None:
    """Raises UserError when the suffix names no container that clips are written to."""
    path = Path(path)
    if path.suffix.lower() not in _SUFFIXES:
        raise UserError(
            "the suffix names no video container",
            where=str(path),
            got=path.suffix or "no suffix",
            expected=", ".join(_SUFFIXES),
        )


class _Settings:
    """Encoder choices that follow from the arguments of :func:`write_video`."""

    def __init__(
        self,
        *,
        fps: float,
        crf: int,
        b_frames: int,
        lossless: bool,
        codec: str,
        gop: int | None,
        odd: bool,
        threads: int | None,
    ) -> None:
        if codec not in _ENCODERS:
            raise UserError("unknown codec", got=repr(codec), expected=", ".join(_ENCODERS))
        if lossless and codec not in ("h264", "ffv1"):
            raise UserError("this codec has no lossless RGB mode here", got=codec, expected="h264 or ffv1")
        self.rate = Fraction(fps).limit_denominator(1001)
        self.rgb = lossless or codec == "ffv1"
        self.encoder = "libx264rgb" if lossless and codec == "h264" else _ENCODERS[codec]
        self.pix_fmt = {"libx264rgb": "rgb24", "ffv1": "bgr0"}.get(self.encoder, "yuv420p")
        if odd and self.encoder in _EVEN_ONLY:
            self.pix_fmt = "yuv444p"
        self.gop, self.b_frames, self.threads = gop, b_frames, threads
        self.options = self._options(crf)

    def _options(self, crf: int) -> dict[str, str]:
        if self.encoder == "libx264rgb":
            return {"qp": "0", "preset": "veryfast"}
        if self.encoder == "libx265":
            return {"crf": str(crf), "x265-params": f"log-level=error:bframes={self.b_frames}"}
        if self.encoder == "libvpx-vp9":
            return {"crf": str(crf), "b": "0", "cpu-used": "4"}
        if self.encoder == "libsvtav1":
            # Faster presets leave small moving objects where they were.
            return {"crf": str(crf), "preset": "6"}
        return {} if self.encoder == "ffv1" else {"crf": str(crf), "preset": "medium"}

    def configure(self, stream: VideoStream, *, width: int, height: int) -> None:
        """Set size, rate, GOP and colour tags of a new stream."""
        context: Any = stream.codec_context
        stream.width, stream.height, stream.pix_fmt = width, height, self.pix_fmt
        context.time_base = 1 / self.rate
        if self.encoder in ("libx264", "libx264rgb"):
            context.max_b_frames = self.b_frames
        if self.threads is not None:
            context.thread_count = self.threads
        if self.gop is not None:
            context.gop_size = self.gop
        context.color_range = int(ColorRange.JPEG if self.rgb else ColorRange.MPEG)
        context.color_trc = int(ColorTrc.IEC61966_2_1)
        context.color_primaries = int(ColorPrimaries.BT709)
        context.colorspace = 0 if self.rgb else _SPC_SMPTE170M


def _encode(path: Path, settings: _Settings, frames: Iterator[NDArray[np.uint8]]) -> int:
    first = next(frames)
    height, width = first.shape[:2]
    reformatter = VideoReformatter()
    count = 0
    with av.open(str(path), mode="w", options=_container_options(path)) as container:
        stream = _add_stream(container, settings, width=width, height=height)
        if settings.encoder == "libsvtav1":
            os.environ.setdefault(*_SVT_ERRORS_ONLY)
        with kept_scheduling():
            stream.codec_context.open()
        for count, image in enumerate(_prepend(first, frames), start=1):
            frame = _frame_of(image, settings, reformatter)
            frame.pts, frame.time_base = count - 1, 1 / settings.rate
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return count


def _add_stream(container: OutputContainer, settings: _Settings, *, width: int, height: int) -> Any:
    try:
        stream: Any = container.add_stream(settings.encoder, rate=settings.rate, options=settings.options)
    except ValueError as error:
        raise UserError(
            "this container does not hold this codec", got=f"{settings.encoder} in {container.format.name}"
        ) from error
    settings.configure(stream, width=width, height=height)
    return stream


def _frame_of(image: NDArray[np.uint8], settings: _Settings, reformatter: VideoReformatter) -> VideoFrame:
    rgb = av.VideoFrame.from_ndarray(image, format="rgb24")
    if settings.pix_fmt == "rgb24":
        return rgb
    halved = settings.pix_fmt == "yuv420p" and settings.encoder in _LEFT_SITED
    frame = reformatter.reformat(
        rgb,
        format="yuv444p" if halved else settings.pix_fmt,
        dst_colorspace=None if settings.rgb else Colorspace.ITU601,
        src_color_range=ColorRange.JPEG,
        dst_color_range=ColorRange.JPEG if settings.rgb else ColorRange.MPEG,
        interpolation=EXACT,
        threads=1,
    )
    if halved:
        frame = _with_halved_chroma(frame)
    frame.color_trc = int(ColorTrc.IEC61966_2_1)
    frame.color_primaries = int(ColorPrimaries.BT709)
    return frame


def _with_halved_chroma(frame: VideoFrame) -> VideoFrame:
    """yuv420p from yuv444p, with chroma sited on the even columns and between two rows.

    That is where H.264 and HEVC put it unless told otherwise (H.264, figure E-1, type 0), and where readers
    take it from; swscale alone puts it between the columns, which moves colours by a quarter pixel.
    """
    import cv2

    luma, *chroma = frame.to_ndarray()
    found = av.VideoFrame(frame.width, frame.height, "yuv420p")
    planes = [luma]
    for full in chroma:
        rows, columns = (side + side % 2 for side in full.shape)
        padded = np.pad(full, ((0, rows - full.shape[0]), (0, columns - full.shape[1])), mode="edge")
        kernel = np.array([[1, 2, 1], [1, 2, 1]], dtype=np.float32) / 8
        mixed = cv2.filter2D(padded, cv2.CV_32F, kernel, anchor=(1, 0), borderType=cv2.BORDER_REPLICATE)
        planes.append(np.rint(mixed[::2, ::2]).astype(np.uint8))
    for plane, samples in zip(found.planes, planes, strict=True):
        lines = np.zeros((plane.height, plane.line_size), dtype=np.uint8)
        lines[:, : plane.width] = samples
        plane.update(lines.tobytes())
    found.colorspace, found.color_range = frame.colorspace, frame.color_range
    return found


def _checked(first: NDArray[np.uint8], rest: Iterator[NDArray[np.uint8]]) -> Iterator[NDArray[np.uint8]]:
    shape = first.shape
    for i, image in enumerate(_prepend(first, rest)):
        if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3 or 0 in image.shape:
            raise UserError(
                f"frame {i} is not an image", got=f"{image.dtype} {image.shape}", expected="uint8 (H, W, 3)"
            )
        if image.shape != shape:
            raise UserError(f"frame {i} has another size", got=str(image.shape), expected=str(shape))
        yield np.ascontiguousarray(image)


def _prepend(first: NDArray[np.uint8], rest: Iterator[NDArray[np.uint8]]) -> Iterator[NDArray[np.uint8]]:
    yield first
    yield from rest


def _container_options(path: Path) -> dict[str, str]:
    is_isom = path.suffix.lower() in (".mp4", ".mov", ".m4v")
    return {"movflags": "+faststart"} if is_isom else {}


def _move(source: Path, target: Path) -> None:
    try:
        os.replace(source, target)
    except OSError as error:
        raise _not_written(target, error) from error


def _not_written(target: Path, error: OSError | av.error.FFmpegError) -> UserError:
    return UserError("the video cannot be written", where=str(target), got=error.strerror or str(error))


def _temporary_beside(target: Path) -> Path:
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.stem}.", suffix=target.suffix)
    except OSError as error:
        raise _not_written(target, error) from error
    os.close(handle)
    Path(name).chmod(new_file_mode())
    return Path(name)
