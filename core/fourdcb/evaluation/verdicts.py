"""Wrong answers that pass and honest ones that fail: a table of answers, judged and counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from fourdcb.dataset.answers import Answer
from fourdcb.dataset.layout import REFERENCE_NAME
from fourdcb.dsl import parse_script
from fourdcb.evaluation.confusion import FaultScene
from fourdcb.metrics import Verdict
from fourdcb.physics import make_engine
from fourdcb.progress import NullProgress, Progress

_DESERVED: Mapping[str, Verdict] = {"honest": "DEPLOYABLE", "wrong": "DEPLOYMENT_NOT_RECOMMENDED"}


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer and what the judge said of it; ``why`` holds the verdict's reasons."""

    answer: Answer
    verdict: Verdict
    why: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Whether the verdict is what the answer deserves."""
        return self.verdict == _DESERVED[self.answer.kind]


def judge_answers(
    scenes: Mapping[str, tuple[str, tuple[Answer, ...]]], *, progress: Progress | None = None
) -> Iterator[JudgedAnswer]:
    """Judge every answer against its scene's truth, the truth itself first, without videos.

    Raises:
        UserError: for a script that cannot be played.
    """
    told = progress or NullProgress()
    told.start("judging", sum(len(answers) for _, answers in scenes.values()))
    with make_engine() as engine, TemporaryDirectory() as folder:
        for name, (text, answers) in scenes.items():
            script = Path(folder) / name / REFERENCE_NAME
            script.parent.mkdir()
            script.write_text(text, encoding="utf-8")
            scene = FaultScene(script, engine)
            for answer in answers:
                world = parse_script(answer.source, filename=name, base_dir=str(script.parent)).world
                report = scene.report(world)
                yield JudgedAnswer(answer, report.verdict, report.reasons)
                told.advance()


def confusion(judged: Iterable[JudgedAnswer]) -> dict[str, dict[str, int]]:
    """How many answers of each kind got each verdict."""
    verdicts: tuple[Verdict, ...] = ("DEPLOYABLE", "INCONCLUSIVE", "DEPLOYMENT_NOT_RECOMMENDED")
    counts = {kind: dict.fromkeys(verdicts, 0) for kind in _DESERVED}
    for one in judged:
        counts[one.answer.kind][one.verdict] += 1
    return {kind: {str(v): n for v, n in each.items()} for kind, each in counts.items()}
