"""Far seeks in large clips: what the benchmark of the reader rests on."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest

from fourdcb.cli.bench_video import make_clip, measure_video
from fourdcb.video import VideoReader


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bench") / "clip.mp4"
    make_clip(path, width=1312, height=736, frames=60, repeats=3)
    return path


def test_the_clip_is_what_it_says(clip: Path) -> None:
    with av.open(str(clip)) as container:
        packets = [p for p in container.demux(video=0) if p.size]
        assert [i for i, p in enumerate(packets) if p.is_keyframe] == [0, 60, 120]
    with av.open(str(clip)) as container:
        kinds = {frame.pict_type for frame in container.decode(video=0)}
    assert kinds == {1, 2, 3}  # I, P and B pictures
    assert [p.name for p in clip.parent.iterdir()] == ["clip.mp4"]


def test_far_seeks_give_the_frames_of_a_plain_decode(clip: Path) -> None:
    """They pass by frames that none refers to, on several threads."""
    with av.open(str(clip)) as container:
        plain = {
            i: f.to_ndarray(format="gray") for i, f in enumerate(container.decode(video=0)) if i % 7 == 0
        }
    with VideoReader(clip, cache_bytes=1) as reader:
        assert len(reader) == 180
        for i in (175, 56, 119, 0, 98, 49, 161, 112, 105):
            frame = reader.frame(i).astype(int)
            stored = next(f for r, f in reader._cache.items() if r == i)
            assert np.array_equal(stored.to_ndarray(format="gray"), plain[i]), i
            assert frame.shape == (736, 1312, 3)
        assert [reader.index_at(i / 30) for i in (0, 59, 179)] == [0, 59, 179]


def test_figures_are_finite_and_named(clip: Path) -> None:
    figures = measure_video(clip)
    assert figures["frames"] == 180
    assert all(np.isfinite(value) for value in figures.values())
    assert figures["seek_median_s"] <= figures["seek_p95_s"]
