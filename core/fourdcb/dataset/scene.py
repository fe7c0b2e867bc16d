"""Scene folders: a truth script, the video that it plays, and candidates with known faults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fourdcb.dataset.faults import Fault, faulty_source
from fourdcb.dataset.layout import CANDIDATE_FOLDER, REFERENCE_NAME, VIDEO_NAME
from fourdcb.dsl import load_script
from fourdcb.errors import UserError
from fourdcb.identity import StrPath, write_output
from fourdcb.metrics.criteria import load_criteria
from fourdcb.physics import judging_rate, make_engine
from fourdcb.progress import Progress
from fourdcb.render import RenderSettings
from fourdcb.replay import replay
from fourdcb.sensitivity import predictability_horizon

VIDEO_CRF = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneRecord:
    """What was built.

    Attributes:
        folder: holds world.py, video.mp4 and candidates/.
        horizon: predictability horizon per object [s].
        candidates: names of the written candidates.
    """

    folder: Path
    horizon: dict[str, float]
    candidates: tuple[str, ...]


def build_scene(
    script: StrPath,
    faults: Sequence[Fault],
    out: StrPath,
    *,
    settings: RenderSettings,
    progress: Progress | None = None,
) -> SceneRecord:
    """Play a truth script into a scene folder; the same script gives the same bytes of script and frames.

    Args:
        script: the truth script.
        faults: whose bundled ones are written beside it, as candidates.
        out: folder to make or refresh.
        settings: how to draw.
        progress: told of the stages.

    Raises:
        UserError: when the script is bad, a fault does not apply, the motion is too chaotic to be judged (a
            predictability horizon under the criteria's share of the clip), or ``out`` cannot be written.
    """
    script, out = Path(script), Path(out)
    parsed = load_script(script)
    rate = judging_rate(parsed.world.fps)
    with make_engine() as engine:
        truth = replay(parsed.world, rate_hz=rate, settings=settings, engine=engine, progress=progress)
        horizon = predictability_horizon(
            parsed.world, rate_hz=rate, trajectory=truth.trajectory, engine=engine
        )
    least = load_criteria().horizon_min_fraction
    short = {name: t for name, t in horizon.items() if t < least * parsed.world.duration}
    if short:
        raise UserError(
            "the scene is too chaotic to be judged",
            where=str(script),
            got=", ".join(f"{name} is predictable for {t:.2f} s" for name, t in short.items()),
            expected=f"at least {least:.0%} of {parsed.world.duration:g} s",
        )
    assert truth.frames is not None
    sources = {f.name: faulty_source(parsed.source, f, filename=str(script)) for f in faults if f.bundled}
    candidates = out / CANDIDATE_FOLDER
    try:
        candidates.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError("the scene's folder cannot be made", where=str(out), got=error.strerror) from error
    write_output(out / REFERENCE_NAME, parsed.source)
    from fourdcb.video import write_video  # PyAV loads only when a clip is written

    write_video(out / VIDEO_NAME, iter(truth.frames), fps=parsed.world.fps, crf=VIDEO_CRF)
    for name, source in sources.items():
        write_output(candidates / f"{name}.py", source)
    return SceneRecord(folder=out, horizon=horizon, candidates=tuple(sources))
