"""Writing clips: what is written comes back, in our reader and in others."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import pytest

from fourdcb.errors import UserError
from fourdcb.video import VideoReader, write_video


def smooth_clip(n: int = 8, *, width: int = 64, height: int = 48) -> np.ndarray:
    """A soft blob that moves over a gradient, shape (n, height, width, 3)."""
    y, x = np.mgrid[:height, :width].astype(float)
    frames = []
    for i in range(n):
        blob = np.exp(-((x - 10 - 5 * i) ** 2 + (y - 20) ** 2) / 80)
        frames.append(np.stack([60 + 2 * x, 40 + 3 * y, 80 + 120 * blob], axis=-1))
    return np.clip(frames, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("a.mp4", {"codec": "h264", "lossless": True}),
        ("a.mkv", {"codec": "ffv1"}),
        ("b.mkv", {"lossless": True}),
    ],
)
@pytest.mark.parametrize("size", [(64, 48), (65, 49)])
def test_lossless_clips_keep_every_value(
    tmp_path: Path, name: str, arguments: dict[str, Any], size: tuple[int, int]
) -> None:
    clip = np.random.default_rng(0).integers(0, 256, size=(5, size[1], size[0], 3), dtype=np.uint8)
    assert write_video(tmp_path / name, clip, fps=30, **arguments) == 5
    with VideoReader(tmp_path / name) as reader:
        assert np.array_equal(reader.read_all(), clip)
        assert reader.info.fps == pytest.approx(30)


@pytest.mark.parametrize("codec", ["h264", "hevc", "vp9", "av1"])
def test_lossy_clips_stay_close_in_order_and_time(tmp_path: Path, codec: Any) -> None:
    clip = smooth_clip()
    write_video(tmp_path / "a.mp4", clip, fps=24, crf=12, codec=codec)
    with VideoReader(tmp_path / "a.mp4") as reader:
        decoded, info = reader.read_all(), reader.info
    assert info.codec == codec
    assert info.times == pytest.approx(np.arange(len(clip)) / 24, abs=1e-6)
    gaps = np.abs(decoded[:, None].astype(int) - clip[None]).mean(axis=(2, 3, 4))
    assert np.array_equal(gaps.argmin(axis=1), np.arange(len(clip)))
    assert gaps.diagonal().max() < 3


@pytest.mark.skipif(sys.platform != "linux", reason="nothing to keep elsewhere")
def test_an_encoder_leaves_the_process_an_ordinary_one(tmp_path: Path) -> None:
    """SVT-AV1 would make it a real-time process of the highest priority where the user is root."""

    def policies() -> set[int]:
        return {os.sched_getscheduler(int(thread)) for thread in os.listdir("/proc/self/task")}

    before, during = policies(), []

    def frames() -> Iterator[np.ndarray]:
        for image in smooth_clip(3):
            during.append(policies())
            yield image

    write_video(tmp_path / "a.mp4", frames(), fps=24, codec="av1")
    assert [*during, policies()] == [before] * 4


@pytest.mark.parametrize("codec", ["h264", "hevc", "vp9", "av1"])
def test_encoders_keep_their_settings_to_themselves(tmp_path: Path, codec: str) -> None:
    code = (
        "import sys, numpy as np; from fourdcb.video import write_video\n"
        "write_video(sys.argv[1], np.zeros((3, 64, 64, 3), np.uint8), fps=24, codec=sys.argv[2])"
    )
    env = {name: value for name, value in os.environ.items() if name != "SVT_LOG"}
    command = [sys.executable, "-c", code, str(tmp_path / "a.mp4"), codec]  # an encoder asks for it once
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.parametrize("b_frames", [0, 3])
def test_b_frames_are_written_as_asked(tmp_path: Path, b_frames: int) -> None:
    write_video(tmp_path / "a.mp4", smooth_clip(12), fps=30, b_frames=b_frames)
    with av.open(str(tmp_path / "a.mp4")) as container:
        kinds = {frame.pict_type for frame in container.decode(video=0)}
    assert (3 in kinds) == (b_frames > 0)  # 3 is AV_PICTURE_TYPE_B


def test_flat_colours_round_trip_here_and_in_other_readers(tmp_path: Path) -> None:
    colours = np.random.default_rng(7).integers(0, 256, size=(40, 3)).astype(np.uint8)
    frames = [np.broadcast_to(c, (32, 32, 3)) for c in colours]
    path = tmp_path / "flat.mp4"
    write_video(path, frames, fps=10, crf=4, gop=1)
    with VideoReader(path) as reader:
        ours = reader.read_all()[:, 16, 16]
    with av.open(str(path)) as container:
        ffmpeg = [f.to_ndarray(format="rgb24")[16, 16] for f in container.decode(video=0)]
    capture = cv2.VideoCapture(str(path))
    opencv = [capture.read()[1][16, 16, ::-1] for _ in colours]
    assert np.abs(ours.astype(int) - colours).max() <= 2
    # Their fast conversions round worse by one; a wrong matrix or range would be off by ten and more.
    assert np.abs(np.array(ffmpeg).astype(int) - colours).max() <= 3
    assert np.abs(np.array(opencv).astype(int) - colours).max() <= 3


@pytest.mark.parametrize(
    ("suffix", "codec"),
    [(".mp4", None), (".webm", None), (".mkv", "hevc"), (".mp4", "av1"), (".mkv", "ffv1")],
)
def test_odd_sizes_are_kept(tmp_path: Path, suffix: str, codec: Any) -> None:
    clip = smooth_clip(3, width=65, height=49)
    if codec == "av1":  # the encoder takes nothing smaller than 64 px
        clip = smooth_clip(3, width=99, height=67)
    path = tmp_path / f"odd{suffix}"
    write_video(path, clip, fps=30, crf=4, codec=codec)
    with VideoReader(path) as reader:
        decoded = reader.read_all()
    assert decoded.shape == np.shape(clip)
    assert np.abs(decoded.astype(int) - clip).mean() < 2
    with av.open(str(path)) as container:
        assert {(f.width, f.height) for f in container.decode(video=0)} == {
            (clip[0].shape[1], clip[0].shape[0])
        }


def test_webm_is_written_as_vp9(tmp_path: Path) -> None:
    assert write_video(tmp_path / "a.webm", smooth_clip(3), fps=30) == 3
    with VideoReader(tmp_path / "a.webm") as reader:
        assert reader.info.codec == "vp9"


def test_the_header_comes_first(tmp_path: Path) -> None:
    write_video(tmp_path / "a.mp4", smooth_clip(), fps=30)
    data = (tmp_path / "a.mp4").read_bytes()
    assert 0 < data.find(b"moov") < data.find(b"mdat")


def test_frames_are_taken_one_by_one(tmp_path: Path) -> None:
    alive = peak = 0

    class Counted(np.ndarray):
        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    def frames() -> Iterator[np.ndarray]:
        nonlocal alive, peak
        for image in smooth_clip(40):
            counted = image.copy().view(Counted)
            alive += 1
            peak = max(peak, alive)
            yield counted

    assert write_video(tmp_path / "a.mp4", frames(), fps=30) == 40
    assert peak <= 4


def test_a_failing_source_leaves_no_file_and_keeps_the_old_one(tmp_path: Path) -> None:
    def failing() -> Iterator[np.ndarray]:
        yield from smooth_clip(3)
        raise RuntimeError("the renderer stopped")

    path = tmp_path / "a.mp4"
    write_video(path, smooth_clip(2), fps=30)
    before = path.read_bytes()
    with pytest.raises(RuntimeError, match="renderer"):
        write_video(path, failing(), fps=30)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.mp4"]
    assert stat.S_IMODE(path.stat().st_mode) & 0o044 == 0o044


@pytest.mark.parametrize(
    ("frames", "arguments", "told"),
    [
        ([], {}, "at least one frame"),
        ([np.zeros((8, 8, 3), np.uint8), np.zeros((8, 9, 3), np.uint8)], {}, "another size"),
        ([np.zeros((8, 8, 3), np.float32)], {}, "not an image"),
        ([np.zeros((8, 8), np.uint8)], {}, "not an image"),
        ([np.zeros((16, 16, 3), np.uint8)], {"fps": 0.0}, "frame rate"),
        ([np.zeros((16, 16, 3), np.uint8)], {"codec": "theora"}, "unknown codec"),
        ([np.zeros((16, 16, 3), np.uint8)], {"codec": "vp9", "lossless": True}, "lossless"),
    ],
)
def test_bad_input_is_told(
    tmp_path: Path, frames: list[np.ndarray], arguments: dict[str, Any], told: str
) -> None:
    with pytest.raises(UserError, match=told):
        write_video(tmp_path / "a.mp4", frames, **{"fps": 30.0, **arguments})
    assert not list(tmp_path.iterdir())


def test_bad_targets_are_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="folder"):
        write_video(tmp_path / "none" / "a.mp4", smooth_clip(2), fps=30)
    with pytest.raises(UserError, match="no video container"):
        write_video(tmp_path / "a.unknown", smooth_clip(2), fps=30)
    with pytest.raises(UserError, match="does not hold"):
        write_video(tmp_path / "a.webm", smooth_clip(2), fps=30, codec="h264")
    (tmp_path / "dir.mp4").mkdir()
    with pytest.raises(UserError, match="cannot be written"):
        write_video(tmp_path / "dir.mp4", smooth_clip(2), fps=30)


@pytest.mark.parametrize("fps", [5.0, 24.0, 29.97, 30000 / 1001, 59.94, 125.0])
def test_rates(tmp_path: Path, fps: float) -> None:
    write_video(tmp_path / "a.mp4", smooth_clip(4), fps=fps)
    with VideoReader(tmp_path / "a.mp4") as reader:
        assert reader.info.fps == pytest.approx(fps, rel=1e-4)
        assert reader.info.constant_rate


@pytest.mark.parametrize("codec", ["h264", "hevc", "vp9", "av1"])
def test_colours_stay_where_they_are(tmp_path: Path, codec: Any) -> None:
    """Chroma is written where readers take it from: a quarter of a pixel aside would show here."""
    x = np.arange(96.0)
    blob = np.exp(-((x - 44.0) ** 2 + (x[:, None] - 50.0) ** 2) / 60)[..., None]
    image = np.rint(255 - blob * np.array([20, 200, 230])).astype(np.uint8)
    path = tmp_path / "blob.mkv"
    write_video(path, [image], fps=30, crf=2, codec=codec)
    with VideoReader(path) as reader:
        shown = 255.0 - reader.frame(0)
    for channel in (1, 2):
        weight = shown[..., channel] * (shown[..., channel] > 8)
        place = [(weight * x).sum() / weight.sum(), (weight * x[:, None]).sum() / weight.sum()]
        assert place == pytest.approx([44.0, 50.0], abs=0.05)
