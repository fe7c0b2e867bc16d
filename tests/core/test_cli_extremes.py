"""Numbers at the ends of what a float holds, and interrupts at awkward moments."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fourdcb.dsl import parse_script
from fourdcb.errors import DiagnosticsError
from fourdcb.identity import write_atomic
from fourdcb.metrics.contact.energy import RowCoefficients, contact_loss
from fourdcb.physics import simulate
from fourdcb.world import Object, Plane, World, with_value
from fourdcb.world.validate import validate

SCRIPT = """
world = World(duration=1.0, fps={fps})
ball = Object("ball", geometry="sphere", size=[0.1] * 3, mass=0.1, pos=[0, 0, {height}], vel=[0, 0, {speed}], acc=[0, 0, 0])
sun = DirectionalLight(direction=[0, {y}, -1], intensity={intensity}, intensity_curve=[1, {share}])
"""  # noqa: E501
FINE = {"fps": "30", "height": "1", "speed": "0", "y": "0", "intensity": "3", "share": "1"}
LIMITS = [
    ("fps", "5e-324", "world.fps must be ≥ 0.001"), ("height", "1e308", "ball.pos[2] must lie within"),
    ("speed", "-1e308", "ball.vel[2] must lie within"), ("y", "1e308", "direction[1] must lie within"),
    ("intensity", "1e308", "intensity must lie within"),
    ("share", "10**30", "intensity_curve[1] must lie within"),
]  # fmt: skip


@pytest.mark.parametrize(("field", "text", "told"), LIMITS)
def test_numbers_that_overflow_somewhere_are_refused(field: str, text: str, told: str) -> None:
    parse_script(SCRIPT.format(**FINE))
    with pytest.raises(DiagnosticsError) as caught:
        parse_script(SCRIPT.format(**{**FINE, field: text}))
    assert told in str(caught.value)


def test_keyframes_are_held_to_the_same_limit() -> None:
    world = parse_script(SCRIPT.format(**FINE).replace("mass=0.1", "trajectory=[(1, [0, 0, 1])]")).world
    (obj,) = world.objects
    far = replace(obj, trajectory=(replace(obj.trajectory[0], pos=(0.0, 0.0, 1e300)),))
    assert [d.path for d in validate(replace(world, objects=(far,))) if d.severity == "error"] == [
        "ball.trajectory"
    ]


def test_next_to_no_friction_dissipates_what_the_references_would() -> None:
    """The measured impulse cannot be scaled up: what the reference's friction allows counts."""
    box = Object(
        name="box", size=(0.1, 0.1, 0.1), mass=0.5, friction=5e-324, pos=(0.0, 0.0, 0.05),
        vel=(1.0, 0.0, 0.0), acc=(0.0, 0.0, -9.8),
    )  # fmt: skip
    world = World(duration=0.2, fps=30, objects=(box,), planes=(Plane(name="floor"),))
    found = []
    for own in (5e-324, 0.0):
        t = simulate(with_value(world, "box.friction", own))
        ones = np.ones(len(t.contacts))
        c = RowCoefficients(
            own_restitution=ones, own_friction=own * ones, reference_restitution=ones,
            reference_friction=0.4 * ones,
        )  # fmt: skip
        found.append(float(contact_loss(t, 9.8, c).expected.sum()))
    assert found[0] == pytest.approx(0.4 * 0.5 * 9.8 * 0.2, rel=0.05)
    assert found[0] == pytest.approx(found[1])


def test_an_interrupt_inside_compiled_text_ends_with_130(tmp_path: Path) -> None:
    """There ``python -m`` would end by the signal instead, whatever the program exits with."""
    (tmp_path / "interrupted.py").write_text(
        "from fourdcb import cli\n"
        "def run(argv):\n    exec('raise KeyboardInterrupt')\n"
        "cli._run = run\ncli.main([])\n"
    )
    ended = subprocess.run(
        [sys.executable, "-m", "interrupted"],
        cwd=tmp_path, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": ""},
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (130, "interrupted\n")


def test_a_file_name_may_be_as_long_as_the_system_allows(tmp_path: Path) -> None:
    for name in ("x" * 255, "\u754c" * 85):
        write_atomic(tmp_path / name, "whole")
        assert (tmp_path / name).read_text() == "whole"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_mesh_that_is_a_loop_of_links_is_told(tmp_path: Path) -> None:
    (tmp_path / "loop.obj").symlink_to("loop.obj")
    script = SCRIPT.format(**FINE).replace('geometry="sphere"', 'geometry="mesh", mesh="loop.obj"')
    with pytest.raises(DiagnosticsError, match=r"loop\.obj"):
        parse_script(script, base_dir=str(tmp_path))
