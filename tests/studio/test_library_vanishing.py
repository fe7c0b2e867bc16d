"""A library that changes under the browser: files that went, metrics that nobody has any more."""

from __future__ import annotations

import json
import os
import threading
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from fourdcb.errors import UserError
from fourdcb.library import CaseLibrary, add_case
from fourdcb_studio.session.library_browser import DEFAULT_SORT, LibraryBrowser, remarks_on
from fourdcb_studio.session.library_paths import library_folder
from fourdcb_studio.session.reports import with_reports_opened
from fourdcb_studio.session.sources import find_sources
from fourdcb_studio.workers.thumbnail_loader import ThumbnailLoader, ThumbnailWish

SCENE = Path(str(files("fourdcb_resources"))) / "scenes" / "slide_cup"


def report(metric: str) -> dict[str, Any]:
    value = {"value": 2.0, "unit": "m", "threshold": 1.0, "direction": "below", "passed": False}
    empty = {axis: {"passed": None, "metrics": {}} for axis in ("geometry", "material_light", "time")}
    return {
        "format": "fourdcb.report", "version": 1, "verdict": "DEPLOYMENT_NOT_RECOMMENDED", "findings": [],
        "axes": {**empty, "physics": {"passed": False, "metrics": {metric: value}}}, "artifacts": {},
        "inputs": {"code": {"path": "candidate.py", "sha256": "0"}},
    }  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> Path:
    script = tmp_path / "answer.py"
    script.write_text((SCENE / "world.py").read_text())
    add_case(tmp_path / "library", report=json.dumps(report("one")), script=script, video=SCENE / "video.mp4")
    return tmp_path / "library"


def opened(root: Path) -> CaseLibrary:
    return CaseLibrary.open(root, cache_folder=root.parent / "cache", data_folder=root.parent / "data")


def test_an_order_that_no_case_knows_any_more_gives_way(root: Path) -> None:
    browser = LibraryBrowser(lambda topic: None)
    browser.take(opened(root))
    browser.order("one")
    browser.take(opened(root))
    assert browser.sort == "one"
    for stored in root.rglob("report.json"):
        stored.write_text(json.dumps(report("another")))
    browser.take(opened(root))
    assert browser.sort == DEFAULT_SORT
    assert len(browser.shown) == 1


def test_a_script_that_went_meanwhile_is_a_remark(root: Path) -> None:
    (entry,) = opened(root).entries
    assert remarks_on(entry) == ("the script is another than the one that was judged",)
    assert entry.files.script is not None
    entry.files.script.unlink()
    (remark,) = remarks_on(entry)
    assert "cannot be read: No such file" in remark


@pytest.mark.parametrize("path", ["a" * 5000, "a\0b", "\ud800"])
def test_a_report_that_names_impossible_files(tmp_path: Path, path: str) -> None:
    dropped = tmp_path / "report.json"
    inputs = {"code": {"path": path}, "video": {"path": path}}
    dropped.write_text(json.dumps({"format": "fourdcb.report", "inputs": inputs}))
    with pytest.raises(UserError, match="are not there"):
        with_reports_opened([dropped])
    dropped.write_text("[" * 200_000)
    with pytest.raises(UserError, match="cannot read the report"):
        with_reports_opened([dropped])


@pytest.mark.parametrize("name", ["pipe.py", "pipe.mp4", "pipe.json", "device.py", "self", "a" * 400])
def test_what_is_no_file_is_a_message(tmp_path: Path, name: str) -> None:
    dropped = tmp_path / name
    if name.startswith("pipe"):
        os.mkfifo(dropped)
    elif name == "device.py":
        dropped.symlink_to("/dev/zero")
    elif name == "self":
        dropped.symlink_to(name)
    assert library_folder([dropped]) is None
    for paths in ([dropped], [SCENE / "video.mp4", dropped]):
        with pytest.raises(UserError) as told:
            find_sources(with_reports_opened(paths))
        assert told.value.where == str(dropped)


def test_one_odd_picture_does_not_end_the_others(tmp_path: Path) -> None:
    answered = threading.Semaphore(0)
    loader = ThumbnailLoader(answered.release)
    (tmp_path / "odd.mp4").write_text("no video")
    loader.want([
        ThumbnailWish(key="before", picture=None, video=SCENE / "video.mp4", frame=-7),
        ThumbnailWish(key="odd", picture=tmp_path, video=tmp_path / "odd.mp4", frame=3),
        ThumbnailWish(key="beyond", picture=None, video=SCENE / "video.mp4", frame=10**12),
    ])  # fmt: skip
    assert all(answered.acquire(timeout=60) for _ in range(3))
    images = dict(loader.take())
    loader.close()
    assert {key: image is not None for key, image in images.items()} == {
        "before": True, "odd": False, "beyond": True,
    }  # fmt: skip
