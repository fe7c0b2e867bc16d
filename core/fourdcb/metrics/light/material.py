"""Material-light axis: the candidate's surfaces and lights on the reference's motion, shapes and camera."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from fourdcb.arrays import F64, Mask
from fourdcb.metrics.geometry.surface import Part
from fourdcb.metrics.light.appearance import stand_ins, transfer_appearance
from fourdcb.metrics.light.brdf import Highlight, Surface, solve
from fourdcb.metrics.light.lighting import incoming, light_tint
from fourdcb.metrics.matching import Matching
from fourdcb.world import Material, World
from fourdcb.world.camera import unproject
from fourdcb.world.looks import stated_look

if TYPE_CHECKING:
    from fourdcb.render import Frame, RasterRenderer
    from fourdcb.replay import Replay
    from fourdcb.trajectory import Trajectory

_FRAMES = 5
_MIN_PIXELS = 20
_MAX_PIXELS = 300
_ENOUGH_PIXELS = 5000
_HIGHLIGHT_COSINE = float(np.cos(np.deg2rad(20.0)))
_FLOOR = 0.01
_NOISE = 2  # of 255: rounding and a good codec change as much
_SEEN_SHARE = 0.02  # of a body's pixels
_FEW_PIXELS = 4
BACKGROUND = "the background"


@dataclass(frozen=True, slots=True, kw_only=True)
class SurfaceGap:
    """One reference body's surface in both worlds.

    Attributes:
        method: "highlight" when solved from pixels, "script" when no highlight is visible, "unseen" when
            exchanging the scripts' values changes no picture either.
        reference, candidate: the surfaces that were compared.
        script: largest of |Δroughness| and |Δmetallic| between the scripts.
        frame: where the highlight shows best, else None.
    """

    method: str
    reference: Surface
    candidate: Surface
    script: float
    frame: int | None

    @property
    def error(self) -> float:
        """max(|Δroughness|, |Δmetallic|); what nobody can see is no error."""
        if self.method == "unseen":
            return 0.0
        return max(
            abs(self.candidate.roughness - self.reference.roughness),
            abs(self.candidate.metallic - self.reference.metallic),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Appearance:
    """Pictures of both worlds' surfaces compared, by reference body name.

    ``stops`` and ``tint`` also hold :data:`BACKGROUND`, where the reference shows it.

    Attributes:
        surfaces: roughness and metallic.
        stops: median |log2 radiance ratio|, worst frame and channel.
        tint: median log2 radiance ratio in that frame, candidate to reference, by channel.
        worst_frame: that frame.
        shown_by: the candidate's body that was looked at there, where another one than the stand-in shows a
            part.
    """

    surfaces: Mapping[str, SurfaceGap]
    stops: Mapping[str, float]
    tint: Mapping[str, tuple[float, float, float]]
    worst_frame: Mapping[str, int]
    shown_by: Mapping[str, str] = field(default_factory=dict)


def compare_appearance(
    reference: Replay, candidate: Replay, matching: Matching, *, also: int | None = None
) -> Appearance:
    """Draw both on a few frames, and on frame ``also``, and compare surfaces and radiance."""
    worlds = (reference.world, transfer_appearance(reference.world, candidate.world, matching))
    frames = sorted({*_chosen_frames(reference.trajectory), *(() if also is None else (also,))})
    pictures = _draw_both(worlds, reference.trajectory, frames, shadows=True)
    bare = [replace(world, ambient=0.0, background=(0.0, 0.0, 0.0)) for world in worlds]
    direct = _draw_both((bare[0], bare[1]), reference.trajectory, frames, shadows=False)
    partner = stand_ins(matching)
    surfaces: dict[str, SurfaceGap] = {}
    worst: dict[str, tuple[int, F64]] = {}
    sky = [_thinned(picture.instance < 0) for picture in pictures[0]]
    if sum(int(m.sum()) for m in sky) >= _MIN_PIXELS:
        worst[BACKGROUND] = _worst_ratio(frames, pictures, sky)
    for i, body in enumerate(reference.world.bodies):
        masks = [_thinned(picture.instance == i) for picture in pictures[0]]
        if body.name not in partner or sum(int(m.sum()) for m in masks) < _MIN_PIXELS:
            continue
        worst[body.name] = _worst_ratio(frames, pictures, masks)
        lit = [[m & (p.shadow < 0.5) for m, p in zip(masks, side, strict=True)] for side in pictures]
        own = _Views(bare[0], direct[0], frames, lit[0])
        alike = direct[0] is direct[1] and pictures[0] is pictures[1]
        other = own if alike else _Views(bare[1], direct[1], frames, lit[1])
        gap = _surface_gap(worlds, i, own, other)
        if gap.method == "script" and _unseen(worlds, i, reference.trajectory, frames, pictures[0]):
            gap = replace(gap, method="unseen")
        surfaces[body.name] = gap
    shown_by = _look_at_parts(reference, candidate, matching, frames, pictures[0], worst)
    return Appearance(
        surfaces=surfaces,
        stops={name: _stops(ratio) for name, (_, ratio) in worst.items()},
        tint={name: _median_tint(ratio) for name, (_, ratio) in worst.items()},
        worst_frame={name: frame for name, (frame, _) in worst.items()},
        shown_by=shown_by,
    )


def _look_at_parts(
    reference: Replay,
    candidate: Replay,
    matching: Matching,
    frames: list[int],
    pictures: list[Frame],
    worst: dict[str, tuple[int, F64]],
) -> dict[str, str]:
    """Enter those parts of static bodies into ``worst`` that look more wrong than the rest of the body.

    A body may be made of several, and each is looked at where it is seen.

    Returns:
        Reference body → the candidate's body that shows the part.
    """
    index = {body.name: i for i, body in enumerate(reference.world.bodies)}
    shown_by: dict[str, str] = {}
    for layer in _layers(matching.static.parts):
        parts = {part.reference: part.candidate for part in layer}
        world = transfer_appearance(reference.world, candidate.world, matching, parts=parts)
        drawn = _draw(world, reference.trajectory, frames, shadows=True)
        for part in layer:
            where = _enlarged(part.where, pictures[0].instance.shape)
            masks = [_thinned((picture.instance == index[part.reference]) & where) for picture in pictures]
            if sum(int(m.sum()) for m in masks) < _MIN_PIXELS:
                continue
            found = _worst_ratio(frames, [pictures, drawn], masks)
            if part.reference not in worst or _stops(found[1]) > _stops(worst[part.reference][1]):
                worst[part.reference], shown_by[part.reference] = found, part.candidate
    return shown_by


def _layers(parts: tuple[Part, ...]) -> list[list[Part]]:
    """Parts that can be drawn together: one of each reference body."""
    layers: list[list[Part]] = []
    for part in parts:
        free = (layer for layer in layers if all(part.reference != other.reference for other in layer))
        layer = next(free, None)
        if layer is None:
            layers.append([part])
        else:
            layer.append(part)
    return layers


def _enlarged(grid: Mask, shape: tuple[int, ...]) -> Mask:
    """A grid over the picture, each cell repeated for the pixels whose centres lie in it."""
    rows, columns = (
        ((np.arange(n) + 0.5) / n * m).astype(int) for n, m in zip(shape, grid.shape, strict=True)
    )
    return grid[np.ix_(rows, columns)]


def _chosen_frames(trajectory: Trajectory) -> list[int]:
    n = trajectory.n_frames
    return sorted({int((k + 0.5) / _FRAMES * n) for k in range(_FRAMES)})


def _draw(world: World, trajectory: Trajectory, frames: list[int], *, shadows: bool) -> list[Frame]:
    renderer = _renderer(world, shadows=shadows)
    return [renderer.render(trajectory, k / trajectory.fps, aux=True) for k in frames]


def _draw_both(
    worlds: tuple[World, World], trajectory: Trajectory, frames: list[int], *, shadows: bool
) -> list[list[Frame]]:
    """Both worlds on one motion; worlds that look the same are drawn once."""
    renderer = _renderer(worlds[0], shadows=shadows)
    first = [renderer.render(trajectory, k / trajectory.fps, aux=True) for k in frames]
    same_light = worlds[0].lights == worlds[1].lights and worlds[0].exposure == worlds[1].exposure
    if same_light and renderer.for_world(worlds[1]) is renderer:
        return [first, first]
    return [first, _draw(worlds[1], trajectory, frames, shadows=shadows)]


def _renderer(world: World, *, shadows: bool) -> RasterRenderer:
    from fourdcb.render import RasterRenderer, RenderSettings

    return RasterRenderer(world, RenderSettings(samples=1, supersample=1, shadows=shadows))


def _thinned(mask: Mask) -> Mask:
    """At most about 5000 of the pixels, spread evenly: a floor fills half the picture."""
    chosen = np.flatnonzero(mask)
    thin = np.zeros(mask.size, dtype=bool)
    thin[chosen[:: 1 + len(chosen) // _ENOUGH_PIXELS]] = True
    return thin.reshape(mask.shape)


def _worst_ratio(frames: list[int], pictures: list[list[Frame]], masks: list[Mask]) -> tuple[int, F64]:
    """The frame whose masked pixels differ most, and log2 of their radiance ratio there, shape (P, 3).

    Frames that show few pixels are left out; where all do, their pixels count as those of one frame.
    """
    ratios = [
        np.log2((b.linear[m].astype(np.float64) + _FLOOR) / (a.linear[m].astype(np.float64) + _FLOOR))
        for a, b, m in zip(*pictures, masks, strict=True)
    ]
    enough = [(k, ratio) for k, ratio in zip(frames, ratios, strict=True) if len(ratio) >= _MIN_PIXELS]
    if not enough:
        return frames[int(np.argmax([len(ratio) for ratio in ratios]))], np.concatenate(ratios)
    return max(enough, key=lambda pair: _stops(pair[1]))


def _stops(ratio: F64) -> float:
    """Median size of a log2 ratio [P, 3], worst channel."""
    return float(np.median(np.abs(ratio), axis=0).max())


def _median_tint(ratio: F64) -> tuple[float, float, float]:
    red, green, blue = (float(v) for v in np.median(ratio, axis=0))
    return red, green, blue


def _surface_gap(worlds: tuple[World, World], body: int, own: _Views, other: _Views) -> SurfaceGap:
    scripts = [_stated(world, body) for world in worlds]
    script = max(
        abs(scripts[0].roughness - scripts[1].roughness), abs(scripts[0].metallic - scripts[1].metallic)
    )
    surface = own.surface()
    candidate = surface if other is own else other.surface()
    if surface is None or candidate is None:
        return SurfaceGap(
            method="script", reference=scripts[0], candidate=scripts[1], script=script, frame=None
        )
    return SurfaceGap(
        method="highlight", reference=surface, candidate=candidate, script=script, frame=own.best_frame()
    )


def _unseen(
    worlds: tuple[World, World], body: int, trajectory: Trajectory, frames: list[int], truth: list[Frame]
) -> bool:
    """Whether the truth's pictures stay the same in the candidate's roughness and metallic of one body."""
    own, other = (_stated(world, body) for world in worlds)
    if (own.roughness, own.metallic) == (other.roughness, other.metallic):
        return False
    changed = _resurfaced(worlds[0], worlds[0].bodies[body].name, other)
    for a, b in zip(truth, _draw(changed, trajectory, frames, shadows=True), strict=True):
        mask = a.instance == body
        levels = np.abs(a.rgb[mask].astype(np.int16) - b.rgb[mask]).max(axis=-1, initial=0)
        if np.count_nonzero(levels > _NOISE) >= max(_FEW_PIXELS, _SEEN_SHARE * len(levels)):
            return False
    return True


def _resurfaced(world: World, name: str, surface: Surface) -> World:
    def of(material: Material) -> Material:
        return replace(material, roughness=surface.roughness, metallic=surface.metallic)

    return replace(
        world,
        objects=tuple(replace(o, material=of(o.material)) if o.name == name else o for o in world.objects),
        planes=tuple(replace(p, material=of(p.material)) if p.name == name else p for p in world.planes),
    )


def _stated(world: World, body: int) -> Surface:
    look = stated_look(world.bodies[body], world)
    return Surface(look.roughness, look.metallic, 0.0)


class _Views:
    """One body in the chosen frames of one world: finds the highlight and collects its pixels."""

    def __init__(self, world: World, pictures: list[Frame], frames: list[int], masks: list[Mask]) -> None:
        self._world, self._frames = world, frames
        self._parts = [self._part(k, p, m) for k, p, m in zip(frames, pictures, masks, strict=True)]

    def surface(self) -> Surface | None:
        """What the highlight's pixels tell, or None without a highlight."""
        highlight = self.highlight()
        return None if highlight is None else solve(highlight)

    def highlight(self) -> Highlight | None:
        """The pixels nearest to mirror reflection, or None when too few are near it."""
        parts = [part for part in self._parts if part is not None]
        if not parts:
            return None
        gloss = np.concatenate([part[0] for part in parts])
        if np.count_nonzero(gloss > _HIGHLIGHT_COSINE) < _MIN_PIXELS:
            return None
        keep = np.argsort(-gloss, kind="stable")[:_MAX_PIXELS]
        joined = {
            name: np.concatenate([getattr(part[1], name) for part in parts], axis=-2)[..., keep, :]
            for name in ("radiance", "base", "normal", "view", "light", "irradiance")
        }
        return Highlight(**joined)

    def best_frame(self) -> int | None:
        """The chosen frame with most highlight pixels."""
        counts = [0 if p is None else int(np.count_nonzero(p[0] > _HIGHLIGHT_COSINE)) for p in self._parts]
        return self._frames[int(np.argmax(counts))] if max(counts, default=0) else None

    def _part(self, frame: int, picture: Frame, mask: Mask) -> tuple[F64, Highlight] | None:
        world = self._world
        if not mask.any() or not world.lights:
            return None
        points = unproject(world.camera, np.argwhere(mask)[:, ::-1] + 0.5, picture.depth[mask])
        view = np.asarray(world.camera.pos) - points
        view /= np.linalg.norm(view, axis=-1, keepdims=True)
        times = np.full(len(points), frame / world.fps)
        arrivals = np.stack([incoming(light, points, times, world.duration) for light in world.lights])
        strength = np.linalg.norm(arrivals, axis=-1, keepdims=True)
        if not strength.max() > 0:
            return None
        towards = arrivals / np.maximum(strength, 1e-30)
        tint = np.stack([light_tint(light.color) for light in world.lights])[:, None, :]
        normal = picture.normal[mask].astype(np.float64)
        pixels = Highlight(
            radiance=picture.linear[mask].astype(np.float64),
            base=picture.albedo[mask].astype(np.float64),
            normal=normal,
            view=view,
            light=towards,
            irradiance=strength * tint,
        )
        half = towards[int(np.argmax(strength.max(axis=(1, 2))))] + view
        half /= np.maximum(np.linalg.norm(half, axis=-1, keepdims=True), 1e-12)
        return np.sum(normal * half, axis=-1), pixels
