"""From a clip alone: what moves is found, a ball's motion is told, and what cannot be told is said."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import textwrap
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from fourdcb.dsl import parse_script
from fourdcb.errors import UserError
from fourdcb.evaluation.resolver import resolve_model, resolve_runner
from fourdcb.oracle.invert import invert
from fourdcb.oracle.observe import observe_clip
from fourdcb.oracle.sources import declared_camera
from fourdcb.physics import judging_rate
from fourdcb.render import RasterRenderer
from fourdcb.world import Camera, DirectionalLight, Material, Object, Plane, World

SCENE = files("fourdcb_resources") / "scenes" / "bounce_ball"
CAMERA = Camera(pos=(0.0, -1.6, 0.6), target=(0.0, 0.0, 0.3), fov_y_deg=40.0, width=128, height=128)
TRUTH = World(
    duration=1.2,
    fps=30.0,
    camera=CAMERA,
    objects=(
        Object(
            name="ball", geometry="sphere", size=(0.16, 0.16, 0.16), mass=1.0, pos=(-0.2, 0.0, 0.5),
            vel=(0.4, 0.0, 0.0), acc=(0.0, 0.0, -9.81), restitution=0.75, friction=0.3,
            material=Material(base_color=(0.8, 0.2, 0.15), roughness=0.5, metallic=0.0),
        ),
    ),
    planes=(
        Plane(name="floor", friction=1.0, restitution=1.0, material=Material(base_color=(0.5, 0.5, 0.5))),
    ),
    lights=(DirectionalLight(name="sun", direction=(0.3, 0.5, -0.8), intensity=2.5),),
)  # fmt: skip


@pytest.fixture(scope="module")
def clip():
    """(frames, masks of the ball) of the truth."""
    from fourdcb.physics import make_engine

    with make_engine() as engine:
        motion = engine.rollout(TRUTH, rate_hz=judging_rate(TRUTH.fps))
    renderer = RasterRenderer(TRUTH)
    drawn = [renderer.render(motion, k / TRUTH.fps) for k in range(TRUTH.n_frames)]
    return np.stack([d.rgb for d in drawn]), [d.instance == 0 for d in drawn], motion


def test_what_moves_is_found_where_it_is_and_its_bounces_are_seen(clip) -> None:
    frames, masks, motion = clip
    seen = observe_clip(frames)
    assert len(seen.bodies) == 1
    body = seen.bodies[0]
    pairs = [(own, true) for own, true in zip(body.masks, masks, strict=True) if own is not None]
    assert len(pairs) > 30
    shared = sum(np.count_nonzero(own & true) for own, true in pairs)
    assert shared / sum(np.count_nonzero(own | true) for own, true in pairs) > 0.8
    bounces = [round(e.time * TRUTH.fps) for e in motion.events if e.kind == "bounce"]
    assert any(abs(kink - bounces[0]) <= 1 for kink in body.kinks)


@pytest.mark.slow  # it takes its time, and a busy machine gives it less
def test_a_ball_is_told_from_its_pictures(clip) -> None:
    frames, _, _ = clip
    found = invert(frames, CAMERA, fps=TRUTH.fps, time_limit=100.0)
    (ball,), (true,) = found.world.objects, TRUTH.objects
    assert np.linalg.norm(np.subtract(ball.pos, true.pos)) < 0.02
    assert np.linalg.norm(np.subtract(ball.vel, true.vel)) < 0.05
    assert ball.size[0] == pytest.approx(true.size[0], rel=0.04)
    assert ball.restitution == pytest.approx(true.restitution, abs=0.02)
    assert found.overlap > 0.8
    parsed = parse_script(found.script).world
    assert parsed.objects[0].name == "body_1"
    assert "Assumed: the floor is z = 0" in found.script
    for known in found.known:  # an error is given only where the replay explains the clip
        assert found.explained or known.standard_error is None


@pytest.mark.parametrize("kind", ["black", "still", "noise"])
def test_a_clip_that_shows_no_motion_gives_a_partial_script_that_says_so(clip, kind: str) -> None:
    frames = {
        "black": np.zeros((20, 128, 128, 3), np.uint8),
        "still": np.repeat(clip[0][:1], 20, axis=0),
        "noise": np.random.default_rng(0).integers(0, 256, (20, 128, 128, 3)).astype(np.uint8),
    }[kind]
    found = invert(frames, CAMERA, fps=30.0, time_limit=10.0)
    assert not found.explained
    assert any("Partial" in note for note in found.notes)
    parse_script(found.script)


def test_nothing_but_the_video_and_the_camera_is_opened(tmp_path: Path) -> None:
    scene = tmp_path / "scene"
    shutil.copytree(Path(str(SCENE)), scene)
    camera = tmp_path / "camera.json"
    camera.write_text(json.dumps({"pos": [0.0, -1.75, 0.62], "target": [0.0, 0.0, 0.3], "fov_y_deg": 40.0}))
    code = f"""
    import sys
    opened = []
    sys.addaudithook(lambda name, args: opened.append(str(args[0])) if name == "open" else None)
    from fourdcb.cli import main
    try:
        main(["invert", "--video", {str(scene / "video.mp4")!r}, "--camera", {str(camera)!r},
              "--output", {str(tmp_path / "out.py")!r}, "--time-limit", "2"])
    except SystemExit:
        pass
    print("\\n".join(path for path in opened if {str(tmp_path)!r} in path))
    """
    told = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=200
    )
    paths = {Path(line).name for line in told.stdout.splitlines() if line.startswith(str(tmp_path))}
    assert (tmp_path / "out.py").is_file(), told.stderr
    assert not {"world.py", "clean.mp4", "truth.npz"} & paths
    assert not any(name.startswith(("wrong_", "perfect")) for name in paths)
    parse_script((tmp_path / "out.py").read_text())


def test_the_oracle_is_a_model_and_a_camera_it_cannot_use_is_an_error(tmp_path: Path) -> None:
    entry = resolve_model("oracle", parameters={"time_limit_s": 5})
    runner = resolve_runner(entry)
    assert runner.parameters["time_limit_s"] == 5
    wrong = tmp_path / "camera.json"
    wrong.write_text('{"pos": [0, 0, 1], "target": [0, 0, 1]}')
    with pytest.raises(UserError, match="no camera"):
        declared_camera(wrong)
