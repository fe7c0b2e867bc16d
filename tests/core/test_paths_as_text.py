"""Every function of the library that takes a file takes its name as text, too."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from fourdcb.dataset.faults import load_faults
from fourdcb.dsl import load_script
from fourdcb.evaluation import evaluate
from fourdcb.evaluation.candidate import truth_beside
from fourdcb.evaluation.video_diff import diff_videos
from fourdcb.identity import StrPath
from fourdcb.metrics import Report, load_criteria
from fourdcb.physics import simulate
from fourdcb.report import load_report, write_page, write_report
from fourdcb.trajectory import load_trajectory, save_trajectory
from fourdcb.video import VideoReader, write_video

SCENE = Path(str(resources.files("fourdcb_resources"))) / "scenes" / "slide_cup"
CRITERIA = Path(str(resources.files("fourdcb_resources"))) / "criteria" / "default.yaml"


class Named:
    """An ``os.PathLike`` that is no ``Path``."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)

    def __fspath__(self) -> str:
        return self._path


@pytest.fixture(scope="module")
def report() -> Report:
    return evaluate(os.fspath(SCENE / "world.py"), os.fspath(SCENE / "video.mp4"), fast=True).report


@pytest.mark.parametrize("spell", [str, Path, Named])
def test_files_are_named_by_text_or_path(
    spell: Callable[[Path], StrPath], tmp_path: Path, report: Report
) -> None:
    script, video = spell(SCENE / "world.py"), spell(SCENE / "video.mp4")
    assert evaluate(script, video, reference=script, criteria=spell(CRITERIA), fast=True).report.inputs[
        "code"
    ]["path"] == str(SCENE / "world.py")
    assert truth_beside(video) == SCENE / "world.py"
    assert load_criteria(spell(CRITERIA)) == load_criteria(CRITERIA)
    world = load_script(script).world

    write_report(report, spell(tmp_path / "my.json"))
    assert load_report(spell(tmp_path / "my.json")).verdict == report.verdict
    write_page(report, html=spell(tmp_path / "my.html"))
    assert (tmp_path / "my.html").stat().st_size

    frames = [np.full((32, 48, 3), 40 * k, dtype=np.uint8) for k in range(4)]
    write_video(spell(tmp_path / "my.mp4"), frames, fps=10)
    with VideoReader(spell(tmp_path / "my.mp4")) as reader:
        assert reader.info.n_frames == 4
    clip = spell(tmp_path / "my.mp4")
    assert diff_videos(clip, clip).alignment.index_a.size == 4

    trajectory = simulate(world, duration=0.1)
    save_trajectory(trajectory, spell(tmp_path / "my.npz"))
    assert load_trajectory(spell(tmp_path / "my.npz")).names == trajectory.names
    (tmp_path / "faults.yaml").write_text("slide_cup: {}\n")
    assert load_faults(spell(tmp_path / "faults.yaml")) == {"slide_cup": ()}
