"""Judging inside the simulation process, on the rollouts and pictures that are there already."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourdcb.evaluation.environment import environment_record
from fourdcb.metrics import judge, load_criteria
from fourdcb.metrics.result import Report
from fourdcb.physics import BulletEngine, judging_rate
from fourdcb.progress import Progress
from fourdcb.replay import Replay
from fourdcb.sensitivity import predictability_horizon
from fourdcb.trajectory import Trajectory
from fourdcb.video import VideoReader, letterbox
from fourdcb.world import World
from fourdcb_studio.session.messages import JudgeRequest
from fourdcb_studio.workers.replays import Replays


@dataclass(frozen=True, slots=True)
class _Clip:
    frames: NDArray[np.uint8]
    times: NDArray[np.float64]


class Judge:
    """Judges candidates; remembers what does not change with them: the video, the reference's horizon."""

    def __init__(self, replays: Replays) -> None:
        self._replays = replays
        self._criteria = load_criteria(None)
        self._horizons: dict[World, Mapping[str, float]] = {}

    def judge(self, request: JudgeRequest, *, progress: Progress) -> Report:
        """All metrics of the candidate.

        Raises:
            Cancelled: out of ``progress``.
            UserError: when a world or the video cannot be used.
        """
        world, reference = request.world, request.reference
        candidate = self._replay(world, draw=True, progress=progress)
        truth = self._replay(reference, draw=False, progress=progress) if reference is not None else None
        camera = world.camera
        clip = _decoded(request.video, camera.width, camera.height) if request.video else None
        progress.start("judging", 1)
        return judge(
            reference=truth,
            candidate=candidate,
            video_frames=clip.frames if clip else None,
            video_times=clip.times if clip else None,
            criteria=self._criteria,
            horizon=self._horizon(truth) if truth is not None else None,
            inputs={},
            environment=environment_record(),
            progress=progress,
        )

    def _replay(self, world: World, *, draw: bool, progress: Progress) -> Replay:
        trajectory = self._trajectory(world, progress)
        frames = self._pictures(world, trajectory, progress) if draw else None
        return Replay(world=world, trajectory=trajectory, frames=frames, settings=self._replays.settings)

    def _trajectory(self, world: World, progress: Progress) -> Trajectory:
        progress.start("simulating", world.n_frames)
        work = self._replays.whole(world, "judging")
        while True:
            try:
                next(work)
            except StopIteration as end:
                trajectory: Trajectory = end.value
                return trajectory
            progress.advance()

    def _pictures(self, world: World, trajectory: Trajectory, progress: Progress) -> NDArray[np.uint8]:
        shape = (world.n_frames, world.camera.height, world.camera.width, 3)
        frames = np.empty(shape, dtype=np.uint8)
        progress.start("drawing", len(frames))
        for k in range(len(frames)):
            frames[k] = self._replays.picture(world, trajectory, k)
            progress.advance()
        return frames

    def _horizon(self, truth: Replay) -> Mapping[str, float]:
        if truth.world not in self._horizons:
            # An engine of its own: a current frame may be drawn in the middle of this.
            with BulletEngine() as engine:
                self._horizons[truth.world] = predictability_horizon(
                    truth.world,
                    rate_hz=judging_rate(truth.world.fps),
                    trajectory=truth.trajectory,
                    engine=engine,
                )
        return self._horizons[truth.world]


@lru_cache(maxsize=2)
def _decoded(path: str, width: int, height: int) -> _Clip:
    """The video on the picture size of the replay."""
    with VideoReader(Path(path)) as reader:
        frames = np.empty((reader.info.n_frames, height, width, 3), dtype=np.uint8)
        for k, frame in enumerate(reader.frames()):
            fits = frame.shape[:2] == (height, width)
            frames[k] = frame if fits else letterbox(frame, width=width, height=height)[0]
        return _Clip(frames, reader.info.times)
