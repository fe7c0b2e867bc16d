"""Pictures for a thread that somebody waits for: when nobody does any more, its work ends."""

from __future__ import annotations

from threading import Event

import numpy as np
from numpy.typing import NDArray

from fourdcb.progress import Cancelled
from fourdcb.replay import FrameSequence, MadeFrames


class WaitedFrames(MadeFrames):
    """A sequence of pictures, uint8, shape (T, H, W, 3), until it is given up.

    Args:
        frames: the pictures.
        given_up: once it is set, the next access raises :class:`~fourdcb.progress.Cancelled`.
    """

    def __init__(self, frames: FrameSequence, given_up: Event) -> None:
        self._frames, self._given_up = frames, given_up
        self.shape = frames.shape

    def picture(self, k: int) -> NDArray[np.uint8]:
        """Frame ``k``, unless the pictures were given up."""
        if self._given_up.is_set():
            raise Cancelled("nobody waits for the pictures any more")
        return self._frames[k]
