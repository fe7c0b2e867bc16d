"""The table of runs: what is shown, in which order, and what is put on the bench."""

from __future__ import annotations

from pathlib import Path

import pytest

from fourdcb.errors import UserError
from fourdcb.evaluation.runs.reading import RunReading, SampleReading
from fourdcb_studio.session.run_table import RunTable

_BAD = "DEPLOYMENT_NOT_RECOMMENDED"


def _run(model, **cells):
    samples = {}
    for name, (state, verdict, value) in cells.items():
        script = Path(f"/runs/{model}/scripts/{name}.py") if state in ("answered", "judged") else None
        samples[name] = SampleReading(
            sample_id=name, state=state, verdict=verdict, why="failed: geometry" if verdict == _BAD else "",
            values={} if value is None else {"delta_pos": value}, script=script,
            video=Path(f"/data/{name}/video.mp4"), reference=Path(f"/data/{name}/world.py"),
        )  # fmt: skip
    return RunReading(
        root=Path(f"/runs/{model}"), model=model, benchmark="b", state="complete", stage="finished",
        samples=samples,
    )  # fmt: skip


@pytest.fixture
def table():
    table = RunTable(lambda: None)
    table.take(
        (
            _run("a", x=("judged", "DEPLOYABLE", 0.1), y=("judged", _BAD, 0.5), z=("failed", "", None)),
            _run(
                "b", x=("judged", _BAD, 0.9), y=("judged", _BAD, 0.2), z=("judged", "INCONCLUSIVE", 0.3),
                w=("waiting", "", None),
            ),
        )
    )  # fmt: skip
    return table


def test_rows_are_the_samples_of_all_runs_and_narrow_down(table):
    assert table.shown == ("x", "y", "z", "w")
    table.narrow("differ")
    assert table.shown == ("x",)
    table.narrow("unanswered")
    assert table.shown == ("z", "w")
    table.narrow("not_passed")
    assert table.shown == ("x", "y", "z", "w")
    table.narrow("all")
    table.search("failed GEOM")
    assert table.shown == ("x", "y")
    table.search("nothing such")
    assert table.shown == ()


def test_rows_are_ordered_by_verdict_or_number_and_what_has_none_is_last(table):
    table.sort(1)
    assert table.shown == ("z", "x", "y", "w")
    table.show_measure("delta_pos")
    assert table.shown == ("y", "z", "x", "w")
    table.sort(1, descending=True)
    assert table.shown == ("x", "z", "y", "w")
    table.sort(None)
    assert table.shown == ("x", "y", "z", "w")
    table.take((_run("c", x=("answered", "", None)),))
    assert table.measure == "verdict"  # no run has the metric any more


def test_an_answer_is_a_scene_with_the_other_models_answers_as_its_cases(table):
    sources = table.sources("x", 1)
    assert sources.script == Path("/runs/b/scripts/x.py")
    assert sources.reference == Path("/data/x/world.py")
    assert [sources.case_name(path) for path in sources.cases] == ["a/…/x.py", "b/…/x.py"]
    assert sources.names == ("Original", "Replay")
    with pytest.raises(UserError, match="no answer to look at"):
        table.sources("z", 0)


def test_two_answers_stand_side_by_side_under_their_models_names(table):
    sources = table.pair("x", 0, 1)
    assert (sources.script, sources.reference) == (
        Path("/runs/a/scripts/x.py"), Path("/runs/b/scripts/x.py"),
    )  # fmt: skip
    assert sources.video is None
    assert sources.names == ("b", "a")


def test_steps_go_through_the_answers_that_are_shown(table):
    assert table.neighbour(1) is None
    table.opened = ("x", 0)
    assert table.neighbour(1) == ("y", 0)
    assert table.neighbour(-1) is None
    table.opened = ("y", 0)
    assert table.neighbour(1) is None  # z has no answer, w was not planned
    table.opened = ("z", 1)
    assert table.neighbour(-1) == ("y", 1)
