"""Feeds the difference on screen: its controls, and the maps that the simulation process measures."""

from __future__ import annotations

from typing import Any

from fourdcb.words import chosen
from fourdcb_studio.bench import Bench
from fourdcb_studio.jobs.error_map import ErrorMapRequest
from fourdcb_studio.jobs.progress import JobAnswer, JobDone, JobFailed
from fourdcb_studio.session.comparison import MapMeasure
from fourdcb_studio.session.messages import ReplayKey
from fourdcb_studio.session.view import ShownImages
from fourdcb_studio.widgets.image_paint import Message
from fourdcb_studio.workspace import Workspace

_JOB = "error_map"
_Named = tuple[Any, ...]


class ErrorMaps:
    """Asks for the map of the pictures on screen; the newest wins, and an older one is marked as such.

    Args:
        bench: whose pictures.
        parts: where they are shown.
    """

    def __init__(self, bench: Bench, parts: Workspace) -> None:
        self._session, self._view = bench.session, bench.view
        self._images, self._controls = parts.images, parts.difference
        self._parts = parts
        self._asked: _Named | None = None
        self._shown: _Named | None = None
        update = self._session.comparison.update
        self._controls.measure_chosen.connect(lambda measure: update(measure=measure))
        self._controls.base_chosen.connect(lambda base: update(base=base))
        self._controls.opacity_chosen.connect(lambda opacity: update(opacity=opacity))
        self._session.changes.subscribe("comparison", self.show)
        self._session.changes.subscribe("frame", self.show)
        self._session.changes.subscribe("scene", self._forget)

    def show(self) -> None:
        """Controls and map, as the state is."""
        state = self._session.comparison.state
        self._controls.set_state(state.measure, state.base, state.opacity)
        self._parts.show_difference_controls(state.shows_difference)
        if not state.shows_difference or state.measure == "color":
            self._images.set_message("difference", None)
            self._images.set_badge("difference", "")
            return
        request, named = self._request(state.measure, self._view.images())
        if request is None:
            self._images.set_error_map(None)
            self._shown = None
            return
        older = named != self._shown
        word = chosen().say("studio.difference.older") if older and self._shown is not None else ""
        self._images.set_badge("difference", word, "warning")
        if older and named != self._asked:
            self._asked = named
            if self._shown is None or self._shown[0] != state.measure:
                self._shown = None
                self._images.set_error_map(None)
                self._tell("waiting", "loading")
            self._session.scheduler.ask(_JOB, request, lambda answer: self._take(named, answer))

    def _take(self, named: _Named, answer: JobAnswer) -> None:
        if named != self._asked:
            return
        self._asked = None
        if isinstance(answer, JobDone):
            self._shown = named
            self._images.set_error_map(answer.result)  # type: ignore[arg-type]
            self.show()
        elif isinstance(answer, JobFailed):
            self._shown = None
            self._images.set_error_map(None)
            self._images.set_message("difference", Message("error", str(answer.error)))

    def _request(self, measure: MapMeasure, shown: ShownImages) -> tuple[ErrorMapRequest | None, _Named]:
        """What to ask for, and its name; None where it cannot be measured, which is told."""
        original, replay = shown.original, shown.replay
        named: _Named = (measure, original.version, replay.version)
        if original.image is None or replay.image is None or original.image.shape != replay.image.shape:
            self._images.set_message("difference", None)
            return None, named
        before = self._before(shown) if measure == "flow" else (None, None)
        if measure == "flow" and (before[0] is None or before[1] is None):
            first = self._session.clock.frame == 0
            self._tell("first" if first else "undrawn", "empty" if first else "loading")
            return None, named
        request = ErrorMapRequest(
            key=ReplayKey(_JOB, "judging"),
            measure=measure,
            reference=original.image,
            candidate=replay.image,
            reference_before=before[0],
            candidate_before=before[1],
        )
        return request, named

    def _before(self, shown: ShownImages) -> tuple[Any, Any]:
        """The pictures one frame earlier, None where they are not there yet."""
        store = self._session.store
        pair = (shown.original.version, shown.replay.version)
        return tuple(store.get(key, frame - 1) if frame > 0 else None for key, frame in pair)  # type: ignore[return-value]

    def _tell(self, what: str, kind: Any) -> None:
        say = chosen().say
        self._images.set_message(
            "difference",
            Message(kind, say(f"studio.difference.{what}"), say(f"studio.difference.{what}_why")),
        )

    def _forget(self) -> None:
        self._asked = self._shown = None
        self._session.scheduler.withdraw(_JOB)
        self._images.set_error_map(None)
        self.show()
