"""The quantities that can be plotted over the frames, and their tracks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fourdcb.arrays import F64
from fourdcb.words import chosen
from fourdcb_studio.session.messages import Role
from fourdcb_studio.session.motion import Motion, ObjectErrors
from fourdcb_studio.session.scene_session import SceneSession


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """One thing that has a value at every frame; its word is ``studio.quantities.ID``.

    Attributes:
        unit: of its values, "" for none.
        of: what has it: every object's motion, its error against the reference, or the pictures.
        track: of the motion and a body's index, or of the errors and nothing: shape (T,).
        metric: the metric whose threshold is drawn, "" for none; ``scale`` is from its unit to this one.
    """

    id: str
    unit: str
    of: Literal["motion", "error", "image"]
    track: Callable[[Motion, int], F64] | None = None
    error: Callable[[ObjectErrors], F64] | None = None
    metric: str = ""
    scale: float = 1.0

    @property
    def word(self) -> str:
        """What it is called."""
        return chosen().say(f"studio.quantities.{self.id}")


QUANTITIES: tuple[Quantity, ...] = (
    Quantity(id="height", unit="m", of="motion", track=lambda m, i: m.position[:, i, 2]),
    Quantity(id="x", unit="m", of="motion", track=lambda m, i: m.position[:, i, 0]),
    Quantity(id="y", unit="m", of="motion", track=lambda m, i: m.position[:, i, 1]),
    Quantity(id="speed", unit="m/s", of="motion", track=lambda m, i: m.speed[:, i]),
    Quantity(id="velocity_x", unit="m/s", of="motion", track=lambda m, i: m.velocity[:, i, 0]),
    Quantity(id="velocity_y", unit="m/s", of="motion", track=lambda m, i: m.velocity[:, i, 1]),
    Quantity(id="velocity_z", unit="m/s", of="motion", track=lambda m, i: m.velocity[:, i, 2]),
    Quantity(id="spin", unit="rad/s", of="motion", track=lambda m, i: m.spin[:, i]),
    Quantity(id="kinetic", unit="J", of="motion", track=lambda m, i: m.kinetic[:, i]),
    Quantity(id="potential", unit="J", of="motion", track=lambda m, i: m.energy[:, i] - m.kinetic[:, i]),
    Quantity(id="energy", unit="J", of="motion", track=lambda m, i: m.energy[:, i]),
    Quantity(id="impulse", unit="N·s", of="motion", track=lambda m, i: m.impulse[:, i]),
    Quantity(
        id="position_error", unit="mm", of="error", metric="delta_pos", scale=1000.0,
        error=lambda e: np.linalg.norm(e.position_mm, axis=1),
    ),
    Quantity(id="rotation_error", unit="°", of="error", metric="delta_rot", error=lambda e: e.rotation_deg),
    Quantity(id="velocity_error", unit="m/s", of="error", error=lambda e: e.velocity),
    Quantity(
        id="energy_error", unit="%", of="error", metric="energy_error", scale=100.0,
        error=lambda e: np.abs(100.0 * e.energy),
    ),
    Quantity(id="psnr", unit="dB", of="image", metric="psnr"),
    Quantity(id="ssim", unit="", of="image", metric="ssim"),
    Quantity(id="flow_error", unit="px", of="image"),
    Quantity(id="silhouette_iou", unit="", of="image"),
)  # fmt: skip
BY_ID = {quantity.id: quantity for quantity in QUANTITIES}


@dataclass(frozen=True, slots=True)
class PlotCurve:
    """One quantity: ``times`` [s], shape (S,); tracks of the same length or None."""

    label: str
    times: F64
    candidate: F64 | None
    reference: F64 | None
    unit: str


def curve_choices(session: SceneSession) -> tuple[tuple[str, str], ...]:
    """(id, word) of what can be plotted now: motions where there are any, pictures where measured."""
    moves = session.motion("candidate") is not None
    compared = moves and session.motion("reference") is not None
    series = set(session.report.series if session.report is not None else ())
    series |= set(session.pictures.tracks if session.pictures is not None else ())
    there = {"motion": moves, "error": compared}
    return tuple((q.id, q.word) for q in QUANTITIES if (q.id in series if q.of == "image" else there[q.of]))


def make_curve(session: SceneSession, key: str, name: str) -> PlotCurve | None:
    """The tracks of a quantity; ``name`` is the object, where the quantity has one. None without data."""
    quantity = BY_ID[key]
    own = track_of(session, "candidate", quantity, name)
    if own is None:
        return None
    other = track_of(session, "reference", quantity, name)
    label = quantity.word
    if quantity.of != "image":
        label = chosen().say("studio.plots.of", quantity=label, name=name)
    times = np.arange(len(own)) / session.clock.fps
    return PlotCurve(label, times, own, None if other is None else _padded(other, len(own)), quantity.unit)


def track_of(session: SceneSession, role: Role, quantity: Quantity, name: str) -> F64 | None:
    """Values at the frames, shape (T,); None where there are none. The reference has no error."""
    if quantity.of == "image":
        return image_series(session, quantity.id, role)
    if quantity.of == "error":
        errors = session.errors_of(name, role) if role != "reference" else None
        return None if errors is None or quantity.error is None else quantity.error(errors)
    motion = session.motion(role)
    if motion is None or quantity.track is None or name not in motion.names:
        return None
    return quantity.track(motion, motion.names.index(name))


def image_series(session: SceneSession, key: str, role: Role = "candidate") -> F64 | None:
    """A per-frame image measure on the clip's frames, NaN where a frame has no partner; None without any."""
    moving = session.pictures
    if role == "candidate" and moving is not None and key in moving.tracks:
        return _padded(moving.tracks[key], session.clock.n_frames)
    reports = {"candidate": session.report, "before": session.report_before}
    report = reports.get(role)
    values = report.series.get(key) if report is not None else None
    if report is None or values is None:
        return None
    track = np.full(session.clock.n_frames, np.nan)
    frames = report.series.get("frame") or range(len(values))
    for frame, value in zip(frames, values, strict=False):
        if value is not None and 0 <= int(frame) < len(track):
            track[int(frame)] = value
    return track


def _padded(values: F64, length: int) -> F64:
    out = np.full(length, np.nan)
    out[: min(length, len(values))] = values[:length]
    return out
