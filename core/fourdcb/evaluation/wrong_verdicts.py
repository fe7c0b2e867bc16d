"""What the judge says of answers that are wrong on purpose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import numpy as np

from fourdcb.conventions import rotation_angle_deg
from fourdcb.dataset.layout import REFERENCE_NAME
from fourdcb.dsl import emit
from fourdcb.errors import SimulationDivergedError
from fourdcb.evaluation.confusion import FaultScene
from fourdcb.evaluation.wrong import Misstatement, misstatements, patterned_truth, seen_apart
from fourdcb.identity import StrPath
from fourdcb.metrics import MetricValue, Verdict
from fourdcb.physics import make_engine
from fourdcb.progress import NullProgress, Progress
from fourdcb.replay import Replay

# Why an answer that says something else does not count as wrong.
Excuse = Literal["", "not seen", "within the limits"]
_POSITION, _SHARE, _TURN_DEG = 0.02, 0.15, 3.0  # the promises of the default criteria
_LOWER = 0.02  # [m] of a body at rest
_PATTERNED = ("bounce_ball", "slide_cup", "rolling")


@dataclass(frozen=True, slots=True)
class JudgedMisstatement:
    """One answer; ``excuse`` says why it does not count, and is then all that is known of it.

    Attributes:
        scene, kind, magnitude: which.
        excuse: "" where it counts.
        verdict: None where it does not.
        why: the verdict's reasons.
    """

    scene: str
    kind: str
    magnitude: str
    excuse: Excuse
    verdict: Verdict | None
    why: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Whether it failed, as it deserves, or does not count."""
        return bool(self.excuse) or self.verdict == "DEPLOYMENT_NOT_RECOMMENDED"


def judge_misstatements(
    scripts: Sequence[StrPath], *, every: int = 1, progress: Progress | None = None
) -> Iterator[JudgedMisstatement]:
    """Judge what :func:`~fourdcb.evaluation.wrong.misstatements` makes of every truth.

    Some truths are judged a second time with a pattern on a moving body.

    Args:
        scripts: the truths.
        every: judge each so many-th answer only.

    Raises:
        UserError: for a truth that cannot be played.
    """
    told = progress or NullProgress()
    with make_engine() as engine, TemporaryDirectory() as place:
        for script in _with_patterns(scripts, Path(place)):
            scene = FaultScene(script, engine)
            rate = scene.rate()
            made = list(misstatements(scene.world))[::every]
            told.start(f"judging {scene.name}", len(made))
            for one in made:
                yield _judged(scene, one, rate)
                told.advance()


def _with_patterns(scripts: Sequence[StrPath], folder: Path) -> Iterator[Path]:
    from fourdcb.dsl import load_script

    for script in map(Path, scripts):
        yield script
        name = script.parent.name
        if name in _PATTERNED:
            own = folder / f"{name}, patterned"
            own.mkdir()
            world = patterned_truth(load_script(script).world, folder=own)
            (own / REFERENCE_NAME).write_text(emit(world), encoding="utf-8")
            yield own / REFERENCE_NAME


def _judged(scene: FaultScene, one: Misstatement, rate: MetricValue) -> JudgedMisstatement:
    try:
        played = scene.replayed(one.world)
    except SimulationDivergedError as error:
        failed: Verdict = "DEPLOYMENT_NOT_RECOMMENDED"
        return JudgedMisstatement(scene.name, one.kind, one.magnitude, "", failed, (str(error),))
    excuse = _excuse(scene.reference, played)
    if excuse:
        return JudgedMisstatement(scene.name, one.kind, one.magnitude, excuse, None, ())
    verdict, why = scene.verdict(played, rate=rate)
    return JudgedMisstatement(scene.name, one.kind, one.magnitude, "", verdict, why)


def _excuse(truth: Replay, other: Replay) -> Excuse:
    """Told from pictures, and from the two motions under the objects' own names: without the judge."""
    if not seen_apart(truth, other):
        return "not seen"
    a, b = truth.world, other.world
    if (a.lights, a.ambient, a.planes) != (b.lights, b.ambient, b.planes):
        return ""
    if [o.name for o in a.objects] != [o.name for o in b.objects]:
        return ""
    same_looks = all(x.material == y.material for x, y in zip(a.objects, b.objects, strict=True))
    near = all(_near(truth, other, name) for name in (o.name for o in a.objects))
    return "within the limits" if same_looks and near else ""


def _near(truth: Replay, other: Replay, name: str) -> bool:
    """Whether a body is as large as it should be, and its pose within the limits, root mean square."""
    own, wrong = truth.world.object(name), other.world.object(name)
    if own.geometry != wrong.geometry:
        return False
    if own.size != wrong.size:
        grown = float(np.abs(np.subtract(wrong.size, own.size)).max())
        return own.kind == "static" and grown < _LOWER
    sides = [(side.trajectory, side.trajectory.frame_steps()) for side in (truth, other)]
    n = min(len(steps) for _, steps in sides)
    (p, q), (r, s) = (
        (t.position[steps[:n], t.index(name)], t.orientation_wxyz[steps[:n], t.index(name)])
        for t, steps in sides
    )
    gap = float(np.sqrt(np.mean(np.sum((p - r) ** 2, axis=-1))))
    turn = float(np.sqrt(np.mean(rotation_angle_deg(q, s) ** 2)))
    diagonal = float(np.linalg.norm(own.size))
    if own.kind == "static":
        return gap < _POSITION
    return gap < min(_POSITION, _SHARE * diagonal) and turn < _TURN_DEG
