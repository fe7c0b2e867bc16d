"""Sentences: one file a language, alike in keys and places; the same findings in the reader's language."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from string import Formatter

import pytest

from fourdcb.errors import UserError
from fourdcb.library import CaseLibrary
from fourdcb.metrics import Report, load_criteria
from fourdcb.metrics.findings.order import in_order
from fourdcb.metrics.kinds import KINDS, finding, kind_of, rank
from fourdcb.metrics.result import Cause, Finding
from fourdcb.metrics.stored import without_sentences
from fourdcb.metrics.verdict import unjudged
from fourdcb.report import write_report
from fourdcb.words import (
    ENGLISH,
    catalogue,
    choose,
    chosen,
    languages,
    listed,
    load,
    metric_title,
    mismatches,
)

CHINESE = """
[metrics.delta_pos]
title = "位置误差"

[list]
and = "{first}和{last}"
comma = "、"

[findings]
at = "第{frame}帧："
horizon = "{at}{object}从此不可预测"

[findings.position]
text = "{at}{object}偏离{measured:length}（{along}方向{offset:+mm}毫米）{since}"
since = "，自第{since}帧起超过{expected:length}"

[findings.friction.on_one]
text = "{at}{movers:names}以摩擦{measured:.2f}在{surface}上滑动，参考为{expected:.2f}{together}"
together = "（两者之积）"

[causes.better]
text = "{parameter}为{current:.3g}{unit:unit}；{suggested:.3g}{unit:unit}更合适{likewise}"
likewise = "（{likewise:names}亦然）"
"""


SAMPLES = {
    "names": ("a", "b"), "all": ("a", "b"), "bodies": ("a",), "words": ("sizes",), "each": (1, 2),
    "point": (1.0, 2.0, 3.0), "sides": (0.1, 0.2, 0.3), "size": (4, 3), "pairs": (("a", "b"),), "": "x",
    "word": "x", "body": "x", "d": 2,
}  # fmt: skip


@pytest.fixture
def chinese(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A second language beside English."""
    for path in (files("fourdcb_resources") / "words").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "zz.toml").write_text(CHINESE, encoding="utf-8")
    monkeypatch.setattr(catalogue, "_folder", lambda: tmp_path)
    load.cache_clear()
    yield tmp_path
    choose(ENGLISH)
    load.cache_clear()


def position() -> Finding:
    return finding(
        "position",
        "cup",
        frame=31,
        time=1.0,
        measured=0.061,
        expected=0.02,
        offset=-0.05,
        along="z",
        since=24,
    )


def test_a_file_is_a_language(chinese: Path) -> None:
    assert "zz" in languages()
    assert (
        position().message
        == "frame 31: cup is 61 mm from its place (-50 mm along z); beyond 20 mm since frame 24"
    )
    cause = Cause(parameter="a.friction", current=0.3, suggested=0.5, alike=("b.friction",))
    choose("zz")
    assert chosen().language == "zz"
    assert position().message == "第31帧：cup偏离61 mm（z方向-50毫米），自第24帧起超过20 mm"
    assert position().told(place=False).startswith("cup偏离61 mm")
    assert position().told(load(ENGLISH)).startswith("frame 31: cup is 61 mm")
    assert cause.told() == "a.friction为0.3；0.5更合适（b亦然）"
    assert (metric_title("delta_pos"), listed("abcde")) == ("位置误差", "a、b和3 more")


def test_a_library_is_read_in_the_language_that_was_chosen(chinese: Path, tmp_path: Path) -> None:
    report = Report(
        verdict="INCONCLUSIVE", claim="diagnostic", reasons=(), axes=unjudged(load_criteria(), "x"), image={},
        findings=(position(),), horizon={}, series={}, inputs={}, environment={},
    )  # fmt: skip
    case = tmp_path / "library" / "case"
    case.mkdir(parents=True)
    write_report(report, case / "report.json")
    said = {}
    for language in (ENGLISH, "zz", ENGLISH):
        choose(language)
        library = CaseLibrary.open(
            tmp_path / "library", cache_folder=tmp_path / "cache", data_folder=tmp_path
        )
        said[language] = next(iter(library.entries)).headline
    assert said[ENGLISH].startswith("cup is 61 mm from its place")
    assert said["zz"].startswith("cup偏离61 mm")


def test_the_environment_chooses(
    chinese: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(catalogue, "_language", None)
    monkeypatch.setenv("FOURDCB_LANGUAGE", "zz")
    assert metric_title("delta_pos") == "位置误差"
    monkeypatch.setattr(catalogue, "_language", None)
    monkeypatch.setenv("FOURDCB_LANGUAGE", "tlh")
    assert metric_title("delta_pos") == "Position error"
    assert "no language tlh" in caplog.text


def test_what_a_language_lacks_is_english_and_listed(chinese: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        words = load("zz")
    assert "findings.rotation" in words.missing
    assert "findings.position" not in words.missing
    assert "findings.rotation" in caplog.text
    assert metric_title("delta_rot") == "Rotation error"
    assert mismatches("zz") == ()


def test_other_keys_and_other_places_are_told(chinese: Path) -> None:
    text = CHINESE.replace("{object}从此", "{body}从此").replace("[causes.better]", "[causes.best]")
    (chinese / "zz.toml").write_text(text, encoding="utf-8")
    told = mismatches("zz")
    assert len(told) == 2
    assert any("causes.best" in line for line in told)
    assert any("findings.horizon" in line and "body" in line and "object" in line for line in told)


@pytest.mark.parametrize("wrong", ["[findings", "findings = 3", '[findings]\nrest = "{a.b}"'])
def test_a_malformed_file_is_a_user_error(chinese: Path, wrong: str) -> None:
    (chinese / "zz.toml").write_text(wrong, encoding="utf-8")
    with pytest.raises(UserError):
        mismatches("zz")
    with pytest.raises(UserError, match="no such language"):
        load("tlh")


@pytest.mark.parametrize("language", languages())
def test_every_language_has_the_same_keys_and_places(language: str) -> None:
    assert load(language).missing == ()
    assert mismatches(language) == ()


def test_every_kind_has_sentences_and_every_sentence_a_kind() -> None:
    keys = [key.split(".")[1] for key in load(ENGLISH).entries if key.startswith("findings.")]
    assert {kind.id for kind in KINDS} == set(keys) - {"at", "of"}
    assert len({kind.id for kind in KINDS}) == len(KINDS)
    assert {kind.follows for kind in KINDS} <= {kind.id for kind in KINDS} | {""}


@pytest.mark.parametrize("key", [key for key in load(ENGLISH).entries if key.startswith("findings.")])
def test_every_sentence_can_be_said(key: str) -> None:
    """Each place takes a value of the type that its format asks for, and nothing is left open."""
    entry = load(ENGLISH).entries[key]
    values: dict[str, object] = dict.fromkeys(entry.clauses, True)
    for text in (entry.text, *entry.clauses.values()):
        for _, name, spec, _ in Formatter().parse(text):
            if name is not None and (name not in entry.clauses or spec):
                values[name] = SAMPLES.get(spec or "", 0.5)
    for count in (1, 2):
        assert not re.search(r"[{}]", load(ENGLISH).say(key, **{**values, "count": count}))


def test_an_unlisted_kind_is_told_last_and_spelled_out() -> None:
    other = replace(position(), kind="melted_away", arguments={})
    assert in_order([other, position()]) == (position(), other)
    assert other.message == "frame 31: melted away of cup"
    assert rank("melted_away") == len(KINDS)
    assert kind_of("melted_away").mendable


def test_arguments_that_fit_no_sentence_crash_nothing() -> None:
    for arguments in ({}, {"offset": "far", "along": 3}, {"form": "upside_down"}, {"offset": {}}):
        assert replace(position(), arguments=arguments).message == "frame 31: position of cup"


def test_old_sentences_are_kept_word_for_word() -> None:
    old = {"frame": 31, "time": 1.0, "axis": "geometry", "objects": ["cup"], "kind": "position",
           "message": "frame 31: cup is far off"}  # fmt: skip
    assert without_sentences(old)["arguments"] == {"text": "cup is far off", "placed": True}
    assert without_sentences({**old, "message": "cup is far off"})["arguments"] == {"text": "cup is far off"}
    later = {**old, "kind": "melted_away", "arguments": {"heat": 3.0}}
    assert without_sentences(later)["arguments"] == {"heat": 3.0, "text": "cup is far off", "placed": True}
    own = {**old, "measured": 0.061, "expected": 0.02, "arguments": {"offset": 0.05, "along": "z"}}
    assert without_sentences(own)["arguments"] == {"offset": 0.05, "along": "z"}
