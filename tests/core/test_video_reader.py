"""Reading clips: every frame, in any order, exactly as sequential decoding gives it."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fourdcb.errors import UserError
from fourdcb.video import VideoReader
from fourdcb.video.scheduling import kept_scheduling

N = 30
X264 = "keyint=10:min-keyint=10:bframes=3:scenecut=0"
X265 = "keyint=10:min-keyint=10:bframes=3:log-level=none"
VFR_STAMPS = (0, 1, 2, 5, 6, 10, 11, 12, 20, 21, 25, 26, 27, 28, 29, 40, 41, 42, 50, 51)

Encode = Callable[..., Path]


def numbered_picture(i: int, *, width: int = 96, height: int = 80) -> np.ndarray:
    """A gradient that moves, with the frame's number written in eight big bits."""
    rows, columns = np.mgrid[:height, :width]
    image = np.stack([(columns * 2 + i * 7) % 256, (rows * 2 + i * 3) % 256, np.full_like(rows, 90)], axis=-1)
    for bit in range(8):
        image[8:40, 8 + bit * 10 : 18 + bit * 10] = 220 if i >> bit & 1 else 30
    return image.astype(np.uint8)


def number_in(image: np.ndarray) -> int:
    """The number that :func:`numbered_picture` wrote."""
    return sum(1 << bit for bit in range(8) if image[16:32, 11 + bit * 10 : 15 + bit * 10].mean() > 125)


def encode(
    path: Path,
    *,
    encoder: str = "libx264",
    options: dict[str, str] | None = None,
    stamps: Sequence[int] = tuple(range(N)),
    time_base: Fraction = Fraction(1, 30),
    pix_fmt: str = "yuv420p",
    width: int = 96,
    height: int = 80,
    file_format: str | None = None,
    container_options: dict[str, str] | None = None,
    gop: int | None = None,
    b_frames: int | None = None,
    rotation: float | None = None,
    hflip: bool = False,
) -> Path:
    """Write numbered pictures with PyAV alone, so that the reader is checked against something else."""
    with av.open(str(path), "w", format=file_format, options=container_options or {}) as container:
        stream: Any = container.add_stream(encoder, rate=1 / time_base, options=options or {})
        stream.width, stream.height, stream.pix_fmt = width, height, pix_fmt
        stream.codec_context.time_base = time_base
        if gop is not None:
            stream.codec_context.gop_size = gop
        if b_frames is not None:
            stream.codec_context.max_b_frames = b_frames
        if rotation is not None:
            stream.set_display_rotation(rotation, hflip=hflip)
        with kept_scheduling():
            stream.codec_context.open()
        for i, stamp in enumerate(stamps):
            image = numbered_picture(i, width=width, height=height)
            frame = av.VideoFrame.from_ndarray(image, format="rgb24").reformat(format=pix_fmt)
            frame.pts, frame.time_base = stamp, time_base
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


CLIPS: dict[str, dict[str, Any]] = {
    "b_frames.mp4": {"options": {"x264-params": X264}},
    "open_gop.mp4": {"options": {"x264-params": X264 + ":open-gop=1"}},
    "open_gop.mkv": {"options": {"x264-params": X264 + ":open-gop=1"}},
    "open_gop.ts": {"options": {"x264-params": X264 + ":open-gop=1"}},
    "fragmented.mp4": {
        "options": {"x264-params": X264},
        "container_options": {"movflags": "frag_keyframe+empty_moov"},
    },
    "no_stamps.avi": {"options": {"x264-params": X264}},
    "raw.264": {"options": {"x264-params": X264}, "file_format": "h264"},
    "intra_refresh.mp4": {"options": {"x264-params": "intra-refresh=1:keyint=10:bframes=0"}},
    "ten_bit.mp4": {"pix_fmt": "yuv420p10le", "options": {"x264-params": X264}},
    "odd_size.mp4": {"pix_fmt": "yuv444p", "width": 97, "height": 81, "options": {"x264-params": X264}},
    "hevc_open_gop.mp4": {"encoder": "libx265", "options": {"x265-params": X265 + ":open-gop=1"}},
    "hevc_ten_bit.mkv": {"encoder": "libx265", "pix_fmt": "yuv420p10le", "options": {"x265-params": X265}},
    "vp9.webm": {"encoder": "libvpx-vp9", "gop": 10, "options": {"cpu-used": "8", "crf": "20", "b": "0"}},
    "hidden_frames.webm": {
        "encoder": "libvpx",
        "gop": 10,
        "options": {"cpu-used": "8", "auto-alt-ref": "1", "lag-in-frames": "16", "b": "400k"},
    },
    "av1.mp4": {"encoder": "libsvtav1", "gop": 10, "options": {"preset": "6", "crf": "8"}},
    "mjpeg.avi": {"encoder": "mjpeg", "pix_fmt": "yuvj420p"},
    "mpeg4.mp4": {"encoder": "mpeg4", "gop": 10, "b_frames": 2},
    "ffv1.mkv": {"encoder": "ffv1", "pix_fmt": "bgr0"},
    "variable_rate.mp4": {"stamps": VFR_STAMPS, "options": {"x264-params": X264}},
    "variable_rate.mkv": {"stamps": VFR_STAMPS, "options": {"x264-params": X264}},
    "late_start.mp4": {"stamps": tuple(range(7, 7 + N)), "options": {"x264-params": X264}},
    "late_start.mkv": {"stamps": tuple(range(7, 7 + N)), "options": {"x264-params": X264}},
    "ntsc.mp4": {"time_base": Fraction(1001, 30000), "options": {"x264-params": X264}},
    "one_frame.mp4": {"stamps": (0,)},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("clips")


@pytest.fixture(scope="module")
def clip(folder: Path) -> Callable[[str], Path]:
    """The clip of that name, encoded on first use."""

    def get(name: str) -> Path:
        path = folder / name
        if not path.exists():
            settings_of_clip = dict(CLIPS[name])
            if settings_of_clip.get("encoder") not in (None, "libx264"):
                _skip_without(settings_of_clip["encoder"])
            encode(path, **settings_of_clip)
        return path

    return get


def _skip_without(encoder: str) -> None:
    try:
        av.codec.Codec(encoder, "w")
    except ValueError:
        pytest.skip(f"no encoder {encoder}")


@pytest.mark.parametrize("name", CLIPS)
def test_frames_are_those_of_a_plain_decode_in_presentation_order(
    name: str, clip: Callable[[str], Path]
) -> None:
    path = clip(name)
    with av.open(str(path)) as container:
        plain = [number_in(f.to_ndarray(format="rgb24")) for f in container.decode(video=0)]
    with VideoReader(path) as reader:
        numbers = [number_in(frame) for frame in reader.frames()]
        assert reader.info.n_frames == len(reader) == len(plain)
        assert not reader.info.truncated
    assert numbers == plain == list(range(len(CLIPS[name].get("stamps", range(N)))))


@pytest.mark.parametrize("name", CLIPS)
def test_any_order_of_access_gives_the_sequential_frames(name: str, clip: Callable[[str], Path]) -> None:
    with VideoReader(clip(name)) as reader:
        sequential = reader.read_all()
    order = list(range(len(sequential))) * 2
    random.Random(name).shuffle(order)
    # A cache of four frames makes nearly every access decode.
    with VideoReader(clip(name), cache_bytes=1) as reader:
        for i in order:
            assert np.array_equal(reader.frame(i), sequential[i]), i


@pytest.mark.parametrize("name", ["open_gop.mp4", "open_gop.mkv", "hevc_open_gop.mp4", "variable_rate.mp4"])
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.lists(st.integers(0, 19), min_size=1, max_size=12))
def test_access_orders(name: str, clip: Callable[[str], Path], order: list[int]) -> None:
    with VideoReader(clip(name), cache_bytes=1) as reader:
        assert [number_in(reader.frame(i)) for i in order] == order


def test_stepping_backwards_decodes_each_frame_about_once(
    clip: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded = 0
    with VideoReader(clip("b_frames.mp4")) as reader:
        keep = reader._keep

        def count(rank: int, frame: Any) -> None:
            nonlocal decoded
            decoded += 1
            keep(rank, frame)

        monkeypatch.setattr(reader, "_keep", count)
        for i in reversed(range(N)):
            assert number_in(reader.frame(i)) == i
    assert decoded <= 2 * N


def test_times_of_a_variable_rate(clip: Callable[[str], Path]) -> None:
    for name, clock in (("variable_rate.mp4", 1e-9), ("variable_rate.mkv", 5.01e-4)):
        with VideoReader(clip(name)) as reader:
            info = reader.info
            assert info.times == pytest.approx(np.array(VFR_STAMPS) / 30, abs=2 * clock)
            assert not info.constant_rate
            assert info.fps == pytest.approx(19 / (51 / 30), rel=1e-3)
            for i, stamp in enumerate(VFR_STAMPS):
                assert reader.index_at(stamp / 30) == i
                assert reader.index_at(stamp / 30 + 0.02) == i
            assert reader.index_at(-1.0) == 0
            assert reader.index_at(99.0) == len(VFR_STAMPS) - 1


@pytest.mark.parametrize("name", ["late_start.mp4", "late_start.mkv"])
def test_a_late_start_counts_from_the_first_frame(name: str, clip: Callable[[str], Path]) -> None:
    with VideoReader(clip(name)) as reader:
        assert reader.info.times[0] == 0.0
        assert reader.info.start_time == pytest.approx(7 / 30, abs=1e-3)
        assert reader.info.duration == pytest.approx(N / 30, abs=2e-3)


def test_info_of_a_plain_clip(clip: Callable[[str], Path]) -> None:
    with VideoReader(clip("ntsc.mp4")) as reader:
        info = reader.info
    assert (info.width, info.height, info.n_frames) == (96, 80, N)
    assert info.fps == pytest.approx(30000 / 1001, rel=1e-9)
    assert info.constant_rate
    assert (info.codec, info.pix_fmt, info.rotation) == ("h264", "yuv420p", 0)
    assert info.times == pytest.approx(np.arange(N) * 1001 / 30000, abs=1e-9)


def test_frames_before_an_edit_list_starts_are_no_frames(folder: Path) -> None:
    path = encode(folder / "edit.mp4", stamps=range(-5, 25), options={"x264-params": X264})
    with VideoReader(path, cache_bytes=1) as reader:
        assert [number_in(f) for f in reader.frames()] == list(range(5, 30))
        assert [number_in(reader.frame(i)) for i in (24, 0, 12, 3)] == [29, 5, 17, 8]
        assert reader.info.times[0] == 0.0


@pytest.mark.parametrize("rotation", [0, 90, 180, -90])
@pytest.mark.parametrize("hflip", [False, True])
def test_display_rotation_is_applied(folder: Path, rotation: int, hflip: bool) -> None:
    path = encode(folder / f"turned{rotation}{hflip}.mp4", stamps=range(3), rotation=rotation, hflip=hflip)
    upright = np.rot90(numbered_picture(2), k=rotation // 90)  # numpy and the argument turn counter-clockwise
    upright = upright[:, ::-1] if hflip else upright
    with VideoReader(path) as reader:
        frame, info = reader.frame(2), reader.info
    assert frame.shape == upright.shape == (info.height, info.width, 3)
    assert info.mirrored == hflip
    if not hflip:
        assert info.rotation == -rotation % 360
    assert np.abs(frame.astype(int) - upright).mean() < 12


@pytest.mark.parametrize("kept", [0.9, 0.6, 0.3])
def test_a_cut_off_clip_reads_up_to_the_cut(folder: Path, kept: float) -> None:
    options = {"x264-params": X264, "crf": "8"}
    whole = encode(folder / "whole.mp4", options=options, container_options={"movflags": "+faststart"})
    matroska = encode(folder / "whole.mkv", options=options)
    for path in (whole, matroska):
        data = path.read_bytes()
        cut = path.with_name(f"cut{kept}{path.suffix}")
        cut.write_bytes(data[: int(len(data) * kept)])
        with VideoReader(cut, cache_bytes=1) as reader:
            assert reader.info.truncated
            count = len(reader)
            assert 1 <= count < N
            assert [number_in(f) for f in reader.frames()] == list(range(count))
            assert number_in(reader.frame(0)) == 0


def test_damage_in_the_middle_is_told_or_flagged(folder: Path) -> None:
    path = encode(folder / "sound.mp4", options={"x264-params": X264, "crf": "8"})
    data = bytearray(path.read_bytes())
    middle = len(data) * 55 // 100
    data[middle : middle + 400] = np.random.default_rng(1).bytes(400)
    damaged = folder / "damaged.mp4"
    damaged.write_bytes(data)
    with VideoReader(damaged) as reader:
        assert number_in(reader.frame(0)) == 0
        assert number_in(reader.frame(N - 1)) == N - 1
        with pytest.raises(UserError, match="damaged"):
            list(reader.frames())


@pytest.mark.parametrize("encoder", ["libx264", "libx265"])
def test_a_stream_that_starts_inside_a_gop_begins_at_its_first_key_frame(folder: Path, encoder: str) -> None:
    name = encoder.removeprefix("lib")
    options = {f"{name}-params": (X264 if encoder == "libx264" else X265) + ":open-gop=1"}
    whole = encode(folder / f"{name}_whole.ts", encoder=encoder, options=options)
    data = whole.read_bytes()
    tables, middle = 3 * 188, len(data) // 3 // 188 * 188
    cut = folder / f"{name}_tail.ts"
    cut.write_bytes(data[:tables] + data[middle:])
    with VideoReader(cut) as reader:
        numbers = [number_in(frame) for frame in reader.frames()]
    assert numbers in (list(range(10, N)), list(range(20, N)))
    with VideoReader(cut, cache_bytes=1) as reader:
        for i in random.Random(2).sample(range(len(numbers)), len(numbers)):
            assert number_in(reader.frame(i)) == numbers[i]


def test_colons_in_a_relative_name_are_no_protocol(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encode(folder / "take:1 50%d ü.mp4", stamps=range(3))
    monkeypatch.chdir(folder)
    with VideoReader("take:1 50%d ü.mp4") as reader:
        assert len(reader) == 3


def _missing(folder: Path) -> Path:
    return folder / "missing.mp4"


def _written(name: str, content: bytes) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(content)
        return path

    return write


def _header_cut(folder: Path) -> Path:
    whole = encode(folder / "tail_header.mp4", stamps=range(5))
    data = whole.read_bytes()
    return _written("no_header.mp4", data[: len(data) // 2])(folder)


def _sound_only(folder: Path) -> Path:
    path = folder / "sound_only.mp4"
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("aac", rate=44100)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        frame.sample_rate = 44100
        container.mux([*stream.encode(frame), *stream.encode(None)])
    return path


def _still(folder: Path) -> Path:
    import cv2

    path = folder / "still.png"
    cv2.imwrite(str(path), numbered_picture(1))
    return path


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (_missing, "does not exist"),
        (lambda folder: folder, "folder"),
        (_written("empty.mp4", b""), "empty"),
        (_written("text.mp4", b"not a video\n" * 40), "not a readable video"),
        (_written("text.txt", b"not a video\n" * 40), "not a video"),
        (_header_cut, "not a readable video"),
        (_sound_only, "no video stream"),
        (_still, "not a video"),
    ],
)
def test_what_is_no_video_is_told(folder: Path, make: Callable[[Path], Path], told: str) -> None:
    path = make(folder)
    with pytest.raises(UserError, match=told) as caught:
        VideoReader(path)
    assert str(path) in str(caught.value)
    assert "Errno" not in str(caught.value)


def test_a_named_pipe_is_refused_without_waiting(folder: Path) -> None:
    path = folder / "pipe.mp4"
    os.mkfifo(path)
    with pytest.raises(UserError, match="regular file"):
        VideoReader(path)


def test_indices_outside_and_a_closed_reader_raise(clip: Callable[[str], Path]) -> None:
    reader = VideoReader(clip("b_frames.mp4"))
    for i in (-1, N):
        with pytest.raises(IndexError):
            reader.frame(i)
    reader.close()
    with pytest.raises(ValueError, match="closed"):
        reader.frame(0)


def test_frames_belong_to_the_caller(clip: Callable[[str], Path]) -> None:
    with VideoReader(clip("b_frames.mp4")) as reader:
        first = reader.frame(4)
        kept = first.copy()
        first[:] = 0
        assert np.array_equal(reader.frame(4), kept)


def test_memory_stays_flat_over_a_long_clip(folder: Path) -> None:
    import psutil

    path = encode(
        folder / "long.mp4", stamps=range(600), width=320, height=256, options={"preset": "ultrafast"}
    )
    process = psutil.Process()
    with VideoReader(path, cache_bytes=4 * 2**20) as reader:
        for _ in reader.frames(0, 100):
            pass
        before = process.memory_info().rss
        for _ in reader.frames(100):
            pass
        grown = process.memory_info().rss - before
    assert grown < 20 * 2**20  # the 500 frames are 117 MiB


def _public_clips() -> list[Path]:
    root = Path(os.environ.get("FOURDCB_DATA", Path(__file__).parents[3] / "shared" / "data"))
    # What lies in ``failing`` is cut off or malformed on purpose.
    return sorted(path for path in root.glob("**/*.mp4") if "failing" not in path.parts)


@pytest.mark.skipif(not _public_clips(), reason="FOURDCB_DATA holds no clips")
@pytest.mark.parametrize("path", _public_clips(), ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_public_clips_read_alike_in_any_order(path: Path) -> None:
    with av.open(str(path)) as container:
        count = sum(1 for _ in container.decode(video=0))
    order = random.Random(path.name).sample(range(count), min(count, 25))
    with VideoReader(path) as reader:
        assert len(reader) == count
        wanted = {i: frame for i, frame in enumerate(reader.frames()) if i in set(order)}
    with VideoReader(path, cache_bytes=1) as reader:
        for i in order:
            assert np.array_equal(reader.frame(i), wanted[i]), i


def test_the_room_imports_without_its_heavy_libraries() -> None:
    code = "import fourdcb.video, sys; print(sorted({'av', 'cv2', 'numba'} & set(sys.modules)))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"
