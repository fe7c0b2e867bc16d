"""The Oracle finds what the pictures show, says what they do not, and refuses what makes no sense."""

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from fourdcb.cli.app import build_app
from fourdcb.dsl import load_script, parse_script
from fourdcb.errors import UserError
from fourdcb.oracle import FittedParameter, fit
from fourdcb.oracle.fit import _precision
from fourdcb.render import RasterRenderer, RenderSettings
from fourdcb.replay import read_on_stage, replay
from fourdcb.video import write_video
from fourdcb.world import World, with_value

SCRIPT = """
world = World(duration=1.0, fps=24, background=[0.2, 0.3, 0.5])
ball = Object("ball", geometry="sphere", size=[0.2, 0.2, 0.2], mass=0.3, friction=0.3, restitution=0.7,
              pos=[-0.2, 0.0, 0.5], vel=[0.6, 0.0, 0.0], acc=[0.0, 0.0, -9.8],
              material=Material(base_color=[0.8, 0.2, 0.1], roughness=0.35))
floor = Plane("floor", restitution=1.0, friction=1.0)
sun = DirectionalLight("sun", direction=[-0.4, 0.5, -0.8], intensity=4.0)
camera = Camera(pos=[0.1, -1.6, 0.7], target=[0.1, 0.0, 0.25], width=96, height=96)
"""


@pytest.fixture(scope="module")
def truth():
    return parse_script(SCRIPT).world


@pytest.fixture(scope="module")
def video(truth):
    frames = replay(truth, settings=RenderSettings(supersample=2)).frames
    assert frames is not None
    noise = np.random.default_rng(0).normal(0, 2, frames.shape)
    return np.clip(frames + noise, 0, 255).round().astype(np.uint8)


def test_restitution_and_speed_from_pictures(truth, video):
    start = with_value(with_value(truth, "ball.restitution", 0.45), "ball.vel[0]", 0.8)
    result = fit(start, ["ball.restitution", "ball.vel[0]"], video)
    restitution, speed = result.parameters
    assert restitution.value == pytest.approx(0.7, abs=0.01)
    assert speed.value == pytest.approx(0.6, abs=0.01)
    assert restitution.identifiable
    assert speed.identifiable
    assert restitution.standard_error is not None
    assert abs(restitution.value - 0.7) < 6 * restitution.standard_error + 1e-3
    assert result.residual_after < 0.5 * result.residual_before
    assert result.world.object("ball").vel[0] == pytest.approx(speed.value)


def test_mass_of_a_lone_ball_cannot_be_seen(truth, video):
    mass, roughness = fit(truth, ["ball.mass", "ball.roughness"], video).parameters
    assert not mass.identifiable
    assert mass.standard_error is None
    assert roughness.identifiable
    assert roughness.value == pytest.approx(0.35, abs=0.1)


def test_figures_keep_the_digits_that_mean_something():
    found = FittedParameter(path="a.b", start=0.0, value=0.79992770, standard_error=0.0013, identifiable=True)
    assert found.rounded == 0.7999
    assert replace(found, standard_error=None).rounded == found.value
    assert math.isclose(replace(found, value=123.456, standard_error=4.0).rounded, 123.5)


@pytest.mark.parametrize(
    ("paths", "match"),
    [([], "no parameter"), (["ball.bounce"], "no such parameter"), (["cup.mass"], "no such")],
)
def test_bad_requests_are_named(truth, video, paths, match):
    with pytest.raises(UserError, match=match):
        fit(truth, paths, video)


def test_a_video_of_another_size_is_refused(truth, video):
    with pytest.raises(UserError, match="does not fit"):
        fit(truth, ["ball.restitution"], video[:-1])


def test_a_replay_that_cannot_look_like_the_video_is_not_trusted(truth, video):
    assert fit(truth, ["ball.restitution"], video).explains_the_video
    elsewhere = replace(truth, background=(0.9, 0.1, 0.1))
    assert not fit(elsewhere, ["ball.restitution"], video).explains_the_video


def test_a_single_frame_says_nothing_of_the_errors() -> None:
    errors, seen = _precision(np.ones((6, 2)), np.zeros(6), frames=1)
    assert np.isinf(errors).all()
    assert not seen.any()


FALL = """
world = World(duration={duration}, fps={fps}, background=[1.0, 1.0, 1.0], ambient=1.0)
ball = Object("ball", geometry="sphere", size=[0.6, 0.6, 0.6], mass=1.0, friction=0.5, restitution=0.5,
              pos=[{x}, 0.0, 6.0], vel=[0.0, 0.0, 0.0], acc=[0.0, 0.0, {g}], base_color=[0.9, 0.2, 0.1])
camera = Camera(pos=[0, -12, 3.5], target=[0, 0, 3.5], fov_y_deg=36, width=96, height=96)
"""


def fall(*, g: float, fps: float = 60.0, duration: float = 1.0, x: float = 0.0) -> World:
    return parse_script(FALL.format(duration=duration, fps=fps, x=x, g=g)).world


@pytest.fixture(scope="module")
def fall_video(tmp_path_factory) -> Path:
    """A second of free fall at 60 frames/s, encoded; z(t) = 6 − 4.9 t² by the formula, not by an engine."""
    world = fall(g=0.0)
    renderer = RasterRenderer(world, RenderSettings(supersample=4))
    frames = []
    for k in range(60):
        position = np.array([[0.0, 0.0, 6.0 - 0.5 * 9.8 * (k / 60) ** 2]])
        frames.append(renderer.render((position, np.array([[1.0, 0.0, 0.0, 0.0]])), 0.0, aux=False).rgb)
    path = tmp_path_factory.mktemp("fall") / "fall.mp4"
    write_video(path, frames, fps=60.0)
    return path


def test_gravity_of_a_clip_at_another_rate_than_the_script(fall_video, tmp_path):
    script, output = tmp_path / "start.py", tmp_path / "fitted.py"
    script.write_text(FALL.format(duration=2.0, fps=30.0, x=0.0, g=-3.0))
    found = CliRunner().invoke(
        build_app(), ["fit", "--code", str(script), "--video", str(fall_video), "--param", "ball.acc[2]",
              "--output", str(output)],
    )  # fmt: skip
    assert found.exit_code == 0, found.output
    change, error = re.search(r"→ (\S+) \(± (\S+),", found.output).groups()
    assert float(change) == pytest.approx(-9.8, abs=0.03)
    assert abs(float(change) + 9.8) < 4 * float(error)
    assert load_script(output).world.object("ball").acc[2] == float(change)


def test_nothing_is_written_where_no_value_explains_the_video(fall_video, tmp_path):
    script, output = tmp_path / "start.py", tmp_path / "fitted.py"
    script.write_text(FALL.format(duration=1.0, fps=60.0, x=0.8, g=-9.8))
    found = CliRunner().invoke(
        build_app(), ["fit", "--code", str(script), "--video", str(fall_video), "--param", "ball.acc[2]",
              "--output", str(output)],
    )  # fmt: skip
    assert found.exit_code == 1
    assert "±" not in found.output
    assert "does not explain the video" in found.output
    assert not output.exists()


def test_a_place_beyond_the_slider_is_found_from_afar(fall_video):
    start = with_value(fall(g=-9.8), "ball.pos[2]", 5.0)  # sliders end at 2 m
    clip = read_on_stage(fall_video, start)
    result = fit(start, ["ball.pos[2]"], clip.frames, times=clip.info.times)
    height = result.parameters[0]
    assert result.explains_the_video
    assert height.bound is None
    assert height.value == pytest.approx(6.0, abs=0.005)


def test_a_value_at_the_end_of_its_range_is_said_to_be_there(truth):
    bouncy = replay(with_value(truth, "ball.restitution", 1.0), settings=RenderSettings(supersample=2)).frames
    assert bouncy is not None
    brighter = np.clip(np.asarray(bouncy), 0, 255)
    found = fit(with_value(truth, "ball.restitution", 0.9), ["ball.restitution"], brighter).parameters[0]
    assert found.identifiable
    assert (found.bound, found.value) == ("upper", 1.0)
    assert found.standard_error is None


def test_colours_are_not_moved_by_the_encoder(fall_video):
    """A red ball on white: chroma that is sited wrongly would move it by a tenth of a pixel."""
    start = with_value(fall(g=-9.8), "ball.pos[0]", 0.1)
    clip = read_on_stage(fall_video, start)
    place = fit(start, ["ball.pos[0]"], clip.frames, times=clip.info.times).parameters[0]
    assert place.value == pytest.approx(0.0, abs=0.002)  # a pixel is 80 mm
