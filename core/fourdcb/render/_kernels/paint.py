"""The one kernel that draws and shades bodies over the static layer, at one pose or at many."""

from __future__ import annotations

from fourdcb.kernels.jit import inline, kernel
from fourdcb.render._kernels.arrays import (
    F32,
    F64,
    I32,
    U8,
    Drawn,
    Layer,
    Lights,
    Materials,
    Mesh,
    Scratch,
    Shadows,
    View,
)
from fourdcb.render._kernels.draw import draw_maps, place_bodies
from fourdcb.render._kernels.rasterise import rasterise_body
from fourdcb.render._kernels.shade import add_covering, add_shadows, shade_tile

RESTORE, PLACE, RASTER, MAPS, SHADE, CHANGE = 1, 2, 4, 8, 16, 32
DRAW = RESTORE | PLACE | RASTER | MAPS


@kernel
def paint(
    steps: int, part: int, parts: int, first: int, stride: int, moving: int, shadow_limit: int, tile: int,
    ambient: float, bodies: I32, casters: I32, positions: F64, rotations: F64, scales: F64, view: View,
    m: Materials, lights: Lights, bounds: F64, still: Drawn, under: Layer, mesh: Mesh, s: Shadows,
    scratch: Scratch, drawn: Drawn, over: Layer, dirty: U8, touched: U8, delta: F32,
) -> None:  # fmt: skip
    """Do ``steps`` for the poses ``first``, ``first + stride`` … of ``bodies``.

    RESTORE puts the static z-buffer back to where the bodies were drawn before; PLACE moves them and marks
    the tiles that they change in ``dirty``; RASTER draws them into ``drawn``; MAPS draws their shadow maps;
    SHADE shades what shows a body whose moving flag is ``moving`` in dirty tiles into ``over``, with shadows
    of ``casters``; CHANGE adds what differs from ``under`` to group ``first`` of ``delta``. MAPS and SHADE do
    every ``parts``-th of their work. ``touched`` collects the tiles that were dirty.

    Args:
        positions, rotations, scales: by pose: bodies' places, and intensities of the light samples.
        bounds: bounding spheres of the tiles' static points.
        shadow_limit: largest side of a shadow map, 0 for no shadows.
    """
    for k in range(first, len(positions), stride):
        if steps & RESTORE:
            for i in range(len(bodies)):
                _restore(bodies[i], view, mesh, still, drawn)
        if steps & PLACE:
            place_bodies(
                k, bodies, positions, rotations, shadow_limit, tile, view, mesh, lights, s, bounds, dirty
            )
        if steps & RASTER:
            for i in range(len(bodies)):
                rasterise_body(bodies[i], view, mesh, scratch, drawn)
        if steps & MAPS and shadow_limit > 0:
            draw_maps(part, parts, bodies, mesh, lights, s, scratch, drawn.face)
        if steps & SHADE:
            count = 0
            for t in range(len(dirty)):
                if dirty[t] == 0:
                    continue
                count += 1
                if count % parts != part:
                    continue
                touched[t] = 1
                shade_tile(
                    t, tile, moving, shadow_limit > 0, casters, view, mesh, m, lights, s, ambient, drawn, over
                )
                if steps & CHANGE:
                    add_covering(t, tile, k, first, scales, view, mesh, drawn, under, over, delta)
                    add_shadows(
                        t, tile, k, first, scales, shadow_limit > 0, bodies, view, mesh, lights, s, bounds,
                        still, drawn, under, over, delta,
                    )  # fmt: skip


@inline
def _restore(b: int, view: View, mesh: Mesh, still: Drawn, drawn: Drawn) -> None:
    """Copy the static z-buffer back to the pixels that a body may have covered."""
    for y in range(mesh.rects[b, 1], mesh.rects[b, 3]):
        for p in range(y * view.width + mesh.rects[b, 0], y * view.width + mesh.rects[b, 2]):
            drawn.face[p] = still.face[p]
            drawn.inverse_depth[p] = still.inverse_depth[p]
