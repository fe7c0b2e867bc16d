"""``fourdcb bench video``: opening, seeking and memory on 4K clips of ten minutes."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WIDTH, HEIGHT, FPS, MINUTES = 3840, 2160, 30, 10
# Frames between key frames: as cameras and phones write them, and x264's default. An exact seek decodes
# what lies between, so it takes as many times longer.
KEY_FRAMES = {"key_frame_each_second": FPS, "key_frame_each_250": 250}
_SEEKS = 20
_ENCODER = {"preset": "ultrafast", "crf": "23"}
_X264 = "scenecut=0:bframes=3:b-adapt=0"


def bench_video(
    json_: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
    clean: Annotated[bool, typer.Option("--clean", help="Remove the kept clip and measure nothing.")] = False,
) -> None:
    """Measure opening, random seeks and memory on two 4K clips of 10 minutes, made once and kept (0.4 GB)."""
    if clean:
        for interval in KEY_FRAMES.values():
            clip_path(interval).unlink(missing_ok=True)
            typer.echo(f"removed {clip_path(interval)}")
        return
    figures = {name: _measured(clip_path(interval), interval) for name, interval in KEY_FRAMES.items()}
    if json_:
        typer.echo(json.dumps(figures))
        return
    typer.echo(f"{'':26}" + "".join(f"{name:>24}" for name in figures))
    for name in next(iter(figures.values())):
        typer.echo(f"{name:26}" + "".join(f"{column[name]:>24.5g}" for column in figures.values()))


def clip_path(interval: int) -> Path:
    """Where the clip with a key frame each ``interval`` frames is kept: the user's cache folder."""
    import platformdirs

    name = f"{WIDTH}x{HEIGHT}_{MINUTES}min_{interval}.mp4"
    return Path(platformdirs.user_cache_dir("fourdcb")) / "bench" / name


def make_clip(
    path: Path, *, width: int = WIDTH, height: int = HEIGHT, frames: int, repeats: int | None = None
) -> None:
    """Write a still picture of blocks over which a square moves.

    One group of pictures is encoded and its packets are written again and again, so that ten minutes take
    seconds to make.

    Args:
        path: target; it appears when it is complete.
        width, height: image size [px].
        frames: length of the group: one key frame in so many.
        repeats: how often it is written; as ``MINUTES`` ask for when None.
    """
    import av

    times = repeats if repeats is not None else MINUTES * 60 * FPS // frames
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".partial.mp4")
    try:
        with av.open(str(temporary), "w") as container:
            stream: Any = container.add_stream(
                "libx264", rate=FPS, options={**_ENCODER, "x264-params": f"keyint={frames}:{_X264}"}
            )
            stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
            packets = _encoded(stream, width=width, height=height, frames=frames)
            for k in range(times):
                container.mux([_shifted(packet, k * frames, stream) for packet in packets])
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _encoded(stream: Any, *, width: int, height: int, frames: int) -> list[Any]:
    import av
    import numpy as np

    blocks = np.random.default_rng(0).integers(40, 215, size=(-(-height // 8), -(-width // 8)))
    picture = np.kron(blocks, np.ones((8, 8))).astype(np.uint8)[:height, :width]
    packets = []
    for k in range(frames):
        frame = av.VideoFrame.from_ndarray(_with_square(picture, k, frames), format="yuv420p")
        frame.pts, frame.time_base = k, Fraction(1, FPS)
        packets += stream.encode(frame)
    return [*packets, *stream.encode(None)]


def _with_square(picture: NDArray[np.uint8], k: int, frames: int) -> NDArray[np.uint8]:
    """Planes of frame ``k`` one under the other, shape (1.5 height, width)."""
    import numpy as np

    height, width = picture.shape
    side = height // 16
    planes = np.full((height * 3 // 2, width), 128, np.uint8)
    planes[:height] = picture
    x = (width - side) * k // frames
    planes[height // 2 : height // 2 + side, x : x + side] = 235
    return planes


def _shifted(packet: Any, ticks: int, stream: Any) -> Any:
    import av

    copy = av.Packet(bytes(packet))
    copy.pts, copy.dts = packet.pts + ticks, packet.dts + ticks
    copy.time_base, copy.duration = packet.time_base, packet.duration
    copy.is_keyframe, copy.stream = packet.is_keyframe, stream
    return copy


def _measured(path: Path, interval: int) -> dict[str, Any]:
    """Figures from a process of its own, so that its memory is only the reader's."""
    from fourdcb.errors import FourDCBError

    if not path.is_file():
        typer.echo(f"making the clip, once: {path}", err=True)
        make_clip(path, frames=interval)
    command = [sys.executable, "-m", "fourdcb.cli.bench_video", str(path)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    if result.returncode != 0:
        raise FourDCBError(f"the benchmark of the video reader failed:\n{result.stderr.strip()}")
    figures: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return figures


def measure_video(path: Path) -> dict[str, Any]:
    """Seconds of wall clock, and of processor time of all threads: other load slows only the former."""
    import numpy as np

    from fourdcb.cli.bench_scene import peak_mb
    from fourdcb.video import VideoReader

    start, spent = time.perf_counter(), time.process_time()
    with VideoReader(path) as reader:
        opened, opened_cpu = time.perf_counter() - start, time.process_time() - spent
        order = random.Random(0).sample(range(len(reader)), min(_SEEKS, len(reader)))
        seconds, cpu = [], []
        for i in order:
            start, spent = time.perf_counter(), time.process_time()
            reader.frame(i)
            seconds.append(time.perf_counter() - start)
            cpu.append(time.process_time() - spent)
        return {
            "open_s": opened,
            "open_cpu_s": opened_cpu,
            "seek_median_s": float(np.median(seconds)),
            "seek_p95_s": float(np.percentile(seconds, 95)),
            "seek_cpu_p95_s": float(np.percentile(cpu, 95)),
            "peak_mb": peak_mb(),
            "frames": len(reader),
            "width": reader.info.width,
            "height": reader.info.height,
            "clip_mb": path.stat().st_size / 2**20,
        }


if __name__ == "__main__":
    print(json.dumps(measure_video(Path(sys.argv[1]))))
