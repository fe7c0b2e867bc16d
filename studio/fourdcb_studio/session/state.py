"""What the window shows, as immutable values that the session hands out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fourdcb.errors import DiagnosticsError, UserError

Freshness = Literal["fresh", "preview", "stale", "loading", "judging", "error", "video only"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownImage:
    """One picture of the comparison.

    Attributes:
        image: sRGB, uint8, shape (H, W, 3); None when there is nothing to show.
        label: what it is.
        fresh: whether it is the current frame of the current world.
        note: a word for its badge ("full", "preview", "stale"), or why there is nothing.
        frame: which frame it is, of its own source.
        version: changes exactly when the picture does.
    """

    image: NDArray[np.uint8] | None
    label: str
    fresh: bool
    note: str
    frame: int
    version: tuple[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """Something that the user should read, without being stopped.

    Attributes:
        severity: how bad.
        text: one sentence.
        details: the rest, lines.
        action: id of an action that mends it, or None.
        more: ids of other ways out.
    """

    severity: Literal["error", "warning", "info"]
    text: str
    details: str = ""
    action: str | None = None
    more: tuple[str, ...] = ()


def message_of(error: UserError, *, action: str | None = None) -> Message:
    """A message in the words of an error; files go by their names, so that the sentence is not cut."""
    if isinstance(error, DiagnosticsError) and error.diagnostics:
        first, *others = (str(replace(d, file=d.file and Path(d.file).name)) for d in error.diagnostics)
        return Message(severity="error", text=first, details="\n".join(others), action=action)
    head, _, details = str(error).partition("\n")
    return Message(severity="error", text=head, details=details, action=action)


def fault_message(error: BaseException, trace: str) -> Message:
    """A message of an exception that nothing caught."""
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    text = f"Something in the Studio failed and was left out: {what.splitlines()[0]}"
    return Message(severity="error", text=text, details=trace.rstrip())


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The status bar's content.

    Attributes:
        freshness: state in one word.
        text: what is going on.
        simulate_ms, draw_ms [ms], judge_s [s]: what the last answers took.
        rate_hz: physics rate of the picture that is shown [1/s], None without one.
        width, height: size of the replay's pictures [px].
        memory_mb, budget_mb: the frame store [MB].
    """

    freshness: Freshness
    text: str
    simulate_ms: float | None
    draw_ms: float | None
    judge_s: float | None
    rate_hz: float | None
    width: int
    height: int
    memory_mb: float
    budget_mb: float
