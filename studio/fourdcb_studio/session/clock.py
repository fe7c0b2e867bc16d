"""The one frame-exact clock: a position among the reference's frames, in presentation time.

Frames are evenly spaced, or those of a video at its own presentation times.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fourdcb.video import nearest_frames, usual_interval

PlayMode = Literal["real_time", "every_frame"]
LoopMode = Literal["off", "loop", "ping_pong"]
_SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
_TOLERANCE = 1e-6  # [s] a frame whose time equals t up to rounding counts as shown


class Clock:
    """Position, playing state and loop range. The position is always a whole frame.

    Args:
        now: monotonic seconds; injected so that tests own the time.
    """

    def __init__(self, *, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._n_frames, self._fps = 1, 30.0
        self._times: NDArray[np.float64] | None = None  # of frames that are not evenly spaced
        self._frame = 0
        self._playing, self._direction, self._speed = False, 1, 1.0
        self._mode: PlayMode = "real_time"
        self._loop: LoopMode = "off"
        self._range: tuple[int, int] | None = None
        self._anchor = (0, 0.0)
        self._bounce = 1  # travel direction of every-frame ping-pong
        self._before_seek: int | None = None
        self.on_change: Callable[[], None] = lambda: None

    # -- reading -------------------------------------------------------------------------------------
    @property
    def frame(self) -> int:
        """Current frame, 0 … n_frames - 1."""
        return self._frame

    @property
    def n_frames(self) -> int:
        """Frames of the reference grid."""
        return self._n_frames

    @property
    def fps(self) -> float:
        """Frames per second of the reference grid, the mean where they are not evenly spaced [1/s]."""
        return self._fps

    @property
    def time(self) -> float:
        """Presentation time of the current frame [s]."""
        return float(self._times_of(np.array([self._frame]))[0])

    @property
    def times(self) -> NDArray[np.float64] | None:
        """Presentation times of the frames [s], shape (n_frames,); None while they are evenly spaced."""
        return self._times

    @property
    def playing(self) -> bool:
        """Whether ticks move the position."""
        return self._playing

    @property
    def speed(self) -> float:
        """Playback speed; 1 is real time."""
        return self._speed

    @property
    def direction(self) -> int:
        """+1 forwards, -1 backwards."""
        return self._direction

    @property
    def mode(self) -> PlayMode:
        """``real_time`` drops frames to keep pace, ``every_frame`` shows each."""
        return self._mode

    @property
    def loop(self) -> LoopMode:
        """What happens at the end of the range."""
        return self._loop

    @property
    def loop_range(self) -> tuple[int, int]:
        """First and last frame that playing covers."""
        return self._range or (0, self._n_frames - 1)

    @property
    def has_loop_range(self) -> bool:
        """Whether in and out points were set."""
        return self._range is not None

    def index_in(self, times: NDArray[np.float64], *, offset: int = 0) -> int:
        """Frame of another source that is on screen now: the nearest, as clips are compared.

        Args:
            times: presentation times of that source [s], shape (T,), ascending.
            offset: shift in frames of the *reference* grid, positive looks ahead.
        """
        return int(self.indices_in(times, np.array([self._frame]), offset=offset)[0])

    def indices_in(
        self, times: NDArray[np.float64], frames: NDArray[np.int64], *, offset: int = 0
    ) -> NDArray[np.int64]:
        """Frames of another source that are on screen at ``frames`` of the grid, shape (K,)."""
        own = 1.0 / self._fps if self._times is None else usual_interval(self._times)
        return nearest_frames(times, self._times_of(frames + offset), interval=own)

    def _times_of(self, frames: NDArray[np.int64]) -> NDArray[np.float64]:
        if self._times is None:
            return np.asarray(frames / self._fps, dtype=np.float64)
        return self._times[np.clip(frames, 0, self._n_frames - 1)]

    # -- moving --------------------------------------------------------------------------------------
    @property
    def has_jumped(self) -> bool:
        """Whether there is a place for :meth:`undo_seek` to return to."""
        return self._before_seek is not None

    def set_grid(self, *, n_frames: int, fps: float, times: NDArray[np.float64] | None = None) -> None:
        """Use another frame grid; keeps the position when it exists there, and the range on an equal grid.

        Args:
            n_frames, fps: frames and their mean rate [1/s].
            times: presentation times of the frames [s], shape (n_frames,), ascending; default evenly spaced.
        """
        if n_frames < 1 or not fps > 0 or (times is not None and len(times) != n_frames):
            raise ValueError(f"a clip needs frames and a rate, got {n_frames} at {fps}")
        same_times = times is self._times or (
            times is not None and self._times is not None and np.array_equal(times, self._times)
        )
        if (n_frames, fps) != (self._n_frames, self._fps) or not same_times:
            self._n_frames, self._fps, self._times = n_frames, fps, times
            self._range, self._before_seek = None, None
        self._playing = False
        self._move_to(min(self._frame, n_frames - 1))
        self.on_change()

    def seek(self, frame: int) -> None:
        """Jump to a frame (clipped to the clip); :meth:`undo_seek` returns."""
        target = min(max(frame, 0), self._n_frames - 1)
        if abs(target - self._frame) > 1:
            self._before_seek = self._frame
        self._move_to(target)
        self.on_change()

    def step(self, frames: int) -> None:
        """Pause and move by whole frames."""
        self._playing = False
        self._move_to(min(max(self._frame + frames, 0), self._n_frames - 1))
        self.on_change()

    def undo_seek(self) -> None:
        """Return to where the last jump began; a second call goes forth again."""
        if self._before_seek is not None:
            back, self._before_seek = self._before_seek, self._frame
            self._move_to(min(back, self._n_frames - 1))
            self.on_change()

    def play(self, *, direction: int = 1) -> None:
        """Start playing; at the end of the range start over."""
        low, high = self.loop_range
        self._direction = self._bounce = 1 if direction >= 0 else -1
        at_end = self._frame >= high if self._direction > 0 else self._frame <= low
        if at_end or not low <= self._frame <= high:
            self._frame = low if self._direction > 0 else high
        self._playing = True
        self._move_to(self._frame)
        self.on_change()

    def pause(self) -> None:
        """Stop on the current frame."""
        self._playing = False
        self.on_change()

    def toggle(self) -> None:
        """Play or pause."""
        if self._playing:
            self.pause()
        else:
            self.play()

    def shuttle(self, direction: int) -> None:
        """J and L: play that way; pressed again, faster."""
        if self._playing and self._direction == direction:
            self.set_speed(next((s for s in _SPEEDS if s > self._speed), _SPEEDS[-1]))
        else:
            self._speed = 1.0
            self.play(direction=direction)

    def set_speed(self, speed: float) -> None:
        """Playback speed; 1 is real time."""
        if not speed > 0:
            raise ValueError(f"speed must be positive, got {speed}")
        self._speed = speed
        self._move_to(self._frame)
        self.on_change()

    def cycle_speed(self, steps: int) -> None:
        """Next or previous of the usual speeds."""
        nearest = min(range(len(_SPEEDS)), key=lambda i: abs(_SPEEDS[i] - self._speed))
        self.set_speed(_SPEEDS[min(max(nearest + steps, 0), len(_SPEEDS) - 1)])

    def set_mode(self, mode: PlayMode) -> None:
        """Real time or every frame."""
        self._mode = mode
        self._move_to(self._frame)
        self.on_change()

    def set_loop(self, loop: LoopMode) -> None:
        """What happens at the end of the range."""
        self._loop = loop
        self._move_to(self._frame)
        self.on_change()

    def mark_in(self) -> None:
        """The loop begins at the current frame."""
        high = self.loop_range[1]
        self._range = (self._frame, high if high > self._frame else self._n_frames - 1)
        self.on_change()

    def mark_out(self) -> None:
        """The loop ends at the current frame."""
        low = self.loop_range[0]
        self._range = (low if low < self._frame else 0, self._frame)
        self.on_change()

    def clear_range(self) -> None:
        """Play the whole clip again."""
        self._range = None
        self.on_change()

    def tick(self, *, shown: bool = True) -> bool:
        """Advance while playing; returns whether the position moved.

        Args:
            shown: whether the current frame is on screen; every-frame mode waits for it.
        """
        if not self._playing:
            return False
        before = self._frame
        if self._mode == "real_time":
            self._follow_time()
        elif shown:
            self._advance_one()
        if self._frame != before or not self._playing:
            self.on_change()
        return self._frame != before

    def _move_to(self, frame: int) -> None:
        self._frame = frame
        self._anchor = (frame, self._now())

    def _follow_time(self) -> None:
        start, since = self._anchor
        seconds = (self._now() - since) * self._speed
        if self._times is not None:
            self._follow_stamps(self._times, start, seconds)
            return
        travelled = int(seconds * self._fps + _TOLERANCE)
        low, high = self.loop_range
        length = high - low + 1
        # Distance from the end where this direction begins, so that both directions share the arithmetic.
        offset = (start - low if self._direction > 0 else high - start) + travelled
        if self._loop == "loop":
            offset %= length
        elif self._loop == "ping_pong" and length > 1:
            offset %= 2 * (length - 1)
            offset = min(offset, 2 * (length - 1) - offset)
        elif offset >= length - 1:
            offset, self._playing = length - 1, False
        self._frame = low + offset if self._direction > 0 else high - offset

    def _follow_stamps(self, times: NDArray[np.float64], start: int, seconds: float) -> None:
        """The same among frames of their own times: the one on show so long after the start."""
        low, high = self.loop_range
        length = float(times[high] - times[low])
        offset = float(times[start] - times[low] if self._direction > 0 else times[high] - times[start])
        offset += seconds
        if self._loop == "loop":
            offset %= length + usual_interval(times)
        elif self._loop == "ping_pong" and length > 0:
            offset %= 2 * length
            offset = min(offset, 2 * length - offset)
        elif offset >= length:
            offset, self._playing = length, False
        t = times[low] + offset if self._direction > 0 else times[high] - offset
        shown = int(np.searchsorted(times, t + _TOLERANCE, side="right")) - 1
        self._frame = min(max(shown, low), high)

    def _advance_one(self) -> None:
        low, high = self.loop_range
        step = self._bounce if self._loop == "ping_pong" else self._direction
        target = self._frame + step
        if low <= target <= high:
            self._frame = target
        elif self._loop == "loop":
            self._frame = low if self._direction > 0 else high
        elif self._loop == "ping_pong" and high > low:
            self._bounce = -self._bounce
            self._frame += self._bounce
        else:
            self._playing = False
