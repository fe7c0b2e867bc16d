"""What every engine can do, the one table of engines, and the ways to get one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType, TracebackType
from typing import Protocol

from fourdcb.arrays import Poses
from fourdcb.errors import UserError
from fourdcb.physics.rates import judging_rate
from fourdcb.progress import Progress
from fourdcb.trajectory import Trajectory
from fourdcb.world import World

DEFAULT_ENGINE = "contact-solver"


class Rollout(Protocol):
    """A simulation that advances when asked, and can be read at any time.

    Advancing in pieces gives bit for bit what one go gives.
    """

    @property
    def time(self) -> float:
        """Simulated time so far [s]."""

    def advance_to(self, t: float, *, progress: Progress | None = None) -> None:
        """Simulate up to ``t`` [s] (the first substep at or after it); nothing when that is done already.

        Raises:
            SimulationDivergedError: when a state explodes.
            FourDCBError: when the engine has started another rollout since.
        """

    def trajectory(self) -> Trajectory:
        """What was simulated so far: substeps 0 … S."""

    def frame_poses(self, n_frames: int) -> Poses:
        """Advance a fresh rollout to its last frame: position (T, N, 3), orientation_wxyz (T, N, 4)."""


class Engine(Protocol):
    """Rolls worlds out, one at a time; a context manager that belongs to one thread.

    Every rollout starts afresh, so results do not depend on what ran before. ``id`` and ``version`` are part
    of the key of everything that is cached: the version is raised whenever a world rolls out differently.
    """

    @property
    def id(self) -> str:
        """Name of the engine: its row in :data:`ENGINES` when it has one."""

    @property
    def version(self) -> int:
        """Raised whenever a world rolls out differently than before."""

    def rollout(
        self, world: World, *, rate_hz: float, duration: float | None = None, progress: Progress | None = None
    ) -> Trajectory:
        """States over time from t = 0.

        Args:
            world: what to simulate.
            rate_hz: substeps per second, an integer multiple of ``world.fps``.
            duration: [s], rounded to whole frames; the world's own when None.
            progress: told of every simulated frame; may cancel.

        Raises:
            UserError: for a rate that does not fit, or a body that cannot be simulated.
            SimulationDivergedError: when a state explodes.
        """

    def frame_poses(self, world: World, *, rate_hz: float, duration: float | None = None) -> Poses:
        """Position [m] (T, N, 3) and orientation_wxyz (T, N, 4) of that rollout at its frames only."""

    def start(self, world: World, *, rate_hz: float) -> Rollout:
        """A rollout that stands at t = 0. It ends any other rollout of this engine."""

    def empty(self) -> None:
        """End the rollout that stands, ahead of the next one, while nobody waits."""

    def close(self) -> None:
        """Give back what the engine holds. A second call does nothing."""

    def __enter__(self) -> Engine: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...


def _bullet() -> Engine:
    from fourdcb.physics.bullet import BulletEngine

    return BulletEngine()


def _contact() -> Engine:
    from fourdcb.physics.fluid.coupled import CoupledEngine

    return CoupledEngine()


# One row an engine; each is imported when it is first made.
ENGINES: Mapping[str, Callable[[], Engine]] = MappingProxyType(
    {"bullet-recipe": _bullet, "contact-solver": _contact}
)


def make_engine(name: str = DEFAULT_ENGINE) -> Engine:
    """A fresh engine by its name.

    Raises:
        UserError: when there is none of this name.
    """
    try:
        make = ENGINES[name]
    except KeyError:
        raise UserError("there is no such engine", got=name, expected=", ".join(ENGINES)) from None
    return make()


def simulate(
    world: World,
    *,
    rate_hz: float | None = None,
    duration: float | None = None,
    progress: Progress | None = None,
) -> Trajectory:
    """Simulates a world from t = 0 in a default engine of its own.

    Args:
        world: what to simulate.
        rate_hz: substeps per second, an integer multiple of ``world.fps``; None is the judging rate.
        duration: [s], rounded to whole frames; the world's own when None.
        progress: told of every simulated frame; may cancel.

    Raises:
        UserError: for a rate that does not fit, or a body that cannot be simulated.
        SimulationDivergedError: when a state explodes.
    """
    rate = judging_rate(world.fps) if rate_hz is None else rate_hz
    with make_engine() as engine:
        return engine.rollout(world, rate_hz=rate, duration=duration, progress=progress)
