"""``fourdcb render`` from the command line."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from fourdcb.cli import main
from fourdcb.video import VideoReader

SCRIPT = """
world = World(duration=0.2, fps=30)
ball = Object("ball", geometry="sphere", size=[0.2, 0.2, 0.2], mass=1, friction=0.5, restitution=0.5,
              pos=[0, 0, 0.5], vel=[0, 0, 0], acc=[0, 0, -9.8])
floor = Plane(normal=[0, 0, 1], offset=0)
"""


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(["render", *arguments])
    return int(stop.value.code or 0)


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "world.py"
    path.write_text(SCRIPT)
    return str(path)


def test_a_script_becomes_a_video(script: str, tmp_path: Path) -> None:
    out = tmp_path / "v.mp4"
    assert run(script, "--out", str(out), "--width", "64", "--height", "48", "--samples", "2") == 0
    with VideoReader(out) as video:
        assert (video.info.width, video.info.height, video.info.n_frames) == (64, 48, 6)


def test_a_range_of_frames_and_one_picture(script: str, tmp_path: Path) -> None:
    out, picture = tmp_path / "v.mp4", tmp_path / "p.png"
    assert run(script, "--out", str(out), "--frames", "2:5", "--width", "64", "--height", "48") == 0
    with VideoReader(out) as video:
        assert video.info.n_frames == 3
    assert run(script, "--out", str(picture), "--frames", "4", "--width", "64", "--height", "48") == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--frames", "4:99"), "no such frames"),
        (("--frames", "a:b"), "not a range"),
        (("--spp", "8"), "--spp belongs to the path tracer"),
        (("--direct-only",), "--direct-only belongs"),
        (("--keep-frames", "--backend", "pytorch3d"), "--keep-frames belongs"),
        (("--backend", "pathtrace", "--spp", "0"), "spp is out of range"),
        (("--motion-blur", "much"), "not a number of poses"),
        (("--backend", "oil"), "no such backend"),
        (("--supersample", "0"), "supersample"),
    ],
)
def test_bad_wishes_end_with_code_2(
    script: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    out = tmp_path / "v.mp4"
    assert run(script, "--out", str(out), *arguments) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


SMALL = ("--width", "48", "--height", "32")


def test_a_folder_of_pictures(script: str, tmp_path: Path) -> None:
    assert run(script, "--output", str(tmp_path / "frames"), "--frames", "2:4", *SMALL) == 0
    assert sorted(p.name for p in (tmp_path / "frames").iterdir()) == ["frame_000002.png", "frame_000003.png"]


def test_buffers_beside_the_video(script: str, tmp_path: Path) -> None:
    out, aux = tmp_path / "v.mp4", tmp_path / "aux"
    wish = ("--output", str(out), "--aux", str(aux), "--frames", "0:2", "--motion-blur", "auto", *SMALL)
    assert run(script, *wish) == 0
    assert sorted(p.name for p in aux.glob("*.npz")) == ["frame_000000.npz", "frame_000001.npz"]


def traced(script: str, out: Path, *more: str) -> list[str]:
    return [script, "--output", str(out), "--backend", "pathtrace", *SMALL, *more]


def test_a_path_traced_clip_leaves_no_frames(
    script: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("mitsuba")
    out = tmp_path / "v.mp4"
    assert run(*traced(script, out, "--spp", "4", "--motion-blur", "2", "--seed", "3")) == 0
    with VideoReader(out) as video:
        assert (video.info.width, video.info.height, video.info.n_frames) == (48, 32, 6)
    told = capsys.readouterr().err
    assert "path tracing with" in told
    assert ("DRJIT_LIBLLVM_PATH" in told) == ("scalar_rgb" in told)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["v.mp4", "world.py"]


def test_a_killed_render_goes_on_where_it_was(
    script: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("mitsuba")
    out, kept = tmp_path / "v.mp4", tmp_path / "v.mp4.frames"
    wish = traced(script, out, "--spp", "150", "--keep-frames")
    with subprocess.Popen(
        [sys.executable, "-c", "import sys, fourdcb.cli as c; c.main(sys.argv[1:])", "render", *wish],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        deadline = time.monotonic() + 120.0
        while len(list(kept.glob("frame_*.npz"))) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        process.kill()
    done = {file.name: file.stat().st_mtime_ns for file in kept.glob("frame_*.npz")}
    assert 2 <= len(done) < 6
    assert not out.exists()

    assert run(*wish) == 0
    assert f"going on after {len(done)} finished frames" in capsys.readouterr().err
    files = {file.name: file.stat().st_mtime_ns for file in kept.glob("frame_*.npz")}
    assert len(files) == 6
    assert {name: files[name] for name in done} == done
    with VideoReader(out) as video:
        assert video.info.n_frames == 6

    other = traced(script, out, "--spp", "4", "--keep-frames", "--frames", "0:1")
    assert run(*other) == 0
    assert "starting anew" in capsys.readouterr().err
    assert len(list(kept.glob("frame_*.npz"))) == 1
