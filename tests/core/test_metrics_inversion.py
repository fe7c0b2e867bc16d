"""Roughness and metallic are found again over their whole range, in raster and in path-traced pictures."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from fourdcb.metrics.light.brdf import solve
from fourdcb.metrics.light.material import _Views
from fourdcb.render import Frame, RasterRenderer, RenderSettings
from fourdcb.world import Camera, DirectionalLight, Material, Object, Plane, World

GRID = list(product((0.15, 0.3, 0.45, 0.6, 0.8), (0.0, 0.3, 0.7, 1.0)))
POSES = (np.array([[0.0, 0.0, 0.15], [0.0, 0.0, 0.0]]), np.array([[1.0, 0.0, 0.0, 0.0]] * 2))
SETTINGS = RenderSettings(supersample=1, shadows=False)


def scene(roughness: float, metallic: float) -> World:
    look = Material(base_color=(0.7, 0.4, 0.2), roughness=roughness, metallic=metallic)
    ball = Object(
        name="ball", geometry="sphere", size=(0.3, 0.3, 0.3), pos=(0, 0, 0.15), vel=(0, 0, 0), acc=(0, 0, 0),
        material=look,
    )  # fmt: skip
    return World(
        duration=0.1, fps=10, objects=(ball,), planes=(Plane(name="floor"),),
        lights=(DirectionalLight(name="sun", direction=(-0.45, 0.55, -0.75), intensity=4.0),),
        camera=Camera(pos=(0.0, -0.75, 0.45), target=(0, 0, 0.15), width=64, height=64),
        ambient=0.0, background=(0.0, 0.0, 0.0),
    )  # fmt: skip


def error(world: World, picture: Frame) -> float:
    """max(|Δroughness|, |Δmetallic|) of what is found from a picture of ``world``."""
    mask = (picture.instance == 0) & (picture.shadow < 0.5)
    highlight = _Views(world, [picture], [0], [mask]).highlight()
    assert highlight is not None
    found, truth = solve(highlight), world.objects[0].material
    return max(abs(found.roughness - truth.roughness), abs(found.metallic - truth.metallic))


def test_raster_pictures_over_the_whole_grid() -> None:
    errors = []
    for roughness, metallic in GRID:
        world = scene(roughness, metallic)
        errors.append(error(world, RasterRenderer(world, SETTINGS).render(POSES, 0.0)))
    assert np.mean(errors) < 0.05
    assert max(errors) < 0.15


def traced_error(roughness: float, metallic: float, *, spp: int) -> float:
    from fourdcb.render.pathtrace import PathSettings, PathTracer

    world = scene(roughness, metallic)
    tracer = PathTracer(world, PathSettings(spp=spp), RenderSettings(supersample=1))
    return error(world, tracer.render(POSES, 0.0))


def test_path_traced_pictures() -> None:
    """Interreflection with the floor included, which the surface model knows nothing of."""
    pytest.importorskip("mitsuba")
    errors = [traced_error(*cell, spp=64) for cell in ((0.2, 0.0), (0.35, 1.0), (0.5, 0.5), (0.75, 0.0))]
    assert np.mean(errors) < 0.15


@pytest.mark.slow
def test_path_traced_pictures_over_the_whole_grid() -> None:
    pytest.importorskip("mitsuba")
    errors = [traced_error(*cell, spp=128) for cell in GRID]
    assert np.mean(errors) < 0.15
