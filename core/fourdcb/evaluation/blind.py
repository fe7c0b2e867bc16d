"""What a script's replay leaves of a video, told without the truth: figures, words and pictures that whoever
sees the video may know.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fourdcb.dsl import parse_script, require_objects
from fourdcb.evaluation.candidate import check_extent
from fourdcb.evaluation.pipeline import Judged, JudgeTask, judge_steps
from fourdcb.evaluation.playback import ThreadedPlayback
from fourdcb.identity import StrPath
from fourdcb.metrics import MetricValue, Report, load_criteria
from fourdcb.metrics.pictures.clip import partners
from fourdcb.render import RenderSettings
from fourdcb.replay import finished, on_clock_of
from fourdcb.replay.clip import KEPT_BYTES, from_reader
from fourdcb.world import Camera

_UNTIMED = "how fast this machine replays is no matter here"
# Compression alone stays above the first [dB]; drawn masks of one motion overlap by more than the second.
_ALIKE_PSNR, _ALIKE_OVERLAP = 35.0, 0.9
_GAP = 4  # between two pictures [px]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindRemarks:
    """A replay against a video.

    Attributes:
        text: figures, each beside that of a still and of the empty scene; findings, one a line.
        times: of ``pictures`` [s].
        pictures: original beside replay where they are most unlike, one of each part of the
            clip; sRGB, shape (H, W, 3).
        alike: whether compression may be all that is left.
    """

    text: str
    times: tuple[float, ...]
    pictures: tuple[NDArray[np.uint8], ...]
    alike: bool


def blind_remarks(
    script: str, video: StrPath, *, camera: Camera | None = None, pictures: int = 3
) -> BlindRemarks:
    """Replay a script over a video's length and compare the pictures; no truth is looked for.

    Args:
        script: text of a world script; prose around it is taken off.
        video: what it answers to.
        camera: the declared one; None takes the script's own.
        pictures: how many parts of the clip to show.

    Raises:
        UserError: script or video cannot be used.
        SimulationDivergedError: the motion explodes.
    """
    from fourdcb.video import VideoReader  # PyAV loads only when a clip is read

    parsed = parse_script(script, filename="answer.py", extract=True)
    require_objects(parsed, filename="answer.py")
    criteria = load_criteria()
    with VideoReader(video) as reader, ThreadedPlayback(RenderSettings()) as playback:
        world = on_clock_of(parsed.world, reader.info)
        if camera is not None:
            world = replace(world, camera=camera)
        check_extent(world)
        task = JudgeTask(
            candidate=world,
            reference=None,
            criteria=criteria,
            clip=lambda: from_reader(reader, world, kept_bytes=KEPT_BYTES),
            video=reader.info,
            replay_rate=criteria.unmeasured("replay_fps", "not_applicable", _UNTIMED),
        )
        judged = finished(judge_steps(task, playback))
        shown = _most_unlike(judged, pictures)
        pairs = tuple(_pair(judged, frame) for frame in shown)
    times = judged.candidate.world.frame_times()
    return BlindRemarks(
        text="\n".join(_lines(judged.report)),
        times=tuple(float(times[frame]) for frame in shown),
        pictures=pairs,
        alike=_alike(judged.report),
    )


def _lines(report: Report) -> list[str]:
    lines = [
        f"{name}: {_figure(metric)}" for name, metric in report.image.items() if metric.value is not None
    ]
    return lines + [finding.message for finding in report.findings]


def _figure(metric: MetricValue) -> str:
    trivial = [
        f"{name} {metric.detail[key]:.3g}"
        for key, name in (("still", "a still of the first frame has"), ("empty", "the empty scene has"))
        if metric.detail.get(key) is not None
    ]
    better = "higher" if metric.direction == "above" else "lower"
    return f"{metric.value:.3g} {metric.unit}".rstrip() + f" ({', '.join([better + ' is better', *trivial])})"


def _alike(report: Report) -> bool:
    psnr, overlap = report.image.get("psnr"), report.image.get("silhouette_iou")
    if psnr is None or psnr.value is None or psnr.value < _ALIKE_PSNR:
        return False
    return overlap is None or overlap.value is None or overlap.value >= _ALIKE_OVERLAP


def _most_unlike(judged: Judged, parts: int) -> list[int]:
    """The frame of the lowest PSNR in each of some equal parts of the clip."""
    psnr = judged.report.series.get("psnr", ())
    values = np.array([np.inf if v is None else float(v) for v in psnr])
    split = np.array_split(np.arange(values.size), max(parts, 1))
    seen = [part for part in split if np.isfinite(values[part]).any()]
    return [int(part[np.argmin(values[part])]) for part in seen]


def _pair(judged: Judged, frame: int) -> NDArray[np.uint8]:
    assert judged.clip is not None  # judged by its pictures
    assert judged.candidate.frames is not None
    times = judged.candidate.world.frame_times()[frame : frame + 1]
    own = judged.candidate.frames[frame]
    partner = int(partners(times, judged.clip.info.times)[0])
    original = judged.clip.frames[partner] if partner >= 0 else np.zeros_like(own)
    return np.concatenate([original, np.zeros((own.shape[0], _GAP, 3), dtype=np.uint8), own], axis=1)
