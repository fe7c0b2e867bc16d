"""``fourdcb render`` from the command line."""

from __future__ import annotations

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
        (("--backend", "pathtrace"), "mitsuba"),
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
