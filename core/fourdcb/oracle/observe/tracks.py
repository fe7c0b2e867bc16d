"""Things of the first frames, followed through a clip by hue and place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F32, F64
from fourdcb.oracle.observe.colours import Mask, hue_distance, shares

_LEAST_AREA = 40  # [px]
_SAME_HUE = 0.16  # L1: pixels of one body, lit and shaded
_TOO_DARK, _TOO_BRIGHT = 0.05, 2.2  # linear sums at which a hue is lost
_LONGEST_GAP = 15  # frames


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """A connected region of a frame: centre [px, centres at +0.5], area [px], shares of red, green, blue."""

    centre: F64
    area: float
    hue: F64
    mask: Mask

    @property
    def diameter(self) -> float:
        """Of a disk of the same area [px]."""
        return 2.0 * float(np.sqrt(self.area / np.pi))


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """One thing, moving or still: its region by frame (None where it was not found) and its hue."""

    regions: tuple[Region | None, ...]
    hue: F64

    def centres(self) -> F64:
        """[px], NaN where not found, shape (T, 2)."""
        return np.array([(np.nan, np.nan) if r is None else tuple(r.centre) for r in self.regions])

    def areas(self) -> F64:
        """[px], NaN where not found, shape (T,)."""
        return np.array([np.nan if r is None else r.area for r in self.regions])


def regions_of(mask: Mask, picture: F32, *, least: float = _LEAST_AREA) -> list[Region]:
    """Connected regions of a mask, the largest first."""
    import cv2

    count, labels, stats, centres = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    found = []
    for i in range(1, count):
        area = float(stats[i, cv2.CC_STAT_AREA])
        if area >= least:
            own = labels == i
            found.append(Region(np.asarray(centres[i]) + 0.5, area, _hue_of(picture[own]), own))
    return sorted(found, key=lambda r: -r.area)


def split_by_hue(region: Region, picture: F32, *, least: float = _LEAST_AREA) -> list[Region]:
    """Parts of a region of one hue each: two bodies that touch in the picture are two."""
    found, rest = [], region.mask.copy()
    for _ in range(6):
        pieces = regions_of(_opened(rest), picture, least=least)
        if not pieces:
            break
        hue = _hue_of(_core(pieces[0].mask, picture))
        own = rest & ((np.abs(shares(picture) - hue).sum(axis=-1) < _SAME_HUE) | _hueless(picture))
        parts = regions_of(own & _grown(pieces[0].mask), picture, least=least)
        if not parts:
            break
        found.append(parts[0])
        rest &= ~_grown(parts[0].mask)
    return found


def follow(
    seed: Region, first: int, pictures: Sequence[F32], rivals: F64, moving: Sequence[Mask] | None
) -> Track:
    """Follow a thing from the frame in which it was found, forwards and back.

    A pixel is its own when its hue is nearer to the thing's than to any rival's (grounds, other things).

    Args:
        seed: the thing in frame ``first``.
        pictures: linear radiance.
        rivals: other hues, shape (R, 3).
        moving: pixels that leave the background, for things as muted as the ground; None for vivid ones.
    """
    hue = _hue_of(_core(seed.mask, pictures[first]))
    found: dict[int, Region] = {}
    for order in (range(first, len(pictures)), range(first - 1, -1, -1)):
        last, gap, speed = seed, 0, np.zeros(2)
        for k in order:
            allowed = None if moving is None else moving[k]
            region = _own(pictures[k], hue, rivals, last, last.centre + (1 + gap) * speed, gap, allowed)
            if region is None:
                gap += 1
                if gap > _LONGEST_GAP:
                    break
                continue
            if region.area > 0.6 * last.area:
                speed = (region.centre - last.centre) / (1 + gap)
            last, gap = (region if region.area > 0.5 * last.area else last), 0
            found[k] = region
    return Track(tuple(found.get(k) for k in range(len(pictures))), hue)


def _own(
    picture: F32, hue: F64, rivals: F64, last: Region, place: F64, gap: int, allowed: Mask | None
) -> Region | None:
    reach = 0.9 * last.diameter + 0.3 * gap * last.diameter + 4.0
    window = _window(picture, (place, last.centre), reach + last.diameter)
    part = picture[window]
    own = hue_distance(part, hue[None])
    near_hue = own < 2.5 * _SAME_HUE
    if len(rivals):
        near_hue &= own < hue_distance(part, rivals)
    near_hue &= part.sum(axis=-1) > 0.02
    if allowed is not None:
        near_hue &= allowed[window]
    mask = np.zeros(picture.shape[:2], np.bool_)
    mask[window] = near_hue
    found = regions_of(_opened(mask), picture, least=12)
    near = [r for r in found if _gap(r, place, last) < reach]
    if not near:
        return None
    large = max(near, key=lambda r: r.area)
    # What lies in front may cut a body in two: its parts are one again.
    parts = [r for r in near if r is large or float(np.linalg.norm(r.centre - large.centre)) < last.diameter]
    if len(parts) == 1:
        return large
    whole = np.any([r.mask for r in parts], axis=0)
    rows, columns = np.nonzero(whole)
    centre = np.array([columns.mean() + 0.5, rows.mean() + 0.5])
    return Region(centre, float(whole.sum()), large.hue, whole)


def _window(picture: F32, places: Sequence[F64], reach: float) -> tuple[slice, slice]:
    low = np.min(places, axis=0) - reach
    high = np.max(places, axis=0) + reach
    (left, top), (right, bottom) = np.maximum(low, 0).astype(int), np.maximum(high, 1).astype(int)
    left, top = min(left, picture.shape[1] - 1), min(top, picture.shape[0] - 1)
    return slice(top, max(bottom, top + 1)), slice(left, max(right, left + 1))


def _gap(region: Region, place: F64, last: Region) -> float:
    return min(float(np.linalg.norm(region.centre - p)) for p in (place, last.centre))


def _hue_of(pixels: F32) -> F64:
    """Median shares of linear pixels (P, 3)."""
    middle = np.median(shares(pixels), axis=0).astype(np.float64)
    return np.asarray(middle / max(float(middle.sum()), 1e-9))


def _core(mask: Mask, picture: F32) -> F32:
    import cv2

    core = cv2.erode(mask.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    return picture[core] if core.any() else picture[mask]


def _hueless(picture: F32) -> Mask:
    total = picture.sum(axis=-1)
    return np.asarray((total < _TOO_DARK) | (total > _TOO_BRIGHT))


def _opened(mask: Mask) -> Mask:
    import cv2

    kernel = np.ones((2, 2), np.uint8)
    return np.asarray(cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, kernel) > 0)


def _grown(mask: Mask) -> Mask:
    import cv2

    return np.asarray(cv2.dilate(mask.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0)
