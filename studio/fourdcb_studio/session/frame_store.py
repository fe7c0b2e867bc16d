"""Images that were decoded or rendered, under a memory budget."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
DEFAULT_BUDGET = 128 * 1024 * 1024  # [bytes]; five clips of 120 frames at 256×256


@dataclass(slots=True)
class _Entry:
    image: Image
    age: int


class FrameStore:
    """Images by (source key, frame). The key names content, so equal content is never made twice.

    A key holds the hash of a world, the physics rate and the image size (or a video's identity). When the
    budget is passed, images of sources that are out of focus go first, oldest first; then those farthest
    from the playhead.

    Args:
        budget: most bytes that are kept.
    """

    def __init__(self, *, budget: int = DEFAULT_BUDGET) -> None:
        self._budget = budget
        self._entries: dict[tuple[str, int], _Entry] = {}
        self._frames: dict[str, set[int]] = {}
        self._ages = itertools.count()
        self._size = 0
        self._focus: frozenset[str] = frozenset()
        self._playhead = 0

    @property
    def size(self) -> int:
        """Bytes held now."""
        return self._size

    @property
    def budget(self) -> int:
        """Most bytes that are kept."""
        return self._budget

    def set_budget(self, budget: int) -> None:
        """Most bytes to keep from now on."""
        self._budget = budget
        while self._size > self._budget and len(self._entries) > 1:
            self._drop(self._least_useful(keep=("", 0)))

    def __len__(self) -> int:
        return len(self._entries)

    def focus(self, keys: Collection[str], playhead: int) -> None:
        """Say which sources are on screen and where the playhead stands; steers what is dropped."""
        self._focus, self._playhead = frozenset(keys), playhead

    def get(self, key: str, frame: int) -> Image | None:
        """The image, or None."""
        entry = self._entries.get((key, frame))
        if entry is None:
            return None
        entry.age = next(self._ages)
        return entry.image

    def has(self, key: str, frame: int) -> bool:
        """Whether the image is here; does not count as use."""
        return (key, frame) in self._entries

    def frames(self, key: str) -> frozenset[int]:
        """Frames of a source that are here."""
        return frozenset(self._frames.get(key, ()))

    def put(self, key: str, frame: int, image: Image) -> None:
        """Keep an image; it is made read-only."""
        image.setflags(write=False)
        self._drop((key, frame))
        self._entries[key, frame] = _Entry(image, next(self._ages))
        self._frames.setdefault(key, set()).add(frame)
        self._size += image.nbytes
        while self._size > self._budget and len(self._entries) > 1:
            self._drop(self._least_useful(keep=(key, frame)))

    def clear(self) -> None:
        """Drop everything."""
        self._entries.clear()
        self._frames.clear()
        self._size = 0

    def _least_useful(self, *, keep: tuple[str, int]) -> tuple[str, int]:
        def usefulness(item: tuple[tuple[str, int], _Entry]) -> tuple[bool, int, int]:
            (key, frame), entry = item
            in_focus = key in self._focus
            distance = abs(frame - self._playhead) if in_focus else 0
            return in_focus, -distance, entry.age

        others = (item for item in self._entries.items() if item[0] != keep)
        return min(others, key=usefulness)[0]

    def _drop(self, name: tuple[str, int]) -> None:
        entry = self._entries.pop(name, None)
        if entry is not None:
            self._size -= entry.image.nbytes
            self._frames[name[0]].discard(name[1])
            if not self._frames[name[0]]:
                del self._frames[name[0]]
