"""What the error strips show, against closed forms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fourdcb.conventions import multiply_quaternions
from fourdcb.dsl import parse_script
from fourdcb.physics import simulate
from fourdcb.world import Object, World
from fourdcb_studio.session.motion import Motion, motion_of, object_errors

SCRIPT = """
from fourdcb.dsl import *
floor = Plane(name="floor", normal=[0, 0, 1], offset=0.0, friction=0.8)
thing = Object(name="thing", geometry="{geometry}", size=[0.2, 0.2, {height}], mass=0.5, restitution=0.3,
               friction=0.6, pos=[0, 0, 0.6], vel=[0.8, 0, 0], acc=[0, 0, -9.8])
camera = Camera(pos=[0.2, -2.2, 0.9], target=[0.2, 0, 0.3], width=32, height=32)
world = World(duration=0.6, fps=30, objects=[thing], planes=[floor], camera=camera)
"""
QUARTER_ABOUT_Y = np.array([np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0])
QUARTER_ABOUT_Z = np.array([np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)])


def world_of(geometry: str, *, height: float = 0.3) -> World:
    return parse_script(SCRIPT.format(geometry=geometry, height=height)).world


def thing(world: World) -> Object:
    return next(o for o in world.objects if o.name == "thing")


def turned(motion: Motion, turn: np.ndarray) -> Motion:
    return replace(motion, orientation_wxyz=multiply_quaternions(motion.orientation_wxyz, turn))


@pytest.mark.parametrize(
    ("geometry", "turn", "angle"),
    [
        ("sphere", QUARTER_ABOUT_Y, 0.0),
        ("cylinder", QUARTER_ABOUT_Z, 0.0),
        ("cylinder", QUARTER_ABOUT_Y, 90.0),
        ("box", QUARTER_ABOUT_Z, 0.0),  # its base is a square
        ("box", QUARTER_ABOUT_Y, 90.0),
    ],
)
def test_a_turn_that_nobody_sees_is_no_error(geometry: str, turn: np.ndarray, angle: float) -> None:
    world = world_of(geometry, height=0.2 if geometry == "sphere" else 0.3)
    motion = motion_of(simulate(world, rate_hz=240))
    pair = (thing(world), thing(world))
    found = object_errors(turned(motion, turn), motion, "thing", objects=pair)
    assert found is not None
    assert found.rotation_deg == pytest.approx(angle, abs=1e-3)
    assert found.position_mm == pytest.approx(0.0)
    assert object_errors(motion, motion, "another", objects=pair) is None


def test_the_turn_is_chosen_where_the_motion_can_be_predicted() -> None:
    world = world_of("box")
    motion = motion_of(simulate(world, rate_hz=240))
    late = motion.orientation_wxyz.copy()
    late[6:] = multiply_quaternions(late[6:], QUARTER_ABOUT_Z)
    other = replace(motion, orientation_wxyz=late)
    pair = (thing(world), thing(world))
    found = object_errors(other, motion, "thing", objects=pair, horizon=6)
    assert found is not None
    assert found.rotation_deg[:6] == pytest.approx(0.0, abs=1e-3)
    assert found.rotation_deg[6:] == pytest.approx(90.0, abs=1e-3)
