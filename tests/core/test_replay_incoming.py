"""Pictures that are looked at while they are drawn."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from fourdcb.dsl import parse_script
from fourdcb.errors import UserError
from fourdcb.render import RasterRenderer, RenderSettings, render_clip
from fourdcb.replay import IncomingFrames, drawn_meanwhile, replay

SCRIPT = """
world = World(duration=0.5, fps=20)
ball = Object("ball", geometry="sphere", size=[0.2, 0.2, 0.2], mass=0.3, pos=[0, 0, 0.3], vel=[0.3, 0, 0],
              acc=[0, 0, -9.8])
floor = Plane("floor", normal=[0, 0, 1], offset=0.0)
camera = Camera(width=48, height=32)
"""


def test_whoever_asks_waits_for_the_picture() -> None:
    frames = IncomingFrames(3, height=2, width=4)
    got: list[int] = []
    thread = threading.Thread(target=lambda: got.extend(int(frame[0, 0, 0]) for frame in frames))
    thread.start()
    for k in (2, 0, 1):  # any order
        assert thread.is_alive()
        frames.put(k, np.full((2, 4, 3), k + 1, np.uint8))
    thread.join(10)
    assert got == [1, 2, 3]
    assert frames.array().shape == frames.shape == (3, 2, 4, 3)
    with pytest.raises(IndexError):
        frames[3]


def test_a_failed_drawing_reaches_whoever_waits() -> None:
    frames = IncomingFrames(2, height=2, width=2)
    frames.put(0, np.zeros((2, 2, 3), np.uint8))
    frames.fail(UserError("no such texture"))
    assert not frames[0].any()  # what is there stays
    for ask in (lambda: frames[1], frames.array):
        with pytest.raises(UserError, match="no such texture"):
            ask()


def test_pictures_drawn_meanwhile_are_the_usual_ones() -> None:
    world = parse_script(SCRIPT).world
    played = replay(world, frames=False)
    with drawn_meanwhile(played) as shown:
        assert shown.frames is not None
        last = shown.frames[len(shown.frames) - 1]
        pictures = list(shown.frames)
    expected = render_clip(world, played.trajectory, RenderSettings())
    assert np.array_equal(last, expected[-1])
    assert np.array_equal(np.stack(pictures), expected)
    assert played.frames is None


def test_drawing_ends_with_the_block_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    played = replay(parse_script(SCRIPT).world, frames=False)
    drawn: list[float] = []
    begun, go = threading.Event(), threading.Event()
    render = RasterRenderer.render

    def slowly(self: RasterRenderer, trajectory: object, t: float, **options: bool) -> object:
        drawn.append(t)
        begun.set()
        go.wait(10)
        return render(self, trajectory, t, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(RasterRenderer, "render", slowly)
    threads = threading.active_count()

    def leave() -> None:
        with drawn_meanwhile(played):
            begun.wait(10)
            threading.Timer(0.05, go.set).start()  # while the block is being left
            raise UserError("enough")

    with pytest.raises(UserError, match="enough"):
        leave()
    assert len(drawn) < 3
    assert threading.active_count() <= threads + 1


def test_an_error_of_the_renderer_is_raised_at_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise UserError("cannot draw")

    played = replay(parse_script(SCRIPT).world, frames=False)
    monkeypatch.setattr(RasterRenderer, "render", broken)
    with drawn_meanwhile(played) as shown:
        assert shown.frames is not None
        with pytest.raises(UserError, match="cannot draw"):
            shown.frames[0]
