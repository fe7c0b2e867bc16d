"""Pictures against Mitsuba's path tracer: direct light only, same meshes, camera and materials."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fourdcb.conventions import linear_from_srgb, rotation_from_quaternion
from fourdcb.render import RasterRenderer, RenderSettings
from fourdcb.world import Camera, DirectionalLight, Light, Material, Object, Plane, PointLight, World
from fourdcb.world.fields import Vec3
from fourdcb.world.mesh import object_mesh, plane_mesh

SIZE, SPP = 128, 64
ZERO = (0.0, 0.0, 0.0)

_SCRIPT = """
import sys
import numpy as np
import mitsuba as mi
mi.set_variant("scalar_rgb")
data = np.load(sys.argv[1])
T = mi.ScalarTransform4f
scene = {"type": "scene", "integrator": {"type": "direct", "bsdf_samples": 0, "emitter_samples": 1}}
if data["ambient"] > 0:
    scene["integrator"] = {"type": "direct", "bsdf_samples": 1, "emitter_samples": 0}
    scene["sky"] = {"type": "constant", "radiance": {"type": "rgb", "value": [float(data["ambient"])] * 3}}
for i in range(int(data["n"])):
    faces, vertices, normals = data[f"faces{i}"], data[f"vertices{i}"], data[f"normals{i}"]
    bsdf = mi.load_dict({"type": "twosided", "inner": {
        "type": "principled", "eta": 1.5, "roughness": float(data[f"look{i}"][3]),
        "metallic": float(data[f"look{i}"][4]),
        "base_color": {"type": "rgb", "value": [float(c) for c in data[f"look{i}"][:3]]}}})
    props = mi.Properties()
    props["bsdf"] = bsdf
    mesh = mi.Mesh(f"m{i}", len(vertices), len(faces), props, has_vertex_normals=True)
    p = mi.traverse(mesh)
    p["vertex_positions"] = vertices.ravel().astype(np.float32)
    p["vertex_normals"] = normals.ravel().astype(np.float32)
    p["faces"] = faces.ravel().astype(np.uint32)
    p.update()
    scene[f"m{i}"] = mesh
if "sun" in data:
    scene["sun"] = {"type": "directional", "direction": [float(c) for c in data["sun"][:3]],
                    "irradiance": {"type": "rgb", "value": float(data["sun"][3])}}
if "lamp" in data:
    scene["lamp"] = {"type": "point", "position": [float(c) for c in data["lamp"][:3]],
                     "intensity": {"type": "rgb", "value": float(data["lamp"][3])}}
look = T().look_at(*([float(c) for c in row] for row in data["camera"]))
scene["sensor"] = {
    "type": "perspective", "fov_axis": "y", "fov": float(data["fov"]), "to_world": look, "near_clip": 0.01,
    "film": {"type": "hdrfilm", "width": int(data["size"]), "height": int(data["size"]),
             "pixel_format": "rgb", "rfilter": {"type": "box"}},
    "sampler": {"type": "stratified", "sample_count": int(data["spp"])}}
np.save(sys.argv[2], np.array(mi.render(mi.load_dict(scene), seed=1)))
"""


def path_traced(w: World, folder: Path, *, spp: int = SPP) -> np.ndarray:
    """Mitsuba's picture of a world in its start poses, in a process of its own; skips when there is none."""
    pytest.importorskip("mitsuba")
    data: dict[str, object] = {"n": len(w.bodies), "ambient": w.ambient, "size": SIZE, "spp": spp}
    data |= {"fov": w.camera.fov_y_deg, "camera": [w.camera.pos, w.camera.target, w.camera.up]}
    for i, body in enumerate(w.bodies):
        if isinstance(body, Object):
            mesh, r = object_mesh(body, base_dir="."), rotation_from_quaternion(body.rot)
            data[f"vertices{i}"], data[f"normals{i}"] = mesh.vertices @ r.T + body.pos, mesh.normals @ r.T
        else:
            mesh = plane_mesh(body)
            data[f"vertices{i}"], data[f"normals{i}"] = mesh.vertices, mesh.normals
        data[f"faces{i}"] = mesh.faces
        m = body.material
        data[f"look{i}"] = [*linear_from_srgb(m.base_color), m.roughness, m.metallic]
    for light in w.lights:
        if isinstance(light, DirectionalLight):
            data["sun"] = [*light.direction, light.intensity]
        elif isinstance(light, PointLight):
            data["lamp"] = [*light.pos, light.intensity]
    np.savez(folder / "scene.npz", **data)  # type: ignore[arg-type]
    run = subprocess.run(
        [sys.executable, "-c", _SCRIPT, str(folder / "scene.npz"), str(folder / "picture.npy")],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    if run.returncode != 0 and "variant" in run.stderr:
        pytest.skip("no usable mitsuba variant")
    assert run.returncode == 0, run.stderr[-2000:]
    return np.load(folder / "picture.npy")


def start_poses(w: World) -> tuple[np.ndarray, np.ndarray]:
    position = [getattr(body, "pos", ZERO) for body in w.bodies]
    return np.array(position), np.array([getattr(body, "rot", (1.0, 0.0, 0.0, 0.0)) for body in w.bodies])


def psnr(a: np.ndarray, b: np.ndarray) -> float:
    return float(-10.0 * np.log10(np.mean((np.clip(a, 0, 1) - np.clip(b, 0, 1)) ** 2)))


def encoded(linear: np.ndarray) -> np.ndarray:
    c = np.clip(linear, 0.0, 1.0)
    return np.where(c <= 0.0031308, 12.92 * c, 1.055 * np.maximum(c, 1e-9) ** (1 / 2.4) - 0.055)


def still_life(*lights: Light) -> World:
    def thing(
        name: str, shape: str, size: Vec3, pos: Vec3, color: Vec3, rough: float, metal: float
    ) -> Object:
        look = Material(base_color=color, roughness=rough, metallic=metal)
        return Object(name=name, geometry=shape, size=size, pos=pos, vel=ZERO, acc=ZERO, material=look)

    return World(
        objects=(
            thing("ball", "sphere", (0.4, 0.4, 0.4), (0.3, -0.1, 0.2), (0.8, 0.3, 0.2), 0.4, 0.0),
            thing("block", "box", (0.3, 0.3, 0.3), (-0.2, 0.3, 0.15), (0.3, 0.5, 0.8), 0.6, 1.0),
            thing("cup", "cylinder", (0.24, 0.24, 0.3), (-0.25, -0.25, 0.15), (0.9, 0.9, 0.88), 0.3, 0.0),
        ),
        planes=(Plane(material=Material(base_color=(0.6, 0.55, 0.5), roughness=0.8)),),
        camera=Camera(width=SIZE, height=SIZE, target=(0.0, 0.0, 0.15)),
        lights=lights,
        ambient=0.0,
        background=ZERO,
    )


@pytest.mark.parametrize(
    "light",
    [DirectionalLight(intensity=2.5), PointLight(pos=(0.9, 0.6, 1.6), intensity=7.0)],
    ids=["sun", "lamp"],
)
def test_direct_light_agrees_with_the_path_tracer(light: Light, tmp_path: Path) -> None:
    w = still_life(light)
    truth = path_traced(w, tmp_path)
    frame = RasterRenderer(w, RenderSettings(supersample=4)).render(start_poses(w), 0.0)
    assert psnr(encoded(frame.linear), encoded(truth)) >= 38.0
    assert np.mean(np.abs(encoded(frame.linear) - encoded(truth)) < 0.02) > 0.97
    plain = RasterRenderer(w, RenderSettings()).render(start_poses(w), 0.0, aux=False)
    assert psnr(encoded(plain.linear), encoded(truth)) >= 38.0


def test_silhouettes_and_ambient_agree_with_the_path_tracer(tmp_path: Path) -> None:
    ball = still_life().objects[0]
    camera = Camera(width=SIZE, height=SIZE, target=(0.3, -0.1, 0.2), fov_y_deg=20.0)
    w = World(objects=(ball,), camera=camera, lights=(), ambient=0.7, background=(0.7, 0.7, 0.7))
    truth = path_traced(w, tmp_path, spp=256)
    frame = RasterRenderer(w, RenderSettings(supersample=4)).render(start_poses(w), 0.0)
    inside, seen = np.abs(truth[..., 1] - 0.7) > 0.2, frame.instance == 0
    assert (inside & seen).sum() / (inside | seen).sum() >= 0.99
    core = seen & np.roll(seen, 3, 0) & np.roll(seen, -3, 0) & np.roll(seen, 3, 1) & np.roll(seen, -3, 1)
    np.testing.assert_allclose(frame.linear[core].mean(axis=0), truth[core].mean(axis=0), rtol=0.01)
