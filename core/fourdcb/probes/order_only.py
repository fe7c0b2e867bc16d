"""Where the order of frames alone carries the label: every window stands beside its own reverse.

Of drawn windows, for the proof (:func:`order_results`), and of the windows of a work folder
(:func:`paired_orders`): a probe that does not tell them apart reads looks, not the course of time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from fourdcb.arrays import F32, U8
from fourdcb.probes.clips import Target
from fourdcb.probes.encoders.contract import Encoder
from fourdcb.probes.fitting import fit_probe, logits_of
from fourdcb.probes.heads.table import reads_tokens, token_grid_of
from fourdcb.probes.intervals import Estimate, Tested, balanced_estimate, pooled
from fourdcb.probes.orders import Order, frame_order
from fourdcb.probes.samples import Sample, SampleTable
from fourdcb.probes.store import FeatureStore, pool_tokens
from fourdcb.probes.task import make_task
from fourdcb.probes.windows import Window, WindowSettings, as_input
from fourdcb.randomness import generator

FRAMES, SIDE = 15, 64  # an odd number: the middle frame of a window is that of its reverse, too
LABELS = ("forwards", "backwards")


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderResult:
    """What a probe reads of the order.

    Attributes:
        encoder, head: which.
        order: of the frames that it was trained and tested on.
        estimate: balanced accuracy; chance is 0.5.
        pairs: share of test pairs in which both windows are told apart rightly; chance is 0.25 at most.
    """

    encoder: str
    head: str
    order: Order
    estimate: Estimate
    pairs: float


def order_pair(seed: int) -> tuple[U8, U8]:
    """Two windows of the very same frames, (T, 64, 64, 3): a disc goes right, and the same backwards.

    Colours, sizes, heights, speeds, starts and the textured background are drawn; nothing but the order of
    the frames says which of the two it is.
    """
    random = generator(seed, "order")
    coarse = random.uniform(40, 200, (8, 8, 3))
    background = np.kron(coarse, np.ones((SIDE // 8, SIDE // 8, 1)))
    colour, radius = random.uniform(0, 255, 3), random.uniform(5, 10)
    height, speed = random.uniform(15, SIDE - 15), random.uniform(1.0, 3.0)
    middle = random.uniform(0.5 * SIDE - 8, 0.5 * SIDE + 8)
    y, x = np.mgrid[:SIDE, :SIDE] + 0.5
    frames = []
    for k in range(FRAMES):
        place = middle + speed * (k - FRAMES // 2)
        cover = np.clip(radius - np.hypot(x - place, y - height) + 0.5, 0.0, 1.0)[..., None]
        frames.append(np.round(cover * colour + (1 - cover) * background))
    forwards = np.stack(frames).astype(np.uint8)
    return forwards, forwards[::-1].copy()


def order_table(pairs: int) -> tuple[SampleTable, U8]:
    """(table, windows (2 · pairs, T, 64, 64, 3)); a pair is a group."""
    clips = [clip for seed in range(pairs) for clip in order_pair(seed)]
    samples = [
        Sample(
            id=f"{i // 2:04d}/{LABELS[i % 2]}#0", clip=f"{i // 2:04d}/{LABELS[i % 2]}", video=Path("none"),
            video_sha256=f"{i:064x}", group=f"{i // 2:04d}", keys=frozenset(), metadata={},
            window=Window(start=0.0, frames=tuple(range(FRAMES))), fps=16.0,
            labels={"order": LABELS[i % 2]}, thumbnails=clips[i][:8, ::8, ::8],
        )
        for i in range(2 * pairs)
    ]  # fmt: skip
    settings = WindowSettings(frames=FRAMES, side=SIDE)
    return SampleTable.of(settings, (Target(name="order"),), samples), np.stack(clips)


def order_results(
    encoder: Encoder, heads: tuple[str, ...], *, pairs: int = 120, seeds: tuple[int, ...] = (0, 1, 2)
) -> list[OrderResult]:
    """Heads on ordinary windows and on one repeated frame, over several splits of the pairs."""
    table, clips = order_table(pairs)
    found = []
    orders: tuple[Order, ...] = ("ordinary", "one_frame")
    for order in orders:
        shown = clips[:, frame_order(order, FRAMES)]
        parts = [encoder.encode(as_input(one)) for one in shown]
        cls = np.concatenate([part.cls for part in parts])
        tokens = np.concatenate([part.patches.reshape(1, -1, part.patches.shape[-1]) for part in parts])
        found += [
            _result(encoder.spec.name, head, order, tokens if reads_tokens(head) else cls, table, seeds)
            for head in heads
        ]
    return found


def paired_orders(
    store: FeatureStore,
    table: SampleTable,
    *,
    heads: tuple[str, ...] = ("ridge", "attentive@2"),
    seeds: tuple[int, ...] = (0, 1, 2),
) -> list[OrderResult]:
    """Whether an encoder's features tell the windows of a table from the same played backwards.

    Raises:
        UserError: the features of reversed frames are missing, or there are fewer than three groups.
    """
    samples = [
        replace(sample, id=f"{sample.id}/{label}", labels={"order": label})
        for sample in table.samples for label in LABELS
    ]  # fmt: skip
    joined = tuple(group for group in table.joined for _ in LABELS)
    pairs = replace(table, targets=(Target(name="order"),), samples=tuple(samples), joined=joined)
    return [
        _result(store.spec.name, head, "ordinary", _of_both(store, table, head), pairs, seeds)
        for head in heads
    ]


def _of_both(store: FeatureStore, table: SampleTable, head: str) -> F32:
    """Features of every window and its reverse, one after the other, for a head."""
    orders: tuple[Order, ...] = ("ordinary", "reversed")
    if not reads_tokens(head):
        cls = np.stack([store.cls(table, order) for order in orders], axis=1)
        return cls.reshape(-1, cls.shape[-1])
    grid, parts = token_grid_of(head), [store.patches(table, order) for order in orders]
    tokens = np.stack([pool_tokens(one, grid) for two in zip(*parts, strict=True) for one in two])
    return np.asarray(tokens.reshape(len(tokens), -1, tokens.shape[-1]), np.float32)


def _result(
    encoder: str, head: str, order: Order, features: F32, table: SampleTable, seeds: tuple[int, ...]
) -> OrderResult:
    parts, both = [], []
    for seed in seeds:
        task = make_task(table, "order", seed=seed)
        fitted = fit_probe(head, features, task)
        own = {name: value[[fitted.chosen]] for name, value in fitted.parameters.items()}
        test = task.split.test
        answered = logits_of(head, own, features[test], fitted.standardiser)[0].argmax(axis=1)
        truth = task.sealed_labels[test]
        parts.append(Tested(truth, answered, tuple(task.groups[i] for i in test), 2))
        both.append((answered == truth).reshape(-1, 2).all(axis=1).mean())
    rng = generator(0, f"order/{encoder}/{head}/{order}")
    estimate = balanced_estimate(pooled(parts), rng=rng)
    return OrderResult(encoder=encoder, head=head, order=order, estimate=estimate, pairs=float(np.mean(both)))
