"""Errors at each pixel: alike is zero, structure agrees with scikit-image, motion with a known shift."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from fourdcb.metrics.pictures.maps import error_map

RNG = np.random.default_rng(5)
NOISE = cv2.GaussianBlur(RNG.integers(0, 256, (96, 128, 3), dtype=np.uint8), (0, 0), 2.0)
TEXTURE = cv2.normalize(NOISE, None, 0, 255, cv2.NORM_MINMAX).astype(np.uint8)


def shifted(picture: np.ndarray, px: int) -> np.ndarray:
    return np.roll(picture, px, axis=1)


def test_structure_agrees_with_scikit_image() -> None:
    from skimage.metrics import structural_similarity

    other = shifted(TEXTURE, 3)
    _, similar = structural_similarity(
        TEXTURE, other, channel_axis=2, full=True, gaussian_weights=True, sigma=1.5,
        use_sample_covariance=False, data_range=255,
    )  # fmt: skip
    found = error_map("ssim", TEXTURE, other)
    inside = slice(8, -8)
    np.testing.assert_allclose(found[inside, inside], (1 - similar.mean(axis=2))[inside, inside], atol=2e-3)
    assert np.abs(error_map("ssim", TEXTURE, TEXTURE)).max() < 1e-5


def test_motion_is_how_far_two_shifts_lie_apart() -> None:
    found = error_map(
        "flow",
        shifted(TEXTURE, 3),
        shifted(TEXTURE, 1),
        reference_before=TEXTURE,
        candidate_before=TEXTURE,
    )
    assert np.median(found[16:-16, 16:-16]) == pytest.approx(2.0, abs=0.3)
    still = error_map("flow", TEXTURE, TEXTURE, reference_before=TEXTURE, candidate_before=TEXTURE)
    assert still.max() == 0
    with pytest.raises(ValueError, match="pictures before"):
        error_map("flow", TEXTURE, TEXTURE)
