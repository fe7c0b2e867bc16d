"""From videos to a report: one's own table, resumed extraction, the sealed test, and what is refused."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from fourdcb.cli.probe import build_probe
from fourdcb.errors import UserError
from fourdcb.probes.encoders import encoder_of
from fourdcb.probes.encoders.contract import EncoderSpec, Features
from fourdcb.probes.extract import extract, guard
from fourdcb.probes.order_only import paired_orders
from fourdcb.probes.samples import collect
from fourdcb.probes.sealed import openings_of
from fourdcb.probes.sources import source_of
from fourdcb.probes.store import FeatureStore
from fourdcb.probes.windows import WindowSettings
from fourdcb.randomness import generator
from fourdcb.video import write_video

SETTINGS = WindowSettings(frames=6, rate=12.0, side=16)
OPTIONS = ["--encoder", "colour_motion", "--frames", "6", "--rate", "12", "--side", "16"]


def draw(path, seed, way):
    rng = generator(seed, "clip")
    background = np.kron(rng.integers(30, 220, (4, 4, 3)), np.ones((8, 8, 1))).astype(np.uint8)
    height, frames = int(rng.integers(2, 20)), []
    for t in range(14):
        frame, x = background.copy(), 2 + 2 * (t if way == "right" else 13 - t)
        frame[height : height + 8, x : x + 5] = (250, 20, 20)
        frames.append(frame[:, :32])
    write_video(path, frames, fps=24)


@pytest.fixture(scope="module")
def videos(tmp_path_factory):
    folder = tmp_path_factory.mktemp("videos")
    lines = ["video,group,way"]
    for k in range(18):
        way = ("right", "left")[k % 2]
        draw(folder / f"v{k:02d}.mp4", k, way)
        lines.append(f"v{k:02d}.mp4,g{k:02d},{way}")
    (folder / "videos.csv").write_text("\n".join(lines) + "\n")
    return folder


def ask(*arguments):
    found = CliRunner().invoke(build_probe(), [str(one) for one in arguments])
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    assert found.exit_code == 0, found.output
    return found.output


def table_of(videos, work, rows=None):
    data = videos / "videos.csv"
    if rows is not None:
        data = videos / f"{work.name}.csv"
        data.write_text("\n".join(["video,group,way", *rows]) + "\n")
    return collect(source_of(data), SETTINGS, work)


class Sums:
    """A tiny encoder, and whatever a test wants to be wrong with it."""

    def __init__(self, *, stop_at=0, noise=0.0, causal=False, name="sums"):
        self.spec = EncoderSpec(name=name, revision="1", causal=causal)
        self.stop_at, self.noise, self.count = stop_at, noise, 0

    def encode(self, clips):
        self.count += 1
        if self.stop_at and self.count > self.stop_at:
            raise KeyboardInterrupt
        tokens = clips.transpose(0, 2, 3, 4, 1)[:, :, ::8, ::8]
        if self.spec.causal:  # it only says so
            tokens = tokens + tokens.mean(axis=1, keepdims=True)
        cls = clips.mean(axis=(2, 3, 4)) + self.noise * self.count
        return Features(cls.astype(np.float32), np.ascontiguousarray(tokens, np.float32))

    def digest(self):
        return ""


def test_a_table_of_videos_becomes_a_report_and_the_test_part_is_opened_once(videos, tmp_path):
    work = tmp_path / "work"
    ask("extract", "--data", videos / "videos.csv", "--out", work, *OPTIONS)
    ask("train", "--out", work, "--head", "ridge", "--guard")
    assert not (work / "openings.jsonl").exists()
    ask("report", "--out", work)
    values = json.loads((work / "report.json").read_text())
    (target,) = values["targets"]
    probe = next(one for one in target["probes"] if one["encoder"] == "colour_motion")
    estimate = probe["balanced_accuracy"]
    assert estimate["low"] <= estimate["value"] <= estimate["high"]
    assert probe["optimism"] >= 0.0
    assert np.sum(probe["confusion"]) == sum(split["test"]["samples"] for split in target["splits"])
    assert {control["name"] for control in probe["controls"]} >= {"shuffled_labels", "metadata", "one_frame"}
    assert "not comparable" in values["note"]
    assert values["windows"]["rate"] == 12.0
    assert f"{estimate['value']:.3f}" in (work / "report.html").read_text()
    key = ("way", "colour_motion", "ridge")
    assert openings_of(work)[key].times == 3  # one for each split
    assert "stays closed" in ask("report", "--out", work)
    assert openings_of(work)[key].times == 3
    ask("report", "--out", work, "--again")
    assert (openings_of(work)[key].times, openings_of(work)[key].trainings) == (6, 1)
    shutil.rmtree(work / "trained")  # another training of the same name
    ask("train", "--out", work, "--head", "ridge", "--seeds", "2")
    assert "stays closed" not in ask("report", "--out", work)
    assert json.loads((work / "report.json").read_text())["targets"][0]["seeds"] == [0, 1]
    with pytest.raises(UserError, match="nothing was trained for this label"):
        ask("report", "--out", work, "--target", "nix", "--again")


def test_a_killed_extraction_goes_on_and_ends_with_the_same_features(videos, tmp_path):
    straight, broken = tmp_path / "straight", tmp_path / "broken"
    whole = extract(table_of(videos, straight), Sums(), straight)
    with pytest.raises(KeyboardInterrupt):
        extract(table_of(videos, broken), Sums(stop_at=31), broken)
    rest = extract(table_of(videos, broken), Sums(), broken)
    assert whole == 18
    assert 0 < rest < 18
    files = sorted(path.relative_to(straight) for path in straight.rglob("*.npy"))
    assert len(files) == 18 * 4 * 2
    for path in files:
        assert (straight / path).read_bytes() == (broken / path).read_bytes()


def test_an_encoder_that_draws_by_chance_or_lies_is_refused(videos, tmp_path):
    table = table_of(videos, tmp_path / "w")
    with pytest.raises(UserError, match="other features for the same window"):
        extract(table, Sums(noise=1.0), tmp_path / "w")
    with pytest.raises(UserError, match="causal, but its tokens depend on later frames"):
        extract(table, Sums(causal=True), tmp_path / "w")
    assert not list((tmp_path / "w").rglob("*.npy"))


def test_a_guard_knows_the_encoder_that_made_the_features(videos, tmp_path):
    table, encoder = table_of(videos, tmp_path / "w"), Sums()
    extract(table, encoder, tmp_path / "w")
    store = FeatureStore.load(tmp_path / "w", "sums", SETTINGS)
    check = guard([encoder], [store])
    check()
    encoder.digest = lambda: "moved"
    with pytest.raises(UserError, match="parameters have changed"):
        check()


def test_videos_are_found_from_another_folder(videos, tmp_path, monkeypatch):
    monkeypatch.chdir(videos)
    source = source_of(Path("videos.csv"))
    table = collect(source, SETTINGS, tmp_path / "w")
    monkeypatch.chdir(tmp_path)
    assert all(sample.video.is_file() for sample in table.samples)


def test_one_file_under_two_names_stays_in_one_part(videos, tmp_path):
    shutil.copy(videos / "v00.mp4", videos / "again.mp4")
    rows = (videos / "videos.csv").read_text().splitlines()[1:]
    table = table_of(videos, tmp_path / "twice", [*rows, "again.mp4,elsewhere,right"])
    names = {sample.clip: joined for sample, joined in zip(table.samples, table.joined, strict=True)}
    assert names["again.mp4"] == names["v00.mp4"]


def test_reversed_windows_are_not_told_by_what_only_sums_frames(videos, tmp_path):
    table = table_of(videos, tmp_path / "w")
    extract(table, Sums(), tmp_path / "w")
    extract(table, encoder_of("colour_motion"), tmp_path / "w")
    stores = {name: FeatureStore.load(tmp_path / "w", name, SETTINGS) for name in ("sums", "colour_motion")}
    (blind,) = paired_orders(stores["sums"], table, heads=("ridge",))
    assert blind.estimate.value == 0.5
    assert blind.pairs == 0.0
    heads = [one.head for one in paired_orders(stores["colour_motion"], table, seeds=(0,))]
    assert heads == ["ridge", "attentive@2"]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([f"v{k:02d}.mp4,one,{'ab'[k % 2]}" for k in range(8)], r"1 group\(s\)[\s\S]*other sources"),
        ([f"v{k:02d}.mp4,g{k},a" for k in range(8)], "same label"),
        ([f"v{k:02d}.mp4,g{k},{'a' if k < 6 else 'b'}" for k in range(8)], r"class b[\s\S]*three groups"),
    ],
)
def test_what_cannot_be_split_is_an_error_even_where_nobody_named_the_label(videos, tmp_path, rows, told):
    work = tmp_path / "w"
    extract(table_of(videos, work, rows), encoder_of("colour_motion"), work, orders=("ordinary",))
    with pytest.raises(UserError, match=told):
        ask("train", "--out", work)


def test_checks_of_order_stand_in_the_report(videos, tmp_path):
    work = tmp_path / "w"
    ask("extract", "--data", videos / "videos.csv", "--out", work, *OPTIONS)
    ask("train", "--out", work, "--head", "ridge", "--seeds", "1")
    ask("order", "--out", work, "--head", "ridge")
    ask("report", "--out", work)
    (row,) = json.loads((work / "order.json").read_text())["rows"]
    page = (work / "report.html").read_text()
    assert "Same frames, other order" in page
    assert f"{row['estimate']['value']:.3f}" in page
    assert "penalty" in page
    (work / "order.json").write_text("[]")
    with pytest.raises(UserError, match="fourdcb probe order again"):
        ask("report", "--out", work)
    with pytest.raises(UserError, match="no truth of places"):
        ask("dense", "--out", work)


def test_names_in_any_script_are_different_names(videos, tmp_path):
    rows = (videos / "videos.csv").read_text().splitlines()[1:]
    table = videos / "names.csv"
    lines = [f"{row},{'<b>x' if k % 3 else 'y & z'}" for k, row in enumerate(rows)]
    table.write_text("\n".join(["video,group,动作,类别", *lines]) + "\n", encoding="utf-8")
    work = tmp_path / "w"
    ask("extract", "--data", table, "--out", work, *OPTIONS)
    told = ask("train", "--out", work, "--head", "ridge", "--seeds", "1")
    assert told.count(": 3 probes trained now") == 2  # one of features, two of metadata
    ask("report", "--out", work)
    page = (work / "report.html").read_text()
    assert "<b>x" not in page
    assert "&lt;b&gt;x" in page
    assert [t["name"] for t in json.loads((work / "report.json").read_text())["targets"]] == ["动作", "类别"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("video,group\nv00.mp4,a\n", "no labels"),
        ("video,way\nv00.mp4,a\n", r"head is another one[\s\S]*without groups"),
        ("video;group;way\nv00.mp4;a;b\n", "separated by commas"),
        ("video,group,way,way\nv00.mp4,a,b,c\n", "each name once"),
        ("video,group,way\nv00.mp4,a,b,c\n", r"number of columns[\s\S]*expected: 3"),
        ("video,group,way\nnone.mp4,a,b\n", r"missing[\s\S]*relative to the table"),
        ("video,group,way\nv00.mp4,,b\n", "lacks its path or its group"),
        ("video,group,way\nv00.mp4,a,b\nv00.mp4,a,b\n", "twice"),
        ("video,group,way\nv00.mp4,a,\n", "label column is empty"),
        ("video,group,way,meta_x\nv00.mp4,a,b,nan\n", r"2, meta_x[\s\S]*a number or a word"),
        ("video,group,way\n", "no videos"),
        ("", "head is another one"),
    ],
)
def test_a_table_that_cannot_be_used_is_told_by_line(videos, text, told):
    path = videos / "bad.csv"
    path.write_text(text)
    with pytest.raises(UserError, match=told):
        source_of(path)


def test_a_damaged_report_is_told(videos, tmp_path):
    work = tmp_path / "w"
    ask("extract", "--data", videos / "videos.csv", "--out", work, *OPTIONS)
    ask("train", "--out", work, "--head", "ridge", "--seeds", "1")
    (work / "report.json").write_text("{")
    with pytest.raises(UserError, match="report cannot be read"):
        ask("report", "--out", work)
