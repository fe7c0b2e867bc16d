"""Both worlds in space: the candidate solid, the reference as a ghost; by OpenGL, or painted without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QShowEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from fourdcb.words import chosen
from fourdcb_studio.theme import tokens
from fourdcb_studio.views.space.gl.probe import GlProbe, is_software
from fourdcb_studio.views.space.layers import LAYER_KEYS, Layer, SpaceRole, SpaceState
from fourdcb_studio.views.space.orbit import OrbitEye, ViewAxis, camera_eye
from fourdcb_studio.views.space.overlay import paint_overlay
from fourdcb_studio.views.space.paint import Face, Stage
from fourdcb_studio.views.space.pick import body_under
from fourdcb_studio.views.space.scene import SpaceMotion, SpaceWorld, paths, space_world
from fourdcb_studio.views.space.simple import paint_simple
from fourdcb_studio.widgets.image_paint import Message, paint_message
from fourdcb_studio.widgets.keys import keeps

if TYPE_CHECKING:
    from fourdcb.world import World
    from fourdcb_studio.views.space.gl.renderer import GlRenderer

_CLICK = 4.0
_REST_MS = 180  # after which the processor draws smooth edges again
AXIS_KEYS: dict[Qt.Key, ViewAxis] = {
    Qt.Key.Key_1: "front", Qt.Key.Key_3: "side", Qt.Key.Key_7: "top"
}  # fmt: skip
_KEPT = frozenset({key for _, key in LAYER_KEYS} | set(AXIS_KEYS) | {Qt.Key.Key_0, Qt.Key.Key_F})


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
        self._on: set[Layer] = {key for key, _ in LAYER_KEYS} - {"names"}
        self._frame = 0
        self._selected = ""
        self._picture: NDArray[np.uint8] | None = None
        self._eye = OrbitEye()
        self._reach = 1.0  # size of the scene [m]
        self._unframed: set[SpaceRole] = set()  # whose way was not brought into view yet
        self._faces: list[Face] = []
        self._press: QPointF | None = None
        self._last = QPointF()
        self._probe: GlProbe | None = None
        self._gl: GlRenderer | None = None
        self._renderer_name: str | None = None  # None before it is known, "" without OpenGL
        self._moving = QTimer(self)
        self._moving.setSingleShot(True)
        self._moving.setInterval(_REST_MS)
        self._moving.timeout.connect(self.update)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(240, 160)
        self.setAccessibleName(chosen().say("studio.space.name"))

    # -- what is shown -------------------------------------------------------------------------------
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
            self._moving.start()
            self.update()

    def set_picture(self, image: NDArray[np.uint8] | None) -> None:
        """The replay's picture, which stands in the camera's view; sRGB uint8, shape (H, W, 3)."""
        if image is not self._picture:
            self._picture = image
            self.update()

    def set_selected(self, name: str) -> None:
        """Name of the body that is outlined."""
        if name != self._selected:
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

    def state(self) -> SpaceState:
        """What is drawn."""
        return SpaceState(
            self._worlds, self._motions, frozenset(self._on), self._frame, self._eye, self._selected,
            self._picture,
        )  # fmt: skip

    # -- where it is seen from -----------------------------------------------------------------------
    def eye(self) -> OrbitEye:
        """Where it is seen from."""
        return self._eye

    def fit(self) -> None:
        """Bring both worlds' bodies and ways into view; wide static things count by their middle."""
        clouds = [np.array([body.position]) for w in self._worlds.values() for body in w.bodies]
        for role, world in self._worlds.items():
            clouds += paths(world, self._motions[role])
        clouds += [w.points() for w in self._worlds.values() if w.bodies]
        self._see(self._eye.fitted(np.concatenate(clouds) if clouds else np.empty((0, 3))))
        self._reach = self._eye.distance

    def look_along(self, axis: ViewAxis) -> None:
        """See it along an axis of the world."""
        self._unframed.clear()
        self._see(self._eye.along(axis))

    def look_through_camera(self) -> None:
        """See it from where the scene's camera stands."""
        world = self.state().main
        if world is None or world.view is None:
            return
        self._unframed.clear()
        centre = np.asarray(world.view.pos, dtype=np.float64)
        ahead = np.asarray(world.view.target, dtype=np.float64) - centre
        self._see(camera_eye(world.view, max(float(np.linalg.norm(ahead)), 0.1)), held=False)

    def frame_selection(self) -> None:
        """Bring the selected body into view, or everything where none is."""
        placed = self.state().solid() | self.state().ghosts()
        if self._selected not in placed:
            self.fit()
            return
        body, position, rotation = placed[self._selected]
        self._unframed.clear()
        near = self._eye.fitted(body.solid.vertices @ rotation.T + position)
        self._see(near.zoomed(1 / 2.2))

    def _see(self, eye: OrbitEye, *, held: bool = True) -> None:
        floors = [floor for world in self._worlds.values() for floor in world.floors]
        self._eye = eye.above(min(floors) if floors else None) if held else eye
        self._moving.start()
        self.update()

    # -- OpenGL --------------------------------------------------------------------------------------
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._probe is None:
            self._probe = GlProbe(self, self._use)
            self._probe.start()

    def renderer_name(self) -> str | None:
        """What draws: OpenGL's name of it, "" for the simple view, None while that is being found out."""
        return self._renderer_name

    def close_gl(self) -> None:
        """Give back what OpenGL holds."""
        if self._probe is not None:
            self._probe.close()
        if self._gl is not None:
            self._gl.close()
            self._gl = None

    def _use(self, renderer: str) -> None:
        self._renderer_name = renderer
        if renderer:
            from fourdcb_studio.views.space.gl.renderer import GlRenderer
            from fourdcb_studio.views.space.gl.surface import NoContext

            try:
                self._gl = GlRenderer()
            except NoContext:
                self._renderer_name = ""
        self.update()

    # -- mouse and keys ------------------------------------------------------------------------------
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
            self._see(self._eye.turned(step.x(), step.y()))
        else:
            self._see(self._eye.panned(step.x(), step.y(), height=min(self.width(), self.height())))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        press, self._press = self._press, None
        if press is None or (event.position() - press).manhattanLength() > _CLICK:
            return
        at, state = event.position(), self.state()
        bodies = [*state.solid().values(), *state.ghosts().values()]
        name = body_under(bodies, self._eye, at.x(), at.y(), width=self.width(), height=self.height())
        if name:
            self.object_picked.emit(name)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._unframed.clear()
        self._see(self._eye.zoomed(1.15 ** (event.angleDelta().y() / 120)))
        event.accept()

    def event(self, event: QEvent) -> bool:
        return keeps(event, _KEPT) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        layer = next((name for name, own in LAYER_KEYS if own == key), None)
        if layer is not None:
            self.set_layer(layer, layer not in self._on)
        elif key in AXIS_KEYS:
            self.look_along(AXIS_KEYS[key])
        elif key == Qt.Key.Key_0:
            self.look_through_camera()
        elif key == Qt.Key.Key_F:
            self.frame_selection()
        else:
            super().keyPressEvent(event)

    # -- painting ------------------------------------------------------------------------------------
    def sizeHint(self) -> QSize:
        return QSize(860, 430)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), tokens().color("background"))
        if not self._worlds:
            title, words = (chosen().say(f"studio.space.{key}") for key in ("empty", "empty_about"))
            paint_message(painter, QRectF(self.rect()), Message("empty", title, words))
            return
        state, stage = self.state(), Stage(self._eye, self.width(), self.height())
        if self._gl is not None:
            self._paint_gl(painter, self._gl, state)
        elif self._renderer_name is not None:
            self._faces = paint_simple(painter, state, stage)
        note = chosen().say("studio.space.no_gl") if self._renderer_name == "" else ""
        paint_overlay(painter, state, stage, note=note)

    def _paint_gl(self, painter: QPainter, renderer: GlRenderer, state: SpaceState) -> None:
        from fourdcb_studio.views.space.gl.compose import compose

        ratio = self.devicePixelRatioF()
        # The processor draws smooth edges only where nothing moves.
        coarse = self._moving.isActive() and is_software(self._renderer_name or "")
        image = renderer.draw(
            compose(state, reach=self._reach),
            width=round(self.width() * ratio),
            height=round(self.height() * ratio),
            samples=0 if coarse else 4,
        )
        image.setDevicePixelRatio(ratio)
        painter.drawImage(QPointF(0, 0), image)


def _names(world: SpaceWorld) -> list[str]:
    return [body.name for body in world.bodies]
