"""The 3D view: a true perspective, closed solids that look outwards, poses of the frame, picking."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from fourdcb.world import DirectionalLight, Object, Plane, World
from fourdcb.world.mesh import object_mesh
from fourdcb_studio.theme import apply_theme
from fourdcb_studio.views.space.layers import LAYER_KEYS
from fourdcb_studio.views.space.mesh import _clustered, solid_of
from fourdcb_studio.views.space.orbit import OrbitEye
from fourdcb_studio.views.space.paint import Stage, body_faces, clipped
from fourdcb_studio.views.space.scene import SpaceMotion, paths, poses, space_world, velocities
from fourdcb_studio.views.space.view import SpaceView

STILL = {"vel": (0.0, 0.0, 0.0), "acc": (0.0, 0.0, 0.0)}


def thing(name: str = "thing", geometry: str = "box", size=(0.2, 0.2, 0.3), pos=(0.0, 0.0, 0.5)) -> Object:  # type: ignore[no-untyped-def]
    return Object(name=name, geometry=geometry, size=size, pos=pos, **STILL)  # type: ignore[arg-type]


def world(*objects: Object) -> World:
    return World(objects=objects, planes=(Plane(name="floor"),), lights=(DirectionalLight(name="sun"),))


def volume(vertices: np.ndarray, faces: np.ndarray) -> float:
    """Signed volume by the divergence theorem; positive when faces look outwards."""
    total = 0.0
    for i in range(1, faces.shape[1] - 1):
        a, b, c = vertices[faces[:, 0]], vertices[faces[:, i]], vertices[faces[:, i + 1]]
        total += float(np.einsum("pi,pi->", a, np.cross(b, c))) / 6
    return total


@pytest.mark.parametrize("geometry", ["box", "sphere", "cylinder", "cone", "capsule"])
def test_coarse_solids_are_closed_look_outwards_and_fill_the_true_shape(geometry: str) -> None:
    size = (0.2, 0.2, 0.2 if geometry == "sphere" else 0.3)
    obj = thing(geometry=geometry, size=size)
    solid = solid_of(obj, base_dir=".")
    fine = object_mesh(obj, base_dir=".")
    coarse, true = volume(solid.vertices, solid.faces), volume(fine.vertices, fine.faces)
    assert coarse == pytest.approx(true, rel=0.08)
    assert len(solid.faces) <= 220
    extent = np.ptp(solid.vertices, axis=0)
    assert extent == pytest.approx(obj.size, rel=0.02)


def test_clustering_keeps_the_shape_and_lowers_the_count() -> None:
    fine = object_mesh(thing(geometry="sphere"), base_dir=".")
    vertices, faces = _clustered(fine.vertices, fine.faces.astype(np.intp), 12)
    assert len(faces) < 0.4 * len(fine.faces)
    assert volume(vertices, faces) == pytest.approx(volume(fine.vertices, fine.faces), rel=0.15)


@settings(max_examples=60, deadline=None)
@given(st.floats(-3, 3), st.floats(-1.4, 1.4), st.floats(0.5, 20))
def test_the_eye_has_orthonormal_axes_and_sees_its_target_in_the_middle(
    azimuth: float, elevation: float, distance: float
) -> None:
    eye = OrbitEye((1.0, -2.0, 0.5), distance, azimuth, elevation)
    basis = eye.basis()
    assert basis @ basis.T == pytest.approx(np.eye(3), abs=1e-12)
    assert np.cross(basis[0], basis[1]) == pytest.approx(basis[2], abs=1e-12)
    local = eye.eye_points(np.array([eye.target]))
    assert local[0] == pytest.approx([0, 0, distance], abs=1e-9)
    assert eye.project(local, width=800, height=600)[0] == pytest.approx([400, 300])
    above = eye.project(eye.eye_points(np.array([[1.0, -2.0, 0.5 + 0.1 * distance]])), width=800, height=600)
    assert above[0, 1] < 300, "Z is up"


def test_projection_is_the_pinhole_of_its_field_of_view() -> None:
    eye = OrbitEye((0, 0, 0), 2.0, 0.0, 0.0)
    edge = 2.0 * math.tan(math.radians(35) / 2)
    ((x, y),) = eye.project(eye.eye_points(np.array([[0.0, edge, 0.0]])), width=600, height=600)
    assert (x, y) == (pytest.approx(600), pytest.approx(300))


def test_fitted_brings_every_point_into_the_picture() -> None:
    points = np.random.default_rng(3).uniform(-2, 4, (50, 3))
    eye = OrbitEye().fitted(points)
    screen = eye.project(eye.eye_points(points), width=500, height=400)
    assert (screen >= 0).all()
    assert (screen <= [500, 400]).all()


def test_a_pan_moves_the_target_with_the_mouse() -> None:
    eye = OrbitEye((0, 0, 0), 3.0)
    moved = eye.panned(40, -25, height=400)
    local = moved.eye_points(np.zeros((1, 3)))
    assert moved.project(local, width=400, height=400)[0] == pytest.approx([240, 175], abs=0.5)


def test_a_box_shows_three_faces_from_a_corner_and_one_from_the_front() -> None:
    scene = space_world(world(thing()))
    body = scene.bodies[0]
    for eye, count in (
        (OrbitEye((0, 0, 0.5), 3.0, 0.7, 0.5), 3),
        (OrbitEye((0, 0, 0.5), 3.0, 0.0, 0.0), 1),
    ):
        faces = body_faces(Stage(eye, 400, 400), body, body.position, body.rotation, alpha=1, tint=None)
        assert len(faces) == count
        assert all(0 < f.depth < 3.0 for f in faces), "the faces in front of the middle"


def test_segments_behind_the_eye_are_cut_or_left_out() -> None:
    eye = OrbitEye((0, 0, 0), 1.0, 0.0, 0.0)
    through = [[(-1.0, 0, 0), (5.0, 0, 0)]]
    behind = [[(3.0, 0, 0), (5.0, 0, 0)]]
    stage = Stage(eye, 200, 200)
    assert np.isfinite(clipped(stage, np.array(through))).all()
    assert len(clipped(stage, np.array(behind))) == 0


def motion(name: str = "thing") -> SpaceMotion:
    t = np.arange(30) / 30
    position = np.stack([2 * t, 0 * t, 0.5 + 0 * t], axis=1)[:, None]
    turn = np.stack([np.cos(t), 0 * t, 0 * t, np.sin(t)], axis=1)[:, None]
    return SpaceMotion((name,), position, turn)


def test_poses_follow_the_motion_and_fall_back_to_the_start() -> None:
    scene = space_world(world(thing(), thing("other", pos=(1, 1, 1))))
    (position, rotation), (other, _) = poses(scene, motion(), 15)
    assert position == pytest.approx([1.0, 0, 0.5])
    assert rotation[:2, 0] == pytest.approx([math.cos(1), math.sin(1)]), "half angle 0.5 about Z is 1 rad"
    assert other == pytest.approx([1, 1, 1])
    assert poses(scene, motion(), 999)[0][0] == pytest.approx([2 * 29 / 30, 0, 0.5])
    assert len(paths(scene, motion())) == 1
    arrows = velocities(scene, motion(), 15)
    assert arrows[0, 1] - arrows[0, 0] == pytest.approx([0.2, 0, 0]), "2 m/s for 0.1 s"


@pytest.fixture
def view(qapp: QApplication, qtbot: QtBot) -> SpaceView:
    apply_theme(qapp, "dark")
    widget = SpaceView()
    qtbot.addWidget(widget)
    widget.resize(600, 440)
    widget.canvas.set_world("candidate", world(thing()))
    widget.show()
    return widget


def test_a_click_picks_the_body_and_a_drag_only_turns(view: SpaceView, qtbot: QtBot) -> None:
    view.canvas.fit()
    view.grab()
    middle = view.canvas.rect().center()
    with qtbot.waitSignal(view.canvas.object_picked) as picked:
        qtbot.mouseClick(view.canvas, Qt.MouseButton.LeftButton, pos=middle)
    assert picked.args == ["thing"]
    before = view.canvas.eye()
    with qtbot.assertNotEmitted(view.canvas.object_picked):
        qtbot.mousePress(view.canvas, Qt.MouseButton.LeftButton, pos=middle)
        qtbot.mouseMove(view.canvas, middle + QPoint(60, 10))
        qtbot.mouseRelease(view.canvas, Qt.MouseButton.LeftButton, pos=middle + QPoint(60, 10))
    assert view.canvas.eye().distance == before.distance


def test_each_layer_has_a_key_and_a_chip_that_agree(view: SpaceView, qtbot: QtBot) -> None:
    view.canvas.set_world("reference", world(thing(pos=(0.3, 0, 0.5))))
    view.canvas.set_motion("candidate", motion())
    for layer, key in LAYER_KEYS:
        shown = view.canvas.has_layer(layer)
        qtbot.keyClick(view.canvas, key)
        assert view.canvas.has_layer(layer) != shown
        assert view._chips[layer].isChecked() != shown
        view.grab()
        qtbot.mouseClick(view._chips[layer], Qt.MouseButton.LeftButton)
        assert view.canvas.has_layer(layer) == shown


def test_bodies_are_painted_where_the_frame_says(view: SpaceView) -> None:
    view.canvas.set_motion("candidate", motion())
    view.canvas.fit()
    places = []
    for frame in (0, 29):
        view.canvas.set_frame(frame)
        view.grab()
        corners = np.concatenate([f.corners for f in view.canvas._faces])
        places.append(corners.mean(axis=0))
    assert np.hypot(*(places[1] - places[0])) > 40


def test_no_world_is_told_in_words(view: SpaceView) -> None:
    view.canvas.set_world("candidate", None)
    view.grab()
    assert view.canvas._worlds == {}
