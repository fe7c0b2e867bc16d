"""The Oracle finds what the pictures show, says what they do not, and refuses what makes no sense."""

import math
from dataclasses import replace

import numpy as np
import pytest

from fourdcb.dsl import parse_script
from fourdcb.errors import UserError
from fourdcb.oracle import FittedParameter, fit
from fourdcb.oracle.fit import _precision
from fourdcb.render import RenderSettings
from fourdcb.replay import replay
from fourdcb.world import with_value

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
