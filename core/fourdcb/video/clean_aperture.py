"""The part of a picture that an ISO file (MP4, MOV) says is to be shown; FFmpeg's decoders ignore it."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_ISO_SUFFIX_TYPES = (b"ftyp", b"moov", b"wide", b"mdat", b"free", b"skip")
_ENTRY_HEADER = 86  # bytes of a visual sample entry before the boxes in it, header included
_MOST_BOXES = 10_000  # of one level; more are those of a damaged file


@dataclass(frozen=True, slots=True, kw_only=True)
class Aperture:
    """A rectangle of the stored picture [px]."""

    left: int
    top: int
    width: int
    height: int

    @property
    def rows(self) -> slice:
        """Its rows."""
        return slice(self.top, self.top + self.height)

    @property
    def columns(self) -> slice:
        """Its columns."""
        return slice(self.left, self.left + self.width)


def read_clean_aperture(path: Path, *, stream: int, width: int, height: int) -> Aperture | None:
    """The clean aperture of a track (``clap``, ISO/IEC 14496-12, 12.1.4), whole pixels; None without one.

    Args:
        path: the file.
        stream: number of the track among all tracks.
        width, height: size of the stored picture [px]; an aperture beyond it counts as none.
    """
    try:
        with path.open("rb") as file:
            fields = _clap_fields(file, stream)
    except (OSError, struct.error):
        return None
    if fields is None or 0 in fields[1::2]:
        return None
    wide, high, across, down = (fields[i] / fields[i + 1] for i in (0, 2, 4, 6))
    left, top = round(across + (width - wide) / 2), round(down + (height - high) / 2)
    found = Aperture(left=left, top=top, width=round(wide), height=round(high))
    inside = left >= 0 and top >= 0 and left + found.width <= width and top + found.height <= height
    whole = (found.width, found.height) == (width, height)
    return found if inside and not whole and min(found.width, found.height) > 0 else None


def _clap_fields(file: BinaryIO, stream: int) -> tuple[int, ...] | None:
    """The eight numbers of the box: size and offset as fractions, offsets signed."""
    file.seek(0, 2)
    end = file.tell()
    file.seek(4)
    if file.read(4) not in _ISO_SUFFIX_TYPES:
        return None
    movie = next((span for kind, *span in _boxes(file, 0, end) if kind == b"moov"), None)
    if movie is None:
        return None
    tracks = [span for kind, *span in _boxes(file, *movie) if kind == b"trak"]
    if not 0 <= stream < len(tracks):
        return None
    span = tracks[stream]
    for name in (b"mdia", b"minf", b"stbl", b"stsd"):
        inner = next((found for kind, *found in _boxes(file, *span) if kind == name), None)
        if inner is None:
            return None
        span = inner
    entry = span[0] + 8  # version, flags and count of entries come first
    file.seek(entry)
    size = struct.unpack(">I", file.read(4))[0]
    for kind, start, stop in _boxes(file, entry + _ENTRY_HEADER, min(entry + size, span[1])):
        if kind == b"clap" and stop - start >= 32:
            file.seek(start)
            return struct.unpack(">IIIIiIiI", file.read(32))
    return None


def _boxes(file: BinaryIO, start: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Type, start and end of the content of each box between two places."""
    for _ in range(_MOST_BOXES):
        if start + 8 > end:
            return
        file.seek(start)
        size, kind = struct.unpack(">I4s", file.read(8))
        header = 8
        if size == 1:
            size, header = struct.unpack(">Q", file.read(8))[0], 16
        elif size == 0:
            size = end - start
        if size < header:
            return
        yield kind, start + header, min(start + size, end)
        start += size
