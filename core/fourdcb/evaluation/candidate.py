"""Judge one candidate script against one video: files in, an :class:`Evaluation` out, nothing written."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from fourdcb.dataset.layout import REFERENCE_NAME
from fourdcb.dsl import ParsedScript, load_script, parse_script, require_objects
from fourdcb.errors import Diagnostic, DiagnosticsError, UserError
from fourdcb.evaluation.environment import input_record, video_record
from fourdcb.evaluation.pipeline import JudgeTask, judge_steps
from fourdcb.evaluation.playback import ThreadedPlayback
from fourdcb.evaluation.rejected import FALLBACK_SCRIPT, rejection
from fourdcb.identity import StrPath
from fourdcb.metrics import Report, load_criteria
from fourdcb.physics import Engine, make_engine
from fourdcb.progress import Progress
from fourdcb.render import RenderSettings
from fourdcb.replay import Replay, VideoFrames, finished, on_clock_of
from fourdcb.replay.clip import KEPT_BYTES, from_reader
from fourdcb.world import World, on_stage_of
from fourdcb.world.validate import validate

_UNTIMED = "a run of many samples does not measure how fast this machine is"
MAX_FRAMES = 20_000


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
    new_engine: Callable[[], Engine] = make_engine,
    timed: bool = True,
    fallback: bool = False,
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
        new_engine: makes the engines that play the worlds.
        timed: whether the rate of the replay is measured; what has to come out alike each time leaves it out.
        fallback: judge the default script in place of one that cannot be read; ``inputs.code.fallback`` then
            says why.
        progress: told of the stages.

    Raises:
        UserError: for any file that cannot be read, is malformed, or asks for the impossible.
    """
    from fourdcb.video import VideoReader  # PyAV loads only when a clip is read

    code, video = Path(code), Path(video)
    parsed, replaced = _candidate_script(code, fallback=fallback)
    truth_path = Path(reference) if reference is not None else truth_beside(video)
    truth = load_script(truth_path, extract=True) if truth_path is not None else None
    thresholds = load_criteria(criteria)
    with VideoReader(video) as reader, ThreadPoolExecutor(1, thread_name_prefix="fourdcb-decode") as pool:
        info = reader.info
        # Without a truth script the video decides duration and rate; the script's camera is all there is.
        stage = truth.world if truth is not None else on_clock_of(parsed.world, info)
        candidate_world = on_stage_of(parsed.world, stage)
        check_extent(candidate_world)
        inputs = {
            "code": {**input_record(code), **replaced},
            "video": {**input_record(video), **video_record(info)},
            "reference": None if truth_path is None else input_record(truth_path),
        }
        reading = None if fast else pool.submit(from_reader, reader, stage, kept_bytes=KEPT_BYTES)
        task = JudgeTask(
            candidate=candidate_world,
            reference=truth.world if truth is not None else None,
            criteria=thresholds,
            fast=fast,
            clip=None if reading is None else reading.result,
            video=info,
            inputs=lambda: inputs,
            replay_rate=None if timed else thresholds.unmeasured("replay_fps", "not_applicable", _UNTIMED),
        )
        scripts = {role: entry.get("path") for role, entry in inputs.items() if entry}
        with ThreadedPlayback(
            settings or RenderSettings(), new_engine=new_engine, scripts=scripts, progress=progress
        ) as playback:
            judged = finished(judge_steps(task, playback))
    return Evaluation(
        report=judged.report,
        candidate=judged.candidate,
        reference=judged.reference,
        video=judged.clip,
        diagnostics=(*parsed.diagnostics, *(truth.diagnostics if truth is not None else ())),
    )


def _candidate_script(code: Path, *, fallback: bool) -> tuple[ParsedScript, dict[str, str]]:
    """The candidate, and a note for the report where the default script stands in for it."""
    try:
        parsed = load_script(code, extract=True)
        require_objects(parsed, filename=str(code))
        return parsed, {}
    except UserError as error:
        reason = rejection(error, code) if fallback else None
        if reason is None:
            raise
        return parse_script(FALLBACK_SCRIPT, filename=str(code)), {"fallback": reason}


def truth_beside(video: StrPath) -> Path | None:
    """The truth script that lies beside a video by the name of ``world.py``, or None."""
    path = Path(video).parent / REFERENCE_NAME
    return path if path.is_file() else None


def check_extent(candidate: World) -> None:
    """Refuse what would fill the machine: the stage may make a small script's clip a long one.

    Raises:
        UserError: the clip has too many frames, or the world on its stage is not valid.
    """
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
