"""Measures the Studio by driving its real window with mouse events, without a screen.

Latency runs from *each* slider event to the end of the first paint that shows that edit or a newer one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil  # type: ignore[import-untyped]

from fourdcb.errors import UserError
from fourdcb_studio.workers.memory import spare_collections
from fourdcb_studio.workers.transport import SimulationProcess

_EVENT_INTERVAL = 1.0 / 60.0  # [s]
_DRAG_SECONDS, _LAST_DRAG_SECONDS = 4.0, 2.0
_FRAME, _PATH = 42, "cup.restitution"
_REJUDGED = 3
_SEEKS_CACHED, _SEEKS_UNCACHED = 150, 30
_BEAT_MS = 2  # how often the event loop shows that it is alive
_PATIENCE = 240.0  # [s] for anything


def main(argv: Sequence[str] | None = None) -> int:
    """Run and print JSON; returns the exit code."""
    parser = argparse.ArgumentParser(prog="fourdcb bench studio")
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--soak", type=float, default=0.0, help="go on dragging for so long [s]")
    arguments = parser.parse_args(argv)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    try:
        figures = Benchmark(arguments.paths).run(soak=arguments.soak)
    except UserError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")
    return 0


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """p50, p95 and p99, rounded to what can be measured."""
    if not values:
        raise UserError("nothing was measured", hint="is the machine overloaded?")
    return {f"p{p}": round(float(np.percentile(values, p)), 3) for p in (50, 95, 99)}


def process_age() -> float:
    """Seconds since this process began.

    On Linux by the clock that the kernel stamps processes with: the wall clock, which psutil goes by, may
    have been set since the machine started, and is then off by up to a second.
    """
    stat = Path("/proc/self/stat")
    if not stat.is_file():
        return time.time() - float(psutil.Process().create_time())
    ticks = int(stat.read_text().rpartition(")")[2].split()[19])
    return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")


class Benchmark:
    """One window, driven.

    Args:
        paths: what to open; default the bundled failing case.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        from PySide6.QtCore import Qt, QTimer

        from fourdcb_studio.app import default_paths, make_window
        from fourdcb_studio.application import make_application

        process = SimulationProcess()
        process.start()  # as the app does: it loads while the window is built
        self._app = make_application("dark")
        self._window = make_window(process=process)
        self._window.resize(1600, 1000)
        self._paints = PaintLog(self._window)
        self._blocks: list[float] = []
        self._beat = QTimer(self._window)
        self._beat.setTimerType(Qt.TimerType.PreciseTimer)
        self._beat.setInterval(_BEAT_MS)
        self._beat.timeout.connect(self._on_beat)
        self._beat.start()
        self._watching = False
        self._last_beat: float | None = None
        self._window.open_paths(list(paths) or default_paths())
        if self._window.session.parameters is None:
            raise UserError("the benchmark needs a script", got=str(self._window.session.message))
        self._window.seek_when_known(_FRAME)
        self._window.show()
        spare_collections()

    def run(self, *, soak: float = 0.0) -> dict[str, Any]:
        """All figures. Raises UserError when something never happens."""
        session = self._window.session
        try:
            self._until(lambda: self._paints.generation == session.scheduler.generation)
            started = process_age()
            self._until(lambda: session.settled)
            self._watch_blocks(True)
            figures: dict[str, Any] = {"slider_to_pixel_ms": percentiles(self._drag(_DRAG_SECONDS))}
            figures["clip_rejudged_s"] = percentiles(self._rejudged())
            session.clock.seek(session.clock.n_frames - 1)
            self._until(lambda: session.settled)
            figures["slider_to_pixel_last_frame_ms"] = percentiles(self._drag(_LAST_DRAG_SECONDS))
            self._until(lambda: session.settled)
            self._watch_blocks(False)
            figures["ui_block_ms"] = percentiles(self._blocks) | {"max": round(max(self._blocks), 3)}
            figures["seeks_per_s_cached"] = self._seek_rate(_SEEKS_CACHED, cached=True)
            figures["seeks_per_s_uncached"] = self._seek_rate(_SEEKS_UNCACHED, cached=False)
            figures["start_s"] = round(started, 3)
            figures["rss_mb"] = self._memory()
            if soak > 0:
                figures["soak"] = self._soak(soak)
            return figures
        finally:
            self._window.end()

    # -- driving -------------------------------------------------------------------------------------
    def _until(self, condition: Callable[[], bool], *, patience: float = _PATIENCE) -> None:
        from PySide6.QtCore import QEventLoop

        deadline = time.perf_counter() + patience
        # Sleeping in the event loop, as the app does: spinning would take a core from the simulation.
        flags = QEventLoop.ProcessEventsFlag.AllEvents | QEventLoop.ProcessEventsFlag.WaitForMoreEvents
        while not condition():
            if time.perf_counter() > deadline:
                raise UserError("the Studio did not get ready in time", expected=f"{patience:.0f} s at most")
            self._app.processEvents(flags)

    def _drag(self, seconds: float) -> list[float]:
        """Latencies of a drag to and fro [ms]."""
        parts = self._window.parts
        parts.parameters.reveal(_PATH)
        slider = parts.parameters.row(_PATH).slider()
        self._until(lambda: slider.width() > 40)
        self._paints.start()
        width, y = slider.width() - 24, slider.height() / 2
        self._mouse(slider, "press", 12 + 0.3 * width, y)
        begun = time.perf_counter()
        count = round(seconds / _EVENT_INTERVAL)
        for k in range(count):
            due = begun + k * _EVENT_INTERVAL
            self._until(partial(_has_come, due))
            x = 12 + width * (0.5 + 0.35 * np.sin(0.07 * k))
            self._paints.event(partial(self._mouse, slider, "move", x, y))
        self._until(lambda: not self._paints.waiting)
        self._mouse(slider, "release", x, y)
        return self._paints.latencies

    def _mouse(self, widget: Any, kind: str, x: float, y: float) -> None:
        from PySide6.QtCore import QEvent, QPointF, Qt
        from PySide6.QtGui import QMouseEvent

        types = {
            "press": QEvent.Type.MouseButtonPress,
            "move": QEvent.Type.MouseMove,
            "release": QEvent.Type.MouseButtonRelease,
        }
        button = Qt.MouseButton.NoButton if kind == "move" else Qt.MouseButton.LeftButton
        held = Qt.MouseButton.NoButton if kind == "release" else Qt.MouseButton.LeftButton
        at = QPointF(float(x), float(y))
        event = QMouseEvent(
            types[kind], at, widget.mapToGlobal(at), button, held, Qt.KeyboardModifier.NoModifier
        )
        self._app.sendEvent(widget, event)

    def _rejudged(self) -> list[float]:
        """Seconds from a typed value to its report."""
        session, taken = self._window.session, []
        for k in range(_REJUDGED):
            self._until(lambda: session.settled)
            begun = time.perf_counter()
            session.commit(_PATH, 0.31 + 0.07 * k)
            self._until(lambda: session.report_is_fresh)
            taken.append(time.perf_counter() - begun)
        return taken

    def _seek_rate(self, seeks: int, *, cached: bool) -> float:
        session = self._window.session
        self._until(lambda: session.settled)
        order = random.Random(7)
        if not cached:
            session.scheduler.prefetch = session.videos.prefetch = False
            session.commit(_PATH, 0.613)
            self._until(lambda: session.shows_current_frame)
            session.store.clear()
        begun = time.perf_counter()
        for _ in range(seeks):
            paints = self._paints.count
            session.clock.seek(order.randrange(session.clock.n_frames))
            self._until(
                lambda paints=paints: session.shows_current_frame and self._paints.count > paints  # type: ignore[misc]
            )
        rate = seeks / (time.perf_counter() - begun)
        session.scheduler.prefetch = session.videos.prefetch = True
        return round(rate, 1)

    def _soak(self, seconds: float) -> dict[str, float]:
        """Memory after a first round and at the end [MB]; the kept pictures may grow to their budget."""
        store = self._window.session.store
        self._drag(_DRAG_SECONDS)
        self._until(lambda: self._window.session.settled)
        before, kept, end = self._memory(), store.size, time.perf_counter() + seconds
        while time.perf_counter() < end:
            self._drag(_DRAG_SECONDS)
            self._until(lambda: self._window.session.settled)
        return {
            "seconds": seconds,
            "rss_before_mb": before,
            "rss_after_mb": self._memory(),
            "pictures_before_mb": round(kept / 2**20, 1),
            "pictures_after_mb": round(store.size / 2**20, 1),
        }

    def _memory(self) -> float:
        own = psutil.Process()
        processes = [own, *own.children(recursive=True)]
        return round(sum(p.memory_info().rss for p in processes) / 2**20, 1)

    # -- blocking ------------------------------------------------------------------------------------
    def _watch_blocks(self, on: bool) -> None:
        self._watching, self._last_beat = on, None

    def _on_beat(self) -> None:
        now = time.perf_counter()
        if self._watching and self._last_beat is not None:
            self._blocks.append(max(0.0, 1e3 * (now - self._last_beat) - _BEAT_MS))
        self._last_beat = now


def _has_come(due: float) -> bool:
    return time.perf_counter() >= due


class PaintLog:
    """Records when the images were painted and which edit they showed."""

    def __init__(self, window: Any) -> None:
        from PySide6.QtCore import QEvent, QObject

        log = self

        class Filter(QObject):
            def eventFilter(self, watched: QObject, event: QEvent) -> bool:
                if event.type() == QEvent.Type.Paint:
                    log.on_paint()
                return False

        self._window = window
        self._filter = Filter(window)
        window.parts.images.installEventFilter(self._filter)
        self.count = 0
        self.generation = -1
        self.waiting: list[tuple[int, float]] = []
        self.latencies: list[float] = []

    def start(self) -> None:
        """Forget what was recorded."""
        self.waiting, self.latencies = [], []

    def event(self, act: Callable[[], None]) -> None:
        """Do something that edits; its latency is recorded when it is seen."""
        at = time.perf_counter()
        act()
        self.waiting.append((self._window.session.scheduler.generation, at))

    def on_paint(self) -> None:
        """The images are about to be painted; what follows in the event queue comes after it."""
        from PySide6.QtCore import QTimer

        shown = self._window.presenter.shown_generation
        QTimer.singleShot(0, self._window, lambda: self._painted(shown))

    def _painted(self, shown: int) -> None:
        now = time.perf_counter()
        self.count += 1
        self.generation = shown
        seen = [entry for entry in self.waiting if entry[0] <= shown]
        self.waiting = [entry for entry in self.waiting if entry[0] > shown]
        self.latencies += [1e3 * (now - at) for _, at in seen]


if __name__ == "__main__":
    sys.exit(main())
