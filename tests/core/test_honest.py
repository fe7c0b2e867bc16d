"""The same world in other words gets the truth's verdict."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourdcb.conventions import rotation_from_quaternion
from fourdcb.dsl import emit, load_script, parse_script
from fourdcb.evaluation.confusion import FaultScene
from fourdcb.evaluation.honest import retellings
from fourdcb.physics import make_engine
from fourdcb.world import Object, World

SCENES = Path(str(files("fourdcb_resources"))) / "scenes"
NAMES = ("bounce_ball", "collide_pair", "slide_cup")


def corners(obj: Object) -> np.ndarray:
    """Of a box, sorted, [m]."""
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    local = 0.5 * signs * np.asarray(obj.size)
    world = local @ rotation_from_quaternion(np.asarray(obj.rot)).T + np.asarray(obj.pos)
    return np.array(sorted(map(tuple, world.round(9))))


def test_edges_in_another_order_make_the_same_box(tmp_path: Path) -> None:
    box = Object(
        name="box", size=(0.1, 0.2, 0.3), rot=(0.8, 0.6, 0.0, 0.0), pos=(1.0, 2.0, 3.0), vel=(0, 0, 0),
        acc=(0, 0, 0), mass=2.0,
    )  # fmt: skip
    ways = {r.way: r.world for r in retellings(World(objects=(box,)), folder=tmp_path)}
    other = [world.objects[0] for way, world in ways.items() if "order" in way and "edges" in way]
    assert len(other) == 5
    for each in other:
        assert each.size != box.size
        np.testing.assert_allclose(corners(each), corners(box), atol=1e-8)
    dense = ways["box: density for mass"].objects[0]
    assert dense.mass is None
    assert dense.material.density == pytest.approx(2.0 / 0.006)


def test_a_keyframed_box_keeps_its_corners_along_its_way(tmp_path: Path) -> None:
    striker = load_script(SCENES / "pendulum_hit" / "world.py").world.object("striker")
    ways = {r.way: r.world for r in retellings(World(objects=(striker,)), folder=tmp_path)}
    for way in ("striker: edges in the order yxz", "striker: turned upside down"):
        other = ways[way].objects[0]
        for key, own in zip(striker.trajectory[::20], other.trajectory[::20], strict=True):
            posed = [replace(o, rot=k.rot, pos=k.pos) for o, k in ((striker, key), (other, own))]
            np.testing.assert_allclose(corners(posed[1]), corners(posed[0]), atol=1e-8)


def test_many_ways_in_all_scenes(tmp_path: Path) -> None:
    ways = [
        retelling.way
        for name in NAMES
        for retelling in retellings(load_script(SCENES / name / "world.py").world, folder=tmp_path)
    ]
    assert len(ways) > 60
    for kind in ("other sign", "as a mesh", "density for mass", "a large box", "all masses", "other body"):
        assert any(kind in way for way in ways), kind


@settings(max_examples=4, deadline=None)
@given(st.data())
def test_a_retelling_is_deployable(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(NAMES))
    with TemporaryDirectory() as folder, make_engine() as engine:
        scene = FaultScene(SCENES / name / "world.py", engine)
        each = data.draw(st.sampled_from(list(retellings(scene.world, folder=Path(folder)))))
        world = parse_script(emit(each.world), base_dir=folder).world
        report = scene.report(world)
        assert report.verdict == "DEPLOYABLE", (name, each.way, report.reasons)


def test_in_a_fluid_masses_are_not_told_otherwise_and_no_body_is_a_mesh(tmp_path: Path) -> None:
    world = load_script(SCENES / "splash" / "world.py").world
    told = list(retellings(world, folder=tmp_path))
    assert len(told) > 10
    assert all(o.geometry != "mesh" for r in told for o in r.world.objects)
    masses = [[o.mass for o in world.objects if o.kind == "dynamic"]]
    own = [[o.mass for o in r.world.objects if o.kind == "dynamic"] for r in told if "masses" in r.way]
    assert own in ([], masses)
