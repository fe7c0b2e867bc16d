"""Several sources, from files to a report: faults of the sources told, figures right, bad sources down."""

import json

import numpy as np
import pytest
from PIL import Image
from sklearn.neighbors import NearestNeighbors
from typer.testing import CliRunner

from fourdcb.cli.app import build_app
from fourdcb.errors import UserError
from fourdcb.x4val.checks import check_sources
from fourdcb.x4val.config import load_config
from fourdcb.x4val.consistency import class_consistency, cluster_consistency, find_centres, make_gallery
from fourdcb.x4val.crosscheck import cross_check
from fourdcb.x4val.encoders import HandcraftedEncoder
from fourdcb.x4val.evaluate import Material, evaluate
from fourdcb.x4val.index import build_index
from fourdcb.x4val.labels import Label
from fourdcb.x4val.pairs import pair_correlation
from fourdcb.x4val.report import load_history
from fourdcb.x4val.sources import Sample
from fourdcb.x4val.weights import PastEvaluation, source_weights

CONFIG = """\
evaluation:
  control_variate_k: 3
data_sources:
  - name: first
    path: first
    label_path: first.csv
    label_type: classification
  - name: second
    path: second
    label_path: second.json
    label_type: classification
    weight_init: 0.5
"""


def picture(kind, rng, *, swap=False):
    """A red disc on sand, or blue stripes: two classes that colours and gradients tell apart."""
    y, x = np.mgrid[:48, :48]
    image = np.full((48, 48, 3), (200, 150, 60), dtype=np.float64)
    if kind == "disc":
        image[np.hypot(x - rng.uniform(16, 32), y - rng.uniform(16, 32)) < 12] = (220, 30, 20)
    else:
        image[(x // 6 + int(rng.integers(0, 2))) % 2 == 0] = (90, 60, 20)
    image = np.clip(image + rng.normal(0, 6, image.shape), 0, 255).astype(np.uint8)
    return image[:, :, ::-1] if swap else image


def write_set(root, *, count=90, swap=False):
    rng = np.random.default_rng(7)
    (root / "config.yaml").write_text(CONFIG)
    for source in ("first", "second"):
        (root / source).mkdir()
        labels = {}
        for k in range(count):
            kind = ("disc", "stripes")[k % 2]
            Image.fromarray(picture(kind, rng, swap=swap and source == "second")).save(
                root / source / f"{k:03}.png"
            )
            labels[f"{k:03}"] = kind
        if source == "first":
            lines = [
                "sample,label,cluster",
                *(f"{name},{kind},scene {name}" for name, kind in labels.items()),
            ]
            (root / "first.csv").write_text("\n".join(lines))
        else:
            (root / "second.json").write_text(json.dumps(labels))
    return root


def run(*arguments):
    return CliRunner().invoke(build_app(), ["x4val", *map(str, arguments)])


def test_files_to_report(tmp_path):
    root = write_set(tmp_path)
    rows = ["source,sample,prediction"]
    for source in ("first", "second"):
        rows += [f"{source},{k:03},{'disc' if k % 2 == 0 or k % 10 == 1 else 'stripes'}" for k in range(30)]
    (root / "answers.csv").write_text("\n".join(rows))
    options = ("--config", root / "config.yaml")
    assert run("validate", *options).exit_code == 0
    result = run("evaluate", *options, "--model", root / "answers.csv", "--output", root / "out")
    assert result.exit_code == 0, result.output
    (path,) = (root / "out").glob("report_*.json")
    report = json.loads(path.read_text())
    assert report["accuracy_raw"]["value"] == pytest.approx(27 / 30)
    for source in report["sources"]:
        assert source["control"] == "class"
        assert source["estimate"]["samples"] == 30
        assert 25 <= source["pool"] <= 35
    assert report["Reduction_Rate"] == pytest.approx(1 - report["X4Val_Variance"] / report["Raw_Variance"])
    assert len((root / "out" / "history.jsonl").read_text().splitlines()) == 2
    page = path.with_suffix(".html").read_text()
    value, (low, high) = report["accuracy_x4val"]["value"], report["accuracy_x4val"]["interval"]
    assert f"The score is {value:.3f}, and with 95 % confidence between {low:.3f} and {high:.3f}." in page
    assert page.count("<circle") == 6  # plain and reported, two sources and all
    assert path.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
    again = run("evaluate", *options, "--model", root / "answers.csv", "--output", root / "out")
    assert again.exit_code == 0
    assert len(list((root / "out").glob("report_*.json"))) == 2
    assert len((root / "out" / "history.jsonl").read_text().splitlines()) == 4
    name = HandcraftedEncoder.name
    assert len(load_history(root / "out", encoder=name)) == 4
    assert load_history(root / "out", encoder="another") == ()


def test_swapped_channels_are_suspected_and_right_ones_are_not(tmp_path):
    (tmp_path / "right").mkdir()
    (tmp_path / "swapped").mkdir()
    _, fine = check_sources(load_config(write_set(tmp_path / "right", count=12) / "config.yaml"))
    assert not fine
    _, found = check_sources(
        load_config(write_set(tmp_path / "swapped", count=12, swap=True) / "config.yaml")
    )
    assert {one.code for one in found} == {"x4val-swapped-channels"}
    assert any("cvtColor" in str(one) for one in found)


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda root: (root / "first.csv").write_text(""), "the label file is empty"),
        (lambda root: (root / "first.csv").write_text("sample,label\nother,disc\n"), "of different sets"),
        (lambda root: (root / "first.csv").write_text("a,b\n1,2\n"), "does not name its columns"),
        (
            lambda root: (root / "second.json").write_text('{"000": "disc", "001": "disc"}'),
            "all 2 labels are",
        ),
        (lambda root: (root / "second.json").write_text("{"), "not valid JSON"),
        (lambda root: (root / "second.json").unlink(), "cannot be read"),
    ],
)
def test_label_faults_are_told_with_their_line(tmp_path, damage, told):
    root = write_set(tmp_path, count=6)
    damage(root)
    result = run("validate", "--config", root / "config.yaml")
    assert result.exit_code == 1
    assert told in result.output
    assert "config.yaml:" in result.output


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("name: second", "name: first", "config.yaml:8: two sources are called"),
        ("label_type: classification", "label_type: none", "config.yaml:4: label_path and label_type"),
        (
            "control_variate_k: 3",
            "control_variate_k: three",
            "config.yaml:2: control_variate_k has the wrong",
        ),
        ("weight_init", "weigth_init", "did you mean 'weight_init'"),
        ("data_sources:", "data_sources: []\nx:", "names no data sources"),
    ],
)
def test_configuration_faults_are_told_with_their_line(tmp_path, old, new, told):
    path = tmp_path / "config.yaml"
    path.write_text(CONFIG.replace(old, new, 1))
    with pytest.raises(UserError) as caught:
        load_config(path)
    text = str(caught.value)
    assert told in text or "unknown key 'x'" in text


def test_a_backbone_that_cannot_embed_is_an_error_before_anything_runs(tmp_path):
    root = write_set(tmp_path, count=6)
    (root / "config.yaml").write_text("surrogate:\n  backbone: resnet18\n" + CONFIG)
    result = run("validate", "--config", root / "config.yaml")
    assert result.exit_code == 1
    assert "resnet18 cannot embed yet" in result.output


def test_neighbours_and_their_agreement_are_scikit_learns():
    rng = np.random.default_rng(0)
    gallery = rng.normal(size=(200, 8)).astype(np.float32)
    queries = rng.normal(size=(20, 8)).astype(np.float32)
    labels = [str(k) for k in rng.integers(0, 3, size=200)]
    theirs = NearestNeighbors(n_neighbors=5).fit(gallery).kneighbors(queries)[1]
    ours, _ = build_index(gallery).nearest(queries, 5)
    np.testing.assert_array_equal(ours, theirs)
    own = [str(k) for k in rng.integers(0, 3, size=20)]
    found = class_consistency(
        queries, own, ["q"] * 20, make_gallery(gallery, labels, [str(k) for k in range(200)]), k=5
    )
    expected = [np.mean([labels[i] == o for i in row]) for row, o in zip(theirs, own, strict=True)]
    np.testing.assert_allclose(found, expected)


def test_the_own_cluster_is_not_asked():
    points = np.array([[0, 0], [0, 0.1], [1, 0], [1, 0.1]], dtype=np.float32)
    gallery = make_gallery(points, ["a", "a", "b", "b"], ["mine", "mine", "other", "another"])
    query = np.zeros((1, 2), dtype=np.float32)
    assert class_consistency(query, ["a"], ["mine"], gallery, k=2) == [0.0]
    assert class_consistency(query, ["a"], ["else"], gallery, k=2) == [1.0]
    assert np.isnan(class_consistency(query, ["a"], ["mine"], gallery, k=3)).all()


def test_distance_to_centres_is_a_rank():
    rng = np.random.default_rng(1)
    blobs = np.concatenate([rng.normal(c, 0.1, size=(100, 4)) for c in (0.0, 3.0)]).astype(np.float32)
    centres = find_centres(blobs, count=2)
    assert cluster_consistency(blobs, centres).mean() == pytest.approx(0.5, abs=0.01)
    assert cluster_consistency(np.full((1, 4), 9.0, dtype=np.float32), centres) == [0.0]
    assert cluster_consistency(centres.points[:1], centres)[0] > 0.99


def test_inverted_lists_find_nearly_all_neighbours_and_grow_beside_readers():
    rng = np.random.default_rng(2)
    vectors = rng.normal(size=(4_000, 8)).astype(np.float32)
    lists, exact = build_index(vectors, exact=False), build_index(vectors, exact=True)
    a, b = lists.nearest(vectors[:200], 5)[0], exact.nearest(vectors[:200], 5)[0]
    assert np.mean([len(set(x) & set(y)) / 5 for x, y in zip(a, b, strict=True)]) > 0.9
    larger = exact.grown(vectors[:10] + 50)
    assert (exact.count, larger.count) == (4_000, 4_010)
    assert larger.nearest(vectors[:1] + 50, 1)[0][0, 0] == 4_000


def test_sources_that_see_a_model_alike_correlate_and_shifted_labels_do_not():
    rng = np.random.default_rng(3)
    places = [rng.uniform(size=(60, 2)).astype(np.float32) for _ in range(2)]
    quality = [p[:, 0].astype(np.float64) + rng.normal(0, 0.1, 60) for p in places]
    alike = pair_correlation("a", "b", quality[0], places[0], quality[1], places[1], k=5)
    assert alike.rho > 0.7
    assert not alike.doubtful
    shifted = pair_correlation("a", "b", quality[0], places[0], np.roll(quality[1], 17), places[1], k=5)
    assert shifted.rho < 0.3
    assert shifted.doubtful
    assert shifted.strength == "none"


def test_a_weak_model_and_a_noisy_source_are_told_apart():
    rng = np.random.default_rng(4)
    places = {n: rng.uniform(size=(120, 2)).astype(np.float32) for n in "ab"}
    weak = {n: (p[:, 0] > 0.3).astype(np.float64) for n, p in places.items()}
    assert {c.suspicion for c in cross_check(weak, places, k=5)} == {"model"}
    noisy = {"a": (rng.uniform(size=120) > 0.3).astype(np.float64), "b": weak["b"]}
    assert next(c for c in cross_check(noisy, places, k=5) if c.source == "a").suspicion != "model"


def test_a_source_that_moves_or_strays_loses_weight():
    rng = np.random.default_rng(5)
    usual = {n: rng.normal(0, 0.1, size=(50, 4)).astype(np.float32) for n in "ab"}
    past = [
        PastEvaluation(source=n, value=0.7 + (0.1 if n == "b" else 0.01) * (-1) ** k,
                       centre=rng.normal(0, 0.014, 4), spread=0.2)
        for k in range(10) for n in "ab"
    ]  # fmt: skip
    a, b = source_weights(usual, {"a": 1.0, "b": 1.0}, past)
    assert a.weight > 5 * b.weight
    assert not a.drifted
    moved, _ = source_weights({**usual, "a": usual["a"] + 1}, {"a": 1.0, "b": 1.0}, past)
    assert moved.drifted
    assert moved.weight < a.weight / 10
    assert [w.weight for w in source_weights(usual, {"a": 3.0, "b": 1.0}, [])] == [0.75, 0.25]


def test_a_correction_that_helps_on_data_where_agreement_tells_quality():
    rng = np.random.default_rng(6)
    samples, scores, places = [], {}, []
    for k in range(1_200):
        odd = rng.uniform() < 0.15  # a sample in the wrong neighbourhood: hard for the model, too
        kind = ("disc", "stripes")[k % 2]
        side = (k % 2) ^ odd
        places.append([np.cos(side * 2.0 + rng.normal(0, 0.2)), np.sin(side * 2.0 + rng.normal(0, 0.2))])
        samples.append(Sample(source="s", id=str(k), path=None, label=Label(name=kind)))
        if k < 100:
            scores["s", str(k)] = float(rng.normal(0.3 if odd else 0.9, 0.05))
    material = Material(
        samples=tuple(samples), embeddings=np.array(places, dtype=np.float32), scores=scores,
        initial_weights={"s": 1.0}, encoder="test",
    )  # fmt: skip
    found = evaluate(material, k=5)
    estimate = found.sources[0].estimate
    assert estimate.corrected
    assert estimate.variance_ratio < 0.7
    assert estimate.interval[0] <= 0.81 <= estimate.interval[1]


def test_embeddings_are_unit_vectors_that_motion_and_size_do_not_break():
    encoder = HandcraftedEncoder()
    rng = np.random.default_rng(0)
    still = np.repeat(rng.integers(0, 255, size=(1, 40, 70, 3), dtype=np.uint8), 3, axis=0)
    moving = rng.integers(0, 255, size=(3, 200, 90, 3), dtype=np.uint8)
    for frames in (still, moving, np.full((1, 5, 5, 3), 90, dtype=np.uint8)):
        vector = encoder.embed(frames)
        assert vector.shape == (encoder.dimension,)
        assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)
    assert not encoder.embed(np.zeros((1, 5, 5, 3), dtype=np.uint8)).any()
