"""Leaks planted one by one into an honest evaluation: each must be caught, and the honest one must pass."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fourdcb.arrays import F32
from fourdcb.errors import UserError
from fourdcb.probes.clips import Target
from fourdcb.probes.encoders.contract import EncoderSpec, Features
from fourdcb.probes.extract import check_unchanged
from fourdcb.probes.fitting import Fitted, fit_probe, head_scores, logits_of
from fourdcb.probes.leaks import Leak, fit_leaks, gallery_leaks, sample_leaks, selection_leaks
from fourdcb.probes.samples import Sample, SampleTable
from fourdcb.probes.sealed import SealedTest, openings_of
from fourdcb.probes.standardise import Standardiser, class_weights
from fourdcb.probes.store import FeatureStore
from fourdcb.probes.task import Task, make_task, part_names
from fourdcb.probes.trained import ProbeName, TrainedProbe, save_probe
from fourdcb.probes.windows import Window, WindowSettings
from fourdcb.randomness import generator

_COUNT, _DEPTH = 120, 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """One planted leak.

    Attributes:
        name: what was planted.
        caught: whether it was found as what it is; of the honest evaluation, whether nothing was found.
        told: what the finding says; empty where nothing was found.
    """

    name: str
    caught: bool
    told: str


def planted_leaks() -> list[Planted]:
    """Every leak by itself; first the honest evaluation, which must give no finding."""
    samples, features = _samples(), _features()
    table = SampleTable.of(WindowSettings(), (Target(name="what"),), samples)
    task = make_task(table, "what", seed=0)
    honest = fit_probe("ridge", features, task)
    clean = [*_of_split(table, task), *_of_fit(task, features, honest)]
    found = [Planted(name="none: the honest evaluation", caught=not clean, told=_told(clean))]
    test, train = int(task.split.test[0]), int(task.split.train[0])
    pair = {"in test": test, "in train": train}
    for name, kind, changed in _SHARED:
        altered = list(samples)
        for row, fields in zip(pair.values(), changed(samples[test], samples[train]), strict=True):
            altered[row] = replace(samples[row], **fields)
        leaks = sample_leaks(replace(table, samples=tuple(altered)), range(_COUNT), part_names(task))
        found.append(_caught(name, kind, leaks))
    found += _fitted_leaks(task, features, honest)
    groups = list(task.groups)
    nothing_out = np.zeros((1, len(groups)), np.bool_)
    found.append(
        _caught(
            "a query's own group in its gallery", "gallery", gallery_leaks(groups[:1], groups, nothing_out)
        )
    )
    return [*found, _reopened(table, task, features, honest), _trains(), _mixed()]


def _of_split(table: SampleTable, task: Task) -> list[Leak]:
    return sample_leaks(table, range(_COUNT), part_names(task))


def _of_fit(task: Task, features: F32, fitted: Fitted) -> list[Leak]:
    rows = np.concatenate([task.split.train, task.split.validation])
    return [
        *fit_leaks(
            task, features, standardiser=fitted.standardiser, weights=fitted.weights, rows_fitted=rows
        ),
        *selection_leaks(fitted.validation_scores, fitted.chosen),
    ]


_Fields = dict[str, Any]
_Changed = Callable[[Sample, Sample], tuple[_Fields, _Fields]]


def _key(name: str) -> _Changed:
    return lambda _a, _b: ({"keys": frozenset({name})}, {"keys": frozenset({name})})


def _almost(a: Sample, _b: Sample) -> tuple[_Fields, _Fields]:
    noise = generator(0, "again").integers(0, 3, a.thumbnails.shape)
    again = np.clip(a.thumbnails.astype(np.int64) + noise - 1, 0, 255).astype(np.uint8)
    return {}, {"thumbnails": again}


_SHARED: tuple[tuple[str, str, _Changed], ...] = (
    ("one group in train and test", "group", lambda a, b: ({}, {"group": a.group})),
    ("one seed in train and test", "key", _key("seed:0/bounce/003/0")),
    ("one template instance in train and test", "key", _key("instance:5f0c")),
    ("one mesh in train and test", "key", _key("mesh:11aa")),
    ("one person in train and test", "key", _key("key_person:anna")),
    (
        "neighbouring windows of one clip in train and test", "clip",
        lambda a, b: ({}, {"clip": a.clip, "window": Window(start=1.0, frames=tuple(range(30, 46)))}),
    ),
    ("one file under two names", "file", lambda a, b: ({}, {"video_sha256": a.video_sha256})),
    ("a video encoded a second time", "near-duplicate", _almost),
)  # fmt: skip


def _fitted_leaks(task: Task, features: F32, honest: Fitted) -> list[Planted]:
    labels, classes = task.sealed_labels, len(task.classes)
    over_all = replace(honest, standardiser=Standardiser.fit(features))
    counted = replace(honest, weights=class_weights(labels, classes=classes))
    test = task.split.test
    logits = logits_of("ridge", honest.parameters, features[test], honest.standardiser)
    on_test = head_scores(logits, labels[test], classes=classes)
    others = np.where(np.arange(len(on_test)) == honest.chosen, -1.0, on_test)
    tuned = replace(honest, chosen=int(np.argmax(others)))
    everything = fit_leaks(
        task, features, standardiser=honest.standardiser, weights=honest.weights,
        rows_fitted=np.arange(len(labels)),
    )  # fmt: skip
    return [
        _caught("a standardiser over all samples", "standardiser", _of_fit(task, features, over_all)),
        _caught("class weights over all samples", "class-weights", _of_fit(task, features, counted)),
        _caught("a head chosen on the test part", "selection", _of_fit(task, features, tuned)),
        _caught("test samples in the training", "trained-on-test", everything),
    ]


def _reopened(table: SampleTable, task: Task, features: F32, honest: Fitted) -> Planted:
    name = ProbeName(target="what", encoder="any", head="ridge", seed=0)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for chosen in (0, 1):  # trained anew after a look at the test part
            probe = TrainedProbe(
                fitted=replace(honest, chosen=chosen), shuffled=honest.parameters, one_frame=None, parts={}
            )
            save_probe(work, name, probe)
            SealedTest(task, table, work).open([name])
        found = openings_of(work)["what", "any", "ridge"]
    told = f"opened {found.times} times for {found.trainings} trainings"
    return Planted(
        name="the test part opened again for another training", caught=found.trainings == 2, told=told
    )


class _Learner:
    """An encoder whose parameters move every time it is used."""

    def __init__(self) -> None:
        self._steps = 0
        self.spec = EncoderSpec(name="learner", revision="1", digest=self.digest())

    def encode(self, clips: F32) -> Features:
        self._steps += 1
        return Features(clips.mean(axis=(2, 3, 4)), clips.mean(axis=(3, 4))[..., None, None, :])

    def digest(self) -> str:
        return f"step {self._steps}"


def _trains() -> Planted:
    encoder = _Learner()
    encoder.encode(np.zeros((1, 3, 2, 8, 8), np.float32))
    return _refused("an encoder that trains while it is read", lambda: check_unchanged(encoder), "changed")


def _mixed() -> Planted:
    with tempfile.TemporaryDirectory() as folder:
        work, old = Path(folder), EncoderSpec(name="net", revision="1")
        kept, empty = FeatureStore.create(work, old, WindowSettings(), 7), np.zeros((16, 7, 7, 2), np.float32)
        kept.write(_samples()[0], "ordinary", empty[0, 0, 0], empty)
        return _refused(
            "features of two revisions in one cache",
            lambda: FeatureStore.create(work, replace(old, revision="2"), WindowSettings(), 7),
            "revision",
        )


def _refused(name: str, attempt: Callable[[], object], word: str) -> Planted:
    try:
        attempt()
    except UserError as error:
        return Planted(name=name, caught=word in error.what, told=error.what)
    return Planted(name=name, caught=False, told="")


def _caught(name: str, kind: str, leaks: Sequence[Leak]) -> Planted:
    own = [leak for leak in leaks if leak.kind == kind]
    return Planted(name=name, caught=bool(own), told=_told(own or leaks))


def _told(leaks: Sequence[Leak]) -> str:
    return "; ".join(f"{leak.kind}: {leak.what}" for leak in leaks[:2])


def _samples() -> list[Sample]:
    random = generator(0, "planted/samples")
    return [
        Sample(
            id=f"c{i}#0", clip=f"c{i}", video=Path(f"c{i}.mp4"), video_sha256=f"{i:064x}", group=f"g{i:03d}",
            keys=frozenset({f"seed:{i}"}), metadata={"frames": 60.0}, fps=30.0,
            window=Window(start=0.0, frames=tuple(range(16))), labels={"what": f"class {i % 3}"},
            thumbnails=random.integers(0, 256, (8, 24, 24, 3), dtype=np.uint8),
        )
        for i in range(_COUNT)
    ]  # fmt: skip


def _features() -> F32:
    random = generator(0, "planted/features")
    features = random.normal(size=(_COUNT, _DEPTH)).astype(np.float32)
    features[np.arange(_COUNT), np.arange(_COUNT) % 3] += 0.7
    return features
