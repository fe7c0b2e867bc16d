"""The contact solver against closed forms that Bullet's recipe does not meet."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from fourdcb.conventions import rotation_from_quaternion
from fourdcb.physics import Engine, make_engine
from fourdcb.physics.conformance.scenes import NOTHING, ON_SIDE, G, floor, stage, thing
from fourdcb.world import Plane, World

RATE = 960.0


@pytest.fixture(scope="module")
def solver() -> Iterator[Engine]:
    with make_engine("contact-solver") as engine:
        yield engine


@pytest.mark.parametrize("azimuth", [0.0, 20.0, 45.0, 75.0])
@pytest.mark.parametrize("mass", [0.001, 1.0, 10_000.0])
def test_rolling_friction_brakes_along_the_path_whatever_the_mass(
    solver: Engine, azimuth: float, mass: float
) -> None:
    lever, radius, speed = 0.004, 0.05, 1.0
    c, s = math.cos(math.radians(azimuth)), math.sin(math.radians(azimuth))
    ball = thing(
        "ball", "sphere", (0.0, 0.0, radius), mass=mass, vel=(speed * c, speed * s, 0.0),
        ang_vel=(-speed / radius * s, speed / radius * c, 0.0), friction=1.0, rolling_friction=lever,
    )  # fmt: skip
    run = solver.rollout(stage(ball, duration=2.5, planes=(floor(),)), rate_hz=RATE)
    x, y = run.position[-1, 0, :2]
    # m a = -F and I α = F r - lever m g, rolling: a = lever g / (1.4 r).
    assert x * c + y * s == pytest.approx(speed**2 / (2 * lever * G / (1.4 * radius)), rel=2e-3)
    assert abs(y * c - x * s) < 1e-6


def test_a_spinning_box_stops_as_even_pressure_makes_it(solver: Engine) -> None:
    side, spin, friction = 0.1, 20.0, 0.3
    box = thing(
        "box", "box", (0.0, 0.0, 0.03), size=(side, side, 0.06), friction=friction, ang_vel=(0, 0, spin)
    )
    run = solver.rollout(stage(box, duration=0.5, planes=(floor(),)), rate_hz=RATE)
    lever = side * (math.sqrt(2) + math.asinh(1.0)) / 6  # mean distance from a square's middle
    stop = spin * side**2 / 6 / (friction * G * lever)
    still = run.times[np.argmax(run.angular_velocity[:, 0, 2] < 1e-3 * spin)]
    assert still == pytest.approx(stop, rel=0.01)


def test_a_thrown_book_turns_as_eulers_equations_say(solver: Engine) -> None:
    size, start = np.array([0.15, 0.07, 0.008]), np.array([0.3, 15.0, 0.3])
    book = thing("book", "box", NOTHING, size=tuple(size), mass=0.02, acc=NOTHING, ang_vel=tuple(start))
    run = solver.rollout(stage(book, duration=2.0), rate_hz=RATE)
    inertia = (size @ size - size**2) / 12

    def rates(_: float, state: np.ndarray) -> np.ndarray:
        w, q = state[:3], state[3:]
        turn = 0.5 * np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))])
        return np.concatenate([np.cross(inertia * w, w) / inertia, turn])

    exact = solve_ivp(rates, (0.0, 2.0), [*start, 1.0, 0.0, 0.0, 0.0], rtol=1e-11, atol=1e-12, t_eval=[2.0])
    ours = rotation_from_quaternion(run.orientation_wxyz[-1, 0])
    true = rotation_from_quaternion(exact.y[3:, -1] / np.linalg.norm(exact.y[3:, -1]))
    angle = math.degrees(math.acos(min(1.0, 0.5 * (np.trace(ours.T @ true) - 1))))
    assert angle < 1.0


def test_a_box_slides_along_a_groove_that_presses_from_both_sides(solver: Engine) -> None:
    friction, slope = 0.3, 0.4055797876726389
    half = math.sqrt(0.5)
    planes = tuple(
        Plane(name=f"side {y}", normal=(slope, y * half, 0.5792279653395693), friction=1.0, restitution=1.0)
        for y in (1.0, -1.0)
    )
    box = thing(
        "box", "box", (0.01622319150690555, 0.0, 0.023169118613582767), size=(0.1, 0.04, 0.04),
        friction=friction,
        rot=(0.8811195706053617, 0.36497167621709875, 0.27781593346944056, -0.11507512748638375),
    )  # fmt: skip
    run = solver.rollout(stage(box, duration=1.0, planes=planes), rate_hz=RATE)
    down = math.asin(slope / half)
    exact = G * (math.sin(down) - friction * math.cos(down) / half)
    way = np.linalg.norm(run.position[:, 0] - run.position[0, 0], axis=1)
    assert 2 * way[-1] / run.times[-1] ** 2 == pytest.approx(exact, rel=0.005)


def test_a_plane_is_a_half_space_and_a_chain_of_touching_balls_passes_the_blow_on(solver: Engine) -> None:
    far = thing("far", "sphere", (120.0, 0.0, 0.05))
    run = solver.rollout(stage(far, duration=0.5, planes=(floor(),)), rate_hz=RATE)
    assert run.position[-1, 0, 2] == pytest.approx(0.05, abs=1e-7)
    balls = [
        thing(
            f"ball {k}", "sphere", (0.1 * k - (0.05 if k == 0 else 0.0), 0.0, 0.0), acc=NOTHING, friction=0.0,
            restitution=1.0, vel=(1.5, 0.0, 0.0) if k == 0 else NOTHING,
        )
        for k in range(5)
    ]  # fmt: skip
    run = solver.rollout(stage(*balls, duration=0.1), rate_hz=RATE)
    np.testing.assert_allclose(run.linear_velocity[-1, :, 0], [0, 0, 0, 0, 1.5], atol=1e-9)


def _scene(turn_deg: float = 0.0, *, order: tuple[int, ...] = (0, 1, 2)) -> World:
    c, s = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    half = (math.cos(math.radians(turn_deg) / 2), 0.0, 0.0, math.sin(math.radians(turn_deg) / 2))

    def at(x: float, y: float, z: float) -> tuple[float, float, float]:
        return (c * x - s * y, s * x + c * y, z)

    objects = [
        thing("ball", "sphere", at(-0.5, 0.013, 0.05), mass=0.4, friction=0.4, restitution=0.5,
              vel=at(2.2, 0.0, 0.0), ang_vel=at(0.0, 10.0, 0.0)),
        thing("box", "box", at(0.0, 0.0, 0.05), size=(0.06, 0.12, 0.1), mass=0.3, friction=0.4,
              restitution=0.3, rot=half),
        thing("can", "cylinder", at(0.15, 0.02, 0.06), size=(0.06, 0.06, 0.12), mass=0.2, friction=0.4,
              restitution=0.3, rot=half),
    ]  # fmt: skip
    return stage(*(objects[k] for k in order), duration=1.0, planes=(floor(),))


def test_a_turned_scene_moves_as_the_scene_does_turned(solver: Engine) -> None:
    straight, turned = (solver.rollout(_scene(a), rate_hz=RATE).position[:, :3] for a in (0.0, 30.0))
    c, s = math.cos(math.radians(30)), math.sin(math.radians(30))
    expected = straight @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    assert np.linalg.norm(turned - expected, axis=2).max() < 1e-3


def test_neither_order_nor_what_ran_before_changes_the_motion(solver: Engine) -> None:
    first = solver.rollout(_scene(), rate_hz=RATE)
    other = solver.rollout(_scene(order=(2, 0, 1)), rate_hz=RATE)
    again = solver.rollout(_scene(), rate_hz=RATE)
    assert first.position.tobytes() == again.position.tobytes()
    assert first.contacts.normal_impulse.tobytes() == again.contacts.normal_impulse.tobytes()
    names = ("ball", "box", "can")
    for name in names:
        distance = first.position[:, first.index(name)] - other.position[:, other.index(name)]
        assert np.linalg.norm(distance, axis=1).max() < 1e-3


def test_advancing_in_pieces_and_by_frames_gives_the_same_bytes(solver: Engine) -> None:
    world = _scene()
    whole = solver.rollout(world, rate_hz=RATE)
    pieces = solver.start(world, rate_hz=RATE)
    for t in (0.1, 0.333, 1.0):
        pieces.advance_to(t)
    assert pieces.trajectory().position.tobytes() == whole.position.tobytes()
    position, _ = solver.frame_poses(world, rate_hz=RATE)
    assert position.tobytes() == whole.position[whole.frame_steps()].tobytes()


def test_a_bounce_with_friction_gains_no_energy(solver: Engine) -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        rot = rng.normal(size=4)
        box = thing(
            "box", "box", (0.0, 0.0, 0.5), size=tuple(rng.uniform(0.05, 0.2, 3)), mass=0.5,
            friction=float(rng.uniform(0.0, 2.0)), restitution=float(rng.uniform(0.5, 1.0)),
            rot=tuple(rot / np.linalg.norm(rot)), vel=tuple(rng.uniform(-2, 2, 3)),
            ang_vel=tuple(rng.uniform(-10, 10, 3)),
        )  # fmt: skip
        run = solver.rollout(stage(box, duration=1.0, planes=(floor(),)), rate_hz=RATE)
        energy = (run.kinetic_energy + run.potential_energy)[:, 0]
        assert np.max(energy - np.minimum.accumulate(energy)) < 1e-3 * energy[0]


def test_what_lies_still_stays_there(solver: Engine) -> None:
    bodies = [
        thing("ball", "sphere", (0.0, 0.0, 0.05)),
        thing("box", "box", (0.5, 0.0, 0.03)),
        thing("can", "cylinder", (1.0, 0.0, 0.05)),
        thing("log", "cylinder", (1.5, 0.0, 0.04), rot=ON_SIDE),
        thing("pill", "capsule", (2.0, 0.0, 0.03), rot=ON_SIDE),
    ]
    run = solver.rollout(stage(*bodies, duration=5.0, planes=(floor(),)), rate_hz=240.0)
    assert np.linalg.norm(run.position[-1] - run.position[0], axis=1).max() < 1e-5


def test_towers_and_heavy_bodies_on_light_ones_stand(solver: Engine) -> None:
    tower = [thing(f"cube {k}", "box", (0.0, 0.0, 0.05 + 0.1 * k), size=(0.1, 0.1, 0.1)) for k in range(8)]
    light = [
        thing(f"ball {k}", "sphere", (x, y, 0.05))
        for k, (x, y) in enumerate(((2.0, 0.0), (2.1, 0.1), (1.9, 0.1), (2.0, -0.1)))
    ]
    heavy = thing("slab", "box", (2.0, 0.0, 0.15), size=(0.3, 0.3, 0.1), mass=1000.0)
    run = solver.rollout(stage(*tower, *light, heavy, duration=1.0, planes=(floor(),)), rate_hz=RATE)
    assert np.linalg.norm(run.position[-1] - run.position[0], axis=1).max() < 1e-3


def test_three_logs_lie_on_each_other_and_a_card_lands_on_a_card(solver: Engine) -> None:
    logs = [
        thing(name, "cylinder", pos, size=(0.08, 0.08, 0.1), friction=1.0, rot=ON_SIDE)
        for name, pos in (
            ("a", (-0.04, 0.0, 0.04)),
            ("b", (0.04, 0.0, 0.04)),
            ("c", (0.0, 0.0, 0.1092820323)),
        )
    ]
    enough = math.tan(math.radians(15)) / 3  # friction that the lower two need from the floor
    for factor, stands in ((1.15, True), (0.85, False)):
        ground = Plane(name="floor", normal=(0, 0, 1), friction=factor * enough, restitution=1.0)
        run = solver.rollout(stage(*logs, duration=1.0, planes=(ground,)), rate_hz=RATE)
        assert (run.position[-1, 2, 2] > 0.1) == stands
    size = (0.0856, 0.054, 0.0008)
    cards = [
        thing(f"card {k}", "box", (0.001 * k, 0.0, (0.5 + k) * size[2] + 0.3 * k), size=size, mass=0.005)
        for k in range(2)
    ]
    run = solver.rollout(stage(*cards, duration=0.5, planes=(floor(),)), rate_hz=RATE)
    assert run.position[-1, 1, 2] == pytest.approx(1.5 * size[2], abs=1e-5)
