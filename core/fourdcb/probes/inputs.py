"""What a head is given: [CLS], tokens, the tokens of one moment, or what is known without looking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fourdcb.arrays import F32, I64
from fourdcb.errors import UserError
from fourdcb.probes.heads.table import base_of, reads_tokens, token_grid_of
from fourdcb.probes.orders import Order
from fourdcb.probes.samples import Sample, SampleTable
from fourdcb.probes.store import FeatureStore, pool_tokens
from fourdcb.probes.task import Task
from fourdcb.probes.windows import moment_of

METADATA = "metadata"
MOMENT_HEADS = ("frame_ridge", "attentive")
CLS_HEADS = ("ridge", "linear", "mlp")


def check_reads(head: str, task: Task) -> None:
    """Raises UserError where a head reads what cannot answer the question."""
    target, base = task.target, base_of(head)
    if target.moment and base not in MOMENT_HEADS:
        raise UserError(
            "[CLS] sums the whole window, and cannot stand for the state of a moment in it",
            where=f"target {target.name}", got=f"head {head}", expected=" or ".join(MOMENT_HEADS),
            hint="these read the tokens of frames up to that moment, of an encoder whose tokens have not "
            "seen later ones",
        )  # fmt: skip
    if not target.moment and base == "frame_ridge":
        raise UserError(
            "this head reads one frame, and the question is about the whole window",
            where=f"target {target.name}", got=head, expected=", ".join((*CLS_HEADS, "attentive")),
        )  # fmt: skip


def head_inputs(store: FeatureStore, table: SampleTable, task: Task, head: str, order: Order) -> F32:
    """Features of the task's rows for a head, shape (n, D), or (n, L, D) for ``attentive``.

    Raises:
        UserError: the head reads what cannot answer the question, or features are missing.
    """
    check_reads(head, task)
    rows = task.rows
    if not task.target.moment and not reads_tokens(head):
        return _frozen(store.cls(table, order)[rows])
    patches = store.patches(table, order, rows)
    if task.target.moment:
        if not store.spec.causal:
            raise UserError(
                "the tokens of this encoder have seen later frames, and cannot tell the state of a moment",
                where=f"target {task.target.name}", got=f"encoder {store.spec.name}",
                expected="an encoder with causal=True in its specification",
            )  # fmt: skip
        moment = moment_of(table.settings.frames) * patches.shape[1] // table.settings.frames
        if head == "frame_ridge":
            return _frozen(patches[:, min(moment, patches.shape[1] - 1)].mean(axis=(1, 2), dtype=np.float32))
        patches = patches[:, : moment + 1]
    if token_grid_of(head):
        patches = np.stack([pool_tokens(one, token_grid_of(head)) for one in patches])
    return _frozen(patches.reshape(len(rows), -1, patches.shape[-1]))


def metadata_inputs(table: SampleTable, task: Task) -> F32:
    """What is known of the task's rows without looking, numbers and words as columns, shape (n, D).

    A column that bears the target's own name is left out: it is the answer.

    Raises:
        UserError: nothing is known of some samples that is known of others.
    """
    samples = [table.samples[i] for i in task.rows]
    names = sorted({name for sample in samples for name in sample.metadata} - {task.target.name})
    columns: list[F32] = []
    for name in names:
        columns += _columns(samples, name)
    columns = [column for column in columns if float(np.ptp(column)) > 0.0]
    if not columns:
        return _frozen(np.zeros((len(samples), 1), np.float32))
    return _frozen(np.stack(columns, axis=1))


def _columns(samples: Sequence[Sample], name: str) -> list[F32]:
    values = [sample.metadata.get(name, "") for sample in samples]
    if all(isinstance(value, float) for value in values):
        return [np.array(values, np.float32)]
    words = [str(value) for value in values]
    return [np.array([word == known for word in words], np.float32) for known in sorted(set(words))]


def label_counts(task: Task, indices: I64) -> list[int]:
    """Samples of every class among some of the task's rows."""
    return [int(n) for n in np.bincount(task.sealed_labels[indices], minlength=len(task.classes))]


def _frozen(values: Any) -> F32:
    values.setflags(write=False)
    return values
