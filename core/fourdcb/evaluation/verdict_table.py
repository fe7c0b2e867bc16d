"""One table of answers from three sources: chosen by hand, retold, and wrong by rule."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fourdcb.dataset.answers import Truthfulness, load_answers
from fourdcb.dataset.layout import REFERENCE_NAME
from fourdcb.errors import UserError
from fourdcb.evaluation.honest import judge_retellings
from fourdcb.evaluation.verdicts import judge_answers
from fourdcb.evaluation.wrong_verdicts import judge_misstatements
from fourdcb.metrics import Verdict
from fourdcb.progress import Progress

_VERDICTS: tuple[Verdict, ...] = ("DEPLOYABLE", "INCONCLUSIVE", "DEPLOYMENT_NOT_RECOMMENDED")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One answer and what the judge said of it.

    Attributes:
        kind: what it deserves; scene, name: which it is.
        verdict: None where it does not count.
        right: whether it got what it deserves.
        why: the verdict's reasons.
        excuse: why an answer that says something else does not count as wrong; "" where it counts.
        exception: why the judge is known to mistake it; "" where it should not.
    """

    kind: Truthfulness
    scene: str
    name: str
    verdict: Verdict | None
    right: bool
    why: tuple[str, ...]
    excuse: str = ""
    exception: str = ""


def table(
    root: Path, *, scenes: Collection[str] = (), every: int = 1, progress: Progress | None = None
) -> Iterator[Row]:
    """Judge all answers to the scenes of a folder.

    Args:
        root: holds scene folders and ``answers.yaml``.
        scenes: only these; all when empty.
        every: of what is made by rule, only each so many-th answer.

    Raises:
        UserError: for a scene that is not there, or a script that cannot be played.
    """
    chosen = load_answers(root / "answers.yaml")
    scripts = {path.parent.name: path for path in sorted(root.glob(f"*/{REFERENCE_NAME}"))}
    known = {*chosen, *scripts}
    if unknown := set(scenes) - known:
        got, expected = ", ".join(sorted(unknown)), ", ".join(sorted(known))
        raise UserError("no such scene", got=got, expected=expected)
    for a in judge_answers({k: v for k, v in chosen.items() if not scenes or k in scenes}, progress=progress):
        yield Row(
            kind=a.answer.kind, scene=a.answer.scene, name=f"{a.answer.name} = {a.answer.value:g}",
            verdict=a.verdict, right=a.right, why=a.why, exception=a.answer.exception,
        )  # fmt: skip
    truths = [path for name, path in scripts.items() if not scenes or name in scenes]
    for h in judge_retellings(truths, every=every, progress=progress):
        yield Row(kind="honest", scene=h.scene, name=h.way, verdict=h.verdict, right=h.right, why=h.why)
    for w in judge_misstatements(truths, every=every, progress=progress):
        yield Row(
            kind="wrong", scene=w.scene, name=f"{w.kind} {w.magnitude}".strip(), verdict=w.verdict,
            right=w.right, why=w.why, excuse=w.excuse,
        )  # fmt: skip


def counts(rows: Iterable[Row]) -> dict[str, dict[str, int]]:
    """How many answers of each kind got each verdict; those that do not count left out."""
    found = {kind: dict.fromkeys(map(str, _VERDICTS), 0) for kind in ("honest", "wrong")}
    for row in rows:
        if row.verdict is not None:
            found[row.kind][row.verdict] += 1
    return found
