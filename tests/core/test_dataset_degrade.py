"""Degradations measured: noise by photon transfer, lens by OpenCV, blur by speed × shutter."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import cv2
import numpy as np
import pytest

from fourdcb.dataset.degrade import IMX477, Degradation, degraded, sample_degradation, sample_lens, trials
from fourdcb.dataset.degrade.occluder import COVERAGE, sample_hand
from fourdcb.dataset.degrade.strength import FASTEST, OPACITY, noise_gain
from fourdcb.physics import simulate
from fourdcb.randomness import generator
from fourdcb.render import RasterRenderer, RenderSettings
from fourdcb.video import VideoReader, write_video
from fourdcb.world import Camera, DirectionalLight, Material, Object, World
from fourdcb.world.camera import project


def test_photon_transfer_has_the_slope_of_the_gain_and_meets_the_read_noise():
    # Janesick's photon transfer: variance [DN²] over mean signal [DN] is a line whose slope is the gain.
    levels = np.linspace(0.05, 0.7, 14)
    means, variances = [], []
    for k, level in enumerate(levels):
        light = np.full((400, 400), level)
        a, b = (
            IMX477.exposed(light, white=IMX477.full_well, random=generator(0, f"ptc/{k}/{i}")) for i in (0, 1)
        )
        means.append(a.mean() - IMX477.black_level)
        variances.append(0.5 * np.var(a - b))
    slope, _ = np.polyfit(means, variances, 1)
    assert slope == pytest.approx(IMX477.gain, rel=0.02)
    dark = IMX477.exposed(np.zeros((1000, 1000)), white=IMX477.full_well, random=generator(0, "dark"))
    assert dark.mean() == pytest.approx(IMX477.black_level, abs=0.02)
    # Quantisation adds 1/12 DN² (Sheppard).
    assert np.sqrt(dark.var() - 1.0 / 12.0) / IMX477.gain == pytest.approx(IMX477.read_noise, rel=0.02)


def test_the_full_well_and_the_converter_clip():
    bright = IMX477.exposed(np.full((50, 50), 3.0), white=IMX477.full_well, random=generator(0, "clip"))
    assert bright.max() <= 2**IMX477.bits - 1
    assert np.ptp(bright) == 0.0


def test_development_undoes_exposure_on_average():
    light = np.linspace(0.05, 0.9, 6)
    numbers = IMX477.exposed(np.tile(light, (40_000, 1)), white=2000.0, random=generator(0, "mean"))
    np.testing.assert_allclose(IMX477.developed(numbers, white=2000.0).mean(axis=0), light, rtol=5e-3)


def test_noise_grows_with_the_dynamics():
    def noise(speed: float) -> float:
        how = Degradation(
            level="full", speed=speed, white_electrons=IMX477.full_well / noise_gain("full", speed), hand=None
        )
        (picture,) = degraded([np.full((200, 200, 3), 0.3)], how, count=1, seed=0, path="x")
        return float(picture.std())

    found = [noise(speed) for speed in (0.0, 4.0, 10.0, FASTEST)]
    assert all(b > 1.1 * a for a, b in pairwise(found))
    assert noise(5 * FASTEST) == found[-1]
    assert noise_gain("none", 10.0) == 1.0


def test_a_sampled_lens_is_opencvs():
    lens = sample_lens(generator(3, "lens"), "full")
    assert any(lens)
    assert sample_lens(generator(3, "lens"), "none") == (0.0,) * 5
    camera = Camera(pos=(0.0, -2.0, 0.4), target=(0.0, 0.0, 0.3), distortion=lens)
    points = generator(0, "points").uniform(-0.4, 0.4, (200, 3)) + np.array([0.0, 0.0, 0.3])
    rotation = camera.world_from_camera().T
    turn, _ = cv2.Rodrigues(rotation)
    expected, _ = cv2.projectPoints(
        points, turn, -rotation @ np.asarray(camera.pos), camera.intrinsics(), np.asarray(lens)
    )
    np.testing.assert_allclose(project(camera, points), expected[:, 0], atol=1e-6)


def test_blur_is_as_long_as_speed_times_shutter():
    shutter, speed, side = 1.0 / 60.0, 6.0, 0.2
    world = World(
        duration=0.5,
        objects=(
            Object(
                name="box", geometry="box", size=(side, side, side), mass=1.0, pos=(-0.5, 0.0, 0.0),
                vel=(speed, 0.0, 0.0), acc=(0.0, 0.0, 0.0),
                material=Material(base_color=(1.0, 1.0, 1.0), roughness=1.0),
            ),
        ),
        lights=(DirectionalLight(direction=(0.0, 1.0, 0.0), intensity=1.0),),
        background=(0.0, 0.0, 0.0), ambient=0.0,
        camera=Camera(pos=(0.0, -3.0, 0.0), target=(0.0, 0.0, 0.0), fov_y_deg=40.0),
    )  # fmt: skip
    trajectory = simulate(world)
    t = 2.5 / world.fps  # the box is in the middle
    settings = RenderSettings(samples="auto", shutter=shutter, shadows=False)
    row = RasterRenderer(world, settings).render(trajectory, t).linear[128, :, 0].astype(np.float64)
    sharp = RasterRenderer(world, replace(settings, samples=1)).render(trajectory, t).linear[128, :, 0]
    level = row / sharp.max()
    # A rectangle of width w blurred over b has sides that rise over b: Σ level (1 − level) = 2 · b / 6.
    found = 3.0 * float((level * (1.0 - level)).sum())
    focal = world.camera.intrinsics()[0, 0]
    assert found == pytest.approx(speed * shutter * focal / (3.0 - side / 2.0), rel=0.05)


def test_the_hand_covers_what_it_says_and_passes():
    for k in range(12):
        hand = sample_hand(generator(k, "hand"), opacity=0.5)
        alphas = [hand.alpha(s, width=128, height=128) for s in np.linspace(0.0, 1.0, 21)]
        covered = [float((a > 0.25).mean()) for a in alphas]
        assert COVERAGE[0] <= hand.coverage <= COVERAGE[1]
        assert 0.3 * hand.coverage < max(covered) <= 1.1 * COVERAGE[1], k
        assert covered[0] < 0.35 * max(covered), k
        assert covered[-1] < 0.35 * max(covered), k
        assert max(float(a.max()) for a in alphas) == pytest.approx(0.5)
        assert any(((a > 0.02) & (a < 0.48)).any() for a in alphas)  # its edge is soft


def test_the_fingers_move():
    hand = sample_hand(generator(5, "hand"), opacity=0.5)
    still = replace(hand, path=((0.0, 0.0),) * 3)
    first, later = (still.alpha(s, width=128, height=128) for s in (0.0, 0.5 / hand.curl_rate))
    assert np.abs(first - later).max() == pytest.approx(0.5, abs=0.05)


def test_strengths_are_those_of_the_level():
    full = [sample_degradation(generator(k, "d"), "full", speed=5.0) for k in range(60)]
    hands = [how.hand for how in full if how.hand is not None]
    assert 0.4 < len(hands) / len(full) < 0.8
    assert all(OPACITY[0] <= hand.opacity <= OPACITY[1] for hand in hands)
    light = sample_degradation(generator(0, "d"), "light", speed=5.0)
    assert light.hand is None
    assert light.white_electrons is not None
    assert full[0].white_electrons is not None
    assert full[0].white_electrons < light.white_electrons < IMX477.full_well
    assert sample_degradation(generator(0, "d"), "none", speed=5.0).white_electrons is None


def test_frames_depend_on_their_number_and_the_seed_alone():
    how = Degradation(level="light", speed=1.0, white_electrons=4000.0, hand=None)
    frames = [np.full((8, 8, 3), 0.4)] * 3
    first = list(degraded(frames, how, count=3, seed=1, path="a"))
    np.testing.assert_array_equal(first, list(degraded(iter(frames), how, count=3, seed=1, path="a")))
    assert not np.array_equal(first[0], first[1])
    assert not np.array_equal(first, list(degraded(frames, how, count=3, seed=2, path="a")))


def test_one_thread_encodes_the_same_bytes_and_three_b_frames_are_used(tmp_path):
    ground = cv2.GaussianBlur(generator(0, "ground").uniform(0.0, 255.0, (64, 64, 3)), (0, 0), 3.0)
    moving = []
    for k in range(30):
        picture = np.clip(128.0 + 4.0 * (ground - 128.0), 0.0, 255.0).astype(np.uint8)
        moving.append(cv2.circle(picture, (8 + 2 * k, 32), 6, (220, 30, 30), -1))
    for name in ("a.mp4", "b.mp4"):
        write_video(tmp_path / name, moving, fps=30.0, crf=23, b_frames=3, threads=1)
    assert (tmp_path / "a.mp4").read_bytes() == (tmp_path / "b.mp4").read_bytes()
    import av

    with av.open(str(tmp_path / "a.mp4")) as container:
        kinds = "".join(" IPB"[int(frame.pict_type)] for frame in container.decode(video=0))
    assert "B" in kinds
    assert "BBBB" not in kinds
    with VideoReader(tmp_path / "a.mp4") as video:
        assert len(video) == 30


@pytest.mark.parametrize("measured", [
    lambda: trials.lens_trials((-0.12, 0.02, 0.0015, -0.001, 0.0)),
    lambda: [trials.blur_trial(speed) for speed in (2.0, 10.0)],
    lambda: [*trials.sensor_trials(), *(trials.noise_trial(v) for v in (0.0, 20.0))],
    lambda: [one for seed in (4, 5) for one in trials.hand_trials(seed)],
    trials.codec_trials,
], ids=["lens", "blur", "sensor", "hand", "codec"])  # fmt: skip
def test_pictures_suffer_what_was_asked_for(measured):
    found = measured()
    assert [one.fault for one in found if not one.is_good] == []
    assert len({one.fault for one in found}) == len(found)


def test_another_lens_or_noise_is_not_what_was_asked_for(monkeypatch):
    own = trials._picture
    monkeypatch.setattr(trials, "_picture", lambda world: own(
        replace(world, camera=replace(world.camera, distortion=(-0.11, 0.02, 0.0015, -0.001, 0.0)))
    ))  # fmt: skip
    found = trials.lens_trials((-0.12, 0.02, 0.0015, -0.001, 0.0))
    assert [one.fault for one in found if not one.is_good]
    monkeypatch.setattr("fourdcb.dataset.degrade.apply.IMX477", replace(IMX477, read_noise=60.0))
    assert not trials.noise_trial(5.0).is_good
    assert trials.trial_lines([trials.Trial("x", 1.0, 2.0, 0.5, "px")])[1].endswith("px   OFF")
