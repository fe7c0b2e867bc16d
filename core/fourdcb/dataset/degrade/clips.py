"""Clips that lie there, made anew as cameras of several qualities would have filmed them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from fourdcb.conventions import linear_from_srgb
from fourdcb.dataset.degrade.apply import degraded
from fourdcb.dataset.degrade.strength import Level, sample_degradation
from fourdcb.dataset.framing import framing
from fourdcb.dataset.layout import CAMERA_NAME, CLEAN_NAME, DEGRADATION_NAME, REFERENCE_NAME, VIDEO_NAME
from fourdcb.dsl import load_script
from fourdcb.errors import UserError
from fourdcb.identity import canonical_json, jsonable, write_output
from fourdcb.physics import judging_rate, simulate
from fourdcb.randomness import generator


def degrade_scenes(
    root: Path, out: Path, levels: Sequence[Level], *, seed: int = 0
) -> Iterator[tuple[Level, str]]:
    """Write each scene below ``root`` once a level, as ``out/LEVEL/SCENE``; tell each as it is done.

    Light is taken from ``clean.mp4`` where there is one, else from ``video.mp4``, by the sRGB curve: 8 bits,
    and compressed once before. The lens stays the scene's own. Truth and camera are copied.

    Args:
        root: folder of folders with ``world.py`` and a clip.
        out: for the copies; must not hold them already.
        levels: of degradation.
        seed: of noise and occluders.

    Raises:
        UserError: there are no scenes, or a copy is there already.
    """
    from fourdcb.video import VideoReader, write_video

    scenes = sorted(path.parent for path in root.glob(f"*/{VIDEO_NAME}"))
    if not scenes:
        raise UserError("the folder holds no scenes", where=str(root), expected=f"NAME/{VIDEO_NAME}")
    for scene in scenes:
        world = load_script(scene / REFERENCE_NAME).world
        speed = framing(world, simulate(world, rate_hz=judging_rate(world.fps))).speed
        clean = scene / CLEAN_NAME if (scene / CLEAN_NAME).is_file() else scene / VIDEO_NAME
        with VideoReader(clean) as stored:
            light = linear_from_srgb(stored.read_all() / 255.0)
        for level in levels:
            folder, path = out / level / scene.name, f"levels/{level}/{scene.name}"
            try:
                folder.mkdir(parents=True)
            except FileExistsError as error:
                raise UserError("the scene is there already", where=str(folder)) from error
            how = sample_degradation(generator(seed, path), level, speed=speed)
            for name in (REFERENCE_NAME, CAMERA_NAME):
                if (scene / name).is_file():
                    shutil.copyfile(scene / name, folder / name)
            frames = degraded(light, how, count=len(light), seed=seed, path=path)
            write_video(
                folder / VIDEO_NAME, frames, fps=world.fps, crf=how.crf, b_frames=how.b_frames, threads=1
            )
            write_output(folder / DEGRADATION_NAME, canonical_json(jsonable(how)))
            yield level, scene.name
