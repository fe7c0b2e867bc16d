"""Units and axes that a script confuses: doubted alone, and against a reference by the numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from fourdcb.dsl import parse_script
from fourdcb.evaluation import judge_replays
from fourdcb.metrics import Report, load_criteria
from fourdcb.metrics.findings.confusion import confusion_finding
from fourdcb.replay import replay
from fourdcb.world import DirectionalLight, Material, Object, Plane, World
from fourdcb.world.confusions import confusions
from fourdcb.world.plausibility import plausibility_warnings

Change = Callable[[Object], Object]


def truth() -> World:
    """A ball and a crate with every kind of number."""
    turn = Rotation.from_euler("XYZ", [20, 35, 50], degrees=True).as_quat(scalar_first=True)
    quat = tuple(float(c) for c in (turn if turn[0] > 0 else -turn))
    ball = Object(
        name="ball", geometry="sphere", size=(0.1, 0.1, 0.1), mass=0.2, pos=(0.3, -0.2, 0.8),
        vel=(0.5, 0.2, 1.0), ang_vel=(0.0, 6.0, 2.0), acc=(0.0, 0.0, -9.8),
        material=Material(base_color=(0.7, 0.3, 0.2)),
    )  # fmt: skip
    crate = Object(
        name="crate", geometry="box", size=(0.3, 0.2, 0.1), mass=1.5, pos=(-0.4, 0.5, 0.6), rot=quat,
        vel=(0.0, -0.7, 0.3), ang_vel=(1.0, 0.0, -3.0), acc=(0.0, 0.0, -9.8),
        material=Material(base_color=(0.2, 0.5, 0.6)),
    )  # fmt: skip
    sun = DirectionalLight(name="sun", direction=(-0.5, -0.3, -0.8))
    return World(objects=(ball, crate), planes=(Plane(name="floor"),), lights=(sun,))


def changed(change: Change) -> World:
    world = truth()
    return replace(world, objects=tuple(change(obj) for obj in world.objects))


def scaled(fields: tuple[str, ...], factor: float) -> Change:
    return lambda o: replace(o, **{f: tuple(factor * c for c in getattr(o, f)) for f in fields})


def mapped(matrix: list[list[float]]) -> Change:
    turn = np.array(matrix)
    return lambda o: replace(
        o, **{f: tuple(float(c) for c in turn @ getattr(o, f)) for f in ("pos", "vel", "acc")}
    )


def linear(obj: Object) -> Object:
    """IEC 61966-2-1, written out."""
    values = [((c + 0.055) / 1.055) ** 2.4 for c in obj.material.base_color]
    return replace(obj, material=replace(obj.material, base_color=tuple(round(v, 3) for v in values)))


MISTAKES: dict[str, tuple[Change, list[tuple[str, str]]]] = {
    "nothing": (lambda o: o, []),
    "centimetres": (
        scaled(("size", "pos", "vel"), 100),
        [("sizes positions velocities", "centimetres")],
    ),
    "millimetres": (scaled(("size",), 1000), [("sizes", "millimetres")]),
    "inches": (scaled(("size",), 1 / 0.0254), [("sizes", "inches")]),
    "half extents": (scaled(("size",), 0.5), [("sizes", "half extents or radii")]),
    "degrees per second": (scaled(("ang_vel",), 180 / math.pi), [("spins", "degrees per second")]),
    "per frame": (scaled(("vel",), 1 / 30), [("velocities", "metres per frame")]),
    "grams": (lambda o: replace(o, mass=1000 * (o.mass or 0)), [("masses", "grams")]),
    "xyzw": (
        lambda o: replace(o, rot=(*o.rot[1:], o.rot[0])) if o.geometry == "box" else o,
        [("turns", "xyzw order")],
    ),
    "y up": (mapped([[1, 0, 0], [0, 0, 1], [0, -1, 0]]), [("axes", "y up")]),
    "unity": (mapped([[1, 0, 0], [0, 0, 1], [0, 1, 0]]), [("axes", "y up, left-handed")]),
    "mirrored": (mapped([[-1, 0, 0], [0, 1, 0], [0, 0, 1]]), [("axes", "left and right mirrored")]),
    "z down": (mapped([[1, 0, 0], [0, 1, 0], [0, 0, -1]]), [("axes", "z down")]),
    "linear colours": (linear, [("colours", "linear values")]),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_confusion_is_known_by_its_numbers(mistake: str) -> None:
    change, expected = MISTAKES[mistake]
    found = confusions(changed(change), truth())
    assert [(" ".join(c.subjects), c.reading) for c in found] == expected


def test_y_up_in_centimetres_is_both() -> None:
    turned = mapped([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    all_cm = scaled(("size", "pos", "vel", "acc"), 100)
    readings = {c.reading for c in confusions(changed(lambda o: all_cm(turned(o))), truth())}
    assert {"centimetres", "y up"} <= readings


def test_radians_for_degrees() -> None:
    turn = Rotation.from_rotvec(np.radians(40) / (180 / math.pi) * np.array([0, 0, 1]))
    quat = tuple(float(c) for c in turn.as_quat(scalar_first=True))
    yaw = Rotation.from_rotvec(np.radians(40) * np.array([0, 0, 1])).as_quat(scalar_first=True)
    right = replace(truth().objects[1], rot=tuple(float(c) for c in yaw))
    wrong = replace(right, rot=quat)
    found = confusions(replace(truth(), objects=(wrong,)), replace(truth(), objects=(right,)))
    assert [c.reading for c in found] == ["radians"]


def test_a_light_that_points_to_the_sun() -> None:
    world = replace(truth(), lights=(DirectionalLight(name="sun", direction=(0.5, 0.3, 0.8)),))
    (found,) = confusions(world, truth())
    assert (found.subjects, found.error) == (("lights",), pytest.approx(180.0))


def test_names_do_not_matter() -> None:
    cm = scaled(("size",), 100)
    other = changed(lambda o: replace(cm(o), name=f"other {o.name}"))
    assert [c.reading for c in confusions(other, truth())] == ["centimetres"]


def test_the_sentence_gives_the_number() -> None:
    (found,) = confusions(changed(scaled(("size",), 100)), truth())
    assert confusion_finding(found).message == "all sizes ≈ 100 × those of the reference: centimetres?"
    (found,) = confusions(changed(scaled(("size", "pos", "vel"), 1000)), truth())
    assert confusion_finding(found).message.startswith("all sizes, positions and velocities ≈ 1000 × those")


@given(st.lists(st.floats(0.75, 1.35), min_size=8, max_size=8))
@settings(max_examples=100, deadline=None)
def test_honest_errors_are_no_confusion(factors: list[float]) -> None:
    """Sizes, places, speeds and masses that are off by a third are wrong, and no other unit."""
    f = iter(factors)
    world = truth()
    objects = [
        replace(
            o,
            size=tuple(c * k for c in o.size),
            pos=tuple(c * p for c in o.pos),
            vel=tuple(c * v for c in o.vel),
            mass=(o.mass or 1) * m,
        )
        for o, k, p, v, m in ((o, next(f), next(f), next(f), next(f)) for o in world.objects)
    ]
    assert confusions(replace(world, objects=tuple(objects)), world) == ()


ALONE = """world = World()
floor = Plane(friction=1, restitution=1)
Object("b", geometry="box", size=[0.2, 0.1, 0.1], mass=1, friction=0.4, restitution=0.5, pos=[0, 0, 1],
       vel=[0, 0, 0], acc=[0, 0, -9.8]{})
"""


@pytest.mark.parametrize(
    ("extra", "code", "words"),
    [
        (", ang_vel=[0, 360, 0]", "doubtful-unit", "360° per second would be 6.28 rad/s"),
        (", rot=[0, 0, 0.382683, 0.92388]", "doubtful-order", "in xyzw order it would be 45°"),
        (")\nDirectionalLight(direction=[0.5, 0.3, 0.8]", "doubtful-direction", "[-0.5, -0.3, -0.8]"),
    ],
)  # fmt: skip
def test_what_is_implausible_alone_is_doubted_with_its_number(extra: str, code: str, words: str) -> None:
    (found,) = parse_script(ALONE.format(extra)).diagnostics
    assert found.code == code
    assert words in found.message


def test_units_are_guessed_only_where_they_make_sense() -> None:
    def told(size: float, acc: float) -> str:
        obj = replace(truth().objects[1], size=(size, size, size), acc=(0.0, 0.0, acc), mass=None)
        return " ".join(d.message for d in plausibility_warnings(replace(truth(), objects=(obj,))))

    assert "(10 cm would be 0.1 m)" in told(10, -9.8)
    assert "(200 mm would be 0.2 m)" in told(200, -9.8)
    assert "100 × 9.8: centimetres?" in told(0.1, -980)
    assert "would be" not in told(0.1, -9.8)


def test_an_upright_only_plane_is_doubted() -> None:
    world = replace(truth(), planes=(Plane(name="floor", normal=(0.0, 1.0, 0.0)),))
    assert "doubtful-axis" in {d.code for d in plausibility_warnings(world)}
    assert "doubtful-axis" not in {d.code for d in plausibility_warnings(truth())}


def test_a_report_names_the_confusion_first() -> None:
    right = replace(truth(), duration=0.5)
    wrong = replace(changed(scaled(("size", "pos", "vel"), 100)), duration=0.5)
    criteria = load_criteria()

    def judged(candidate: World) -> Report:
        own, other = replay(right, frames=False), replay(candidate, frames=False)
        return judge_replays(
            reference=own, candidate=other, video_frames=None, video_times=None, criteria=criteria, fast=True
        )

    report = judged(wrong)
    assert report.findings[0].kind == "confusion"
    assert report.findings[0].measured == pytest.approx(100)
    assert not any(f.kind == "confusion" for f in judged(right).findings)


def test_a_turn_that_the_reference_does_not_have_is_no_confusion() -> None:
    turned = truth()
    plain = replace(turned, objects=tuple(replace(o, rot=(1.0, 0.0, 0.0, 0.0)) for o in turned.objects))
    assert confusions(turned, plain) == ()
    assert confusions(plain, turned) == ()
