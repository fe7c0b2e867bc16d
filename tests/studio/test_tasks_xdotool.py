"""Three things that an engineer wants, done with a real keyboard on a real (virtual) screen in few actions.

Only what the window itself names is used: the line under the images (N, Ctrl+Return, Ctrl+E) and the
shortcut sheet.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fourdcb_studio.session.sources import bundled_scene

_HARNESS = Path(__file__).with_name("xdotool_harness.py")
_PATIENCE_S = 180.0
_MOST_ACTIONS = 8

pytestmark = pytest.mark.skipif(
    shutil.which("xdotool") is None or shutil.which("Xvfb") is None,
    reason="needs the packages xdotool and xvfb",
)


class Hands:
    """A keyboard; counts what it does."""

    def __init__(self, environment: dict[str, str], told: Path) -> None:
        self._environment, self._told = environment, told
        self.actions = 0

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._told.read_text()) if self._told.is_file() else {}
        return found

    def until(self, condition: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        deadline = time.monotonic() + _PATIENCE_S
        while time.monotonic() < deadline:
            state = self.state()
            if state and condition(state):
                return state
            time.sleep(0.1)
        raise AssertionError(f"not reached: {self.state()}")

    def press(self, key: str) -> None:
        self._do("key", key)

    def type(self, text: str) -> None:
        self._do("type", "--delay", "5", text)

    def focus(self) -> None:
        self._xdotool("windowfocus", str(self.state()["window"]))

    def _do(self, *words: str) -> None:
        self.actions += 1
        assert self.actions <= _MOST_ACTIONS
        self._xdotool(*words)

    def _xdotool(self, *words: str) -> None:
        subprocess.run(["xdotool", *words], env=self._environment, check=True, capture_output=True)


@pytest.fixture
def hands(tmp_path: Path) -> Iterator[Hands]:
    read, write = os.pipe()
    screen = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1600x1000x24", "-nolisten", "tcp"],
        pass_fds=(write,), stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write)
    with os.fdopen(read) as stream:
        number = stream.readline().strip()
    told = tmp_path / "state.json"
    environment = {**os.environ, "DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb", "HOME": str(tmp_path)}
    scene = bundled_scene("slide_cup")
    candidate = scene / "candidates" / "wrong_restitution.py"
    studio = subprocess.Popen(
        [sys.executable, str(_HARNESS), str(told), str(scene), str(candidate)], env=environment
    )
    made = Hands(environment, told)
    try:
        made.until(lambda s: s["settled"] and s["verdict"] is not None)
        made.focus()
        yield made
    finally:
        for process in (studio, screen):
            process.terminate()
            process.wait()


def test_the_first_failing_frame_is_reached(hands: Hands) -> None:
    frames = [f for f in hands.state()["findings"] if f is not None]
    hands.press("n")
    state = hands.until(lambda s: s["frame"] != 0)
    assert state["frame"] == min(frames)


def test_the_value_that_makes_it_pass_is_found(hands: Hands) -> None:
    hands.press("n")
    hands.until(lambda s: s["frame"] != 0)
    hands.press("ctrl+Return")
    state = hands.until(lambda s: bool(s["values"]) and s["settled"] and s["verdict"] is not None)
    assert state["values"].keys() == {"cup.restitution"}
    assert state["verdict"] == "DEPLOYABLE"
    assert hands.actions == 2


def test_a_report_of_before_and_after_is_exported(hands: Hands, tmp_path: Path) -> None:
    hands.press("n")
    hands.until(lambda s: s["frame"] != 0)
    hands.press("ctrl+Return")
    hands.until(lambda s: bool(s["values"]) and s["settled"] and s["verdict"] is not None)
    hands.press("ctrl+e")
    hands.until(lambda s: s["dialog"])
    hands.type(str(tmp_path / "told.json"))
    hands.press("Return")
    hands.until(lambda s: s["message"].startswith("Wrote"))
    report = json.loads((tmp_path / "told.json").read_text())
    assert report["inputs"]["edits"].keys() == {"cup.restitution"}
    page = (tmp_path / "told.html").read_text()
    assert "Before and after the edit" in page
    assert "cup.restitution" in page
    assert page.count("data:image/png") >= 3
