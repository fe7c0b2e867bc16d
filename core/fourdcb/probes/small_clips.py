"""Small clips of the templates, made fast: enough of them to measure a probe, not to judge a model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fourdcb.dataset.framing import framed, framing, trimmed
from fourdcb.dataset.layout import REFERENCE_NAME, SAMPLE_NAME, VIDEO_NAME
from fourdcb.dataset.templates import Draw, template
from fourdcb.dsl import emit, parse_script
from fourdcb.errors import SimulationDivergedError, UserError
from fourdcb.identity import canonical_json, write_output
from fourdcb.physics import Engine, judging_rate, make_engine
from fourdcb.progress import NullProgress, Progress
from fourdcb.randomness import generator
from fourdcb.render import RenderSettings, backend
from fourdcb.trajectory import Trajectory
from fourdcb.world import World

ATTEMPTS = 25
LEAST_SIZE, LEAST_MOTION = 16.0, 0.3  # [px] as if 256 px high; share of the frames
_RENDER = RenderSettings(supersample=2, shadow_size=256)
_CRF = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallClips:
    """What to make.

    Attributes:
        templates: their names.
        count: clips of each.
        side: of the square picture [px].
        seed: root of the seed tree.
    """

    templates: Sequence[str]
    count: int
    side: int = 128
    seed: int = 0


def make_small_clips(folder: Path, wanted: SmallClips, *, progress: Progress | None = None) -> int:
    """Write ``NAME/INDEX/{world.py,video.mp4,sample.json}`` for each clip; what is there whole stays.

    Unlike ``fourdcb generate`` nobody asks whether every parameter can be seen or whether the motion is
    chaotic, pictures are small, and there is neither lens nor noise. The labels are read from ``world.py``.

    Returns:
        How many clips there are now.

    Raises:
        UserError: a file cannot be written, or a template gives no drawable clip.
    """
    told = progress or NullProgress()
    told.start("clips", len(wanted.templates) * wanted.count)
    for name in wanted.templates:
        for index in range(wanted.count):
            _make(folder, name, index, wanted)
            told.advance()
    return len(wanted.templates) * wanted.count


def _make(folder: Path, name: str, index: int, wanted: SmallClips) -> None:
    target = folder / name / f"{index:03d}"
    record = {
        "sample": f"{name}/{index:03d}",
        "recipe": {"seed": wanted.seed, "side": wanted.side, "renderer": "raster", "level": "none"},
    }
    if (target / SAMPLE_NAME).is_file():  # written last: then the others are whole
        _check_recipe(target / SAMPLE_NAME, record)
        return
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError("the folder cannot be made", where=str(target), got=error.strerror) from error
    with make_engine() as engine:
        for attempt in range(ATTEMPTS):
            drawn = _drawn(name, f"{name}/{index:03d}/{attempt}", wanted, engine)
            if drawn is not None:
                _write(target, *drawn)
                write_output(target / SAMPLE_NAME, canonical_json({**record, "attempt": attempt}))
                return
    raise UserError("no attempt gave a clip worth drawing", where=str(target), got=f"{ATTEMPTS} attempts")


def _check_recipe(path: Path, record: dict[str, Any]) -> None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        same = all(found[key] == value for key, value in record.items())
    except (OSError, ValueError, KeyError, TypeError):
        same = False
    if not same:
        raise UserError(
            "another clip lies where one belongs", where=str(path.parent), hint="choose another folder"
        )


def _drawn(name: str, path: str, wanted: SmallClips, engine: Engine) -> tuple[str, World, Trajectory] | None:
    """(script, world, motion) of one attempt, or None where nothing is to be seen."""
    found = template(name)
    draw = Draw(generator(wanted.seed, f"{path}/sample"), found.ranges)
    world = parse_script(emit(found.compose(draw))).world
    rate = judging_rate(world.fps)
    try:
        world = trimmed(world, engine.rollout(world, rate_hz=rate), longest=found.longest)
        trajectory = engine.rollout(world, rate_hz=rate)
        world = framed(world, trajectory, found, draw, lens=(0.0,) * 5)
        shown = framing(world, trajectory)
    except SimulationDivergedError:
        return None
    if min(shown.sizes.values()) < LEAST_SIZE or shown.motion < LEAST_MOTION:
        return None
    world = replace(world, camera=world.camera.sized(width=wanted.side, height=wanted.side))
    script = emit(world)
    world = parse_script(script).world
    return script, world, engine.rollout(world, rate_hz=rate)


def _write(target: Path, script: str, world: World, trajectory: Trajectory) -> None:
    from fourdcb.video import write_video

    drawing = backend("raster", world, _RENDER)
    frames = [drawing.render(trajectory, float(t), aux=False).rgb for t in world.frame_times()]
    write_video(target / VIDEO_NAME, frames, fps=world.fps, crf=_CRF, threads=1)
    write_output(target / REFERENCE_NAME, script)
