"""Painting of the 3D view with QPainter: faces from far to near, lines, arrows, grid and axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from fourdcb.arrays import F64
from fourdcb_studio.theme import note_font, tokens
from fourdcb_studio.views.space.orbit import OrbitEye
from fourdcb_studio.views.space.scene import SpaceBody

_STEPS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Stage:
    """Where is painted and from where it is seen."""

    eye: OrbitEye
    width: float
    height: float

    def screen(self, local: F64) -> F64:
        """Widget px of points in the eye's axes."""
        return self.eye.project(local, width=self.width, height=self.height)


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """A face on the screen: its depth, corners [px] and colour, and the body that it belongs to."""

    depth: float
    corners: F64
    color: tuple[int, int, int, int]
    body: str


def body_faces(
    stage: Stage, body: SpaceBody, position: F64, rotation: F64, *, alpha: float, tint: QColor | None
) -> list[Face]:
    """The faces of a body that look at the eye, shaded by how much they do."""
    local = stage.eye.eye_points(body.solid.vertices @ rotation.T + position)
    corners = local[body.solid.faces]
    normal = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    flat = np.linalg.norm(normal, axis=1) < 1e-15
    normal[flat] = np.cross(corners[flat, 1] - corners[flat, 0], corners[flat, 2] - corners[flat, 0])
    length = np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-15)
    # The eye's axes are left-handed (depth grows away from it): the product points into the body.
    towards = np.einsum("pi,pi->p", normal / length, _unit(corners.mean(axis=1)))
    shown = (towards > 1e-3) & (corners[..., 2].min(axis=1) > stage.eye.near())
    screen = stage.screen(local)
    base = np.array(body.color) if tint is None else np.array([tint.redF(), tint.greenF(), tint.blueF()])
    shade = np.clip(0.62 + 0.38 * towards, 0, 1)
    found = []
    for i in np.flatnonzero(shown).tolist():
        r, g, b = (255 * np.clip(base * shade[i], 0, 1)).astype(int).tolist()
        depth = float(corners[i, :, 2].mean())
        found.append(Face(depth, screen[body.solid.faces[i]], (r, g, b, int(255 * alpha)), body.name))
    return found


def _unit(vectors: F64) -> F64:
    length: F64 = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-15)
    return vectors / length


def paint_faces(painter: QPainter, faces: Sequence[Face]) -> None:
    """Paint faces from far to near."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for face in sorted(faces, key=lambda f: -f.depth):
        color = QColor(*face.color)
        # Opaque neighbours share an edge: a thin line of the same colour closes the seam between them.
        painter.setPen(QPen(color, 0.8) if color.alpha() == 255 else Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawConvexPolygon(polygon(face.corners))


def polygon(corners: F64) -> QPolygonF:
    """A polygon of screen points."""
    return QPolygonF([QPointF(x, y) for x, y in corners.tolist()])


def clipped(stage: Stage, segments: F64) -> F64:
    """Screen ends of segments [m], shape (S, 2, 3), cut at the near plane; shape (K, 2, 2), K ≤ S."""
    if not len(segments):
        return np.empty((0, 2, 2))
    local = stage.eye.eye_points(segments.reshape(-1, 3)).reshape(-1, 2, 3)
    near = stage.eye.near()
    local = local[(local[..., 2] > near).any(axis=1)]
    for end, other in ((0, 1), (1, 0)):
        behind = local[:, end, 2] < near
        a, b = local[behind, end], local[behind, other]
        t = ((near - a[:, 2]) / np.maximum(b[:, 2] - a[:, 2], 1e-12))[:, None]
        local[behind, end] = a + t * (b - a)
    return stage.screen(local.reshape(-1, 3)).reshape(-1, 2, 2)


def paint_lines(painter: QPainter, stage: Stage, segments: F64, pen: QPen) -> None:
    """Paint segments [m], shape (S, 2, 3)."""
    painter.setPen(pen)
    for (ax, ay), (bx, by) in clipped(stage, segments).tolist():
        painter.drawLine(QPointF(ax, ay), QPointF(bx, by))


def paint_path(painter: QPainter, stage: Stage, way: F64, pen: QPen) -> None:
    """Paint a way [m], shape (T, 3)."""
    paint_lines(painter, stage, np.stack([way[:-1], way[1:]], axis=1), pen)


def paint_arrows(painter: QPainter, stage: Stage, arrows: F64, color: QColor) -> None:
    """Paint arrows [m], shape (S, 2, 3), with heads of constant size."""
    painter.setPen(QPen(color, 2))
    painter.setBrush(color)
    for ends in clipped(stage, arrows):
        (ax, ay), (bx, by) = ends.tolist()
        painter.drawLine(QPointF(ax, ay), QPointF(bx, by))
        along = ends[1] - ends[0]
        length = float(np.hypot(*along))
        if length < 4:
            continue
        ux, uy = (along / length).tolist()
        left = QPointF(bx - 9 * ux + 4 * uy, by - 9 * uy - 4 * ux)
        right = QPointF(bx - 9 * ux - 4 * uy, by - 9 * uy + 4 * ux)
        painter.drawPolygon(QPolygonF([QPointF(bx, by), left, right]))


def paint_grid(painter: QPainter, stage: Stage, floor: float, radius: float) -> None:
    """A round grid on a floor at height ``floor`` [m]; its step is written by the view."""
    step = grid_step(radius)
    reach = step * np.ceil(radius / step)
    cx, cy = (step * np.round(np.array(stage.eye.target[:2]) / step)).tolist()
    lines = []
    for offset in np.arange(-reach, reach + step / 2, step).tolist():
        half = float(np.sqrt(max(reach**2 - offset**2, 0.0)))
        lines.append([(cx + offset, cy - half, floor), (cx + offset, cy + half, floor)])
        lines.append([(cx - half, cy + offset, floor), (cx + half, cy + offset, floor)])
    paint_lines(painter, stage, np.array(lines), QPen(tokens().color("line"), 1))


def grid_step(radius: float) -> float:
    """Distance of the grid's lines [m] for a scene of ``radius`` [m]: about ten across it."""
    return next((s for s in _STEPS if s * 8 >= radius), _STEPS[-1])


def paint_axes(painter: QPainter, eye: OrbitEye, centre: QPointF, length: float = 26) -> None:
    """The world's axes as they lie on the screen."""
    theme = tokens()
    basis = eye.basis()
    painter.setFont(note_font())
    order = sorted(range(3), key=lambda i: basis[2, i])
    for i in order:
        color = theme.color(("axis_x", "axis_y", "axis_z")[i])
        end = centre + QPointF(length * basis[0, i], -length * basis[1, i])
        painter.setPen(QPen(color, 2))
        painter.drawLine(centre, end)
        beyond = centre + (end - centre) * 1.35
        box = QRectF(beyond.x() - 8, beyond.y() - 8, 16, 16)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "XYZ"[i])
