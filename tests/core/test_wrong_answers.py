"""Answers that are wrong by rule: they differ from their truths plainly, and fail."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from fourdcb.dsl import load_script
from fourdcb.evaluation.verdict_table import Row, counts
from fourdcb.evaluation.wrong import misstatements, patterned_truth, seen_apart
from fourdcb.evaluation.wrong_verdicts import judge_misstatements
from fourdcb.physics import Engine
from fourdcb.replay import replay

ROOT = Path(str(files("fourdcb_resources"))) / "scenes"
SCENES = sorted(path.parent.name for path in ROOT.glob("*/world.py"))


@pytest.mark.parametrize("name", SCENES)
def test_every_answer_says_something_else(name: str) -> None:
    truth = load_script(ROOT / name / "world.py").world
    made = list(misstatements(truth))
    assert len(made) >= 20
    assert all(one.world != truth for one in made)
    assert len({(one.kind, one.magnitude) for one in made}) == len(made)


def test_a_truth_is_not_told_apart_from_itself_and_a_plain_ball_not_from_a_turned_one(
    engine: Engine, tmp_path: Path
) -> None:
    world = load_script(ROOT / "bounce_ball" / "world.py").world
    plain = replay(world, frames=False, engine=engine)
    turned = next(m.world for m in misstatements(world) if m.magnitude == "110°")
    assert not seen_apart(plain, plain)
    assert not seen_apart(plain, replay(turned, frames=False, engine=engine))
    patterned = patterned_truth(world, folder=tmp_path)
    turned = next(m.world for m in misstatements(patterned) if m.magnitude == "110°")
    truth = replay(patterned, frames=False, engine=engine)
    assert seen_apart(truth, replay(turned, frames=False, engine=engine))


def test_a_sample_of_them_fails() -> None:
    """Every fifteenth of a scene, with and without a pattern on its ball."""
    judged = list(judge_misstatements([ROOT / "bounce_ball" / "world.py"], every=15))
    assert {one.scene for one in judged} == {"bounce_ball", "bounce_ball, patterned"}
    assert [one for one in judged if not one.right] == []
    assert sum(not one.excuse for one in judged) >= 4


def test_rows_that_do_not_count_are_not_counted() -> None:
    rows = [
        Row(kind="wrong", scene="a", name="x", verdict=None, right=True, why=(), excuse="not seen"),
        Row(kind="wrong", scene="a", name="y", verdict="DEPLOYABLE", right=False, why=()),
        Row(kind="honest", scene="a", name="z", verdict="DEPLOYABLE", right=True, why=()),
    ]
    found = counts(rows)
    assert (found["wrong"]["DEPLOYABLE"], found["honest"]["DEPLOYABLE"]) == (1, 1)
    assert sum(sum(each.values()) for each in found.values()) == 2
    assert np.sum([row.right for row in rows]) == 2
