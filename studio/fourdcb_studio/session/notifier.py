"""Change notifications without Qt: topics and callbacks, called at once, in order of subscription."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Literal

Topic = Literal[
    "scene",
    "clock",
    "frame",
    "world",
    "motion",
    "report",
    "comparison",
    "selection",
    "status",
    "message",
    "strips",
    "cases",
    "probe",
]


class Notifier:
    """Tells subscribers *that* a topic changed; they read the new state from its owner."""

    def __init__(self) -> None:
        self._callbacks: dict[Topic, list[Callable[[], None]]] = defaultdict(list)

    def subscribe(self, topic: Topic, callback: Callable[[], None]) -> None:
        """Call ``callback`` after every change of ``topic``."""
        self._callbacks[topic].append(callback)

    def notify(self, *topics: Topic) -> None:
        """Tell the subscribers of each topic."""
        for topic in topics:
            for callback in tuple(self._callbacks[topic]):
                callback()

    def clear(self) -> None:
        """Forget every subscriber (the window closes)."""
        self._callbacks.clear()
