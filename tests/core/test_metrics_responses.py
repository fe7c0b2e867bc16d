"""Response curves: known errors give known values, and the shipped plots are what the code draws."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from fourdcb.cli.app import build_app
from fourdcb.errors import UserError
from fourdcb.evaluation.responses import Response, response, response_names
from fourdcb.physics import make_engine
from fourdcb.report.response_plot import response_plot

PLOTS = Path(str(files("fourdcb_resources"))) / "docs" / "responses"


def test_poses_answer_one_to_one() -> None:
    with make_engine() as engine:
        shift = response("delta_pos", points=5, engine=engine)
        tilt = response("delta_rot", points=3, engine=engine)
        size = response("delta_scale", points=3, engine=engine)
        drift = response("drift_rate", points=3, engine=engine)
    assert shift.values == pytest.approx([0.0, 0.01, 0.02, 0.03, 0.04], abs=1e-9)
    assert shift.crossing == pytest.approx(20.0)
    assert tilt.values == pytest.approx(tilt.errors, abs=1e-6)
    assert size.values == pytest.approx([e / 100 for e in size.errors], abs=1e-9)
    assert drift.values == pytest.approx(drift.errors, abs=1e-6)


def test_energy_grows_with_a_wrong_coefficient() -> None:
    found = response("energy_error_restitution", points=4)
    assert found.values[0] == 0.0
    assert np.all(np.diff(found.values) > 0)
    assert found.crossing is not None
    assert 0.015 < found.crossing < 0.03


def test_late_contacts_are_lost_after_a_thirtieth_of_a_second() -> None:
    found = response("collision_accuracy", points=5)
    assert found.values[:2] == (1.0, 1.0)
    assert max(found.values[2:]) < 0.5


def test_light_offset_is_the_angle() -> None:
    found = response("light_offset", points=3)
    assert found.values == pytest.approx(found.errors, abs=1e-4)


def test_the_crossing_is_interpolated() -> None:
    curve = Response(
        name="x", metric="delta_rot", scene="s", error="e", unit="deg", errors=(0.0, 1.0, 2.0),
        values=(0.0, 2.0, 6.0), threshold=3.0, direction="below",
    )  # fmt: skip
    assert curve.crossing == pytest.approx(1.25)


def test_the_shipped_plot_is_drawn_by_the_code() -> None:
    assert {path.stem for path in PLOTS.glob("*.svg")} == set(response_names())
    shipped = (PLOTS / "delta_pos.svg").read_text(encoding="utf-8")
    assert response_plot(response("delta_pos")) == shipped


def test_the_verb_writes_plots_and_prints_json(tmp_path: Path) -> None:
    arguments = ["bench", "responses", "--curve", "delta_pos", "--points", "3", "--json"]
    result = CliRunner().invoke(build_app(), [*arguments, "--output", str(tmp_path / "plots")])
    assert result.exit_code == 0, result.output
    (found,) = json.loads(result.stdout)
    assert found["crossing"] == pytest.approx(20.0)
    assert (tmp_path / "plots" / "delta_pos.svg").read_text(encoding="utf-8").startswith("<svg")


def test_an_unknown_curve_is_refused() -> None:
    with pytest.raises(UserError, match="no such response curve"):
        response("beauty")
