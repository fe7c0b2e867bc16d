"""The verbs end to end: what they print, what they write, and their exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from fourdcb import __version__
from fourdcb.cli import main
from fourdcb.cli.summary import report_lines
from fourdcb.report import load_report

SCENES = Path(str(files("fourdcb_resources"))) / "scenes"
SLIDE = SCENES / "slide_cup"
VERBS = (
    "eval", "studio", "check", "schema", "simulate", "render", "diff", "report", "fit", "identify",
    "examples", "generate", "doctor", "bench",
)  # fmt: skip
AXES = {
    "geometry": {"delta_pos", "delta_pos_relative", "delta_rot", "delta_scale"},
    "physics": {"energy_error", "collision_accuracy", "impact_error"},
    "material_light": {
        "brdf_error",
        "light_drift",
        "light_offset",
        "light_spread",
        "shadow_error",
        "appearance_error",
        "appearance_patch",
        "irradiance_error",
    },
    "time": {"drift_rate", "replay_fps"},
}
METRIC_KEYS = {
    "value", "unit", "threshold", "direction", "status", "reason", "passed", "per_object", "detail",
}  # fmt: skip
FINDING_KEYS = {
    "frame", "time", "axis", "objects", "message", "kind", "arguments", "severity", "measured", "expected",
    "unit", "likely_cause",
}  # fmt: skip
SMALL = """
world = World(duration=0.4, fps=30)
ball = Object("ball", geometry="sphere", size=[0.1, 0.1, 0.1], mass=0.1, friction=0.4, restitution=0.7,
              pos=[0.0, 0.0, 0.2], vel=[0.0, 0.0, 0.0], acc=[0.0, 0.0, -9.8])
floor = Plane("floor", friction=1.0, restitution=1.0)
camera = Camera(pos=[0.0, -1.0, 0.3], target=[0.0, 0.0, 0.15], width=48, height=48)
"""
SPARE = 'spare = Object("spare", geometry="box", pos=[0, 0.3, 2], vel=[0, 0, 0], acc=[0, 0, 0])\n'


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def call(*arguments: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return ended.value.code, captured.out, captured.err

    return call


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, str, Path]:
    """One judgement with everything that it can leave behind, through ``python -m fourdcb.eval``."""
    folder = tmp_path_factory.mktemp("judged")
    done = subprocess.run(
        [
            sys.executable, "-m", "fourdcb.eval", "--code", SLIDE / "candidates" / "wrong_restitution.py",
            "--video", SLIDE / "video.mp4", "--output", folder / "report.json", "--debug", folder / "debug",
            "--html", folder / "report.html",
        ],
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout, folder


def test_a_wrong_restitution_is_not_deployable(failing: tuple[int, str, Path]) -> None:
    code, out, _ = failing
    assert code == 1
    lines = out.splitlines()
    physics = next(line for line in lines if "Physical consistency" in line)
    assert physics.startswith("[✗]")
    assert "Collision_Accuracy" in physics
    assert "Energy_Error" in physics
    assert "(needed < 8 %) FAIL" in physics
    assert any(line.startswith("    frame ") and "bounces with restitution 0.50" in line for line in lines)
    assert any("likely cause: cup.restitution is 0.5" in line for line in lines)
    overall, report, page, debug = lines[-4:]
    claim = load_report(failing[2] / "report.json").claim  # the rate is judged where this machine is fit
    assert overall.startswith(f"Overall: DEPLOYMENT_NOT_RECOMMENDED ({claim}): ")
    assert "Physical consistency" in overall
    written = failing[2]
    assert report == f"Report: {written / 'report.json'}"
    assert page == f"HTML: {written / 'report.html'}"
    assert debug == f"Debug: {written / 'debug'}"


def test_the_report_has_the_agreed_shape(failing: tuple[int, str, Path]) -> None:
    report = json.loads((failing[2] / "report.json").read_text(encoding="utf-8"))
    assert set(report) == {
        "format", "version", "verdict", "claim", "reasons", "axes", "image", "findings", "horizon", "series",
        "inputs", "environment", "artifacts",
    }  # fmt: skip
    assert (report["format"], report["version"]) == ("fourdcb.report", 1)
    judged = report["axes"]["time"]["metrics"]["replay_fps"]["passed"] is not None
    claim = "benchmark_comparable" if judged else "diagnostic"
    assert (report["verdict"], report["claim"]) == ("DEPLOYMENT_NOT_RECOMMENDED", claim)
    assert {axis: set(entry["metrics"]) for axis, entry in report["axes"].items()} == AXES
    for entry in report["axes"].values():
        assert set(entry) == {"passed", "metrics"}
        assert entry["passed"] in (True, False, None)
    for metric in [m for e in report["axes"].values() for m in e["metrics"].values()]:
        check_metric(metric)
        assert metric["threshold"] is not None
    for metric in report["image"].values():
        check_metric(metric)
    assert {"psnr", "ssim", "silhouette_iou", "flow_error"} <= set(report["image"])
    assert report["findings"]
    for finding in report["findings"]:
        assert set(finding) == FINDING_KEYS
        assert finding["axis"] in AXES
        assert finding["frame"] is None or 0 <= finding["frame"] <= 120
    assert report["horizon"]["cup"] == {"seconds": 4.0, "fraction": 1.0}


def test_the_report_says_what_went_in_and_what_came_out(failing: tuple[int, str, Path]) -> None:
    folder = failing[2]
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert set(report["inputs"]) == {"code", "video", "reference"}
    for entry in report["inputs"].values():
        assert len(entry["sha256"]) == 64
        assert Path(entry["path"]).is_file()
    assert report["environment"]["fourdcb"] == __version__
    assert len(report["series"]["times"]) == 120
    assert set(report["series"]["objects"]) == {"cup"}
    assert len(report["series"]["psnr"]) == 120
    artifacts = report["artifacts"]
    assert artifacts["failure_frames"]
    for entry in artifacts["failure_frames"]:
        assert (folder / entry["path"]).read_bytes().startswith(b"\x89PNG")
    assert (folder / artifacts["side_by_side"]).is_file()
    assert all((folder / path).is_file() for path in artifacts["heatmaps"])
    assert "<html" in (folder / "report.html").read_text(encoding="utf-8")


def check_metric(metric: dict[str, Any]) -> None:
    assert set(metric) == METRIC_KEYS
    assert metric["status"] in ("ok", "error", "skipped", "not_measured", "not_applicable")
    assert (metric["value"] is None) == (metric["status"] != "ok")
    assert metric["passed"] in (True, False, None)
    assert metric["direction"] in ("below", "above")


def test_a_stored_report_reads_like_the_judgement(
    failing: tuple[int, str, Path], run: Callable[..., tuple[int, str, str]]
) -> None:
    _, out, folder = failing
    code, shown, _ = run("report", folder / "report.json")
    assert code == 0
    assert shown.splitlines() == out.splitlines()[1:-3]  # without what was judged, and the files written
    code, _, _ = run("report", folder / "report.json", "--html", folder / "again.html")
    assert code == 0
    assert "data:image/png;base64" in (folder / "again.html").read_text(encoding="utf-8")


def test_a_perfect_answer_is_deployable(run: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    output = tmp_path / "report.json"
    code, out, _ = run(
        "eval",
        "--code",
        SLIDE / "candidates" / "perfect.py",
        "--video",
        SLIDE / "video.mp4",
        "--output",
        output,
    )
    assert code == 0
    assert [line[:3] for line in out.splitlines()[1:5]] == ["[✓]"] * 4
    assert "Overall: DEPLOYABLE" in out
    assert "FAIL" not in out
    assert "Collision_Accuracy 100 % (> 95 %)" in out
    assert load_report(output).verdict == "DEPLOYABLE"


def test_fast_never_says_deployable(run: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    output = tmp_path / "report.json"
    code, out, _ = run(
        "eval", "--fast", "--code", SLIDE / "world.py", "--video", SLIDE / "video.mp4", "--output", output
    )
    assert code == 0
    assert "[–] Material-light: skipped" in out
    assert "Overall: INCONCLUSIVE (diagnostic): judged fast" in out
    code, out, _ = run("eval", "--fast", "--code", SLIDE / "candidates" / "wrong_friction.py", "--video",
                       SLIDE / "video.mp4", "--output", output)  # fmt: skip
    assert code == 1


def test_markdown_and_candidates_without_camera_or_light(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    bare = "\n".join(
        line
        for line in (SLIDE / "world.py").read_text().splitlines()
        if not line.startswith(("camera", "sun"))
    )
    script = tmp_path / "answer.md"
    script.write_text(f"Here is the scene:\n\n```python\n{bare}\n```\n", encoding="utf-8")
    code, out, err = run("eval", "--fast", "--code", script, "--video", SLIDE / "video.mp4", "--output",
                         tmp_path / "r.json")  # fmt: skip
    assert code == 0
    assert "took the code block" in err
    assert out.count("[✓]") == 2


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("cup = Object(", f"{SPARE}cup = Object("),
         "spare does not exist in the reference"),
        (('geometry="cylinder"', 'fixed=True, geometry="cylinder"'), "cup"),
        (("world = World(duration=4.0, fps=30", "world = World(duration=9.0, fps=1"), None),
    ],
    ids=["more objects", "only static", "another clock"],
)  # fmt: skip
def test_odd_but_legal_candidates(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path, change: tuple[str, str], told: str | None
) -> None:
    script = tmp_path / "odd.py"
    script.write_text((SLIDE / "world.py").read_text().replace(*change))
    code, out, _ = run("eval", "--fast", "--code", script, "--video", SLIDE / "video.mp4", "--output",
                       tmp_path / "r.json")  # fmt: skip
    assert code == (0 if told is None else 1)
    assert told is None or told in out


def test_a_world_without_objects(run: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    script = tmp_path / "nothing.py"
    script.write_text("world = World(duration=4.0, fps=30)\n")
    arguments = ["eval", "--fast", "--code", script, "--video", SLIDE / "video.mp4"]
    code, out, err = run(*arguments, "--output", tmp_path / "r.json")
    assert code == 1
    assert "the script cannot be replayed" in out
    assert "the script has no Object" in err
    code, out, _ = run(*arguments, "--fallback", "--output", tmp_path / "r.json")
    assert code == 1
    assert "cup is missing" in out


def test_nothing_against_nothing_is_no_success(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    script, clip = tmp_path / "nothing.py", tmp_path / "clip.mp4"
    script.write_text("world = World(duration=0.2, fps=30)\ncamera = Camera(width=8, height=8)\n")
    assert run("render", script, "--out", clip)[0] == 0
    code, out, _ = run(
        "eval", "--fallback", "--code", script, "--reference", script, "--video", clip, "--output",
        tmp_path / "r.json",
    )  # fmt: skip
    assert code == 0
    assert "INCONCLUSIVE (diagnostic): the truth script holds nothing that could be judged" in out
    assert load_report(tmp_path / "r.json").image["ssim"].status == "not_measured"


def test_names_with_spaces_and_chinese_letters(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    folder = tmp_path / "场景 一 é"
    folder.mkdir()
    for name in ("world.py", "video.mp4"):
        (folder / name).write_bytes((SLIDE / name).read_bytes())
    code, out, _ = run(
        "eval", "--fast", "--code", folder / "world.py", "--video", folder / "video.mp4",
        "--output", folder / "报告.json", "--html", folder / "报告.html", "--debug", folder / "调试",
    )  # fmt: skip
    assert code == 0
    assert "报告.json" in out
    report = load_report(folder / "报告.json")
    assert report.inputs["video"]["path"] == str(folder / "video.mp4")
    assert all((folder / path).is_file() for path in report.artifacts["heatmaps"])


def test_examples_are_copied_and_not_overwritten(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    code, out, _ = run("examples")
    assert code == 0
    assert "slide_cup: perfect, wrong_friction" in out
    code, _, _ = run("examples", "--copy", tmp_path / "scenes")
    assert code == 0
    assert (tmp_path / "scenes" / "slide_cup" / "world.py").read_text() == (SLIDE / "world.py").read_text()
    code, _, err = run("examples", "--copy", tmp_path / "scenes")
    assert code == 2
    assert "exists already" in err
    code, _, _ = run("examples", "--copy", tmp_path / "scenes", "--force")
    assert code == 0


def test_generate_makes_the_scenes(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fourdcb.dataset import load_faults
    from fourdcb.evaluation import bundled

    faults = load_faults(SCENES / "faults.yaml")
    monkeypatch.setattr(bundled, "load_faults", lambda _: {"bounce_ball": faults["bounce_ball"]})
    code, out, _ = run("generate", "--mini", "--no-check", "--out", tmp_path / "made")
    assert code == 0
    assert "candidates, predictable for ball 4.00 s" in out
    made = sorted(path.name for path in (tmp_path / "made" / "bounce_ball" / "candidates").iterdir())
    assert made == sorted(path.name for path in (SCENES / "bounce_ball" / "candidates").glob("*.py"))
    assert (tmp_path / "made" / "faults.yaml").read_bytes() == (SCENES / "faults.yaml").read_bytes()


def test_render_fit_and_diff_agree(run: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    truth, start, clip = tmp_path / "truth.py", tmp_path / "start.py", tmp_path / "clip.mp4"
    truth.write_text(SMALL)
    start.write_text("# my guess\n" + SMALL.replace("pos=[0.0, 0.0, 0.2]", "pos=[0.06, 0.0, 0.2]"))
    assert run("render", truth, "--out", clip)[:2] == (0, f"12 frames: {clip}\n")
    fitted = tmp_path / "fitted.py"
    code, out, _ = run("fit", "--code", start, "--video", clip, "--param", "ball.pos[0]", "--output", fitted)
    assert code == 0
    assert out.startswith("ball.pos[0]: 0.06 → ")
    text = fitted.read_text()
    assert text.startswith("# my guess\n")
    value = float(text.split("pos=[")[1].split(",")[0])
    assert abs(value) < 0.01
    code, out, _ = run("diff", clip, clip, "--output", tmp_path / "d.json")
    assert code == 0
    assert "Silhouette overlap: 100.0 %" in out


def test_simulate_check_and_schema(run: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    script = tmp_path / "world.py"
    script.write_text(SMALL)
    code, out, _ = run("simulate", script, "--output", tmp_path / "t.json", "--events")
    assert code == 0
    assert "ball + floor" in out
    code, out, _ = run("check", script)
    assert code == 0
    assert "valid" in out
    code, out, _ = run("schema", "--format", "json")
    assert code == 0
    json.loads(out)


def test_help_and_version(run: Callable[..., tuple[int, str, str]]) -> None:
    code, out, _ = run("--help")
    assert code == 0
    assert all(f" {verb} " in out for verb in VERBS)
    for verb in VERBS:
        code, out, _ = run(verb, "--help")
        assert code == 0
        assert out.startswith(f"Usage: fourdcb {verb}")
    assert run("--version") == (0, f"fourdcb {__version__}\n", "")


def test_lines_of_a_report_say_values_with_limits(failing: tuple[int, str, Path]) -> None:
    report = load_report(failing[2] / "report.json")
    lines = report_lines(report)
    assert sum(line.startswith("[") for line in lines) == 4
    geometry = lines[0]
    assert "Δ_rot " in geometry
    assert "(< 3°)" in geometry
    assert "Δ_scale 0 % (< 5 %)" in geometry
    rate = report.axes["time"].metrics["replay_fps"]
    assert ("not judged on this machine" in lines[3]) is (rate.passed is None)
    assert not any("reason:" in line for line in lines)
