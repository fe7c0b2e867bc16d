"""Edges over an image: where OpenCV's Sobel finds them, over the replay only, and only when wanted."""

from __future__ import annotations

import cv2
import numpy as np
from pytestqt.qtbot import QtBot

from fourdcb.conventions import LUMINANCE
from fourdcb_studio.views.compare.edges import edge_image, edge_strength
from fourdcb_studio.views.compare.view import CompareView


def picture() -> np.ndarray:
    rng = np.random.default_rng(3)
    image = np.full((48, 64, 3), 60, dtype=np.uint8)
    image[10:30, 20:44] = (200, 180, 40)
    image[34:44, 5:20] = (20, 30, 120)
    return np.clip(image + rng.integers(-2, 3, image.shape), 0, 255).astype(np.uint8)


def test_edges_are_sobels_and_noise_has_none() -> None:
    image = picture()
    gray = image @ np.asarray(LUMINANCE)
    border = cv2.BORDER_REPLICATE
    across = cv2.Sobel(gray, cv2.CV_64F, 1, 0, borderType=border) / 8
    down = cv2.Sobel(gray, cv2.CV_64F, 0, 1, borderType=border) / 8
    size, found = np.hypot(across, down), edge_strength(image)
    order = np.argsort(size.ravel())
    assert (np.diff(found.ravel()[order]) >= 0).all(), "the stronger the gradient, the stronger the edge"
    assert (found[size < 10] == 0).all()
    assert found[20, 20] > 0.8
    assert found[20, 30] == 0
    alpha = edge_image(image)
    assert alpha.pixelColor(20, 20).alpha() > 200
    assert alpha.pixelColor(30, 20).alpha() == 0


def test_they_lie_over_the_replay_only(qtbot: QtBot) -> None:
    view = CompareView()
    qtbot.addWidget(view)
    view.resize(1000, 480)
    flat = np.full((48, 64, 3), 60, dtype=np.uint8)
    view.set_sources(picture(), flat)
    view.show()
    bare = view.grab().toImage()
    view.set_edges(True)
    marked = view.grab().toImage()
    places = [(x, y) for x in range(0, 1000, 4) for y in range(0, 480, 4)]
    changed = [x for x, y in places if bare.pixel(x, y) != marked.pixel(x, y)]
    assert changed
    assert min(changed) > 500
    view.set_edges(False)
    assert view.grab().toImage() == bare
