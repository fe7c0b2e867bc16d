"""The criteria file: the bundled one, and what is refused."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from fourdcb.errors import UserError
from fourdcb.metrics import AXES, load_criteria
from fourdcb.metrics.specs import metric_symbol, metrics_of, specs_of
from fourdcb.words import axis_meaning, axis_title, metric_title

TEXT = (files("fourdcb_resources") / "criteria" / "default.yaml").read_text(encoding="utf-8")


def test_default_thresholds() -> None:
    criteria = load_criteria()
    assert criteria.thresholds["delta_pos"].value == 0.02
    assert criteria.thresholds["collision_accuracy"].direction == "above"
    assert criteria.contact_tolerance == pytest.approx(1 / 30)
    assert (criteria.id, criteria.version) == ("fourdcb-default", 5)


@pytest.mark.parametrize(("value", "passes"), [(0.0199, True), (0.02, False), (0.03, False)])
def test_a_threshold_is_strict(value: float, passes: bool) -> None:
    assert load_criteria().thresholds["delta_pos"].passes(value) is passes


def test_a_file_overrides(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(TEXT.replace("delta_pos: {below: 0.02", "delta_pos: {below: 0.5"), encoding="utf-8")
    assert load_criteria(path).thresholds["delta_pos"].value == 0.5


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("delta_pos:", "delta_poz:", "delta_poz"),
        ("    delta_rot: {below: 3.0, unit: deg}\n", "", "delta_rot"),
        ("{below: 0.02, unit: m}", "{below: soon, unit: m}", "finite number"),
        ("{below: 0.02, unit: m}", "{below: 0.02, above: 1}", "above"),
        ("{below: 0.02, unit: m}", "{above: 0.02, unit: m}", "above"),
        ("{below: 0.02, unit: m}", "{below: 20, unit: mm}", "another unit"),
        ("horizon_min_fraction: 0.6", "horizon_min_fraction: 60", "out of range"),
        ("penetration: 0.005", "penetration: -0.005", "out of range"),
        ("version: 5", "version: [", "YAML"),
        ("version: 5", "version: 2.5", "whole number"),
        ("thresholds:", "threshold:", "threshold"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load_criteria(path)
    assert complaint in str(caught.value)
    assert "bad.yaml" in str(caught.value)


def test_a_missing_file_is_a_user_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot read"):
        load_criteria(tmp_path / "none.yaml")


def test_every_axis_and_metric_has_names_of_its_own() -> None:
    for words in (axis_title, axis_meaning):
        assert len({words(axis) for axis in AXES}) == len(AXES)
    assert (axis_title("geometry"), axis_meaning("geometry")) == ("Geometry", "Geometric fidelity")
    judged = [name for axis in AXES for name in metrics_of(axis)]
    for names in (
        [metric_title(name) for name in (*judged, *(spec.id for spec in specs_of(None)))],
        [*map(metric_symbol, judged)],
    ):
        assert all(names)
        assert len(set(names)) == len(names)
    assert (metric_title("some_other"), metric_symbol("some_other")) == ("Some other", "")
