"""The measuring process of ``fourdcb bench render``: one scene, moved along closed-form paths."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

from fourdcb.cli.bench_scene import SIZE, benchmark_trajectory, benchmark_world, best_rate, peak_mb

if TYPE_CHECKING:
    from fourdcb.render import RenderSettings


def measure_raster() -> dict[str, Any]:
    """Speeds, the time from process start to the first frame, and peak memory."""
    import psutil  # type: ignore[import-untyped]

    from fourdcb.render import RasterRenderer, RenderSettings
    from fourdcb.world.mesh import object_mesh

    world = benchmark_world()
    trajectory = benchmark_trajectory(world)
    RasterRenderer(world, RenderSettings()).render(trajectory, 0.0, aux=False)
    first_frame = time.time() - psutil.Process().create_time()

    def rate(settings: RenderSettings) -> float:
        renderer = RasterRenderer(world, settings)
        return best_rate(lambda k: renderer.render(trajectory, k / world.fps, aux=False))

    triangles = 2 * len(world.planes) + sum(len(object_mesh(o, base_dir=".").faces) for o in world.objects)
    return {
        "raster_fps": rate(RenderSettings(supersample=1)),
        "raster_blur8_fps": rate(RenderSettings(supersample=1, samples=8)),
        "raster_supersample2_fps": rate(RenderSettings(supersample=2)),
        "first_frame_s": first_frame,
        "peak_mb": peak_mb(),
        "triangles": triangles,
    }


def measure_tinyrenderer() -> dict[str, Any]:
    """Bullet's software renderer on the same meshes, poses and camera, with its shadow."""
    import pybullet

    from fourdcb.world.mesh import object_mesh, plane_mesh

    world = benchmark_world()
    trajectory = benchmark_trajectory(world)
    client = pybullet.connect(pybullet.DIRECT)
    meshes = [object_mesh(o, base_dir=".") for o in world.objects] + [plane_mesh(p) for p in world.planes]
    handles = []
    for mesh in meshes:
        shape = pybullet.createVisualShape(
            pybullet.GEOM_MESH, vertices=mesh.vertices.tolist(), indices=mesh.faces.ravel().tolist(),
            normals=mesh.normals.tolist(), physicsClientId=client,
        )  # fmt: skip
        handles.append(pybullet.createMultiBody(baseVisualShapeIndex=shape, physicsClientId=client))
    camera = world.camera
    view = pybullet.computeViewMatrix(camera.pos, camera.target, camera.up)
    projection = pybullet.computeProjectionMatrixFOV(camera.fov_y_deg, 1.0, 0.05, 20.0)

    def draw(k: int) -> None:
        position, orientation = trajectory.pose_at(k / world.fps)
        for handle, p, q in zip(handles, position, orientation, strict=True):
            pybullet.resetBasePositionAndOrientation(handle, p, q[[1, 2, 3, 0]], physicsClientId=client)
        pybullet.getCameraImage(
            SIZE, SIZE, view, projection, lightDirection=(0.5, 0.3, 0.8), shadow=1,
            renderer=pybullet.ER_TINY_RENDERER, physicsClientId=client,
        )  # fmt: skip

    figures = {"tinyrenderer_fps": best_rate(draw)}
    pybullet.disconnect(client)
    return figures


def measure_pytorch3d() -> dict[str, Any]:
    """The differentiable backend on the same scene; None without its extra."""
    from fourdcb.errors import UserError
    from fourdcb.render import RenderSettings

    world = benchmark_world()
    settings = RenderSettings(supersample=1, width=SIZE, height=SIZE)
    try:
        from fourdcb.render.pytorch3d import pytorch3d_fps
    except UserError:
        return {"pytorch3d_fps": None}
    return {"pytorch3d_fps": pytorch3d_fps(world, benchmark_trajectory(world), settings)}


def main() -> None:
    """Print one part's figures as JSON."""
    parts = {"raster": measure_raster, "tinyrenderer": measure_tinyrenderer, "pytorch3d": measure_pytorch3d}
    if sys.argv[1] == "curves":
        from fourdcb.cli.bench_curves import measure_curves

        parts["curves"] = measure_curves
    print(json.dumps(parts[sys.argv[1]]()))


if __name__ == "__main__":
    main()
