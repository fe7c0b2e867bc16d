"""Worlds that move as they should and look wrong where nobody measures: none may pass."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fourdcb.conventions import linear_from_srgb
from fourdcb.evaluation import judge_replays
from fourdcb.metrics import MetricValue, Report, load_criteria
from fourdcb.metrics.geometry.surface import match_static
from fourdcb.metrics.light.offscreen_shadows import offscreen_shadows
from fourdcb.replay import Replay, replay
from fourdcb.world import Camera, DirectionalLight, Material, Object, Plane, World

CRITERIA = load_criteria()
RATE = MetricValue(value=100.0, unit="1/s")
SUN = DirectionalLight(name="sun", direction=(-0.45, 0.55, -0.75), intensity=4.0)
GREEN = Material(base_color=(0.1, 0.7, 0.1), roughness=0.6)


def scene(*more: Object, lights: tuple[DirectionalLight, ...] = (SUN,)) -> World:
    ball = Object(
        name="ball", geometry="sphere", size=(0.3, 0.3, 0.3), mass=0.2, friction=1.0, restitution=0.0,
        pos=(0.0, 0.0, 0.15), vel=(0.3, 0.0, 0.0), acc=(0.0, 0.0, -9.8),
        material=Material(base_color=(0.7, 0.3, 0.2), roughness=0.3),
    )  # fmt: skip
    floor = Plane(name="floor", material=Material(base_color=(0.5, 0.5, 0.5), roughness=0.7))
    camera = Camera(pos=(0.0, -1.8, 0.9), target=(0.0, 0.0, 0.15), width=96, height=96)
    return World(duration=1.0, fps=30, objects=(ball, *more), planes=(floor,), lights=lights, camera=camera)


def block(
    size: tuple[float, float, float],
    pos: tuple[float, float, float],
    name: str = "block",
    look: Material = GREEN,
) -> Object:
    return Object(name=name, size=size, pos=pos, vel=(0, 0, 0), acc=(0, 0, 0), fixed=True, material=look)


@pytest.fixture(scope="module")
def truth() -> Replay:
    return played(scene())


def played(world: World) -> Replay:
    return replay(world, frames=False)


def judged(truth: Replay, *more: Object, lights: tuple[DirectionalLight, ...] = (SUN,)) -> Report:
    return judge_replays(
        reference=truth, candidate=played(scene(*more, lights=lights)), video_frames=None, video_times=None,
        criteria=CRITERIA, replay_rate=RATE,
    )  # fmt: skip


def failed(report: Report) -> set[str]:
    return {n for axis in report.axes.values() for n, m in axis.metrics.items() if m.passed is False}


def test_nothing_out_of_view_may_shade_what_is_in_view(truth: Replay) -> None:
    report = judged(truth, block((0.6, 0.6, 0.02), (1.0, -0.2, 1.8)))
    assert failed(report) == {"shadow_error"}
    (finding,) = report.findings
    assert finding.message.startswith("frame 0: block (unseen) throws a shadow of ")
    assert finding.likely_cause is None


def test_a_shadow_of_something_unseen_may_not_be_left_out_either() -> None:
    shaded = played(scene(block((0.6, 0.6, 0.02), (1.0, -0.2, 1.8))))
    assert judged(shaded, block((0.6, 0.6, 0.02), (1.0, -0.2, 1.8), name="board")).verdict == "DEPLOYABLE"
    report = judged(shaded)
    assert failed(report) == {"shadow_error"}
    assert "which is missing" in report.findings[0].message


def overhead(*boards: Object) -> World:
    """A camera 2 m above the floor that looks down past boards above it, which the noon sun shades with."""
    camera = Camera(pos=(0.0, 0.0, 2.0), target=(0.0, 0.0, 0.0), up=(0.0, 1.0, 0.0), width=128, height=96)
    noon = (replace(SUN, direction=(0.0, 0.0, -1.0)),)
    return replace(scene(*boards, lights=noon), camera=camera, duration=0.1)


def board(width: float, *, shift: float = 0.0) -> Object:
    return block((width, 0.3, 0.02), (shift, 0.5, 2.5), name="board")


def unseen_length(truth: World, candidate: World, *, of: int = 1) -> float:
    reference, other = played(truth), played(candidate)
    static = match_static(truth, candidate)
    found = offscreen_shadows(reference, other.world, static)
    lengths = [(entry.reference, entry.candidate)[of] for entry in found.values()]
    return max((float(length.max()) for length in lengths), default=0.0)


PX_PER_M = 128.0 / np.tan(np.deg2rad(overhead().camera.fov_y_deg) / 2) / 2.0  # at 256 px height, on the floor
SAMPLE = 256.0 / 72 * np.sqrt(2)  # distance of two samples that touch at a corner [px]


@pytest.mark.parametrize("width", [0.3, 0.6])
@pytest.mark.parametrize("side", [0, 1])
def test_a_shadow_of_something_unseen_is_as_long_as_its_diagonal(width: float, side: int) -> None:
    worlds = (overhead(), overhead(board(width)))
    length = unseen_length(*(worlds if side else worlds[::-1]), of=side)
    expected = np.hypot(width, 0.3) * PX_PER_M
    assert expected - 2 * SAMPLE < length < expected + 1.0  # from the first sample to the last
    assert unseen_length(*(worlds if side else worlds[::-1]), of=1 - side) == 0.0


@pytest.mark.parametrize("beyond", [0.0, 0.01, 0.03, 0.1, 0.25])
def test_of_two_shadows_counts_what_one_reaches_beyond_the_other(beyond: float) -> None:
    """Not how long the seam between them is."""
    wider, moved = overhead(board(0.6 + 2 * beyond)), overhead(board(0.6, shift=beyond))
    truth = overhead(board(0.6))
    for candidate, side in ((wider, 1), (moved, 0), (moved, 1)):
        assert unseen_length(truth, candidate, of=side) == pytest.approx(beyond * PX_PER_M, abs=SAMPLE)


@pytest.mark.parametrize(("width", "seen"), [(0.045, True), (0.015, False)])
def test_the_shadow_of_a_crumb_counts_from_four_samples_on(width: float, seen: bool) -> None:
    """They lie 2 cm apart on the floor."""
    crumb = replace(board(width), size=(width, width, 0.02))
    assert (unseen_length(overhead(), overhead(crumb)) > 0) is seen


def test_a_small_shadow_does_not_stand_for_a_large_one_of_the_same_name() -> None:
    truth = played(scene(block((0.6, 0.6, 0.02), (1.0, -0.2, 1.8))))
    report = judged(truth, block((0.08, 0.08, 0.02), (0.4, -0.7, 1.8)))
    assert failed(report) == {"shadow_error"}
    assert "which is missing" in report.findings[0].message


def test_specks_do_not_stand_for_a_shadow() -> None:
    """However near every place in the truth's shadow is to one of them."""
    specks = [
        block((0.06, 0.06, 0.02), (x, y, 2.5), name=f"speck{x:.2f}{y:.2f}")
        for x in np.linspace(-0.27, 0.27, 5)
        for y in np.linspace(0.38, 0.62, 3)
    ]
    assert unseen_length(overhead(board(0.6)), overhead(*specks), of=0) > 0.8 * 0.6 * PX_PER_M


def test_something_unseen_may_be_a_little_off() -> None:
    truth = played(scene(block((0.6, 0.6, 0.02), (1.0, -0.2, 1.8))))
    for size, x in ((0.6, 1.02), (0.62, 1.0)):
        assert judged(truth, block((size, 0.6, 0.02), (x, -0.2, 1.8))).verdict == "DEPLOYABLE"
    assert failed(judged(truth, block((0.6, 0.6, 0.02), (1.4, -0.2, 1.8)))) == {"shadow_error"}


def test_unseen_things_that_shade_nothing_are_free(truth: Replay) -> None:
    assert judged(truth, block((6.0, 0.1, 3.0), (0.0, -4.0, 1.5))).verdict == "DEPLOYABLE"


@pytest.mark.parametrize("width", [0.3, 1.2])
def test_a_rug_of_another_colour_is_seen(truth: Replay, width: float) -> None:
    """However little of the floor it covers: the floor's median would not tell."""
    report = judged(truth, block((4.0, width, 0.002), (0.0, 0.6 + width / 2, 0.0), name="rug"))
    assert failed(report) == {"appearance_error"}
    cause = report.findings[0].likely_cause
    assert cause is not None
    assert cause.parameter.startswith("rug.base_color")


def test_a_rug_that_looks_like_the_floor_is_part_of_it(truth: Replay) -> None:
    own = truth.world.planes[0].material
    rug = block((4.0, 1.0, 0.002), (0.0, 1.1, 0.0), look=own)
    assert judged(truth, rug).verdict == "DEPLOYABLE"


def test_small_things_that_float_about_are_seen(truth: Replay) -> None:
    report = judged(truth, block((0.05, 0.05, 0.05), (-0.4, 0.0, 0.6)))
    assert "delta_pos" in failed(report)
    assert failed(judged(played(scene(block((0.05, 0.05, 0.05), (-0.4, 0.0, 0.6)))))) >= {"delta_pos"}


def test_light_that_changes_its_colour_for_a_moment_is_seen(truth: Replay) -> None:
    """At the same luminance, between the frames that are always looked at."""
    red = (1.0, 0.2, 0.2)
    luminance = float(linear_from_srgb(red) @ np.array([0.2126, 0.7152, 0.0722]))
    out = tuple(float(k != 8) for k in range(41))
    white = replace(SUN, intensity_curve=out)
    flash = replace(
        SUN, name="flash", color=red, intensity=4.0 / luminance, intensity_curve=tuple(1.0 - x for x in out)
    )
    assert failed(judged(truth, lights=(white, flash))) == {"appearance_error"}


def test_a_ball_of_a_mesh_file_is_not_told_to_topple(truth: Replay, tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.icosphere(subdivisions=3, radius=0.15).export(tmp_path / "ball.obj")
    ball = replace(truth.world.objects[0], geometry="mesh", mesh="ball.obj", vel=(1.0, 0.0, 0.0))
    world = replace(truth.world, objects=(ball,), base_dir=str(tmp_path))
    report = judge_replays(
        reference=truth, candidate=played(world), video_frames=None, video_times=None, criteria=CRITERIA,
        fast=True,
    )  # fmt: skip
    assert "topple" in {event.kind for event in played(world).trajectory.events}
    assert "topple" not in {finding.kind for finding in report.findings}


@pytest.mark.parametrize("frames", [1, 2, 28, 32])
def test_a_truth_of_another_length_voids_what_failed(truth: Replay, frames: int) -> None:
    wrong = replace(scene(), objects=(replace(scene().objects[0], pos=(0.5, 0.0, 0.15)),))
    report = judge_replays(
        reference=truth, candidate=played(wrong), video_frames=None, video_times=np.arange(frames) / 30,
        criteria=CRITERIA, fast=True,
    )  # fmt: skip
    assert report.axes["geometry"].passed is False
    assert report.verdict == "INCONCLUSIVE"
    assert f"the video lasts {frames / 30:.2f} s" in report.reasons[0]
