"""The one time panel: everything that has a time axis, on one ruler under one playhead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from fourdcb.words import tr
from fourdcb_studio.views.time.canvas import TimeCanvas
from fourdcb_studio.views.time.data import (
    ContactMark,
    Curve,
    ErrorTracks,
    FindingMark,
    Limits,
    TimelineData,
)
from fourdcb_studio.views.time.legend import TimeLegend


class TimePanel(QWidget):
    """Findings, contacts, error strips, plot and readiness over the frames of the clip.

    Signals:
        seek_requested(frame): while pressing or dragging anywhere on the time axis.
        object_selected(name): by the picker or a row's label.
        curve_chosen(id): another quantity was picked for the plot.
        finding_activated(index): a finding's mark was clicked (a seek comes with it).
        span_changed(first, last): what is seen of the clip, in frames whose middles are whole numbers.
    """

    seek_requested = Signal(int)
    object_selected = Signal(str)
    curve_chosen = Signal(str)
    finding_activated = Signal(int)
    span_changed = Signal(float, float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._data = TimelineData()
        self._canvas = TimeCanvas()
        self._legend = TimeLegend()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._canvas, 1)
        column.addWidget(self._legend)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._canvas.seek_requested.connect(self.seek_requested)
        self._canvas.finding_activated.connect(self.finding_activated)
        self._canvas.object_selected.connect(self._choose_object)
        self._legend.object_chosen.connect(self._choose_object)
        self._legend.curve_chosen.connect(self.curve_chosen)
        self._canvas.rows_changed.connect(self._update_legend)
        self._canvas.span_changed.connect(self._tell_span)
        self._show()

    def data(self) -> TimelineData:
        """What is shown."""
        return self._data

    def canvas(self) -> TimeCanvas:
        """The painted part."""
        return self._canvas

    def set_frames(self, n: int, fps: float) -> None:
        """Length of the clip: ``n`` ≥ 1 frames at ``fps``. Raises ValueError otherwise."""
        if n < 1 or not fps > 0:
            raise ValueError(f"a clip has at least one frame and fps above 0, got {n} at {fps}")
        if (n, fps) != (self._data.n_frames, self._data.fps):
            self._change(n_frames=n, fps=fps)

    def set_position(self, frame: int) -> None:
        """Put the playhead on a frame; only its old and new place are painted."""
        self._canvas.set_position(frame)

    def set_span(self, first: float, last: float) -> None:
        """See these frames only, counted as ``span_changed`` does; silent."""
        self._canvas.set_span(first + 0.5, last + 0.5)

    def show_all(self) -> None:
        """See the whole clip."""
        self._canvas.set_span(0.0, float(self._data.n_frames))
        self._tell_span()

    def _tell_span(self) -> None:
        first, last = self._canvas.span()
        self.span_changed.emit(first - 0.5, last - 0.5)

    def set_findings(self, findings: Sequence[tuple[int, str, str, str]]) -> None:
        """Marks (frame, severity, axis, text)."""
        self._change(findings=tuple(FindingMark(*f) for f in findings))

    def set_contacts(self, contacts: Sequence[tuple[int, str, str]]) -> None:
        """Marks (frame, kind, text); kind is ``bounce``, ``touch`` or ``slide``."""
        self._change(contacts=tuple(ContactMark(*c) for c in contacts))

    def set_errors(
        self, object_name: str, xyz: ArrayLike, rotation_deg: ArrayLike | None, energy: ArrayLike | None
    ) -> None:
        """Errors of one object, candidate − reference; NaN where not measured.

        Args:
            xyz: [mm], shape (T, 3).
            rotation_deg: [deg], shape (T,).
            energy: fraction of the reference's energy (0.29 is shown as +29 %), shape (T,).
        """
        position = np.asarray(xyz, dtype=np.float64)
        if position.ndim != 2 or position.shape[1] != 3:
            raise ValueError(f"xyz must have shape (T, 3), got {position.shape}")
        length = len(position)
        tracks = ErrorTracks(position, _track(rotation_deg, length), _track(energy, length))
        self._change(errors={**self._data.errors, object_name: tracks})

    def clear_errors(self, note: str = tr("not judged yet")) -> None:
        """Forget all strips; ``note`` stands in their place."""
        self._change(errors={}, note=note)

    def set_objects(self, names: Sequence[str]) -> None:
        """Objects to pick from; the first is picked when the present one is gone."""
        selected = self._data.selected if self._data.selected in names else (names[0] if names else "")
        errors = {k: v for k, v in self._data.errors.items() if k in names}
        self._change(objects=tuple(names), selected=selected, errors=errors)

    def set_object(self, name: str) -> None:
        """Pick an object without a signal; an unknown name is ignored."""
        if name in self._data.objects and name != self._data.selected:
            self._change(selected=name)

    def set_curve(
        self,
        label: str,
        times: ArrayLike,
        candidate: ArrayLike | None,
        reference: ArrayLike | None,
        unit: str,
    ) -> None:
        """The linked plot: ``times`` [s], shape (S,), and the tracks over them, shape (S,)."""
        at = np.asarray(times, dtype=np.float64)
        tracks = [None if v is None else np.asarray(v, dtype=np.float64) for v in (candidate, reference)]
        for track in tracks:
            if track is not None and track.shape != at.shape:
                raise ValueError(f"a track must have the shape of times {at.shape}, got {track.shape}")
        self._change(curve=Curve(label, at, tracks[0], tracks[1], unit))

    def set_curve_choices(self, choices: Sequence[tuple[str, str]], current: str) -> None:
        """Quantities (id, word) that the plot can show, and the one that it shows; silent."""
        if (tuple(choices), current) != (self._data.curves, self._data.curve_id):
            self._change(curves=tuple(choices), curve_id=current)

    def clear_curve(self) -> None:
        """Show no plot."""
        self._change(curve=None)

    def set_ready(
        self, decoded: NDArray[np.bool_], rendered: NDArray[np.bool_], judged: NDArray[np.bool_]
    ) -> None:
        """Which frames are decoded, rendered and judged; bool, shape (T,). Cheap: call it at any rate."""
        self._canvas.set_ready(decoded, rendered, judged)

    def set_horizon(self, frame: int | None) -> None:
        """From this frame on the reference is unpredictable: hatched."""
        if frame != self._data.horizon:
            self._change(horizon=frame)

    def set_departure(self, frame: int | None) -> None:
        """From this frame on the moving areas of the pictures lie apart: marked."""
        if frame != self._data.departure:
            self._change(departure=frame)

    def set_loop(self, start: int | None, end: int | None) -> None:
        """The loop range, inclusive; None is an open end."""
        if (start, end) != self._data.loop:
            self._change(loop=(start, end))

    def set_thresholds(self, thresholds: Limits) -> None:
        """What is within these is neutral, and the maps' ends follow from them."""
        if thresholds != self._data.thresholds:
            self._change(thresholds=thresholds)

    def set_auto(self, auto: bool) -> None:
        """Whether the maps' ends follow the errors instead."""
        if auto != self._data.auto:
            self._change(auto=auto)

    def _change(self, **changes: Any) -> None:
        self._data = replace(self._data, **changes)
        self._show()

    def _show(self) -> None:
        self._canvas.set_data(self._data)
        self._update_legend()

    def _update_legend(self) -> None:
        kinds = {row.kind for row in self._canvas.rows()}
        self._legend.set_data(self._data, sizes_shown="energy" in kinds, contacts_shown="contacts" in kinds)

    def _choose_object(self, name: str) -> None:
        self.set_object(name)
        self.object_selected.emit(name)


def _track(values: ArrayLike | None, length: int) -> NDArray[np.float64]:
    track = np.full(length, np.nan) if values is None else np.asarray(values, dtype=np.float64)
    if track.shape != (length,):
        raise ValueError(f"a track must have shape ({length},), got {track.shape}")
    return track
