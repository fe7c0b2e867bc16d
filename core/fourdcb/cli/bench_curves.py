"""How the renderer's speed falls with triangles and with pixels; a part of ``fourdcb bench render``."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fourdcb.cli.bench_scene import SIZE, benchmark_trajectory, benchmark_world, best_rate

if TYPE_CHECKING:
    from fourdcb.world import World

_ROWS = {"2k": 32, "20k": 100, "200k": 316}
_SIZES = (128, 256, 512, 1024)


def measure_curves() -> dict[str, Any]:
    """Frames per second with shadows, one temporal sample and no supersampling.

    ``by_triangles`` has a moving ball from a mesh file of 2k, 20k, 200k triangles over a table on a floor at
    256x256; ``by_pixels`` the plain scene at 128² … 1024². ``cost_2k_to_20k`` is how many times longer a
    frame takes with ten times the triangles; ``cost_stays_below_2x`` says whether that is less than 2.
    """
    world = benchmark_world()
    with tempfile.TemporaryDirectory() as folder:
        by_triangles = {}
        for name, rows in _ROWS.items():
            write_ball(Path(folder) / f"{name}.ply", rows)
            by_triangles[name] = _rate(_with_ball(world, folder, f"{name}.ply"), SIZE)
    cost = by_triangles["2k"] / by_triangles["20k"]
    return {
        "by_triangles": by_triangles,
        "by_pixels": {f"{size}x{size}": _rate(world, size) for size in _SIZES},
        "cost_2k_to_20k": cost,
        "cost_stays_below_2x": cost < 2.0,
    }


def write_ball(path: Path, rows: int) -> None:
    """A sphere 0.2 m wide as a PLY file of 2 ``rows``² triangles."""
    theta = np.linspace(0.0, np.pi, rows + 1)
    phi = np.linspace(0.0, 2.0 * np.pi, rows, endpoint=False)
    t, p = np.meshgrid(theta, phi, indexing="ij")
    points = 0.1 * np.stack([np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(rows), np.arange(rows), indexing="ij")
    a, b = (i * rows + j).ravel(), (i * rows + (j + 1) % rows).ravel()
    faces = np.concatenate([np.stack([a, a + rows, b], axis=-1), np.stack([b, a + rows, b + rows], axis=-1)])
    header = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n"
        "property float x\nproperty float y\nproperty float z\n"
        f"element face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    rows_out = np.zeros(len(faces), dtype=[("n", "u1"), ("v", "<i4", 3)])
    rows_out["n"], rows_out["v"] = 3, faces
    path.write_bytes(header.encode() + points.astype("<f4").tobytes() + rows_out.tobytes())


def _with_ball(world: World, folder: str, mesh: str) -> World:
    """The scene with a mesh in the place of its ball, and without its other moving bodies."""
    ball = replace(world.objects[0], geometry="mesh", mesh=mesh, mass=1.0)
    table = world.objects[3]
    return replace(world, objects=(ball, table), base_dir=folder)


def _rate(world: World, size: int) -> float:
    from fourdcb.render import RasterRenderer, RenderSettings

    trajectory = benchmark_trajectory(world)
    renderer = RasterRenderer(world, RenderSettings(supersample=1, width=size, height=size))
    return best_rate(lambda k: renderer.render(trajectory, k / world.fps, aux=False))
