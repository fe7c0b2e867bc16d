"""The window in Chinese: what people read is Chinese, in every view, card and menu."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from fourdcb.errors import UserError
from fourdcb.metrics.kinds import KINDS
from fourdcb.words import chosen, load, system_language
from fourdcb_studio.app import _choose_language
from fourdcb_studio.session.preferences import SYSTEM, Settings
from fourdcb_studio.session.sources import bundled_scene_names

SCENE = files("fourdcb_resources") / "scenes" / "slide_cup"
# What stays as it is in every language: names of files, bodies, scenes and keys, signs of units and
# measures, and commands.
_KEYS = "Ctrl|Shift|Alt|Esc|Escape|Return|Enter|Space|Home|End|Left|Right|Backspace|PgUp|PgDown|Tab|Del"
_SIGNS = "PSNR|SSIM|RGB|sRGB|JSON|HTML|PDF|MB|Hz|GL|PNG|SVG|CSV|mm|fps|rad|stops|per|raster|RMS"
_NAMES = "4DCodeBench( Studio)?|Studio|English|fourdcb( [a-z]+)*|bumper|cup|table|floor|sun|world"
_STAYS = re.compile(
    rf"\b({_NAMES}|{_SIGNS}|{_KEYS}|{'|'.join(bundled_scene_names())})\b"
    r"|[\w./~-]*[_/][\w./~*-]*|\w+\.(py|mp4|json)|--[\w-]+"
)
_WORDS = re.compile(r"[A-Za-z]{3,}")
# What reports keep as data (reasons by metric id) speak English for now.
_ENGLISH_YET = re.compile(r"^([a-z]+: \w+ is .*needed.*|not judged on this machine: .*)$")


def _english(text: str) -> bool:
    if _ENGLISH_YET.match(text):
        return False
    return bool(_WORDS.search(_STAYS.sub("", text)))


def test_the_window_speaks_chinese(tmp_path: Path) -> None:
    walk = Path(__file__).with_name("language_walk.py")
    told = subprocess.run(
        [sys.executable, str(walk), str(SCENE), str(SCENE / "candidates" / "wrong_restitution.py")],
        env={**os.environ, "FOURDCB_LANGUAGE": "zh_CN", "XDG_CONFIG_HOME": str(tmp_path)},
        capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    lines = sorted(set(told.stdout.splitlines()))
    assert len(lines) > 300
    assert sum(bool(re.search(r"[\u4e00-\u9fff]", line)) for line in lines) > 200
    english = [line for line in lines if _english(line)]
    assert english == [], english


def test_the_language_is_that_of_the_option_else_the_setting_else_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("FOURDCB_LANGUAGE", "")
    before = chosen().language
    try:
        monkeypatch.setenv("LC_ALL", "zh_TW.UTF-8")
        assert (Settings().language, system_language()) == (SYSTEM, "zh_CN")
        _choose_language(None)
        assert chosen().language == "zh_CN"
        monkeypatch.setenv("FOURDCB_LANGUAGE", "")
        (tmp_path / "fourdcb").mkdir()
        (tmp_path / "fourdcb" / "studio.json").write_text(
            '{"format": "fourdcb.studio", "version": 1, "settings": {"language": "en"}}'
        )
        _choose_language(None)
        assert chosen().language == "en"
        _choose_language("zh_CN")
        assert chosen().language == "zh_CN"
        with pytest.raises(UserError, match="no such language"):
            _choose_language("tlh")
    finally:
        _choose_language(before)


def test_every_kind_of_finding_has_a_chinese_name() -> None:
    known = load("zh_CN").messages
    assert [kind.id for kind in KINDS if kind.id.replace("_", " ") not in known] == []


def test_what_the_program_says_in_chinese_has_the_same_values() -> None:
    chinese = load("zh_CN")
    assert len(chinese.messages) > 500
    assert chinese.translate("{shown:,} of {total:,}", shown=1234, total=5678) == "1,234 / 5,678"
    assert chinese.translate("no such message") == "no such message"
