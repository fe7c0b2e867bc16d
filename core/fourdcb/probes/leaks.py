"""Leaks: what train and test have in common though they must not, and what was fitted to more than train."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F32, F64, I64, Mask
from fourdcb.errors import UserError
from fourdcb.probes.duplicates import near_duplicates
from fourdcb.probes.samples import SampleTable
from fourdcb.probes.standardise import Standardiser, class_weights
from fourdcb.probes.task import Task, part_names

_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """Something that reached the test part, or came from it.

    Attributes:
        kind: stable word.
        what: a sentence with names and figures.
        remedy: what to do.
    """

    kind: str
    what: str
    remedy: str


def sample_leaks(table: SampleTable, rows: Sequence[int], parts: Sequence[str]) -> list[Leak]:
    """What samples of different parts share: clip, file, group, key, or nearly all pixels.

    Args:
        table: samples.
        rows: of the table, length n.
        parts: name of the part of each, length n.
    """
    samples = [table.samples[i] for i in rows]
    found: list[Leak] = []

    def shared(kind: str, keys: Iterable[tuple[str, int]], remedy: str) -> None:
        owners: dict[str, list[int]] = defaultdict(list)
        for key, index in keys:
            owners[key].append(index)
        for key, own in owners.items():
            if len({parts[i] for i in own}) > 1:
                names = ", ".join(f"{samples[i].id} ({parts[i]})" for i in own[:_SHOWN])
                found.append(Leak(kind=kind, what=f"shared {kind} {key[:40]}: {names}", remedy=remedy))

    together = "keep them in one part: give them the same group"
    shared("clip", ((s.clip, i) for i, s in enumerate(samples)), "split clips, then cut windows")
    shared("file", ((s.video_sha256, i) for i, s in enumerate(samples)), together)
    shared("group", ((s.group, i) for i, s in enumerate(samples)), "split by groups, not by samples")
    shared("key", ((key, i) for i, s in enumerate(samples) for key in sorted(s.keys)), together)
    found += _near_duplicates(table, rows, parts)
    return found


def _near_duplicates(table: SampleTable, rows: Sequence[int], parts: Sequence[str]) -> list[Leak]:
    samples = [table.samples[i] for i in rows]
    first: dict[tuple[str, str], int] = {}
    for i, sample in enumerate(samples):
        first.setdefault((sample.clip, parts[i]), i)
    picked = sorted(first.values())
    found = []
    for a, b, gap in near_duplicates([samples[i].thumbnails for i in picked]):
        i, j = picked[a], picked[b]
        if parts[i] != parts[j] and samples[i].clip != samples[j].clip:
            what = f"{samples[i].id} ({parts[i]}) and {samples[j].id} ({parts[j]}) differ by {gap:.1f} of 255"
            remedy = "give them the same group, or remove one"
            found.append(Leak(kind="near-duplicate", what=what, remedy=remedy))
    return found


def fit_leaks(
    task: Task, features: F32, *, standardiser: Standardiser, weights: F64, rows_fitted: I64 | None = None
) -> list[Leak]:
    """Whether standardiser and class weights follow from the training part: both are made anew and compared.

    Args:
        task: what was asked.
        features: of the task's rows.
        standardiser, weights: that were used.
        rows_fitted: indices that the probe was trained on, if known.
    """
    found = []
    own = Standardiser.fit(features[task.split.train])
    # A thousandth of a deviation: far above rounding, far below what other samples would move.
    moved = np.abs(own.mean - standardiser.mean) / own.scale
    stretched = np.abs(own.scale / standardiser.scale - 1.0)
    if max(float(moved.max()), float(stretched.max())) > 1e-3:
        found.append(
            Leak(
                kind="standardiser",
                what=f"the standardiser is not that of the training part: means differ by up to "
                f"{moved.max():.3g} deviations",
                remedy="fit it to train alone: Standardiser.fit(features[split.train])",
            )
        )
    expected = class_weights(task.labels("train"), classes=len(task.classes))
    if not np.allclose(weights, expected, rtol=1e-6):
        found.append(
            Leak(
                kind="class-weights",
                what="the class weights are not those of the training part",
                remedy="count classes in train alone: class_weights(task.labels('train'), classes=C)",
            )
        )
    if rows_fitted is not None and len(np.intersect1d(rows_fitted, task.split.test)):
        found.append(
            Leak(
                kind="trained-on-test",
                what=f"{len(np.intersect1d(rows_fitted, task.split.test))} test samples were trained on",
                remedy="train on train and validation alone",
            )
        )
    return found


def selection_leaks(validation_scores: F64, chosen: int) -> list[Leak]:
    """Whether the chosen head is the best on validation: one that is not was chosen by something else."""
    best = int(np.argmax(validation_scores))
    if chosen == best:
        return []
    return [
        Leak(
            kind="selection",
            what=f"head {chosen} was chosen ({validation_scores[chosen]:.3f} on validation), "
            f"head {best} is the best there ({validation_scores[best]:.3f})",
            remedy="choose on validation alone; the test part is for one look at the end",
        )
    ]


def gallery_leaks(query_groups: Sequence[str], gallery_groups: Sequence[str], excluded: Mask) -> list[Leak]:
    """Whether a query may find samples of its own group, shape of ``excluded`` (Q, G)."""
    same = np.asarray(query_groups)[:, None] == np.asarray(gallery_groups)[None, :]
    open_pairs = int((same & ~excluded).sum())
    if not open_pairs:
        return []
    return [
        Leak(
            kind="gallery", what=f"{open_pairs} neighbours in the gallery are of their query's own group",
            remedy="remove samples of the query's group from its gallery",
        )
    ]  # fmt: skip


def check_task(task: Task, table: SampleTable) -> None:
    """Raises UserError with all leaks of a task's split."""
    require_no_leaks(
        sample_leaks(table, task.rows.tolist(), part_names(task)), where=f"target {task.target.name}"
    )


def require_no_leaks(found: Sequence[Leak], *, where: str) -> None:
    """Raises UserError where there are leaks."""
    if found:
        shown = "; ".join(leak.what for leak in found[:_SHOWN])
        more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise UserError(
            f"train, validation and test are not apart: {len(found)} leak(s)", where=where,
            got=shown + more, hint=found[0].remedy,
        )  # fmt: skip
