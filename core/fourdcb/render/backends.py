"""The renderers by name. All draw the same world; see the docs page on rendering for which one to take."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from fourdcb.arrays import Poses
from fourdcb.errors import UserError
from fourdcb.render.settings import Frame, RenderSettings
from fourdcb.trajectory import Trajectory
from fourdcb.world import World

if TYPE_CHECKING:
    from fourdcb.render.pathtrace import PathSettings


class Backend(Protocol):
    """Draws one world at any time of a trajectory."""

    world: World

    def render(self, trajectory: Trajectory | Poses, t: float, *, aux: bool = True) -> Frame:
        """The picture at ``t`` [s], with geometry buffers when ``aux``; see :meth:`RasterRenderer.render`."""


def backend(
    name: str,
    world: World,
    settings: RenderSettings | None = None,
    *,
    path: PathSettings | None = None,
) -> Backend:
    """Make the renderer of that name.

    Args:
        name: one of ``BACKENDS``.
        world: what to draw.
        settings: size, shutter and its samples; fields that a backend cannot honour are errors there.
        path: light paths, seed and depth, for ``pathtrace`` only.

    Raises:
        UserError: for an unknown name or a setting of another backend; what the backend needs is missing.
    """
    make = _MAKERS.get(name)
    if make is None:
        raise UserError("no such backend", got=name, expected=", ".join(BACKENDS))
    if path is not None and name != "pathtrace":
        raise UserError("these settings belong to the backend pathtrace", got=f"backend {name}")
    return make(world, settings or RenderSettings(), path)


def _raster(world: World, settings: RenderSettings, _path: PathSettings | None) -> Backend:
    from fourdcb.render.raster import RasterRenderer

    return RasterRenderer(world, settings)


def _pytorch3d(world: World, settings: RenderSettings, _path: PathSettings | None) -> Backend:
    from fourdcb.render.pytorch3d import TorchRenderer

    return TorchRenderer(world, settings)


def _pathtrace(world: World, settings: RenderSettings, path: PathSettings | None) -> Backend:
    from fourdcb.render.pathtrace import PathTracer

    return PathTracer(world, path, settings)


_MAKERS: dict[str, Callable[[World, RenderSettings, PathSettings | None], Backend]] = {
    "raster": _raster,
    "pytorch3d": _pytorch3d,
    "pathtrace": _pathtrace,
}
BACKENDS = tuple(_MAKERS)
