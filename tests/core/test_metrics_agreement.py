"""A degraded video changes no judgement of the scripts; a truth script of another scene is noticed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from fourdcb.dsl import load_script
from fourdcb.evaluation import judge_replays
from fourdcb.metrics import AXES, Report, load_criteria
from fourdcb.metrics.pictures.agreement import chance_above, video_agreement
from fourdcb.metrics.pictures.clip import clip_quality
from fourdcb.metrics.pictures.edges import edge_agreement
from fourdcb.physics import Engine
from fourdcb.render import RasterRenderer, RenderSettings
from fourdcb.replay import Replay, replay
from fourdcb.video import VideoReader, write_video
from fourdcb.world import on_stage_of, with_value

ROOT = Path(str(files("fourdcb_resources"))) / "scenes"
SCENES = ("bounce_ball", "collide_pair", "slide_cup")
CRITERIA = load_criteria()
Clip = NDArray[np.uint8]


@pytest.fixture(scope="module")
def truths(engine: Engine) -> dict[str, Replay]:
    return {
        name: replay(load_script(ROOT / name / "world.py").world, frames=False, engine=engine)
        for name in SCENES
    }


@pytest.fixture(scope="module")
def videos() -> dict[str, Clip]:
    found = {}
    for name in SCENES:
        with VideoReader(ROOT / name / "video.mp4") as reader:
            found[name] = reader.read_all()
    return found


def noisy(clip: Clip, sigma: float) -> Clip:
    rng = np.random.default_rng(0)
    return np.clip(clip + rng.normal(0, sigma, clip.shape), 0, 255).astype(np.uint8)


def bent(clip: Clip, k1: float) -> Clip:
    """Radial lens distortion."""
    camera = np.array([[300.0, 0, 128], [0, 300.0, 128], [0, 0, 1]])
    return np.stack([cv2.undistort(frame, camera, np.array([k1, 0.0, 0.0, 0.0, 0.0])) for frame in clip])


def hidden(clip: Clip, share: float) -> Clip:
    """A dark square in the middle, ``share`` of the picture's side wide."""
    side, clip = int(256 * share), clip.copy()
    start = 128 - side // 2
    clip[:, start : start + side, start : start + side] = 30
    return clip


def brightened(clip: Clip, gamma: float) -> Clip:
    return np.round(255.0 * (clip / 255.0) ** (1.0 / gamma)).astype(np.uint8)


def compressed(clip: Clip, crf: float, folder: Path) -> Clip:
    path = folder / f"crf{crf:g}.mp4"
    write_video(path, iter(clip), fps=30, crf=int(crf))
    with VideoReader(path) as reader:
        return reader.read_all()


DEGRADED: dict[str, tuple[Callable[[Clip, float], Clip], tuple[float, ...]]] = {
    "noise": (noisy, (8.0, 20.0, 45.0)),
    "lens": (bent, (0.05, 0.15, 0.4)),
    "occluder": (hidden, (0.1, 0.2, 0.35)),
    "gamma": (brightened, (1.2, 1.6, 2.4)),
}


@pytest.mark.parametrize("name", SCENES)
def test_own_video_agrees_and_others_do_not(
    name: str, truths: dict[str, Replay], videos: dict[str, Clip]
) -> None:
    partner = np.arange(120)
    own = video_agreement(truths[name], videos[name], partner)
    assert own is not None
    assert own.score > 0.93
    assert own.seen > 0.95
    for other in set(SCENES) - {name}:
        foreign = video_agreement(truths[name], videos[other], partner)
        assert foreign is not None
        assert foreign.score < CRITERIA.video_agreement or foreign.seen < CRITERIA.video_seen
    backwards = video_agreement(truths[name], videos[name][::-1], partner)
    assert backwards is not None
    assert backwards.score < CRITERIA.video_agreement


@pytest.mark.parametrize("kind", [*DEGRADED, "crf"])
def test_a_degraded_video_still_agrees(
    kind: str, truths: dict[str, Replay], videos: dict[str, Clip], tmp_path: Path
) -> None:
    for name in SCENES:
        if kind == "crf":
            clip = compressed(videos[name], 40, tmp_path)
        else:
            change, strengths = DEGRADED[kind]
            clip = change(videos[name], strengths[-1])
        found = video_agreement(truths[name], clip, np.arange(120))
        assert found is not None
        assert found.score > CRITERIA.video_agreement + 0.05, name
        assert found.seen > CRITERIA.video_seen + 0.1, name


def test_a_frame_more_or_less_does_not_matter(truths: dict[str, Replay], videos: dict[str, Clip]) -> None:
    for name in SCENES:
        late = video_agreement(truths[name], videos[name], np.maximum(np.arange(120) - 1, 0))
        assert late is not None
        assert late.score > 0.93


@pytest.mark.parametrize("every", [3, 6])
def test_a_slow_video_agrees(truths: dict[str, Replay], videos: dict[str, Clip], every: int) -> None:
    for name in SCENES:
        slow = video_agreement(truths[name], videos[name][::every], np.arange(120) // every)
        assert slow is not None
        assert slow.score > CRITERIA.video_agreement + 0.1, name
        assert slow.seen > CRITERIA.video_seen, name
        backwards = video_agreement(truths[name], videos[name][::-every], np.arange(120) // every)
        assert backwards is not None
        assert backwards.score < CRITERIA.video_agreement, name


def test_two_pictures_are_too_few_to_say_anything(truths: dict[str, Replay], videos: dict[str, Clip]) -> None:
    assert video_agreement(truths["slide_cup"], videos["slide_cup"][::60], np.arange(120) // 60) is None


def test_nothing_moves_nothing_is_said(truths: dict[str, Replay], engine: Engine) -> None:
    world = truths["collide_pair"].world
    still = replay(with_value(world, "heavy.vel[0]", 0.0), frames=False, engine=engine)
    assert video_agreement(still, np.zeros((120, 256, 256, 3), np.uint8), np.arange(120)) is None


def test_motion_too_small_to_tell_says_nothing(engine: Engine) -> None:
    """A small ball that creeps along: its own video must not be called another's."""
    world = load_script(ROOT / "bounce_ball" / "world.py").world
    ball = replace(
        world.objects[0], size=(0.05, 0.05, 0.05), pos=(0.0, 0.0, 0.4), vel=(0.01, 0.0, 0.0),
        ang_vel=(0.0, 0.0, 0.0), acc=(0.0, 0.0, 0.0),
    )  # fmt: skip
    creeping = replay(replace(world, objects=(ball,)), engine=engine)
    assert video_agreement(creeping, creeping.frames, np.arange(120)) is None


def test_bodies_at_rest_need_not_stand_out(engine: Engine) -> None:
    """One ball moves, three wide boxes wait: the places that the boxes never leave do not count."""
    world = load_script(ROOT / "bounce_ball" / "world.py").world
    ball = world.objects[0]
    boxes = tuple(
        replace(
            ball, name=f"box{i}", geometry="box", size=(0.3, 0.3, 0.3), pos=(0.4 * i - 0.4, 0.8, 0.15),
            vel=(0.0, 0.0, 0.0), ang_vel=(0.0, 0.0, 0.0), rolling_friction=0.0,
        )
        for i in range(3)
    )  # fmt: skip
    crowd = replay(replace(world, objects=(ball, *boxes)), engine=engine)
    found = video_agreement(crowd, crowd.frames, np.arange(120))
    assert found is not None
    assert found.score > 0.9
    assert found.seen > 0.9


@pytest.mark.parametrize("name", SCENES)
def test_edges_tell_a_truths_own_picture_from_others(
    name: str, truths: dict[str, Replay], videos: dict[str, Clip]
) -> None:
    partner = np.arange(120)
    for kind in ("noise", "gamma"):  # a dark square before the picture has edges of its own
        change, strengths = DEGRADED[kind]
        own = edge_agreement(truths[name], change(videos[name], strengths[1]), partner)
        assert own is not None
        assert own.score is not None
        assert own.score > CRITERIA.video_edges + 0.05, kind
    for other in set(SCENES) - {name}:
        found = edge_agreement(truths[name], videos[other], partner)
        assert found is not None
        assert found.score is None or found.score < CRITERIA.video_edges - 0.05


def test_edges_agree_by_correlation_alone(truths: dict[str, Replay], videos: dict[str, Clip]) -> None:
    """Half the contrast, and darker: the same picture."""
    own = edge_agreement(truths["slide_cup"], videos["slide_cup"] // 2 + 10, np.arange(120))
    assert own is not None
    assert own.score == pytest.approx(1.0, abs=0.02)


def still_truth(truths: dict[str, Replay], engine: Engine) -> Replay:
    """The heavy ball stands, so that no motion tells whose video it is."""
    world = truths["collide_pair"].world
    return replay(with_value(world, "heavy.vel[0]", 0.0), engine=engine)


def test_where_nothing_moves_the_picture_tells_whose_video_it_is(
    truths: dict[str, Replay], videos: dict[str, Clip], engine: Engine
) -> None:
    still = still_truth(truths, engine)
    own = report(still, still, np.stack(list(still.frames)))
    assert "foreign" not in [f.kind for f in own.findings]
    other = report(still, still, videos["bounce_ball"])
    assert (other.verdict, other.findings[0].kind) == ("INCONCLUSIVE", "foreign")
    assert "other edges" in other.reasons[0]
    blank = report(still, still, np.full_like(videos["bounce_ball"], 90))
    assert (blank.verdict, blank.findings[0].kind) == ("INCONCLUSIVE", "foreign")
    assert "too little moves" in blank.reasons[0]


def test_an_empty_video_does_not_show_the_truth(truths: dict[str, Replay]) -> None:
    found = video_agreement(truths["slide_cup"], np.zeros((120, 256, 256, 3), np.uint8), np.arange(120))
    assert found is not None
    assert (found.score, found.seen) == (0.5, 0.0)


def test_chance_above_counts_pairs() -> None:
    rng = np.random.default_rng(1)
    these, others = rng.integers(0, 9, 50).astype(float), rng.integers(0, 7, 70).astype(float)
    pairs = [1.0 if a > b else 0.5 if a == b else 0.0 for a in these for b in others]
    assert chance_above(these, others) == pytest.approx(np.mean(pairs), abs=1e-12)


# --- the whole judgement ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def candidate(truths: dict[str, Replay], engine: Engine) -> Replay:
    """Wrong in its friction, drawn coarsely, once."""
    truth = truths["slide_cup"].world
    world = on_stage_of(with_value(truth, "cup.friction", 0.037), truth)
    made = replay(world, engine=engine, settings=RenderSettings(supersample=1, shadows=False))
    assert made.frames is not None
    return replace(made, frames=np.stack(list(made.frames)))


@pytest.fixture(scope="module")
def clean(truths: dict[str, Replay], videos: dict[str, Clip], candidate: Replay) -> Report:
    return report(truths["slide_cup"], candidate, videos["slide_cup"])


def report(truth: Replay, candidate: Replay, clip: Clip) -> Report:
    return judge_replays(
        reference=truth,
        candidate=candidate,
        video_frames=clip,
        video_times=np.arange(len(clip)) / 30.0,
        criteria=CRITERIA,
    )


def script_side(found: Report) -> dict[str, object]:
    """Everything that must not depend on the video."""
    metrics = {
        name: (metric.value, metric.passed)
        for axis in AXES
        for name, metric in found.axes[axis].metrics.items()
        if name != "replay_fps"
    }
    told = [finding.message for finding in found.findings if finding.kind != "replay_rate"]
    return {"verdict": found.verdict, "metrics": metrics, "findings": told}


def degraded(kind: str, clip: Clip, folder: Path) -> list[Clip]:
    """The clip in three strengths, the weakest first."""
    if kind == "crf":
        return [compressed(clip, crf, folder) for crf in (28, 40, 51)]
    change, strengths = DEGRADED[kind]
    return [change(clip, strength) for strength in strengths]


@pytest.mark.parametrize("kind", [*DEGRADED, "crf"])
def test_a_degraded_video_changes_the_pictures_only(
    kind: str, truths: dict[str, Replay], videos: dict[str, Clip], candidate: Replay, clean: Report,
    tmp_path: Path,
) -> None:  # fmt: skip
    worst = degraded(kind, videos["slide_cup"], tmp_path)[-1]
    found = report(truths["slide_cup"], candidate, worst)
    assert script_side(found) == script_side(clean)
    assert found.image["psnr"].value != clean.image["psnr"].value


@pytest.fixture(scope="module")
def true_pictures(truths: dict[str, Replay]) -> Clip:
    """Every tenth frame of the truth's own replay."""
    renderer = RasterRenderer(truths["slide_cup"].world, RenderSettings())
    return np.stack(
        [renderer.render(truths["slide_cup"].trajectory, k / 30, aux=False).rgb for k in range(0, 120, 10)]
    )


@pytest.mark.parametrize("kind", [*DEGRADED, "crf"])
def test_pictures_worsen_with_the_video(
    kind: str, videos: dict[str, Clip], true_pictures: Clip, tmp_path: Path
) -> None:
    times = np.arange(12) / 3.0
    clips = [videos["slide_cup"], *degraded(kind, videos["slide_cup"], tmp_path)]
    found = [clip_quality(true_pictures, times, clip[::10], times).metrics() for clip in clips]
    for metric in ("psnr", "ssim"):
        values = [float(each[metric].value or 0.0) for each in found]
        assert all(b < a for a, b in pairwise(values)), (metric, values)


def test_a_truth_of_another_scene_is_inconclusive(
    truths: dict[str, Replay], videos: dict[str, Clip], candidate: Replay, clean: Report
) -> None:
    found = report(truths["slide_cup"], candidate, videos["bounce_ball"])
    assert found.verdict == "INCONCLUSIVE"
    assert found.claim == "diagnostic"
    assert found.exit_code == 0
    assert "the truth script does not show this video" in found.reasons[0]
    assert found.findings[0].kind == "foreign"
    assert clean.verdict == "DEPLOYMENT_NOT_RECOMMENDED"
