"""Shapes: mass distributions against trimesh, poses of bodies whose centre of mass is not their pos."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from fourdcb.conventions import quaternion_from_axis_angle, rotation_from_quaternion
from fourdcb.errors import UserError
from fourdcb.physics import simulate
from fourdcb.physics.bullet.shapes import object_shape
from fourdcb.world import Object, Plane, World
from fourdcb.world.mesh import object_mesh

PRIMITIVES = {
    "sphere": (0.1, 0.1, 0.1),
    "box": (0.1, 0.2, 0.3),
    "cylinder": (0.08, 0.08, 0.1),
    "cone": (0.1, 0.1, 0.12),
    "capsule": (0.06, 0.06, 0.14),
}
L_SHAPE = trimesh.util.concatenate(
    [
        trimesh.creation.box((0.1, 0.1, 0.3), trimesh.transformations.translation_matrix([0, 0, 0.15])),
        trimesh.creation.box((0.3, 0.1, 0.1), trimesh.transformations.translation_matrix([0.2, 0, 0.05])),
    ]
)


def thing(geometry: str, **fields: object) -> Object:
    base = {"pos": (0.0, 0.0, 0.0), "vel": (0.0, 0.0, 0.0), "acc": (0.0, 0.0, -9.8), "mass": 1.0, **fields}
    return Object(name="thing", geometry=geometry, **base)  # type: ignore[arg-type]


@pytest.mark.parametrize("geometry", PRIMITIVES)
def test_mass_distribution_is_that_of_the_drawn_mesh(geometry: str) -> None:
    obj = thing(geometry, size=PRIMITIVES[geometry])
    shape = object_shape(obj, base_dir=".")
    drawn = object_mesh(obj, base_dir=".")
    solid = trimesh.Trimesh(drawn.vertices, drawn.faces)
    assert solid.is_watertight
    assert shape.volume == pytest.approx(solid.volume, rel=0.02)
    np.testing.assert_allclose(shape.center, solid.center_mass, atol=1e-3)
    np.testing.assert_allclose(shape.unit_inertia, np.diag(solid.moment_inertia) / solid.volume, rtol=0.03)


@pytest.mark.parametrize("geometry", PRIMITIVES)
def test_a_body_rests_where_it_is_drawn(geometry: str) -> None:
    size = PRIMITIVES[geometry]
    obj = thing(geometry, size=size, pos=(0.0, 0.0, size[2] / 2))
    run = simulate(World(duration=0.5, fps=30, objects=(obj,), planes=(Plane(),)))
    assert run.position[-1, 0, 2] == pytest.approx(size[2] / 2, abs=3e-4)
    assert run.position[0, 0].tolist() == [0.0, 0.0, size[2] / 2]


@pytest.mark.parametrize("geometry", ["cylinder", "capsule"])
def test_a_round_body_rests_on_its_side(geometry: str) -> None:
    size = PRIMITIVES[geometry]
    side = tuple(float(x) for x in quaternion_from_axis_angle((1.0, 0.0, 0.0), np.pi / 2))
    obj = thing(geometry, size=size, pos=(0.0, 0.0, size[0] / 2), rot=side)
    run = simulate(World(duration=0.5, fps=30, objects=(obj,), planes=(Plane(),)))
    assert run.position[-1, 0, 2] == pytest.approx(size[0] / 2, abs=3e-4)


@pytest.mark.parametrize(
    ("geometry", "size"),
    [("sphere", (0.1, 0.1, 0.2)), ("cylinder", (0.1, 0.2, 0.1)), ("capsule", (0.2, 0.2, 0.1))],
)
def test_extents_that_a_shape_cannot_have(geometry: str, size: tuple[float, float, float]) -> None:
    with pytest.raises(UserError, match=r"thing\.size"):
        object_shape(thing(geometry, size=size), base_dir=".")


def test_a_free_cone_turns_about_its_centre_of_mass() -> None:
    spin = (4.0, 0.0, 0.0)
    cone = thing("cone", size=(0.1, 0.1, 0.2), ang_vel=spin, acc=(0.0, 0.0, 0.0), rot=(1.0, 0.0, 0.0, 0.0))
    run = simulate(World(duration=1.0, fps=30, objects=(cone,)))
    center = run.position[:, 0] + rotation_from_quaternion(run.orientation_wxyz[:, 0]) @ np.array(
        [0, 0, -0.05]
    )
    drift = center - center[0] - run.times[:, None] * run.linear_velocity[0, 0]
    np.testing.assert_allclose(drift, 0.0, atol=1e-6)
    # vel = 0 belongs to pos: the centre of mass below it moves with ω × lever.
    np.testing.assert_allclose(run.linear_velocity[0, 0], np.cross(spin, [0, 0, -0.05]), atol=1e-12)


def test_a_mesh_box_moves_like_a_box(tmp_path) -> None:
    trimesh.creation.box((0.1, 0.08, 0.06)).export(tmp_path / "box.obj")
    start = {"pos": (0.0, 0.0, 0.4), "ang_vel": (1.0, 2.0, 0.5), "vel": (0.3, 0.0, 0.0), "restitution": 0.5}
    runs = []
    for fields in ({"geometry": "box", "size": (0.1, 0.08, 0.06)}, {"geometry": "mesh", "mesh": "box.obj"}):
        obj = thing(**{**start, **fields})  # type: ignore[arg-type]
        world = World(duration=0.5, fps=30, objects=(obj,), planes=(Plane(),), base_dir=str(tmp_path))
        runs.append(simulate(world))
    np.testing.assert_allclose(runs[0].position[:, 0], runs[1].position[:, 0], atol=2e-3)


def test_a_mesh_in_slanted_axes_keeps_its_own_frame(tmp_path) -> None:
    solid = trimesh.creation.box((0.3, 0.1, 0.2))
    turn = trimesh.transformations.rotation_matrix(0.7, [1, 2, 3])
    turn[:3, 3] = (0.05, -0.02, 0.1)
    solid.apply_transform(turn)
    solid.export(tmp_path / "slanted.obj")
    obj = thing("mesh", mesh="slanted.obj", pos=(1.0, 2.0, 3.0), rot=(0.8, 0.6, 0.0, 0.0))
    shape = object_shape(obj, base_dir=str(tmp_path))
    np.testing.assert_allclose(shape.center, (0.05, -0.02, 0.1), atol=1e-6)
    np.testing.assert_allclose(
        sorted(shape.unit_inertia), sorted([5 / 1200, 13 / 1200, 10 / 1200]), rtol=1e-4
    )
    run = simulate(World(duration=0.2, fps=30, objects=(obj,), base_dir=str(tmp_path)))
    np.testing.assert_allclose(run.position[0, 0], (1.0, 2.0, 3.0), atol=1e-9)
    np.testing.assert_allclose(run.orientation_wxyz[-1, 0], (0.8, 0.6, 0.0, 0.0), atol=1e-9)


def test_an_open_mesh_is_refused(tmp_path) -> None:
    trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]).export(tmp_path / "open.obj")
    world = World(duration=0.1, objects=(thing("mesh", mesh="open.obj"),), base_dir=str(tmp_path))
    with pytest.raises(UserError, match="is open: 3 edges"):
        simulate(world)
