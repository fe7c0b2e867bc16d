"""Suggestions are applied, replayed, and kept only where they help."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import fourdcb_resources
from fourdcb.cli.app import build_app
from fourdcb.dsl import edit_value, load_script, parse_script
from fourdcb.dsl.structure import remove_thing, set_field
from fourdcb.errors import DiagnosticsError
from fourdcb.evaluation.repair import RepairStage, repair
from fourdcb.evaluation.repair.answers import KINDS, load_answers
from fourdcb.evaluation.repair.edits import subject
from fourdcb.metrics import load_criteria
from fourdcb.physics import make_engine

SCENES = Path(fourdcb_resources.__file__).parent / "scenes"
TRUTH = (SCENES / "bounce_ball" / "world.py").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def stage() -> Iterator[RepairStage]:
    with make_engine() as engine:
        yield RepairStage(load_script(SCENES / "bounce_ball" / "world.py").world, load_criteria(), engine)


def spoiled(**values: float) -> str:
    source = TRUTH
    for path, value in values.items():
        source = edit_value(source, path.replace("__", ".").replace("_0", "[0]"), value).source
    return source


def test_the_truth_stays_byte_for_byte(stage: RepairStage) -> None:
    found = repair(TRUTH, stage)
    assert found.source == TRUTH
    assert found.after.deployable
    assert not found.edits
    assert not found.steps


def test_several_wrong_values_come_right_and_the_rest_of_the_text_stays(stage: RepairStage) -> None:
    source = spoiled(ball__restitution=0.5, sun__intensity=2.0)
    found = repair(source, stage)
    assert found.before is not None
    assert set(found.before.failed) >= {"physics", "material_light"}
    assert found.after.deployable
    world = parse_script(found.source).world
    assert world.object("ball").restitution == pytest.approx(0.8, rel=0.01)
    assert world.lights[0].intensity == pytest.approx(4.0, rel=0.1)
    assert found.source.splitlines()[0] == TRUTH.splitlines()[0]
    assert len(found.source.splitlines()) == len(TRUTH.splitlines())


def test_no_step_that_is_kept_makes_anything_worse(stage: RepairStage) -> None:
    found = repair(spoiled(ball__friction=0.5, ball__pos_0=-0.3), stage)
    kept = [step for step in found.steps if step.kept]
    assert kept
    for step in kept:
        assert step.after.cost < step.before.cost
        assert len(step.after.failed) <= len(step.before.failed)


def test_a_value_that_is_good_enough_is_left_alone(stage: RepairStage) -> None:
    source = edit_value(spoiled(ball__restitution=0.6), "floor.base_color[1]", 0.49).source
    found = repair(source, stage)
    assert found.after.deployable
    assert {subject(edit) for edit in found.edits} == {"ball.restitution"}
    assert parse_script(found.source).world.planes[0].material.base_color[1] == 0.49


def test_shape_and_lamp_and_floor_are_mended_too(stage: RepairStage) -> None:
    boxed = repair(set_field(TRUTH, "ball", "geometry", "box"), stage)
    assert boxed.after.deployable
    assert parse_script(boxed.source).world.object("ball").geometry == "sphere"
    without = repair(remove_thing(TRUTH, "floor"), stage)
    assert without.after.deployable
    assert [plane.name for plane in parse_script(without.source).world.planes] == ["floor"]


def test_a_script_that_lacks_a_field_gets_it_and_other_faults_stay_errors(stage: RepairStage) -> None:
    line = next(line for line in TRUTH.splitlines(keepends=True) if line.strip().startswith("acc="))
    found = repair(TRUTH.replace(line, ""), stage)
    assert found.before is None
    assert "acc" in found.completed
    assert parse_script(found.source).world.object("ball").acc == (0.0, 0.0, -9.8)
    with pytest.raises(DiagnosticsError):
        repair(TRUTH.replace("friction=0.12", "friction=-1"), stage)


def test_rounds_are_counted(stage: RepairStage) -> None:
    found = repair(spoiled(ball__restitution=0.5, sun__intensity=2.0), stage, rounds=1)
    assert sum(step.kept for step in found.steps) == 1
    assert not found.after.deployable


def test_the_table_of_answers_is_whole() -> None:
    answers = load_answers(SCENES / "repairs.yaml")
    assert len(answers) >= 40
    assert {answer.kind for answer in answers} == set(KINDS)
    for answer in answers:
        truth = (SCENES / answer.scene / "world.py").read_text(encoding="utf-8")
        assert answer.source(truth) != truth


def run(folder: Path, source: str, *options: str) -> tuple[int, str]:
    code = folder / "pred.py"
    code.write_text(source, encoding="utf-8")
    video = SCENES / "bounce_ball" / "video.mp4"
    done = CliRunner().invoke(build_app(), ["repair", "--code", str(code), "--video", str(video), *options])
    return done.exit_code, done.output


def test_the_verb_writes_what_it_mended_and_tells_every_step(tmp_path: Path) -> None:
    fixed = tmp_path / "fixed.py"
    answer = f"Here it is:\n```python\n{spoiled(ball__restitution=0.6)}```\n"
    code, told = run(tmp_path, answer, "--output", str(fixed))
    assert code == 0, told
    assert "kept  ball.restitution: 0.6 → 0.8" in told
    assert "DEPLOYMENT_NOT_RECOMMENDED → DEPLOYABLE" in told
    assert load_script(fixed).world.object("ball").restitution == pytest.approx(0.8)


def test_an_exam_tells_no_value_and_writes_nothing(tmp_path: Path) -> None:
    code, told = run(tmp_path, spoiled(ball__restitution=0.6), "--exam")
    assert code == 1
    assert "look at ball.restitution" in told
    assert "0.8" not in told
    assert "→" not in told
    assert [path.name for path in tmp_path.iterdir()] == ["pred.py"]
