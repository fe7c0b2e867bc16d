"""Training all probes of a work folder: encoders, targets, heads and seeds, controls included."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fourdcb.arrays import F32
from fourdcb.probes.fitting import fit_probe, fit_shuffled
from fourdcb.probes.inputs import METADATA, check_reads, head_inputs, metadata_inputs
from fourdcb.probes.leaks import check_task
from fourdcb.probes.samples import SampleTable
from fourdcb.probes.store import FeatureStore
from fourdcb.probes.task import Task, make_task, part_names
from fourdcb.probes.trained import ProbeName, TrainedProbe, save_probe
from fourdcb.progress import NullProgress, Progress

METADATA_HEADS = ("ridge", "mlp")
PERMUTATIONS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPlan:
    """What to train.

    Attributes:
        encoders: names, extracted.
        targets: names.
        heads: kinds; for a target about a moment, those of them that may answer it.
        seeds: splits; three or more for a report.
    """

    encoders: Sequence[str]
    targets: Sequence[str]
    heads: Sequence[str]
    seeds: Sequence[int] = (0, 1, 2)


def train_all(
    table: SampleTable,
    plan: TrainingPlan,
    work: Path,
    *,
    progress: Progress | None = None,
    each_epoch: Callable[[], None] | None = None,
) -> int:
    """Train what is not there yet, and the metadata probe beside it.

    Tasks are made and checked for leaks before anything is trained. The test parts are not looked at.

    Args:
        table: samples.
        plan: what to train.
        work: folder of features; the probes go there, too.
        progress: told of probes.
        each_epoch: asked after every epoch of training and before a probe is kept, see
            :func:`fourdcb.probes.extract.guard`.

    Returns:
        How many probes were trained now.

    Raises:
        UserError: a target cannot be split, a head cannot answer it, features are missing or leak.
    """
    told = progress or NullProgress()
    tasks = [make_task(table, target, seed=seed) for target in plan.targets for seed in plan.seeds]
    for task in tasks:
        check_task(task, table)
    wanted: list[tuple[Task, ProbeName]] = []
    for task in tasks:
        for head in plan.heads:
            check_reads(head, task)
        wanted += [(task, _name(task, METADATA, head)) for head in METADATA_HEADS]
    for encoder in plan.encoders:  # features of one encoder at a time
        wanted += [(task, _name(task, encoder, head)) for task in tasks for head in plan.heads]
    missing = [(task, name) for task, name in wanted if not name.path(work).is_file()]
    told.start("probes", len(wanted))
    told.advance(len(wanted) - len(missing))
    for task, name in missing:
        if name.encoder == METADATA:
            ordinary, one_frame = metadata_inputs(table, task), None
        else:
            store = FeatureStore.load(work, name.encoder, table.settings)
            ordinary = head_inputs(store, table, task, name.head, "ordinary")
            one_frame = head_inputs(store, table, task, name.head, "one_frame")
        probe = _trained(task, table, name.head, ordinary, one_frame, each_epoch)
        if each_epoch is not None:
            each_epoch()
        save_probe(work, name, probe)
        told.advance()
    return len(missing)


def _name(task: Task, encoder: str, head: str) -> ProbeName:
    return ProbeName(target=task.target.name, encoder=encoder, head=head, seed=task.seed)


def _trained(
    task: Task,
    table: SampleTable,
    head: str,
    ordinary: F32,
    one_frame: F32 | None,
    each_epoch: Callable[[], None] | None,
) -> TrainedProbe:
    fitted = fit_probe(head, ordinary, task, each_epoch=each_epoch)
    names = part_names(task)
    ids = [table.samples[i].id for i in task.rows]
    return TrainedProbe(
        fitted=fitted,
        shuffled=fit_shuffled(fitted, ordinary, task, count=PERMUTATIONS),
        one_frame=None if one_frame is None else fit_probe(head, one_frame, task, each_epoch=each_epoch),
        parts={
            part: tuple(one for one, name in zip(ids, names, strict=True) if name == part)
            for part in ("train", "validation", "test")
        },
    )
