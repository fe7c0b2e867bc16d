"""Libraries that are broken in every way: one entry that says why, and never a crash, a hang or a loss."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from fourdcb.errors import UserError
from fourdcb.evaluation import evaluate
from fourdcb.identity import jsonable
from fourdcb.library import CaseLibrary, add_case

SCENE = Path(str(files("fourdcb_resources"))) / "scenes" / "bounce_ball"
VIDEO, SCRIPT = SCENE / "video.mp4", SCENE / "candidates" / "wrong_restitution.py"


@pytest.fixture(scope="module")
def text() -> str:
    """A real report with findings."""
    report = evaluate(SCRIPT, VIDEO, fast=True).report.to_json()
    return json.dumps(report, ensure_ascii=False, indent=1) + "\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "library").mkdir()
    return tmp_path / "library"


def put(root: Path, name: str, text: str) -> Path:
    (root / name).mkdir()
    (root / name / "report.json").write_text(text)
    return root / name


def opened(root: Path) -> CaseLibrary:
    """Opened twice, so that what the index kept is tried, too."""
    folders = {"cache_folder": root.parent / "cache", "data_folder": root.parent / "data"}
    first, second = CaseLibrary.open(root, **folders), CaseLibrary.open(root, **folders)
    assert first.entries == second.entries
    for sort in ("severity", "title", "date", "physics"):
        assert len(first.select(sort=sort)) == len(first.entries)
    json.dumps([jsonable(dict(entry.to_json())) for entry in first.entries], allow_nan=False)
    return first


def metrics(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [m for axis in report["axes"].values() for m in axis["metrics"].values()]


def each(items: list[dict[str, Any]], name: str, value: object) -> None:
    assert items
    for item in items:
        item[name] = value


BROKEN: dict[str, Callable[[dict[str, Any]], object]] = {
    "nan": lambda r: each(metrics(r), "value", float("nan")),
    "infinite": lambda r: each(metrics(r), "threshold", float("inf")),
    "huge": lambda r: each(metrics(r), "value", 10**400),
    "endless frame": lambda r: each(r["findings"], "frame", float("inf")),
    "no axes": lambda r: r.update(axes=None),
    "odd verdict": lambda r: r.update(verdict=["DEPLOYABLE"]),
    "odd passed": lambda r: r["axes"]["time"].update(passed="yes"),
    "findings a number": lambda r: r.update(findings=7),
    "artifacts null": lambda r: r.update(artifacts=None),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_wrong_values_make_an_unreadable_case(root: Path, text: str, kind: str) -> None:
    report = json.loads(text)
    BROKEN[kind](report)
    put(root, "broken", json.dumps(report))
    put(root, "good", text)
    by_id = opened(root).by_id
    assert by_id["broken"].verdict == "unreadable"
    assert "malformed" in by_id["broken"].problem
    assert by_id["good"].verdict == "not_deployable"


@pytest.mark.parametrize(
    "broken",
    ["", "[" * 200_000, '{"format": ' + "9" * 5000 + "}", "{" + '\n "series":1,\n "inputs":' + "[" * 200_000],
    ids=["empty", "deep", "digits", "deep behind the series"],
)
def test_text_that_is_no_json(root: Path, text: str, broken: str) -> None:
    put(root, "broken", broken)
    put(root, "good", text)
    assert opened(root).by_id["broken"].verdict == "unreadable"


def test_pipes_devices_and_loops_do_not_hold_it(root: Path, text: str) -> None:
    put(root, "case", text)
    for place in ("piped", "case"):
        (root / place).mkdir(exist_ok=True)
    os.mkfifo(root / "piped" / "report.json")
    for name in ("case.json", "candidate.py", "other.json", "video.mp4"):
        os.mkfifo(root / "case" / name)
    os.mkfifo(root / "library.json")
    (root / "endless").mkdir()
    (root / "endless" / "report.json").symlink_to("/dev/zero")
    (root / "case" / "up").symlink_to("..")
    (root / "case" / "self.json").symlink_to("self.json")
    library = opened(root)
    (entry,) = library.entries
    assert entry.files.script == SCRIPT  # the report names it; the pipe is passed over
    assert "not a file" in library.notes.problem
    with pytest.raises(UserError, match="cannot be saved over"):
        library.noted("case", "lost?")


def test_names_and_titles_become_one_line(root: Path, text: str) -> None:
    put(root, "two\nlines", text)
    put(root, "名字\U0001f600", text)
    put(root, "numbers", text).joinpath("case.json").write_text(json.dumps({"title": "9" * 5000}))
    put(root, "deep", text).joinpath("case.json").write_text("[" * 200_000)
    report = json.loads(text)
    each(report["findings"], "arguments", {"text": "red \x1b[31m and\nmore \ud800"})
    put(root, "control", json.dumps(report))
    by_id = opened(root).by_id
    assert by_id["two\nlines"].title == "two lines"
    assert by_id["名字\U0001f600"].title == "名字\U0001f600"
    assert by_id["control"].headline == "red �[31m and more �"


def test_no_two_cases_share_an_id(root: Path, text: str) -> None:
    put(root, "a", text)
    (root / "a.json").write_text(text)
    (root / "a.report.json").write_text(text)
    library = opened(root)
    assert len(library.by_id) == len(library.entries) == 3


def test_a_damaged_index_is_made_anew(root: Path, text: str) -> None:
    put(root, "a", text)
    before = opened(root).entries
    (kept,) = (root.parent / "cache" / "libraries").glob("*.json")
    good = json.loads(kept.read_text())
    for damaged in (
        {**good, "reports": []},
        {**good, "scripts": 3},
        {**good, "reports": {"a": [1]}},
        {**good, "scripts": dict.fromkeys(good["scripts"], 1)},
        {**good, "reports": {"a": {**good["reports"]["a"], "summary": {}}}},
    ):
        kept.write_text(json.dumps(damaged))
        assert opened(root).entries == before
    kept.write_text("[" * 200_000)
    assert opened(root).entries == before


def test_folders_that_cannot_be_listed_are_told(
    root: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(root, "a", text)
    put(root, "locked", text)
    scandir = os.scandir

    def refuse(path: str) -> Any:
        if str(path) in locked:
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    locked = {str(root / "locked")}
    library = opened(root)
    assert [entry.id for entry in library.entries] == ["a"]
    assert library.unread == (f"{root / 'locked'}: Permission denied",)
    locked = {str(root)}
    with pytest.raises(UserError, match="cannot be read"):
        opened(root)


def test_writers_at_the_same_time_lose_nothing(root: Path, text: str) -> None:
    put(root, "a", text)
    write = (
        "import sys; from pathlib import Path; from fourdcb.library import CaseLibrary\n"
        "root, who = Path(sys.argv[1]), sys.argv[2]\n"
        "library = CaseLibrary.open(root, cache_folder=root.parent / who, data_folder=root.parent / 'data')\n"
        "for k in range(25): library = library.tagged(['a'], add=[f'{who}{k}'])\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", write, str(root), who]) for who in "xy"]
    assert [process.wait(60) for process in running] == [0, 0]
    assert len(opened(root).by_id["a"].annotation.tags) == 50


def test_a_case_of_an_odd_or_endless_name_is_stored(root: Path, text: str) -> None:
    odd = root.parent / os.fsdecode(b"pr\xffed.py")
    odd.write_text(SCRIPT.read_text())
    (root.parent / ("长" * 80)).mkdir()
    long = root.parent / ("长" * 80) / ("名" * 80 + ".py")
    long.write_text(SCRIPT.read_text())
    for script in (odd, long):
        stored = add_case(root, report=text, script=script, video=VIDEO, reference=long)
        assert json.loads((stored / "case.json").read_text())["format"] == "fourdcb.case"
    assert len(opened(root).entries) == 2
