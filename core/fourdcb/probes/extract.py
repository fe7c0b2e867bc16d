"""Extraction: every window through an encoder once, onto the disk; what is there is not done again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from fourdcb.arrays import F32
from fourdcb.errors import UserError
from fourdcb.probes.encoders.contract import Encoder, EncoderSpec, Features
from fourdcb.probes.orders import ORDERS, Order, frame_order
from fourdcb.probes.samples import Sample, SampleTable
from fourdcb.probes.store import FeatureStore
from fourdcb.probes.windows import as_input, read_window
from fourdcb.progress import NullProgress, Progress


def extract(
    table: SampleTable,
    encoder: Encoder,
    work: Path,
    *,
    token_grid: int = 7,
    orders: Sequence[Order] = ORDERS,
    progress: Progress | None = None,
) -> int:
    """Features of all samples in the wanted orders of their frames.

    Args:
        table: samples.
        encoder: frozen; its digest is compared after every window, before anything is kept.
        work: folder of the features.
        token_grid: see :class:`FeatureStore`.
        orders: of frames, for the controls of time.
        progress: told of samples.

    Returns:
        How many samples were encoded now.

    Raises:
        UserError: the encoder changes, is not frozen or gives what is no features; a clip cannot be read.
    """
    spec, told = encoder.spec, progress or NullProgress()
    if spec.side not in (None, table.settings.side) or spec.frames not in (None, table.settings.frames):
        raise UserError(
            "the encoder takes other windows", where=f"encoder {spec.name}",
            got=f"{table.settings.frames} frames of {table.settings.side} px",
            expected=f"{spec.frames or 'any'} frames of {spec.side or 'any'} px",
            hint="extract with --frames and --side to match, into another folder",
        )  # fmt: skip
    check_unchanged(encoder)
    store = FeatureStore.create(work, spec, table.settings, token_grid)
    missing = [sample for sample in table.samples if not store.has(sample, orders)]
    told.start(spec.name, len(table.samples))
    told.advance(len(table.samples) - len(missing))
    for number, sample in enumerate(missing):
        clip = _input(sample, table.settings.side)
        if number == 0:
            _check_promises(encoder, clip)
        found = (
            [(order, *_features(encoder, clip, order)) for order in orders]
            if not spec.framewise
            else (_framewise(encoder, clip, orders))
        )
        check_unchanged(encoder)
        for order, cls, patches in found:
            store.write(sample, order, cls, patches)
        told.advance()
    return len(missing)


def _input(sample: Sample, side: int) -> F32:
    from fourdcb.video import VideoReader

    with VideoReader(sample.video) as reader:
        return as_input(read_window(reader, sample.window, side))


def _features(encoder: Encoder, clip: F32, order: Order) -> tuple[F32, F32]:
    shown = np.ascontiguousarray(clip[:, :, frame_order(order, clip.shape[2])])
    found = encoder.encode(shown)
    return found.cls[0], found.patches[0]


def _framewise(encoder: Encoder, clip: F32, orders: Sequence[Order]) -> list[tuple[Order, F32, F32]]:
    """All orders from one pass: tokens of a frame are the same wherever it stands, [CLS] is their mean."""
    found = encoder.encode(clip)
    frames, patches = clip.shape[2], found.patches[0]
    by_frame = patches.mean(axis=(1, 2))
    rows: list[tuple[Order, F32, F32]] = []
    for order in orders:
        picked = frame_order(order, frames)
        cls = found.cls[0] if order == "ordinary" else by_frame[picked].mean(axis=0, dtype=np.float32)
        rows.append((order, cls, patches[picked]))
    return rows


def check_unchanged(encoder: Encoder) -> None:
    """Raises UserError where parameters have changed since the encoder was made, or could be trained."""
    if encoder.digest() != encoder.spec.digest:
        raise UserError(
            "the encoder's parameters have changed", where=f"encoder {encoder.spec.name}",
            got=encoder.digest()[:16], expected=encoder.spec.digest[:16],
            hint="something trains it or moves its statistics: freeze it, and keep optimisers away from it",
        )  # fmt: skip


def guard(encoders: Sequence[Encoder], stores: Sequence[FeatureStore]) -> Callable[[], None]:
    """What raises when an encoder is not frozen any more, for every epoch of a training.

    Training reads features from the disk and has no encoder to spoil; this one stands beside it and looks.

    Args:
        encoders: loaded.
        stores: their features, in the same order.

    Raises:
        UserError: an encoder's parameters are not those its features were made with.
    """
    for encoder, store in zip(encoders, stores, strict=True):
        if encoder.spec.digest != store.spec.digest:
            raise UserError(
                "the encoder's parameters are not those that its features were made with",
                where=f"encoder {encoder.spec.name}", got=encoder.spec.digest[:16],
                expected=store.spec.digest[:16], hint="extract into another folder",
            )  # fmt: skip

    def check() -> None:
        for encoder in encoders:
            check_unchanged(encoder)

    return check


def _check_promises(encoder: Encoder, clip: F32) -> None:
    """Whether it answers the same twice, and tokens have seen only what it says: others are blackened."""
    spec, frames = encoder.spec, clip.shape[2]
    before, again = encoder.encode(clip), encoder.encode(clip)
    if not (np.allclose(before.cls, again.cls) and np.allclose(before.patches, again.patches)):
        raise UserError(
            "the encoder gives other features for the same window", where=f"encoder {spec.name}",
            hint="something in it is drawn at random: dropout, masks; features must be reproducible",
        )  # fmt: skip
    if not (spec.causal or spec.framewise) or frames < 2:
        return
    half = frames // 2
    blackened = clip.copy()
    blackened[:, :, half:] = 0.0
    after = encoder.encode(blackened)
    _same_tokens(before, after, slice(0, half * before.patches.shape[1] // frames), spec, "causal", "later")
    if spec.framewise:
        blackened = clip.copy()
        blackened[:, :, :half] = 0.0
        _same_tokens(before, encoder.encode(blackened), slice(half, None), spec, "framewise", "other")
        mean = before.patches.mean(axis=(1, 2, 3))
        if not np.allclose(mean, before.cls, rtol=1e-3, atol=1e-4 * float(np.abs(mean).max())):
            raise UserError(
                "[CLS] of a frame-wise encoder is not the mean of its tokens", where=f"encoder {spec.name}",
                hint="say framewise=False: then every order of the frames is encoded by itself",
            )  # fmt: skip


def _same_tokens(a: Features, b: Features, rows: slice, spec: EncoderSpec, promise: str, which: str) -> None:
    scale = float(np.abs(a.patches).max())
    if not np.allclose(a.patches[:, rows], b.patches[:, rows], rtol=1e-3, atol=1e-3 * scale):
        raise UserError(
            f"the encoder says that it is {promise}, but its tokens depend on {which} frames",
            where=f"encoder {spec.name}", hint=f"say {promise}=False",
        )  # fmt: skip
