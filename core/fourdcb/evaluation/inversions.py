"""How well the Oracle inverts clips whose truth is known."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from fourdcb.dataset.layout import CAMERA_NAME, REFERENCE_NAME, VIDEO_NAME
from fourdcb.dsl import load_script
from fourdcb.evaluation.candidate import evaluate
from fourdcb.metrics.result import AXES
from fourdcb.oracle.answer import Inversion, Known
from fourdcb.oracle.invert import invert
from fourdcb.oracle.sources import clip_of, declared_camera
from fourdcb.progress import NullProgress, Progress
from fourdcb.world import Object, World

_COVERED = 2.0  # standard errors


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyErrors:
    """How far a found body is from the truth's nearest one.

    Attributes:
        position_mm, speed: of the start [mm], [m/s]; size: of the largest side, relative.
        restitution, friction: absolute, where both bodies have one.
    """

    position_mm: float
    speed: float
    size: float
    restitution: float | None
    friction: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class InversionRow:
    """One clip.

    Attributes:
        scene: its name.
        true, found: moving bodies.
        explained: whether the Oracle says that its replay explains the clip.
        verdict: of the judge; axes: whether each passes, in the judge's order.
        silhouette_iou: of the replay and the regions that the Oracle saw.
        bodies: errors by found body.
        covered, told: values with an error, and how many of them lie within two of it of the truth.
        seconds: of the inversion.
    """

    scene: str
    true: int
    found: int
    explained: bool
    verdict: str
    axes: tuple[bool | None, ...]
    silhouette_iou: float
    bodies: tuple[BodyErrors, ...]
    covered: int
    told: int
    seconds: float


def judge_inversions(
    scenes: Sequence[Path], *, time_limit: float, progress: Progress | None = None
) -> Iterator[InversionRow]:
    """Invert the clip of each scene folder, which holds the truth, too, and judge the answer.

    The inversion itself is given the video and the camera only.

    Raises:
        UserError: a scene cannot be read.
    """
    told = progress or NullProgress()
    told.start("inverting", len(scenes))
    for folder in scenes:
        declared = folder / CAMERA_NAME
        camera = declared_camera(declared if declared.is_file() else folder / REFERENCE_NAME)
        clip = clip_of(folder / VIDEO_NAME, camera)
        begun = time.monotonic()
        found = invert(clip.frames, clip.camera, fps=clip.fps, times=clip.times, time_limit=time_limit)
        seconds = time.monotonic() - begun
        yield _row(folder, found, seconds)
        told.advance()


def _row(folder: Path, found: Inversion, seconds: float) -> InversionRow:
    truth = load_script(folder / REFERENCE_NAME, extract=True).world
    with TemporaryDirectory() as place:
        script = Path(place) / "answer.py"
        script.write_text(found.script, encoding="utf-8")
        report = evaluate(script, folder / VIDEO_NAME, reference=folder / REFERENCE_NAME, timed=False).report
    pairs = _matched(truth, found.world)
    covered, told = _coverage(found.known, pairs)
    return InversionRow(
        scene=folder.name,
        true=len(_moving(truth)),
        found=len(_moving(found.world)),
        explained=found.explained,
        verdict=report.verdict,
        axes=tuple(report.axes[axis].passed for axis in AXES),
        silhouette_iou=found.overlap,
        bodies=tuple(_errors(true, own) for true, own in pairs),
        covered=covered,
        told=told,
        seconds=seconds,
    )


def _moving(world: World) -> list[Object]:
    return [obj for obj in world.objects if obj.kind == "dynamic"]


def _matched(truth: World, answer: World) -> list[tuple[Object, Object]]:
    """Pairs (truth, answer) of moving bodies, the nearest starts together."""
    from scipy.optimize import linear_sum_assignment

    true, own = _moving(truth), _moving(answer)
    if not true or not own:
        return []
    gaps = np.array([[np.linalg.norm(np.subtract(t.pos, o.pos)) for o in own] for t in true])
    rows, columns = linear_sum_assignment(gaps)
    return [(true[i], own[j]) for i, j in zip(rows, columns, strict=True)]


def _errors(true: Object, own: Object) -> BodyErrors:
    def gap(name: str) -> float | None:
        first, second = getattr(true, name), getattr(own, name)
        return None if first is None or second is None else abs(float(first) - float(second))

    return BodyErrors(
        position_mm=1000.0 * float(np.linalg.norm(np.subtract(true.pos, own.pos))),
        speed=float(np.linalg.norm(np.subtract(true.vel, own.vel))),
        size=abs(max(own.size) / max(true.size) - 1.0),
        restitution=gap("restitution"),
        friction=gap("friction"),
    )


def _coverage(known: Sequence[Known], pairs: Sequence[tuple[Object, Object]]) -> tuple[int, int]:
    truths = {own.name: true for true, own in pairs}
    covered = told = 0
    for value in known:
        name, _, path = value.path.partition(".")
        field, _, index = path.partition("[")
        true = getattr(truths.get(name), field, None)
        if value.standard_error is None or true is None:
            continue
        told += 1
        wanted = float(true[int(index.rstrip("]"))]) if index else float(true)
        covered += abs(value.value - wanted) <= _COVERED * value.standard_error
    return covered, told
