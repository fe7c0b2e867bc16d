"""A library of cases: what is found, what facets count, what survives, what is said of broken files."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourdcb.errors import UserError
from fourdcb.library import (
    FACETS,
    SORTS,
    VERDICTS,
    Annotation,
    CaseEntry,
    CaseFiles,
    CaseFilter,
    CaseLibrary,
    add_case,
    parse_filter,
)
from fourdcb.library.filter import facet_counts, facet_values, matching, ordered
from fourdcb.library.summary import AxisSummary, ReportSummary, TopFinding, read_summary
from fourdcb.metrics.result import AXES
from fourdcb.progress import Cancelled

Opener = Callable[[], CaseLibrary]


def report(failed: tuple[str, ...] = ("physics",), **changes: Any) -> dict[str, Any]:
    """A report.json's value."""

    def metric(axis: str) -> dict[str, Any]:
        return {
            "value": 2.0 if axis in failed else 0.5, "unit": "m", "threshold": 1.0, "direction": "below",
            "status": "ok", "reason": None, "passed": axis not in failed, "per_object": {}, "detail": {},
        }  # fmt: skip

    axes = {a: {"passed": a not in failed, "metrics": {f"{a}_error": metric(a)}} for a in AXES}
    finding = {
        "frame": 42, "time": 1.4, "axis": "physics", "objects": ["cup"], "severity": "error",
        "message": "frame 42: cup bounces too high", "kind": "bounce_height", "measured": 2.0,
        "expected": 1.0, "unit": "m", "likely_cause": {"parameter": "cup.restitution", "current": 0.8,
        "suggested": 0.5, "unit": "", "explained": 0.9},
    }  # fmt: skip
    return {
        "format": "fourdcb.report", "version": 1,
        "verdict": "DEPLOYMENT_NOT_RECOMMENDED" if failed else "DEPLOYABLE", "claim": "diagnostic",
        "reasons": [], "axes": axes, "image": {}, "findings": [finding] if failed else [], "horizon": {},
        "series": {"times": [0.0, 0.1]},
        "inputs": {
            "code": {"path": "answers/wrong_restitution.py", "sha256": "1"},
            "video": {"path": "scenes/slide_cup_047/video.mp4", "sha256": "2"},
            "reference": None,
        },
        "environment": {}, "artifacts": {}, **changes,
    }  # fmt: skip


def write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=1), encoding="utf-8")
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "library"


@pytest.fixture
def opener(root: Path, tmp_path: Path) -> Opener:
    return lambda: CaseLibrary.open(root, cache_folder=tmp_path / "cache", data_folder=tmp_path / "data")


# -- finding -----------------------------------------------------------------------------------------
def test_cases_are_folders_of_any_depth_and_groups_of_files(root: Path, opener: Opener) -> None:
    write(root / "deep" / "er" / "one" / "report.json", report())
    write(root / "deep" / "er" / "one" / "candidate.py", 'cup = Object(name="cup", geometry="cylinder")\n')
    write(root / "run" / "two.json", report(()))
    write(root / "run" / "two.png", "picture")
    write(root / "run" / "three.report.json", report(("time",)))
    write(root / "run" / "other.json", {"format": "something else"})
    write(root / ".hidden" / "report.json", report())
    library = opener()
    assert [e.id for e in library.entries] == ["deep/er/one", "run/three", "run/two"]
    one = library.by_id["deep/er/one"]
    assert (one.verdict, one.failed_axes, one.frame) == ("not_deployable", ("physics",), 42)
    assert one.headline == "cup bounces too high"
    assert (one.scene, one.template, one.candidate) == ("slide_cup_047", "slide_cup", "wrong_restitution")
    assert one.object_types == ("cylinder",)
    assert one.files.script == root / "deep" / "er" / "one" / "candidate.py"
    assert one.files.video is None
    assert library.by_id["run/two"].files.picture == root / "run" / "two.png"
    assert library.by_id["run/two"].verdict == "deployable"


def test_files_that_a_report_names_are_found_from_the_library(root: Path, opener: Opener) -> None:
    write(root / "case" / "report.json", report())
    write(root / "answers" / "wrong_restitution.py", "")
    write(root / "scenes" / "slide_cup_047" / "video.mp4", "")
    files = opener().entries[0].files
    assert files.script == root / "answers" / "wrong_restitution.py"
    assert files.video == root / "scenes" / "slide_cup_047" / "video.mp4"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not valid JSON"),
        (json.dumps(report(), indent=1)[:900], "not valid JSON"),
        (b"\xff\xfe".decode("latin-1") + "{", "not valid JSON"),
        ("[1, 2]", "not a report"),
        (json.dumps(report(version=7)), "another version"),
        (json.dumps(report(verdict="MAYBE")), "malformed"),
        (json.dumps(report(findings=[{"frame": 1}])), "malformed"),
        (json.dumps({k: v for k, v in report().items() if k != "axes"}), "malformed"),
    ],
)
def test_a_broken_report_is_an_entry_that_says_why(root: Path, opener: Opener, text: str, words: str) -> None:
    write(root / "good" / "report.json", report())
    write(root / "bad" / "report.json", text)
    for _ in range(2):  # read, and from the index
        library = opener()
        bad = library.by_id["bad"]
        assert bad.verdict == "unreadable"
        assert words in bad.problem
        assert bad.problem == bad.headline
        assert library.by_id["good"].verdict == "not_deployable"
        assert [e.id for e in library.select(parse_filter(["verdict=unreadable"]))] == ["bad"]


def test_the_head_is_read_alike_however_the_file_is_written(tmp_path: Path) -> None:
    series = {"times": list(range(2000)), 'a "series":': "\\n"}
    value = report(series=series, inputs={"code": {"path": 'a\n "series": b', "sha256": ""}})
    expected = None
    for indent in (1, None, 0, 2, 4):
        path = tmp_path / "report.json"
        path.write_text(json.dumps(value, indent=indent))
        summary = read_summary(path)
        expected = expected or summary
        assert summary == expected
    path.write_text(json.dumps(value, sort_keys=True, indent=1))
    assert read_summary(path).inputs == expected.inputs  # type: ignore[union-attr]


def test_worst_metrics_carry_value_threshold_and_badness(tmp_path: Path) -> None:
    value = report(())
    metrics = value["axes"]["physics"]["metrics"]
    above = {**metrics["physics_error"], "direction": "above", "threshold": 0.95}
    metrics["recall"] = {**above, "value": 0.5, "passed": False}
    metrics["unmeasured"] = {**above, "value": None, "status": "skipped", "passed": None}
    value["axes"]["physics"]["passed"] = False
    summary = read_summary(write(tmp_path / "report.json", value))
    axis = summary.axes["physics"]
    assert (axis.metric, axis.value, axis.threshold) == ("recall", 0.5, 0.95)
    assert axis.badness == pytest.approx(1.9)
    assert summary.badness == {**dict.fromkeys([f"{a}_error" for a in AXES], 0.5), "recall": axis.badness}


# -- the index ---------------------------------------------------------------------------------------
def test_the_index_changes_nothing_and_notices_changes(
    root: Path, opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    for k in range(4):
        write(root / f"case_{k}" / "report.json", report(("time",) if k % 2 else ()))
    first = opener()
    with monkeypatch.context() as patched:
        patched.setattr("fourdcb.library.index.read_summary", _never)
        assert opener().entries == first.entries
    path = write(root / "case_0" / "report.json", report(AXES))
    os.utime(path, ns=(1, 1))
    assert opener().by_id["case_0"].failed_axes == AXES
    (root / "case_1" / "report.json").unlink()
    assert len(opener().entries) == 3


def _never(path: Path) -> Any:
    raise AssertionError(f"read {path} again")


def test_a_spoilt_index_is_made_anew(root: Path, opener: Opener, tmp_path: Path) -> None:
    write(root / "case" / "report.json", report())
    first = opener()
    (index,) = (tmp_path / "cache" / "libraries").glob("*.json")
    stored = json.loads(index.read_text())
    stored["reports"]["case"]["summary"] = ["nonsense"]
    for text in ("{", "[]", json.dumps(stored)):
        index.write_text(text)
        assert opener().entries == first.entries


def test_reading_can_be_cancelled(root: Path) -> None:
    class Impatient:
        def start(self, label: str, total: int) -> None:
            return None

        def advance(self, steps: int = 1) -> None:
            raise Cancelled("enough")

    for k in range(60):
        write(root / f"{k}" / "report.json", report())
    with pytest.raises(Cancelled):
        CaseLibrary.open(root, progress=Impatient(), cache_folder=root, data_folder=root)


def test_no_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not a folder of cases"):
        CaseLibrary.open(tmp_path / "nowhere")


# -- filters -----------------------------------------------------------------------------------------
def made_entries(seed: int) -> list[CaseEntry]:
    """Up to a dozen cases at random; drawing each field by itself takes half a minute."""
    order = random.Random(seed)
    return [_made_entry(order, k) for k in range(order.randrange(13))]


def _some(order: random.Random, values: str | list[str]) -> tuple[str, ...]:
    return tuple(value for value in values if order.random() < 0.4)


def _made_entry(order: random.Random, k: int) -> CaseEntry:
    finding = TopFinding(
        message=" ".join(_some(order, ["cup", "ball", "Bounce", "late"])), kind="k", severity="error",
        axis="time", frame=None, parameter=None,
    )  # fmt: skip
    summary = ReportSummary(
        verdict=order.choice(["DEPLOYABLE", "DEPLOYMENT_NOT_RECOMMENDED", "INCONCLUSIVE"]),  # type: ignore[arg-type]
        axes={
            a: AxisSummary(passed=order.choice([True, False, None]), badness=9 * order.random()) for a in AXES
        },
        badness={},
        finding=order.choice([None, finding]),
        kinds=_some(order, "abc"),
        severity=order.choice(["error", "warning", "info", None]),  # type: ignore[arg-type]
        objects=(),
        inputs={},
        pictures=(),
    )
    return CaseEntry(
        id=f"case_{k}",
        title=f"case {k}",
        summary=order.choice([summary, summary, None]),
        scene=order.choice(["", "slide_1", "slide_2", "drop"]),
        candidate="c",
        object_types=_some(order, ["box", "sphere"]),
        files=CaseFiles(paths={"report": "r"}),
        annotation=Annotation(tags=_some(order, "xyz")),
    )


_entries = st.integers(0, 2**32).map(made_entries)
_filters = st.builds(
    CaseFilter,
    chosen=st.dictionaries(
        st.sampled_from(["verdict", "axis", "kind", "scene", "template", "tag", "object", "severity"]),
        st.sets(
            st.sampled_from([*VERDICTS, *AXES, "a", "b", "slide_1", "slide", "x", "box", "error", "none"])
        ).map(frozenset),
        max_size=3,
    ),
    text=st.sampled_from(["", "cup", "CUP bounce", "case 1"]),
)


@settings(max_examples=80, deadline=None)
@given(cases=_entries, wanted=_filters)
def test_counts_are_what_choosing_the_value_would_show(cases: list[CaseEntry], wanted: CaseFilter) -> None:
    counts = facet_counts(cases, wanted)
    assert set(counts) == set(FACETS)
    for facet in FACETS:
        rest = {name: values for name, values in wanted.chosen.items() if name != facet}
        for value in {v for e in cases for v in facet_values(e, facet)}:
            alone = CaseFilter(chosen={**rest, facet: frozenset({value})}, text=wanted.text)
            assert counts[facet].get(value, 0) == len(matching(cases, alone)), (facet, value)


@settings(max_examples=80, deadline=None)
@given(cases=_entries, wanted=_filters)
def test_filters_are_and_over_facets_and_or_within(cases: list[CaseEntry], wanted: CaseFilter) -> None:
    def fits(entry: CaseEntry) -> bool:
        facets = all(
            any(v in values for v in facet_values(entry, name))
            for name, values in wanted.chosen.items()
            if values
        )
        return facets and all(word in entry.haystack for word in wanted.text.lower().split())

    assert matching(cases, wanted) == [e for e in cases if fits(e)]
    assert CaseFilter.from_json(json.loads(json.dumps(wanted.to_json()))) == wanted


@settings(max_examples=40, deadline=None)
@given(cases=_entries, sort=st.sampled_from(SORTS))
def test_an_order_loses_nothing_and_puts_failures_first(cases: list[CaseEntry], sort: str) -> None:
    result = ordered(cases, sort)
    assert sorted(e.id for e in result) == sorted(e.id for e in cases)
    if sort == "severity":
        ranks = [VERDICTS.index(e.verdict) for e in result]
        assert ranks == sorted(ranks)
    if sort in AXES:
        failed = [sort in e.failed_axes for e in result]
        assert failed == sorted(failed, reverse=True)


def test_numbers_in_titles_count_as_numbers() -> None:
    files = CaseFiles(paths={"report": "r"})
    titles = ["case_10", "case_9b", "Case_1", "9", "case"]
    made = [CaseEntry(id=t, title=t, summary=None, files=files) for t in titles]
    assert [e.title for e in ordered(made, "title")] == ["9", "case", "Case_1", "case_9b", "case_10"]


@pytest.mark.parametrize(
    ("word", "words"), [("axis", "FACET=VALUE"), ("colour=red", "no such facet"), ("axis=color", "physics")]
)
def test_filters_that_mean_nothing_are_refused(word: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        parse_filter([word])


def test_orders_are_metrics_too(root: Path, opener: Opener) -> None:
    write(root / "a" / "report.json", report(()))
    write(root / "b" / "report.json", report(("time",)))
    assert [e.id for e in opener().select(sort="time_error")] == ["b", "a"]
    with pytest.raises(UserError, match="no such order"):
        opener().select(sort="beauty")


# -- tags and notes ----------------------------------------------------------------------------------
def test_tags_notes_and_filters_are_kept_in_the_library(root: Path, opener: Opener) -> None:
    for name in ("a", "b"):
        write(root / name / "report.json", report())
    library = opener().tagged(["a", "b"], add=["  flaky  ", "physics bug"]).tagged(["b"], remove=["flaky"])
    library = library.noted("a", " the rim \n").with_filter("mine", parse_filter(["tag=flaky"], text="cup"))
    for found in (library, opener()):
        assert found.by_id["a"].annotation == Annotation(tags=("flaky", "physics bug"), note="the rim")
        assert found.by_id["b"].annotation == Annotation(tags=("physics bug",))
        assert [e.id for e in found.select(found.notes.filters["mine"])] == ["a"]
        assert found.tags == ("flaky", "physics bug")
    assert opener().notes.in_library
    assert opener().with_filter("mine", None).notes.filters == {}
    with pytest.raises(UserError, match="no such case"):
        library.noted("z", "?")


def test_two_windows_do_not_undo_each_other(root: Path, opener: Opener) -> None:
    for name in ("a", "b"):
        write(root / name / "report.json", report())
    mine, yours = opener(), opener()
    mine.tagged(["a"], add=["mine"])
    merged = yours.tagged(["b"], add=["yours"])
    assert merged.by_id["a"].annotation.tags == ("mine",)
    assert opener().by_id["b"].annotation.tags == ("yours",)


def test_notes_of_cases_that_are_away_stay(root: Path, opener: Opener) -> None:
    for name in ("a", "b"):
        write(root / name / "report.json", report())
    opener().noted("a", "keep me")
    away = root.parent / "away"
    (root / "a").rename(away)
    opener().tagged(["b"], add=["x"])
    away.rename(root / "a")
    assert opener().by_id["a"].annotation.note == "keep me"


def test_notes_that_cannot_be_read_are_never_written_over(root: Path, opener: Opener) -> None:
    write(root / "a" / "report.json", report())
    path = write(root / "library.json", '{"format": "fourdcb.case-library", "cases": ')
    before = path.read_bytes()
    library = opener()
    assert str(path) in library.notes.problem
    with pytest.raises(UserError, match="cannot be read"):
        library.tagged(["a"], add=["x"])
    assert path.read_bytes() == before


def test_a_read_only_library_has_its_notes_in_the_users_folder(
    root: Path, opener: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root / "a" / "report.json", report())
    opener().tagged(["a"], add=["before"])
    real = os.access
    with monkeypatch.context() as patched:
        patched.setattr(
            os, "access", lambda path, mode: not str(path).startswith(str(root)) and real(path, mode)
        )
        library = opener().noted("a", "seen")
        assert not library.notes.in_library
        assert tmp_path / "data" in library.notes.place.parents
        assert opener().by_id["a"].annotation == Annotation(tags=("before",), note="seen")
    assert not list(root.glob("*.part"))
    writable = opener()
    assert writable.by_id["a"].annotation.note == "seen"
    writable.tagged(["a"], add=["after"])
    assert opener().by_id["a"].annotation == Annotation(tags=("after", "before"), note="seen")
    assert not list((tmp_path / "data" / "libraries").glob("*.json"))


# -- adding ------------------------------------------------------------------------------------------
def test_added_cases_stand_alone_and_share_their_video(root: Path, opener: Opener, tmp_path: Path) -> None:
    scene = tmp_path / "drop_3"
    script, truth = write(scene / "bad.py", "candidate"), write(scene / "world.py", "truth")
    video = write(scene / "video.mp4", "film")
    folders = [
        add_case(
            root, report=json.dumps(report()), script=script, video=video, reference=truth, picture=b"png"
        )
        for _ in range(2)
    ]
    for path in (script, truth, video):
        path.unlink()
    library = opener()
    assert [e.id for e in library.entries] == [f.name for f in folders] == ["drop_3_bad", "drop_3_bad_002"]
    case = library.entries[1]
    assert (case.title, case.scene, case.candidate) == ("drop_3 · bad", "drop_3", "bad")
    parts = (case.files.script, case.files.reference, case.files.video, case.files.picture)
    assert [p.read_text() for p in parts if p] == ["candidate", "truth", "film", "png"]
    assert len(list((root / "media").iterdir())) == 1
    assert {p.name for p in root.iterdir()} == {"media", "drop_3_bad", "drop_3_bad_002"}
    record = json.loads((folders[0] / "case.json").read_text())
    assert set(record["sha256"]) == {"script", "video", "reference"}


def test_a_case_that_cannot_be_stored_leaves_nothing(root: Path, tmp_path: Path) -> None:
    video = write(tmp_path / "video.mp4", "film")
    with pytest.raises(UserError, match="cannot be stored"):
        add_case(root, report="{}", script=tmp_path / "gone.py", video=video)
    assert [p.name for p in root.iterdir()] == ["media"]
