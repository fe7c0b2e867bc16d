"""Measures the library view on the real window, without a screen, with cases that are made up for it."""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fourdcb.errors import UserError
from fourdcb.library import CaseFilter, CaseLibrary
from fourdcb.metrics.result import REPORT_FORMAT
from fourdcb.metrics.series_file import pack_series, reference_to

_PATIENCE = 120.0  # [s] for anything
_BEAT_MS = 2
_FRAMES, _OBJECTS = 120, 3
_SCENES = ("slide_cup", "bounce_ball", "collide_pair", "topple", "incline_slide")
_KINDS = ("position", "friction", "bounce_height", "contact_time", "energy", "shadow", "light", "drift")
_AXIS_METRICS = {
    "geometry": ("delta_pos", 0.02, "m"),
    "physics": ("energy_error", 0.08, ""),
    "material_light": ("light_drift", 2.5, "deg"),
    "time": ("drift_rate", 0.05, "mm per 1/30 s"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run and print JSON; returns the exit code."""
    parser = argparse.ArgumentParser(prog="fourdcb bench library")
    parser.add_argument("--cases", type=int, default=1000)
    arguments = parser.parse_args(argv)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    try:
        with tempfile.TemporaryDirectory(prefix="fourdcb-library-") as folder:
            os.environ["XDG_CACHE_HOME"] = os.environ["XDG_DATA_HOME"] = str(Path(folder) / "user")
            root = Path(folder) / "library"
            make_cases(root, arguments.cases)
            figures = {"cases": arguments.cases, **_core(root), **WindowBenchmark(root).run()}
    except UserError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")
    return 0


# -- cases -------------------------------------------------------------------------------------------
def make_cases(root: Path, count: int, *, seed: int = 0) -> None:
    """Cases with reports as large as real ones, scripts and pictures; the same seed gives the same cases."""
    from PIL import Image

    order, rng = random.Random(seed), np.random.default_rng(seed)
    packed = pack_series(_series(rng))
    for k in range(count):
        scene = f"{_SCENES[k % len(_SCENES)]}_{k // 20:03d}"
        folder = root / f"run_{k % 4}" / f"case_{k:05d}"
        folder.mkdir(parents=True)
        value = made_up_report(order, scene, reference_to("series.npz", packed))
        (folder / "report.json").write_text(json.dumps(value, indent=1), encoding="utf-8")
        (folder / "series.npz").write_bytes(packed)
        (folder / "candidate.py").write_text('ball = Object(name="ball", geometry="sphere")\n')
        picture = np.full((96, 194, 3), 40, np.uint8)
        x, colour = 10 + k % 80, rng.integers(60, 250, 3, np.uint8)
        picture[30:60, x : x + 30] = picture[34:64, x + 100 - k % 9 : x + 130 - k % 9] = colour
        picture[:, 96:98] = 0
        Image.fromarray(picture).save(folder / "thumbnail.png", compress_level=1)


def made_up_report(order: random.Random, scene: str, series: dict[str, str]) -> dict[str, Any]:
    """A report.json's value whose axes fail at random."""
    axes: dict[str, Any] = {}
    for axis, (metric, threshold, unit) in _AXIS_METRICS.items():
        value = threshold * order.choice((0.2, 0.5, 0.9, 1.5, 4.0))
        passed = value < threshold
        record = {
            "value": value, "unit": unit, "threshold": threshold, "direction": "below", "status": "ok",
            "reason": None, "passed": passed, "per_object": {"ball": value}, "detail": {},
        }  # fmt: skip
        axes[axis] = {"passed": passed, "metrics": {metric: record}}
    failed = [axis for axis, result in axes.items() if not result["passed"]]
    candidate = order.choice(("wrong_friction", "wrong_restitution", "wrong_light", "perfect", "baseline"))
    return {
        "format": REPORT_FORMAT,
        "version": 2,
        "verdict": "DEPLOYMENT_NOT_RECOMMENDED" if failed else "DEPLOYABLE",
        "claim": "diagnostic",
        "reasons": [f"{axis} failed" for axis in failed],
        "axes": axes,
        "image": {},
        "findings": [_finding(order, axis) for axis in failed],
        "horizon": {},
        "series": series,
        "inputs": {
            "code": {"path": f"answers/{candidate}.py", "sha256": ""},
            "video": {"path": f"{scene}/video.mp4", "sha256": ""},
            "reference": {"path": f"{scene}/world.py", "sha256": ""},
        },
        "environment": {},
        "artifacts": {},
    }


def _finding(order: random.Random, axis: str) -> dict[str, Any]:
    frame, kind = order.randrange(_FRAMES), order.choice(_KINDS)
    return {
        "frame": frame, "time": frame / 30.0, "axis": axis, "objects": ["ball"],
        "message": f"frame {frame}: ball departs in {kind.replace('_', ' ')} by {order.randrange(5, 90)} mm",
        "kind": kind, "severity": order.choice(("error", "error", "warning")), "measured": 0.05,
        "expected": 0.02, "unit": "m", "likely_cause": None,
    }  # fmt: skip


def _series(rng: np.random.Generator) -> dict[str, Any]:
    def rows(*shape: int) -> Any:
        return rng.normal(size=shape).round(9).tolist()

    objects = {
        f"object_{k}": {
            "position": rows(_FRAMES, 3),
            "position_error": rows(_FRAMES, 3),
            "energy": rows(_FRAMES),
        }
        for k in range(_OBJECTS)
    }
    return {"times": [k / 30.0 for k in range(_FRAMES)], "objects": objects}


# -- the library -------------------------------------------------------------------------------------
def _core(root: Path) -> dict[str, Any]:
    """Opening without and with an index, filtering and counting, all without a window."""
    cold, _ = _least(lambda: CaseLibrary.open(root, cache_folder=Path(tempfile.mkdtemp(dir=root.parent))), 3)
    warm, library = _least(lambda: CaseLibrary.open(root), 4)
    wanted = CaseFilter(chosen={"axis": frozenset({"physics"})}, text="ball bounce")
    narrowed, _ = _least(lambda: (library.select(wanted), library.facets(wanted)), 5)
    return {"open_cold_s": cold, "open_warm_s": warm, "filter_and_count_ms": round(1e3 * narrowed, 2)}


def _least(act: Callable[[], Any], times: int) -> tuple[float, Any]:
    """Least wall time of several tries [s], and what the last one gave."""
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        result = act()
        taken.append(time.perf_counter() - begun)
    return round(min(taken), 4), result


class WindowBenchmark:
    """One window on a library.

    Args:
        root: the library.
    """

    def __init__(self, root: Path) -> None:
        from PySide6.QtCore import Qt, QTimer

        from fourdcb_studio.app import make_window
        from fourdcb_studio.application import make_application

        self._app = make_application("dark")
        self._root = root
        self._window = make_window()
        self._window.resize(1600, 1000)
        self._window.show()
        self._app.processEvents()
        self._beats: list[tuple[float, float]] = []
        self._last = time.perf_counter(), time.thread_time()
        self._beat = QTimer(self._window)
        self._beat.setTimerType(Qt.TimerType.PreciseTimer)
        self._beat.setInterval(_BEAT_MS)
        self._beat.timeout.connect(self._on_beat)

    def run(self) -> dict[str, Any]:
        """All figures. Raises UserError when something never happens."""
        library = self._window.library
        try:
            self._settle(2.0)
            self._last = time.perf_counter(), time.thread_time()
            self._beat.start()
            begun = time.perf_counter()
            self._window.open_library(self._root)
            self._until(lambda: library.is_shown and library.page.grid.count() > 0)
            page = library.page
            self._paint(page.grid)
            opened = time.perf_counter() - begun
            self._until(lambda: not page.grid.awaits_pictures())
            pictured = time.perf_counter() - begun
            opening = self._blocks()
            filtered = [self._filter(k) for k in range(8)]
            scrolled = self._scroll()
            return {
                "window_open_s": round(opened, 3),
                "window_pictures_s": round(pictured, 3),
                "open_blocked_ms": _percentiles([wall for wall, _ in opening]),
                "open_turn_cpu_ms": _percentiles([cpu for _, cpu in opening]),
                "filter_to_paint_ms": _percentiles([wall for wall, _ in filtered]),
                "filter_cpu_ms": _percentiles([cpu for _, cpu in filtered]),
                "scroll_frame_ms": _percentiles(scrolled),
                "browse_blocked_ms": _percentiles([wall for wall, _ in self._blocks()]),
            }
        finally:
            self._window.end()

    def _filter(self, k: int) -> tuple[float, float]:
        """From a click on a facet, a word typed or another order to the painted tiles, (wall, CPU) [ms]."""
        browser, page = self._window.library.browser, self._window.library.page
        acts: tuple[Callable[[], object], ...] = (
            partial(page.facets.toggled.emit, "axis", "physics"),
            partial(page.bar.searched.emit, "ball"),
            partial(page.bar.searched.emit, "ball bounce"),
            partial(page.bar.sort_chosen.emit, "delta_pos"),
            partial(page.facets.toggled.emit, "axis", "physics"),
            partial(page.bar.searched.emit, ""),
            partial(page.bar.sort_chosen.emit, "date"),
            partial(browser.show, CaseFilter()),
        )
        begun, begun_cpu = time.perf_counter(), time.thread_time()
        acts[k]()
        self._paint(page.grid)
        taken = 1e3 * (time.perf_counter() - begun), 1e3 * (time.thread_time() - begun_cpu)
        self._settle(0.2)
        return taken

    def _scroll(self) -> list[float]:
        """Milliseconds of each painted step on the way through the whole grid."""
        bar = self._window.library.page.grid.verticalScrollBar()
        taken = []
        for value in range(0, bar.maximum(), max(bar.maximum() // 60, 1)):
            begun = time.perf_counter()
            bar.setValue(value)
            self._paint(self._window.library.page.grid)  # all of it: a jump, no gentle scrolling
            taken.append(1e3 * (time.perf_counter() - begun))
            self._app.processEvents()
        return taken

    def _paint(self, grid: Any) -> None:
        grid.viewport().repaint()

    def _settle(self, seconds: float) -> None:
        end = time.perf_counter() + seconds
        self._until(lambda: time.perf_counter() >= end)

    def _until(self, condition: Callable[[], bool]) -> None:
        from PySide6.QtCore import QEventLoop, QTimer

        waker = QTimer(self._window)  # the loop must turn though nothing happens
        waker.start(20)
        deadline = time.perf_counter() + _PATIENCE
        flags = QEventLoop.ProcessEventsFlag.AllEvents | QEventLoop.ProcessEventsFlag.WaitForMoreEvents
        while not condition():
            if time.perf_counter() > deadline:
                raise UserError(
                    "the library did not get ready in time", expected=f"{_PATIENCE:.0f} s at most"
                )
            self._app.processEvents(flags)
        waker.stop()

    def _on_beat(self) -> None:
        now = time.perf_counter(), time.thread_time()
        wall, cpu = (1e3 * (new - old) for new, old in zip(now, self._last, strict=True))
        self._beats.append((max(0.0, wall - _BEAT_MS), cpu))
        self._last = now

    def _blocks(self) -> list[tuple[float, float]]:
        """How long each turn of the event loop took since the last call, (wall, this thread's CPU) [ms]."""
        beats, self._beats = self._beats[1:], []
        return beats


def _percentiles(values: Sequence[float]) -> dict[str, float]:
    if not values:
        raise UserError("nothing was measured", hint="is the machine overloaded?")
    figures = {f"p{p}": round(float(np.percentile(values, p)), 2) for p in (50, 95, 99)}
    return figures | {"max": round(max(values), 2)}


if __name__ == "__main__":
    sys.exit(main())
