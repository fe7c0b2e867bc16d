"""Change notifications without Qt: topics and callbacks, called at once, in order of subscription."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal, get_args

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
    "draft",
]
"""What can change; changes that are told together are told in this order."""
_TOPICS: tuple[Topic, ...] = get_args(Topic)
_log = logging.getLogger(__name__)


class Notifier:
    """Tells subscribers *that* a topic changed; they read the new state from its owner."""

    def __init__(self) -> None:
        self._callbacks: dict[Topic, list[Callable[[], None]]] = defaultdict(list)
        self._held: set[Topic] = set()
        self._depth = 0

    def subscribe(self, topic: Topic, callback: Callable[[], None]) -> None:
        """Call ``callback`` after every change of ``topic``."""
        self._callbacks[topic].append(callback)

    def notify(self, *topics: Topic) -> None:
        """Tell the subscribers of each topic, all of them: one that fails keeps no other from the news.

        Raises:
            Exception: the first that a subscriber raised; further ones are logged.
        """
        if self._depth:
            self._held.update(topics)
            return
        first: Exception | None = None
        for topic in topics:
            for callback in tuple(self._callbacks[topic]):
                try:
                    callback()
                except Exception as error:  # noqa: BLE001 - told below, after the others
                    if first is not None:
                        _log.exception("a subscriber of %s failed", topic)
                    first = first or error
        if first is not None:
            raise first

    @contextmanager
    def together(self) -> Iterator[None]:
        """What changes inside is told once, at the end: nobody sees a state that is half of one scene."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if not self._depth:
                held, self._held = self._held, set()
                self.notify(*(topic for topic in _TOPICS if topic in held))

    def clear(self) -> None:
        """Forget every subscriber (the window closes)."""
        self._callbacks.clear()
