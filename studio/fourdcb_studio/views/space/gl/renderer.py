"""Draws the 3D view: ground, shadows, lit bodies, ghosts, lines and points, with real depth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QImage
from vispy import gloo
from vispy.gloo.context import FakeCanvas, set_current_canvas

from fourdcb.arrays import F64
from fourdcb.conventions import linear_from_srgb
from fourdcb_studio.theme import tokens
from fourdcb_studio.views.space.gl import shaders
from fourdcb_studio.views.space.gl.lines import Lines, ribbons
from fourdcb_studio.views.space.gl.surface import GlSurface
from fourdcb_studio.views.space.orbit import OrbitEye
from fourdcb_studio.views.space.scene import SpaceBody

Placed = tuple[SpaceBody, F64, F64]
_REACH = 9.0  # of the ground, in distances of the eye
_SHADOW = 0.24
_BODY = np.dtype([("a_position", np.float32, 3), ("a_normal", np.float32, 3), ("a_uv", np.float32, 2)])


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Round dots: centres [m], shape (P, 3); ``pixels`` wide at least, ``radius`` [m] big."""

    places: NDArray[np.floating]
    color: QColor
    pixels: float
    radius: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """An image in space: corners from the upper left, clockwise [m], shape (4, 3); sRGB (H, W, 3)."""

    corners: F64
    image: NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class SpacePicture:
    """Everything that is drawn at once.

    Attributes:
        solid, ghosts: bodies with position [m] and rotation; ``slopes`` are planes that are no floor.
        floors: heights [m]; ``grid`` is the distance of the lines on them [m], 0 for none.
        sun: where the light comes down along, unit.
    """

    eye: OrbitEye
    solid: Sequence[Placed] = ()
    ghosts: Sequence[Placed] = ()
    slopes: Sequence[Placed] = ()
    floors: Sequence[float] = ()
    grid: float = 0.0
    sun: F64 = field(default_factory=lambda: np.array([0.0, 0.0, -1.0]))
    lines: Lines | None = None
    points: Sequence[Points] = ()
    pictures: Sequence[Picture] = ()


class _Target(FakeCanvas):
    """What gloo takes for a canvas: its commands go into the surface's picture."""

    def __init__(self, surface: GlSurface) -> None:
        super().__init__()
        self._surface, self._backend = surface, self

    def _vispy_get_fb_bind_location(self) -> int:
        return self._surface.picture_name()


class GlRenderer:
    """Keeps meshes and programs on the card.

    Raises:
        NoContext: without OpenGL.
    """

    def __init__(self) -> None:
        self._surface = GlSurface()
        self._canvas = _Target(self._surface)
        self._bodies = gloo.Program(shaders.BODY_VERTEX, shaders.BODY_FRAGMENT)
        self._ghosts = gloo.Program(shaders.BODY_VERTEX, shaders.GHOST_FRAGMENT)
        self._ground = gloo.Program(shaders.GROUND_VERTEX, shaders.GROUND_FRAGMENT)
        self._shadow = gloo.Program(shaders.SHADOW_VERTEX, shaders.SHADOW_FRAGMENT)
        self._lines = gloo.Program(shaders.LINE_VERTEX, shaders.LINE_FRAGMENT)
        self._points = gloo.Program(shaders.POINT_VERTEX, shaders.POINT_FRAGMENT)
        self._pictures = gloo.Program(shaders.PICTURE_VERTEX, shaders.PICTURE_FRAGMENT)
        corners = np.array([(-1, -1), (1, -1), (-1, 1), (1, 1)], dtype=np.float32)
        self._ground["a_corner"] = gloo.VertexBuffer(corners)
        self._meshes: dict[int, tuple[Any, Any, Any]] = {}  # by the mesh, which is held with it
        self._textures: dict[Any, Any] = {}
        self._white = gloo.Texture2D(np.full((1, 1, 3), 255, dtype=np.uint8))

    def draw(self, shown: SpacePicture, *, width: int, height: int, samples: int = 4) -> QImage:
        """The picture, ``width`` × ``height`` px; ``samples`` of antialiasing."""
        self._surface.begin(QSize(width, height), samples=samples)
        set_current_canvas(self._canvas)
        camera = camera_matrix(shown.eye, width / height).astype(np.float32)
        back = tokens().color("background")
        gloo.set_viewport(0, 0, width, height)
        gloo.set_state(depth_test=True, blend=False, cull_face=False)
        gloo.set_depth_mask(True)
        gloo.set_stencil_mask(0xFF)
        gloo.clear(color=back.getRgbF(), depth=1.0, stencil=True)
        for program in (
            self._bodies, self._ghosts, self._ground, self._shadow, self._lines, self._points, self._pictures
        ):  # fmt: skip
            program["u_camera"] = camera.T
        for floor in shown.floors:
            self._draw_ground(shown, floor)
        for body in (*shown.slopes, *shown.solid):
            self._draw_body(shown, *body)
        self._draw_shadows(shown)
        gloo.set_state(blend=True, blend_func=("src_alpha", "one_minus_src_alpha", "one", "one"))
        self._draw_pictures(shown.pictures)
        self._draw_ghosts(shown)
        self._draw_lines(shown.lines, width, height)
        for points in shown.points:
            self._draw_points(points, height, shown.eye)
        self._canvas.flush()
        return self._surface.end()

    def close(self) -> None:
        """Give everything back."""
        self._meshes.clear()
        self._textures.clear()
        self._surface.close()

    # -- the parts -----------------------------------------------------------------------------------
    def _draw_ground(self, shown: SpacePicture, floor: float) -> None:
        theme, program = tokens(), self._ground
        dark = theme.name == "dark"
        program["u_centre"] = (shown.eye.target[0], shown.eye.target[1], floor)
        program["u_reach"] = _REACH * shown.eye.distance
        program["u_step"], program["u_lines"] = shown.grid or 1.0, float(shown.grid > 0)
        program["u_ground"] = _rgb(theme.color("raised" if dark else "pressed"))
        program["u_line"] = _rgb(QColor("#4a515d") if dark else QColor("#b3bac6"))
        program["u_back"] = _rgb(theme.color("background"))
        program.draw("triangle_strip")

    def _draw_body(self, shown: SpacePicture, body: SpaceBody, position: F64, rotation: F64) -> None:
        program = self._bodies
        vertices, faces = self._mesh(body)
        program.bind(vertices)
        program["u_model"] = _model(position, rotation).T
        program["u_pull"] = 0.0
        program["u_eye"] = tuple(shown.eye.position())
        program["u_to_light"] = tuple(-shown.sun)
        program["u_color"] = tuple(linear_from_srgb(np.asarray(body.color)))
        program["u_roughness"], program["u_metallic"] = body.roughness, body.metallic
        texture = self._texture(body)
        program["u_textured"] = float(texture is not None)
        program["u_texture"] = texture if texture is not None else self._white
        program.draw("triangles", faces)

    def _draw_ghosts(self, shown: SpacePicture) -> None:
        gloo.set_depth_mask(False)
        program = self._ghosts
        program["u_pull"] = 4e-4  # over what it touches
        program["u_tint"] = _rgb(tokens().color("text"))
        program["u_eye"] = tuple(shown.eye.position())
        for body, position, rotation in shown.ghosts:
            vertices, faces = self._mesh(body)
            program.bind(vertices)
            program["u_model"] = _model(position, rotation).T
            program.draw("triangles", faces)
        gloo.set_depth_mask(True)

    def _draw_shadows(self, shown: SpacePicture) -> None:
        """Bodies flattened along the light onto floors and onto what stands still and is flat on top."""
        gloo.set_state(blend=True, blend_func=("src_alpha", "one_minus_src_alpha", "one", "one"))
        gloo.set_depth_mask(False)
        program = self._shadow
        program["u_along"] = tuple(shown.sun)
        program["u_strength"] = _SHADOW if tokens().name == "light" else 2 * _SHADOW
        for height, receiver, half, owner in receivers(shown):
            # Every pixel is darkened once, however many bodies shade it.
            once = ("keep", "keep", "incr")
            gloo.set_state(stencil_test=True, stencil_func=("equal", 0, 0xFF), stencil_op=once)
            program["u_height"], program["u_receiver"], program["u_half"] = height, receiver.T, half
            program["u_lift"] = 4e-4 * shown.eye.distance
            for body, position, rotation in shown.solid:
                if body.name == owner:
                    continue
                vertices, faces = self._mesh(body)
                program["a_position"] = vertices["a_position"]
                program["u_model"] = _model(position, rotation).T
                program.draw("triangles", faces)
            gloo.clear(color=False, depth=False, stencil=True)
        gloo.set_state(stencil_test=False, blend=False)
        gloo.set_depth_mask(True)

    def _draw_lines(self, lines: Lines | None, width: int, height: int) -> None:
        if lines is None or not len(lines.ends):
            return
        vertices, triangles = ribbons(lines)
        self._lines["u_size"] = (width, height)
        self._lines.bind(gloo.VertexBuffer(vertices))
        self._lines.draw("triangles", gloo.IndexBuffer(triangles))

    def _draw_points(self, points: Points, height: int, eye: OrbitEye) -> None:
        if not len(points.places):
            return
        self._points["u_color"] = points.color.getRgbF()
        self._points["u_pixels"] = points.pixels
        self._points["u_radius"] = 2.0 * points.radius * eye.focal(height)
        self._points["a_position"] = gloo.VertexBuffer(np.ascontiguousarray(points.places, dtype=np.float32))
        self._points.draw("points")

    def _draw_pictures(self, pictures: Sequence[Picture]) -> None:
        gloo.set_depth_mask(False)
        for picture in pictures:
            corners = picture.corners[[0, 1, 3, 2]].astype(np.float32)
            uv = np.array([(0, 0), (1, 0), (0, 1), (1, 1)], dtype=np.float32)
            self._pictures["a_position"], self._pictures["a_uv"] = (
                gloo.VertexBuffer(corners),
                gloo.VertexBuffer(uv),
            )
            image = np.ascontiguousarray(picture.image[..., :3])
            self._pictures["u_texture"] = gloo.Texture2D(image, interpolation="linear")
            self._pictures.draw("triangle_strip")
        gloo.set_depth_mask(True)

    # -- what is kept --------------------------------------------------------------------------------
    def _mesh(self, body: SpaceBody) -> tuple[Any, Any]:
        known = self._meshes.get(id(body.mesh))
        if known is None:
            mesh = body.mesh
            made = np.zeros(len(mesh.vertices), dtype=_BODY)
            made["a_position"], made["a_normal"] = mesh.vertices, mesh.normals
            if mesh.uv is not None:
                made["a_uv"] = mesh.uv
                made["a_uv"][:, 1] = 1.0 - made["a_uv"][:, 1]  # row 0 of an image is on top
            faces = np.ascontiguousarray(mesh.faces.ravel(), dtype=np.uint32)
            known = (mesh, gloo.VertexBuffer(made), gloo.IndexBuffer(faces))
            self._meshes[id(mesh)] = known
        return known[1], known[2]

    def _texture(self, body: SpaceBody) -> Any:
        """The image of a body's colour, None without one that can be read."""
        if body.texture is None or body.mesh.uv is None:
            return None
        key = body.texture if isinstance(body.texture, str) else id(body.texture)
        if key not in self._textures:
            image = _read(body.texture) if isinstance(body.texture, str) else body.texture
            made = None
            if image is not None:
                made = gloo.Texture2D(np.ascontiguousarray(image), interpolation="linear", wrapping="repeat")
            self._textures[key] = made
        return self._textures[key]


def camera_matrix(eye: OrbitEye, aspect: float) -> F64:
    """World [m] to clip space, shape (4, 4), for column vectors; ``aspect`` is width / height."""
    basis, near, far = eye.basis(), eye.near(), 60.0 * eye.distance
    view = np.eye(4)
    view[:3, :3], view[:3, 3] = basis, -basis @ eye.position()
    focal = eye.focal(2.0) * (min(aspect, 1.0))  # in halves of the height
    flat = np.zeros((4, 4))
    flat[0, 0], flat[1, 1] = focal / aspect, focal
    flat[2, 2], flat[2, 3] = -(far + near) / (far - near), -2 * far * near / (far - near)
    flat[3, 2] = -1.0
    return np.asarray(flat @ view)


def receivers(shown: SpacePicture) -> list[tuple[float, NDArray[np.float32], tuple[float, float], str]]:
    """What shadows fall on: (height [m], world to its own frame, half extents [m], its body)."""
    wide = (1e9, 1e9)
    found = [(float(floor), np.eye(4, dtype=np.float32), wide, "") for floor in shown.floors]
    for body, position, rotation in shown.solid:
        if not body.still or len(body.solid.vertices) != 8:  # boxes only
            continue
        up = int(np.argmax(np.abs(rotation[2])))
        if abs(rotation[2, up]) < 0.999:
            continue
        half = np.abs(body.solid.vertices).max(axis=0)
        first, second = [k for k in range(3) if k != up]
        receiver = np.eye(4)
        receiver[:3, :3] = rotation.T[[first, second, up]]
        receiver[:3, 3] = -receiver[:3, :3] @ position
        height = float(position[2] + half[up])
        extents = (float(half[first]), float(half[second]))
        found.append((height, receiver.astype(np.float32), extents, body.name))
    return found


def _model(position: F64, rotation: F64) -> NDArray[np.float32]:
    model = np.eye(4, dtype=np.float32)
    model[:3, :3], model[:3, 3] = rotation, position
    return model


def _rgb(color: QColor) -> tuple[float, float, float]:
    return color.redF(), color.greenF(), color.blueF()


def _read(path: str) -> NDArray[np.uint8] | None:
    image = QImage(path)
    if image.isNull():
        return None  # the judge's renderer tells what is wrong with it
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), dtype=np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()
