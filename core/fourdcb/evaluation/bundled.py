"""The bundled benchmark made anew: videos, candidates, sizes of faults, and the lock that pins them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from fourdcb.dataset import build_scene, load_faults
from fourdcb.dataset.faults import Fault, faulty_source, write_sizes
from fourdcb.dataset.layout import (
    CAMERA_NAME,
    CANDIDATE_FOLDER,
    CLEAN_NAME,
    REFERENCE_NAME,
    VIDEO_NAME,
)
from fourdcb.dataset.sample import Recipe, first_script, play_script
from fourdcb.errors import UserError
from fourdcb.evaluation.calibration import mend_sizes
from fourdcb.identity import write_output
from fourdcb.progress import Progress
from fourdcb.render import RenderSettings

FAULTS, SAMPLES = "faults.yaml", "samples.yaml"
TABLES = (FAULTS, SAMPLES, "answers.yaml", "repairs.yaml")
_SAMPLE_FILES = (REFERENCE_NAME, VIDEO_NAME, CLEAN_NAME, CAMERA_NAME)
_MINI = "mini"


def make_bundled(root: Path, out: Path, *, check: bool, progress: Progress | None = None) -> Iterator[str]:
    """Play every bundled truth into its folder; what is told is a line a step.

    With ``check`` all faults are judged, and sizes that lie on the wrong side of a threshold are moved. Made
    in the bundled folder itself, the benchmark's lock is written, too.

    Args:
        root: the bundled scenes and their tables.
        out: folder for the scenes; may be ``root``.
        check: whether to judge.
        progress: told of the stages.

    Raises:
        UserError: when a scene is too chaotic to be judged, a fault does not get what it deserves whatever
            its size, or ``out`` cannot be written.
    """
    faults, samples = load_faults(root / FAULTS), load_samples(root / SAMPLES)
    for name, each in faults.items():
        if name in samples:
            truth = root / name / REFERENCE_NAME
            yield sampled_scene(name, samples[name], each, out / name, truth=truth)
            continue
        record = build_scene(
            root / name / REFERENCE_NAME, each, out / name, settings=RenderSettings(), progress=progress
        )
        seen = ", ".join(f"{body} {t:.2f} s" for body, t in record.horizon.items())
        yield f"{record.folder}: {len(record.candidates)} candidates, predictable for {seen}"
    own = out.resolve() == root.resolve()
    if not own:
        _copy_tables(root, out)
    if check:
        moved = mend_sizes(out, faults, progress=progress)
        write_sizes(out / FAULTS, {(one.scene, one.fault): one.values for one in moved})
        for one in moved:
            values = ", ".join(f"{size} {value:g}" for size, value in one.values.items())
            yield f"{one.scene}.{one.fault}: now {values}"
    if own:
        yield f"pinned: {_pin()}"


def load_samples(path: Path) -> dict[str, int]:
    """Seeds of the scenes that are samples of templates, by template. Raises UserError for a bad file."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        table = YAML(typ="safe").load(path)
    except (OSError, YAMLError) as error:
        raise UserError("cannot read the table of samples", where=str(path), got=str(error)) from error
    if not isinstance(table, dict) or not all(isinstance(seed, int) for seed in table.values()):
        raise UserError("the table of samples is not a mapping of templates to seeds", where=str(path))
    return {str(name): seed for name, seed in table.items()}


def sampled_scene(
    template: str, seed: int, faults: Sequence[Fault], folder: Path, *, truth: Path | None = None
) -> str:
    """Make a scene folder of a template's sample; what is told is a line.

    Args:
        template: its name.
        seed: of the sample, and of noise and occluder.
        faults: whose bundled ones are written beside it.
        folder: to make or refresh.
        truth: the script, where there is one already: a benchmark does not change with its templates.

    Raises:
        UserError: when no attempt is kept, a fault does not apply, or the folder cannot be written.
    """
    recipe = Recipe(seed=seed)
    known = truth is not None and truth.is_file()
    source = (
        truth.read_text(encoding="utf-8") if truth is not None and known else first_script(template, recipe)
    )
    with TemporaryDirectory() as place:
        made = Path(place) / template
        play_script(source, f"{template}/bundled", recipe, made)
        try:
            (folder / CANDIDATE_FOLDER).mkdir(parents=True, exist_ok=True)
            for name in _SAMPLE_FILES:
                shutil.copyfile(made / name, folder / name)
        except OSError as error:
            raise UserError("cannot write a scene", where=str(folder), got=error.strerror) from error
    chosen = [fault for fault in faults if fault.bundled]
    for fault in chosen:
        answer = faulty_source(source, fault, filename=str(folder / REFERENCE_NAME))
        write_output(folder / CANDIDATE_FOLDER / f"{fault.name}.py", answer)
    return f"{folder}: {len(chosen)} candidates, a sample of {template} with seed {seed}"


def _copy_tables(root: Path, out: Path) -> None:
    try:
        for table in TABLES:
            shutil.copyfile(root / table, out / table)
    except OSError as error:
        raise UserError("cannot write a table of the scenes", where=str(out), got=error.strerror) from error


def _pin() -> Path:
    from fourdcb.evaluation.catalog import find_entry, load_benchmarks
    from fourdcb.evaluation.catalog.samples import write_pins
    from fourdcb.evaluation.judge_metric import criteria_record

    bundled = find_entry(load_benchmarks(None), _MINI, what="benchmark")
    return write_pins(bundled, criteria_record(None)["sha256"])
