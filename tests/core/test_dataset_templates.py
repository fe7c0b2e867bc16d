"""Templates and what is kept of them: valid worlds, framed cameras, and reasons that hold."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourdcb.dataset.acceptance import too_small, unobservable, unpredictable, unseen
from fourdcb.dataset.framing import FILLED, SIDE, framed, framing, moving, moving_corners, trimmed
from fourdcb.dataset.gallery import gallery, write_gallery
from fourdcb.dataset.looks import LEAST_LEVELS, unlit
from fourdcb.dataset.templates import TEMPLATES, Draw, Range
from fourdcb.dataset.templates.contract import rounded
from fourdcb.dsl import emit, parse_script
from fourdcb.errors import UserError
from fourdcb.physics import make_engine
from fourdcb.randomness import generator
from fourdcb.render import RasterRenderer, RenderSettings
from fourdcb.video import VideoReader
from fourdcb.world import DirectionalLight, Material, Object, Plane, World
from fourdcb.world.camera import project
from fourdcb.world.presets import material_names
from fourdcb.world.validate import validate

PAGE = files("fourdcb_resources") / "docs" / "datasets.md"


@given(
    low=st.floats(1e-3, 1e3), width=st.floats(1e-3, 1e3), seed=st.integers(0, 2**32),
    scale=st.sampled_from(["linear", "log"]),
)  # fmt: skip
def test_drawn_values_lie_in_their_range_and_are_short(low, width, seed, scale):
    draw = Draw(np.random.default_rng(seed), {"x": Range(low, low + width, "m", scale)})
    value = draw.value("x")
    assert low <= value <= low + width
    assert value in (low, low + width) or len(f"{value:.12g}".replace(".", "").strip("0")) <= 4
    assert rounded(rounded(value)) == rounded(value)


@pytest.mark.parametrize("name", list(TEMPLATES))
def test_samples_are_worlds_that_a_script_says(name):
    found = TEMPLATES[name]
    counts, materials, lights = set(), set(), set()
    for k in range(25):
        world = found.sample(generator(k, name))
        assert world == found.sample(generator(k, name))
        assert not [d for d in validate(world) if d.severity == "error"]
        read = parse_script(emit(world)).world
        assert parse_script(emit(read)).world == read
        for own, again in zip(world.objects, read.objects, strict=True):
            np.testing.assert_allclose(own.rot, again.rot, atol=1e-5)  # a script's are made unit
            assert replace(own, rot=again.rot, trajectory=()) == replace(again, trajectory=())
        assert (world.planes, world.lights) == (read.planes, read.lights)
        movers = [obj for _, obj in moving(world)]
        assert 1 <= len(movers) <= 6
        colours = [obj.material.base_color for obj in movers]
        assert len(set(colours)) == len(colours)
        assert len(world.bodies) <= 10
        counts.add(len(movers))
        materials |= {obj.material.name for obj in movers}
        lights.add((bool(world.lights[0].direction_curve), bool(world.lights[0].intensity_curve)))
    if "bodies" in found.ranges:
        span = found.ranges["bodies"]
        assert counts <= set(range(int(span.low), int(span.high) + 1))
        assert len(counts) > 1
    assert materials <= set(material_names())
    assert {turns for turns, _ in lights} == {True, False}
    assert {changes for _, changes in lights} == {True, False}


def test_the_page_tells_every_range():
    page = PAGE.read_text(encoding="utf-8")
    for found in TEMPLATES.values():
        assert f"`{found.name}` | {found.line} |" in page
        for name, span in found.ranges.items():
            assert f"{name} {span.low:g} … {span.high:g} {span.unit}".rstrip() in page


@pytest.mark.parametrize("name", ["elastic_collision", "domino"])
def test_the_camera_holds_all_that_moves_and_not_much_more(name):
    found = TEMPLATES[name]
    random = generator(4, name)
    with make_engine() as engine:
        world = found.sample(random)
        world = trimmed(world, engine.rollout(world, rate_hz=960.0), longest=found.longest)
        trajectory = engine.rollout(world, rate_hz=960.0)
    world = framed(world, trajectory, found, Draw(random, {}), lens=(0.0,) * 5)
    pixels = project(world.camera, moving_corners(world, trajectory)) / SIDE - 0.5
    assert np.abs(pixels).max() == pytest.approx(0.5 * FILLED, abs=0.005)
    shown = framing(world, trajectory)
    assert shown.motion > 0.0
    twice = replace(world, camera=replace(world.camera, width=2 * SIDE, height=2 * SIDE))
    assert framing(twice, trajectory) == shown


def _slide(*, friction: float, speed: float, distance: float = 1.2) -> World:
    """A block on a floor, seen from the front."""
    block = Object(
        name="block", geometry="box", size=(0.2, 0.2, 0.1), mass=1.0, friction=friction, restitution=0.0,
        pos=(-0.3, 0.0, 0.05), vel=(speed, 0.0, 0.0), acc=(0.0, 0.0, -9.81),
    )  # fmt: skip
    world = World(
        duration=1.0, objects=(block,), planes=(Plane(name="floor", friction=1.0, restitution=1.0),)
    )
    return replace(world, camera=replace(world.camera, pos=(0.0, -distance, 0.4), target=(0.0, 0.0, 0.05)))


def test_a_friction_that_shows_is_kept_and_one_that_does_not_is_told():
    with make_engine() as engine:
        for world, shows in (
            (_slide(friction=0.2, speed=1.2), True),
            (_slide(friction=0.5, speed=0.0), False),
        ):
            trajectory = engine.rollout(world, rate_hz=960.0)
            effects, reasons = unobservable(world, ["block.friction", "nobody.friction"], trajectory, engine)
            assert set(effects) == {"block.friction"}
            assert bool(reasons) is not shows
            if not shows:
                assert reasons[0].startswith("not observable: 1/20 of the slider of block.friction")


def test_the_effect_of_a_friction_is_that_of_the_closed_form():
    # v² / (2 μ g) is the way; a change of μ by δ shortens it by v² δ / (2 μ² g).
    world = _slide(friction=0.4, speed=1.5)
    with make_engine() as engine:
        trajectory = engine.rollout(world, rate_hz=960.0)
        effects, _ = unobservable(world, ["block.friction"], trajectory, engine)
    shift = 1.5**2 * (0.05 * 1.2) / (2.0 * 0.4**2 * 9.81)
    end = trajectory.position[-1, 0]
    here, there = project(world.camera, np.stack([end, end + np.array([shift * 1e-3, 0.0, 0.0])]))
    assert effects["block.friction"] == pytest.approx(1e3 * np.linalg.norm(there - here), rel=0.05)


def test_what_is_small_still_hidden_or_chaotic_is_told():
    with make_engine() as engine:
        far = _slide(friction=0.2, speed=1.0, distance=12.0)
        shown = framing(far, engine.rollout(far, rate_hz=960.0))
        assert any(reason.startswith("too small: block") for reason in too_small(shown))
        rest = _slide(friction=0.5, speed=0.0)
        assert too_small(framing(rest, engine.rollout(rest, rate_hz=960.0)))[0].startswith(
            "too little motion"
        )
        wall = Object(
            name="wall", geometry="box", size=(2.0, 0.05, 2.0), pos=(0.0, -0.4, 0.3), vel=(0.0, 0.0, 0.0),
            acc=(0.0, 0.0, 0.0), fixed=True,
        )  # fmt: skip
        hidden = _slide(friction=0.2, speed=1.0)
        hidden = replace(hidden, objects=(*hidden.objects, wall))
        trajectory = engine.rollout(hidden, rate_hz=960.0)
        assert unseen(hidden, trajectory) == ["not seen: block shows in 0% of the pictures"]
        # A pencil on its tip falls to whichever side it is pushed.
        pencil = Object(
            name="pencil", geometry="cone", size=(0.1, 0.1, 0.4), mass=0.2, friction=0.5, restitution=0.0,
            pos=(0.0, 0.0, 0.2), rot=(0.0, 1.0, 0.0, 0.0), vel=(0.0, 0.0, 0.0), acc=(0.0, 0.0, -9.81),
        )  # fmt: skip
        chaotic = replace(rest, objects=(pencil,), duration=2.0)
        horizon, reasons = unpredictable(chaotic, engine.rollout(chaotic, rate_hz=960.0), engine)
        assert horizon["pencil"] < 1.2
        assert reasons[0].startswith("chaotic: pencil")


def test_the_spin_of_a_plain_ball_is_no_motion():
    ball = Object(
        name="ball", geometry="sphere", size=(0.2, 0.2, 0.2), mass=1.0, pos=(0.0, 0.0, 0.3),
        vel=(0.0, 0.0, 0.0), ang_vel=(0.0, 20.0, 0.0), acc=(0.0, 0.0, 0.0),
    )  # fmt: skip
    with make_engine() as engine:
        for obj, share in ((ball, 0.0), (replace(ball, geometry="box"), 1.0)):
            world = World(duration=0.5, objects=(obj,))
            assert framing(world, engine.rollout(world, rate_hz=960.0)).motion == share


def test_light_that_nobody_can_tell_is_told():
    wall = Object(
        name="wall", geometry="box", size=(4.0, 0.1, 4.0), mass=1.0, vel=(0.0, 0.0, 0.0), acc=(0.0, 0.0, 0.0),
        pos=(0.0, 0.0, 0.0), material=Material(base_color=(0.4, 0.4, 0.4), roughness=1.0),
    )  # fmt: skip
    sun = DirectionalLight(name="sun", direction=(0.0, 1.0, 0.0), intensity=1.0)
    ahead = World(duration=0.2, objects=(wall,), lights=(sun,), ambient=0.0)
    with make_engine() as engine:
        trajectory = engine.rollout(ahead, rate_hz=960.0)
    levels, reasons = unlit(ahead, trajectory)
    # sRGB's slope: a tenth more light is 1.1^(1 / 2.4) of (level + 14) where the curve is a power.
    renderer = RasterRenderer(ahead, RenderSettings(supersample=1))
    picture = float(renderer.render(trajectory, 0.0).rgb.max())
    assert levels["sun.intensity"] == pytest.approx((picture + 14.025) * (1.1 ** (1 / 2.4) - 1.0), abs=1.0)
    # Light that comes straight on loses 1 - cos 5° = 0.4 %, a third of a level.
    assert levels["sun.direction"] < LEAST_LEVELS
    assert reasons[0].startswith("light not observable: another direction of sun")
    behind = replace(ahead, lights=(replace(sun, direction=(0.0, -1.0, 0.0)),), ambient=0.3)
    levels, reasons = unlit(behind, trajectory)
    assert len(reasons) == 2
    assert levels["sun.intensity"] == levels["sun.direction"] == 0.0
    aside = replace(ahead, lights=(replace(sun, direction=(1.0, 0.6, 0.0)),))
    assert not unlit(aside, trajectory)[1]
    spun = replace(sun, direction=(1.0, 0.6, 0.0), direction_curve=((1.0, 0.6, 0.0), (1.0, 0.8, 0.0)))
    assert not unlit(replace(ahead, lights=(spun,)), trajectory)[1]


def test_the_picture_of_all_templates_shows_their_clips(tmp_path):
    root = Path(str(files("fourdcb_resources"))) / "scenes"
    page = gallery(list(TEMPLATES), root)
    stored = cv2.imread(str(Path(str(PAGE)).parent / "templates.jpg"))[..., ::-1]
    assert stored.shape == page.shape
    assert cv2.PSNR(np.ascontiguousarray(stored), page) > 30.0  # the docs show what is bundled today
    with VideoReader(root / "splash" / "clean.mp4") as clip:
        first = cv2.resize(next(iter(clip.frames())), (144, 144), interpolation=cv2.INTER_AREA)
    near = cv2.matchTemplate(page, first, cv2.TM_SQDIFF)
    y, x = np.unravel_index(np.argmin(near), near.shape)
    np.testing.assert_array_equal(page[y : y + 144, x : x + 144], first)
    with pytest.raises(UserError, match="no such kind of picture"):
        write_gallery(tmp_path / "x.svg", ["splash"], root)
