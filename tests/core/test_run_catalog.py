"""Catalogs say file and line of a mistake; the bundled ones are right and their pins current."""

from __future__ import annotations

import pytest

from fourdcb.errors import UserError
from fourdcb.evaluation.catalog import find_entry, load_benchmarks, load_models
from fourdcb.evaluation.catalog.samples import find_samples, group_of, read_pins, write_pins
from fourdcb.evaluation.judge_metric import criteria_record
from fourdcb.evaluation.resolver import resolve_model, resolve_runner
from fourdcb.evaluation.runs.request import EvaluateRunRequest, prepare

_HEAD = "format: fourdcb.model_catalog\nversion: 1\nmodels:\n"


def test_the_mini_benchmark_is_pinned_as_it_is_bundled():
    mini = find_entry(load_benchmarks(), "4dcb_mini", what="benchmark")
    pins = read_pins(mini)
    samples = {sample.sample_id: dict(sample.hashes) for sample in find_samples(mini.data)}
    assert pins.samples == samples, "scenes changed: run `fourdcb catalog lock mini` and commit the lock"
    assert pins.criteria == criteria_record(None)["sha256"], "criteria changed: `fourdcb catalog lock mini`"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            _HEAD + "  - id: a\n    runer: x\n",
            r"models.yaml:5: unknown key 'runer'(.|\n)*did you mean 'runner'",
        ),
        (
            _HEAD + "  - id: a\n    runner: x\n    runner: y\n",
            r"models.yaml:6: the catalog is not valid YAML",
        ),
        (_HEAD + "  - id: a\n", r"models.yaml:4: an entry lacks a key\n.*runner"),
        (_HEAD + "  - id: 3\n    runner: x\n", r"models.yaml:4: id has the wrong type\n.*int\n.*text"),
        (
            _HEAD + "  - id: a\n    runner: x\n  - id: b\n    runner: x\n    aliases: [a]\n",
            r"models.yaml:6: the name 'a' is taken\n.*models.yaml:4",
        ),
        (_HEAD + "  - just text\n", r"models.yaml:4: an entry must be a table"),
        ("format: other\nversion: 1\nmodels: []\n", r"another kind of catalog"),
        ("models: [\n", r"models.yaml:2: the catalog is not valid YAML"),
        ("- 1\n", r"no list of entries"),
    ],
)
def test_mistakes_in_a_catalog_are_told_with_their_line(tmp_path, text, told):
    path = tmp_path / "models.yaml"
    path.write_text(text)
    with pytest.raises(UserError, match=told):
        load_models(path)


def test_names_that_nobody_knows_are_answered_with_the_nearest():
    with pytest.raises(UserError, match="did you mean 'baseline'"):
        resolve_model("basline")


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("baseline", "baseline"),
        ("regressor", "baseline"),
        ("my_module:model", "python"),
        ("torch:m:Net", "torch"),
        ("http://localhost:1/v1", "http"),
        ("run.sh {video} {output}", "command"),
    ],
)
def test_a_name_says_what_runs(name, target):
    assert resolve_model(name).target == target


def test_a_folder_of_scripts_is_a_model_and_its_files_are_part_of_its_settings(tmp_path):
    (tmp_path / "a.py").write_text("world = World()\n")
    runner = resolve_runner(resolve_model(str(tmp_path)))
    before = dict(runner.parameters)
    (tmp_path / "a.py").write_text("world = World(fps=24)\n")
    assert dict(runner.parameters) != before


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("no_such_module_here:f", "no module 'no_such_module_here'"),
        ("json:no_such", "has no 'no_such'"),
        ("json:__name__", "no function"),
    ],
)
def test_a_model_that_cannot_be_loaded_is_told(target, told):
    with pytest.raises(UserError, match=told):
        resolve_runner(resolve_model(target))


def test_unknown_settings_are_refused():
    with pytest.raises(UserError, match=r"no setting 'repairs'(.|\n)*did you mean 'repair'"):
        resolve_runner(resolve_model("http://localhost:1", parameters={"repairs": 3}))


@pytest.mark.parametrize(
    ("sample", "group"),
    [
        ("table_slide/007", "table_slide"),
        ("table_slide_007", "table_slide"),
        ("slide_cup", "slide_cup"),
        ("7", "7"),
    ],
)
def test_a_trailing_number_does_not_make_another_group(sample, group):
    assert group_of(sample) == group


@pytest.mark.parametrize(("aliases", "told"), [("[[x]]", "must list texts"), ("{a: b}", "got: dict")])
def test_a_catalog_with_strange_aliases_is_refused_with_its_line(tmp_path, aliases, told):
    path = tmp_path / "models.yaml"
    path.write_text(
        "format: fourdcb.model_catalog\nversion: 1\nmodels:\n- id: a\n  runner: baseline\n"
        f"  aliases: {aliases}\n"
    )
    with pytest.raises(UserError, match=r"models\.yaml:6") as caught:
        load_models(path)
    assert told in str(caught.value)


def test_a_catalog_of_ones_own_proves_nothing(tmp_path):
    place = tmp_path / "data" / "kind_01"
    place.mkdir(parents=True)
    (place / "video.mp4").write_bytes(b"video")
    catalog = tmp_path / "benchmarks.yaml"
    catalog.write_text(
        "format: fourdcb.benchmark_catalog\nversion: 1\nbenchmarks:\n"
        "  - {id: own, revision: '1', data: data, evidence: full_suite, lock: own.lock.json}\n"
    )
    own = load_benchmarks(catalog)[0]
    write_pins(own, criteria_record(None)["sha256"])
    request = EvaluateRunRequest(
        model="baseline", benchmark="own", out=tmp_path / "run", benchmark_catalog=catalog
    )
    assert prepare(request).plan.benchmark["evidence"] == "none"
