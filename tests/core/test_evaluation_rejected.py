"""Candidates that cannot be replayed: a report with the worst verdict and a reason; only --strict refuses."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from fourdcb.cli import main
from fourdcb.errors import Diagnostic, DiagnosticsError, SimulationDivergedError, UserError
from fourdcb.evaluation.rejected import FALLBACK_SCRIPT, rejection
from fourdcb.report import load_report

SCENE = Path(str(files("fourdcb_resources") / "scenes" / "bounce_ball"))
NO_ACC = 'world = World()\nb = Object("b", geometry="sphere", pos=[0, 0, 1], vel=[0, 0, 0])\n'
EXPLODES = (
    'world = World()\nb = Object("b", geometry="sphere", pos=[0, 0, 1], vel=[0, 0, 0], acc=[0, 0, -9.8e12])\n'
)


@pytest.fixture
def run(capsys):
    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return ended.value.code, captured.out, captured.err

    return call


@pytest.mark.parametrize(
    ("text", "reason", "told"),
    [
        (NO_ACC, "script_invalid", "line 2: Object 'b': missing required field 'acc'"),
        ("I cannot watch videos.\n", "script_invalid", "cannot be replayed"),
        (b"\x89\x80binary", "script_invalid", "not UTF-8"),
        ("world = World()\n", "script_invalid", "cannot be replayed"),
        (EXPLODES, "simulation_diverged", "the motion explodes at"),
    ],
)
def test_it_gets_the_worst_verdict(run, tmp_path, text, reason, told):
    code, output = tmp_path / "answer.py", tmp_path / "report.json"
    code.write_bytes(text if isinstance(text, bytes) else text.encode())
    arguments = ["eval", "--code", code, "--video", SCENE / "video.mp4", "--output", output]
    ended = run(*arguments, "--html", tmp_path / "report.html")
    assert ended[0] == 1
    report = load_report(output)
    assert report.verdict == "DEPLOYMENT_NOT_RECOMMENDED"
    assert report.reasons == (reason,)
    assert {axis.passed for axis in report.axes.values()} == {False}
    assert told in report.findings[0].message
    assert told in (tmp_path / "report.html").read_text().replace("&#39;", "'")
    output.unlink()
    assert run(*arguments, "--strict")[0] == 2
    assert not output.exists()


def test_the_fallback_is_judged_in_its_place_and_marked(run, tmp_path):
    code, output = tmp_path / "answer.py", tmp_path / "report.json"
    code.write_text(NO_ACC)
    ended = run(
        "eval", "--fast", "--fallback", "--code", code, "--video", SCENE / "video.mp4", "--output", output
    )
    assert ended[0] == 1
    report = json.loads(output.read_text())
    assert report["inputs"]["code"]["fallback"] == "script_invalid"
    assert report["axes"]["geometry"]["metrics"]["delta_pos"]["value"] == 1.0  # nothing stands for the ball
    assert FALLBACK_SCRIPT.startswith("world = World()")


def test_other_peoples_faults_are_not_the_candidates(tmp_path):
    code = tmp_path / "answer.py"
    code.write_text(NO_ACC)
    remark = Diagnostic(severity="error", code="x", message="bad", file=str(tmp_path / "world.py"))
    assert rejection(DiagnosticsError([remark]), code) is None
    assert rejection(UserError("the video is empty", where="video.mp4"), code) is None
    diverged = SimulationDivergedError(body="b", time=1.0, reason="left the world")
    diverged.where = str(tmp_path / "world.py")
    assert rejection(diverged, code) is None
    assert rejection(DiagnosticsError([remark]), tmp_path / "absent.py") is None


def test_pictures_lie_beside_a_report_unless_they_are_left_out(run, tmp_path):
    arguments = ["eval", "--code", SCENE / "candidates" / "wrong_friction.py", "--video", SCENE / "video.mp4"]
    assert run(*arguments, "--output", tmp_path / "a.json")[0] == 1
    artifacts = json.loads((tmp_path / "a.json").read_text())["artifacts"]
    assert (tmp_path / artifacts["side_by_side"]).is_file()
    assert all((tmp_path / entry["path"]).is_file() for entry in artifacts["failure_frames"])
    assert run(*arguments, "--no-media", "--output", tmp_path / "b.json")[0] == 1
    artifacts = json.loads((tmp_path / "b.json").read_text())["artifacts"]
    assert artifacts["failure_frames"]
    assert "side_by_side" not in artifacts
