"""What one thread needs to draw poses of its own: placed meshes, shadow maps, a z-buffer, shaded samples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourdcb.render._kernels.arrays import Drawn, Layer, Mesh, Scratch, Shadows
from fourdcb.render._scene import Scene, make_scratch, shadows_of_workers


class Worker(NamedTuple):
    """The arrays that one running kernel writes.

    Attributes:
        mesh, shadows: of the scene, placed at the pose at work; maps of bodies that never move are shared.
        scratch: room for drawing.
        drawn, over: the z-buffer with everything, and shaded samples over the static layer.
        dirty, touched: flags of tiles, see ``paint``.
    """

    mesh: Mesh
    shadows: Shadows
    scratch: Scratch
    drawn: Drawn
    over: Layer
    dirty: NDArray[np.uint8]
    touched: NDArray[np.uint8]


def make_workers(
    scene: Scene, count: int, *, samples: int, tiles: int, shadow_size: int
) -> tuple[Worker, ...]:
    """``count`` workers for a picture of ``samples`` samples; the first one places the scene's own points."""
    lights = len(scene.lights.kind)
    shadows = shadows_of_workers(scene, size=max(shadow_size, 1), workers=count)
    return tuple(
        Worker(
            mesh=_placed_anew(scene.mesh, own_points=i > 0),
            shadows=shadows[i],
            scratch=make_scratch(scene.mesh),
            drawn=empty_drawn(samples),
            over=empty_layer(samples, lights),
            dirty=np.zeros(tiles, np.uint8),
            touched=np.zeros(tiles, np.uint8),
        )
        for i in range(count)
    )


def share_static(workers: tuple[Worker, ...], still: NDArray[np.int32], layer: Drawn) -> None:
    """Let all workers begin with the static layer that the first one has drawn."""
    first = workers[0]
    for worker in workers:
        np.copyto(worker.drawn.face, layer.face)
        np.copyto(worker.drawn.inverse_depth, layer.inverse_depth)
        if worker is not first:
            worker.shadows.slots[:, still] = first.shadows.slots[:, still]
            worker.shadows.frames[:, still] = first.shadows.frames[:, still]


def _placed_anew(mesh: Mesh, *, own_points: bool) -> Mesh:
    """The mesh with its own copy of what depends on the view, and of what depends on the pose if asked."""
    mesh = mesh._replace(
        camera=np.zeros_like(mesh.camera), screen=np.zeros_like(mesh.screen), rects=np.zeros_like(mesh.rects)
    )
    return mesh._replace(points=mesh.points.copy(), spheres=mesh.spheres.copy()) if own_points else mesh


def empty_drawn(samples: int) -> Drawn:
    """A z-buffer of nothing."""
    return Drawn(np.full(samples, -1, np.int32), np.zeros(samples, np.float32))


def empty_layer(samples: int, lights: int) -> Layer:
    """Room for shaded samples; pages that no kernel writes take no memory."""
    return Layer(
        ambient=np.zeros((samples, 3), np.float32),
        direct=np.zeros((lights, samples, 3), np.float32),
        visible=np.zeros((lights, samples), np.float32),
        normal=np.zeros((samples, 3), np.float32),
        albedo=np.zeros((samples, 3), np.float32),
    )
