"""The verbs simulate and doctor."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest
import typer
from typer.testing import CliRunner

from fourdcb.cli import bench_physics as bench_module
from fourdcb.cli.doctor import doctor
from fourdcb.cli.simulate import simulate
from fourdcb.errors import UserError
from fourdcb.physics import conformance
from fourdcb.trajectory import load_trajectory

SCRIPT = """
world = World(duration=0.5, fps=30)
ball = Object("ball", geometry="sphere", pos=[0, 0, 0.3], vel=[0, 0, 0], acc=[0, 0, -9.8], restitution=0.5)
floor = Plane(normal=[0, 0, 1], offset=0)
"""


def command(function) -> typer.Typer:
    app = typer.Typer()
    app.command()(function)
    return app


def test_simulate_saves_what_it_tells(tmp_path) -> None:
    script = tmp_path / "world.py"
    script.write_text(SCRIPT)
    out = tmp_path / "t.npz"
    told = CliRunner().invoke(
        command(simulate),
        [str(script), "--out", str(out), "--rate", "240", "--events"],
        catch_exceptions=False,
    )
    assert told.exit_code == 0
    saved = load_trajectory(out)
    assert saved.rate_hz == 240
    assert [event.kind for event in saved.events][:2] == ["touch", "bounce"]
    assert told.stdout.count("ball + floor") == len([e for e in saved.events if len(e.bodies) == 2])


def test_simulate_refuses_a_name_before_it_simulates(tmp_path) -> None:
    with pytest.raises(UserError, match="npz"):
        CliRunner().invoke(
            command(simulate), [str(tmp_path / "none.py"), "--out", "t.txt"], catch_exceptions=False
        )


def test_doctor_reports_the_environment_as_json() -> None:
    told = CliRunner().invoke(command(doctor), ["--json"], catch_exceptions=False)
    checks = {check["name"]: check for check in json.loads(told.stdout)["environment"]}
    assert {"python", "packages", "physics engine", "video codecs", "cache folder", "fonts"} <= set(checks)
    assert all(check["mend"] for check in checks.values())
    for name in ("path tracer", "pytorch3d renderer"):
        assert not checks[name]["required"]
        assert checks[name]["detail"]
    assert checks["physics engine"]["ok"]
    assert told.exit_code == (0 if all(c["ok"] or not c["required"] for c in checks.values()) else 2)


def test_doctor_measures_the_engine(monkeypatch) -> None:
    monkeypatch.setattr(conformance, "CASES", (conformance.free_fall,))
    monkeypatch.setattr(conformance, "RATES_HZ", (240.0,))
    told = CliRunner().invoke(command(doctor), ["--physics", "--json"], catch_exceptions=False)
    assert told.exit_code == 0
    rows = json.loads(told.stdout)["physics"]
    assert set(rows[0]) == {
        "name", "measured", "expected", "tolerance", "unit", "default_measured", "passed",
    }  # fmt: skip
    assert all(row["passed"] for row in rows)
    # Bullet as it comes damps every motion and takes a whole kick in the first step.
    assert all(row["default_measured"] < row["measured"] - 0.1 for row in rows)
    told = CliRunner().invoke(command(doctor), ["--physics"], catch_exceptions=False)
    assert "Bullet's defaults" in told.stdout


def test_bench_physics_prints_its_documented_figures(monkeypatch) -> None:
    monkeypatch.setattr(bench_module, "_TRIES", 1)
    monkeypatch.setattr(bench_module, "_crowd", bench_module._standing)
    told = CliRunner().invoke(command(bench_module.bench_physics), ["--json"], catch_exceptions=False)
    figures = json.loads(told.stdout)
    page = (files("fourdcb_resources") / "docs" / "cli.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in figures)
    assert all(value > 0 for value in figures.values())
