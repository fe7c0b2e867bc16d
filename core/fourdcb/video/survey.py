"""A glance at a clip's key frames: what can change midway."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import av.error
import numpy as np

from fourdcb.video.index import FrameIndex, decode_leniently, read_leniently

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.packet import Packet
    from av.video.frame import VideoFrame
    from av.video.stream import VideoStream

_MOST_KEYS = 24  # so many key frames are decoded; of more, evenly spread ones


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What key frames say.

    Attributes:
        sizes: distinct (width, height) in the order of their first occurrence [px].
        interlaced: whether any frame is marked as holding two fields.
    """

    sizes: tuple[tuple[int, int], ...]
    interlaced: bool


def survey(container: InputContainer, stream: VideoStream, index: FrameIndex) -> Survey:
    """Look at key frames of an open clip; its packets are used up. Nothing is found in an unseekable one."""
    sizes: dict[tuple[int, int], None] = {}
    interlaced = False
    for packet in _some_keys(container, stream, index):
        for frame in _frames_of(packet, stream):
            sizes[frame.width, frame.height] = None
            interlaced = interlaced or frame.interlaced_frame
    return Survey(sizes=tuple(sizes), interlaced=interlaced)


def _some_keys(
    container: InputContainer, stream: VideoStream, index: FrameIndex
) -> Iterator[Packet[VideoStream]]:
    count = len(index.key_pts)
    chosen = np.unique(np.linspace(0, count - 1, min(count, _MOST_KEYS)).round().astype(int))
    for key in chosen if count else ():
        try:
            container.seek(int(index.key_dts[key]), stream=stream, backward=True)
        except av.error.FFmpegError:
            continue
        packet = next(read_leniently(container, stream), None)
        if packet is not None and packet.is_keyframe:
            yield packet


def _frames_of(packet: Packet[VideoStream], stream: VideoStream) -> Iterator[VideoFrame]:
    yield from decode_leniently(packet, stream)
    yield from decode_leniently(None, stream)
    stream.codec_context.flush_buffers()
