"""The baseline answers clips of the bundled benchmark, with whatever else is declared beside a camera."""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import pytest

from fourdcb.errors import UserError
from fourdcb.evaluation.api import GenerationRequest
from fourdcb.evaluation.catalog.samples import find_samples
from fourdcb.evaluation.runners.baseline import BaselineRunner
from fourdcb.evaluation.runs.markdown import leaderboard_words
from fourdcb.world.camera_record import camera_from

SCENES = files("fourdcb_resources") / "scenes"


@pytest.mark.parametrize("name", ["bounce_ball", "free_fall"])
def test_the_baseline_answers_with_a_script(name):
    sample = next(s for s in find_samples(SCENES) if s.sample_id == name)
    request = GenerationRequest.from_dict(sample.request)
    inputs = {**request.inputs, "video": str(SCENES / name / "video.mp4")}
    result = BaselineRunner.from_config({}).generate(request.with_fields(inputs=inputs))
    assert result.status == "ok"
    assert 'geometry="sphere"' in result.artifacts["script"]


def test_a_camera_is_read_from_a_record_that_says_more():
    record = json.loads((SCENES / "topple" / "camera.json").read_text())
    camera = camera_from(record)
    assert list(camera.pos) == record["pos"]
    assert camera.intrinsics().tolist() == record["intrinsics"]
    assert camera.world_from_camera() == pytest.approx(np.array(record["world_from_camera"]))
    for wrong in (None, {}, {**record, "pos": "here"}, {**record, "pos": record["target"]}):
        with pytest.raises(UserError, match="no camera"):
            camera_from(wrong)


def test_a_run_with_missing_numbers_is_not_called_fit():
    total = {"skipped": 7, "total": 10}
    card = {"leaderboard_valid": True, "metrics": {"deployable": {"aggregate": total}}}
    assert leaderboard_words(card) == (
        "not placed on a leaderboard by deployable: 7 of 10 samples have no number"
    )
    total["skipped"] = 0
    assert leaderboard_words(card) == "fit for a leaderboard"
    assert leaderboard_words({**card, "leaderboard_valid": False}) == "not fit for a leaderboard"
