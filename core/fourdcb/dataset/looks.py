"""Whether light and surfaces can be seen: what a small change of them changes in the picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fourdcb.dataset.framing import moving
from fourdcb.render import RasterRenderer, RenderSettings
from fourdcb.trajectory import Trajectory
from fourdcb.world import DirectionalLight, Light, Material, World

STRENGTH, TURN_DEG, ROUGHNESS = (
    1.1,
    5.0,
    0.15,
)  # what must show: a tenth, twice and once the judge's thresholds
LEAST_LEVELS, SEEN_SHARE = (
    2.0,
    0.02,
)  # of 255, in this share of the pixels: rounding and a good codec change less
_LOOKS, _LEAST_PIXELS = 3, 60
_Direction = tuple[float, float, float]


def unlit(world: World, trajectory: Trajectory) -> tuple[dict[str, float], list[str]]:
    """(levels of 255 by what was changed, reasons): light that nobody could tell from another.

    Strength and direction of every light must show on some body in some picture. Roughness of the moving
    bodies is measured as well, but is no reason: the judge leaves out what no pixel tells.
    """
    pictures, masks = _drawn(world, trajectory)
    bodies = range(len(world.bodies))
    found, reasons = {}, []
    for k, light in enumerate(world.lights):
        changes: dict[str, Callable[[Light], Light]] = {"intensity": _stronger}
        if isinstance(light, DirectionalLight):
            changes["direction"] = _turned
        for field, change in changes.items():
            lights = (*world.lights[:k], change(light), *world.lights[k + 1 :])
            changed, _ = _drawn(replace(world, lights=lights), trajectory)
            levels = max(_levels(pictures, changed, [mask == i for mask in masks]) for i in bodies)
            found[f"{light.name}.{field}"] = levels
            if levels < LEAST_LEVELS:
                reasons.append(
                    f"light not observable: another {field} of {light.name} changes {SEEN_SHARE:.0%} of no "
                    f"body by {LEAST_LEVELS:.0f} levels, at most by {levels:.1f}"
                )
    for i, obj in moving(world):
        own = [mask == i for mask in masks]
        objects = tuple(
            replace(o, material=_other_gloss(o.material)) if o.name == obj.name else o for o in world.objects
        )
        changed, _ = _drawn(replace(world, objects=objects), trajectory)
        found[f"{obj.name}.roughness"] = _levels(pictures, changed, own)
    return found, reasons


def _stronger(light: Light) -> Light:
    return replace(light, intensity=STRENGTH * light.intensity)


def _turned(light: Light) -> Light:
    """Its whole way along, by the same angle."""
    assert isinstance(light, DirectionalLight)
    curve = tuple(_aside(d) for d in light.direction_curve)
    return replace(light, direction=_aside(light.direction), direction_curve=curve)


def _aside(direction: _Direction) -> _Direction:
    """Turned sideways by :data:`TURN_DEG`, about the upright axis that is at right angles to it."""
    d = np.asarray(direction) / np.linalg.norm(direction)
    up = np.array([1.0, 0.0, 0.0]) if abs(d[2]) > 0.999 else np.array([0.0, 0.0, 1.0])
    axis = up - (up @ d) * d
    axis /= np.linalg.norm(axis)
    angle = np.deg2rad(TURN_DEG)
    x, y, z = np.cos(angle) * d + np.sin(angle) * np.cross(axis, d)
    return (float(x), float(y), float(z))


def _other_gloss(material: Material) -> Material:
    rough = 0.5 if material.roughness is None else material.roughness
    return replace(material, roughness=rough + ROUGHNESS if rough < 0.5 else rough - ROUGHNESS)


def _drawn(
    world: World, trajectory: Trajectory
) -> tuple[list[NDArray[np.float64]], list[NDArray[np.integer]]]:
    """(pictures in levels of 255, instances) at the beginning, in the middle and at the end."""
    renderer = RasterRenderer(world, RenderSettings(supersample=1))
    times = world.frame_times()[np.linspace(0, world.n_frames - 1, _LOOKS).round().astype(int)]
    frames = [renderer.render(trajectory, float(t)) for t in times]
    return [frame.rgb.astype(np.float64) for frame in frames], [frame.instance for frame in frames]


def _levels(
    here: list[NDArray[np.float64]], there: list[NDArray[np.float64]], masks: list[NDArray[np.bool_]]
) -> float:
    """What :data:`SEEN_SHARE` of the pixels change by, in the frame that shows it best; 0 if unseen."""
    changes = [
        np.abs(a - b).max(axis=-1)[m]
        for a, b, m in zip(here, there, masks, strict=True)
        if np.count_nonzero(m) >= _LEAST_PIXELS
    ]
    return max((float(np.quantile(change, 1.0 - SEEN_SHARE)) for change in changes), default=0.0)
