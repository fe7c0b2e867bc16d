"""Feeds the plots view, and keeps its time axis and the time panel's together."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from fourdcb.words import chosen
from fourdcb_studio.bench import Bench
from fourdcb_studio.session.messages import Role
from fourdcb_studio.session.motion import Motion
from fourdcb_studio.session.notifier import Topic
from fourdcb_studio.session.state import info
from fourdcb_studio.views.plots.curves import BY_ID, Quantity, curve_choices, track_of
from fourdcb_studio.views.plots.data import EventMark, HeatMap, Panel, PlotsData, Series
from fourdcb_studio.views.plots.files import write_plots
from fourdcb_studio.views.plots.view import PLOTTED_ROLES
from fourdcb_studio.views.time.data import LEAST, nice_limit
from fourdcb_studio.workspace import Workspace

_TOPICS: tuple[Topic, ...] = ("scene", "world", "motion", "report", "selection")
_KINDS = {"bounce": "bounce", "touch": "touch", "slide_start": "slide"}
LEAST_SPEED = 0.02
"""Errors of the velocity below this [m/s] are neutral: no metric has a threshold for them."""
# Maps beside those of the position: id, unit, factor to it, least end of its colours.
_SIZES = (
    ("rotation", "°", 1.0, LEAST.rotation),
    ("velocity", "m/s", 1.0, 10 * LEAST_SPEED),
    ("energy", "%", 100.0, 100 * LEAST.energy),
)
_ERRORS = {"rotation": "rotation_deg", "velocity": "velocity", "energy": "energy"}


class PlotsPresenter:
    """Writes curves and maps into the view while it is in sight.

    Args:
        bench: the state.
        parts: the view and the time panel.
    """

    def __init__(self, bench: Bench, parts: Workspace) -> None:
        self._bench, self._session, self._parts = bench, bench.session, parts
        self._thresholds: Mapping[str, float] = {}
        view, session = parts.plots, bench.session
        for topic in _TOPICS:
            session.changes.subscribe(topic, lambda: bench.deferred.show(self.show))
        session.changes.subscribe("clock", self._follow_clock)
        view.shown.connect(self.show)
        view.chosen_changed.connect(self.show)
        view.seek_requested.connect(session.clock.seek)
        view.object_selected.connect(lambda name: session.selection.select(object_name=name))
        view.span_changed.connect(parts.time.set_span)
        view.export_requested.connect(self.ask_export)
        view.dock_requested.connect(self.toggle_dock)
        parts.time.span_changed.connect(view.set_span)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """What each action does."""
        return {
            "view_plots": lambda: self._bench.navigation.show_view("plots"),
            "dock_plots": self.toggle_dock,
            "export_plots": lambda: self.ask_export("png"),
            "time_all": self._parts.time.show_all,
        }

    def set_thresholds(self, thresholds: Mapping[str, float]) -> None:
        """Thresholds by metric, in the metrics' units."""
        self._thresholds = thresholds
        self._bench.deferred.show(self.show)

    def toggle_dock(self) -> None:
        """Under the images, or no more."""
        self._bench.navigation.library.leave()
        self._parts.dock_plots(not self._parts.plots_are_docked())

    def ask_export(self, kind: str) -> None:
        """Ask where to write the plots."""
        kinds = ";;".join(
            f"{k.upper()} (*.{k})" for k in (kind, *(o for o in ("png", "svg", "csv") if o != kind))
        )
        title = chosen().say("studio.plots.export_title")
        path = self._bench.dialogs.new_file(title, f"plots.{kind}", kinds)
        if path is not None:
            path = path if path.suffix else path.with_suffix(f".{kind}")
            write_plots(self._parts.plots, path)
            self._session.tell(info("wrote", names=path.name, folder=path.parent))

    def _follow_clock(self) -> None:
        if self._parts.plots.isVisible():
            self._parts.plots.set_frame(self._session.clock.frame)

    # -- what is plotted -----------------------------------------------------------------------------
    def show(self) -> None:
        """The chosen quantities of the chosen objects, and all errors; hidden it costs nothing."""
        session, view = self._session, self._parts.plots
        seen = view.isVisible()
        session.scheduler.move_before(seen and "before" in view.roles and view.page == "curves")
        if not seen:
            return
        names = self._names()
        objects = tuple(n for n in view.objects if n in names) or self._usual(names)
        edited = session.edited or session.comparison.state.before != "saved"
        there: dict[Role, bool] = {
            "candidate": session.parameters is not None or session.sources.pair is not None,
            "reference": session.reference is not None,
            "before": edited,
        }
        roles = tuple(role for role in PLOTTED_ROLES if there[role])
        view.set_choices(curve_choices(session), names, own_objects=objects, roles=roles)
        view.set_data(self._data(names, objects, roles), empty=self._empty())
        view.set_selected(session.selection.object or (names[0] if names else ""))
        view.set_frame(session.clock.frame)

    def _names(self) -> tuple[str, ...]:
        motion = self._session.motion("candidate")
        return motion.moving_names if motion is not None else ()

    def _usual(self, names: tuple[str, ...]) -> tuple[str, ...]:
        selected = self._session.selection.object
        return (selected,) if selected is not None and selected in names else names[:1]

    def _data(self, names: tuple[str, ...], objects: tuple[str, ...], roles: tuple[Role, ...]) -> PlotsData:
        session, view = self._session, self._parts.plots
        clock, motion = session.clock, session.motion("candidate")
        maps = view.page == "maps"
        wanted = tuple(role for role in view.roles if role in roles)
        quantities = [BY_ID[key] for key, _ in curve_choices(session) if key in view.quantities]
        panels = [self._panel(q, names, objects, wanted) for q in quantities] if not maps else []
        return PlotsData(
            n_frames=clock.n_frames,
            fps=clock.fps,
            panels=tuple(panel for panel in panels if panel.series),
            maps=self._maps(names) if maps else (),
            events=_events(motion, objects, clock.fps, clock.n_frames) if motion is not None else (),
            horizon=self._parts.time.data().horizon,
        )

    def _panel(
        self, quantity: Quantity, names: tuple[str, ...], objects: tuple[str, ...], roles: tuple[Role, ...]
    ) -> Panel:
        owners = objects if quantity.of != "image" else ("",)
        series = []
        for name in owners:
            for role in roles:
                values = track_of(self._session, role, quantity, name)
                if values is not None:
                    hue = names.index(name) if name in names else 0
                    series.append(Series(name, role, hue, values))
        limit = self._thresholds.get(quantity.metric)
        threshold = None if limit is None else quantity.scale * limit
        return Panel(quantity.id, quantity.word, quantity.unit, tuple(series), threshold)

    def _maps(self, names: tuple[str, ...]) -> tuple[HeatMap, ...]:
        errors = {name: found for name in names if (found := self._session.errors_of(name)) is not None}
        if not errors:
            return ()
        n, known, time = self._session.clock.n_frames, tuple(errors), self._parts.time.data()
        limits, within = time.limits(), time.within()
        xyz = _rows([e.position_mm for e in errors.values()], n, 3)
        end = limits.position if time.fixed else nice_limit(xyz, least=LEAST.position)
        shown = [
            HeatMap(letter, letter.upper(), "mm", known, xyz[..., i], end, within.position, signed=True)
            for i, letter in enumerate("xyz")
        ]
        for key, unit, scale, least in _SIZES:
            tracks = [scale * np.asarray(getattr(e, _ERRORS[key])) for e in errors.values()]
            values = _rows(tracks, n, 1)[..., 0]
            fixed = time.fixed and hasattr(limits, key)
            end = scale * getattr(limits, key) if fixed else nice_limit(values, least=least)
            neutral = scale * getattr(within, key) if fixed else LEAST_SPEED if key == "velocity" else 0.0
            word = chosen().say(f"studio.plots.{key}")
            shown.append(HeatMap(key, word, unit, known, values, end, neutral, signed=key == "energy"))
        return tuple(shown)

    def _empty(self) -> str:
        session, say = self._session, chosen().say
        if session.parameters is None and session.report is None:
            return say("studio.plots.no_script")
        if self._parts.plots.page == "maps":
            return say("studio.plots.no_reference" if session.reference is None else "studio.plots.waiting")
        return say("studio.plots.none_chosen" if session.motion("candidate") else "studio.plots.waiting")


def _rows(tracks: list[np.ndarray], n_frames: int, width: int) -> np.ndarray:
    """Tracks of several objects as one array, shape (N, T, width), NaN where one is shorter."""
    found = np.full((len(tracks), n_frames, width), np.nan)
    for row, track in zip(found, tracks, strict=True):
        length = min(len(track), n_frames)
        row[:length] = track.reshape(len(track), width)[:length]
    return found


def _events(motion: Motion, objects: tuple[str, ...], fps: float, n_frames: int) -> tuple[EventMark, ...]:
    """One event a frame of the objects that are plotted, the most telling kind."""
    best: dict[int, EventMark] = {}
    order = list(_KINDS.values())
    for event in motion.events:
        kind = _KINDS.get(event.kind)
        if kind is None or not set(event.bodies) & set(objects):
            continue
        mark = EventMark(min(round(event.time * fps), n_frames - 1), kind, " – ".join(event.bodies))
        known = best.get(mark.frame)
        if known is None or order.index(kind) < order.index(known.kind):
            best[mark.frame] = mark
    return tuple(best[frame] for frame in sorted(best))
