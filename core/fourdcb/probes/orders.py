"""Orders of a window's frames: the ordinary one, and those that only a sense of time can tell from it."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from fourdcb.arrays import I64
from fourdcb.randomness import generator

Order = Literal["ordinary", "one_frame", "reversed", "shuffled"]
ORDERS: tuple[Order, ...] = get_args(Order)


def frame_order(order: Order, frames: int) -> I64:
    """Positions in a window that are shown one after another, shape (T,).

    ``one_frame`` repeats the middle frame, ``shuffled`` is one fixed permutation without a fixed point where
    there are two frames or more: the same for every window, so that it is the same question for all.
    """
    ordinary = np.arange(frames, dtype=np.int64)
    if order == "one_frame":
        return np.full(frames, frames // 2, dtype=np.int64)
    if order == "reversed":
        return ordinary[::-1].copy()
    if order == "shuffled" and frames > 1:
        random = generator(0, f"frames/{frames}")
        while True:
            drawn = random.permutation(frames).astype(np.int64)
            if not (drawn == ordinary).any():
                return drawn
    return ordinary
