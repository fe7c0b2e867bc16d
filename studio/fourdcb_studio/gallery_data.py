"""Made-up data for the gallery: a cup that slides off a table and bounces too high in the replay."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QLinearGradient, QPainter, QPainterPath, QPolygonF

from fourdcb.errors import Diagnostic
from fourdcb.metrics.result import Axis, AxisResult, Cause, Finding, MetricValue
from fourdcb.world import DirectionalLight, Material, Object, Plane, World
from fourdcb_studio.views.space.scene import SpaceMotion

N_FRAMES, FPS = 120, 30.0
FRAME = 42
_SIZE = 512
_GRAVITY = (0.0, 0.0, -9.8)
SCRIPT = """# A steel cup slides off a table and bounces.
from fourdcb.dsl import *

cup = Object(
    name="cup",
    geometry="cylinder",
    size=[0.08, 0.08, 0.10],
    mass=0.15,
    restitution=1.35,  # too bouncy
    friction=0.30,
    pos=[-0.2, 0, 0.75],
    vel=[0.4, 0, 0],
    acc=[0, 0, -9.8],
)
table = Object(name="table", size=[0.8, 0.6, 0.04], fixed=True, pos=[-0.3, 0, 0.68])
sun = DirectionalLight(name="sun", direction=[-0.4, 0.3, -0.8], intensity=3.0)
world = World(duration=4, fps=30, objects=[cup, table], lights=[sun])
"""


def make_world() -> World:
    """A small world with the parameters that the panel shows."""
    cup = Object(
        name="cup",
        geometry="cylinder",
        size=(0.08, 0.08, 0.1),
        mass=0.15,
        friction=0.30,
        restitution=0.35,
        pos=(-0.2, 0.0, 0.75),
        vel=(0.4, 0.0, 0.0),
        acc=_GRAVITY,
        material=Material(base_color=(0.8, 0.82, 0.86), roughness=0.4),
    )
    table = Object(
        name="table",
        size=(0.8, 0.6, 0.04),
        fixed=True,
        pos=(-0.3, 0.0, 0.68),
        vel=(0.0, 0.0, 0.0),
        acc=(0.0, 0.0, 0.0),
    )
    sun = DirectionalLight(name="sun")
    return World(duration=N_FRAMES / FPS, fps=FPS, objects=(cup, table), planes=(Plane(),), lights=(sun,))


def heights() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Height of the cup [m] in replay and original, shape (T,) each."""
    frames = np.arange(N_FRAMES, dtype=np.float64)
    return _bounces(frames, (38, 79, 118), (0.14, 0.08)), _bounces(frames, (38, 60, 78), (0.05, 0.02))


def _bounces(
    frames: NDArray[np.float64], hits: tuple[int, ...], tops: tuple[float, ...]
) -> NDArray[np.float64]:
    z = np.full(len(frames), 0.05)
    fall = frames <= hits[0]
    z[fall] = 0.75 - 0.70 * np.clip((frames[fall] - 20) / (hits[0] - 20), 0, 1) ** 2
    for start, end, top in zip(hits, hits[1:], tops, strict=False):
        inside = (frames > start) & (frames < end)
        u = (frames[inside] - start) / (end - start)
        z[inside] = 0.05 + top * 4 * u * (1 - u)
    return z


def motions() -> tuple[SpaceMotion, SpaceMotion]:
    """Ways of the cup in replay and original."""
    x = -0.2 + 0.4 * np.arange(N_FRAMES) / FPS * 0.8
    turn = np.clip(np.arange(N_FRAMES) - 20, 0, 60) * 0.04
    orientation = np.stack([np.cos(turn / 2), 0 * turn, np.sin(turn / 2), 0 * turn], axis=1)

    def motion(z: NDArray[np.float64]) -> SpaceMotion:
        position = np.stack([x, 0 * x, z], axis=1)
        return SpaceMotion(("cup",), position[:, None], orientation[:, None])

    replay, original = heights()
    return motion(replay), motion(original)


def errors() -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Position error [mm] (T, 3), rotation error [deg] (T,), energy error as a fraction (T,)."""
    t = np.arange(N_FRAMES, dtype=np.float64)
    after = np.clip(t - 38, 0, None)
    x = -12 * np.exp(-((t - 55) ** 2) / 400)
    y = 3.5 * np.exp(-((t - 15) ** 2) / 150) - 1.5
    z = (
        58 * np.exp(-((t - 52) ** 2) / 60)
        - 46 * np.exp(-((t - 68) ** 2) / 30)
        + 34 * np.exp(-((t - 83) ** 2) / 60)
    )
    rotation = 0.05 * after + 1.8 * (1 - np.exp(-after / 30))
    energy = np.where(t >= 38, 0.31 * np.exp(-after / 55), 0.0)
    return np.stack([x, y, z], axis=1), rotation, energy


def findings() -> tuple[Finding, ...]:
    """What is wrong, worst first."""
    restitution = Cause(parameter="cup.restitution", current=0.35, suggested=0.2)

    def found(frame: int, axis: Axis, message: str, cause: Cause | None = None, **more: str) -> Finding:
        return Finding(
            frame=frame,
            time=frame / FPS,
            axis=axis,
            objects=("cup",),
            arguments={"text": message},
            likely_cause=cause,
            severity="warning" if more else "error",
        )

    return (
        found(42, "physics", "cup bounces 3× too high", restitution),
        found(51, "geometry", "cup is 61 mm off in Z at the top of its flight"),
        found(63, "time", "cup's second impact comes 9 frames late", restitution),
        found(44, "physics", "energy is 31 % above what contact may leave", severity="warning"),
    )


def diagnostics() -> tuple[Diagnostic, ...]:
    """An error and a warning of the script."""
    return (
        Diagnostic(
            severity="error",
            code="out-of-range",
            message="cup.restitution is 1.35, allowed is 0 … 1.",
            path="cup.restitution",
            line=9,
            column=17,
        ),
        Diagnostic(
            severity="warning",
            code="no-ground",
            message="nothing catches cup below the table.",
            line=17,
            column=1,
            hint="Add a Plane.",
        ),
    )


def axes() -> dict[Axis, AxisResult]:
    """Results of the four axes."""

    def metric(value: float, threshold: float, unit: str) -> MetricValue:
        return MetricValue(value=value, threshold=threshold, unit=unit, passed=value < threshold)

    return {
        "geometry": AxisResult(passed=False, metrics={"position_rmse": metric(0.061, 0.02, "m")}),
        "physics": AxisResult(passed=False, metrics={"energy_error": metric(31.0, 8.0, "%")}),
        "material_light": AxisResult(passed=True, metrics={"albedo_error": metric(0.02, 0.15, "")}),
        "time": AxisResult(passed=True, metrics={"event_offset": metric(0.01, 0.05, "s")}),
    }


def sensitivity(centre: float) -> NDArray[np.float64]:
    """Error along a slider with its least at ``centre``, shape (64,)."""
    return np.abs(np.linspace(0, 1, 64) - centre) ** 0.8


def picture(z: float, tilt_deg: float) -> NDArray[np.uint8]:
    """A drawn scene with the cup at height ``z`` [m], uint8, shape (512, 512, 3)."""
    image = QImage(_SIZE, _SIZE, QImage.Format.Format_RGB888)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    _fill(painter, QRectF(0, 0, _SIZE, 300), "#8f9aaa", "#c0c6d0")
    _fill(painter, QRectF(0, 300, _SIZE, 212), "#877763", "#5d5143")
    for color, points in (
        ("#a9825a", ((0, 216), (268, 198), (322, 230), (0, 258))),
        ("#7d5c3f", ((0, 258), (322, 230), (322, 252), (0, 280))),
    ):
        painter.setBrush(QColor(color))
        painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in points]))
    y = 430 - 620 * (z - 0.05)
    painter.setBrush(QColor(40, 33, 26, 150))
    painter.drawEllipse(QPointF(374, 446), 48, 15)
    _cup(painter, QPointF(370, y), tilt_deg)
    painter.end()
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(_SIZE, image.bytesPerLine())
    return rows[:, : 3 * _SIZE].reshape(_SIZE, _SIZE, 3).copy()


def _fill(painter: QPainter, rect: QRectF, top: str, bottom: str) -> None:
    gradient = QLinearGradient(rect.topLeft(), rect.bottomLeft())
    gradient.setColorAt(0, QColor(top))
    gradient.setColorAt(1, QColor(bottom))
    painter.fillRect(rect, gradient)


def _cup(painter: QPainter, centre: QPointF, tilt_deg: float) -> None:
    painter.save()
    painter.translate(centre)
    painter.rotate(tilt_deg)
    steel = QLinearGradient(-36, 0, 36, 0)
    for at, color in ((0, "#6d7890"), (0.35, "#eef1f6"), (0.7, "#7c88a0"), (1, "#a8b1c2")):
        steel.setColorAt(at, QColor(color))
    body = QPainterPath(QPointF(-36, -45))
    body.lineTo(-36, 45)
    body.quadTo(0, 60, 36, 45)
    body.lineTo(36, -45)
    painter.fillPath(body, steel)
    painter.setBrush(QColor("#dfe4ec"))
    painter.drawEllipse(QPointF(0, -45), 36, 13)
    painter.setBrush(QColor("#3b4863"))
    painter.drawEllipse(QPointF(0, -44), 29, 9)
    painter.restore()


def pictures(frame: int = FRAME) -> dict[str, NDArray[np.uint8]]:
    """Images of a frame by source."""
    replay, original = heights()
    swing = 8 * math.sin(frame / 9)
    return {
        "reference": picture(float(original[frame]) + 0.02, 14 + swing),
        "candidate": picture(float(replay[frame]) + 0.11, 26 + swing),
        "before": picture(float(replay[frame]) + 0.2, 40 + swing),
    }
