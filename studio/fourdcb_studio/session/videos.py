"""The session's videos: headers, which frame is on screen, which frames to decode next."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from fourdcb_studio.session.clock import Clock
from fourdcb_studio.session.frame_store import FrameStore, Image
from fourdcb_studio.session.messages import VideoAnswer, VideoFailed, VideoFrame, VideoOpened
from fourdcb_studio.session.sources import SceneSources

Slot = Literal["video", "second"]
SLOTS: tuple[Slot, ...] = ("video", "second")
_BEHIND, _AHEAD = 30, 90  # frames around the playhead that are decoded ahead of time


class VideoTransport(Protocol):
    """The way to the decode thread."""

    def open(self, slot: str, path: Path | None) -> None:
        """Open another video in a slot, or none."""

    def want(self, slot: str, frames: tuple[int, ...]) -> None:
        """Decode these frames, in this order; replaces what was wanted before."""


class Videos:
    """At most two videos: the original, and one that stands in for the candidate."""

    def __init__(self, store: FrameStore, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._transport: VideoTransport | None = None
        self._paths: dict[str, Path] = {}
        self._infos: dict[str, VideoOpened] = {}
        self._failed: dict[str, set[int | None]] = {}
        self._offset = 0
        self.prefetch = True  # whether to decode ahead of time

    def connect(self, transport: VideoTransport | None) -> None:
        """Use this way to the decode thread."""
        self._transport = transport

    def open(self, sources: SceneSources) -> None:
        """Open the videos of a scene; those that are open already stay."""
        wanted = {"video": sources.video, "second": sources.second_video}
        for slot, path in wanted.items():
            if self._paths.get(slot) == path and slot in self._infos:
                continue
            self._infos.pop(slot, None)
            self._failed.pop(slot, None)
            self._paths.pop(slot, None)
            if path is not None:
                self._paths[slot] = path
            if self._transport is not None:
                self._transport.open(slot, path)

    def has(self, slot: Slot) -> bool:
        """Whether a video belongs in that slot, opened yet or not."""
        return slot in self._paths

    def info(self, slot: Slot) -> VideoOpened | None:
        """Its header, None until it is open."""
        return self._infos.get(slot)

    def index(self, slot: Slot) -> int:
        """Its frame that belongs on screen now."""
        info = self._infos[slot]
        return self._clock.index_in(info.times, offset=self._offset if slot == "second" else 0)

    def image(self, slot: Slot) -> Image | None:
        """Its picture for the current time, None while it is not decoded."""
        return self._store.get(self.key(slot), self.index(slot)) if slot in self._infos else None

    def key(self, slot: Slot) -> str:
        """Its store key."""
        return f"video:{self._paths[slot]}"

    def keys(self) -> tuple[str, ...]:
        """Store keys of all videos."""
        return tuple(f"video:{path}" for path in self._paths.values())

    def failed(self, slot: Slot) -> bool:
        """Whether it cannot be decoded at all."""
        return None in self._failed.get(slot, ())

    @property
    def settled(self) -> bool:
        """Whether every video shows its current frame or failed."""
        return all(self._is_settled(slot) for slot in SLOTS if slot in self._paths)

    def _is_settled(self, slot: Slot) -> bool:
        if self.failed(slot):
            return True
        if slot not in self._infos:
            return False
        frame = self.index(slot)
        return self._store.has(self.key(slot), frame) or frame in self._failed.get(slot, ())

    def receive(self, answer: VideoAnswer) -> bool:
        """Take an answer in; one of a video that is no longer open is dropped. Whether it was taken."""
        path = self._paths.get(answer.slot)
        if path is None or str(path) != answer.path:
            return False
        match answer:
            case VideoOpened():
                self._infos[answer.slot] = answer
                self.want_current(offset=self._offset)
            case VideoFrame():
                self._store.put(f"video:{path}", answer.frame, answer.image)
            case VideoFailed():
                self._failed.setdefault(answer.slot, set()).add(answer.frame)
        return True

    def want_current(self, *, offset: int = 0) -> None:
        """Ask for the current frame first, then for those around it that are missing."""
        self._offset = offset
        if self._transport is None:
            return
        for slot in SLOTS:
            if slot in self._infos:
                missing = self._missing_around(slot)
                if missing:
                    self._transport.want(slot, missing)

    def _missing_around(self, slot: Slot) -> tuple[int, ...]:
        here, count = self._clock.frame, self._clock.n_frames
        window = self._window(slot) if self.prefetch else 0
        low, high = max(0, here - min(_BEHIND, window)), min(count, here + min(_AHEAD, window) + 1)
        have = self._store.frames(self.key(slot)) | self._failed.get(slot, set())
        order = sorted(range(low, high), key=lambda k: (k != here, k < here, abs(k - here)))
        # By the clock's frames: a video of another rate is decoded where it will be looked at.
        wanted = dict.fromkeys(self._indices_at(slot, np.array(order, dtype=np.int64)))
        return tuple(k for k in wanted if k not in have)

    def _indices_at(self, slot: Slot, frames: NDArray[np.int64]) -> list[int]:
        offset = self._offset if slot == "second" else 0
        found: list[int] = self._clock.indices_in(self._infos[slot].times, frames, offset=offset).tolist()
        return found

    def ready(self, slot: Slot) -> frozenset[int]:
        """The clock's frames whose picture is decoded."""
        if slot not in self._infos:
            return frozenset()
        have = self._store.frames(self.key(slot))
        indices = self._indices_at(slot, np.arange(self._clock.n_frames))
        return frozenset(k for k, index in enumerate(indices) if index in have)

    def _window(self, slot: Slot) -> int:
        """Frames on either side that a quarter of the store can hold."""
        info = self._infos[slot]
        frame_bytes = int(np.prod((info.width, info.height, 3)))
        return int(self._store.budget / 4 / frame_bytes / 2)
