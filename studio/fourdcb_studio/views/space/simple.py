"""The 3D view without OpenGL: coarse bodies, painted from far to near."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPen

from fourdcb_studio.theme import tokens
from fourdcb_studio.views.space.layers import SpaceState
from fourdcb_studio.views.space.paint import (
    Face,
    Stage,
    body_faces,
    paint_arrows,
    paint_faces,
    paint_grid,
    paint_lines,
    paint_path,
)
from fourdcb_studio.views.space.scene import impulses, paths, velocities

_IMPULSE = 0.22  # length of the greatest impulse's arrow, in distances of the eye


def paint_simple(painter: QPainter, state: SpaceState, stage: Stage) -> list[Face]:
    """Paint it; the faces of the bodies as they lie on the screen."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if "grid" in state.layers:
        floors = {f for w in state.worlds.values() for f in w.floors} or {0.0}
        for floor in sorted(floors)[:2]:
            paint_grid(painter, stage, floor, 0.6 * state.eye.distance)
    faces: list[Face] = []
    for body, position, rotation in state.solid().values():
        faces += body_faces(stage, body, position, rotation, alpha=1.0, tint=None)
    for body, position, rotation in state.ghosts().values():
        faces += body_faces(stage, body, position, rotation, alpha=0.35, tint=tokens().color("muted"))
    paint_faces(painter, faces)
    _paint_lines(painter, state, stage)
    return faces


def _paint_lines(painter: QPainter, state: SpaceState, stage: Stage) -> None:
    theme = tokens()
    reference = QPen(theme.color("muted"), 1.4, Qt.PenStyle.DashLine)
    pens = {"reference": reference, "candidate": QPen(theme.color("accent"), 1.8)}
    for role, world in state.worlds.items():
        if "paths" in state.layers:
            for way in paths(world, state.motions[role]):
                paint_path(painter, stage, way, pens[role])
        if "velocities" in state.layers:
            color = theme.color("accent" if role == "candidate" else "muted")
            paint_arrows(painter, stage, velocities(world, state.motions[role], state.frame), color)
    if "contacts" in state.layers:
        pushed = impulses(state.motions["candidate"], state.frame, _IMPULSE * state.eye.distance)
        paint_arrows(painter, stage, pushed, theme.color("bad"))
    shown = state.main
    if shown is not None and "camera" in state.layers:
        paint_lines(painter, stage, shown.camera, QPen(theme.color("text", 0.55), 1.2))
    if shown is not None and "lights" in state.layers:
        paint_arrows(painter, stage, shown.lights, theme.color("warning"))
