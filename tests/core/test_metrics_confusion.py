"""Every known fault of the bundled scenes, in three sizes, gets the verdict and the cause it deserves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from fourdcb.dataset.faults import SIZES, Fault, FaultSize, left_out, load_faults
from fourdcb.dsl import parse_script
from fourdcb.errors import UserError
from fourdcb.evaluation.bundled import load_samples
from fourdcb.evaluation.confusion import FaultScene
from fourdcb.metrics import AXES
from fourdcb.physics import make_engine
from fourdcb.world import parameter

ROOT = Path(str(files("fourdcb_resources"))) / "scenes"
TABLE = ROOT / "faults.yaml"
FAULTS = load_faults(TABLE)
CASES = [
    (scene, fault, size)
    for scene, faults in FAULTS.items()
    for fault in faults
    if fault.parameter is not None
    for size in SIZES
]
# A quarter by rotation, which meets every scene, all sizes and most faults; the rest is for the full mode.
DEFAULT = CASES[::4]


def ids(case: tuple[str, Fault, FaultSize]) -> str:
    return f"{case[0]}-{case[1].name}-{case[2]}"


@pytest.fixture(scope="module")
def scenes() -> Iterator[dict[str, FaultScene]]:
    with make_engine() as engine:
        yield {name: FaultScene(ROOT / name / "world.py", engine) for name in FAULTS}


@pytest.mark.parametrize(
    "case", [c if c in DEFAULT else pytest.param(c, marks=pytest.mark.slow) for c in CASES], ids=ids
)
def test_a_fault_gets_what_it_deserves(
    scenes: dict[str, FaultScene], case: tuple[str, Fault, FaultSize]
) -> None:
    scene, fault, size = case
    cell = scenes[scene].cell(fault, size)
    assert not cell.complaints, cell
    assert size != "far" or cell.blamed, cell


def test_the_table_is_wide_enough() -> None:
    samples = load_samples(ROOT / "samples.yaml")
    for scene, faults in FAULTS.items():
        wrong = [fault for fault in faults if fault.parameter is not None]
        assert len(wrong) >= (2 if scene in samples else 12), scene
        assert len({fault.parameter for fault in wrong}) == len(wrong)
        if scene in samples:
            continue
        assert Counter(fault.must_fail == {"material_light"} for fault in wrong)[True] >= 6
    for reasons in left_out(TABLE).values():
        assert all(reason for reason in reasons.values())
    assert {size for _, _, size in DEFAULT} == set(SIZES)
    assert {scene for scene, _, _ in DEFAULT} == set(FAULTS)


def test_motion_and_appearance_stay_apart() -> None:
    for faults in FAULTS.values():
        for fault in faults:
            told = fault.must_fail | fault.fails_far | fault.may_fail
            assert "material_light" not in told or told == {"material_light"}


@pytest.mark.parametrize(("scene", "fault"), [(s, f) for s, fs in FAULTS.items() for f in fs if f.parameter])
def test_sizes_grow(scene: str, fault: Fault) -> None:
    """From the truth's value on, each size lies farther out on the same side."""
    source = (ROOT / scene / "world.py").read_text(encoding="utf-8")
    assert fault.parameter is not None
    if fault.statement is None:
        start = parameter(parse_script(source).world, fault.parameter).value
    else:  # stated by the fault only: no such light, or a light that stays as it is
        start = 0.0 if fault.parameter.endswith("intensity") else 1.0
    steps = [fault.values[size] - start for size in SIZES]
    assert all(step * steps[-1] > 0 for step in steps)
    assert abs(steps[0]) < abs(steps[1]) < abs(steps[2])


def test_a_fault_knows_its_axes_by_size() -> None:
    fault = Fault(
        name="f",
        parameter="a.mass",
        values={"just_under": 1.0, "just_over": 2.0, "far": 3.0},
        must_fail=frozenset({"physics"}),
        fails_far=frozenset({"geometry"}),
    )
    assert fault.failing("just_under") == frozenset()
    assert fault.failing("just_over") == {"physics"}
    assert fault.failing("far") == {"physics", "geometry"}
    assert fault.passing("just_under") == set(AXES)
    assert fault.passing("just_over") == fault.passing("far") == {"material_light", "time"}


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("s: {f: {parameter: a.mass, far: 1}}", "three values"),
        ("s: {f: {far: 1, just_under: 1, just_over: 1}}", "three values"),
        ("s: {f: {parameter: a.mass, far: 1, just_under: x, just_over: 1}}", "numbers"),
        ("s: {f: 3}", "mapping"),
        (
            "s: {f: {parameter: a.mass, far: 1, just_under: 1, just_over: 1, statement: 'a.mass = 2'}}",
            "place for the value",
        ),
    ],
)
def test_bad_faults_are_named(tmp_path: Path, text: str, match: str) -> None:
    path = tmp_path / "faults.yaml"
    path.write_text(text)
    with pytest.raises(UserError, match=match):
        load_faults(path)
