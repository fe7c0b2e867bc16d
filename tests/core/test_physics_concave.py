"""Concave meshes: exact triangles under balls, convex pieces otherwise, and what rests on them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from fourdcb.errors import UserError
from fourdcb.physics import simulate
from fourdcb.physics.bullet.shapes import object_shape
from fourdcb.world import Object, Plane, World

STILL = (0.0, 0.0, 0.0)
BOWL_THICKNESS = 0.03


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("meshes")
    corner = [(0, 0), (0.3, 0), (0.3, 0.1), (0.1, 0.1), (0.1, 0.3), (0, 0.3)]
    l_shape = extruded(corner, [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)])
    l_shape.apply_scale((1.0, 0.05, 1.0))
    l_shape.export(path / "l.obj")
    # A tray: a floor at z = 0 between two walls.
    walls = [(-1, -0.1), (1, -0.1), (1, 0.3), (0.9, 0.3), (0.9, 0), (-0.9, 0), (-0.9, 0.3), (-1, 0.3)]
    tray = extruded(walls, [(0, 1, 4), (1, 2, 3), (1, 3, 4), (0, 4, 5), (0, 5, 6), (0, 6, 7)])
    tray.export(path / "tray.obj")
    angle = np.linspace(0, 0.4 * np.pi, 16)
    outer = np.stack([0.2 * np.sin(angle), 0.2 - 0.2 * np.cos(angle)], axis=1)
    inner = np.stack([0.17 * np.sin(angle), 0.2 - 0.17 * np.cos(angle)], axis=1)[::-1]
    trimesh.creation.revolve(np.concatenate([outer, inner]), sections=48).export(path / "bowl.obj")
    return path


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cache")
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_: path)
    return path


def extruded(profile: list[tuple[float, float]], caps: list[tuple[int, int, int]]) -> trimesh.Trimesh:
    """A profile in x and z, counterclockwise, with its triangles, over the depth -1 … 1 along y."""
    n = len(profile)
    vertices = [(x, y, z) for y in (-1.0, 1.0) for x, z in profile]
    faces = [*caps, *((c + n, b + n, a + n) for a, b, c in caps)]
    for i in range(n):
        j = (i + 1) % n
        faces += [(i, i + n, j), (j, i + n, j + n)]
    solid = trimesh.Trimesh(vertices, faces)
    assert solid.is_watertight
    assert solid.volume > 0
    return solid


def thing(name: str, geometry: str, pos: tuple[float, float, float], **fields: object) -> Object:
    given = {"vel": STILL, "acc": (0.0, 0.0, -9.8), "mass": 1.0, "friction": 0.5, "restitution": 0.0}
    return Object(name=name, geometry=geometry, pos=pos, **{**given, **fields})  # type: ignore[arg-type]


def scenery(mesh: str) -> Object:
    return thing(mesh, "mesh", STILL, mesh=f"{mesh}.obj", fixed=True, friction=1.0, restitution=1.0)


def world(folder: Path, *objects: Object, duration: float, planes: tuple[Plane, ...] = ()) -> World:
    return World(duration=duration, fps=30, objects=objects, planes=planes, base_dir=str(folder))


def test_a_ball_comes_to_rest_at_the_bottom_of_a_bowl(folder: Path) -> None:
    ball = thing("ball", "sphere", (0.08, 0.0, 0.3), size=(0.06,) * 3, rolling_friction=0.003)
    run = simulate(world(folder, ball, scenery("bowl"), duration=4.0), rate_hz=240)
    assert np.linalg.norm(run.position[-1, 0, :2]) < 0.015  # the bottom facets are 13 mm long
    assert run.position[-1, 0, 2] == pytest.approx(BOWL_THICKNESS + 0.03, abs=1e-3)
    assert np.linalg.norm(run.linear_velocity[-1, 0]) < 0.02
    assert run.position[:, 0, 2].min() > BOWL_THICKNESS  # it never sinks through


@pytest.mark.parametrize("restitution", [0.2, 0.8])
def test_a_ball_bounces_rightly_on_triangles(folder: Path, restitution: float) -> None:
    ball = thing("ball", "sphere", (0.1, 0.2, 1.05), size=(0.1,) * 3, restitution=restitution)
    run = simulate(world(folder, ball, scenery("tray"), duration=0.55))
    hit = int(run.contacts.step[0])
    before, after = run.contacts.velocity_before[0, 2], run.contacts.velocity_after[0, 2]
    assert -after / before == pytest.approx(restitution, abs=1e-3)
    np.testing.assert_allclose(run.angular_velocity[hit, 0], 0.0, atol=1e-3)


@pytest.mark.parametrize(("geometry", "size"), [("box", (0.1, 0.08, 0.06)), ("cylinder", (0.08, 0.08, 0.1))])
def test_a_flat_landing_on_a_concave_body_does_not_spin(folder: Path, geometry: str, size) -> None:
    body = thing("body", geometry, (0.1, 0.2, 1.0 + size[2] / 2), size=size, restitution=0.5)
    run = simulate(world(folder, body, scenery("tray"), duration=0.55))
    rows = run.contacts.step == run.contacts.step[0]
    before = run.contacts.velocity_before[rows, 2].mean()
    assert -run.contacts.velocity_after[rows, 2].mean() / before == pytest.approx(0.5, abs=0.01)
    assert np.linalg.norm(run.angular_velocity[run.contacts.step[0], 0]) < 0.02


@pytest.mark.parametrize("direction", [0.0, 45.0, 90.0])
def test_a_slide_on_a_concave_body_stops_where_it_should(folder: Path, direction: float) -> None:
    way = np.array([np.cos(np.radians(direction)), np.sin(np.radians(direction)), 0.0])
    box = thing(
        "box",
        "box",
        (-0.4, -0.4, 0.03),
        size=(0.1, 0.08, 0.06),
        friction=0.3,
        vel=tuple((1.5 * way).tolist()),
    )
    run = simulate(world(folder, box, scenery("tray"), duration=0.8))
    distance = np.linalg.norm(run.position[-1, 0] - run.position[0, 0])
    assert distance == pytest.approx(1.5**2 / (2 * 0.3 * 9.8), rel=0.01)


def test_an_l_rests_where_it_stands_and_where_it_falls(folder: Path) -> None:
    standing = thing("l", "mesh", STILL, mesh="l.obj")
    run = simulate(world(folder, standing, duration=2.0, planes=(Plane(),)))
    assert np.abs(run.position[:, 0]).max() < 3e-4
    assert np.linalg.norm(run.angular_velocity[-1, 0]) < 1e-5
    thrown = thing(
        "l", "mesh", (0.0, 0.0, 0.6), mesh="l.obj", rot=(0.9, 0.3, 0.2, 0.1), ang_vel=(1.0, 2.0, 3.0),
        restitution=0.4,
    )  # fmt: skip
    run = simulate(world(folder, thrown, duration=4.0, planes=(Plane(),)))
    assert any(event.kind == "rest" for event in run.events)
    energy = run.kinetic_energy[:, 0] + run.potential_energy[:, 0]
    assert energy.max() <= 1.001 * energy[0]


def test_pieces_of_an_l_are_exact_and_kept(folder: Path, own_cache: Path) -> None:
    obj = thing("l", "mesh", STILL, mesh="l.obj")
    shape = object_shape(obj, base_dir=str(folder))
    assert len(shape.hulls) == 2
    filled = sum(trimesh.Trimesh(hull.vertices, hull.faces).volume for hull in shape.hulls)
    assert filled == pytest.approx(0.005, rel=1e-3)
    assert shape.volume == pytest.approx(0.005, rel=1e-6)
    if own_cache.joinpath("convex").exists():  # another test may have cut it in this process
        assert len(list(own_cache.joinpath("convex").glob("*.npz"))) == 1


def test_pieces_are_read_back_and_damage_is_mended(own_cache: Path, folder: Path) -> None:
    from fourdcb.physics.decomposition import convex_pieces

    solid = trimesh.load(folder / "l.obj")
    vertices, faces = np.asarray(solid.vertices, dtype=float), np.asarray(solid.faces, dtype=np.int32)
    first = convex_pieces(vertices, faces)
    (stored,) = own_cache.joinpath("convex").glob("*.npz")
    again = convex_pieces(vertices, faces)
    stored.write_bytes(b"damaged")
    mended = convex_pieces(vertices, faces)
    for other in (again, mended):
        assert len(other) == len(first)
        for one, two in zip(first, other, strict=True):
            np.testing.assert_array_equal(one[0], two[0])
            np.testing.assert_array_equal(one[1], two[1])


def test_a_missing_decomposition_is_told(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    import sys

    from fourdcb.physics.decomposition import convex_pieces

    monkeypatch.setitem(sys.modules, "coacd", None)
    with pytest.raises(UserError, match="convex decomposition"):
        convex_pieces(np.zeros((3, 3)), np.zeros((1, 3), dtype=np.int32))
