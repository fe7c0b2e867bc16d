"""What the session asks of the simulation process and what comes back: immutable, picklable, no Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourdcb.errors import UserError
from fourdcb.metrics.result import Finding, Report, Verdict
from fourdcb.physics import Rate
from fourdcb.world import World
from fourdcb_studio.session.motion import Motion

Role = Literal["candidate", "reference", "before"]
ROLES: tuple[Role, ...] = ("candidate", "reference", "before")


class ReplayKey(NamedTuple):
    """Names a replay: its world (equal worlds have equal names) and the quality of the physics."""

    world: str
    rate: Rate

    def __str__(self) -> str:
        return f"{self.world}:{self.rate}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameRequest:
    """Draw one frame now; simulates no further than that frame. Never cancelled."""

    job: int
    role: Role
    key: ReplayKey
    world: World
    frame: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRequest:
    """All metrics of the candidate at the judging rate.

    Attributes:
        files: paths of ``code``, ``video`` and ``reference``; their hashes go into the report.
        edits: values that differ from the script's file; they go into the report too.
        fast: leave out everything that needs pictures.
    """

    job: int
    key: ReplayKey
    world: World
    reference: World | None
    video: str | None
    files: Mapping[str, str] = field(default_factory=dict)
    edits: Mapping[str, float] = field(default_factory=dict)
    fast: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipRequest:
    """The rest of the clip: the motion first, then frames outwards from ``around``.

    Attributes:
        draw: whether frames are wanted, or the motion only.
        have: frames that need not be sent again.
        judged: the judgement that will be asked for next; it may begin while the frames are drawn.
    """

    job: int
    role: Role
    key: ReplayKey
    world: World
    around: int
    draw: bool
    have: tuple[int, ...] = ()
    judged: JudgeRequest | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffRequest:
    """Two videos against each other by their pictures; answered with a JudgeAnswer."""

    job: int
    key: ReplayKey
    reference: str
    candidate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRequest:
    """Judge another script of the scene folder, in idle time."""

    job: int
    key: ReplayKey
    path: str
    reference: World
    video: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeRequest:
    """What lies under every pixel of one frame."""

    job: int
    key: ReplayKey
    role: Role
    world: World
    frame: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRequest:
    """Write a report with its pictures.

    Attributes:
        world: what was judged; None when two videos were compared.
        output, html, pdf: files to write.
        before: the world without the edits, when there are any.
        edits: edited values by path.
        report_before: the judgement of ``before``; None when it is not known.
        frame: the frame on show.
    """

    job: int
    key: ReplayKey
    report: Report
    world: World | None
    reference: World | None
    video: str | None
    output: str
    html: str
    pdf: str | None
    before: World | None = None
    edits: Mapping[str, float] = field(default_factory=dict)
    report_before: Report | None = None
    frame: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StripRequest:
    """How far the candidate's motion is from the reference's at each of these values of a parameter.

    Attributes:
        values: to be tried, ascending.
        closer: how many more are tried, each where it tells most beside those that were.
        log: whether the parameter's scale is logarithmic.
    """

    job: int
    key: ReplayKey
    world: World
    reference: World
    path: str
    values: tuple[float, ...]
    closer: int = 0
    log: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkRequest:
    """Any other work of the simulation process; kinds of jobs derive their requests from it.

    Attributes:
        kind: name of its row in the registry.
        work: ``module:function``, called with the process' replays and the request; a generator that yields
            every few milliseconds, so that dropping it cancels, and returns the result.
    """

    kind: ClassVar[str]
    work: ClassVar[str]

    job: int = 0
    key: ReplayKey


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRequest:
    """Stop the whole-clip work or judgement of that job."""

    job: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionsRequest:
    """How to work from now on; ``supersample`` is the pixel's samples a side while a slider moves."""

    supersample: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShutdownRequest:
    """Leave."""


IdleRequest = StripRequest | CaseRequest | ProbeRequest
BackgroundRequest = ClipRequest | JudgeRequest | DiffRequest | ExportRequest | IdleRequest | WorkRequest
Request = FrameRequest | BackgroundRequest | CancelRequest | OptionsRequest | ShutdownRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerReady:
    """The process is up, its rooms are imported; ``seconds`` is what that took [s]."""

    pid: int
    seconds: float


Busy = Literal["loading_kernels"]
"""What the simulation process may be slow at: kernels are loaded, or compiled once per machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerBusy:
    """Something slow that the user should read about; None when it is over."""

    doing: Busy | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameAnswer:
    """A drawn frame. ``key`` may be better (judging rate) than what was asked for.

    Attributes:
        image: sRGB, uint8, shape (H, W, 3).
        simulate_ms, draw_ms: what it took [ms].
    """

    job: int
    role: Role
    key: ReplayKey
    frame: int
    image: NDArray[np.uint8]
    simulate_ms: float
    draw_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionAnswer:
    """States of the whole clip, sampled at its frames."""

    job: int
    role: Role
    key: ReplayKey
    motion: Motion


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipAnswer:
    """The clip of that job is complete."""

    job: int
    role: Role
    key: ReplayKey


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAnswer:
    """The judgement of that job; ``seconds`` is what it took [s]."""

    job: int
    key: ReplayKey
    report: Report
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StripAnswer:
    """Errors [m] at the values that were tried, ascending; NaN where the simulation failed."""

    job: int
    key: ReplayKey
    path: str
    values: tuple[float, ...]
    errors: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseAnswer:
    """The judgement of another case; ``error`` says why there is none.

    Attributes:
        image: a picture of its first failure, uint8, shape (H, W, 3), or None.
    """

    job: int
    path: str
    verdict: Verdict | None
    findings: tuple[Finding, ...]
    image: NDArray[np.uint8] | None
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeAnswer:
    """What lies under the pixels of a frame.

    Attributes:
        depth: along the camera's axis [m], shape (H, W), inf where there is nothing.
        instance: index into the world's bodies, shape (H, W), -1 where there is nothing.
        normal: of the surface in the world, unit, shape (H, W, 3).
    """

    job: int
    role: Role
    key: ReplayKey
    frame: int
    depth: NDArray[np.float32]
    instance: NDArray[np.int16]
    normal: NDArray[np.float16]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportAnswer:
    """These files were written."""

    job: int
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkAnswer:
    """What a :class:`WorkRequest` came to."""

    job: int
    result: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A job ended with an error that the user should read; ``kind`` names its row of the registry."""

    job: int
    kind: str
    key: ReplayKey
    frame: int | None
    error: UserError


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerLost:
    """The process ended without being asked to; made by the transport, not by the process."""

    reason: str


Answer = (
    WorkerReady
    | WorkerBusy
    | FrameAnswer
    | MotionAnswer
    | ClipAnswer
    | JudgeAnswer
    | StripAnswer
    | CaseAnswer
    | ProbeAnswer
    | ExportAnswer
    | WorkAnswer
    | Failed
    | WorkerLost
)


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoOpened:
    """A video's header, from the decode thread.

    Attributes:
        slot: which of the session's videos, "video" or "second".
        fps: mean rate [1/s].
        grid: rate [1/s] and duration [s] of a world over it (:func:`fourdcb.replay.grid_of`).
        times: presentation times [s], shape (T,).
    """

    slot: str
    path: str
    width: int
    height: int
    fps: float
    grid: tuple[float, float]
    times: NDArray[np.float64]
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoFrame:
    """A decoded frame, sRGB, uint8, shape (H, W, 3)."""

    slot: str
    path: str
    frame: int
    image: NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoFailed:
    """A video, or one of its frames, cannot be decoded."""

    slot: str
    path: str
    frame: int | None
    error: UserError


VideoAnswer = VideoOpened | VideoFrame | VideoFailed
