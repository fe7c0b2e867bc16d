"""Dense checks against scikit-learn, and on tokens that say where everything is."""

import numpy as np
import pytest
from sklearn.metrics import jaccard_score

from fourdcb.probes.dense.heads import Tracker, fit_segmentation, fit_tracker, query_point
from fourdcb.probes.dense.scores import centre, contour, mean_iou, overlap, region
from fourdcb.probes.dense.truth import SIDE, fixed_frames, shares
from fourdcb.randomness import generator

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
