"""Fixtures of the Studio's tests: offscreen Qt, a tiny scene, a clock that the test owns, leak checks."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

    from fourdcb.replay import ReplayCache
    from fourdcb_studio.main_window import MainWindow

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

REFERENCE = """# A ball that falls on a floor.
from fourdcb.dsl import *

floor = Plane(name="floor", normal=[0, 0, 1], offset=0.0, restitution=1.0, friction=1.0)
ball = Object(
    name="ball",
    geometry="sphere",
    size=[0.2, 0.2, 0.2],
    mass=0.5,
    restitution=0.8,  # bouncy
    friction=0.4,
    pos=[0, 0, 0.6],
    vel=[0.3, 0, 0],
    acc=[0, 0, -9.8],
)
sun = DirectionalLight(name="sun", direction=[-0.4, 0.3, -0.8], intensity=3.0)
camera = Camera(pos=[0.2, -2.2, 0.9], target=[0.2, 0, 0.3], width=64, height=64)
world = World(duration=0.8, fps=30, objects=[ball], planes=[floor], lights=[sun], camera=camera)
"""


class ManualClock:
    """Seconds that move when the test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def manual_clock() -> ManualClock:
    return ManualClock()


@dataclass(frozen=True)
class SceneFolder:
    folder: Path
    script: Path
    video: Path


@pytest.fixture(scope="session")
def reference_frames() -> NDArray[np.uint8]:
    """The reference's own clip, uint8, shape (24, 64, 64, 3)."""
    from fourdcb.dsl import parse_script
    from fourdcb.replay import replay

    frames = replay(parse_script(REFERENCE).world).frames
    assert frames is not None
    return np.asarray(frames)


@pytest.fixture
def scene_folder(tmp_path: Path, reference_frames: NDArray[np.uint8]) -> SceneFolder:
    """A scene folder with a reference, a wrong candidate and the video that the reference makes."""
    from fourdcb.video import write_video

    folder = tmp_path / "drop"
    (folder / "candidates").mkdir(parents=True)
    (folder / "world.py").write_text(REFERENCE)
    script = folder / "candidates" / "wrong_restitution.py"
    script.write_text(REFERENCE.replace("restitution=0.8", "restitution=0.3"))
    write_video(folder / "video.mp4", iter(reference_frames), fps=30)
    return SceneFolder(folder, script, folder / "video.mp4")


@pytest.fixture
def replays() -> Iterator[ReplayCache]:
    """Rollouts and renderers as the simulation process keeps them."""
    from fourdcb.render import RenderSettings
    from fourdcb.replay import ReplayCache

    made = ReplayCache(RenderSettings())
    yield made
    made.close()


@pytest.fixture(autouse=True)
def no_leaks() -> Iterator[None]:
    """No test leaves a thread or a process behind."""
    before = set(threading.enumerate())
    yield
    left = [t for t in threading.enumerate() if t not in before and t.is_alive() and not _is_pool(t)]
    assert not left, f"threads left behind: {left}"
    children = multiprocessing.active_children()
    assert not children, f"processes left behind: {children}"


@pytest.fixture(autouse=True)
def dark_theme() -> Iterator[None]:
    """Every test starts with the dark theme, whatever the one before it left in force."""
    from PySide6.QtWidgets import QApplication

    from fourdcb_studio.theme import apply_theme, tokens
    from fourdcb_studio.theme.tokens import use

    yield
    if tokens().name == "dark":
        return
    running = QApplication.instance()
    if isinstance(running, QApplication):
        apply_theme(running, "dark")
    else:
        use("dark")


@pytest.fixture(scope="session")
def application() -> QApplication:
    from fourdcb_studio.application import make_application

    return make_application("dark")


@pytest.fixture
def window(
    application: QApplication, qtbot: QtBot, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[MainWindow]:
    """The real window, empty, of the module's ``WINDOW_SIZE`` (1600 × 1000)."""
    from fourdcb_studio.main_window import MainWindow

    made = MainWindow(journal_folder=tmp_path / "state" / "journal")
    made.resize(*getattr(request.module, "WINDOW_SIZE", (1600, 1000)))
    made.show()
    yield made
    made.end()
    made.deleteLater()
    application.processEvents()


@pytest.fixture
def until(qtbot: QtBot, request: pytest.FixtureRequest) -> Callable[[Callable[[], bool]], None]:
    """Waits for a condition, for the module's ``PATIENCE_MS`` at most (two minutes)."""
    patience = getattr(request.module, "PATIENCE_MS", 120_000)
    return lambda condition: qtbot.waitUntil(condition, timeout=patience)


def _is_pool(thread: threading.Thread) -> bool:
    return thread.name.startswith(("Dummy", "QtThread", "fourdcb-render"))
