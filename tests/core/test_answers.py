"""The table of wrong and honest answers: read whole, and what a small scene's answers get."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from fourdcb.dataset.answers import load_answers
from fourdcb.errors import UserError
from fourdcb.evaluation.verdicts import confusion, judge_answers

TABLE = Path(str(files("fourdcb_resources"))) / "scenes" / "answers.yaml"


def test_every_row_of_the_table_changes_its_truth() -> None:
    for text, answers in load_answers(TABLE).values():
        assert {a.kind for a in answers} == {"honest", "wrong"}
        assert all(a.source != text for a in answers)


@pytest.mark.parametrize(
    ("row", "complaint"),
    [("honest: {'ball.pos[0]': []}", "list of numbers"), ("hones: {}", "hones"),
     ("wrong: {peg: {values: [1], add: 'peg = 1'}}", "place for the value")],
)  # fmt: skip
def test_mistakes_in_the_table_are_named(tmp_path: Path, row: str, complaint: str) -> None:
    path = tmp_path / "answers.yaml"
    path.write_text(f"scene:\n  script: 'world = World(duration=1.0)'\n  {row}\n", encoding="utf-8")
    with pytest.raises(UserError, match=complaint):
        load_answers(path)


def test_a_marble_gets_what_it_deserves() -> None:
    judged = list(judge_answers({"marble": load_answers(TABLE)["marble"]}))
    assert [j.answer for j in judged if not j.right] == []
    assert confusion(judged)["wrong"] == {
        "DEPLOYABLE": 0, "INCONCLUSIVE": 0, "DEPLOYMENT_NOT_RECOMMENDED": 4,
    }  # fmt: skip
