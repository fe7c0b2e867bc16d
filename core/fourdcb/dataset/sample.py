"""One sample, stage by stage: script, rollout, clean clip, degraded clip, truth, consistency check."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from fourdcb.dataset.candidates import Examined, examine
from fourdcb.dataset.degrade import Degradation, Level, degraded, sample_degradation
from fourdcb.dataset.framing import framing
from fourdcb.dataset.inversion import found_back, found_unaided
from fourdcb.dataset.layout import (
    CAMERA_NAME,
    CLEAN_NAME,
    DEGRADATION_NAME,
    PARTIAL_FOLDER,
    REFERENCE_NAME,
    REJECTED_FOLDER,
    SAMPLE_NAME,
    TRUTH_NAME,
    VIDEO_NAME,
)
from fourdcb.dataset.likeness import Likeness
from fourdcb.dataset.templates import template
from fourdcb.dataset.truth import TruthBuffers
from fourdcb.dsl import load_script, parse_script
from fourdcb.errors import UserError
from fourdcb.identity import canonical_json, file_sha256, jsonable, write_output
from fourdcb.physics import judging_rate, make_engine, simulate
from fourdcb.randomness import generator
from fourdcb.render import RenderSettings, backend
from fourdcb.render.backends import Backend
from fourdcb.render.pathtrace.settings import PathSettings
from fourdcb.world import World

ATTEMPTS = 25
CLEAN_CRF = 12
LEAST_PSNR, LEAST_SSIM = 35.0, 0.92
RENDER = RenderSettings(samples="auto", shutter=1.0 / 60.0)
Oracle = Literal["none", "fit", "invert"]
ORACLES: tuple[Oracle, ...] = get_args(Oracle)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What all samples of a set have in common.

    Attributes:
        seed: root of the seed tree.
        renderer: that draws the clips.
        level: of degradation.
        spp: light paths per pixel of the path tracer.
        oracle: ``fit`` keeps only samples whose watched values the Oracle finds back in the clean clip,
            ``invert`` those whose clip it explains without any start.
    """

    seed: int = 0
    renderer: Literal["raster", "pathtrace"] = "raster"
    level: Level = "full"
    spp: int = 128
    oracle: Oracle = "none"


def make_sample(name: str, index: int, recipe: Recipe, out: Path) -> dict[str, Any]:
    """Make one sample, or take it as it is where it is there whole.

    Every attempt has a node of its own in the seed tree, ``NAME/INDEX/ATTEMPT``; the first one that passes is
    the sample. It is built in a folder aside and appears at once.

    Args:
        name: of the template.
        index: of the sample.
        recipe: of the set.
        out: folder of the set.

    Returns:
        Its line of the manifest: ``accepted``, ``rejected`` with reasons, ``files`` with hashes, figures.

    Raises:
        UserError: when a file cannot be written, or something else lies where the sample belongs.
    """
    found, label = template(name), f"{name}/{index:03d}"
    target = out / name / f"{index:03d}"
    if target.exists():
        return _adopted(target, label, recipe)
    partial = out / PARTIAL_FOLDER / f"{name}_{index:03d}"
    shutil.rmtree(partial, ignore_errors=True)
    rejected: list[dict[str, Any]] = []
    for attempt in range(ATTEMPTS):
        path = f"{label}/{attempt}"
        with make_engine() as engine:
            tried = examine(found, seed=recipe.seed, path=path, level=recipe.level, engine=engine)
        record: dict[str, Any] = {}
        reasons = tried.reasons
        if not reasons:
            record, reasons = _built(tried, recipe, _made(partial))
        if not reasons:
            line = {
                "sample": label, "accepted": True, "attempt": attempt, "rejected": rejected,
                "recipe": jsonable(recipe), **record,
            }  # fmt: skip
            write_output(partial / SAMPLE_NAME, canonical_json(line))
            _made(target.parent)
            partial.rename(target)
            return line
        shutil.rmtree(partial, ignore_errors=True)
        rejected.append({"attempt": attempt, "reasons": list(reasons)})
        aside = _made(out / REJECTED_FOLDER / name) / f"{index:03d}_{attempt:02d}.json"
        write_output(aside, canonical_json({"reasons": reasons, "script": tried.script, "path": path}))
    return {"sample": label, "accepted": False, "rejected": rejected, "recipe": jsonable(recipe)}


def first_script(name: str, recipe: Recipe) -> str:
    """The script of the first attempt that is kept. Raises UserError when there is none."""
    found = template(name)
    for attempt in range(ATTEMPTS):
        path = f"{name}/000/{attempt}"
        with make_engine() as engine:
            tried = examine(found, seed=recipe.seed, path=path, level=recipe.level, engine=engine)
        if not tried.reasons:
            return tried.script
    raise UserError("no sample of this template and seed is kept", got=f"{name}, seed {recipe.seed}")


def play_script(script: str, label: str, recipe: Recipe, folder: Path) -> dict[str, Any]:
    """Make all files of a sample from a script that is there already: its template may have changed since.

    Args:
        script: the truth.
        label: node of the seed tree that noise and occluder are drawn from.
        recipe: of the set.
        folder: for the files; made.

    Returns:
        hashes of the files and figures, as in a line of the manifest.

    Raises:
        UserError: when the script does not replay to its own clip, or a file cannot be written.
    """
    world = parse_script(script).world
    trajectory = simulate(world, rate_hz=judging_rate(world.fps))
    tried = Examined(
        path=label, script=script, reasons=(), world=world, trajectory=trajectory,
        shown=framing(world, trajectory),
    )  # fmt: skip
    record, reasons = _built(tried, recipe, _made(folder))
    if reasons:
        raise UserError("a script does not replay to its own clip", where=label, got="; ".join(reasons))
    return record


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError("the folder cannot be made", where=str(folder), got=error.strerror) from error
    return folder


def _adopted(target: Path, label: str, recipe: Recipe) -> dict[str, Any]:
    """The record of a whole sample that a run before this one made and did not live to tell of."""
    try:
        line: dict[str, Any] = json.loads((target / SAMPLE_NAME).read_text(encoding="utf-8"))
        is_ours = line["sample"] == label and line["recipe"] == jsonable(recipe)
    except (OSError, ValueError, KeyError, TypeError):
        is_ours = False
    if not is_ours:
        raise UserError(
            "something else lies where a sample belongs",
            where=str(target),
            hint="move it away, or choose another folder",
        )
    check_files(target, line)
    return line


def check_files(folder: Path, line: dict[str, Any]) -> None:
    """Raises UserError when a file of a sample is missing or is not what was made."""
    for name, digest in line["files"].items():
        file = folder / name
        if not file.is_file() or file_sha256(file) != digest:
            raise UserError(
                "a file of this sample is not as it was made", where=str(file),
                got="no file" if not file.is_file() else "other contents",
                hint="move the sample's folder away and run the same command with --resume",
            )  # fmt: skip


def _built(tried: Examined, recipe: Recipe, folder: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    """(record, reasons against it) of an examined world whose files are all made."""
    from fourdcb.video import VideoReader, write_video

    assert tried.trajectory is not None
    assert tried.shown is not None
    world = tried.world
    write_output(folder / REFERENCE_NAME, tried.script)
    renderer = renderer_of(world, recipe)
    clean, light, truth = [], [], TruthBuffers(world, tried.trajectory)
    raster = backend("raster", world, RENDER, path=None) if recipe.renderer != "raster" else None
    gap, lost = Likeness(), Likeness()
    for t in world.frame_times():
        frame = renderer.render(tried.trajectory, float(t))
        clean.append(frame.rgb)
        if raster is not None:
            gap.add(raster.render(tried.trajectory, float(t), aux=False).rgb, frame.rgb)
        light.append((frame.linear * world.exposure).astype(np.float32))
        truth.add(frame, float(t))
    how = sample_degradation(
        generator(recipe.seed, f"{tried.path}/degrade"), recipe.level, speed=tried.shown.speed
    )
    write_video(folder / CLEAN_NAME, clean, fps=world.fps, crf=CLEAN_CRF, threads=1)
    if recipe.level == "none":
        shutil.copyfile(folder / CLEAN_NAME, folder / VIDEO_NAME)
    else:
        noisy = list(degraded(light, how, count=len(light), seed=recipe.seed, path=tried.path))
        write_video(folder / VIDEO_NAME, noisy, fps=world.fps, crf=how.crf, b_frames=how.b_frames, threads=1)
        with VideoReader(folder / VIDEO_NAME) as stored:
            for sent, kept in zip(noisy, stored.frames(), strict=True):
                lost.add(sent, kept)
    write_output(folder / CAMERA_NAME, canonical_json(camera_record(world)))
    write_output(folder / TRUTH_NAME, truth.packed())
    write_output(folder / DEGRADATION_NAME, canonical_json(degradation_record(how, world)))
    figures, reasons = consistency(folder, recipe)
    if recipe.oracle != "none" and not reasons:
        found, likeness = _oracle(folder, tried, recipe)
        figures["oracle"], reasons = found, _off(likeness, "not inverted: what the Oracle found")
    if recipe.level != "none":
        figures["compression"] = lost.figures()
    if raster is not None:
        figures["renderer_gap"] = gap.figures()
    names = (REFERENCE_NAME, VIDEO_NAME, CLEAN_NAME, CAMERA_NAME, TRUTH_NAME, DEGRADATION_NAME)
    record = {
        "files": {name: file_sha256(folder / name) for name in names},
        "figures": {**tried.figures(), **figures},
        "frames": world.n_frames,
        "bodies": len(world.objects),
    }
    return record, reasons


def _oracle(folder: Path, tried: Examined, recipe: Recipe) -> tuple[dict[str, Any], Likeness]:
    def draw(world: World) -> Backend:
        return renderer_of(world, recipe)

    if recipe.oracle == "invert":
        return found_unaided(folder, draw=draw)
    return found_back(folder, list(tried.effects or {}), seed=recipe.seed, path=tried.path, draw=draw)


def renderer_of(world: World, recipe: Recipe) -> Backend:
    """The renderer that draws a set's clips. Raises UserError when it is not installed."""
    path = PathSettings(spp=recipe.spp, seed=recipe.seed) if recipe.renderer == "pathtrace" else None
    return backend(recipe.renderer, world, RENDER, path=path)


def camera_record(world: World) -> dict[str, Any]:
    """All that may be known of a clip besides its pictures."""
    return {
        **jsonable(world.camera),
        "intrinsics": world.camera.intrinsics().tolist(),
        "world_from_camera": world.camera.world_from_camera().tolist(),
        "fps": world.fps,
        "frames": world.n_frames,
        "shutter": RENDER.shutter,
    }


def degradation_record(how: Degradation, world: World) -> dict[str, Any]:
    """What was done to the clean clip; the lens is the camera's."""
    return {**jsonable(how), "distortion": jsonable(world.camera)["distortion"], "shutter": RENDER.shutter}


def consistency(folder: Path, recipe: Recipe) -> tuple[dict[str, Any], tuple[str, ...]]:
    """(figures, reasons): whether the stored script, read from disk, replays to the stored clean clip."""
    from fourdcb.video import VideoReader

    world = load_script(folder / REFERENCE_NAME).world
    trajectory = simulate(world, rate_hz=judging_rate(world.fps))
    renderer = renderer_of(world, recipe)
    likeness = Likeness()
    with VideoReader(folder / CLEAN_NAME) as stored:
        if len(stored) != world.n_frames:
            return {}, (f"inconsistent: {len(stored)} frames are stored, the script has {world.n_frames}",)
        for t, picture in zip(world.frame_times(), stored.frames(), strict=True):
            likeness.add(renderer.render(trajectory, float(t), aux=False).rgb, picture)
    return likeness.figures(), _off(likeness, "inconsistent: the script")


def _off(likeness: Likeness, what: str) -> tuple[str, ...]:
    """The reason against a sample that is replayed like this, if there is one."""
    if likeness.psnr > LEAST_PSNR and likeness.ssim > LEAST_SSIM:
        return ()
    return (f"{what} replays with {likeness.psnr:.1f} dB and SSIM {likeness.ssim:.3f}",)
