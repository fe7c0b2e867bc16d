"""Dense checks of one encoder: segmentation, tracking, points; beside each what needs no encoder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fourdcb.arrays import F32, F64, Mask
from fourdcb.errors import UserError
from fourdcb.probes.dense.heads import (
    fit_segmentation,
    fit_tracker,
    query_point,
    tracked_frames,
)
from fourdcb.probes.dense.scores import centre, contour, mean_iou, overlap, region
from fourdcb.probes.dense.truth import MaskedWindow, fixed_frames, masks_of
from fourdcb.probes.intervals import Estimate, bootstrap_estimate
from fourdcb.probes.samples import SampleTable
from fourdcb.probes.splits import Split, group_split
from fourdcb.probes.store import FeatureStore
from fourdcb.progress import NullProgress, Progress
from fourdcb.randomness import generator


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseResult:
    """Figures of one encoder over all seeds, with what needs no encoder beside each.

    Attributes:
        encoder: name.
        grid: tokens along the sides of a frame.
        frames: positions in a window that were looked at, fixed beforehand.
        miou, miou_lead: of the segmentation head, and its lead over the mean mask of train.
        region, contour, both, both_lead: J, F and their mean, and its lead over the first mask left in place.
        point_error, point_lead: mean distance as a share of the picture's side, and how much nearer it is
            than the first place.
        tracked: frames of test windows that were tracked, over all seeds.
    """

    encoder: str
    grid: tuple[int, int]
    frames: tuple[int, ...]
    miou: Estimate
    miou_lead: Estimate
    region: Estimate
    contour: Estimate
    both: Estimate
    both_lead: Estimate
    point_error: Estimate
    point_lead: Estimate
    tracked: int


def masked_windows(table: SampleTable, *, progress: Progress | None = None) -> list[MaskedWindow]:
    """Truth of all windows at the fixed frames."""
    told = progress or NullProgress()
    told.start("masks", len(table.samples))
    positions, found = fixed_frames(table.settings.frames), []
    for sample in table.samples:
        found.append(masks_of(sample, positions))
        told.advance()
    return found


def dense_check(
    store: FeatureStore,
    table: SampleTable,
    truth: Sequence[MaskedWindow],
    *,
    seeds: Sequence[int] = (0, 1, 2),
) -> DenseResult:
    """Segmentation, tracking and points by one encoder's tokens.

    Args:
        store: its features.
        table: samples.
        truth: of every sample, by :func:`masked_windows`.
        seeds: splits by groups.

    Raises:
        UserError: the encoder joins frames, so that none of the fixed ones has tokens of its own.
    """
    positions = fixed_frames(table.settings.frames)
    patches = store.patches(table)
    if patches.shape[1] != table.settings.frames:
        raise UserError(
            "this encoder joins frames, and has no tokens of one frame", where=f"encoder {store.spec.name}",
            got=f"{patches.shape[1]} steps for {table.settings.frames} frames",
        )  # fmt: skip
    tokens = patches[:, positions].astype(np.float32)
    sums = _Sums()
    for seed in seeds:
        split = group_split(table.joined, rng=generator(seed, "dense"))
        split.verify(table.joined)
        _segment(tokens, truth, split, table.joined, sums)
        _track(tokens, truth, split, table.joined, sums)
    rng = generator(0, f"dense/{store.spec.name}")
    return sums.result(store.spec.name, patches.shape[2:4], tuple(positions.tolist()), rng)


class _Sums:
    """What test windows of a group add up to, by kind of figure."""

    def __init__(self) -> None:
        self.overlaps: dict[str, F64] = defaultdict(lambda: np.zeros((2, 2, 2)))  # head and mean mask
        self.tracks: dict[str, F64] = defaultdict(lambda: np.zeros(6))  # count, J, F, J&F in place, errors

    def result(
        self, encoder: str, grid: Sequence[int], frames: tuple[int, ...], rng: np.random.Generator
    ) -> DenseResult:
        """Figures with intervals over groups. Raises UserError where no test clip shows its object twice."""
        if not self.tracks:
            raise UserError(
                "nothing can be tracked: no test clip shows its object in two of the fixed frames",
                hint="use more clips, or longer windows",
            )
        overlaps = np.stack([self.overlaps[name] for name in sorted(self.overlaps)])
        tracks = np.stack([self.tracks[name] for name in sorted(self.tracks)])

        def of(values: F64, figure: Callable[[F64], F64]) -> Estimate:
            flat = values.reshape(len(values), -1)
            value = float(figure(values.sum(axis=0)[None])[0])
            return bootstrap_estimate(
                value, lambda n: figure((n @ flat).reshape(len(n), *values.shape[1:])), len(values), rng
            )

        def mean(k: int, sign: float = 1.0, less: int | None = None) -> Estimate:
            other = (lambda s: 0.0) if less is None else (lambda s: s[:, less] / s[:, 0])
            return of(tracks, lambda s: sign * (s[:, k] / s[:, 0] - other(s)))

        return DenseResult(
            encoder=encoder, grid=(int(grid[0]), int(grid[1])), frames=frames,
            miou=_share(of(overlaps, lambda s: mean_iou(s[:, 0]))),
            miou_lead=of(overlaps, lambda s: mean_iou(s[:, 0]) - mean_iou(s[:, 1])),
            region=_share(mean(1)), contour=_share(mean(2)),
            both=_share(of(tracks, lambda s: 0.5 * (s[:, 1] + s[:, 2]) / s[:, 0])),
            both_lead=of(tracks, lambda s: (0.5 * (s[:, 1] + s[:, 2]) - s[:, 3]) / s[:, 0]),
            point_error=_share(mean(4)), point_lead=mean(4, -1.0, less=5),
            tracked=int(tracks[:, 0].sum()),
        )  # fmt: skip


def _share(found: Estimate) -> Estimate:
    """The estimate of what lies between 0 and 1."""
    if found.low is None or found.high is None:
        return found
    return replace(found, low=max(found.low, 0.0), high=min(found.high, 1.0))


def _segment(
    tokens: F32, truth: Sequence[MaskedWindow], split: Split, groups: Sequence[str], sums: _Sums
) -> None:
    things = [window.things for window in truth]
    head = fit_segmentation(tokens, things, split.train, split.validation)
    mean = np.mean([things[i] > 0 for i in split.train], axis=(0, 1))
    best = max(
        np.linspace(0.05, 0.95, 19),
        key=lambda cut: float(
            mean_iou(
                np.sum([overlap(mean > cut, m > 0) for i in split.validation for m in things[i]], axis=0)
            )
        ),
    )
    for i in split.test:
        for found, seen in zip(head.masks(tokens[i]), things[i], strict=True):
            sums.overlaps[groups[i]] += np.stack([overlap(found, seen > 0), overlap(mean > best, seen > 0)])


def _track(
    tokens: F32, truth: Sequence[MaskedWindow], split: Split, groups: Sequence[str], sums: _Sums
) -> None:
    things, acting = [window.things for window in truth], [window.acting for window in truth]
    tracker = fit_tracker(tokens, things, acting, split.validation)
    for i in split.test:
        first: Mask = things[i][0] == acting[i]
        for f in tracked_frames(things[i], acting[i]):
            seen = things[i][f] == acting[i]
            found = tracker.map(tokens[i, 0], tokens[i, f], first) > tracker.cut
            place, point = centre(seen), query_point(tokens[i, 0], tokens[i, f], first)
            sums.tracks[groups[i]] += np.array(
                [
                    1.0, region(found, seen), contour(found, seen),
                    0.5 * (region(first, seen) + contour(first, seen)),
                    float(np.hypot(*(point - place))), float(np.hypot(*(centre(first) - place))),
                ]
            )  # fmt: skip
