"""Replays at once: motions in two threads, pictures drawn while they are judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from types import TracebackType
from typing import TypeVar

from fourdcb.errors import SimulationDivergedError
from fourdcb.evaluation.pipeline import JudgeTask, Motions, Truth
from fourdcb.physics import Engine, judging_rate, make_engine
from fourdcb.progress import NullProgress, Progress
from fourdcb.render import RenderSettings
from fourdcb.replay import DrawnFrames, Replay, Steps, drawn_meanwhile, is_kept, replay
from fourdcb.replay.clip import KEPT_BYTES
from fourdcb.sensitivity import predictability_horizon
from fourdcb.world import World

T = TypeVar("T")
# Substeps of one clip; while longer ones are recorded they need too much memory for two at a time.
_SIDE_BY_SIDE = 20_000


class ThreadedPlayback:
    """A :class:`~fourdcb.evaluation.pipeline.Playback` of a process that does nothing else.

    A context manager.

    Args:
        settings: how replays are drawn.
        engine: plays the candidate; default one of ``new_engine``.
        new_engine: makes the reference's engine.
        scripts: paths by role (``code``, ``reference``): in which of the two a simulation diverged.
        progress: told of the candidate's simulated frames and of the stages of judging.
    """

    def __init__(
        self,
        settings: RenderSettings,
        *,
        engine: Engine | None = None,
        new_engine: Callable[[], Engine] = make_engine,
        scripts: Mapping[str, str | None] | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._settings, self._new_engine = settings, new_engine
        self._scripts, self._progress = scripts or {}, progress
        self._stack = ExitStack()
        self._pool = self._stack.enter_context(ThreadPoolExecutor(1, thread_name_prefix="fourdcb-reference"))
        self._engine = engine if engine is not None else self._stack.enter_context(new_engine())

    def __enter__(self) -> ThreadedPlayback:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, traceback)

    def motions(self, task: JudgeTask) -> Steps[Motions]:
        """Both in two threads, or one after the other where a clip is long."""
        rate = judging_rate(task.candidate.fps)
        truth: Callable[[], Truth] | None = None
        reference = task.reference
        if reference is not None and task.candidate.duration * rate <= _SIDE_BY_SIDE:
            truth = self._pool.submit(self._truth, reference, rate).result
        with _named(self._scripts.get("code")):
            own = replay(
                task.candidate, rate_hz=rate, settings=self._settings, frames=False, engine=self._engine,
                progress=self._progress,
            )  # fmt: skip
        yield None
        if reference is not None and truth is None:
            # In this thread too: memory that one thread has freed is of no use to another one.
            found = self._truth(reference, rate)
            truth = lambda: found  # noqa: E731
        return Motions(candidate=own, truth=truth)

    def drawn(self, played: Replay) -> Steps[Replay]:
        """Drawn in a thread while it is judged; pictures of a long clip on demand."""
        yield None
        if is_kept(played.world, played.settings, KEPT_BYTES):
            return self._stack.enter_context(drawn_meanwhile(played))
        return replace(played, frames=DrawnFrames(played.world, played.trajectory, played.settings))

    def measured(self, work: Callable[[Progress], T]) -> Steps[T]:
        """In this thread."""
        yield None
        return work(self._progress or NullProgress())

    def engine(self) -> AbstractContextManager[Engine]:
        """The candidate's engine, which is free again."""
        return nullcontext(self._engine)

    def _truth(self, world: World, rate: float) -> Truth:
        """The reference's motion and how long it can be predicted, with an engine of its own."""
        with self._new_engine() as engine:
            with _named(self._scripts.get("reference")):
                found = replay(world, rate_hz=rate, settings=self._settings, frames=False, engine=engine)
            horizon = predictability_horizon(world, rate_hz=rate, trajectory=found.trajectory, engine=engine)
            return Truth(found, horizon)


@contextmanager
def _named(script: str | None) -> Iterator[None]:
    """Say in which of the two scripts a simulation diverged."""
    try:
        yield
    except SimulationDivergedError as error:
        error.where = error.where or script
        raise
