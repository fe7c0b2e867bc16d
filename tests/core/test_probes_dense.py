"""Dense checks against scikit-learn, and on tokens that say where everything is."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import jaccard_score

from fourdcb.errors import UserError
from fourdcb.probes.dense.heads import Tracker, fit_segmentation, fit_tracker, query_point
from fourdcb.probes.dense.scores import centre, contour, mean_iou, overlap, region
from fourdcb.probes.dense.truth import SIDE, fixed_frames, masks_of, shares
from fourdcb.probes.samples import collect
from fourdcb.probes.sources import source_of
from fourdcb.probes.windows import Window, WindowSettings, read_window
from fourdcb.randomness import generator
from fourdcb.video import VideoReader

GRID = 14


def disc(x: float, y: float, radius: float = 8.0) -> np.ndarray:
    rows, columns = np.mgrid[:SIDE, :SIDE] + 0.5
    return np.hypot(columns - x, rows - y) < radius


def told(mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Tokens whose first channel is the mask's share of their cell; the rest is noise."""
    tokens = 0.05 * rng.normal(size=(GRID, GRID, 6)).astype(np.float32)
    tokens[..., 0] += shares(mask, GRID, GRID)
    tokens[..., 1] += 0.3
    return tokens


def test_region_and_mean_iou_equal_scikit_learn():
    rng = generator(0, "masks")
    for _ in range(10):
        found, truth = rng.random((9, 11)) < 0.5, rng.random((9, 11)) < 0.4
        assert region(found, truth) == pytest.approx(jaccard_score(truth.ravel(), found.ravel()))
        expected = jaccard_score(truth.ravel(), found.ravel(), average="macro")
        assert float(mean_iou(overlap(found, truth))) == pytest.approx(expected)


def test_contours_are_as_good_as_they_are_near():
    mask = disc(28, 28)
    empty = np.zeros_like(mask)
    assert contour(mask, mask) == region(mask, mask) == 1.0
    assert contour(np.roll(mask, 1, axis=1), mask) == 1.0  # within the tolerance
    assert contour(np.roll(mask, 20, axis=1), mask) == 0.0
    assert contour(empty, mask) == 0.0
    assert contour(empty, empty) == 1.0
    np.testing.assert_allclose(centre(mask), [0.5, 0.5], atol=1e-9)
    assert np.isnan(centre(empty)).all()


def test_fixed_frames_are_first_middle_and_last():
    assert fixed_frames(16).tolist() == [0, 8, 15]
    assert fixed_frames(1).tolist() == [0]


@pytest.mark.parametrize("scene", ["bounce_ball", "projectile"])
def test_masks_lie_where_the_pictures_of_the_video_differ_from_their_median(scene, tmp_path):
    import fourdcb_resources

    folder = Path(fourdcb_resources.__file__).parent / "scenes" / scene
    (sample,) = collect(source_of(folder), WindowSettings(frames=16, rate=16.0), tmp_path).samples
    positions = fixed_frames(16)
    with VideoReader(sample.video) as reader:
        every = Window(start=0.0, frames=tuple(range(0, reader.info.n_frames, 3)))
        middle = np.median(read_window(reader, every, SIDE), axis=0)
        shown = read_window(reader, sample.window, SIDE)[positions]
    for frame, mask in zip(shown, masks_of(sample, positions).things > 0, strict=True):
        differs = np.abs(frame - middle).max(axis=-1) > 20  # the body, and its shadow
        assert mask.sum() > 20
        assert (mask & differs).sum() > 0.9 * mask.sum()


def test_nothing_to_track_is_told():
    tokens, things, acting = moving_discs(4)
    gone = [np.zeros_like(one) for one in things]
    with pytest.raises(UserError, match="nothing can be tracked"):
        fit_tracker(tokens, gone, acting, np.arange(4))


def moving_discs(count: int) -> tuple[np.ndarray, list[np.ndarray], list[int]]:
    rng = generator(0, "discs")
    things, tokens = [], []
    for _ in range(count):
        x, y = rng.uniform(12, 20), rng.uniform(15, 40)
        masks = [disc(x + step, y) for step in (0.0, 10.0, 22.0)]
        things.append(np.stack(masks).astype(np.int16))
        tokens.append(np.stack([told(mask, rng) for mask in masks]))
    return np.stack(tokens), things, [1] * count


def test_what_tokens_tell_of_places_is_found():
    tokens, things, acting = moving_discs(20)
    train, validation = np.arange(10), np.arange(10, 15)
    head = fit_segmentation(tokens, things, train, validation)
    found = sum(
        overlap(mask, truth > 0)
        for i in range(15, 20)
        for mask, truth in zip(head.masks(tokens[i]), things[i], strict=True)
    )
    assert float(mean_iou(np.asarray(found))) > 0.85
    tracker = fit_tracker(tokens, things, acting, validation)
    still, carried, away = [], [], []
    for i in range(15, 20):
        first, last = things[i][0] == 1, things[i][2] == 1
        carried.append(region(tracker.map(tokens[i, 0], tokens[i, 2], first) > tracker.cut, last))
        still.append(region(first, last))
        away.append(np.hypot(*(query_point(tokens[i, 0], tokens[i, 2], first) - centre(last))))
    assert np.mean(carried) > 0.6 > np.mean(still)
    assert max(away) < 1.5 / GRID


def test_tokens_that_tell_nothing_give_nothing():
    tokens, things, _ = moving_discs(20)
    blind = generator(0, "blind").normal(size=tokens.shape).astype(np.float32)
    tracker = Tracker(5, 0.1, 0.5)
    scores = [
        region(tracker.map(blind[i, 0], blind[i, 2], things[i][0] == 1) > 0.5, things[i][2] == 1)
        for i in range(20)
    ]
    assert np.mean(scores) < 0.2
