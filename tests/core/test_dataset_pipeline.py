"""Sets of samples: equal bytes whoever makes them, no loss and no duplicate after kills, edits refused."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import tarfile
import time
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fourdcb.cli import main
from fourdcb.dataset import pipeline
from fourdcb.dataset.archive import pack
from fourdcb.dataset.inversion import found_back, found_unaided
from fourdcb.dataset.sample import Recipe, consistency, renderer_of
from fourdcb.dataset.splits import grouped, leaks, make_splits, read_splits
from fourdcb.dsl import load_script
from fourdcb.errors import UserError
from fourdcb.physics import simulate
from fourdcb.video import VideoReader, write_video
from fourdcb.work.journal import read_journal

NAMES = ("bounce", "topple")
# A worker with the real bookkeeping, whose samples are a few bytes: every third attempt is rejected.
FAKE = """
import time
from dataclasses import dataclass

import numpy as np

from fourdcb.dataset import pipeline, sample
from fourdcb.dataset.candidates import Examined
from fourdcb.identity import file_sha256
from fourdcb.randomness import generator
from fourdcb.world import World


def examine(found, *, seed, path, level, engine):
    random = generator(seed, path)
    reasons = ("chaotic: it is",) if random.uniform() < 0.33 else ()
    return Examined(path=path, script=f"# {random.integers(1000)}", reasons=reasons, world=World())


def built(tried, recipe, folder):
    names = ("world.py", "video.mp4")
    for name in names:
        time.sleep(0.02)
        (folder / name).write_bytes(generator(recipe.seed, tried.path + name).bytes(500))
    figures = {"motion": 1.0, "smallest": 30.0, "psnr": 50.0}
    return {"files": {n: file_sha256(folder / n) for n in names}, "figures": figures, "frames": 3}, ()


class FakeWork(pipeline.SampleWork):
    def open(self):
        sample.examine, sample._built = examine, built
        return super().open()
"""
RUN = """
import sys
from pathlib import Path
import fake_samples
from fourdcb.dataset import pipeline
pipeline.SampleWork = fake_samples.FakeWork
pipeline.generate_set(("bounce", "topple"), count=12, out=Path(sys.argv[1]), workers=2, resume=True,
                      recipe=pipeline.Recipe(seed=3))
"""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "fake_samples.py").write_text(FAKE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    import fake_samples  # type: ignore[import-not-found]

    monkeypatch.setattr(pipeline, "SampleWork", fake_samples.FakeWork)
    return folder


def _tree(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _made(out: Path, **settings: Any) -> pipeline.GeneratedSet:
    return pipeline.generate_set(NAMES, count=12, out=out, recipe=Recipe(seed=3), **settings)


def test_workers_and_reruns_do_not_show(fake: Path, tmp_path: Path) -> None:
    made = [_made(tmp_path / str(workers), workers=workers) for workers in (1, 2)]
    assert made[0].lines == made[1].lines
    assert _tree(tmp_path / "1") == _tree(tmp_path / "2")
    assert [line["sample"] for line in made[0].lines] == [f"{n}/{k:03d}" for n in NAMES for k in range(12)]
    assert all(line["accepted"] for line in made[0].lines)
    tried = sum(len(line["rejected"]) for line in made[0].lines)
    assert sum(n for counts in made[0].reasons.values() for n in counts.values()) == tried > 0
    assert len(list((tmp_path / "1" / "rejected").rglob("*.json"))) == tried


def test_kills_lose_and_repeat_nothing(fake: Path, tmp_path: Path) -> None:
    _made(tmp_path / "whole", workers=2)
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(fake), *sys.path]))
    command = [sys.executable, "-c", RUN, str(tmp_path / "killed")]
    random = np.random.default_rng(7)
    for _ in range(4):
        process = subprocess.Popen(command, env=environment, start_new_session=True)
        manifest = tmp_path / "killed" / "manifest.jsonl"
        before = manifest.stat().st_size if manifest.exists() else 0
        while process.poll() is None and (not manifest.exists() or manifest.stat().st_size <= before):
            time.sleep(0.01)
        time.sleep(random.uniform(0.0, 0.3))
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert subprocess.run(command, env=environment, check=False).returncode == 0
    assert _tree(tmp_path / "killed") == _tree(tmp_path / "whole")
    samples = [line["sample"] for line in read_journal(manifest).records[1:]]
    assert len(samples) == len(set(samples)) == 24


def test_a_set_that_was_edited_or_begun_otherwise_is_not_gone_on_with(fake: Path, tmp_path: Path) -> None:
    out = tmp_path / "set"
    _made(out)
    with pytest.raises(UserError, match="a set lies here already"):
        _made(out)
    with pytest.raises(UserError, match="begun with other arguments"):
        pipeline.generate_set(NAMES, count=12, out=out, recipe=Recipe(seed=4), resume=True)
    before = _tree(out)
    assert not _made(out, resume=True).seconds  # nothing is made twice
    assert _tree(out) == before
    (out / "bounce" / "003" / "world.py").write_text("world = World()", encoding="utf-8")
    with pytest.raises(UserError, match="not as it was made") as told:
        _made(out, resume=True)
    assert "bounce/003/world.py" in str(told.value)


def test_a_folder_of_somebody_else_is_left_alone(fake: Path, tmp_path: Path) -> None:
    mine = tmp_path / "set" / "topple" / "000"
    mine.mkdir(parents=True)
    (mine / "notes.txt").write_text("keep", encoding="utf-8")
    with pytest.raises(UserError, match="something else lies"):
        _made(tmp_path / "set")
    assert (mine / "notes.txt").read_text(encoding="utf-8") == "keep"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--template", "juggle"], "there is no such template"),
        (["--template", "bounce", "--degrade", "much"], "no such degradation"),
        (["--template", "bounce", "--renderer", "crayon"], "no such renderer"),
        (["--template", "bounce", "--count", "0"], "at least one sample"),
        (["--template", "bounce", "--workers", "0"], "at least one worker"),
        (["--archive", "a.tar.gz"], "--archive packs"),
    ],
)
def test_bad_input_is_told_at_once(
    arguments: list[str],
    told: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["generate", "--out", "set", *arguments])
    assert ended.value.code == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "set" / "manifest.jsonl").exists()


SCRIPT = """world = World(duration=0.5, fps=30)
ball = Object("ball", geometry="sphere", size=[0.2, 0.2, 0.2], mass=0.1, friction=0.{k}, restitution=0.7,
              pos=[0.0, 0.0, 0.{z}], vel=[0.0, 0.0, 0.0], acc=[0.0, 0.0, -9.8])
floor = Plane("floor", friction=1.0, restitution=1.0)
camera = Camera(pos=[0.0, -1.0, 0.3], target=[0.0, 0.0, 0.2], width=64, height=64)
"""


def _scenes(folder: Path, count: int) -> None:
    random = np.random.default_rng(0)
    for k in range(count):
        scene = folder / f"s{k}"
        scene.mkdir(parents=True)
        (scene / "world.py").write_text(SCRIPT.format(k=k + 1, z=k + 2), encoding="utf-8")
        clip = [np.full((64, 64, 3), shade, np.uint8) for shade in random.integers(0, 255, 15)]
        write_video(scene / "video.mp4", clip, fps=30.0)


def test_splits_share_nothing_and_planted_leaks_are_found(tmp_path: Path) -> None:
    _scenes(tmp_path, 7)
    splits = make_splits(tmp_path, {"train": 0.6, "test": 0.4}, seed=1)
    assert sorted(chain(*splits.values())) == [f"s{k}" for k in range(7)]
    assert read_splits(tmp_path) == splits == make_splits(tmp_path, {"train": 0.6, "test": 0.4}, seed=1)
    assert len(splits["test"]) == 3
    assert leaks(tmp_path) == []
    a, b = splits["train"][0], splits["test"][0]
    kept = (tmp_path / b / "video.mp4").read_bytes()
    with VideoReader(tmp_path / a / "video.mp4") as video:
        near = [np.clip(frame.astype(int) + 1, 0, 255).astype(np.uint8) for frame in video.frames()]
    write_video(tmp_path / b / "video.mp4", near, fps=30.0)
    assert [line.partition(":")[0] for line in leaks(tmp_path)] == ["near-duplicate"]
    (tmp_path / b / "video.mp4").write_bytes(kept)
    (tmp_path / b / "world.py").write_bytes((tmp_path / a / "world.py").read_bytes())
    assert {line.partition(":")[0] for line in leaks(tmp_path)} == {
        "shared instance", "shared material", "shared parent",
    }  # fmt: skip


def test_a_shared_mesh_and_a_shared_seed_are_found(tmp_path: Path) -> None:
    _scenes(tmp_path, 4)
    make_splits(tmp_path, {"train": 0.5, "test": 0.5})
    import trimesh

    for k, name in enumerate(members[0] for members in read_splits(tmp_path).values()):
        script = (tmp_path / name / "world.py").read_text(encoding="utf-8")
        trimesh.creation.box((0.1, 0.1, 0.1)).export(tmp_path / name / f"thing{k}.obj")
        script = script.replace('geometry="sphere", size=[0.2, 0.2, 0.2]', f'mesh="thing{k}.obj"')
        (tmp_path / name / "world.py").write_text(script, encoding="utf-8")
        line = '{"recipe":{"seed":5},"sample":"bounce/001","attempt":0}'
        (tmp_path / name / "sample.json").write_text(line, encoding="utf-8")
    assert {line.partition(":")[0] for line in leaks(tmp_path)} == {"shared mesh", "shared seed"}


def test_groups_are_tied_over_third_ones() -> None:
    keys = {"a": frozenset("x"), "b": frozenset("xy"), "c": frozenset("y"), "d": frozenset("z")}
    assert grouped(keys) == [["a", "b", "c"], ["d"]]


def test_an_archive_has_the_layout_and_equal_bytes(tmp_path: Path) -> None:
    _scenes(tmp_path / "set" / "bounce", 2)
    assert pack(tmp_path / "set", tmp_path / "a.tar.gz") == pack(tmp_path / "set", tmp_path / "b.tar.gz") == 2
    assert (tmp_path / "a.tar.gz").read_bytes() == (tmp_path / "b.tar.gz").read_bytes()
    with tarfile.open(tmp_path / "a.tar.gz") as tar:
        assert sorted(tar.getnames()) == [
            f"scenes/bounce_s{k}/{name}" for k in (0, 1) for name in ("video.mp4", "world.py")
        ]
    with pytest.raises(UserError, match="no scene"):
        pack(tmp_path / "modules", tmp_path / "c.tar.gz")


def test_wrong_values_are_found_back_in_the_clean_clip(tmp_path: Path) -> None:
    script = """
world = World(duration=0.6, fps=30)
block = Object("block", geometry="box", size=[0.3, 0.3, 0.2], mass=1.0, friction=0.3, restitution=0.0,
               pos=[-0.4, 0.0, 0.1], vel=[1.5, 0.0, 0.0], acc=[0.0, 0.0, -9.81], base_color=[0.8, 0.2, 0.1])
floor = Plane("floor", friction=1.0)
sun = DirectionalLight("sun", direction=[0.3, 0.6, -0.7], intensity=3.0)
camera = Camera(pos=[0.0, -2.0, 0.7], target=[0.0, 0.0, 0.1], fov_y_deg=40, width=96, height=96)
"""
    (tmp_path / "world.py").write_text(script, encoding="utf-8")
    world = load_script(tmp_path / "world.py").world
    trajectory, renderer = simulate(world), renderer_of(world, Recipe())
    frames = [renderer.render(trajectory, float(t)).rgb for t in world.frame_times()]
    write_video(tmp_path / "clean.mp4", frames, fps=30.0, crf=12)
    figures, likeness = found_back(
        tmp_path, ["block.friction"], seed=0, path="x", draw=lambda other: renderer_of(other, Recipe())
    )
    value = figures["values"]["block.friction"]
    assert 0.1 <= abs(value["start"] / 0.3 - 1.0) <= 0.2
    assert value["truth"] == 0.3
    assert value["found"] == pytest.approx(0.3, rel=0.01)
    assert likeness.psnr > 35.0
    assert likeness.ssim > 0.92
    assert figures["psnr"] == round(likeness.psnr, 2)


@pytest.mark.slow
def test_a_ball_is_found_from_its_clip_alone() -> None:
    folder = Path(str(files("fourdcb_resources"))) / "scenes" / "projectile"
    figures, likeness = found_unaided(folder, draw=lambda world: renderer_of(world, Recipe()))
    assert likeness.ssim > 0.92
    assert (figures["psnr"], figures["ssim"]) == (round(likeness.psnr, 2), round(likeness.ssim, 4))
    hasty, worse = found_unaided(folder, draw=lambda world: renderer_of(world, Recipe()), time_limit=0.1)
    assert worse.psnr <= likeness.psnr
    assert hasty["notes"]


@pytest.mark.slow
def test_a_real_set_is_equal_for_one_and_two_workers_and_consistent(tmp_path: Path) -> None:
    recipe = Recipe(seed=0, level="full")
    for workers in (1, 2):
        pipeline.generate_set(
            ["rolling", "topple"], count=1, out=tmp_path / str(workers), recipe=recipe, workers=workers
        )
    assert _tree(tmp_path / "1") == _tree(tmp_path / "2")
    sample = tmp_path / "1" / "rolling" / "000"
    figures, reasons = consistency(sample, recipe)
    assert not reasons
    assert figures["psnr"] > 35.0
    assert figures["ssim"] > 0.92
    world = load_script(sample / "world.py").world
    with np.load(sample / "truth.npz") as truth:
        assert truth["depth"].shape == (world.n_frames, 256, 256)
        assert truth["instance"].max() == len(world.bodies) - 1
    # Another script does not replay to it.
    text = (sample / "world.py").read_text(encoding="utf-8")
    (sample / "world.py").write_text(f"{text}\nball_1.pos = [-0.2, 0.3, 0.6]\n", encoding="utf-8")
    assert consistency(sample, recipe)[1][0].startswith("inconsistent")
