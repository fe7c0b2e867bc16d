"""Both worlds in space: the candidate solid, the reference as a ghost; painted without OpenGL."""

from __future__ import annotations

from typing import Literal

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from fourdcb.arrays import F64
from fourdcb.world import World
from fourdcb_studio.theme import GRID, note_font, tokens
from fourdcb_studio.views.space.orbit import OrbitEye
from fourdcb_studio.views.space.paint import (
    Face,
    Stage,
    body_at,
    body_faces,
    grid_step,
    paint_arrows,
    paint_axes,
    paint_faces,
    paint_grid,
    paint_lines,
    paint_path,
)
from fourdcb_studio.views.space.scene import (
    SpaceBody,
    SpaceMotion,
    SpaceWorld,
    paths,
    poses,
    space_world,
    velocities,
)
from fourdcb_studio.widgets.image_paint import Message, paint_message
from fourdcb_studio.widgets.keys import keeps

SpaceRole = Literal["candidate", "reference"]
Layer = Literal["candidate", "ghost", "paths", "velocities", "camera", "lights", "grid"]
LAYERS: tuple[tuple[Layer, str, Qt.Key], ...] = (
    ("candidate", "replay", Qt.Key.Key_R),
    ("ghost", "original", Qt.Key.Key_G),
    ("paths", "paths", Qt.Key.Key_T),
    ("velocities", "velocities", Qt.Key.Key_V),
    ("camera", "camera", Qt.Key.Key_C),
    ("lights", "lights", Qt.Key.Key_L),
    ("grid", "grid", Qt.Key.Key_B),
)
"""Layer, its word and its key."""
_CLICK = 4.0
Placed = tuple[SpaceBody, F64, F64]


class SpaceCanvas(QWidget):
    """Left drag turns, right or middle drag moves, the wheel zooms, a double click fits.

    Signals:
        object_picked(name): a body was clicked.
        layers_changed().
    """

    object_picked = Signal(str)
    layers_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._worlds: dict[SpaceRole, SpaceWorld] = {}
        self._motions: dict[SpaceRole, SpaceMotion | None] = {"candidate": None, "reference": None}
        self._on: set[Layer] = {key for key, _, _ in LAYERS}
        self._frame = 0
        self._selected = ""
        self._eye = OrbitEye()
        self._unframed: set[SpaceRole] = set()  # whose way was not brought into view yet
        self._faces: list[Face] = []
        self._press: QPointF | None = None
        self._last = QPointF()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(240, 160)
        self.setAccessibleName("3D view")

    def set_world(self, role: SpaceRole, world: World | None) -> None:
        """Draw a world; another scene is fitted into view, and once more when its ways are known.

        Raises:
            UserError: when a mesh file cannot be read.
        """
        known = [_names(shown) for shown in self._worlds.values()]
        if world is None:
            self._worlds.pop(role, None)
        else:
            made = self._worlds[role] = space_world(world)
            if _names(made) not in known:
                self._unframed = {"candidate", "reference"}
                self.fit()
        self.update()

    def set_motion(self, role: SpaceRole, motion: SpaceMotion | None) -> None:
        """Poses at the frames; without them bodies stand at their start."""
        self._motions[role] = motion
        if motion is not None and role in self._unframed:
            self._unframed.discard(role)
            self.fit()
        self.update()

    def set_frame(self, frame: int) -> None:
        """Draw the poses of a frame."""
        if frame != self._frame:
            self._frame = frame
            self.update()

    def set_selected(self, name: str) -> None:
        """Name of the body that is outlined."""
        self._selected = name
        self.update()

    def set_layer(self, layer: Layer, on: bool) -> None:
        """Show or hide a layer."""
        self._on = self._on | {layer} if on else self._on - {layer}
        self.layers_changed.emit()
        self.update()

    def has_layer(self, layer: Layer) -> bool:
        """Whether a layer is shown."""
        return layer in self._on

    def eye(self) -> OrbitEye:
        """Where it is seen from."""
        return self._eye

    def fit(self) -> None:
        """Bring both worlds' bodies and ways into view; wide static things count by their middle."""
        clouds = [np.array([body.position]) for w in self._worlds.values() for body in w.bodies]
        for role, world in self._worlds.items():
            clouds += paths(world, self._motions[role])
        clouds += [w.points() for w in self._worlds.values() if w.bodies]
        self._eye = self._eye.fitted(np.concatenate(clouds) if clouds else np.empty((0, 3)))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(860, 430)

    # Mouse and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._press = self._last = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._press is None:
            return
        step = event.position() - self._last
        self._last = event.position()
        self._unframed.clear()  # the user looks for himself
        turning = event.buttons() == Qt.MouseButton.LeftButton and not (
            event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        )
        if turning:
            self._eye = self._eye.turned(step.x(), step.y())
        else:
            self._eye = self._eye.panned(step.x(), step.y(), height=min(self.width(), self.height()))
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        press, self._press = self._press, None
        if press is None or (event.position() - press).manhattanLength() > _CLICK:
            return
        name = body_at(self._faces, event.position())
        if name:
            self.object_picked.emit(name)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._unframed.clear()
        self._eye = self._eye.zoomed(1.15 ** (event.angleDelta().y() / 120))
        self.update()
        event.accept()

    def event(self, event: QEvent) -> bool:
        return keeps(event, frozenset(key for _, _, key in LAYERS)) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        for layer, _, key in LAYERS:
            if event.key() == key:
                self.set_layer(layer, layer not in self._on)
                return
        super().keyPressEvent(event)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme = tokens()
        painter.fillRect(self.rect(), theme.color("background"))
        if not self._worlds:
            paint_message(painter, QRectF(self.rect()), Message("empty", "No world", "Open a world script."))
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        stage = Stage(self._eye, self.width(), self.height())
        if "grid" in self._on:
            self._paint_grid(painter, stage)
        self._faces = self._visible_faces(stage)
        paint_faces(painter, self._faces)
        self._paint_lines(painter, stage)
        self._paint_frame(painter)

    def _paint_grid(self, painter: QPainter, stage: Stage) -> None:
        floors = {f for w in self._worlds.values() for f in w.floors} or {0.0}
        for floor in sorted(floors)[:2]:
            paint_grid(painter, stage, floor, 0.6 * self._eye.distance)

    def _visible_faces(self, stage: Stage) -> list[Face]:
        faces: list[Face] = []
        solid = self._poses("candidate") if "candidate" in self._on else {}
        for body, position, rotation in solid.values():
            faces += body_faces(stage, body, position, rotation, alpha=1.0, tint=None)
        ghosts = self._poses("reference") if "ghost" in self._on else {}
        alone = "candidate" not in self._worlds
        for name, (body, position, rotation) in ghosts.items():
            if name in solid and _same_pose(solid[name], position, rotation):
                continue
            tint = None if alone else tokens().color("muted")
            faces += body_faces(stage, body, position, rotation, alpha=1.0 if alone else 0.35, tint=tint)
        return faces

    def _poses(self, role: SpaceRole) -> dict[str, Placed]:
        world = self._worlds.get(role)
        if world is None:
            return {}
        placed = poses(world, self._motions[role], self._frame)
        return {
            body.name: (body, position, rotation)
            for body, (position, rotation) in zip(world.bodies, placed, strict=True)
        }

    def _paint_lines(self, painter: QPainter, stage: Stage) -> None:
        theme = tokens()
        reference = QPen(theme.color("muted"), 1.4, Qt.PenStyle.DashLine)
        pens = {"reference": reference, "candidate": QPen(theme.color("accent"), 1.8)}
        for role, world in self._worlds.items():
            if "paths" in self._on:
                for way in paths(world, self._motions[role]):
                    paint_path(painter, stage, way, pens[role])
            if "velocities" in self._on:
                color = theme.color("accent" if role == "candidate" else "muted")
                paint_arrows(painter, stage, velocities(world, self._motions[role], self._frame), color)
        world = self._worlds.get("candidate") or self._worlds["reference"]
        if "camera" in self._on:
            paint_lines(painter, stage, world.camera, QPen(theme.color("text", 0.55), 1.2))
        if "lights" in self._on:
            paint_arrows(painter, stage, world.lights, theme.color("warning"))

    def _paint_frame(self, painter: QPainter) -> None:
        theme = tokens()
        paint_axes(painter, self._eye, QPointF(48, self.height() - 48))
        painter.setFont(note_font())
        painter.setPen(theme.color("muted"))
        step = f"grid {grid_step(0.6 * self._eye.distance):g} m"
        box = QRectF(0, self.height() - 28, self.width() - 12, 20)
        painter.drawText(box, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), step)
        if self._selected:
            painter.setPen(theme.color("text"))
            painter.drawText(QRectF(12, 8, 400, 20), Qt.AlignmentFlag.AlignVCenter, self._selected)
        self._outline_selected(painter)

    def _outline_selected(self, painter: QPainter) -> None:
        corners = [f.corners for f in self._faces if f.body == self._selected and f.color[3] == 255]
        if not corners:
            return
        points = np.concatenate(corners)
        low, high = points.min(axis=0) - 4, points.max(axis=0) + 4
        painter.setPen(QPen(tokens().color("accent"), 1.2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(*low.tolist(), *(high - low).tolist()), 4, 4)


def _names(world: SpaceWorld) -> list[str]:
    return [body.name for body in world.bodies]


def _same_pose(placed: Placed, position: F64, rotation: F64) -> bool:
    _, own_position, own_rotation = placed
    return np.allclose(own_position, position, atol=1e-6) and np.allclose(own_rotation, rotation, atol=1e-6)


class SpaceView(QWidget):
    """The canvas with a chip for each layer under it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.canvas = SpaceCanvas()
        self._chips: dict[Layer, QPushButton] = {}
        line = QHBoxLayout()
        line.setSpacing(GRID)
        for layer, word, key in LAYERS:
            chip = QPushButton(word)
            chip.setProperty("kind", "chip")
            chip.setCheckable(True)
            chip.setChecked(True)
            chip.setToolTip(f"Show or hide: {word} ({chr(key)} when the view has the keyboard)")
            chip.toggled.connect(lambda on, name=layer: self.canvas.set_layer(name, on))
            self._chips[layer] = chip
            line.addWidget(chip)
        line.addStretch(1)
        fit = QPushButton("fit")
        fit.setProperty("kind", "chip")
        fit.clicked.connect(self.canvas.fit)
        line.addWidget(fit)
        self.canvas.layers_changed.connect(self._update_chips)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID)
        column.addWidget(self.canvas, 1)
        column.addLayout(line)

    def _update_chips(self) -> None:
        for layer, chip in self._chips.items():
            chip.blockSignals(True)
            chip.setChecked(self.canvas.has_layer(layer))
            chip.blockSignals(False)
