"""How strong a sample's degradations are: more, the faster its picture moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from fourdcb.dataset.degrade.occluder import Hand, sample_hand
from fourdcb.dataset.degrade.sensor import IMX477
from fourdcb.world.camera import Coefficients

Level = Literal["none", "light", "full"]
LEVELS: tuple[Level, ...] = get_args(Level)
CRF, B_FRAMES = 23, 3
# Noise: white frees full_well / (BASE + SLOPE · v) electrons, v in pixels a frame at 256 px, up to FASTEST.
BASE: dict[Level, float] = {"none": 1.0, "light": 1.0, "full": 1.5}
SLOPE: dict[Level, float] = {"none": 0.0, "light": 0.1, "full": 0.4}
FASTEST = 20.0
LENS: dict[Level, float] = {"none": 0.0, "light": 0.04, "full": 0.12}  # largest |k1|
OPACITY = (0.35, 0.75)
HAND_SHARE, HAND_SLOPE = 0.5, 0.02  # of full samples with a hand: at rest, and more a pixel a frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Degradation:
    """All that was done to a clean clip, exactly.

    Attributes:
        level: none, light or full.
        speed: 95th percentile of the fastest motion between two frames [px at 256], which sets the rest.
        white_electrons: that white frees; None without noise.
        hand: the occluder, if there is one.
        crf, b_frames: of the H.264 encoder (yuv420p).
    """

    level: Level
    speed: float
    white_electrons: float | None
    hand: Hand | None
    crf: int = CRF
    b_frames: int = B_FRAMES


def sample_lens(random: np.random.Generator, level: Level) -> Coefficients:
    """Brown-Conrady coefficients of a sample's camera; zeros for ``none``.

    They are the world's own camera's, so that the script that is asked for is the one that replays.
    """
    most = LENS[level]
    k1, k2, p1, p2 = random.uniform(-1.0, 1.0, 4) * (most, most / 4, most / 60, most / 60)
    if most == 0.0:
        return (0.0, 0.0, 0.0, 0.0, 0.0)
    return (round(float(k1), 4), round(float(k2), 4), round(float(p1), 5), round(float(p2), 5), 0.0)


def noise_gain(level: Level, speed: float) -> float:
    """How many times fewer photons white has than the full well holds: faster needs a shorter exposure."""
    return BASE[level] + SLOPE[level] * min(max(speed, 0.0), FASTEST)


def sample_degradation(random: np.random.Generator, level: Level, *, speed: float) -> Degradation:
    """What a clip of this speed [px a frame] suffers at this level."""
    speed = round(speed, 3)
    if level == "none":
        return Degradation(level=level, speed=speed, white_electrons=None, hand=None)
    hand, share = None, HAND_SHARE + HAND_SLOPE * min(speed, FASTEST)
    opacity = random.uniform(*OPACITY)
    if level == "full" and random.uniform() < share:
        hand = sample_hand(random, opacity=opacity)
    white = round(IMX477.full_well / noise_gain(level, speed), 1)
    return Degradation(level=level, speed=speed, white_electrons=white, hand=hand)
