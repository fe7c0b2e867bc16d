"""Answers as language models write them: the last complete script counts, however it is wrapped."""

from __future__ import annotations

import ast
import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourdcb.dsl import load_script, parse_script, require_objects
from fourdcb.dsl.extract import extract_code
from fourdcb.errors import DiagnosticsError

ANSWERS = Path(__file__).parents[1] / "data" / "answers"
EXPECTED = json.loads((ANSWERS / "expected.json").read_text())
TRUTH = {name: load_script(ANSWERS / f"{name}.py").world for name in ("ball", "ramp", "dominoes")}


def test_every_answer_is_listed() -> None:
    assert {p.name for p in ANSWERS.glob("*.md")} == {*EXPECTED["read"], *EXPECTED["refused"]}
    assert len(EXPECTED["read"]) >= 40


@pytest.mark.parametrize("name", EXPECTED["read"])
def test_the_last_complete_script_is_read(name: str) -> None:
    script = load_script(ANSWERS / name, extract=True)
    assert script.world == TRUTH[EXPECTED["read"][name]]


@pytest.mark.parametrize("name", EXPECTED["read"])
def test_places_are_those_of_the_file(name: str) -> None:
    text = (ANSWERS / name).read_bytes().decode("utf-8-sig")
    script = load_script(ANSWERS / name, extract=True)
    lines = text.replace("\r\n", "\n").split("\n")
    for path, place in script.locations.items():
        if path.endswith((".restitution", ".acc")) and "domino" not in path:
            shown = lines[place.line - 1][place.column - 1 :]
            assert shown.startswith(("0.", "1.", "[", "G", "E")), (path, shown)


@pytest.mark.parametrize("name", EXPECTED["refused"])
def test_what_is_no_script_is_told(name: str) -> None:
    path = ANSWERS / name
    with pytest.raises(DiagnosticsError) as caught:
        require_objects(load_script(path, extract=True), filename=str(path))
    errors = [d.code for d in caught.value.diagnostics if d.severity == "error"]
    assert errors[0] == EXPECTED["refused"][name]


def test_the_note_says_what_was_left_out() -> None:
    def note(name: str) -> str:
        script = load_script(ANSWERS / name, extract=True)
        return next(d.message for d in script.diagnostics if d.code == "extracted")

    assert "joined the code blocks that begin at lines 3, 7, 14 and 18" in note("sections.md")
    assert "no complete script" in note("final_cut_off.md")
    assert "changes the script afterwards" in note("advice_after.md")


def test_a_list_that_grows_in_its_own_loop_is_read_like_python() -> None:
    source = (
        "xs = [1]\nfor x in xs:\n    if len(xs) < 5:\n        xs.append(2 * x)\n"
        + (ANSWERS / "ball.py").read_text()
    )
    grown = source.replace("pos=[0.0, 0.0, 1.0]", "pos=[0.0, 0.0, xs[4]]")
    assert parse_script(grown).world.objects[0].pos == (0.0, 0.0, 16.0)


_PROSE = st.lists(st.sampled_from([
    "Here is the script.", "", "# Answer", "- a list", "1. first", "> quoted", "The ball bounces: e = 0.8?",
    "**Final answer**", "Sure!", "<b>bold</b>", "x", "| a | b |", "---",
]), max_size=5).map(lambda lines: "".join(line + "\n" for line in lines))  # fmt: skip
_MARKS = st.sampled_from(["```", "````", "~~~"])
_INDENTS = st.sampled_from(["", "  ", "   ", "    ", "\t"])


@st.composite
def _wrapped(draw: st.DrawFn) -> tuple[str, str]:
    """A truth's name and an answer: prose, drafts with another value, the script in some fence, prose."""
    name = draw(st.sampled_from(sorted(TRUTH)))
    code = (ANSWERS / f"{name}.py").read_text()
    text = draw(_PROSE)
    for _ in range(draw(st.integers(0, 2))):
        draft = code.replace("fps=30", "fps=24")
        text += f"```python\n{draft}```\n" + draw(_PROSE)
    mark, indent = draw(_MARKS), draw(_INDENTS)
    body = f"{mark}{draw(st.sampled_from(['python', 'py', '']))}\n{code}{mark}\n"
    text += "".join(indent + line for line in body.splitlines(keepends=True)) + draw(_PROSE)
    if draw(st.booleans()):
        text = f"<think>\n```python\n{code.replace('fps=30', 'fps=60')}```\n</think>\n" + text
    return name, text


@given(_wrapped())
@settings(max_examples=60, deadline=None)
def test_any_wrapping_gives_the_last_script(case: tuple[str, str]) -> None:
    name, text = case
    assert parse_script(text, extract=True).world == TRUTH[name]


_JUNK = st.lists(st.sampled_from([
    "```", "````", "~~~", "```python", "  ```py", "> ```", "<think>", "</think>", "<answer>", "</answer>",
    "world = World()", "ball = Object('b', 'box', pos=[0, 0, 1], vel=[0, 0, 0], acc=[0, 0, -9.8])", "x = [",
    "python", "prose", "ball.mass = 2", "\tif 1:", "def f():", "...", "\x0c", "\r",
]), max_size=25).map("\n".join)  # fmt: skip


@given(_JUNK)
@settings(max_examples=200, deadline=None)
def test_fragments_in_any_order_never_break_the_reader(text: str) -> None:
    found = extract_code(text)
    if found is not None:
        assert 1 <= found.first_line <= text.count("\n") + text.count("\r") + 1
        assert not found.cuts or len(found.cuts) >= found.code.count("\n")
    with contextlib.suppress(DiagnosticsError):  # anything else that is raised is a fault
        assert parse_script(text, extract=True).world.fps == 30


def test_the_code_that_is_taken_is_part_of_the_text() -> None:
    for name in EXPECTED["read"]:
        text = (ANSWERS / name).read_bytes().decode("utf-8-sig")
        found = extract_code(text)
        if found is not None:
            ast.parse(found.code)
            code = {line.strip() for line in found.code.splitlines() if line.strip()}
            assert code <= {line.strip().lstrip("> ").strip() for line in text.splitlines()}
