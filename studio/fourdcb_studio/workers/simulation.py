"""The simulation process: simulates, draws and judges, one thing at a time, the current frame first."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, TypeVar

from fourdcb.errors import FourDCBError, UserError
from fourdcb_studio.jobs.strips import closer_value
from fourdcb_studio.session.messages import (
    Answer,
    BackgroundRequest,
    CancelRequest,
    CaseRequest,
    ClipAnswer,
    ClipRequest,
    DiffRequest,
    ExportAnswer,
    ExportRequest,
    Failed,
    FrameAnswer,
    FrameRequest,
    JudgeAnswer,
    JudgeRequest,
    MotionAnswer,
    OptionsRequest,
    ProbeAnswer,
    ProbeRequest,
    ReplayKey,
    Request,
    ShutdownRequest,
    StripAnswer,
    StripRequest,
    WorkAnswer,
    WorkerBusy,
    WorkerReady,
    WorkRequest,
)
from fourdcb_studio.session.motion import motion_of
from fourdcb_studio.workers.by_name import named_function
from fourdcb_studio.workers.memory import reuse_freed_memory, spare_collections, trim

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fourdcb.replay import IncomingFrames, ReplayCache, Steps
    from fourdcb.trajectory import Trajectory
    from fourdcb_studio.workers.judging import Judge, Judgement

_T = TypeVar("_T")
_log = logging.getLogger(__name__)
_THREADS = 2
_REST = 0.3  # [s] without a request after which freed memory is given back
_WAIT = 0.01  # [s] between two looks at a running judgement
_SWITCH_INTERVAL = 0.001  # [s] a judgement lets the current frame have the interpreter this soon


def serve(connection: Connection) -> None:
    """Entry point of the process. Ends when it is told to, or when the other side is gone."""
    begun = time.perf_counter()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the window's business
    # Both are read when numba's threads start; idle threads must not spin beside the window.
    os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
    os.environ["NUMBA_NUM_THREADS"] = str(min(_THREADS, os.cpu_count() or 1))
    reuse_freed_memory()
    from fourdcb.render import RenderSettings
    from fourdcb.replay import ReplayCache

    replays = ReplayCache(RenderSettings())
    sys.setswitchinterval(_SWITCH_INTERVAL)
    spare_collections()
    server = SimulationServer(connection, replays)
    server.answer(WorkerReady(pid=os.getpid(), seconds=time.perf_counter() - begun))
    try:
        server.warm_up()
        server.run()
    except (EOFError, BrokenPipeError, ConnectionResetError):
        _log.info("the window is gone")
    finally:
        replays.close()
    if server.is_judging:
        os._exit(0)  # a judgement that nobody waits for must not delay the end


class SimulationServer:
    """Serves requests from a connection.

    Args:
        connection: both ways to the window.
        replays: simulates and draws.
    """

    def __init__(self, connection: Connection, replays: ReplayCache) -> None:
        self._connection, self._replays = connection, replays
        self._made_judge: Judge | None = None
        self._frame: FrameRequest | None = None
        self._background: Steps[None] | None = None
        self._background_job: BackgroundRequest | None = None
        self._open = True
        self._warm = False
        self._used_memory = False

    @property
    def is_judging(self) -> bool:
        """Whether a judgement still runs, perhaps one that nobody waits for."""
        return self._made_judge is not None and self._made_judge.is_busy

    @property
    def _judge(self) -> Judge:
        """Made late: its rooms take as long to load as those that draw the first picture."""
        if self._made_judge is None:
            from fourdcb_studio.workers.judging import Judge

            self._made_judge = Judge(self._replays)
        return self._made_judge

    def answer(self, answer: Answer) -> None:
        """Send an answer."""
        self._connection.send(answer)

    def warm_up(self) -> None:
        """Load what drawing needs while the window is still being built."""
        from fourdcb.render import compile_kernels

        with self._warming_up():
            compile_kernels()

    def run(self) -> None:
        """Serve until told to leave. Raises EOFError when the other side is gone."""
        while self._open:
            self._receive(wait=self._frame is None and self._background is None)
            if self._frame is not None:
                self._serve_frame()
            elif self._background is not None:
                self._serve_slice(self._background)

    def _receive(self, *, wait: bool) -> None:
        if wait and self._used_memory and not self._connection.poll(_REST):
            trim()
            self._used_memory = False
        while wait or self._connection.poll(0):
            self._take(self._connection.recv())
            wait = False

    def _take(self, request: Request) -> None:
        self._used_memory = True
        match request:
            case FrameRequest():
                self._frame = request
            case CancelRequest(job=job):
                if self._background_job is not None and self._background_job.job == job:
                    self._put_background(None, None)
            case OptionsRequest(supersample=samples):
                self._replays.set_preview(samples)
            case ShutdownRequest():
                self._open = False
            case _:
                self._put_background(self._steps(request), request)

    def _steps(self, request: BackgroundRequest) -> Steps[None]:
        """What has to be done for a whole-clip job, in slices."""
        match request:
            case ClipRequest():
                return self._clip(request)
            case JudgeRequest():
                return self._judgement(request, self._judge.work(request))
            case DiffRequest():
                return self._judgement(request, self._judge.diff(request))
            case StripRequest():
                return self._strip(request)
            case CaseRequest():
                return self._case(request)
            case ProbeRequest():
                return self._probe(request)
            case ExportRequest():
                return self._export(request)
            case WorkRequest():
                return self._work(request)

    def _put_background(self, work: Steps[None] | None, job: BackgroundRequest | None) -> None:
        """One whole-clip job at a time; closing the former one cancels it."""
        if self._background is not None:
            self._background.close()
        self._background, self._background_job = work, job

    # -- the current frame ---------------------------------------------------------------------------
    def _serve_frame(self) -> None:
        request, self._frame = self._frame, None
        assert request is not None
        try:
            with self._warming_up() as cold:
                drawn = self._replays.draw(request.world, request.key.rate, request.frame)
            if cold:  # so that the figures in the status bar are those of drawing, not of loading
                drawn = self._replays.draw(request.world, request.key.rate, request.frame)
        except Exception as error:  # noqa: BLE001 - whatever it is, the window must hear of it
            self.answer(_failure(request.job, "frame", request.key, request.frame, error))
            return
        self.answer(
            FrameAnswer(
                job=request.job,
                role=request.role,
                key=request.key,
                frame=request.frame,
                image=drawn.image,
                simulate_ms=drawn.simulate_ms,
                draw_ms=drawn.draw_ms,
            )
        )
        if request.key.rate == "preview":  # the next one comes soon, while the window paints this one
            self._replays.rollouts.rest()

    @contextmanager
    def _warming_up(self) -> Iterator[bool]:
        """Say openly that the first picture waits for kernels to be loaded, or compiled."""
        if not self._warm:
            self.answer(WorkerBusy(doing="loading_kernels"))
        yield not self._warm
        if not self._warm:
            self._warm = True
            self.answer(WorkerBusy(doing=None))
            threading.Thread(target=_load_judging, name="load-judging", daemon=True).start()

    # -- whole-clip work -----------------------------------------------------------------------------
    def _serve_slice(self, work: Steps[None]) -> None:
        job = self._background_job
        assert job is not None
        try:
            next(work)
        except StopIteration:
            self._put_background(None, None)
        except Exception as error:  # noqa: BLE001 - whatever it is, the window must hear of it
            self._put_background(None, None)
            self.answer(_failure(job.job, _kind(job), job.key, None, error))

    def _clip(self, request: ClipRequest) -> Steps[None]:
        trajectory = yield from self._replays.whole(request.world, request.key.rate)
        motion = motion_of(trajectory)
        self.answer(MotionAnswer(job=request.job, role=request.role, key=request.key, motion=motion))
        if request.draw:
            yield from self._pictures(request, trajectory)
        self.answer(ClipAnswer(job=request.job, role=request.role, key=request.key))

    def _pictures(self, request: ClipRequest, trajectory: Trajectory) -> Steps[None]:
        """The frames, for the window and for a judgement that runs beside them."""
        from fourdcb.render import on_one_thread

        judged: IncomingFrames | None = None
        if request.judged is not None and self._replays.keeps(request.world):
            judged = yield from self._judge.begin(request.judged)
        have = set(request.have)
        try:
            for frame in outwards(request.around, request.world.n_frames):
                if frame in have and judged is None:
                    continue
                yield None
                begun = time.perf_counter()
                with self._warming_up(), nullcontext() if judged is None else on_one_thread():
                    image = self._replays.picture(request.world, trajectory, frame)
                if judged is not None:
                    judged.put(frame, image)
                if frame not in have:
                    self._answer_frame(request, frame, image, 1e3 * (time.perf_counter() - begun))
        except BaseException as error:
            if judged is not None:
                self._judge.drop()
                judged.fail(error)
            raise

    def _answer_frame(self, request: ClipRequest, frame: int, image: NDArray[np.uint8], ms: float) -> None:
        self.answer(
            FrameAnswer(
                job=request.job,
                role=request.role,
                key=request.key,
                frame=frame,
                image=image,
                simulate_ms=0.0,
                draw_ms=ms,
            )
        )

    def _judgement(self, request: JudgeRequest | DiffRequest, work: Steps[Judgement]) -> Steps[None]:
        judged = yield from self._patiently(work)
        self.answer(
            JudgeAnswer(job=request.job, key=request.key, report=judged.report, seconds=judged.seconds)
        )

    def _case(self, request: CaseRequest) -> Steps[None]:
        from fourdcb_studio.workers.cases import judge_case

        answer = yield from self._patiently(judge_case(self._judge, self._replays, request))
        self.answer(answer)

    def _export(self, request: ExportRequest) -> Steps[None]:
        paths = yield from self._patiently(self._judge.export(request))
        self.answer(ExportAnswer(job=request.job, paths=paths))

    def _probe(self, request: ProbeRequest) -> Steps[None]:
        trajectory = yield from self._replays.whole(request.world, request.key.rate)
        depth, instance, normal = self._replays.probe(request.world, trajectory, request.frame)
        self.answer(
            ProbeAnswer(
                job=request.job,
                role=request.role,
                key=request.key,
                frame=request.frame,
                depth=depth,
                instance=instance,
                normal=normal,
            )
        )

    def _work(self, request: WorkRequest) -> Steps[None]:
        result = yield from named_function(request.work)(self._replays, request)
        self.answer(WorkAnswer(job=request.job, result=result))

    def _patiently(self, work: Steps[_T]) -> Steps[_T]:
        """Run work that waits for a thread: the thread has the processor, a request ends the wait."""
        while True:
            try:
                next(work)
            except StopIteration as end:
                result: _T = end.value
                return result
            if self.is_judging:
                self._connection.poll(_WAIT)
            yield None

    def _strip(self, request: StripRequest) -> Steps[None]:
        found: dict[float, float] = {}
        distances = partial(self._replays.rollouts.distances, request.world, request.reference, request.path)
        wanted = request.values
        for _ in range(request.closer + 1):
            errors = yield from distances(wanted)
            found.update(zip(wanted, errors, strict=True))
            values = tuple(sorted(found))
            if len(values) < 2:
                break
            wanted = (closer_value(values, [found[v] for v in values], log=request.log),)
        told = tuple(found[v] for v in values)
        self.answer(
            StripAnswer(job=request.job, key=request.key, path=request.path, values=values, errors=told)
        )


_KINDS = {
    ClipRequest: "clip", JudgeRequest: "judge", DiffRequest: "diff", StripRequest: "strip",
    CaseRequest: "case", ProbeRequest: "probe", ExportRequest: "export",
}  # fmt: skip


def _kind(request: BackgroundRequest) -> str:
    """The name of its row in the registry, which this process need not load."""
    return request.kind if isinstance(request, WorkRequest) else _KINDS[type(request)]


def _load_judging() -> None:
    """Beside the first pictures, so that no later one waits for it."""
    import fourdcb_studio.workers.judging  # noqa: F401


def outwards(around: int, count: int) -> Iterator[int]:
    """Every index 0 … count - 1, nearest to ``around`` first."""
    return iter(sorted(range(count), key=lambda k: (abs(k - around), k < around)))


def _failure(job: int, kind: str, key: ReplayKey, frame: int | None, error: Exception) -> Failed:
    if not isinstance(error, UserError):
        _log.error("a %s job failed", kind, exc_info=error)
        told = str(error) if isinstance(error, FourDCBError) else f"{type(error).__name__}: {error}"
        error = UserError("the simulation process could not do this", got=told)
    return Failed(job=job, kind=kind, key=key, frame=frame, error=error)
