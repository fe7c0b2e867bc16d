"""Planted faults of sources: each is told by its own words, and none is told of a sound set."""

import json

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from fourdcb.cli.app import build_app
from fourdcb.x4val.doubts import differing
from fourdcb.x4val.estimate import estimate_tally
from fourdcb.x4val.tally import Tally

CONFIG = """\
data_sources:
  - {name: first, path: first, label_path: first.csv, label_type: classification}
  - {name: second, path: second, label_path: second.csv, label_type: classification}
"""
COUNT = 80


def picture(rng, kind, brightness):
    y, x = np.mgrid[:40, :40]
    image = np.full((40, 40, 3), (120, 90, 60), dtype=np.float64) * brightness
    if kind == "disc":
        image[np.hypot(x - rng.uniform(14, 26), y - rng.uniform(14, 26)) < 10] = (200, 40, 30)
    else:
        image[(x // 5 + int(rng.integers(0, 2))) % 2 == 0] = (70, 50, 30)
    return np.clip(image + rng.normal(0, 6, image.shape), 0, 255).astype(np.uint8)


def plant(root, *, scored=40, biased=False, copies=0, across=0, bad=0.0, torn=False):
    rng = np.random.default_rng(11)
    (root / "config.yaml").write_text(CONFIG)
    answers = ["source,sample,score"]
    for source in ("first", "second"):
        (root / source).mkdir()
        rows = ["sample,label"]
        chosen = set(range(scored)) if biased else set(rng.permutation(COUNT)[:scored].tolist())
        for k in range(COUNT):
            kind = ("disc", "stripes")[k % 2]
            brightness = 1.6 - k / COUNT if biased else rng.uniform(0.6, 1.6)
            target = root / source / f"{k:03}.png"
            if source == "first" and COUNT - copies <= k:
                target.write_bytes((root / source / f"{(COUNT - 1 - k) * 2 + k % 2:03}.png").read_bytes())
            elif source == "second" and k < across:
                target.write_bytes((root / "first" / target.name).read_bytes())
            else:
                Image.fromarray(picture(rng, kind, brightness)).save(target)
            name = "stripes" if torn and source == "second" and k == 0 else kind
            rows.append(f"{k:03},{name}")
            if k in chosen:
                shift = bad if source == "second" else 0.0
                answers.append(f"{source},{k:03},{float(np.clip(rng.normal(0.7 - shift, 0.08), 0, 1))!r}")
        (root / f"{source}.csv").write_text("\n".join(rows))
    (root / "answers.csv").write_text("\n".join(answers))
    return root


def notes(root):
    arguments = ("--config", root / "config.yaml", "--model", root / "answers.csv", "--output", root / "out")
    result = CliRunner().invoke(build_app(), ["x4val", "evaluate", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    report = json.loads(sorted((root / "out").glob("report_*.json"))[-1].read_text())
    return " | ".join(report["notes"]), report, result.output


@pytest.mark.parametrize(
    ("planted", "told"),
    [
        ({"biased": True}, "look unlike the unscored ones"),
        ({"copies": 20}, "are copies of files of the same source"),
        ({"across": 20}, "are copies of files of first"),
        ({"across": 20, "torn": True}, "bear another label"),
        ({"bad": 0.4}, "differ by more than chance"),
        ({"scored": 2}, "no interval"),
        ({"scored": 12}, "without a long tail"),
    ],
)
def test_planted_faults_are_told_in_report_and_on_screen(tmp_path, planted, told):
    text, _, output = notes(plant(tmp_path, **planted))
    assert told in text
    assert told in output


def test_of_a_sound_set_nothing_is_told(tmp_path):
    text, report, _ = notes(plant(tmp_path, scored=60))
    assert text == ""
    assert report["shared_clusters"] == 0


def test_copies_count_once(tmp_path):
    _, report, _ = notes(plant(tmp_path, scored=COUNT, across=COUNT))
    assert report["shared_clusters"] == COUNT
    assert report["Effective_Sample_Size"] == pytest.approx(COUNT)


def test_a_history_of_another_encoder_is_told(tmp_path):
    root = plant(tmp_path, scored=60)
    notes(root)
    path = root / "out" / "history.jsonl"
    from fourdcb.work.journal import journal_line, read_journal

    records = [{**record, "encoder": "another"} for record in read_journal(path).records]
    path.write_bytes(b"".join(journal_line(record) for record in records))
    text, report, _ = notes(root)
    assert "earlier evaluations by another are not used" in text
    assert all(weight["past"] == 0 for weight in report["weights"])


def test_sources_that_do_not_differ_are_seldom_said_to():
    rng = np.random.default_rng(0)
    said = 0
    for _ in range(300):
        each = {n: estimate_tally(Tally().add(rng.normal(size=15), np.zeros(15)), None) for n in "abc"}
        said += bool(differing(each))
    assert said <= 9  # nominal 1 %: P(more than 9 of 300) < 0.002
