"""Bad input through the command line: exit code 2 and one message that says what, where and what is right."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from fourdcb.cli import main
from fourdcb.video import write_video

SCENE = Path(str(files("fourdcb_resources"))) / "scenes" / "slide_cup"
TRUTH = (SCENE / "world.py").read_text(encoding="utf-8")
CRITERIA = (Path(str(files("fourdcb_resources"))) / "criteria" / "default.yaml").read_text(encoding="utf-8")


class Ended:
    """How a command ended."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    def call(*arguments: str | Path) -> Ended:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        code = ended.value.code
        assert isinstance(code, int)
        return Ended(code, captured.out, captured.err)

    return call


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a truth script, its video, and files of every wrong kind."""
    (tmp_path / "truth.py").write_text(TRUTH)
    video = (SCENE / "video.mp4").read_bytes()
    (tmp_path / "video.mp4").write_bytes(video)
    (tmp_path / "folder").mkdir()
    (tmp_path / "dangling.py").symlink_to("nowhere.py")
    (tmp_path / "dangling.mp4").symlink_to("nowhere.mp4")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "link.mp4").symlink_to("video.mp4")
    (tmp_path / "text.mp4").write_text("this is no video\n" * 40)
    (tmp_path / "empty.mp4").write_bytes(b"")
    (tmp_path / "header.mp4").write_bytes(video[:100])
    (tmp_path / "noise.mp4").write_bytes(np.random.default_rng(0).bytes(20_000))
    return tmp_path


def no_traceback(ended: Ended) -> None:
    assert ended.code == 2, (ended.out, ended.err)
    assert ended.err.startswith(("error: ", "Usage: "))
    assert "Traceback" not in ended.err + ended.out


SCRIPTS = {
    "malformed": ("world = World(duration=\n", "syntax error"),
    "prose": ("I cannot watch videos.\n", "syntax error"),
    "empty": ("", "needs a top-level 'world'"),
    "binary": (b"\x94\x00\xff\x10" * 100, "not UTF-8"),
    "utf16": (TRUTH.encode("utf-16"), "UTF-16"),
    "endless": ("world = World()\nwhile True:\n    pass\n", "'while' loops are not allowed"),
    "long_loop": ("world = World()\nx = 0\nfor i in range(10**9):\n    x = x + 1\n", "at most"),
    "greedy": ("world = World()\nx = [0] * 10**10\n", "at most"),
    "deep": ("world = World(duration=" + "(" * 3000 + "1" + ")" * 3000 + ")", "nested"),
    "imports": ("import os\nworld = World()\n", "import of 'os' is not allowed"),
    "not_a_number": (TRUTH.replace("mass=0.30", "mass=1e308*10-1e308*10"), "finite"),
    "divides_by_zero": (TRUTH.replace("mass=0.30", "mass=1/0"), "division by zero"),
    "heavy": (TRUTH.replace("mass=0.30", "mass=1e300"), "cup.mass must be ≤"),
    "huge": (TRUTH.replace("size=[0.18, 0.18, 0.16]", "size=[1e30, 1e30, 1e30]"), "cup.size[0] must be ≤"),
    "diverges": (TRUTH.replace("acc=[0.0, 0.0, -9.8]", "acc=[0.0, 0.0, -9.8e12]"), "diverged"),
    "lacks_mesh": (
        TRUTH.replace('geometry="cylinder"', 'geometry="mesh", mesh="none.obj"'), "no file 'none.obj'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", SCRIPTS)
@pytest.mark.parametrize("role", ["--code", "--reference"])
def test_bad_scripts(run: Callable[..., Ended], place: Path, kind: str, role: str) -> None:
    content, told = SCRIPTS[kind]
    script = place / f"{kind}.py"
    script.write_bytes(content if isinstance(content, bytes) else content.encode())
    paths = {"--code": place / "truth.py", "--reference": place / "truth.py", role: script}
    options = [text for pair in paths.items() for text in pair]
    ended = run(
        "eval", "--fast", "--strict", "--video", place / "video.mp4", "--output", place / "out.json", *options
    )
    no_traceback(ended)
    assert told in ended.err
    assert str(script) in ended.err
    assert not (place / "out.json").exists()


BAD_PATHS = [
    ("--code", "absent.py", "no such script"),
    ("--code", "dangling.py", "no such script"),
    ("--code", "folder", "a folder was given"),
    ("--reference", "absent.py", "no such script"),
    ("--reference", "folder", "a folder was given"),
    ("--video", "absent.mp4", "does not exist"),
    ("--video", "dangling.mp4", "does not exist"),
    ("--video", "folder", "a folder was given"),
    ("--video", "text.mp4", "not a readable video"),
    ("--video", "empty.mp4", "empty"),
    ("--video", "header.mp4", "no video stream"),
    ("--video", "noise.mp4", "not a readable video"),
    ("--video", "truth.py", "not a readable video"),
    ("--criteria", "absent.yaml", "cannot read the criteria file"),
    ("--criteria", "folder", "cannot read the criteria file"),
    ("--criteria", "video.mp4", "not UTF-8"),
    ("--output", "absent/out.json", "folder of the result does not exist"),
    ("--output", "truth.py/out.json", "folder of the result does not exist"),
    ("--output", "folder", "a folder was given"),
    ("--output", "truth.py", "overwrite an input"),
    ("--output", "link.mp4", "overwrite an input"),
    ("--output", "x" * 300, "cannot be written"),
    ("--output", "loop", "cannot be written"),
    ("--code", "loop", "no such script"),
    ("--html", "absent/r.html", "folder of the result does not exist"),
    ("--html", "folder", "a folder was given"),
    ("--html", "out.json", "two results would go into one file"),
    ("--debug", "video.mp4", "a file was given"),
    ("--debug", "video.mp4/debug", "a file was given"),
]


@pytest.mark.parametrize(("option", "name", "told"), BAD_PATHS)
def test_bad_paths(run: Callable[..., Ended], place: Path, option: str, name: str, told: str) -> None:
    paths = {
        "--code": place / "truth.py", "--reference": place / "truth.py", "--video": place / "video.mp4",
        "--output": place / "out.json", option: place / name,
    }  # fmt: skip
    before = {path: path.read_bytes() for path in (place / "truth.py", place / "video.mp4")}
    ended = run("eval", "--fast", *[text for pair in paths.items() for text in pair])
    no_traceback(ended)
    assert told in ended.err
    assert str(place / name) in ended.err
    assert all(path.read_bytes() == content for path, content in before.items())
    assert not (place / "out.json").exists()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: [", "not valid YAML"),
        ("- a\n", "table of entries"),
        ("", "table of entries"),
        ("[" * 2_000, "nested too deeply"),
        (CRITERIA.replace("below: 0.02", "below: .nan"), "finite number"),
        (CRITERIA.replace("below: 0.02", "below: small"), "finite number"),
        (CRITERIA.replace("below: 0.02", "below: 1" + "0" * 400), "finite number"),
        (CRITERIA.replace("delta_rot", "delta_rotation"), "delta_rot"),
    ],
)
def test_bad_criteria(run: Callable[..., Ended], place: Path, text: str, told: str) -> None:
    path = place / "criteria.yaml"
    path.write_text(text)
    ended = run(
        "eval", "--fast", "--code", place / "truth.py", "--video", place / "video.mp4", "--criteria", path,
        "--output", place / "out.json",
    )  # fmt: skip
    no_traceback(ended)
    assert told in ended.err
    assert str(path) in ended.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["simulate", "truth.py", "--out", "t.txt"], ".npz or .json"),
        (["simulate", "truth.py", "--out", "absent/t.npz"], "folder of the result does not exist"),
        (["simulate", "truth.py", "--out", "t.npz", "--rate", "7"], "integer multiple"),
        (["simulate", "truth.py", "--out", "t.npz", "--rate", "nan"], "integer multiple"),
        (["simulate", "truth.py", "--out", "t.npz", "--rate", "9.6e8"], "too high"),
        (["render", "truth.py", "--out", "clip.xyz"], ".xyz"),
        (["render", "truth.py", "--out", "truth.py"], "overwrite an input"),
        (["render", "truth.py", "--out", "absent/c.mp4"], "folder of the result does not exist"),
        (["render", "truth.py", "--out", "c.png"], "a .png holds one frame"),
        (["render", "truth.py", "--out", "c.mp4", "--frames", "5:2"], "no such frames"),
        (["render", "truth.py", "--out", "c.mp4", "--frames", ""], "not a range"),
        (["render", "truth.py", "--out", "c.mp4", "--width", "0"], "width is out of range"),
        (["render", "truth.py", "--out", "c.mp4", "--backend", "crayon"], "no such backend"),
        (["diff", "video.mp4", "text.mp4", "--output", "d.json"], "not a readable video"),
        (["diff", "video.mp4", "link.mp4", "--output", "video.mp4"], "overwrite an input"),
        (["report", "absent.json"], "cannot be read"),
        (["report", "truth.py"], "not valid JSON"),
        (["report", "folder"], "cannot be read"),
        (["fit", "--code", "truth.py", "--video", "video.mp4", "--param", "cup.mass", "--output", "truth.py"],
         "overwrite an input"),
        (["fit", "--code", "truth.py", "--video", "text.mp4", "--param", "cup.mass", "--output", "f.py"],
         "not a readable video"),
        (["examples", "--copy", "truth.py"], "a file was given"),
        (["generate", "--mini", "--out", "truth.py"], "a file was given"),
        (["generate", "--out", "g"], "--template NAME or --mini"),
        (["generate", "--mini", "--template", "bounce", "--out", "g"], "--template NAME or --mini"),
        (["eval", "--code", "truth.py"], "Missing option"),
        (["judge"], "No such command"),
        (["schema", "--format", "verse"], "verse"),
    ],
)  # fmt: skip
def test_bad_use_of_every_verb(
    run: Callable[..., Ended],
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    told: str,
) -> None:
    monkeypatch.chdir(place)
    before = sorted(place.iterdir())
    ended = run(*arguments)
    no_traceback(ended)
    assert told in ended.err
    assert sorted(place.iterdir()) == before


def test_check_tells_all_errors_on_its_output(run: Callable[..., Ended], place: Path) -> None:
    script = place / "two.py"
    script.write_text(TRUTH.replace("mass=0.30", "mass=-1").replace("friction=0.036", "friction=-2"))
    ended = run("check", script)
    assert ended.code == 2
    assert "cup.mass" in ended.out
    assert "cup.friction" in ended.out
    assert f"{script}:9:" in ended.out


def test_a_full_disk_is_told_and_leaves_nothing(
    run: Callable[..., Ended], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    write_video(place / "short.mp4", iter(np.zeros((3, 32, 32, 3), np.uint8)), fps=30)
    monkeypatch.setattr(os, "replace", full)
    before = sorted(place.iterdir())
    for arguments in (
        ["simulate", place / "truth.py", "--out", place / "t.npz", "--rate", "30"],
        ["diff", place / "short.mp4", place / "short.mp4", "--output", place / "d.json"],
    ):
        ended = run(*arguments)
        no_traceback(ended)
        assert "No space left on device" in ended.err
        assert sorted(place.iterdir()) == before


def test_a_device_is_written_into_and_stays(run: Callable[..., Ended], place: Path) -> None:
    pipe = place / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    ended = run(
        "eval", "--fast", "--code", place / "truth.py", "--video", place / "video.mp4", "--reference",
        place / "truth.py", "--output", pipe,
    )  # fmt: skip
    assert ended.code == 0
    content, _ = reader.communicate(timeout=20)
    assert b'"format": "fourdcb.report"' in content
    assert pipe.is_fifo()


def test_videos_of_odd_kinds(run: Callable[..., Ended], place: Path) -> None:
    write_video(place / "one.mp4", iter([np.zeros((64, 64, 3), np.uint8)]), fps=30)
    arguments = ["eval", "--fast", "--code", place / "truth.py", "--reference", place / "truth.py"]
    ended = run(*arguments, "--video", place / "one.mp4", "--output", place / "out.json")
    assert ended.code == 0
    assert "INCONCLUSIVE" in ended.out
    assert "the video lasts 0.03 s, the script's clip 4.00 s" in ended.out


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and closed streams")
class TestProcess:
    """What only a process of its own shows: signals, closed streams, file names in bytes."""

    def start(self, *arguments: str | bytes | Path, **kwargs: object) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "fourdcb", *arguments]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **kwargs)  # type: ignore[call-overload,no-any-return]

    def test_interrupt_leaves_nothing_half_written(self, place: Path) -> None:
        import signal
        import time

        out = place / "clip.mp4"
        script = place / "long.py"
        script.write_text(TRUTH.replace("duration=4.0", "duration=300.0"))
        process = self.start("render", script, "--out", out)
        time.sleep(2.0)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        assert process.returncode == 130, err
        assert b"Traceback" not in err
        assert not [path for path in place.iterdir() if "clip" in path.name]

    def test_a_reader_that_leaves_early(self) -> None:
        process = self.start("schema")
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(timeout=30) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""

    def test_names_that_are_not_utf8(self, place: Path) -> None:
        folder = os.fsencode(place) + b"/\xff\xfe"
        try:
            os.mkdir(folder)
        except OSError:
            pytest.skip("this file system holds UTF-8 names only")
        (place / "truth.py").rename(Path(os.fsdecode(folder)) / "码 é.py")
        process = self.start(
            "eval", "--fast", "--code", folder + "/码 é.py".encode(), "--video", place / "video.mp4",
            "--reference", folder + "/码 é.py".encode(), "--output", folder + b"/r\xff.json",
        )  # fmt: skip
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert b"fourdcb.report" in Path(os.fsdecode(folder + b"/r\xff.json")).read_bytes()
