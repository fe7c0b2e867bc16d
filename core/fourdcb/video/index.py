"""The table of a clip's frames: rank in presentation order, and where decoding may start.

One pass over the packets builds it; no frame is decoded unless the packets cannot be trusted to be
frames (missing or doubled time stamps, codecs with hidden frames, streams that start inside a GOP).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import av
import av.error
import numpy as np
from numpy.typing import NDArray

from fourdcb.video.container import open_video

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.packet import Packet
    from av.video.frame import VideoFrame
    from av.video.stream import VideoStream

_log = logging.getLogger(__name__)

# One packet of these is one shown frame; VP8 and MPEG-4 Part 2 also send packets that show nothing.
_PACKET_IS_FRAME = frozenset(
    {"h264", "hevc", "av1", "libdav1d", "vp9", "libvpx-vp9", "mjpeg", "ffv1", "prores", "png", "rawvideo"}
)

_FEW = 2  # frames without a stamp of their own that are an exception even in a short clip

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FrameIndex:
    """Frames by rank, packets by decode position.

    Attributes:
        frame_pts: presentation stamps of the frames [ticks], shape (T,), strictly increasing. In an
            untimed index they only tell when frames are shown and do not identify them.
        time_base: seconds per tick.
        last_duration: how long the last frame is shown [ticks], 0 when unknown.
        packet_pts: stamps of all packets, sorted, shape (P,); ``packet_position`` are their decode positions.
        key_position, key_pts, key_dts: the packets at which decoding may start, in decode order, shape (K,).
        codec: FFmpeg's name.
        nominal_fps: the rate that the container announces [1/s].
        pixel_aspect: width / height of a stored pixel.
        timed: False when the file carries no usable stamps; such a clip is decoded from its start.
        spaced: whether ``frame_pts`` of an untimed index are times at all; else frames are evenly spaced.
        discarded: frames left out because their stamp is that of a frame before, or earlier.
        truncated: the file ends before the clip does, or parts of it are damaged.
    """

    frame_pts: Ints
    time_base: Fraction
    last_duration: int
    packet_pts: Ints
    packet_position: Ints
    key_position: Ints
    key_pts: Ints
    key_dts: Ints
    codec: str
    nominal_fps: float
    pixel_aspect: float
    timed: bool
    spaced: bool
    discarded: int
    truncated: bool

    def rank_of(self, pts: int | None) -> int | None:
        """Rank of the frame that is stamped ``pts``, None when there is none."""
        return None if pts is None else _lookup(self.frame_pts, pts)

    def rank_from(self, pts: int) -> int:
        """Rank of the first frame that is stamped ``pts`` or later."""
        return int(np.searchsorted(self.frame_pts, pts))

    def position_of(self, pts: int | None) -> int | None:
        """Decode position of the packet that is stamped ``pts``, None when there is none."""
        found = None if pts is None else _lookup(self.packet_pts, pts)
        return None if found is None else int(self.packet_position[found])

    def entry_for(self, rank: int) -> int:
        """Index of the last key packet from which frame ``rank`` decodes exactly.

        The key must be presented at or before the frame: frames of an open GOP that are decoded after a
        key but shown before it still depend on the GOP before.
        """
        usable = np.flatnonzero(self.key_pts <= self.frame_pts[rank])
        return int(usable[-1]) if usable.size else 0


@dataclass(slots=True)
class _Packets:
    pts: list[int]
    dts: list[int]
    key: list[bool]
    shown: list[bool]
    duration: list[int]
    stamped: bool = True
    damaged: bool = False


def build_index(path: Path, container: InputContainer, stream: VideoStream) -> FrameIndex:
    """Index a clip that was just opened from ``path``; its packets are used up.

    An index without frames is possible; the reader refuses it.
    """
    packets = _read_packets(container, stream)
    truncated = (
        packets.damaged
        or _lacks_frames(packets, container, stream)
        or _ends_early(packets, container, stream)
    )
    time_base = Fraction(stream.time_base or Fraction(1, 1))
    discarded, spaced = 0, True
    if _trustworthy(packets, container, stream):
        frame_pts, timed = _shown_pts(packets, truncated), True
    else:
        frame_pts, timed, discarded = _scan(path)
        if timed and (not packets.stamped or _stamps_decode_order(packets, container)):
            frame_pts, timed, discarded = np.arange(frame_pts.size + discarded), False, 0
        if not timed:
            frame_pts, spaced = _decode_times(packets, frame_pts)
    durations = dict(zip(packets.pts, packets.duration, strict=True))
    pts = np.array(packets.pts, dtype=np.int64)
    order = np.argsort(pts, kind="stable")
    keys = np.flatnonzero(packets.key) if timed else np.zeros(0, dtype=np.int64)
    return FrameIndex(
        frame_pts=frame_pts,
        time_base=time_base,
        last_duration=durations.get(int(frame_pts[-1]), 0) if timed and frame_pts.size else 0,
        packet_pts=pts[order],
        packet_position=order.astype(np.int64),
        key_position=keys,
        key_pts=pts[keys],
        key_dts=np.array(packets.dts, dtype=np.int64)[keys],
        codec=stream.codec_context.codec.canonical_name,
        nominal_fps=_nominal_fps(stream, timed=timed),
        pixel_aspect=float(stream.sample_aspect_ratio or 1),
        timed=timed,
        spaced=spaced,
        discarded=discarded,
        truncated=truncated,
    )


def decode_leniently(packet: Packet[VideoStream] | None, stream: VideoStream) -> Iterator[VideoFrame]:
    """Frames that a packet releases (None drains the decoder); damaged packets release none."""
    try:
        yield from stream.codec_context.decode(packet)
    except av.error.FFmpegError as error:
        _log.debug("a packet could not be decoded: %s", error)


def read_leniently(container: InputContainer, stream: VideoStream) -> Iterator[Packet[VideoStream]]:
    """Whole packets with content until the end of the file or of its readable part."""
    for packet in _all_packets(container, stream):
        if not packet.is_corrupt:
            yield packet


def _all_packets(container: InputContainer, stream: VideoStream) -> Iterator[Packet[VideoStream]]:
    try:
        for packet in container.demux(stream):
            if packet.size > 0:
                yield packet
    except av.error.FFmpegError as error:
        _log.debug("the file ends in the middle of a packet: %s", error)


def _read_packets(container: InputContainer, stream: VideoStream) -> _Packets:
    table = _Packets([], [], [], [], [])
    for packet in _all_packets(container, stream):
        if packet.is_corrupt:
            table.damaged = True
            continue
        if packet.pts is None:
            table.stamped = False
            continue
        table.pts.append(packet.pts)
        table.dts.append(packet.pts if packet.dts is None else packet.dts)
        table.key.append(packet.is_keyframe)
        table.shown.append(not packet.is_discard)
        table.duration.append(packet.duration or 0)
    return table


def _lacks_frames(packets: _Packets, container: InputContainer, stream: VideoStream) -> bool:
    """Whether fewer frames come than the header announces; AVI announces ticks, which may hold no picture."""
    if container.format.name != "avi" or len(packets.dts) < 2:
        return len(packets.pts) < stream.frames
    ticks = np.sort(packets.dts)
    return bool(ticks[-1] + np.max(np.diff(ticks)) < stream.frames)


def _ends_early(packets: _Packets, container: InputContainer, stream: VideoStream) -> bool:
    """Whether the header announces more than 1.5 frames (and 0.1 s) beyond the last packet."""
    if stream.frames or not packets.stamped or len(packets.pts) < 2 or len(container.streams) != 1:
        return False
    if container.duration is None or stream.time_base is None or container.size <= 0:
        return False
    announced = container.duration / av.time_base
    first, last = (float(stamp * stream.time_base) for stamp in (min(packets.pts), max(packets.pts)))
    step = (last - first) / (len(packets.pts) - 1)
    return announced - (last + step) > max(0.5 * step, 0.1)


def _trustworthy(packets: _Packets, container: InputContainer, stream: VideoStream) -> bool:
    return (
        stream.codec_context.name in _PACKET_IS_FRAME
        and packets.stamped
        and bool(packets.pts)
        and len(set(packets.pts)) == len(packets.pts)
        and packets.key[0]
        and packets.pts[0] == min(packets.pts)
        and not _stamps_decode_order(packets, container)
    )


def _shown_pts(packets: _Packets, truncated: bool) -> Ints:
    pts = np.array(packets.pts, dtype=np.int64)[np.array(packets.shown)]
    if truncated:
        # What is stamped after the last decode time may have holes before it: those packets are missing.
        pts = pts[pts <= packets.dts[-1]]
    return np.sort(pts)


def _stamps_decode_order(packets: _Packets, container: InputContainer) -> bool:
    """AVI has no presentation stamps; where frames refer to others, what stands for them may be wrong."""
    return container.format.name == "avi" and not all(packets.key)


def _nominal_fps(stream: VideoStream, *, timed: bool) -> float:
    """The announced rate; where no stamps are, FFmpeg's mean counts ticks, and its guess reads the codec."""
    rates = (stream.average_rate, stream.guessed_rate)
    return next((float(rate) for rate in (rates if timed else rates[::-1]) if rate), 25.0)


def _decode_times(packets: _Packets, frame_pts: Ints) -> tuple[Ints, bool]:
    """When the frames of an untimed index are shown [ticks], and whether that is known.

    Where each packet is one frame, the decode times are the presentation times of the frames in order, but
    for a constant delay (AVI's clock, which holds a picture by an empty packet).
    """
    times = np.array(packets.dts, dtype=np.int64)
    if packets.stamped and times.size == frame_pts.size > 1 and np.all(np.diff(times) > 0):
        return times, True
    return np.arange(frame_pts.size, dtype=np.int64), False


def _scan(path: Path) -> tuple[Ints, bool, int]:
    """Stamps of the frames that really come out of the decoder, whether they are usable, how many are not.

    A frame whose stamp does not lie after those before it is left out; where that is no exception, the
    stamps are worthless.
    """
    container, stream = open_video(path)
    stamps: list[int | None] = []
    with container:
        for packet in read_leniently(container, stream):
            stamps.extend(frame.pts for frame in decode_leniently(packet, stream))
        stamps.extend(frame.pts for frame in decode_leniently(None, stream))
    rising: list[int] = []
    for stamp in stamps:
        if stamp is not None and (not rising or stamp > rising[-1]):
            rising.append(stamp)
    discarded = len(stamps) - len(rising)
    if discarded <= max(_FEW, len(stamps) // 20):
        return np.array(rising, dtype=np.int64), True, discarded
    return np.arange(len(stamps), dtype=np.int64), False, 0


def _lookup(table: Ints, value: int) -> int | None:
    place = int(np.searchsorted(table, value))
    return place if place < table.size and table[place] == value else None
