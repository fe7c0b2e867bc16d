"""The one look at the test parts: what every trained probe and its controls answer there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fourdcb.arrays import F32, F64, I64
from fourdcb.errors import UserError
from fourdcb.probes.fitting import Fitted, head_scores, logits_of
from fourdcb.probes.heads.activations import softmax
from fourdcb.probes.inputs import METADATA, head_inputs, metadata_inputs
from fourdcb.probes.intervals import Tested
from fourdcb.probes.leaks import Leak, fit_leaks, gallery_leaks, require_no_leaks, selection_leaks
from fourdcb.probes.orders import Order
from fourdcb.probes.samples import SampleTable
from fourdcb.probes.scores import retrieval_scores
from fourdcb.probes.sealed import SealedTest
from fourdcb.probes.store import FeatureStore
from fourdcb.probes.task import Task, make_task, part_names
from fourdcb.probes.trained import ProbeName, TrainedProbe, load_probe, trained_files
from fourdcb.progress import NullProgress, Progress

TIMES: tuple[Order, ...] = ("reversed", "shuffled")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What a probe of one seed answered.

    Attributes:
        name: of the probe.
        tested: of the chosen head.
        samples: ids of the test samples, in the order of ``tested``.
        confidence: share that the chosen head gives its answer, shape (n,).
        all_scores: balanced accuracy of all K heads, shape (K,); for the optimism, and nothing else.
        chosen, validation: number and validation score of the chosen head.
        shuffled: of every probe on permuted labels.
        one_frame: of the probe that saw one frame only, or None.
        altered: of the chosen head on test clips whose frames stand in another order.
        leaks: found by fitting standardiser and class weights anew.
    """

    name: ProbeName
    tested: Tested
    samples: tuple[str, ...]
    confidence: F64
    all_scores: F64
    chosen: int
    validation: float
    shuffled: tuple[Tested, ...]
    one_frame: Tested | None
    altered: Mapping[Order, Tested]
    leaks: tuple[Leak, ...]

    @property
    def optimism(self) -> float:
        """Best head on test less the honest one: what choosing on the test part would have claimed."""
        return float(self.all_scores.max() - self.all_scores[self.chosen])


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """Retrieval of one seed by [CLS]: test clips ask, train and validation are the gallery.

    Attributes:
        scores: ``recall@1``, ``recall@5``, ``map``.
        chance: share of relevant items, the mean average precision of a random order to first order.
        queries, gallery: how many.
    """

    target: str
    encoder: str
    seed: int
    scores: Mapping[str, float]
    chance: float
    queries: int
    gallery: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """Everything that one look at the test parts gave."""

    tasks: Mapping[str, Sequence[Task]]
    answers: Sequence[Answers]
    retrieved: Sequence[Retrieved]


def open_tests(
    table: SampleTable, work: Path, *, targets: Sequence[str] | None = None, progress: Progress | None = None
) -> Opened:
    """Open the test parts of all trained tasks and ask every probe.

    Args:
        table: samples.
        work: folder with features and trained probes.
        targets: None is all that were trained.
        progress: told of probes.

    Raises:
        UserError: nothing was trained, a file is damaged, or probes were trained on another split.
    """
    told = progress or NullProgress()
    by_task: dict[tuple[str, int], list[tuple[ProbeName, TrainedProbe]]] = defaultdict(list)
    for path in trained_files(work):
        name, probe = load_probe(path)
        if targets is None or name.target in targets:
            by_task[name.target, name.seed].append((name, probe))
    trained = {target for target, _ in by_task}
    untrained = sorted(set(targets or ()) - trained)
    if untrained:
        raise UserError(
            "nothing was trained for this label", where=str(work), got=", ".join(untrained),
            hint=f"fourdcb probe train --target {untrained[0]}",
        )  # fmt: skip
    told.start("tests", sum(len(probes) for probes in by_task.values()))
    tasks: dict[str, list[Task]] = defaultdict(list)
    answers, retrieved = [], []
    for target, seed in sorted(by_task):
        task = make_task(table, target, seed=seed)
        tasks[target].append(task)
        probes = by_task[target, seed]
        for name, probe in probes:
            _same_split(task, table, name, probe)
        truth = SealedTest(task, table, work).open([name for name, _ in probes])
        for name, probe in probes:
            answers.append(_answers(task, table, work, name, probe, truth))
            told.advance()
        if not task.target.moment:
            names = sorted({name.encoder for name, _ in probes} - {METADATA})
            retrieved += [_retrieved(task, table, work, encoder, truth) for encoder in names]
    return Opened(tasks=dict(tasks), answers=answers, retrieved=retrieved)


def _retrieved(task: Task, table: SampleTable, work: Path, encoder: str, truth: I64) -> Retrieved:
    cls = FeatureStore.load(work, encoder, table.settings).cls(table)[task.rows].astype(np.float64)
    known = np.concatenate([task.split.train, task.split.validation])
    labels = np.concatenate([task.labels("train"), task.labels("validation")])
    groups = np.asarray(task.groups)
    own = groups[task.split.test][:, None] == groups[known][None, :]
    relevant = truth[:, None] == labels[None, :]
    require_no_leaks(
        gallery_leaks(groups[task.split.test].tolist(), groups[known].tolist(), own), where=encoder
    )
    return Retrieved(
        target=task.target.name, encoder=encoder, seed=task.seed, chance=float(relevant.mean()),
        scores=retrieval_scores(cls[task.split.test], cls[known], relevant, ks=(1, 5), excluded=own),
        queries=len(truth), gallery=len(known),
    )  # fmt: skip


def _same_split(task: Task, table: SampleTable, name: ProbeName, probe: TrainedProbe) -> None:
    ids = [table.samples[i].id for i in task.rows]
    for part in ("train", "validation", "test"):
        own = {one for one, where in zip(ids, part_names(task), strict=True) if where == part}
        if own != set(probe.parts[part]):
            raise UserError(
                "a probe was trained on another split than the one it would be tested on",
                where=f"{name.target}, seed {name.seed}, {name.encoder}, {name.head}",
                hint="train it again: remove its file, and run fourdcb probe train",
            )  # fmt: skip


def _answers(
    task: Task, table: SampleTable, work: Path, name: ProbeName, probe: TrainedProbe, truth: I64
) -> Answers:
    store = None if name.encoder == METADATA else FeatureStore.load(work, name.encoder, table.settings)
    test, classes = task.split.test, len(task.classes)
    groups = tuple(task.groups[i] for i in test)

    def inputs(order: Order) -> F32:
        if store is None:
            return metadata_inputs(table, task)
        return head_inputs(store, table, task, name.head, order)

    def tested(logits: F32) -> Tested:
        return Tested(truth, logits.argmax(axis=1), groups, classes)

    def chosen(fitted: Fitted, x: F32) -> F32:
        own = {key: value[fitted.chosen : fitted.chosen + 1] for key, value in fitted.parameters.items()}
        return logits_of(name.head, own, x, fitted.standardiser)[0]

    fitted, x = probe.fitted, inputs("ordinary")
    leaks = [
        *fit_leaks(task, x, standardiser=fitted.standardiser, weights=fitted.weights),
        *selection_leaks(fitted.validation_scores, fitted.chosen),
    ]
    all_logits = logits_of(name.head, fitted.parameters, x[test], fitted.standardiser)
    own = all_logits[fitted.chosen]
    shuffled = logits_of(name.head, probe.shuffled, x[test], fitted.standardiser)
    one_frame = (
        None if probe.one_frame is None else tested(chosen(probe.one_frame, inputs("one_frame")[test]))
    )
    altered = {} if store is None else {order: tested(chosen(fitted, inputs(order)[test])) for order in TIMES}
    return Answers(
        name=name, tested=tested(own), samples=tuple(table.samples[task.rows[i]].id for i in test),
        confidence=softmax(own, axis=1).max(axis=1).astype(np.float64),
        all_scores=head_scores(all_logits, truth, classes=classes), chosen=fitted.chosen,
        validation=float(fitted.validation_scores[fitted.chosen]),
        shuffled=tuple(tested(one) for one in shuffled), one_frame=one_frame, altered=altered,
        leaks=tuple(leaks),
    )  # fmt: skip
