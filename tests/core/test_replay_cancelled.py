"""A judgement that is broken off ends at once, however long its clip is."""

from __future__ import annotations

from dataclasses import replace
from threading import Event

import numpy as np
import pytest
from numpy.typing import NDArray

from fourdcb.evaluation import judge_replays, pipeline
from fourdcb.metrics import load_criteria
from fourdcb.progress import Cancelled
from fourdcb.replay import CancellableFrames, replay
from fourdcb.world import Object, World

CLIP = np.zeros((300, 16, 16, 3), np.uint8)


class CountedFrames:
    """Pictures that say how many were asked for."""

    def __init__(self) -> None:
        self.asked, self.begun = 0, Event()
        self.shape = CLIP.shape

    def __len__(self) -> int:
        return len(CLIP)

    def __getitem__(self, k: int) -> NDArray[np.uint8]:
        self.asked += 1
        self.begun.set()
        return CLIP[k]

    def __iter__(self):
        return (self[k] for k in range(len(self)))


def test_given_up_frames_end_whoever_asks_for_one() -> None:
    given_up = Event()
    frames = CancellableFrames(CLIP, given_up)
    assert (len(frames), frames.shape) == (300, CLIP.shape)
    assert sum(1 for _ in frames) == 300
    given_up.set()
    with pytest.raises(Cancelled):
        frames[0]


def test_an_interrupted_judgement_does_not_look_at_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    ball = Object(
        name="ball", geometry="sphere", pos=(0.0, 0.0, 1.0), vel=(0.0, 0.0, 0.0), acc=(0.0, 0.0, 0.0)
    )
    played = replace(replay(World(objects=(ball,), duration=10.0), frames=False), frames=CLIP)
    frames = CountedFrames()

    def interrupted(*_args: object, **_more: object) -> None:
        assert frames.begun.wait(60.0)
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "compare_worlds", interrupted)
    with pytest.raises(KeyboardInterrupt):
        judge_replays(
            reference=played, candidate=played, video_frames=frames, video_times=np.arange(300) / 30.0,
            criteria=load_criteria(),
        )  # fmt: skip
    assert frames.asked < 300
