"""What a clip can tell: textbook algebra, and scenes whose answer is known."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from fourdcb.cli.app import build_app
from fourdcb.cli.identify import _lines
from fourdcb.errors import UserError
from fourdcb.physics import make_engine
from fourdcb.sensitivity import horizon as horizon_module
from fourdcb.sensitivity import identifiability, information
from fourdcb.sensitivity.identifiability import (
    Identifiability,
    ParameterInformation,
    Verdict,
    default_unknowns,
)
from fourdcb.world import DirectionalLight, Object, Plane, World


@pytest.fixture(autouse=True)
def private_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(horizon_module, "_path", lambda key: tmp_path / "horizon" / f"{key}.json")
    monkeypatch.setattr(horizon_module, "_memory", {})


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(0, 10))
def test_information_is_the_textbook_one(seed: int, count: int, extra: int) -> None:
    jacobian = np.random.default_rng(seed).normal(size=(count + extra, count))
    found = information(jacobian)
    assert found.singular_values == pytest.approx(np.linalg.svd(jacobian, compute_uv=False))
    assert found.condition == pytest.approx(np.linalg.cond(jacobian), rel=1e-6)
    covariance = np.linalg.inv(jacobian.T @ jacobian)
    assert found.together == pytest.approx(np.sqrt(np.diag(covariance)), rel=1e-5)
    assert found.alone == pytest.approx(1 / np.linalg.norm(jacobian, axis=0))
    assert np.all(found.together >= found.alone * (1 - 1e-9))
    with_prior = information(jacobian, prior=2.0)
    assert with_prior.covariance == pytest.approx(np.linalg.inv(jacobian.T @ jacobian + 2 * np.eye(count)))


def test_what_is_not_seen_is_infinite() -> None:
    found = information(np.array([[1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 3.0, 0.0]]))  # fewer rows than columns
    assert found.together[[0, 1, 3]] == pytest.approx(np.inf)
    assert found.together[2] == pytest.approx(1 / 3)
    assert found.alone == pytest.approx([1.0, 0.5, 1 / 3, np.inf])
    assert found.condition == np.inf
    tied = information(np.array([[1.0, 1.0]]), prior=1e-6)
    assert tied.correlation(0, 1) == pytest.approx(-1.0, abs=1e-4)


def body(name: str, **fields: object) -> Object:
    defaults: dict[str, object] = {
        "geometry": "sphere", "size": (0.1, 0.1, 0.1), "mass": 0.5, "friction": 0.3, "restitution": 0.8,
        "pos": (0.0, 0.0, 0.5), "vel": (0.0, 0.0, 0.0), "acc": (0.0, 0.0, -9.8),
    }  # fmt: skip
    return Object(name=name, **(defaults | fields))  # type: ignore[arg-type]


FLOOR = Plane(name="floor", friction=1.0, restitution=1.0)
SUN = DirectionalLight(name="sun", direction=(-0.4, 0.6, -0.75), intensity=3.0)


def verdicts(world: World, *paths: str) -> dict[str, tuple[str, tuple[str, ...]]]:
    found = identifiability(world, paths, rate_hz=240.0)
    return {p.path: (p.verdict, p.partners) for p in found.parameters}


def test_mass_alone_is_not_observable_and_a_pair_shares_its_coefficients() -> None:
    world = World(duration=0.8, fps=30, objects=(body("ball", vel=(0.4, 0, 0)),), planes=(FLOOR,))
    found = verdicts(world, "ball.mass", "ball.restitution", "floor.restitution", "ball.vel")
    assert found["ball.mass"] == ("not observable", ())
    assert found["ball.restitution"] == ("confounded", ("floor.restitution",))
    assert found["floor.restitution"] == ("confounded", ("ball.restitution",))
    assert found["ball.vel[0]"][0] == "observable"
    assert verdicts(world, "ball.restitution")["ball.restitution"][0] == "observable"


def test_a_collision_shows_the_ratio_of_masses() -> None:
    left = body("left", pos=(-0.2, 0, 0.5), vel=(1.0, 0, 0), acc=(0, 0, 0))
    right = body("right", pos=(0.0, 0, 0.5), mass=0.2, acc=(0, 0, 0))
    world = World(duration=0.6, fps=30, objects=(left, right))
    found = verdicts(world, "left.mass", "right.mass")
    assert found["left.mass"] == ("confounded", ("right.mass",))
    assert verdicts(world, "left.mass")["left.mass"][0] == "observable"


def test_brightness_is_light_times_colour() -> None:
    """What scales all radiance: intensity, ambient light and exposure scale it together."""
    world = World(duration=0.2, fps=30, objects=(body("ball"),), planes=(FLOOR,), lights=(SUN,))
    found = verdicts(world, "sun.intensity", "world.ambient", "world.exposure", "ball.roughness")
    dark = World(
        duration=0.2, fps=30, objects=(body("ball"),), planes=(FLOOR,), lights=(SUN,),
        background=(0.0, 0.0, 0.0),
    )  # fmt: skip
    assert found["world.exposure"][0] == "observable"  # the background shows it
    found = verdicts(dark, "sun.intensity", "world.ambient", "world.exposure", "ball.roughness")
    assert found["world.exposure"][0] == "confounded"
    assert set(found["world.exposure"][1]) == {"sun.intensity", "world.ambient"}
    assert found["ball.roughness"][0] in ("observable", "weak")


def test_light_and_colours_are_confounded_where_all_is_metal() -> None:
    from dataclasses import replace

    metal = replace(body("ball").material, metallic=1.0, base_color=(0.5, 0.5, 0.5))
    ball = body("ball", size=(0.5, 0.5, 0.5), material=metal)
    world = World(duration=0.1, fps=30, objects=(ball,), lights=(SUN,), ambient=0.0)
    found = verdicts(world, "sun.intensity", "ball.base_color")
    assert found["sun.intensity"][0] == "weak" or found["sun.intensity"][0] == "confounded"
    alone = verdicts(world, "sun.intensity")
    assert alone["sun.intensity"][0] == "observable"


def test_deviation_scales_with_the_noise_and_matches_an_estimate() -> None:
    """v from T positions with known start: sd = σ / sqrt(Σ t²)."""
    world = World(duration=0.4, fps=30, objects=(body("ball", acc=(0, 0, 0)),))
    t = world.frame_times()
    with make_engine() as engine:
        for noise in (0.001, 0.004):
            found = identifiability(
                world, ["ball.vel[0]"], position_noise=noise, rate_hz=240.0, engine=engine
            )
            expected = noise / np.sqrt(np.sum(t**2))
            assert found.parameters[0].standard_deviation == pytest.approx(expected, rel=1e-3)


def test_every_degree_of_freedom_is_asked_once() -> None:
    can = body("can", geometry="cylinder")
    wall = body("wall", geometry="box", fixed=True)
    world = World(duration=0.1, fps=30, objects=(can, wall), planes=(FLOOR,), lights=(SUN,))
    asked = {p.path for p in default_unknowns(world)}
    assert {"can.size[0]", "can.size[2]", "wall.size[1]", "wall.friction", "sun.direction[0]"} <= asked
    left_out = {
        "can.size[1]",
        "wall.mass",
        "wall.vel[0]",
        "sun.direction[2]",
        "camera.pos[0]",
        "world.exposure",
    }
    assert not left_out & asked


def test_bad_questions_are_refused() -> None:
    world = World(duration=0.1, fps=30, objects=(body("ball"),))
    with pytest.raises(UserError, match="no such parameter"):
        identifiability(world, [""])
    with pytest.raises(UserError, match="no such parameter"):
        identifiability(world, ["ball.weight"])
    for noises in ({"position_noise": 0.0}, {"pixel_noise": float("nan")}, {"position_noise": float("inf")}):
        with pytest.raises(UserError, match=r"noise.*\n.*positions .* m, pixels .* of 255"):
            identifiability(world, ["ball.mass"], **noises)


def test_the_verb_prints_a_table_and_json(tmp_path: Path) -> None:
    script = tmp_path / "world.py"
    script.write_text(
        "world = World(duration=0.5, fps=30)\n"
        'ball = Object("ball", geometry="sphere", size=[0.1, 0.1, 0.1], mass=0.2, pos=[0, 0, 0.4], '
        "vel=[0.5, 0, 0], acc=[0, 0, -9.8])\n"
        'floor = Plane("floor", normal=[0, 0, 1], offset=0.0)\n'
    )
    arguments = ["identify", str(script), "--param", "ball.mass", "--param", "ball.vel[0]"]
    result = CliRunner().invoke(build_app(), arguments)
    assert result.exit_code == 0, result.output
    assert "ball.mass" in result.output
    assert "not observable" in result.output
    assert "1 of 2 can be told" in result.output
    assert "best ± that the clip allows" in result.output
    assert "the clip does not show ball.mass" in result.output
    assert "condition" not in result.output
    record = json.loads(CliRunner().invoke(build_app(), [*arguments, "--json"]).stdout)
    assert [p["path"] for p in record["parameters"]] == ["ball.mass", "ball.vel[0]"]
    assert record["parameters"][1]["verdict"] == "observable"


def test_a_jump_that_nobody_sees_is_no_information() -> None:
    """Any rolling friction above 0 changes Bullet's last digits at once, and a sliding box no further."""
    box = body(
        "box", geometry="box", size=(0.2, 0.2, 0.1), pos=(0, 0, 0.05), vel=(1.0, 0, 0), restitution=0.0
    )
    world = World(duration=0.6, fps=30, objects=(box,), planes=(FLOOR,))
    with make_engine("bullet-recipe") as bullet:
        found = identifiability(world, ["box.rolling_friction"], rate_hz=240.0, engine=bullet)
    assert [p.verdict for p in found.parameters] == ["not observable"]


def test_the_table_says_what_cannot_be_told_apart() -> None:
    def entry(path: str, verdict: Verdict, *partners: str) -> ParameterInformation:
        return ParameterInformation(
            path=path, value=0.5, unit="", standard_deviation=1.0, alone=1.0, verdict=verdict,
            partners=partners, smooth=True,
        )  # fmt: skip

    ball, floor = (
        entry("ball.friction", "confounded", "floor.friction"),
        entry("floor.friction", "confounded", "ball.friction"),
    )
    found = Identifiability(
        parameters=(ball, floor), singular_values=np.array([3.0, 0.0]), directions=np.eye(2),
        condition=None, position_noise=1e-3, pixel_noise=1e-2,
    )  # fmt: skip
    tied = [line for line in _lines(found) if "told apart" in line]
    assert len(tied) == 1
    assert tied[0].startswith("ball.friction and floor.friction cannot be told apart")
    seen = replace(found, parameters=(entry("a.mass", "observable"),), condition=3.0)
    assert list(_lines(seen))[-1].endswith("shows 3 times as clearly as the worst")
