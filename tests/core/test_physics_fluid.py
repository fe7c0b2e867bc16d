"""The particle fluid against hydrostatics, conservation, and itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fourdcb.dsl import emit, parse_script
from fourdcb.errors import DiagnosticsError, UserError
from fourdcb.physics import make_engine
from fourdcb.physics.fluid.solids import (
    BOX,
    CAPSULE,
    CYLINDER,
    HALF,
    ROT,
    SHAPE,
    SOLID_WIDTH,
    SPHERE,
    filled,
    gap,
)
from fourdcb.physics.fluid.trials import DEPTH, LENGTH, WIDTH, ball, cup_keeps, floats, momentum_error, tank
from fourdcb.trajectory import Trajectory
from fourdcb.world import Object, World, parameters, with_value
from fourdcb.world.validate import validate


def _run(world: World, rate_hz: float = 240.0) -> Trajectory:
    with make_engine() as engine:
        return engine.rollout(world, rate_hz=rate_hz)


@pytest.mark.parametrize(
    ("shape", "half", "volume"),
    [
        (SPHERE, (0.4, 0.4, 0.4), 4.0 / 3.0 * np.pi * 0.4**3),
        (BOX, (0.3, 0.2, 0.4), 8.0 * 0.3 * 0.2 * 0.4),
        (CYLINDER, (0.3, 0.3, 0.4), np.pi * 0.3**2 * 0.8),
        (CAPSULE, (0.2, 0.2, 0.4), np.pi * 0.2**2 * (0.4 + 4.0 / 3.0 * 0.2)),
    ],
)
def test_cubes_filled_by_a_solid_add_up_to_its_volume(shape, half, volume):
    solid = np.zeros((1, SOLID_WIDTH))
    solid[0, SHAPE], solid[0, HALF : HALF + 3], solid[0, ROT : ROT + 9] = shape, half, np.eye(3).ravel()
    edge = 0.1
    places = edge * (np.arange(-6, 6) + 0.37)
    found = sum(filled(solid, 0, x, y, z, edge) for x in places for y in places for z in places)
    assert found * edge**3 == pytest.approx(volume, rel=0.01)
    assert gap(solid, 0, 0.0, 0.0, half[2] + 0.25) == pytest.approx(0.25)


def test_still_water_stays_and_presses_as_its_depth():
    world = tank(duration=0.5)
    track = _run(world).particles
    assert track is not None
    assert track.mass.sum() == pytest.approx(1000.0 * LENGTH * WIDTH * DEPTH, rel=1e-12)
    speed = np.linalg.norm(np.diff(track.position, axis=0), axis=-1) * 30.0
    assert np.percentile(speed[-1], 95.0) < 0.03  # [m/s]
    assert 2.0 * track.position[-1, :, 2].mean() == pytest.approx(DEPTH, rel=0.03)


def test_a_light_ball_floats_and_a_heavy_one_sinks():
    for density, floats_up in ((500.0, True), (3000.0, False)):
        run = _run(tank(ball(density, z=DEPTH), duration=1.5))
        height = run.position[-1, run.index("ball"), 2]
        assert bool(height > DEPTH - 0.06) is floats_up


def test_a_rollout_is_the_same_again_and_in_pieces():
    world = tank(ball(500.0, z=DEPTH + 0.1), duration=0.3)
    first, again = _run(world), _run(world)
    with make_engine() as engine:
        rollout = engine.start(world, rate_hz=240.0)
        for k in range(10):
            rollout.advance_to(k / 30.0)
        pieces = rollout.trajectory()
        poses = engine.frame_poses(world, rate_hz=240.0)
    assert first.particles is not None
    assert again.particles is not None
    assert pieces.particles is not None
    np.testing.assert_array_equal(first.particles.position, again.particles.position)
    np.testing.assert_array_equal(first.position, again.position)
    n = pieces.n_frames
    np.testing.assert_array_equal(first.particles.position[:n], pieces.particles.position)
    np.testing.assert_array_equal(poses[0], first.position[first.frame_steps()])


def test_a_world_without_fluid_is_the_contact_solvers_alone():
    from fourdcb.physics.contact.engine import ContactEngine

    world = World(duration=0.3, objects=(ball(500.0, z=1.0),))
    with ContactEngine() as engine:
        alone = engine.rollout(world, rate_hz=240.0)
    run = _run(world)
    np.testing.assert_array_equal(run.position, alone.position)
    assert run.particles is None


def test_a_ball_and_water_in_free_fall_keep_their_momentum():
    assert momentum_error(duration=0.3) < 0.02


def test_a_fluid_is_said_by_a_script():
    script = (
        'world = World(duration=1.0)\nball = Object("ball", geometry="sphere", size=[0.1, 0.1, 0.1],'
        " pos=[0, 0, 1],"
        " vel=[0, 0, 0], acc=[0, 0, -9.8])\n"
        'water = Fluid("water", size=[0.6, 0.4, 0.2], pos=[0, 0, 0.1], acc=[0, 0, -9.8],'
        " color=[0.1, 0.3, 0.5])\n"
        "water.density = 900\n"
    )
    world = parse_script(script).world
    (fluid,) = world.fluids
    assert (fluid.density, fluid.material.base_color, fluid.material.name) == (
        900.0,
        (0.1, 0.3, 0.5),
        "water",
    )
    assert parse_script(emit(world)).world == world
    paths = {p.path for p in parameters(world)}
    assert {"water.density", "water.size[2]", "water.roughness"} <= paths
    assert with_value(world, "water.density", 800.0).fluids[0].density == 800.0
    assert with_value(world, "water.roughness", 0.5).fluids[0].material.roughness == 0.5


def test_a_second_fluid_and_shapes_that_it_cannot_meet_are_refused():
    world = tank(ball(500.0, z=0.4), duration=0.1)
    assert not [d for d in validate(world) if d.severity == "error"]
    twice = replace(world, fluids=(*world.fluids, replace(world.fluids[0], name="oil")))
    assert "one Fluid" in validate(twice)[0].message
    cone = replace(world.object("ball"), geometry="cone")
    assert "cannot meet a cone" in validate(replace(world, objects=(cone,)))[0].message
    with pytest.raises(DiagnosticsError, match="missing required field 'acc'"):
        parse_script('world = World()\nFluid("water", size=[1, 1, 1], pos=[0, 0, 0])')
    with make_engine("bullet-recipe") as engine, pytest.raises(UserError, match="no fluids"):
        engine.rollout(world, rate_hz=240.0)


def test_thin_walls_hold_water():
    """A wall of a centimetre is thinner than a cell."""
    world = tank(duration=0.5)

    def thinned(obj: Object) -> Object:
        size = tuple(0.01 if s == 0.05 else s for s in obj.size)
        shift = [-np.sign(p) * 0.02 if s == 0.05 else 0.0 for s, p in zip(obj.size, obj.pos, strict=True)]
        pos = tuple(float(p + d) for p, d in zip(obj.pos, shift, strict=True))
        return replace(obj, size=size, pos=pos)

    track = _run(replace(world, objects=tuple(map(thinned, world.objects)))).particles
    assert track is not None
    x, y, z = np.moveaxis(track.position, -1, 0)
    assert (np.abs(x) < LENGTH / 2).all()
    assert (np.abs(y) < WIDTH / 2).all()
    assert (z > 0.0).all()


@pytest.mark.slow
@pytest.mark.parametrize("density", [300.0, 500.0, 600.0, 900.0])
def test_a_floating_ball_displaces_its_weight(density):
    assert floats(density).share == pytest.approx(1.0, abs=0.05)


@pytest.mark.slow
def test_no_particle_leaves_a_cup_in_ten_seconds():
    kept = cup_keeps(seconds=10.0)
    assert kept.left == 0
    assert kept.mass_error < 1e-12
    assert abs(kept.volume_error) < 0.05


def test_the_surface_of_a_block_of_particles_is_the_blocks():
    from fourdcb.render._fluid import surface_at
    from fourdcb.trajectory import ParticleTrack

    step = 0.02
    axes = [step * (np.arange(n) + 0.5) for n in (20, 16, 12)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    radius = step * (3.0 / (4.0 * np.pi)) ** (1.0 / 3.0)
    n = len(points)
    track = ParticleTrack(fps=30.0, position=points[None], radius=np.full(n, radius), mass=np.ones(n))
    found = surface_at(track, 0.0)
    a, b, c = (found.vertices[found.faces[:, k]] for k in range(3))
    volume = np.sum(np.einsum("fi,fi->f", a, np.cross(b, c))) / 6.0  # Gauss; positive: faces look outward
    assert volume == pytest.approx(0.40 * 0.32 * 0.24, rel=0.1)  # its edges are rounded
    edges = np.sort(
        np.concatenate([found.faces[:, [0, 1]], found.faces[:, [1, 2]], found.faces[:, [2, 0]]]), axis=1
    )
    assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all()  # it is closed
    top = found.vertices[np.argmax(found.vertices[:, 2])]
    assert top[2] == pytest.approx(0.24, abs=0.2 * step)
    outward = found.vertices - found.vertices.mean(axis=0)
    assert (np.einsum("vi,vi->v", outward, found.normals) > 0.0).mean() > 0.99


def test_a_fluid_is_drawn_and_named_in_the_picture():
    from fourdcb.render import RasterRenderer, RenderSettings, optical_flow
    from fourdcb.world import Camera

    world = replace(tank(duration=0.1), camera=Camera(pos=(0.0, -1.0, 1.2), target=(0.0, 0.0, 0.1)))
    opaque = replace(world.fluids[0], material=replace(world.fluids[0].material, opacity=None))
    world = replace(world, fluids=(opaque,))
    run = _run(world)
    renderer = RasterRenderer(world, RenderSettings(width=96, height=96))
    frame = renderer.render(run, 1.0 / 30.0)
    water = frame.instance == len(world.bodies)
    assert 300 < water.sum() < 5000
    depth = np.median(frame.depth[water])
    assert 1.0 < depth < 1.6
    flow = optical_flow(world, run, frame, t=1.0 / 30.0, dt=1.0 / 30.0)
    np.testing.assert_allclose(flow[water], 0.0, atol=1e-9)
    dry = renderer.render((run.position[0], run.orientation_wxyz[0]), 0.0)  # poses say nothing of particles
    assert not (dry.instance == len(world.bodies)).any()


def test_a_fluid_without_room_for_a_particle_is_told() -> None:
    world = tank(duration=0.2)
    fluid = world.fluids[0]
    block = Object(
        name="block", geometry="box", fixed=True, size=(4.0, 4.0, 4.0), pos=fluid.pos, vel=(0.0, 0.0, 0.0),
        acc=(0.0, 0.0, 0.0),
    )  # fmt: skip
    with pytest.raises(UserError, match="no room for a single particle"):
        _run(replace(world, objects=(block,)))
