"""Pictures and buffers against geometry that is known in closed form."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fourdcb.conventions import linear_from_srgb, quaternion_from_axis_angle, srgb_from_linear
from fourdcb.errors import UserError
from fourdcb.render import Frame, RasterRenderer, RenderSettings, optical_flow, render_clip
from fourdcb.trajectory import ContactTable, Trajectory
from fourdcb.world import (
    AreaLight,
    Camera,
    DirectionalLight,
    Light,
    Material,
    Object,
    Plane,
    PointLight,
    World,
)

ZERO = (0.0, 0.0, 0.0)
SHARP = RenderSettings(supersample=1)
WHITE = Material(base_color=(1.0, 1.0, 1.0), roughness=1.0)
ABOVE = Camera(pos=(0.0, -1e-6, 3.0), target=ZERO, fov_y_deg=40.0, width=96, height=96)


def thing(name: str, geometry: str, size: float, pos: tuple[float, float, float], **more: object) -> Object:
    return Object(name=name, geometry=geometry, size=(size,) * 3, pos=pos, vel=ZERO, acc=ZERO, **more)


def world(*objects: Object, planes: tuple[Plane, ...] = (), **more: object) -> World:
    defaults: dict[str, object] = {"camera": Camera(width=96, height=96), "lights": (), "ambient": 1.0}
    return World(objects=objects, planes=planes, **{**defaults, **more})


def rest(w: World) -> tuple[np.ndarray, np.ndarray]:
    position = np.array([getattr(body, "pos", ZERO) for body in w.bodies]).reshape(-1, 3)
    rotation = [getattr(body, "rot", (1.0, 0.0, 0.0, 0.0)) for body in w.bodies]
    return position, np.array(rotation).reshape(-1, 4)


def draw(w: World, settings: RenderSettings = SHARP) -> Frame:
    return RasterRenderer(w, settings).render(rest(w), 0.0)


def moving(w: World, velocity: tuple[float, float, float], spin: float = 0.0) -> Trajectory:
    """Object 0 moves in a straight line and turns about z; everything else rests."""
    times = np.arange(241) / 240.0
    position, orientation = (np.repeat(a[None], 241, axis=0) for a in rest(w))
    position[:, 0] += times[:, None] * np.array(velocity)
    orientation[:, 0] = [quaternion_from_axis_angle((0, 0, 1), spin * t) for t in times]
    zeros, rows, none = np.zeros_like(position), np.empty((0, 3)), np.empty(0, np.int32)
    rates = zeros.copy()
    rates[:, 0, 2] = spin
    speeds = zeros.copy()
    speeds[:, 0] = velocity
    table = ContactTable(
        step=none, body_a=none, body_b=none, position=rows, normal=rows, distance=np.empty(0),
        normal_impulse=np.empty(0), tangential_impulse=rows, velocity_before=rows, velocity_after=rows,
    )  # fmt: skip
    return Trajectory(
        names=tuple(b.name for b in w.bodies), kinds=("dynamic",) * len(w.bodies), fps=30.0, rate_hz=240.0,
        times=times, position=position, orientation_wxyz=orientation, linear_velocity=speeds,
        angular_velocity=rates, kinetic_energy=zeros[..., 0], potential_energy=zeros[..., 0],
        contacts=table, events=(),
    )  # fmt: skip


def test_sphere_depth_and_normals_equal_the_exact_ray_hits() -> None:
    w = world(thing("ball", "sphere", 0.6, (0.1, 0.0, 0.3)))
    frame = draw(w)
    k, rotation, eye = w.camera.intrinsics(), w.camera.world_from_camera(), np.array(w.camera.pos)
    y, x = np.mgrid[:96, :96] + 0.5
    rays = np.stack([(x - k[0, 2]) / k[0, 0], (y - k[1, 2]) / k[1, 1], np.ones_like(x)], axis=-1) @ rotation.T
    to_centre = np.array([0.1, 0.0, 0.3]) - eye
    a, b = np.sum(rays * rays, axis=-1), rays @ to_centre
    root = b * b - a * (to_centre @ to_centre - 0.09)
    z = (b - np.sqrt(np.maximum(root, 0.0))) / a
    exact, drawn = root > 0.0, frame.instance == 0
    assert (exact & drawn).sum() / (exact | drawn).sum() > 0.99
    inside = root > 0.02
    np.testing.assert_allclose(frame.depth[inside], z[inside], atol=1.5e-3)
    normals = (eye + z[..., None] * rays - np.array([0.1, 0.0, 0.3])) / 0.3
    np.testing.assert_allclose(frame.normal[inside], normals[inside], atol=0.03)
    assert np.isinf(frame.depth[~drawn]).all()
    assert (frame.normal[~drawn] == 0).all()


def test_shared_edges_leave_no_gap_and_no_pixel_is_drawn_twice() -> None:
    w = world(thing("box", "box", 0.5, (0.0, 0.0, 0.3), rot=(0.9238795, 0.2, 0.2, 0.2651)), ambient=0.5)
    picture = draw(w).instance
    rows = [np.flatnonzero(row == 0) for row in picture if (row == 0).any()]
    assert len(rows) > 20
    assert all(len(row) == row[-1] - row[0] + 1 for row in rows)


def test_a_plane_is_clipped_at_the_camera_and_reaches_the_horizon() -> None:
    camera = Camera(pos=(0.0, 0.0, 0.5), target=(1.0, 0.0, 0.5), width=64, height=64, fov_y_deg=60.0)
    frame = draw(world(planes=(Plane(size=2000.0),), camera=camera))
    assert (frame.instance[:31] == -1).all()
    assert (frame.instance[34:] == 0).all()
    below = np.arange(40, 64) + 0.5 - 32.0
    expected = 0.5 * camera.intrinsics()[1, 1] / below
    np.testing.assert_allclose(frame.depth[40:, 20], expected, rtol=1e-4)


def test_barycentrics_reproduce_the_surface_point() -> None:
    w = world(thing("box", "box", 0.6, (0.0, 0.0, 0.3)))
    renderer = RasterRenderer(w, SHARP)
    fragments = renderer.fragments(rest(w), 0.0)
    hit = fragments.face >= 0
    np.testing.assert_allclose(fragments.barycentric[hit].sum(axis=-1), 1.0, atol=1e-6)
    mesh = renderer._scene.mesh
    points = np.einsum(
        "pk,pki->pi", fragments.barycentric[hit], mesh.points[mesh.faces[fragments.face[hit], :3], :3]
    )
    rotation, eye = w.camera.world_from_camera(), np.array(w.camera.pos)
    camera = (points - eye) @ rotation
    np.testing.assert_allclose(camera[:, 2], fragments.depth[hit], atol=1e-4)
    y, x = np.nonzero(hit)
    k = w.camera.intrinsics()
    np.testing.assert_allclose(camera[:, 0] / camera[:, 2] * k[0, 0] + k[0, 2], x + 0.5, atol=0.51)
    assert np.median(np.abs(camera[:, 1] / camera[:, 2] * k[1, 1] + k[1, 2] - y - 0.5)) < 1e-3


def test_background_ambient_and_exposure_are_what_they_say() -> None:
    w = world(
        thing("ball", "sphere", 0.4, (0.0, 0.0, 0.3), material=WHITE),
        background=(0.1, 0.2, 0.3),
        exposure=2.0,
    )
    frame = draw(w)
    np.testing.assert_allclose(frame.linear[0, 0], (0.1, 0.2, 0.3), rtol=1e-6)
    np.testing.assert_array_equal(
        frame.rgb, np.round(255 * srgb_from_linear(2.0 * frame.linear)).astype(np.uint8)
    )
    half = draw(replace(w, ambient=0.5))
    ball = frame.instance == 0
    np.testing.assert_allclose(frame.linear[ball], 2.0 * half.linear[ball], rtol=1e-5)


def facing(light: Light, height: float = 0.0) -> float:
    """Reflected radiance at the centre of a white rough plane seen from above."""
    w = world(planes=(Plane(material=WHITE, offset=height),), lights=(light,), camera=ABOVE, ambient=0.0)
    return float(draw(w).linear[48, 48, 0])


def test_light_units_agree_with_each_other() -> None:
    sun = facing(DirectionalLight(direction=(0.0, 0.0, -1.0), intensity=2.0))
    lamp = facing(PointLight(pos=(0.0, 0.0, 2.0), intensity=8.0))
    panel = facing(AreaLight(pos=(0.0, 0.0, 2.0), direction=(0.0, 0.0, -1.0), size=0.1, intensity=800.0))
    assert lamp == pytest.approx(sun, rel=2e-3)
    assert panel == pytest.approx(sun, rel=1e-2)
    assert facing(AreaLight(pos=(0.0, 0.0, 2.0), direction=(0.0, 0.0, 1.0), size=0.1, intensity=800.0)) == 0.0


def test_light_colour_is_linearised() -> None:
    w = world(
        planes=(Plane(material=WHITE),), camera=ABOVE, ambient=0.0,
        lights=(DirectionalLight(direction=(0.0, 0.0, -1.0), color=(1.0, 0.5, 0.0)),),
    )  # fmt: skip
    pixel = draw(w).linear[48, 48]
    np.testing.assert_allclose(pixel / pixel[0], [1.0, linear_from_srgb(0.5), 0.0], atol=1e-5)


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize(
    "light",
    [
        DirectionalLight(direction=(1.0, 0.0, -1.0), intensity=3.0),
        PointLight(pos=(-8.5, 0.0, 9.0), intensity=500.0),
    ],
)
def test_a_shadow_lies_where_the_light_is_blocked(fixed: bool, light: Light) -> None:
    w = world(
        thing("ball", "sphere", 0.3, (-0.5, 0.0, 0.5), fixed=fixed), planes=(Plane(),), lights=(light,),
        camera=replace(ABOVE, width=128, height=128), ambient=0.0,
    )  # fmt: skip
    frame = draw(w)
    dark = (frame.instance == 1) & (frame.shadow > 0.5)
    y, x = np.nonzero(dark)
    scale = 3.0 / w.camera.intrinsics()[0, 0]
    centre = np.array([x.mean() + 0.5 - 64.0, 64.0 - y.mean() - 0.5]) * scale
    np.testing.assert_allclose(centre, [0.0, 0.0], atol=0.03)
    area = dark.sum() * scale**2
    assert area == pytest.approx(np.pi * 0.15**2 * np.sqrt(2.0), rel=0.15)
    assert (frame.linear[dark] < 0.5 * frame.linear[5, 5]).all()
    assert frame.shadow[5, 5] == 0.0


def test_planes_cast_shadows_exactly() -> None:
    wall = Plane(name="wall", normal=(-1.0, 0.0, 0.0), offset=-0.5, size=1.0)
    w = world(
        planes=(Plane(), wall), camera=ABOVE, ambient=0.0,
        lights=(DirectionalLight(direction=(-1.0, 0.0, -1.0)),),
    )  # fmt: skip
    frame = draw(w)
    scale = 3.0 / w.camera.intrinsics()[0, 0]
    x = (np.arange(96) + 0.5 - 48.0) * scale
    inside = (x > 0.02) & (x < 0.45)
    assert (frame.shadow[48, inside] == 1.0).all()
    assert (frame.shadow[48, x < -0.05] == 0.0).all()


def test_without_shadows_nothing_is_dark() -> None:
    w = world(thing("ball", "sphere", 0.3, (0.0, 0.0, 0.3)), planes=(Plane(),), lights=(DirectionalLight(),))
    frame = draw(w, RenderSettings(shadows=False, supersample=1))
    assert (frame.shadow[frame.instance == 1] == 0.0).all()


def test_what_moves_is_drawn_as_what_never_moves() -> None:
    objects = (thing("a", "cylinder", 0.3, (0.1, 0.1, 0.3)), thing("b", "cone", 0.3, (-0.3, 0.0, 0.15)))
    lights = (DirectionalLight(), PointLight(pos=(0.5, -0.5, 1.5), intensity=2.0))
    free = world(*objects, planes=(Plane(),), lights=lights)
    fixed = world(*(replace(o, fixed=True) for o in objects), planes=(Plane(),), lights=lights)
    a, b = draw(free, RenderSettings()), draw(fixed, RenderSettings())
    np.testing.assert_allclose(a.linear, b.linear, atol=2e-3)
    np.testing.assert_array_equal(a.instance, b.instance)
    np.testing.assert_allclose(a.shadow, b.shadow, atol=5e-3)


def test_frames_do_not_depend_on_what_was_drawn_before() -> None:
    w = world(thing("ball", "sphere", 0.3, (-0.3, 0.0, 0.3)), planes=(Plane(),), lights=(DirectionalLight(),))
    trajectory = moving(w, (0.6, 0.1, 0.0), spin=3.0)
    settings = RenderSettings(samples=3)
    one = RasterRenderer(w, settings)
    for t in (0.0, 0.9, 0.3):
        one.render(trajectory, t)
    again, fresh = one.render(trajectory, 0.5), RasterRenderer(w, settings).render(trajectory, 0.5)
    for name in ("rgb", "linear", "depth", "normal", "instance", "albedo", "shadow"):
        np.testing.assert_array_equal(getattr(again, name), getattr(fresh, name))


def test_bytes_do_not_depend_on_the_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    from fourdcb.render import _threads

    w = world(thing("ball", "sphere", 0.5, (0.0, 0.0, 0.3)), planes=(Plane(),), lights=(DirectionalLight(),))
    pictures = []
    for count in (1, 3):
        monkeypatch.setattr(_threads, "thread_count", lambda n=count: n)
        pictures.append(draw(w, RenderSettings(supersample=2)).rgb)
    np.testing.assert_array_equal(*pictures)


def test_a_renderer_follows_a_world_whose_drawing_is_the_same() -> None:
    sun = DirectionalLight()
    w = world(thing("ball", "sphere", 0.3, (0.0, 0.0, 0.3)), planes=(Plane(),), lights=(sun,))
    renderer = RasterRenderer(w, SHARP)
    renderer.render(rest(w), 0.0)
    bouncy = replace(w.objects[0], restitution=0.9, pos=(0.2, 0.0, 0.4))
    same = replace(w, objects=(bouncy,), lights=(replace(sun, intensity=1.0),), exposure=1.5)
    assert renderer.for_world(same) is renderer
    np.testing.assert_array_equal(renderer.render(rest(same), 0.0).rgb, draw(same).rgb)
    glossy = replace(w.objects[0], material=Material(roughness=0.1))
    for other in (replace(same, objects=(glossy,)), replace(same, ambient=0.3)):
        assert renderer.for_world(other) is not renderer


def test_motion_blur_is_the_mean_of_sharp_poses() -> None:
    w = world(thing("ball", "sphere", 0.2, (-0.2, 0.0, 0.3)), planes=(Plane(),), lights=(DirectionalLight(),))
    trajectory = moving(w, (6.0, 0.0, 0.0))
    blurred = RasterRenderer(w, RenderSettings(samples=4, supersample=1)).render(trajectory, 0.05).linear
    sharp = RasterRenderer(w, SHARP)
    offsets = (np.arange(4) + 0.5) / 4 / 60.0 - 0.5 / 60.0
    mean = np.mean([sharp.render(trajectory, 0.05 + o).linear for o in offsets], axis=0)
    np.testing.assert_allclose(blurred, mean, atol=1e-5)
    assert np.abs(blurred - sharp.render(trajectory, 0.05).linear).max() > 0.02


def test_light_curves_and_ranges_change_the_picture() -> None:
    sun = DirectionalLight(direction=(0.0, 0.0, -1.0), intensity_curve=(1.0, 0.0), time_range=(0.0, 1.5))
    w = world(planes=(Plane(material=WHITE),), lights=(sun,), camera=ABOVE, ambient=0.0, duration=2.0)
    renderer = RasterRenderer(w, SHARP)
    values = [renderer.render(rest(w), t, aux=False).linear[48, 48, 0] for t in (0.0, 1.0, 1.6)]
    assert values[1] == pytest.approx(0.5 * values[0], rel=1e-5)
    assert values[2] == 0.0


def test_supersampling_is_the_mean_of_a_larger_picture() -> None:
    w = world(thing("ball", "sphere", 0.4, (0.0, 0.0, 0.3)), lights=(DirectionalLight(),))
    fine = draw(w, RenderSettings(supersample=1, width=192, height=192, shadows=False)).linear
    coarse = draw(w, RenderSettings(supersample=2, shadows=False)).linear
    np.testing.assert_allclose(coarse, fine.reshape(96, 2, 96, 2, 3).mean(axis=(1, 3)), atol=1e-5)


def test_textures_are_upright_and_repeat(tmp_path: Path) -> None:
    import cv2

    image = np.zeros((64, 64, 3), np.uint8)
    image[:32, :32] = (0, 0, 255)  # red top left; OpenCV writes BGR
    image[32:, 32:] = (0, 255, 0)
    cv2.imwrite(str(tmp_path / "map.png"), image)
    w = world(
        planes=(Plane(material=replace(WHITE, base_color_map="map.png")),), camera=ABOVE,
        base_dir=str(tmp_path),
    )  # fmt: skip
    albedo = draw(w).albedo
    focal = w.camera.intrinsics()[0, 0] / 3.0

    def at(x: float, y: float) -> np.ndarray:
        return albedo[int(48 - y * focal), int(48 + x * focal)]

    np.testing.assert_allclose(at(0.25, 0.75), [1.0, 0.0, 0.0], atol=1e-5)
    np.testing.assert_allclose(at(0.75, 0.25), [0.0, 1.0, 0.0], atol=1e-5)
    np.testing.assert_allclose(at(-0.75, -0.25), [1.0, 0.0, 0.0], atol=1e-5)
    with pytest.raises(UserError, match="texture"):
        draw(replace(w, base_dir=str(tmp_path / "nowhere")))


def test_a_flat_normal_map_changes_nothing_and_a_tilted_one_tilts(tmp_path: Path) -> None:
    import cv2

    for name, normal in (("flat", (0.0, 0.0, 1.0)), ("tilted", (0.6, 0.0, 0.8))):
        rgb = np.round((np.array(normal) + 1.0) * 127.5).astype(np.uint8)
        cv2.imwrite(str(tmp_path / f"{name}.png"), np.full((4, 4, 3), rgb[::-1], np.uint8))
    w = world(
        planes=(Plane(material=replace(WHITE, normal_map="flat.png")),), camera=ABOVE, base_dir=str(tmp_path)
    )
    np.testing.assert_allclose(draw(w).normal[48, 48], (0.0, 0.0, 1.0), atol=0.01)
    w = replace(w, planes=(Plane(material=replace(WHITE, normal_map="tilted.png")),))
    np.testing.assert_allclose(draw(w).normal[48, 48], (0.6, 0.0, 0.8), atol=0.01)


@pytest.mark.parametrize("dt", [1 / 30, -1 / 30])
def test_flow_equals_the_projection_of_the_motion(dt: float) -> None:
    w = world(thing("box", "box", 0.3, (0.0, 0.0, 0.3)), planes=(Plane(),))
    trajectory = moving(w, (1.0, 0.5, 0.2), spin=2.0)
    frame = RasterRenderer(w, SHARP).render(trajectory, 0.5)
    flow = optical_flow(w, trajectory, frame, t=0.5, dt=dt)
    assert (flow[frame.instance != 0] == 0.0).all() or np.abs(flow[frame.instance == 1]).max() < 1e-3
    y, x = (int(v.mean()) for v in np.nonzero(frame.instance == 0))
    later = RasterRenderer(w, SHARP).render(trajectory, 0.5 + dt)
    v, u = np.round([y + flow[y, x, 1], x + flow[y, x, 0]]).astype(int)
    assert later.instance[v, u] == 0
    back = optical_flow(w, trajectory, later, t=0.5 + dt, dt=-dt)
    np.testing.assert_allclose(back[v, u], -flow[y, x], atol=0.3)


def test_a_clip_has_one_frame_per_time() -> None:
    w = world(thing("ball", "sphere", 0.2, (0.0, 0.0, 0.3)), duration=0.2)
    clip = render_clip(w, moving(w, (1.0, 0.0, 0.0)), RenderSettings(supersample=1, width=40, height=32))
    assert clip.shape == (6, 32, 40, 3)
    assert clip.dtype == np.uint8
    assert not np.array_equal(clip[0], clip[5])


def test_wrong_poses_and_settings_are_told() -> None:
    w = world(thing("ball", "sphere", 0.2, (0.0, 0.0, 0.3)))
    with pytest.raises(UserError, match="do not belong"):
        RasterRenderer(w).render((np.zeros((3, 3)), np.zeros((3, 4))), 0.0)
    with pytest.raises(UserError, match="supersample"):
        RenderSettings(supersample=0)
    with pytest.raises(UserError, match="camera"):
        draw(replace(w, camera=Camera(pos=(0.0, 0.0, 1.0), target=ZERO)))


def test_an_empty_world_is_background() -> None:
    frame = draw(world(background=(0.25, 0.25, 0.25)))
    np.testing.assert_allclose(frame.linear, 0.25)
    assert (frame.instance == -1).all()


def test_importing_the_room_loads_no_compiler() -> None:
    heavy = "('numba', 'cv2', 'scipy', 'trimesh')"
    code = f"import sys, fourdcb.render; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_kernels_find_another_folder_when_theirs_is_not_writable(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    code = "from fourdcb.kernels.storage import cache_folder; print(cache_folder())"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={**os.environ, "NUMBA_CACHE_DIR": str(blocked), "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert str(tmp_path) in run.stdout
    assert str(blocked) not in run.stdout
