"""Decoding runs that start at a key frame, with the landing place of every seek checked."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import av.error

from fourdcb.video.container import open_video
from fourdcb.video.index import FrameIndex, decode_leniently, read_leniently

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.packet import Packet
    from av.video.frame import VideoFrame
    from av.video.stream import VideoStream

_log = logging.getLogger(__name__)

# Their headers say which frames no other one refers to.
_SKIPPABLE = frozenset({"h264", "hevc"})
# So many frames before a wanted one are decoded too, so that steps backwards find them.
_CLOSE = 8


class FrameDecoder:
    """Owns the open container; one run at a time (a new run ends the one before)."""

    def __init__(self, path: Path, container: InputContainer, stream: VideoStream, index: FrameIndex) -> None:
        self._path, self._index = path, index
        self._container, self._stream = container, stream

    def close(self) -> None:
        """Close the file."""
        self._container.close()

    def run_from(self, entry: int, target: int) -> Generator[tuple[int, VideoFrame], None, None]:
        """Frames with their ranks, from key packet ``entry`` to the end of the clip, in output order.

        Frames shown before the key frame are left out: they may lack what they refer to. Well before frame
        ``target`` only those come that later ones refer to, which halves the way to it.
        """
        if not self._index.timed:
            yield from enumerate(self._decode(self._reopened()))
            return
        lowest = self._index.rank_from(int(self._index.key_pts[entry])) if entry else 0
        packets = self._packets_from(entry)
        if self._index.codec in _SKIPPABLE and target >= _CLOSE:
            packets = self._hurrying(packets, int(self._index.frame_pts[target - _CLOSE]))
        last = -1
        for frame in self._decode(packets):
            rank = self._index.rank_of(frame.pts)
            if rank is not None and rank >= lowest and rank != last:
                last = rank  # a second frame of the same stamp is none of the clip's
                yield rank, frame

    def _decode(self, packets: Iterator[Packet[VideoStream]]) -> Iterator[VideoFrame]:
        for packet in packets:
            yield from decode_leniently(packet, self._stream)
        yield from decode_leniently(None, self._stream)

    def _hurrying(self, packets: Iterator[Packet[VideoStream]], until: int) -> Iterator[Packet[VideoStream]]:
        """Let the decoder pass by frames stamped before ``until`` that none refers to."""
        context = self._stream.codec_context
        try:
            for packet in packets:
                early = packet.pts is not None and packet.pts < until
                context.skip_frame = "NONREF" if early else "DEFAULT"
                yield packet
        finally:
            context.skip_frame = "DEFAULT"

    def _packets_from(self, entry: int) -> Iterator[Packet[VideoStream]]:
        start = int(self._index.key_position[entry]) if entry else 0
        packets = self._landed_at(entry, start)
        if packets is None:
            _log.debug("%s: no seek lands before packet %d; reading from the start", self._path, start)
            packets = self._reopened()
        reached = False
        for packet in packets:
            reached = reached or self._index.position_of(packet.pts) == start
            if reached:
                yield packet

    def _landed_at(self, entry: int, start: int) -> Iterator[Packet[VideoStream]] | None:
        """Packets after the first seek that lands at or before packet ``start``."""
        for stamp in dict.fromkeys((int(self._index.key_pts[entry]), int(self._index.key_dts[entry]))):
            try:
                self._container.seek(stamp, stream=self._stream, backward=True)
            except av.error.FFmpegError:
                continue
            packets = read_leniently(self._container, self._stream)
            first = next(packets, None)
            landed = None if first is None else self._index.position_of(first.pts)
            if first is not None and landed is not None and landed <= start:
                return chain((first,), packets)
        return None

    def _reopened(self) -> Iterator[Packet[VideoStream]]:
        self._container.close()
        self._container, self._stream = open_video(self._path)
        return read_leniently(self._container, self._stream)
