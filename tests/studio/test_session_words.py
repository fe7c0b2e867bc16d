"""Every kind of message, picture and doing has its sentence in the catalogue, and every sentence a kind."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter
from typing import get_args

import pytest

import fourdcb_studio
from fourdcb.words import ENGLISH, load
from fourdcb_studio.session.state import Doing, ImageKind, Message, ShownImage

_KINDS = re.compile(r'(?:\b(?:info|warning)\(|\bkind=)"(\w+)"')


def _keys(room: str) -> set[str]:
    prefix = f"studio.{room}."
    return {key.removeprefix(prefix) for key in load(ENGLISH).entries if key.startswith(prefix)}


def test_every_picture_and_doing_has_words() -> None:
    assert _keys("images") == set(get_args(ImageKind)) - {"decoded"}  # a decoded frame needs no badge
    assert _keys("doing") == set(get_args(Doing))


def test_every_message_that_the_studio_tells_has_a_sentence_and_every_sentence_is_told() -> None:
    root = Path(fourdcb_studio.__file__).parent
    told: set[str] = set()
    for path in root.rglob("*.py"):
        told |= set(_KINDS.findall(path.read_text(encoding="utf-8")))
    assert _keys("messages") <= told
    for kind in re.findall(r'Message\(\s*kind="(\w+)"', "".join(p.read_text() for p in root.rglob("*.py"))):
        assert kind in _keys("messages")


@pytest.mark.parametrize("kind", sorted(_keys("messages")))
def test_every_sentence_can_be_said(kind: str) -> None:
    entry = load(ENGLISH).entries[f"studio.messages.{kind}"]
    places = {name for _, name, _, _ in Formatter().parse(entry.text) if name}
    text = Message(kind=kind, severity="info", values={name: "braces {0} stay" for name in places}).text
    assert text.count("braces {0} stay") == len(places)


def test_words_decide_nothing() -> None:
    shown = ShownImage(
        image=None, label="Replay", fresh=False, kind="error", frame=0, version=("", 0),
        values={"what": "it is waiting …"},
    )  # fmt: skip
    assert shown.note == "it is waiting …"
    assert not shown.waits
    assert not shown.is_settled
