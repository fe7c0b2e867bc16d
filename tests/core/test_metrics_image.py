"""Image measures against scikit-image and closed forms."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

from fourdcb.errors import UserError
from fourdcb.identity import jsonable
from fourdcb.metrics.pictures.clip import clip_quality
from fourdcb.metrics.pictures.clip_comparison import compare_clips
from fourdcb.metrics.pictures.measures import (
    PSNR_CAP,
    FlowEstimator,
    difference,
    flow_error,
    mse,
    psnr,
    ssim,
    ssim_map,
)
from fourdcb.metrics.pictures.motion import (
    MOTION_SIZE,
    Backgrounds,
    background_indices,
    background_of,
    both_go_on,
    moving_mask,
    overlapping,
    pooled,
)

LIKE_OURS = {"gaussian_weights": True, "sigma": 1.5, "use_sample_covariance": False, "data_range": 255}


def random_image(seed: int, *, width: int = 70, height: int = 53, channels: int = 3) -> np.ndarray:
    shape = (height, width, channels) if channels > 1 else (height, width)
    return np.random.default_rng(seed).integers(0, 256, size=shape, dtype=np.uint8)


def soft_scene(shift: float = 0.0, *, size: int = 96) -> np.ndarray:
    y, x = np.mgrid[:size, :size].astype(float)
    blob = np.exp(-((x - 30 - shift) ** 2 + (y - 40) ** 2) / 120)
    texture = 12 * np.sin(x / 3) * np.cos(y / 4)
    image = np.stack([70 + texture + 150 * blob, 90 + texture, 60 + 0.8 * y], axis=-1)
    return np.clip(image, 0, 255).astype(np.uint8)


def passing_box(left: int) -> np.ndarray:
    """A textured box in front of a textured wall; the box moves, the wall does not."""
    rng = np.random.default_rng(11)
    wall = rng.integers(60, 110, size=(24, 32, 3)).repeat(4, axis=0).repeat(4, axis=1)
    box = rng.integers(150, 250, size=(10, 10, 3)).repeat(3, axis=0).repeat(3, axis=1)
    image = wall.astype(np.uint8)
    image[30:60, left : left + 30] = box
    return image


def degraded(image: np.ndarray, kind: str) -> np.ndarray:
    rng = np.random.default_rng(5)
    if kind == "noise":
        return np.clip(image + rng.normal(0, 15, image.shape), 0, 255).astype(np.uint8)
    if kind == "inverse":
        return 255 - image
    if kind == "flat":
        return np.full_like(image, 254)
    if kind == "contrast":
        return (image // 2 + 60).astype(np.uint8)
    return image.copy()


@pytest.mark.parametrize("kind", ["noise", "inverse", "flat", "contrast", "same"])
@pytest.mark.parametrize("channels", [1, 3])
def test_ssim_and_psnr_equal_scikit_image(kind: str, channels: int) -> None:
    a = soft_scene() if channels == 3 else soft_scene()[..., 0]
    b = degraded(a, kind)
    axis = 2 if channels == 3 else None
    mean, full = structural_similarity(a, b, full=True, channel_axis=axis, **LIKE_OURS)
    assert ssim(a, b) == pytest.approx(mean, abs=1e-4)
    assert np.abs(ssim_map(a, b) - (full.mean(axis=2) if channels == 3 else full)).max() < 1e-3
    if kind != "same":
        assert psnr(a, b) == pytest.approx(peak_signal_noise_ratio(a, b, data_range=255), abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(11, 130), st.integers(11, 130), st.floats(0, 1))
def test_ssim_equals_scikit_image_at_any_size(seed: int, width: int, height: int, mix: float) -> None:
    a = random_image(seed, width=width, height=height)
    b = (mix * a + (1 - mix) * random_image(seed + 1, width=width, height=height)).astype(np.uint8)
    assert ssim(a, b) == pytest.approx(structural_similarity(a, b, channel_axis=2, **LIKE_OURS), abs=1e-4)
    assert ssim(a, b) == pytest.approx(ssim(b, a), abs=1e-6)


def test_views_count_like_copies() -> None:
    a, b = random_image(1), random_image(2)
    assert ssim(a[:, ::-1], b[:, ::-1]) == pytest.approx(ssim(a, b), abs=1e-5)
    assert psnr(a[::-1], b[::-1]) == psnr(a, b)


def test_closed_forms() -> None:
    a = np.full((20, 30, 3), 100, np.uint8)
    assert mse(a, a + 7) == 49.0
    assert psnr(a, a + 7) == pytest.approx(20 * math.log10(255 / 7), abs=1e-12)
    assert psnr(a, a) == math.inf
    assert ssim(a, a) == pytest.approx(1.0, abs=1e-6)
    # Flat images: only the luminance term is left.
    c1 = (0.01 * 255) ** 2
    expected = (2 * 100 * 140 + c1) / (100**2 + 140**2 + c1)
    assert ssim(a, a + 40) == pytest.approx(expected, abs=1e-5)
    assert difference(a, a + 51) == pytest.approx(np.full((20, 30), 0.2), abs=1e-6)


def test_the_cap_lies_beyond_any_two_different_frames() -> None:
    a = np.zeros((512, 512, 3), np.uint8)
    b = a.copy()
    b[0, 0, 0] = 1
    assert psnr(a, b) < PSNR_CAP


def test_silhouettes_overlap_by_their_areas() -> None:
    a, b = np.zeros((10, 10), bool), np.zeros((10, 10), bool)
    assert math.isnan(overlapping(a, b).overlap)  # nothing is there: neither right nor wrong
    a[:, :4] = True
    assert overlapping(a, b).overlap == 0.0
    b[:, 2:6] = True
    assert overlapping(a, b).overlap == pytest.approx(20 / 60)
    assert overlapping(a, a).overlap == 1.0
    assert pooled([overlapping(a, b), overlapping(a, a)]).overlap == pytest.approx(60 / 100)


def test_flow_follows_a_shift() -> None:
    estimator = FlowEstimator()
    flow = estimator.flow(passing_box(20), passing_box(23))
    assert flow.shape == (96, 128, 2)
    assert np.median(flow[36:54, 26:44], axis=(0, 1)) == pytest.approx((3.0, 0.0), abs=0.3)
    assert np.abs(flow[75:]).max() < 0.3
    assert flow_error(flow, flow) == 0.0
    assert flow_error(flow, flow + np.float32([3.0, 4.0])) == pytest.approx(5.0, rel=1e-5)


def test_unequal_images_are_told() -> None:
    with pytest.raises(UserError, match="differ in size"):
        psnr(random_image(0), random_image(0, width=71))
    with pytest.raises(UserError, match="8-bit"):
        ssim(random_image(0).astype(np.float32), random_image(0).astype(np.float32))
    with pytest.raises(UserError, match="too small"):
        ssim(random_image(0, width=10), random_image(1, width=10))


def moving_clip(delay: int = 0, n: int = 12) -> list[np.ndarray]:
    return [passing_box(10 + 3 * max(i - delay, 0)) for i in range(n)]


def test_a_clip_against_itself_is_perfect() -> None:
    clip = moving_clip()
    background = background_of(clip)
    result = compare_clips(zip(clip, clip, strict=True), backgrounds=Backgrounds(background, background))
    assert np.all(result.psnr == PSNR_CAP)
    assert result.ssim == pytest.approx(np.ones(12), abs=1e-6)
    assert np.all(result.silhouette_iou == 1.0)
    assert np.isnan(result.flow_error[0])
    assert np.all(result.flow_error[1:] == 0.0)
    assert not result.heatmap.any()


def test_a_late_clip_is_worst_where_it_is_late() -> None:
    clip, late = moving_clip(), moving_clip(delay=4)
    result = compare_clips(
        zip(clip, late, strict=True), backgrounds=Backgrounds(background_of(clip), background_of(late))
    )
    frames = [(psnr(a, b), ssim(a, b)) for a, b in zip(clip[1:], late[1:], strict=True)]
    assert result.psnr[1:] == pytest.approx([p for p, _ in frames])
    assert result.ssim[1:] == pytest.approx([s for _, s in frames])
    # While the late box stands, what moves lacks 3 px of motion a frame; edges smear by their width.
    assert 1.5 < result.flow_error[1:5].mean() < 3.2
    assert result.heatmap == pytest.approx(
        np.mean([difference(a, b) for a, b in zip(clip, late, strict=True)], axis=0), abs=1e-6
    )
    metrics = result.metrics()
    assert metrics["ssim"].value == pytest.approx(result.ssim.mean())
    assert metrics["ssim"].detail["worst_pair"] == int(result.ssim.argmin())
    assert metrics["flow_error"].detail["worst_pair"] == int(np.nanargmax(result.flow_error))
    pooled = 10 * math.log10(255**2 / np.mean([mse(a, b) for a, b in zip(clip, late, strict=True)]))
    assert metrics["psnr"].value == pytest.approx(pooled, abs=1e-6)
    assert metrics["psnr"].detail["mean"] == pytest.approx(result.psnr.mean())


def test_a_replay_and_a_video_are_measured_alike() -> None:
    """One meaning, with a script and without: few enough frames, so that both look at all of them."""
    clip, late = (np.stack(c) for c in (moving_clip(n=11), moving_clip(delay=4, n=11)))
    times = np.arange(11) / 30
    replayed = clip_quality(late, times, clip, times).metrics()
    pairs = list(zip(clip, late, strict=True))
    compared = compare_clips(pairs, backgrounds=Backgrounds.of(pairs)).metrics()
    for name in ("flow_error", "silhouette_iou", "ssim"):
        assert replayed[name].value == pytest.approx(compared[name].value, abs=1e-6), name
        assert (replayed[name].unit, replayed[name].direction) == (
            compared[name].unit,
            compared[name].direction,
        )
    assert 0 < compared["silhouette_iou"].value < 1


def test_motion_is_not_compared_where_one_picture_stood_still() -> None:
    assert both_go_on([0, 1, 2, 3], [0, 0, 1, 3]).tolist() == [False, False, True, True]
    assert both_go_on([], []).tolist() == []
    clip = moving_clip(n=4)
    held = [clip[0], clip[0], clip[1], clip[2]]
    pairs = list(zip(clip, held, strict=True))
    result = compare_clips(pairs, goes_on=both_go_on(range(4), [0, 0, 1, 2]))
    assert np.isnan(result.flow_error).tolist() == [True, True, False, False]
    still = compare_clips(pairs).flow_error[1]
    assert result.flow_error[2:].max() < 0.7 * still  # both boxes move by 3 px


def test_motion_is_told_in_pixels_of_the_frames_whatever_their_size() -> None:
    small = [soft_scene(2.0 * i) for i in range(4)]
    late = [soft_scene(3.0 * i) for i in range(4)]
    grown = [[image.repeat(4, axis=0).repeat(4, axis=1) for image in clip] for clip in (small, late)]
    assert max(grown[0][0].shape) > MOTION_SIZE
    told = compare_clips(zip(small, late, strict=True)).flow_error[1:]
    assert compare_clips(zip(*grown, strict=True)).flow_error[1:] == pytest.approx(4.0 * told, rel=0.35)


def test_results_are_json_and_say_what_was_not_measured() -> None:
    clip = moving_clip(n=3)
    result = compare_clips(zip(clip, clip, strict=True), motion=False)
    assert result.metrics()["silhouette_iou"].status == "not_measured"
    text = json.dumps({"series": result.series(), "image": jsonable(result.metrics())}, allow_nan=False)
    assert json.loads(text)["series"]["flow_error"] == [None, None, None]


def test_pairs_are_taken_one_by_one() -> None:
    alive = peak = 0

    class Counted(np.ndarray):
        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    def pairs() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        nonlocal alive, peak
        for image in moving_clip(n=20):
            alive += 1
            first = image.copy().view(Counted)
            peak = max(peak, alive)
            yield first, image

    compare_clips(pairs(), total=20)
    assert peak <= 4


def test_no_pairs_are_told() -> None:
    with pytest.raises(UserError, match="no frames"):
        compare_clips(iter(()))


@pytest.mark.parametrize("count", [1, 2, 3, 8, 25])
def test_a_background_is_the_median_where_nothing_comes_to_stay(count: int) -> None:
    rng = np.random.default_rng(5)
    clip = [rng.integers(90, 100, size=(40, 60, 3), dtype=np.uint8) for _ in range(count)]
    np.testing.assert_array_equal(background_of(clip), np.median(clip, axis=0).astype(np.uint8))


def test_background_and_mask_find_the_mover() -> None:
    clip = moving_clip(n=20)
    background = background_of([clip[i] for i in background_indices(20)])
    mask = moving_mask(clip[10], background)
    inside = np.zeros_like(mask)
    inside[30:60, 40:70] = True
    assert overlapping(mask, inside).overlap > 0.6
    assert background_indices(1) == [0]
    assert background_indices(1000)[-1] == 999
    assert len(background_indices(1000)) == 25


def test_encoding_alone_stays_similar(tmp_path: Path) -> None:
    """Encoding noise alone stays above the 30 dB below which frames are reported."""
    from fourdcb.video import VideoReader, write_video

    clip = [soft_scene(3.0 * i) for i in range(6)]
    write_video(tmp_path / "a.mp4", clip, fps=30, crf=18)
    with VideoReader(tmp_path / "a.mp4") as reader:
        result = compare_clips(zip(clip, reader.frames(), strict=True))
    assert result.ssim.min() > 0.95
    assert result.psnr.min() > 35
