"""One question over one table: its classes, its split, and labels that are given out part by part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fourdcb.arrays import I64
from fourdcb.errors import UserError
from fourdcb.probes.clips import Target
from fourdcb.probes.samples import SampleTable
from fourdcb.probes.splits import Split, split_with_all_classes
from fourdcb.randomness import generator

Part = Literal["train", "validation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A target with its samples and one split of them.

    Attributes:
        target: what is asked.
        seed: of the split, and of everything that is drawn while training.
        classes: names, in alphabetical order.
        rows: of the table's samples that have a label, shape (n,); all other indices count within these.
        groups: of these samples, joined over all that they share.
        split: by groups; windows follow their clip.
        sealed_labels: of all rows. Training asks :meth:`labels`, which has none of the test part; only
            :class:`fourdcb.probes.sealed.SealedTest` reads these.
    """

    target: Target
    seed: int
    classes: tuple[str, ...]
    rows: I64
    groups: tuple[str, ...]
    split: Split
    sealed_labels: I64

    def part(self, part: Part) -> I64:
        """Indices of a part, within the task's rows."""
        return self.split.train if part == "train" else self.split.validation

    def labels(self, part: Part) -> I64:
        """Classes of a part that may be looked at."""
        return self.sealed_labels[self.part(part)]


def make_task(table: SampleTable, name: str, *, seed: int) -> Task:
    """The task of a target: groups first, windows after.

    Raises:
        UserError: the labels are missing, name one class, or cannot be split by groups.
    """
    target = table.target(name)
    values = [sample.labels.get(name) for sample in table.samples]
    rows = np.array([i for i, value in enumerate(values) if value is not None], dtype=np.int64)
    if not len(rows):
        raise UserError(
            "no clip has this label", where=f"target {name}",
            hint="fill in its column; clips of `fourdcb generate` name their template in sample.json",
        )  # fmt: skip
    classes = tuple(sorted({str(values[i]) for i in rows}))
    if len(classes) < 2:
        raise UserError(
            "all clips have the same label; there is nothing to tell apart", where=f"target {name}",
            got=classes[0], expected="two classes or more",
        )  # fmt: skip
    labels = np.array([classes.index(str(values[i])) for i in rows], dtype=np.int64)
    groups = tuple(table.joined[i] for i in rows)  # clips without this label tie others together, too
    rng = generator(seed, f"split/{name}")
    split = split_with_all_classes(groups, labels, classes, rng=rng)
    split.verify(groups)
    return Task(
        target=target, seed=seed, classes=classes, rows=rows, groups=groups, split=split, sealed_labels=labels
    )


def part_names(task: Task) -> Sequence[str]:
    """``train``, ``validation`` or ``test`` for each of the task's rows."""
    names = np.full(len(task.rows), "train", dtype=object)
    names[task.split.validation], names[task.split.test] = "validation", "test"
    return [str(name) for name in names]
