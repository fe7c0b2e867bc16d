"""Long clips are judged like short ones, without keeping their pictures."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from fourdcb.dsl import load_script
from fourdcb.evaluation import evaluate, playback
from fourdcb.physics import simulate
from fourdcb.render import RenderSettings, render_clip
from fourdcb.replay import DrawnFrames, read_on_stage, replay
from fourdcb.replay import clip as clips
from fourdcb.replay.clip import DecodedFrames
from fourdcb.report import write_evaluation
from fourdcb.video import write_video

SCRIPT = """
world = World(duration=0.5, fps=20)
ball = Object("ball", geometry="sphere", size=[0.2, 0.2, 0.2], mass=0.3, restitution=0.6, pos=[0, 0, 0.3],
              vel=[0.3, 0, 0], acc=[0, 0, -9.8])
floor = Plane("floor", normal=[0, 0, 1], offset=0.0)
camera = Camera(width=64, height=48)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scene")
    (folder / "world.py").write_text(SCRIPT)
    (folder / "candidate.py").write_text(SCRIPT.replace("0.6", "0.3"))
    world = load_script(folder / "world.py").world
    drawn = replay(world).frames
    assert drawn is not None
    write_video(folder / "video.mp4", iter(drawn), fps=20)
    return folder


def test_pictures_on_demand_are_the_same(folder: Path) -> None:
    world = load_script(folder / "world.py").world
    trajectory = simulate(world)
    kept = render_clip(world, trajectory, RenderSettings())
    lazy = DrawnFrames(world, trajectory, RenderSettings())
    assert lazy.shape == kept.shape
    assert all(np.array_equal(a, b) for a, b in zip(lazy, kept, strict=True))
    assert np.array_equal(lazy[3], kept[3])
    with pytest.raises(IndexError):
        lazy[len(lazy)]


def test_frames_decoded_on_demand_are_the_same(folder: Path) -> None:
    world = load_script(folder / "world.py").world
    for stage in (world, replace(world, camera=replace(world.camera, width=80, height=40))):
        kept = read_on_stage(folder / "video.mp4", stage).frames
        lazy = read_on_stage(folder / "video.mp4", stage, kept_bytes=0).frames
        assert isinstance(kept, np.ndarray)
        assert isinstance(lazy, DecodedFrames)
        assert lazy.shape == kept.shape
        assert all(np.array_equal(lazy[k], kept[k]) for k in (9, 0, 4))
        assert all(np.array_equal(a, b) for a, b in zip(lazy, kept, strict=True))
        with pytest.raises(IndexError):
            lazy[-1]


def test_the_report_does_not_depend_on_what_is_kept(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sys.modules["fourdcb.evaluation.candidate"]  # its name in the package is the function's
    found = {}
    for name, kept in (("kept", 2**40), ("drawn", 0)):
        for each in (module, playback):
            monkeypatch.setattr(each, "KEPT_BYTES", kept)
        judged = evaluate(folder / "candidate.py", folder / "video.mp4")
        assert isinstance(judged.candidate.frames, DrawnFrames) is (kept == 0)
        report = write_evaluation(judged, tmp_path / f"{name}.json", debug=tmp_path / name)
        assert (tmp_path / name / "side_by_side.mp4").is_file()
        found[name] = report.to_json()
        for volatile in ("environment", "artifacts"):
            found[name].pop(volatile)
        found[name]["axes"]["time"]["metrics"].pop("replay_fps")
    assert found["kept"] == found["drawn"]
    assert found["kept"]["verdict"] == "DEPLOYMENT_NOT_RECOMMENDED"


def test_bundled_clips_are_kept() -> None:
    scenes = Path(str(files("fourdcb_resources"))) / "scenes"
    world = load_script(scenes / "slide_cup" / "world.py").world
    assert 3 * world.n_frames * world.camera.height * world.camera.width < clips.KEPT_BYTES
