"""Judge one candidate script against one video: files in, an :class:`Evaluation` out, nothing written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fourdcb.dsl import ParsedScript, load_script, require_objects
from fourdcb.errors import Diagnostic, DiagnosticsError, SimulationDivergedError, UserError
from fourdcb.evaluation.clips import KEPT_BYTES, VideoFrames, from_reader
from fourdcb.evaluation.environment import environment_record, input_record
from fourdcb.identity import StrPath
from fourdcb.metrics import Criteria, Report, judge, load_criteria
from fourdcb.physics import Engine, judging_rate, make_engine
from fourdcb.progress import Progress
from fourdcb.render import RenderSettings
from fourdcb.replay import (
    DrawnFrames,
    IncomingFrames,
    Replay,
    drawn_meanwhile,
    is_kept,
    replay,
)
from fourdcb.sensitivity import predictability_horizon
from fourdcb.video import VideoInfo
from fourdcb.world import World, on_stage_of
from fourdcb.world.validate import validate

MAX_FRAMES = 20_000
# Substeps of one clip; while longer ones are recorded they need too much memory for two at a time.
_SIDE_BY_SIDE = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """A judgement together with what it was made from.

    Attributes:
        report: verdict, axes, findings, series.
        candidate: the candidate's replay; its frames are None when judged fast.
        reference: the truth's replay, or None when there is no truth script.
        video: the decoded video; None when judged fast.
        diagnostics: warnings about the scripts.
    """

    report: Report
    candidate: Replay
    reference: Replay | None
    video: VideoFrames | None
    diagnostics: tuple[Diagnostic, ...]


def evaluate(
    code: StrPath,
    video: StrPath,
    *,
    reference: StrPath | None = None,
    criteria: StrPath | None = None,
    fast: bool = False,
    settings: RenderSettings | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Judge the script at ``code`` against ``video``.

    Args:
        code: candidate script; a Markdown fence or prose around it is taken off with a warning.
        video: the video it answers to.
        reference: truth script; default ``world.py`` beside the video, when there is one.
        criteria: thresholds; default the bundled ones.
        fast: geometry and physics only, nothing is decoded beyond the header and nothing is drawn.
        settings: how replays are drawn.
        progress: told of the stages.

    Raises:
        UserError: for any file that cannot be read, is malformed, or asks for the impossible.
    """
    from fourdcb.video import VideoReader  # PyAV loads only when a clip is read

    code, video = Path(code), Path(video)
    parsed = load_script(code, extract=True)
    require_objects(parsed, filename=str(code))
    truth_path = Path(reference) if reference is not None else truth_beside(video)
    truth = load_script(truth_path, extract=True) if truth_path is not None else None
    thresholds = load_criteria(criteria)
    with VideoReader(video) as reader, ThreadPoolExecutor(1, thread_name_prefix="fourdcb-decode") as pool:
        info = reader.info
        stage = truth.world if truth is not None else _stage_of_video(parsed, info)
        candidate_world = on_stage_of(parsed.world, stage)
        _check_extent(candidate_world)
        inputs = {
            "code": input_record(code),
            "video": {**input_record(video), "frames": info.n_frames, "fps": info.fps},
            "reference": None if truth_path is None else input_record(truth_path),
        }
        reading = None if fast else pool.submit(from_reader, reader, stage, kept_bytes=KEPT_BYTES)
        report, truth_replay, candidate_replay = _judged(
            candidate_world, truth.world if truth is not None else None,
            reading=reading, video_info=info, criteria=thresholds, fast=fast, settings=settings,
            inputs=inputs, progress=progress,
        )  # fmt: skip
        clip = None if reading is None else reading.result()
    return Evaluation(
        report=report,
        candidate=candidate_replay,
        reference=truth_replay,
        video=clip,
        diagnostics=(*parsed.diagnostics, *(truth.diagnostics if truth is not None else ())),
    )


def judge_worlds(
    candidate: World,
    *,
    reference: World | None,
    clip: VideoFrames | None,
    video_info: VideoInfo | None,
    criteria: Criteria,
    fast: bool = False,
    settings: RenderSettings | None = None,
    inputs: Mapping[str, Any] | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> tuple[Report, Replay | None, Replay]:
    """Replay both worlds at the judging rate and judge the candidate.

    ``candidate`` must stand on the reference's stage already (see :func:`fourdcb.world.on_stage_of`).
    """
    reading: Future[VideoFrames] | None = None
    if clip is not None:
        reading = Future()
        reading.set_result(clip)
    return _judged(
        candidate, reference, reading=reading, video_info=video_info, criteria=criteria, fast=fast,
        settings=settings, inputs=inputs or {}, engine=engine, progress=progress,
    )  # fmt: skip


_Truth = tuple[Replay, Mapping[str, float]]


def _judged(
    candidate: World,
    reference: World | None,
    *,
    reading: Future[VideoFrames] | None,
    video_info: VideoInfo | None,
    criteria: Criteria,
    fast: bool,
    settings: RenderSettings | None,
    inputs: Mapping[str, Any],
    engine: Engine | None = None,
    progress: Progress | None,
) -> tuple[Report, Replay | None, Replay]:
    """Report, the reference's replay, the candidate's.

    Motions are recorded in two threads; then the candidate is judged while its pictures are drawn.
    """
    settings, rate = settings or RenderSettings(), judging_rate(candidate.fps)
    paths = {role: entry.get("path") for role, entry in inputs.items() if entry}
    with (
        ThreadPoolExecutor(1, thread_name_prefix="fourdcb-reference") as pool,
        nullcontext(engine) if engine is not None else make_engine() as running,
    ):
        side_by_side = candidate.duration * rate <= _SIDE_BY_SIDE
        truth: Future[_Truth] | None = None
        if reference is not None and side_by_side:
            truth = pool.submit(_truth, reference, rate, settings, paths.get("reference"))
        with _named(paths.get("code")):
            own = replay(
                candidate, rate_hz=rate, settings=settings, frames=False, engine=running, progress=progress
            )
        if reference is not None and truth is None:
            # In this thread too: memory that one thread has freed is of no use to another one.
            truth = Future()
            truth.set_result(_truth(reference, rate, settings, paths.get("reference")))
        with nullcontext(own) if fast else _drawn(own) as shown:
            clip = None if reading is None else reading.result()
            truth_replay, horizon = (None, None) if truth is None else truth.result()
            report = judge(
                reference=truth_replay,
                candidate=shown,
                video_frames=None if clip is None else clip.frames,
                video_times=None if video_info is None else video_info.times,
                criteria=criteria,
                fast=fast,
                horizon=horizon,
                inputs=inputs,
                environment=environment_record(),
                progress=progress,
            )
    if isinstance(shown.frames, IncomingFrames):
        shown = replace(shown, frames=shown.frames.array())
    return report, truth_replay, shown


def _drawn(own: Replay) -> AbstractContextManager[Replay]:
    """The replay with its pictures: drawn in a thread while it is judged, those of a long clip on demand."""
    if is_kept(own.world, own.settings, KEPT_BYTES):
        return drawn_meanwhile(own)
    return nullcontext(replace(own, frames=DrawnFrames(own.world, own.trajectory, own.settings)))


def _truth(world: World, rate: float, settings: RenderSettings | None, script: str | None) -> _Truth:
    """The reference's motion and how long it can be predicted, with an engine of its own."""
    with make_engine() as engine:
        with _named(script):
            found = replay(world, rate_hz=rate, settings=settings, frames=False, engine=engine)
        return found, predictability_horizon(world, rate_hz=rate, trajectory=found.trajectory, engine=engine)


@contextmanager
def _named(script: str | None) -> Iterator[None]:
    """Say in which of the two scripts a simulation diverged."""
    try:
        yield
    except SimulationDivergedError as error:
        error.where = error.where or script
        raise


def truth_beside(video: StrPath) -> Path | None:
    """The truth script that lies beside a video by the name of ``world.py``, or None."""
    path = Path(video).parent / "world.py"
    return path if path.is_file() else None


def _stage_of_video(parsed: ParsedScript, info: VideoInfo) -> World:
    """Without a truth script the video decides duration and rate; the script's camera is all there is."""
    fps = info.fps if info.fps > 0 else parsed.world.fps
    return replace(parsed.world, duration=info.n_frames / fps, fps=fps)


def _check_extent(candidate: World) -> None:
    """Refuse what would fill the machine: the stage may make a small script's clip a long one."""
    if candidate.n_frames > MAX_FRAMES:
        raise UserError(
            "the clip is too long to judge in one piece",
            got=f"{candidate.n_frames} frames",
            expected=f"at most {MAX_FRAMES}",
            hint="cut the video into shorter clips",
        )
    errors = [remark for remark in validate(candidate) if remark.severity == "error"]
    if errors:
        raise DiagnosticsError(errors)
