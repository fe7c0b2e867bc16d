"""Evaluation runs as sources: one run a source, one metric the score, one scene a cluster."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fourdcb.errors import UserError
from fourdcb.evaluation.catalog.samples import group_of
from fourdcb.evaluation.runs.reading import SampleReading, read_run
from fourdcb.identity import write_output


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSources:
    """What was written.

    Attributes:
        config, answers: for ``x4val evaluate --config … --model …``.
        scored: samples with a number, by source.
        missing: samples without one, by source: neither scored nor in the pool.
        pool: clips that the run was not asked about, by source.
    """

    config: Path
    answers: Path
    scored: Mapping[str, int]
    missing: Mapping[str, tuple[str, ...]]
    pool: Mapping[str, int]


def sources_from_runs(runs: Mapping[str, Path], metric: str, out: Path) -> RunSources:
    """Write ``config.yaml``, clips, labels and ``answers.csv`` for several runs of one model.

    A sample's class is its group, its cluster its id: the same scene in another source is no independent
    one. Clips of the benchmark that a run left out are its pool. Samples without a number are left out
    altogether and told: as a pool they would be one of failures.

    Args:
        runs: folder of each source's run.
        metric: whose values are the scores.
        out: folder to write; must be empty or missing.

    Raises:
        UserError: a run is unfinished or has no such metric, the runs are of different models, or the
            folder is not empty.
    """
    if out.exists() and any(out.iterdir()):
        raise UserError("the folder is not empty", where=str(out))
    readings = {name: read_run(root) for name, root in runs.items()}
    models = {reading.model for reading in readings.values()}
    if len(models) > 1:
        raise UserError("the runs are of different models", got=", ".join(sorted(models)))
    answers: list[list[str]] = [["source", "sample", "score"]]
    entries, scored, missing, pool = [], {}, {}, {}
    for name, reading in readings.items():
        if reading.state != "complete":
            raise UserError(
                "the run is not complete", where=str(reading.root), got=reading.state,
                hint="take it up again with fourdcb run … --resume",
            )  # fmt: skip
        numbers = {key: sample.values.get(metric) for key, sample in reading.samples.items()}
        there = {key: value for key, value in numbers.items() if value is not None}
        if not there:
            known = sorted({m for s in reading.samples.values() for m in s.values})
            raise UserError(
                "the run has no number of this metric", where=str(reading.root), got=metric,
                expected=", ".join(known),
            )  # fmt: skip
        missing[name] = tuple(sorted(set(numbers) - set(there)))
        clips = {key: _video(sample, key) for key, sample in reading.samples.items() if key in there}
        unasked = _unasked(clips, set(numbers))
        scored[name], pool[name] = len(there), len(unasked)
        _write_source(out, name, clips | unasked)
        answers += [[name, _flat(key), repr(value)] for key, value in there.items()]
        entries.append(
            f"  - name: {name}\n    path: {name}\n    label_path: {name}.csv\n"
            "    label_type: classification\n    domain: synthetic\n"
        )
    write_output(out / "config.yaml", "data_sources:\n" + "".join(entries))
    write_output(out / "answers.csv", _csv(answers))
    return RunSources(
        config=out / "config.yaml", answers=out / "answers.csv", scored=scored, missing=missing, pool=pool
    )


def _video(sample: SampleReading, key: str) -> Path:
    if sample.video is None:
        raise UserError("the clip of a sample is gone", got=key, hint="the benchmark was moved or edited")
    return sample.video


def _unasked(clips: Mapping[str, Path], planned: set[str]) -> dict[str, Path]:
    """Clips of the same benchmark folder that the run was not asked about."""
    key, path = next(iter(clips.items()))
    root = path.parents[len(Path(key).parts)]
    found = {p.parent.relative_to(root).as_posix(): p for p in sorted(root.rglob(path.name))}
    return {k: p for k, p in found.items() if k not in planned and "rejected" not in Path(k).parts}


def _write_source(out: Path, name: str, clips: Mapping[str, Path]) -> None:
    rows = [["sample", "label", "cluster"]]
    folder = out / name
    try:
        folder.mkdir(parents=True)
        for key, path in clips.items():
            shutil.copyfile(path, folder / f"{_flat(key)}{path.suffix}")
            rows.append([_flat(key), group_of(key), key])
    except OSError as error:
        raise UserError("a source cannot be written", where=str(folder), got=error.strerror) from error
    write_output(out / f"{name}.csv", _csv(rows))


def _flat(key: str) -> str:
    return key.replace("/", "_")


def _csv(rows: list[list[str]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
