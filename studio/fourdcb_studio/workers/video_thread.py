"""The decode thread: opens videos and decodes the frames that are wanted, newest wish first."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from fourdcb.errors import UserError
from fourdcb_studio.session.messages import VideoAnswer, VideoFailed, VideoFrame, VideoOpened

if TYPE_CHECKING:
    from fourdcb.video import VideoReader


class VideoThread:
    """Decodes on a thread of its own (the decoder releases the GIL).

    Args:
        wake: called on this thread when answers wait; must be quick and thread-safe.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._answers: deque[VideoAnswer] = deque()
        self._condition = threading.Condition()
        self._paths: dict[str, Path | None] = {}  # wishes to open, not yet followed
        self._wanted: dict[str, deque[int]] = {}
        self._closing = False
        self._readers: dict[str, tuple[Path, VideoReader]] = {}  # this thread's own
        self._thread = threading.Thread(target=self._run, name="video-decoder", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def open(self, slot: str, path: Path | None) -> None:
        """Open another video in a slot, or none."""
        with self._condition:
            self._paths[slot] = path
            self._wanted.pop(slot, None)
            self._condition.notify()

    def want(self, slot: str, frames: tuple[int, ...]) -> None:
        """Decode these frames, in this order; replaces what was wanted before."""
        with self._condition:
            self._wanted[slot] = deque(frames)
            self._condition.notify()

    def take(self) -> list[VideoAnswer]:
        """The answers that came since the last call, in order."""
        taken: list[VideoAnswer] = []
        while self._answers:
            taken.append(self._answers.popleft())
        return taken

    def close(self) -> None:
        """End the thread. A second call does nothing."""
        with self._condition:
            self._closing = True
            self._condition.notify()
        if self._thread.is_alive():
            self._thread.join()
        self._answers.clear()

    def _run(self) -> None:
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._closing or self._paths or any(self._wanted.values()))
                if self._closing:
                    break
                opening, self._paths = self._paths, {}
                job = None if opening else self._next_wish()
            for slot, path in opening.items():
                self._open(slot, path)
            if job is not None:
                self._decode(*job)
        for _, reader in self._readers.values():
            reader.close()

    def _next_wish(self) -> tuple[str, int] | None:
        """The slot whose wishes were answered least goes first, so that two videos keep pace."""
        waiting = [slot for slot, frames in self._wanted.items() if frames]
        slot = max(waiting, key=lambda s: len(self._wanted[s]), default=None)
        return (slot, self._wanted[slot].popleft()) if slot is not None else None

    def _open(self, slot: str, path: Path | None) -> None:
        former = self._readers.pop(slot, None)
        if former is not None:
            former[1].close()
        if path is None:
            return
        from fourdcb.replay import grid_of
        from fourdcb.video import VideoReader

        try:
            reader = VideoReader(path)
        except UserError as error:
            self._answer(VideoFailed(slot=slot, path=str(path), frame=None, error=error))
            return
        self._readers[slot] = (path, reader)
        info = reader.info
        self._answer(
            VideoOpened(
                slot=slot,
                path=str(path),
                width=info.width,
                height=info.height,
                fps=info.fps,
                grid=grid_of(info),
                times=info.times,
                details={"codec": info.codec, "pix_fmt": info.pix_fmt},
            )
        )

    def _decode(self, slot: str, frame: int) -> None:
        if slot not in self._readers:
            return
        path, reader = self._readers[slot]
        try:
            image = reader.frame(frame)
        except UserError as error:
            self._answer(VideoFailed(slot=slot, path=str(path), frame=frame, error=error))
            return
        self._answer(VideoFrame(slot=slot, path=str(path), frame=frame, image=image))

    def _answer(self, answer: VideoAnswer) -> None:
        self._answers.append(answer)
        self._wake()
