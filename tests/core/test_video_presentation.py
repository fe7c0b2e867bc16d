"""What a file says of its presentation: crop, pixel aspect, streams, opacity, wide colour, doubled stamps."""

from __future__ import annotations

import struct
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import pytest
from av.stream import Disposition

from fourdcb.errors import UserError
from fourdcb.video import VideoReader

DATA = Path(__file__).parents[1] / "data" / "video"


def disc(*, width: int = 160, height: int = 120) -> np.ndarray:
    image = np.full((height, width, 3), 40, np.uint8)
    cv2.circle(image, (width // 2, height // 2), 40, (220, 200, 180), -1, cv2.LINE_AA)
    return image


def write(path: Path, images: list[np.ndarray], *, encoder: str = "libx264", **settings: Any) -> Path:
    """Write with PyAV alone; ``settings`` are set on the stream, ``restamped`` tells packets' stamps anew."""
    stamps, restamped = settings.pop("stamps", range(len(images))), settings.pop("restamped", {})
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream(encoder, rate=30)
        stream.height, stream.width = images[0].shape[:2]
        stream.pix_fmt = settings.pop("pix_fmt", "yuv420p")
        rotation = settings.pop("rotation", None)
        if rotation is not None:
            stream.set_display_rotation(rotation)
        for name, value in settings.items():
            setattr(stream.codec_context, name, value)
        for stamp, image in zip(stamps, images, strict=True):
            form = "rgba" if image.shape[2] == 4 else "rgb24"
            frame = av.VideoFrame.from_ndarray(image, format=form).reformat(format=stream.pix_fmt)
            frame.pts, frame.time_base = stamp, Fraction(1, 30)
            for packet in stream.encode(frame):
                if packet.pts in restamped:
                    packet.pts = packet.dts = restamped[packet.pts]
                container.mux(packet)
        container.mux(stream.encode(None))
    return path


@pytest.mark.parametrize(
    ("aspect", "shape"),
    [(Fraction(4, 3), (120, 213)), (Fraction(3, 4), (160, 160)), (Fraction(12, 11), (120, 175))],
)
def test_pixels_become_square(tmp_path: Path, aspect: Fraction, shape: tuple[int, int]) -> None:
    path = write(tmp_path / "sar.mp4", [disc()], sample_aspect_ratio=aspect)
    with VideoReader(path) as reader:
        image, info = reader.frame(0), reader.info
    assert image.shape[:2] == (info.height, info.width) == shape
    assert (info.stored_width, info.stored_height) == (160, 120)
    mask = image[..., 0] > 128
    across, down = mask.any(axis=0).sum(), mask.any(axis=1).sum()
    assert across / down == pytest.approx(float(aspect), rel=0.03)


def test_square_pixels_come_before_the_turn(tmp_path: Path) -> None:
    path = write(tmp_path / "t.mp4", [disc()], sample_aspect_ratio=Fraction(4, 3), rotation=90.0)
    with VideoReader(path) as reader:
        assert (reader.info.width, reader.info.height) == (120, 213)
        assert reader.frame(0).shape == (213, 120, 3)


def test_an_angle_that_is_no_right_one_is_told(tmp_path: Path) -> None:
    with VideoReader(write(tmp_path / "t.mp4", [disc()], rotation=100.0)) as reader:
        assert reader.info.rotation_left_over == pytest.approx(10.0, abs=0.1)
        assert reader.info.rotation in (90, 270)


def with_clean_aperture(path: Path, *, width: int, height: int, across: int, down: int) -> Path:
    """Append a ``clap`` box to the sample entry (the movie box comes last, so nothing else moves)."""
    data = bytearray(path.read_bytes())
    box = struct.pack(">I4sIIIIiIiI", 40, b"clap", width, 1, height, 1, across, 1, down, 1)
    entry = data.index(b"avc1", data.index(b"stsd")) - 4
    end = entry + struct.unpack(">I", data[entry : entry + 4])[0]
    data[end:end] = box
    for name in (b"avc1", b"stsd", b"stbl", b"minf", b"mdia", b"trak", b"moov"):
        place = data.rindex(name, 0, entry + 8) - 4
        size = struct.unpack(">I", data[place : place + 4])[0]
        data[place : place + 4] = struct.pack(">I", size + len(box))
    path.write_bytes(bytes(data))
    return path


def test_the_clean_aperture_is_cut_out(tmp_path: Path) -> None:
    image = np.full((96, 128, 3), 30, np.uint8)
    image[24:64, 40:120] = 200
    path = write(tmp_path / "clap.mp4", [image] * 3)
    with_clean_aperture(path, width=80, height=40, across=16, down=-4)
    with VideoReader(path) as reader:
        assert reader.info.cropped
        assert (reader.info.width, reader.info.height) == (80, 40)
        assert reader.frame(2).min() > 150  # all of it is the bright part
    with_clean_aperture(write(tmp_path / "big.mp4", [image]), width=400, height=40, across=0, down=0)
    with VideoReader(tmp_path / "big.mp4") as reader:
        assert not reader.info.cropped
        assert (reader.info.width, reader.info.height) == (128, 96)


def test_the_default_stream_is_read(tmp_path: Path) -> None:
    path = tmp_path / "two.mkv"
    with av.open(str(path), "w") as container:
        streams: list[Any] = []
        for number in range(2):
            stream: Any = container.add_stream("libx264", rate=30)
            stream.width, stream.height, stream.pix_fmt = 64, 64, "yuv420p"
            stream.disposition = Disposition.default if number == 1 else Disposition(0)
            streams.append(stream)
        for k in range(4):
            for stream, level in zip(streams, (40, 200), strict=True):
                frame = av.VideoFrame.from_ndarray(np.full((64, 64, 3), level, np.uint8), format="rgb24")
                frame.pts, frame.time_base = k, Fraction(1, 30)
                container.mux(stream.encode(frame.reformat(format="yuv420p")))
        for stream in streams:
            container.mux(stream.encode(None))
    with VideoReader(path) as reader:
        assert (reader.info.stream, reader.info.video_streams) == (1, 2)
        assert reader.frame(0).mean() == pytest.approx(200, abs=3)


def test_what_is_transparent_does_not_show(tmp_path: Path) -> None:
    image = np.zeros((32, 32, 4), np.uint8)
    image[:16] = (200, 100, 50, 255)
    image[16:24] = (200, 100, 50, 128)
    image[24:] = (255, 255, 255, 0)  # a hidden colour
    path = write(tmp_path / "alpha.mov", [image] * 2, encoder="png", pix_fmt="rgba")
    with VideoReader(path) as reader:
        assert reader.info.alpha
        shown = reader.frame(1)
    assert shown[4, 4].tolist() == [200, 100, 50]
    assert np.abs(shown[20, 4].astype(int) - np.array([100, 50, 25])).max() <= 1
    assert not shown[24:].any()


def test_a_size_that_changes_midway_is_told_and_made_one(tmp_path: Path) -> None:
    with VideoReader(DATA / "size_changes.webm") as reader, VideoReader(DATA / "size_constant.webm") as same:
        assert reader.info.sizes == ((128, 96), (64, 48))
        assert same.info.sizes == ((128, 96),)
        assert {frame.shape for frame in reader.frames()} == {(96, 128, 3)}
        assert np.array_equal(reader.frame(3), same.frame(3))


def test_interlaced_frames_are_told() -> None:
    with VideoReader(DATA / "interlaced.mp4") as reader:
        assert reader.info.interlaced
    with VideoReader(DATA / "variable_rate.mp4") as reader:
        assert not reader.info.interlaced


@pytest.mark.parametrize("bad", [[2], [2, 7]])
def test_a_doubled_stamp_discards_only_itself(tmp_path: Path, bad: list[int]) -> None:
    images = [np.full((64, 64, 3), 20 * k, np.uint8) for k in range(12)]
    path = write(
        tmp_path / "doubled.mkv", images, encoder="mjpeg", pix_fmt="yuvj420p",
        restamped={k + 1: k for k in bad},
    )  # fmt: skip
    kept = [k for k in range(12) if k - 1 not in bad]
    with VideoReader(path) as reader:
        info = reader.info
        levels = [float(reader.frame(i).mean()) for i in range(len(reader))]
        backwards = [float(reader.frame(i).mean()) for i in reversed(range(len(reader)))]
    assert info.stamped
    assert info.discarded_frames == len(bad)
    assert levels == pytest.approx([20.0 * k for k in kept], abs=2)
    assert backwards == levels[::-1]
    assert info.times == pytest.approx(np.array(kept) / 30, abs=1e-3)


@pytest.mark.parametrize("name", ["a.avi", "a.264"])
def test_the_rate_of_clips_without_stamps_is_that_of_the_codec(tmp_path: Path, name: str) -> None:
    images = [disc(width=96, height=96) for _ in range(20)]
    with av.open(str(tmp_path / name), "w", format="h264" if name.endswith("264") else None) as container:
        stream: Any = container.add_stream("libx264", rate=50, options={"bf": "2"})
        stream.width, stream.height, stream.pix_fmt = 96, 96, "yuv420p"
        for k, image in enumerate(images):
            frame = av.VideoFrame.from_ndarray(image, format="rgb24")
            frame.pts, frame.time_base = k, Fraction(1, 50)
            container.mux(stream.encode(frame.reformat(format="yuv420p")))
        container.mux(stream.encode(None))
    with VideoReader(tmp_path / name) as reader:
        assert (len(reader), reader.info.truncated) == (20, False)
        assert reader.info.fps == pytest.approx(50.0)
        assert reader.info.duration == pytest.approx(0.4)


def test_an_avi_holds_a_picture_where_it_holds_no_frame(tmp_path: Path) -> None:
    stamps = [0, 1, 2, 3, 10, 11, 12]
    images = [disc(width=96, height=96) for _ in stamps]
    path = write(tmp_path / "held.avi", images, stamps=stamps, encoder="mpeg4", max_b_frames=0)
    with VideoReader(path) as reader:
        assert reader.info.times * 30 == pytest.approx(np.array(stamps), abs=1e-6)
        assert not reader.info.constant_rate


def coded(
    path: Path, planes: np.ndarray, *, matrix: int, transfer: int = 1, primaries: int = 1, depth: int = 8,
    full: bool = False,
) -> Path:  # fmt: skip
    """Store Y, Cb, Cr in [0, 1] and [-0.5, 0.5], shape (3, N), as N patches of 16 px, without loss."""
    top, unit, middle = 2**depth - 1, 2 ** (depth - 8), 2 ** (depth - 1)
    scale = np.array([top, top, top] if full else [219 * unit, 224 * unit, 224 * unit])
    offset = np.array([0, middle, middle] if full else [16 * unit, middle, middle])
    codes = np.clip(np.rint(planes * scale[:, None] + offset[:, None]), 0, top)
    rows = np.repeat(np.repeat(codes[:, None], 16, axis=1), 16, axis=2)
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("ffv1", rate=10)
        stream.height, stream.width = rows.shape[1:]
        stream.pix_fmt = "yuv444p" if depth == 8 else "yuv444p10le"
        context, frame = stream.codec_context, av.VideoFrame(stream.width, stream.height, stream.pix_fmt)
        for target in (context, frame):
            target.colorspace, target.color_range = matrix, 2 if full else 1
            target.color_trc, target.color_primaries = transfer, primaries
        for plane, samples in zip(frame.planes, rows, strict=True):
            kind = np.uint8 if depth == 8 else np.uint16
            lines = np.zeros((stream.height, plane.line_size // np.dtype(kind).itemsize), kind)
            lines[:, : stream.width] = samples
            plane.update(lines.tobytes())
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def patches(path: Path) -> np.ndarray:
    with VideoReader(path) as reader:
        return reader.frame(0)[8, 8::16].astype(int)


COLOURS = np.random.default_rng(11).uniform(0.05, 0.95, size=(3, 24))


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("depth", [8, 10])
def test_ycgco_is_undone(tmp_path: Path, full: bool, depth: int) -> None:
    r, g, b = COLOURS
    planes = np.stack([r / 4 + g / 2 + b / 4, -r / 4 + g / 2 - b / 4, r / 2 - b / 2])  # ITU-T H.273
    path = coded(tmp_path / "ycgco.mkv", planes, matrix=8, depth=depth, full=full)
    assert np.abs(patches(path) - 255 * COLOURS.T).max() <= 2.5


def test_constant_luminance_is_undone(tmp_path: Path) -> None:
    def oetf(light: np.ndarray) -> np.ndarray:
        return np.where(light < 0.0181, 4.5 * light, 1.0993 * light**0.45 - 0.0993)

    light = COLOURS
    r, _, b = oetf(light)
    luma = oetf(np.array([0.2627, 0.6780, 0.0593]) @ light)
    blue = np.where(b <= luma, (b - luma) / 1.9404, (b - luma) / 1.5816)
    red = np.where(r <= luma, (r - luma) / 1.7184, (r - luma) / 0.9936)
    path = coded(tmp_path / "cl.mkv", np.stack([luma, blue, red]), matrix=10, depth=10)
    assert np.abs(patches(path) - 255 * oetf(light).T).max() <= 2


def srgb(light: np.ndarray) -> np.ndarray:
    value = np.clip(light, 0.0, 1.0)
    return 255 * np.where(value <= 0.0031308, 12.92 * value, 1.055 * value ** (1 / 2.4) - 0.055)


def wide_planes(signal: np.ndarray) -> np.ndarray:
    """Y'CbCr of BT.2020, non-constant luminance."""
    luma = np.array([0.2627, 0.6780, 0.0593]) @ signal
    return np.stack([luma, (signal[2] - luma) / 1.8814, (signal[0] - luma) / 1.4746])


# ITU-R BT.2087, linear BT.709 to linear BT.2020.
BT2020_FROM_BT709 = np.array(
    [[0.6274, 0.3293, 0.0433], [0.0691, 0.9195, 0.0114], [0.0164, 0.0880, 0.8956]]
)  # fmt: skip


@pytest.mark.parametrize("transfer", ["pq", "hlg"])
def test_hdr_becomes_srgb_with_diffuse_white_at_203(tmp_path: Path, transfer: str) -> None:
    light = np.concatenate([COLOURS, np.ones((3, 1)), 4 * np.ones((3, 1))], axis=1)  # white, and a highlight
    display = BT2020_FROM_BT709 @ light * 203.0  # [cd/m²]
    if transfer == "pq":
        powered = (display / 10000) ** (2610 / 16384)
        m2 = 2523 / 4096 * 128
        signal = ((3424 / 4096 + 2413 / 4096 * 32 * powered) / (1 + 2392 / 4096 * 32 * powered)) ** m2
    else:
        luminance = np.array([0.2627, 0.6780, 0.0593]) @ display / 1000
        scene = display / 1000 * luminance ** (1 / 1.2 - 1)  # inverse OOTF
        signal = np.where(
            scene <= 1 / 12,
            np.sqrt(3 * scene),
            0.17883277 * np.log(np.maximum(12 * scene - 0.28466892, 1e-9)) + 0.55991073,
        )
    path = coded(
        tmp_path / "hdr.mkv", wide_planes(signal), matrix=9, primaries=9, depth=10,
        transfer=16 if transfer == "pq" else 18,
    )  # fmt: skip
    with VideoReader(path) as reader:
        assert (reader.info.transfer, reader.info.primaries) == (transfer, "bt2020")
    assert np.abs(patches(path) - srgb(light).T).max() <= 4  # ten bits of a wide range
    assert np.abs(patches(path)[-2:] - 255).max() <= 1


def test_pq_agrees_with_another_converter() -> None:
    with VideoReader(DATA / "bt2020_pq.mp4") as ours, VideoReader(DATA / "bt2020_pq_as_sdr.mp4") as zscale:
        gaps = [
            np.mean((a.astype(float) - b) ** 2) for a, b in zip(ours.frames(), zscale.frames(), strict=True)
        ]
    assert 10 * np.log10(255**2 / np.mean(gaps)) > 45


def test_wide_primaries_become_those_of_srgb(tmp_path: Path) -> None:
    inside = 0.2 + 0.6 * COLOURS
    signal = srgb(BT2020_FROM_BT709 @ inside) / 255
    path = coded(tmp_path / "wide.mkv", wide_planes(signal), matrix=9, primaries=9, transfer=14, depth=10)
    assert np.abs(patches(path) - srgb(inside).T).max() <= 2
    red = coded(tmp_path / "p3.mkv", np.array([[0.2126], [-0.1146], [0.5]]), matrix=1, primaries=12)
    assert np.abs(patches(red)[0] - [255, 0, 0]).max() <= 1  # Display P3's red lies beyond sRGB's


def test_colours_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    path = coded(tmp_path / "ictcp.mkv", COLOURS - [[0.0], [0.5], [0.5]], matrix=14, depth=10)
    with pytest.raises(UserError, match="not read here") as told:
        VideoReader(path)
    assert told.value.got == "ICtCp"
    assert told.value.where == str(path)
