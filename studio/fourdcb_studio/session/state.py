"""What the window shows, as immutable values that the session hands out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fourdcb.errors import DiagnosticsError, UserError
from fourdcb.words import chosen

Severity = Literal["error", "warning", "info"]

ImageKind = Literal[
    "full", "preview", "stale", "decoded",
    "opening", "decoding", "starting", "loading_kernels", "rendering",
    "undecodable", "error", "no_original", "no_script", "script_errors",
]  # fmt: skip
"""How good a picture is; what it waits for; why there will be none."""
_WAITING = frozenset({"opening", "decoding", "starting", "loading_kernels", "rendering"})
Doing = Literal[
    "compared", "comparing", "script_errors", "no_script", "error", "loading_kernels", "starting",
    "simulating", "preview", "fresh", "judging", "showing",
]  # fmt: skip
"""What the Studio is at."""
Freshness = Literal["fresh", "preview", "stale", "loading", "judging", "error", "video only"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownImage:
    """One picture of the comparison.

    Attributes:
        image: sRGB, uint8, shape (H, W, 3); None when there is nothing to show.
        label: what it is.
        fresh: whether it is the current frame of the current world.
        kind: its quality, or why there is nothing.
        values: what the words of the kind need.
        frame: which frame it is, of its own source.
        version: changes exactly when the picture does.
    """

    image: NDArray[np.uint8] | None
    label: str
    fresh: bool
    kind: ImageKind
    frame: int
    version: tuple[str, int]
    values: Mapping[str, object] = field(default_factory=dict)

    @property
    def waits(self) -> bool:
        """Whether there will be a picture by itself."""
        return self.kind in _WAITING

    @property
    def is_settled(self) -> bool:
        """Whether the picture is as good as it gets."""
        return self.kind in ("full", "decoded")

    @property
    def note(self) -> str:
        """The words of its badge, or why there is nothing."""
        return "" if self.kind == "decoded" else chosen().say(f"studio.images.{self.kind}", **self.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """Something that the user should read, without being stopped.

    Attributes:
        kind: what happened; its sentence stands in the catalogue of words.
        severity: how bad.
        values: what the sentence needs.
        details: the rest, lines.
        action: id of an action that mends it, or None.
        more: ids of other ways out.
    """

    kind: str
    severity: Severity
    values: Mapping[str, object] = field(default_factory=dict)
    details: str = ""
    action: str | None = None
    more: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """One sentence."""
        return chosen().say(f"studio.messages.{self.kind}", **self.values)


def info(kind: str, /, **values: object) -> Message:
    """Something was done."""
    return Message(kind=kind, severity="info", values=values)


def message_of(error: UserError, *, action: str | None = None) -> Message:
    """A message in the words of an error; files go by their names, so that the sentence is not cut."""
    if isinstance(error, DiagnosticsError) and error.diagnostics:
        first, *others = (str(replace(d, file=d.file and Path(d.file).name)) for d in error.diagnostics)
        return Message(
            kind="error", severity="error", values={"what": first}, details="\n".join(others), action=action
        )
    head, _, details = _by_name(error).partition("\n")
    return Message(kind="error", severity="error", values={"what": head}, details=details, action=action)


def _by_name(error: UserError) -> str:
    """The error's words, its place by name; the whole path comes with the details."""
    place = error.where
    if not place or "/" not in place or type(error).__str__ is not UserError.__str__:
        return str(error)
    head, _, details = str(error).partition("\n")
    short = head.replace(place, place.rsplit("/", 1)[-1], 1)
    return "\n".join(line for line in (short, details, f"  {place}") if line)


def warning(kind: str, /, **values: object) -> Message:
    """Something that the user should look at."""
    return Message(kind=kind, severity="warning", values=values)


def fault_message(error: BaseException, trace: str) -> Message:
    """A message of an exception that nothing caught."""
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    values = {"what": what.splitlines()[0]}
    return Message(kind="fault", severity="error", values=values, details=trace.rstrip())


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The status bar's content.

    Attributes:
        freshness: state in one word.
        doing: what is going on.
        values: what the words of that need.
        simulate_ms, draw_ms [ms], judge_s [s]: what the last answers took.
        rate_hz: physics rate of the picture that is shown [1/s], None without one.
        width, height: size of the replay's pictures [px].
        memory_mb, budget_mb: the frame store [MB].
    """

    freshness: Freshness
    doing: Doing
    simulate_ms: float | None
    draw_ms: float | None
    judge_s: float | None
    rate_hz: float | None
    width: int
    height: int
    memory_mb: float
    budget_mb: float
    values: Mapping[str, object] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """What is going on, in words."""
        return chosen().say(f"studio.doing.{self.doing}", **self.values)
