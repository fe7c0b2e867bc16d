"""A hand that crosses the view: a palm and five jointed fingers, see-through, with a soft edge."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fourdcb.arrays import F64

# In units of the palm's width; y points to the fingertips. Base (x, y), direction [deg], length, radius.
_FINGERS = (
    (-0.46, -0.05, 48.0, 0.62, 0.125),
    (-0.34, 0.42, 10.0, 0.78, 0.105),
    (-0.11, 0.47, 2.0, 0.88, 0.110),
    (0.12, 0.45, -5.0, 0.82, 0.105),
    (0.34, 0.38, -14.0, 0.64, 0.090),
)
_PALM = ((0.0, 0.3), (0.0, -0.3), (-0.22, -0.3), (-0.2, 0.28), (0.0, 0.32), (0.2, 0.28), (0.22, -0.3))
_PALM_RADIUS = 0.24
_FOREARM = ((0.0, -0.35), (0.0, -1.3), 0.26)
_UNIT_AREA = 2.18  # of the whole silhouette, fingers stretched [palm widths²]
SOFT = 0.06  # half width of the edge [palm widths]
_CURL = math.radians(55.0)  # most that each of two joints bends sideways, seen in the picture
COVERAGE = (0.04, 0.16)  # share of the picture under the hand at its middle


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """A hand on its way.

    Attributes:
        coverage: share of the picture that the stretched hand would cover, all of it in view.
        opacity: where it is densest, in [0, 1].
        color: linear RGB of its skin under unit light.
        path: three control points of its way (a quadratic curve), in picture heights from the centre.
        angle: of the fingers, from up, clockwise [rad].
        curl_rate: bends per clip; curl_phase [rad].
    """

    coverage: float
    opacity: float
    color: tuple[float, float, float]
    path: tuple[tuple[float, float], tuple[float, float], tuple[float, float]]
    angle: float
    curl_rate: float
    curl_phase: float

    def alpha(self, share: float, *, width: int, height: int) -> F64:
        """Opacity of the hand in every pixel at a share of the clip, shape (H, W).

        Args:
            share: of the clip's time, in [0, 1].
            width, height: of the picture [px].
        """
        unit = math.sqrt(self.coverage * width * height / _UNIT_AREA)
        a, b, c = (np.asarray(p) for p in self.path)
        place = (1 - share) ** 2 * a + 2 * share * (1 - share) * b + share**2 * c
        x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
        right = (x - width / 2 - place[0] * height) / unit
        up = -(y - height / 2 - place[1] * height) / unit
        cos, sin = math.cos(self.angle), math.sin(self.angle)
        local = np.stack([right * cos - up * sin, right * sin + up * cos], axis=-1)
        depth = np.clip((SOFT - _distance(local, self._bend(share))) / (2.0 * SOFT), 0.0, 1.0)
        return self.opacity * depth * depth * (3.0 - 2.0 * depth)

    def _bend(self, share: float) -> tuple[float, ...]:
        """Bend of each finger's joints [rad]; the fingers follow one another."""
        turn = 2.0 * math.pi * self.curl_rate * share + self.curl_phase
        return tuple(_CURL * 0.5 * (1.0 - math.cos(turn - 0.5 * k)) for k in range(len(_FINGERS)))


def _distance(points: F64, bends: tuple[float, ...]) -> F64:
    """Signed distance to the silhouette, negative inside, shape of ``points`` without its last axis."""
    found = _chain(points, _PALM, _PALM_RADIUS)
    start, end, radius = _FOREARM
    found = np.minimum(found, _chain(points, (start, end), radius))
    for (x, y, degrees, length, radius), bend in zip(_FINGERS, bends, strict=True):
        chain, angle = [(x, y)], math.radians(degrees)
        side = 1.0 if degrees < 0.0 else -1.0
        for part, turn in ((0.45, 0.0), (0.32, bend), (0.23, bend)):
            angle += side * turn
            x, y = x - math.sin(angle) * part * length, y + math.cos(angle) * part * length
            chain.append((x, y))
        found = np.minimum(found, _chain(points, tuple(chain), radius))
    return found


def _chain(points: F64, corners: tuple[tuple[float, float], ...], radius: float) -> F64:
    """Signed distance to a chain of capsules."""
    nearest = np.full(points.shape[:-1], np.inf)
    for a, b in pairwise(corners):
        start, way = np.asarray(a), np.asarray(b) - np.asarray(a)
        share = np.clip((points - start) @ way / float(way @ way), 0.0, 1.0)
        nearest = np.minimum(nearest, np.linalg.norm(points - start - share[..., None] * way, axis=-1))
    return nearest - radius


def sample_hand(random: np.random.Generator, *, opacity: float) -> Hand:
    """A hand that comes in from one side, dips towards the middle and leaves."""
    side = 1.0 if random.uniform() < 0.5 else -1.0
    coverage = random.uniform(*COVERAGE)
    reach = 0.5 + 1.6 * math.sqrt(coverage)
    skin = random.uniform(0.35, 1.0)
    return Hand(
        coverage=round(coverage, 4),
        opacity=round(opacity, 3),
        color=(round(0.62 * skin, 3), round(0.40 * skin, 3), round(0.29 * skin, 3)),
        path=(
            (round(-side * reach, 3), round(random.uniform(0.1, 0.5), 3)),
            (round(random.uniform(-0.2, 0.2), 3), round(random.uniform(-0.1, 0.2), 3)),
            (round(side * reach, 3), round(random.uniform(0.1, 0.5), 3)),
        ),
        angle=round(side * random.uniform(0.2, 0.9), 3),
        curl_rate=round(random.uniform(0.5, 1.5), 3),
        curl_phase=round(random.uniform(0.0, 2.0 * math.pi), 3),
    )
