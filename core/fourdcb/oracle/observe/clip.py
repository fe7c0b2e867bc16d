"""A clip observed: background, bodies that move, still things, outlines, shadows, and kinks of the paths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F32, F64
from fourdcb.metrics.pictures.motion import background_indices, background_of
from fourdcb.oracle.observe.colours import (
    Image,
    Mask,
    aside,
    brighter,
    gain_of,
    grounds_of,
    hue_distance,
    linear,
    luma_differs,
)
from fourdcb.oracle.observe.outlines import DIRECTIONS, outline_of, touches_border
from fourdcb.oracle.observe.tracks import Region, Track, follow, regions_of, split_by_hue
from fourdcb.replay import FrameSequence

MOST_THINGS = 12
_FIRST = 3  # frames in which things are looked for: what comes later walks in front of the camera
_VIVID = 0.15  # L1 distance of the shares from every ground
_LEAST_SEEN = 0.5  # of the shot
_LEAST_WHOLE = 0.25  # of the shot in which a body is seen whole
_WHOLE = 0.88  # of a region's usual area: less is taken for hidden in part
_LEAST_AREA = 40  # [px]
_CUT = 0.5  # of all pixels that change between two frames: another shot
_MOVES = 1.5  # [px] that a centre leaves its median place
_SURE, _SURE_HUE = 0.5, 0.25  # times the distance from the grounds' hues; L1
_SHADOW = (0.2, 0.9)  # share of the light that a shadow leaves


@dataclass(frozen=True, slots=True, eq=False)
class ObservedThing:
    """One thing of one hue.

    Attributes:
        moves: whether it does.
        outline: support function by frame [px], NaN where it is not seen whole, shape (T, D).
        centre [px] (T, 2), area [px] (T,): of the seen region, NaN where not found.
        hue: shares of red, green, blue, shape (3,).
        masks: by frame, None where not found.
        kinks: frames at which its path turns sharply.
    """

    moves: bool
    outline: F64
    centre: F64
    area: F64
    hue: F64
    masks: tuple[Mask | None, ...]
    kinks: tuple[int, ...]

    @property
    def whole(self) -> NDArray[np.bool_]:
        """Frames in which it is seen whole, shape (T,)."""
        return np.asarray(np.isfinite(self.outline[:, 0]))


@dataclass(frozen=True, slots=True, eq=False)
class ClipObservation:
    """What a clip shows.

    Attributes:
        background: what stands still, sRGB, shape (H, W, 3), without the bodies.
        bodies: what moves, the largest first; still: vivid things that do not.
        shadows: by frame of the shot, shape (T, H, W).
        end: frames of the first shot.
        notes: what its reader must know.
    """

    background: Image
    bodies: tuple[ObservedThing, ...]
    still: tuple[ObservedThing, ...]
    shadows: NDArray[np.bool_]
    end: int
    notes: tuple[str, ...]


def observe_clip(frames: FrameSequence) -> ClipObservation:
    """Observe a clip.

    Args:
        frames: sRGB, uint8, shape (T, H, W, 3), of at most 256 px a side.
    """
    pictures = [linear(frames[k]) for k in range(len(frames))]
    end = _first_cut(pictures)
    shot = pictures[:end]
    notes = (
        [f"the clip is cut at frame {end}: only the shot before it is looked at"] if end < len(frames) else []
    )
    rough = linear(background_of([frames[k] for k in background_indices(end)]))
    grounds = grounds_of(rough)
    seeds = _seeds(shot, rough, grounds)
    if len(seeds) > MOST_THINGS:
        notes.append(f"{len(seeds)} things are seen; the {MOST_THINGS} largest are followed")
    tracks = [t for t in _followed(seeds[:MOST_THINGS], shot, rough, grounds) if _is_seen(t, end)]
    background = _uncovered(frames, end, tracks)
    behind = linear(background)
    things = [t for t in (_observed(t, shot, behind, grounds) for t in tracks) if _is_thing(t, end)]
    shadows = np.stack([_shadow(p, behind) for p in shot])
    return ClipObservation(
        background=background,
        bodies=tuple(t for t in things if t.moves),
        still=tuple(t for t in things if not t.moves),
        shadows=shadows,
        end=end,
        notes=tuple(notes),
    )


def _first_cut(pictures: list[F32]) -> int:
    for k in range(1, len(pictures)):
        now, before = pictures[k][::4, ::4], pictures[k - 1][::4, ::4]
        if float((np.abs(now - before).max(axis=-1) > 0.06).mean()) > _CUT:
            return k
    return len(pictures)


def _seeds(shot: list[F32], rough: F32, grounds: F64) -> list[tuple[int, Region, bool]]:
    """(frame, region, is vivid) of every thing in the first frames, the largest first."""
    found: list[tuple[int, Region, bool]] = []
    taken = np.zeros(rough.shape[:2], np.bool_)
    for k in range(min(_FIRST, len(shot))):
        picture = shot[k] / np.float32(gain_of(shot[k], rough))
        vivid = hue_distance(picture, grounds) > _VIVID
        for mask, is_vivid in ((vivid, True), (brighter(picture, rough) & ~vivid, False)):
            for region in regions_of(mask, picture):
                for part in split_by_hue(region, picture) if is_vivid else [region]:
                    if not (part.mask & taken).any():
                        found.append((k, part, is_vivid))
                        taken |= _near(part.mask)
    return sorted(found, key=lambda s: -s[1].area)


def _followed(
    seeds: list[tuple[int, Region, bool]], shot: list[F32], rough: F32, grounds: F64
) -> list[Track]:
    tracks = []
    for i, (k, region, is_vivid) in enumerate(seeds):
        others = [s[1].hue for j, s in enumerate(seeds) if j != i]
        rivals = np.array([h for h in others if np.abs(h - region.hue).sum() > 0.08])
        if is_vivid:
            known = np.concatenate([grounds, rivals]) if len(rivals) else grounds
            tracks.append(follow(region, k, shot, known, None))
        else:
            moving = [aside(p / np.float32(gain_of(p, rough)), rough, bright=True) > 0.06 for p in shot]
            tracks.append(follow(region, k, shot, rivals, moving))
    return tracks


def _is_seen(track: Track, end: int) -> bool:
    return sum(r is not None for r in track.regions) >= max(2, _LEAST_SEEN * end)


def _is_thing(thing: ObservedThing, end: int) -> bool:
    """A body must be seen whole for a part of the shot; smears of the background never are."""
    if float(np.nanmedian(thing.area)) < _LEAST_AREA:
        return False
    return not thing.moves or int(thing.whole.sum()) >= max(2, _LEAST_WHOLE * end)


def _uncovered(frames: FrameSequence, end: int, tracks: list[Track]) -> Image:
    """Median of every pixel over the frames in which no moving body covers it."""
    chosen = background_indices(end)
    moving = [t for t in tracks if _travels(t.centres(), t.areas())]
    stack = np.stack([frames[k] for k in chosen]).astype(np.float32)
    for n, k in enumerate(chosen):
        for track in moving:
            region = track.regions[k]
            if region is not None:
                stack[n][_near(region.mask)] = np.nan
    gone = np.asarray(np.isnan(stack[..., 0]).all(axis=0))
    stack[:, gone] = 0.0
    picture = np.nanmedian(stack, axis=0).astype(np.uint8)
    return _filled(picture, gone)


def _filled(picture: Image, gone: Mask) -> Image:
    import cv2

    if not gone.any():
        return picture
    return np.asarray(cv2.inpaint(picture, gone.astype(np.uint8), 5, cv2.INPAINT_TELEA), dtype=np.uint8)


def _near(mask: Mask) -> Mask:
    import cv2

    return np.asarray(cv2.dilate(mask.astype(np.uint8), np.ones((3, 3), np.uint8), iterations=2) > 0)


def _travels(centres: F64, areas: F64) -> bool:
    """Whether a thing leaves its place, looked at where nothing hides part of it."""
    whole = areas > _WHOLE * np.nanpercentile(areas, 60.0)
    known = centres[np.isfinite(centres[:, 0]) & whole]
    if len(known) < 2:
        return False
    return float(np.percentile(np.linalg.norm(known - np.median(known, axis=0), axis=-1), 95.0)) > _MOVES


def _observed(track: Track, shot: list[F32], behind: F32, grounds: F64) -> ObservedThing:
    areas, centres = track.areas(), track.centres()
    vivid = float(np.abs(grounds - track.hue).sum(axis=-1).min()) > _VIVID
    outline = np.full((len(shot), DIRECTIONS), np.nan)
    for k, region in enumerate(track.regions):
        if region is None or touches_border(region.mask):
            continue
        around = areas[max(0, k - 7) : k + 8]
        if region.area < _WHOLE * float(np.nanpercentile(around, 75.0)):
            continue
        strength = aside(shot[k], behind, bright=not vivid)
        own = hue_distance(shot[k], track.hue[None])
        sure = (own < _SURE * hue_distance(shot[k], grounds)) & (own < _SURE_HUE)
        sure &= luma_differs(shot[k], behind)
        if (found := outline_of(region.mask, strength, sure)) is not None:
            outline[k] = found
    masks = tuple(None if r is None else r.mask for r in track.regions)
    moves = _travels(centres, areas)
    return ObservedThing(moves, outline, centres, areas, track.hue, masks, _kinks(centres) if moves else ())


def _shadow(picture: F32, behind: F32) -> Mask:
    """Pixels that keep the background's hue and lose light."""
    light = picture.sum(axis=-1) / np.maximum(behind.sum(axis=-1), 1e-3) / gain_of(picture, behind)
    off = aside(picture, behind, bright=False)
    dark = (light > _SHADOW[0]) & (light < _SHADOW[1])
    return np.asarray(dark & (off < 0.06 * np.linalg.norm(behind, axis=-1)))


def _kinks(centre: F64) -> tuple[int, ...]:
    """Frames at which the velocity in the picture jumps: by more than the second difference of a throw."""
    jump = np.linalg.norm(centre[2:] - 2.0 * centre[1:-1] + centre[:-2], axis=-1)
    usual = float(np.nanmedian(jump)) if np.isfinite(jump).any() else 0.0
    found: list[int] = []
    for i in np.flatnonzero(np.nan_to_num(jump) > max(1.2, 4.0 * usual)):
        if not found or i + 1 - found[-1] > 2:
            found.append(int(i) + 1)
    return tuple(found)
