"""The 3D view by OpenGL: places, depth, shadows, ghosts and pictures, measured in what it draws."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from fourdcb.dsl import parse_script
from fourdcb.physics import simulate
from fourdcb.world import Camera, Object
from fourdcb.world.camera import project
from fourdcb_studio.session.motion import motion_of
from fourdcb_studio.views.space.orbit import OrbitEye, camera_eye
from fourdcb_studio.views.space.pick import body_under, eye_ray
from fourdcb_studio.views.space.scene import SpaceMotion, impulses, space_world

PROGRAM = """
import json, sys
import numpy as np
from PySide6.QtGui import QColor
from fourdcb.dsl import parse_script
from fourdcb_studio.application import make_application
from fourdcb_studio.theme import apply_theme
from fourdcb_studio.views.space.gl.lines import Lines
from fourdcb_studio.views.space.gl.probe import GlProbe
from fourdcb_studio.views.space.gl.renderer import GlRenderer, Picture, Points, SpacePicture
from fourdcb_studio.views.space.orbit import OrbitEye
from fourdcb_studio.views.space.scene import space_world

W, H = 400, 300

def pixels(image):
    rows = np.frombuffer(image.constBits(), dtype=np.uint8).reshape(H, image.bytesPerLine())
    return rows[:, : 4 * W].reshape(H, W, 4)[..., 2::-1].astype(int).copy()

def main():
    app = make_application("dark")
    told = {}
    probe = GlProbe(app, lambda name: told.setdefault("renderer", name))
    probe.start()
    while "renderer" not in told:
        app.processEvents()
    world = space_world(parse_script(open(sys.argv[1]).read()).world)
    placed = [(b, b.position, b.rotation) for b in world.bodies]
    eye = OrbitEye(target=(0, 0, 0.5), distance=4.0, azimuth=np.radians(-90), elevation=np.radians(10))
    down = np.array([0.0, 0.0, -1.0])
    renderer = GlRenderer()

    def drawn(**given):
        shown = SpacePicture(**({"eye": eye, "floors": (0.0,), "sun": down} | given))
        return pixels(renderer.draw(shown, width=W, height=H))

    def at(image, point):
        x, y = eye.project(eye.eye_points(np.array([point], float)), width=W, height=H)[0]
        return image[int(y), int(x)].tolist()

    bare, full = drawn(), drawn(solid=placed)
    told["red"], told["behind"] = at(full, (0, -0.2, 0.5)), at(drawn(solid=placed[1:]), (0, -0.2, 0.5))
    told["ground"], told["shadow"] = at(bare, (0.05, 0.0, 0.0)), at(drawn(solid=placed[:1]), (0.05, 0.0, 0.0))
    told["far_ground"] = [at(bare, (1.0, -0.3, 0)), at(full, (1.0, -0.3, 0))]
    told["ghost"] = at(drawn(ghosts=placed[:1]), (0, -0.2, 0.5))
    told["empty"] = at(bare, (0, -0.2, 0.5))
    spot = np.array([[0.7, 0.1, 0.9]])
    dotted = drawn(points=[Points(spot, QColor(0, 255, 0), 12.0)])
    ys, xs = np.nonzero((dotted[..., 1] > 150) & (dotted[..., 0] < 60))
    told["dot"] = [float(xs.mean()) + 0.5, float(ys.mean()) + 0.5]
    told["dot_expected"] = eye.project(eye.eye_points(spot), width=W, height=H)[0].tolist()
    hidden = drawn(solid=placed[:1], points=[Points(np.array([[0, 0.3, 0.5]]), QColor(0, 255, 0), 12.0)])
    told["hidden"] = int(((hidden[..., 1] > 150) & (hidden[..., 0] < 60)).sum())
    line = Lines.of(np.array([[[-1, 0, 1.2], [1, 0, 1.2]]], float), QColor(0, 255, 0), 3.0)
    ruled = drawn(lines=line)
    told["line"] = at(ruled, (0.0, 0, 1.2))
    image = np.zeros((2, 2, 3), np.uint8)
    image[0, 0], image[1, 1] = (255, 0, 0), (0, 0, 255)
    corners = np.array([(-0.5, 0, 1.5), (0.5, 0, 1.5), (0.5, 0, 0.5), (-0.5, 0, 0.5)], float)
    shown = drawn(pictures=[Picture(corners, image)])
    told["picture"] = [at(shown, (-0.4, 0, 1.4)), at(shown, (0.4, 0, 0.6))]
    apply_theme(app, "light")
    told["light_ground"] = at(drawn(), (0.05, 0.0, 0.0))
    rough = pixels(renderer.draw(SpacePicture(eye, placed), width=W, height=H, samples=0))
    smooth = pixels(renderer.draw(SpacePicture(eye, placed), width=W, height=H))
    told["coarse"] = [int(np.abs(rough - smooth).max())]
    renderer.close()
    print(json.dumps(told))

if __name__ == "__main__":
    main()
"""


TWO = """from fourdcb.dsl import *
floor = Plane(name="floor", normal=[0, 0, 1], offset=0.0)
red = Object(name="red", geometry="sphere", size=[0.4, 0.4, 0.4], pos=[0, 0, 0.5], vel=[0, 0, 0],
             acc=[0, 0, 0], material=Material(base_color=[1.0, 0.0, 0.0]))
blue = Object(name="blue", geometry="box", size=[0.6, 0.6, 0.6], pos=[0, 1, 0.5], vel=[0, 0, 0],
              acc=[0, 0, 0], material=Material(base_color=[0.0, 0.0, 1.0]))
world = World(duration=1.0, fps=30, objects=[red, blue], planes=[floor])
"""


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What a program with a screen measured in its pictures."""
    if not sys.platform.startswith("linux") or shutil.which("xvfb-run") is None:
        pytest.skip("needs the package xvfb")
    folder = tmp_path_factory.mktemp("gl")
    program = folder / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    script = folder / "world.py"
    script.write_text(TWO, encoding="utf-8")
    env = dict(os.environ, QT_QPA_PLATFORM="xcb", LIBGL_ALWAYS_SOFTWARE="1", XDG_CONFIG_HOME=str(folder))
    told = subprocess.run(
        ["xvfb-run", "-a", sys.executable, str(program), str(script)],
        env=env, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    if told.returncode != 0 and "NoContext" in told.stderr:
        pytest.skip("no OpenGL driver")
    assert told.returncode == 0, told.stderr
    found: dict[str, object] = json.loads(told.stdout.splitlines()[-1])
    return found


@pytest.mark.gl
def test_bodies_hide_each_other_and_stand_on_opaque_ground(drawn) -> None:
    assert drawn["renderer"]
    red, behind = drawn["red"], drawn["behind"]
    assert red[0] > 120
    assert red[0] > 3 * max(red[1], red[2])
    assert behind[2] > 2 * behind[0], "the box is seen where the sphere is away"
    assert max(drawn["ground"]) < 90
    assert min(drawn["light_ground"]) > 180
    assert drawn["far_ground"][0] == drawn["far_ground"][1]


@pytest.mark.gl
def test_a_body_shades_the_floor_under_it_once(drawn) -> None:
    ground, shadow = np.array(drawn["ground"]), np.array(drawn["shadow"])
    assert (shadow < ground).all()
    assert shadow == pytest.approx(0.52 * ground, abs=3), "0.48 of black, although two sides of it shade"


@pytest.mark.gl
def test_ghosts_let_through_and_dots_lie_where_the_eye_projects_them(drawn) -> None:
    ghost, empty = np.array(drawn["ghost"]), np.array(drawn["empty"])
    assert (ghost > empty + 8).all()
    assert (ghost < 200).all()
    assert drawn["dot"] == pytest.approx(drawn["dot_expected"], abs=1.0)
    assert drawn["hidden"] == 0
    assert drawn["line"][1] > 200
    assert drawn["coarse"][0] > 10, "without samples edges are other ones"


@pytest.mark.gl
def test_the_cameras_picture_stands_upright(drawn) -> None:
    upper_left, lower_right = drawn["picture"]
    assert upper_left[0] > 150 > upper_left[2]
    assert lower_right[2] > 150 > lower_right[0]


SCRIPT = """from fourdcb.dsl import *
floor = Plane(name="floor", normal=[0, 0, 1], offset=0.0, restitution=0.7, friction=0.5)
ball = Object(name="ball", geometry="sphere", size=[0.2, 0.2, 0.2], mass=0.5, restitution=0.7, friction=0.5,
              pos=[0, 0, 0.5], vel=[0.4, 0, 0], acc=[0, 0, -9.8])
world = World(duration=1.0, fps=30, objects=[ball], planes=[floor])
"""


def test_impulses_of_the_contacts_change_the_momentum() -> None:
    world = parse_script(SCRIPT).world
    motion = motion_of(simulate(world))
    assert motion.contacts is not None
    given = np.zeros((len(motion.times), 3))
    for frame in range(len(given)):
        given[frame] = motion.contacts.at(frame)[1].sum(axis=0)
    momentum = 0.5 * motion.velocity[:, 0]
    weight = 0.5 * np.array([0, 0, -9.8])[None] * motion.times[:, None]
    changed = momentum - momentum[0] - weight
    substep = 0.5 * 9.8 / motion.rate_hz  # what the weight gives in one: rest begins inside it
    np.testing.assert_allclose(np.cumsum(given, axis=0), changed, atol=substep)
    hit = int(np.argmax(given[:, 2]))
    shown = SpaceMotion(motion.names, motion.position, motion.orientation_wxyz, motion.contacts)
    arrow = impulses(shown, hit, 0.3)
    assert len(arrow) == 1
    assert np.linalg.norm(arrow[0, 1] - arrow[0, 0]) == pytest.approx(0.3)
    assert arrow[0, 0, 2] == pytest.approx(0.0, abs=5e-3), "on the floor"
    assert not len(impulses(shown, 0, 0.3))


def test_the_nearest_body_under_a_px_is_picked() -> None:
    wall = Object(name="wall", size=(1, 0.1, 1), pos=(0, 1, 0.5), vel=(0, 0, 0), acc=(0, 0, 0))
    base = parse_script(SCRIPT).world
    world = replace(base, objects=(*base.objects, wall))
    shown = space_world(world)
    placed = [(b, b.position, b.rotation) for b in shown.bodies]
    eye = OrbitEye(target=(0, 0, 0.5), distance=3.0, azimuth=math.radians(-90), elevation=0.0)
    size = {"width": 600.0, "height": 400.0}
    assert body_under(placed, eye, 300, 200, **size) == "ball"
    assert body_under(placed, eye, 10, 10, **size) == ""
    rim = eye.focal(400) * math.tan(math.asin(0.1 / 3.0))  # a sphere of 0.1 m, 3 m away
    assert body_under(placed, eye, 300 + rim - 1.5, 200, **size) == "ball"
    assert body_under(placed, eye, 300 + rim + 1.5, 200, **size) == "wall"
    origin, along = eye_ray(eye, 300, 200, **size)
    assert origin + 3 * along == pytest.approx([0, 0, 0.5], abs=1e-9)


def test_the_eye_stays_over_the_floor_and_sees_along_axes() -> None:
    eye = OrbitEye(target=(0, 0, 0.1), distance=2.0)
    low = eye.turned(0, -400).above(0.0)
    assert low.position()[2] >= 0.0
    assert eye.turned(0, -400).position()[2] < 0
    assert eye.along("top").basis()[2] == pytest.approx([0, 0, 1], abs=0.02)
    assert eye.along("front").basis()[0] == pytest.approx([1, 0, 0])
    assert eye.along("side").basis()[0] == pytest.approx([0, 1, 0])


def test_the_scenes_camera_is_looked_through() -> None:
    camera = Camera(pos=(0.4, -2.2, 0.9), target=(0.1, 0, 0.3), width=320, height=240)
    eye = camera_eye(camera, 2.3)
    assert eye.position() == pytest.approx(camera.pos)
    points = np.array([(0, 0, 0), (0.3, 0.2, 0.5), (-0.4, 0.1, 0.2)], dtype=float)
    seen = eye.project(eye.eye_points(points), width=320, height=240)
    assert seen == pytest.approx(project(camera, points), abs=0.5)
