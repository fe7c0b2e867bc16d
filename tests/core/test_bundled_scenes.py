"""Every bundled candidate gets the verdict that its one fault deserves, and every scene is reproducible."""

import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from fourdcb.dataset import Fault, build_scene, load_faults
from fourdcb.dataset.framing import framing
from fourdcb.dsl import load_script
from fourdcb.errors import UserError
from fourdcb.evaluation import evaluate
from fourdcb.evaluation.bundled import load_samples
from fourdcb.identity import file_sha256
from fourdcb.metrics.pictures.measures import psnr
from fourdcb.metrics.result import AXES
from fourdcb.physics import judging_rate, simulate
from fourdcb.render import RenderSettings
from fourdcb.sensitivity import predictability_horizon
from fourdcb.video import VideoReader

ROOT = Path(str(files("fourdcb_resources"))) / "scenes"
FAULTS = load_faults(ROOT / "faults.yaml")
SAMPLES = load_samples(ROOT / "samples.yaml")
NAMED = [scene for scene in FAULTS if scene not in SAMPLES]
CASES = [
    pytest.param(
        scene,
        fault,
        id=f"{scene}-{fault.name}",
        marks=[pytest.mark.slow] if scene == "splash" and fault.must_fail else [],  # water takes its time
    )
    for scene, all_ in FAULTS.items()
    for fault in all_
    if fault.bundled
]


@pytest.mark.parametrize(("scene", "fault"), CASES)
def test_verdict_follows_the_fault(scene: str, fault: Fault):
    folder = ROOT / scene
    report = evaluate(folder / "candidates" / f"{fault.name}.py", folder / "video.mp4").report
    passed = {axis: report.axes[axis].passed for axis in AXES}
    assert all(passed[axis] is False for axis in fault.failing("far")), passed
    assert all(passed[axis] is True for axis in fault.must_pass), passed
    if fault.must_fail:
        assert report.verdict == "DEPLOYMENT_NOT_RECOMMENDED"
        for axis in fault.must_fail:
            assert any(f.axis == axis and f.severity == "error" for f in report.findings)
        if "physics" in fault.must_fail:
            assert any(f.frame is not None and f"frame {f.frame}" in f.message for f in report.findings)
    else:
        assert report.verdict == "DEPLOYABLE"
        measured = [m.value for a in AXES for n, m in report.axes[a].metrics.items()
                    if m.value is not None and n not in ("replay_fps", "collision_accuracy")]  # fmt: skip
        assert max(measured) < 1e-9
        assert not [f for f in report.findings if f.severity == "error"]
    json.dumps(report.to_json(), allow_nan=False)


@pytest.mark.parametrize("scene", SAMPLES)
def test_a_sample_is_whole_framed_and_predictable(scene: str):
    folder = ROOT / scene
    world = load_script(folder / "world.py").world
    for clip in ("video.mp4", "clean.mp4"):
        with VideoReader(folder / clip) as reader:
            assert (len(reader), reader.info.width) == (world.n_frames, 256)
    trajectory = simulate(world)
    shown = framing(world, trajectory)
    assert min(shown.sizes.values()) >= 24
    assert shown.motion >= 0.6
    horizon = predictability_horizon(world, rate_hz=judging_rate(world.fps), trajectory=trajectory)
    assert all(t >= 0.6 * world.duration for t in horizon.values()), horizon


@pytest.mark.parametrize("scene", NAMED)
def test_scene_is_long_enough_and_predictable_to_its_end(scene: str):
    world = load_script(ROOT / scene / "world.py").world
    with VideoReader(ROOT / scene / "video.mp4") as reader:
        assert (reader.info.n_frames, reader.info.width, reader.info.height) == (120, 256, 256)
        assert reader.info.fps == pytest.approx(30)
    assert world.n_frames == 120
    horizon = predictability_horizon(world, rate_hz=judging_rate(world.fps))
    assert all(t == world.duration for t in horizon.values()), horizon


@pytest.mark.parametrize("scene", NAMED)
def test_nothing_that_moves_leaves_the_picture(scene: str):
    world = load_script(ROOT / scene / "world.py").world
    trajectory = simulate(world)
    rotation, intrinsics = world.camera.world_from_camera(), world.camera.intrinsics()
    for n, obj in enumerate(world.objects):
        if obj.kind == "dynamic":
            local = (trajectory.position[trajectory.frame_steps(), n] - world.camera.pos) @ rotation
            pixels = local @ intrinsics.T
            pixels = pixels[:, :2] / pixels[:, 2:]
            assert pixels.min() > 4
            assert pixels.max() < 252


def test_a_scene_is_made_anew_as_it_lies_here(tmp_path: Path):
    scene = "slide_cup"
    build_scene(ROOT / scene / "world.py", FAULTS[scene], tmp_path, settings=RenderSettings())
    for path in [
        Path("world.py"),
        *(Path("candidates") / f"{f.name}.py" for f in FAULTS[scene] if f.bundled),
    ]:
        assert file_sha256(tmp_path / path) == file_sha256(ROOT / scene / path), path
    with VideoReader(tmp_path / "video.mp4") as new, VideoReader(ROOT / scene / "video.mp4") as old:
        assert min(psnr(new.frame(k), old.frame(k)) for k in range(0, 120, 7)) > 45


def test_a_chaotic_scene_is_refused(tmp_path: Path):
    script = tmp_path / "world.py"
    script.write_text(
        "world = World(duration=3.0, fps=30)\n"
        "die = Object('die', geometry='box', size=[0.1, 0.1, 0.1], mass=0.1, friction=0.5, restitution=0.6,\n"
        "             pos=[0, 0, 1.0], vel=[0.5, 0.2, 0], ang_vel=[3, 7, 1], acc=[0, 0, -9.8])\n"
        "floor = Plane('floor')\n"
        "camera = Camera(width=64, height=64)\n"
    )
    with pytest.raises(UserError, match="too chaotic"):
        build_scene(script, (), tmp_path / "out", settings=RenderSettings())
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("- a\n", "mapping of scenes"),
        ("s: {f: {sett: {}}}", "unknown key"),
        ("s: {f: {must_fail: [motion]}}", "list of axes"),
        ("s: {f: {far: {a: b}}", "cannot read"),
    ],
)
def test_bad_fault_tables_are_named(tmp_path: Path, text: str, match: str):
    path = tmp_path / "faults.yaml"
    path.write_text(text)
    with pytest.raises(UserError, match=match):
        load_faults(path)


def test_video_is_what_the_truth_looks_like():
    from fourdcb.replay import replay

    folder = ROOT / "bounce_ball"
    frames = replay(load_script(folder / "world.py").world).frames
    assert frames is not None
    with VideoReader(folder / "video.mp4") as reader:
        video = np.stack([reader.frame(k) for k in range(0, 120, 10)])
    assert min(psnr(a, b) for a, b in zip(video, frames[::10], strict=True)) > 38
