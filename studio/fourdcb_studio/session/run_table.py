"""Evaluation runs as a table: a row a sample, a column a run. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from fourdcb.errors import UserError
from fourdcb.evaluation.runs.reading import RunReading, SampleReading
from fourdcb_studio.session.sources import SceneSources, failing_frame

Narrowing = Literal["all", "not_passed", "differ", "unanswered"]
NARROWINGS: tuple[Narrowing, ...] = ("all", "not_passed", "differ", "unanswered")
VERDICTS = "verdict"  # what cells show unless a metric is chosen
PASSED = "DEPLOYABLE"
_RANKS = {PASSED: 0, "INCONCLUSIVE": 1, "DEPLOYMENT_NOT_RECOMMENDED": 2}
_RANK_WITHOUT = {"judged": 1, "failed": 3, "answered": 4, "waiting": 5}


class RunTable:
    """State and decisions of the runs view.

    Attributes:
        runs: columns.
        shown: ids of the samples that are shown, in order.
        text, narrowing: what the rows are narrowed down to.
        order, descending: column that the rows are ordered by; None is the order of the plan.
        measure: ``verdict``, or the metric that cells show.
        opened: (sample, column) of the answer on the bench.

    Args:
        on_change: told when what is to be seen changes.
    """

    def __init__(self, on_change: Callable[[], None]) -> None:
        self._on_change = on_change
        self.begin()

    def begin(self) -> None:
        """Nothing is there and nothing asked for."""
        self.runs: tuple[RunReading, ...] = ()
        self.shown: tuple[str, ...] = ()
        self.text, self.measure = "", VERDICTS
        self.narrowing: Narrowing = "all"
        self.order: int | None = None
        self.descending = False
        self.opened: tuple[str, int] | None = None

    # -- content -------------------------------------------------------------------------------------
    def take(self, runs: Sequence[RunReading]) -> None:
        """The runs as they are now; what is chosen stays chosen where it is still there."""
        roots = tuple(run.root for run in self.runs)
        self.runs = tuple(runs)
        if roots != tuple(run.root for run in self.runs):
            self.order, self.opened = None, None
        if self.measure != VERDICTS and self.measure not in self.measures():
            self.measure = VERDICTS
        self._select()

    def cell(self, sample: str, column: int) -> SampleReading | None:
        """A run's answer to a sample; None where it was not planned."""
        return self.runs[column].samples.get(sample)

    def measures(self) -> tuple[str, ...]:
        """Metrics that some run has a number for, sorted."""
        return tuple(
            sorted({name for run in self.runs for sample in run.samples.values() for name in sample.values})
        )

    @property
    def total(self) -> int:
        """Samples of all runs."""
        return len(self._everything())

    # -- narrowing down ------------------------------------------------------------------------------
    def search(self, text: str) -> None:
        """Show the samples whose name or reasons hold these words."""
        if text != self.text:
            self.text = text
            self._select()

    def narrow(self, narrowing: Narrowing) -> None:
        """Show some of the samples."""
        if narrowing != self.narrowing:
            self.narrowing = narrowing
            self._select()

    def show_measure(self, measure: str) -> None:
        """``verdict`` or a metric in the cells."""
        if measure != self.measure:
            self.measure = measure
            self._select()

    def sort(self, column: int | None, *, descending: bool = False) -> None:
        """Order the rows by a run's verdicts or numbers; None is the plan's order."""
        if (column, descending) != (self.order, self.descending):
            self.order, self.descending = column, descending
            self._select()

    def _everything(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for run in self.runs for name in run.samples))

    def _select(self) -> None:
        names = [name for name in self._everything() if self._wanted(name)]
        if self.order is not None:
            known = [name for name in names if self._rank(name) is not None]
            known.sort(key=lambda name: self._rank(name) or 0.0, reverse=self.descending)
            names = [*known, *(name for name in names if self._rank(name) is None)]  # no number: last
        elif self.descending:
            names.reverse()
        self.shown = tuple(names)
        self._on_change()

    def _wanted(self, name: str) -> bool:
        cells = [run.samples[name] for run in self.runs if name in run.samples]
        words = self.text.lower().split()
        heap = " ".join([name, *(cell.why for cell in cells)]).lower()
        if not all(word in heap for word in words):
            return False
        verdicts = [cell.verdict for cell in cells]
        match self.narrowing:
            case "not_passed":
                return any(verdict != PASSED for verdict in verdicts)
            case "differ":
                return len({verdict for verdict in verdicts if verdict}) > 1
            case "unanswered":
                return any(cell.state in ("waiting", "failed") for cell in cells)
        return True

    def _rank(self, name: str) -> float | None:
        assert self.order is not None
        cell = self.cell(name, self.order)
        if cell is None:
            return None
        if self.measure == VERDICTS:
            return float(_RANKS.get(cell.verdict, _RANK_WITHOUT[cell.state]))
        return cell.values.get(self.measure)

    # -- the way to the bench ------------------------------------------------------------------------
    def sources(self, sample: str, column: int) -> SceneSources:
        """The scene of an answer; the other runs' answers to the same sample are its further cases.

        Raises:
            UserError: there is no answer to look at.
        """
        cell = self.cell(sample, column)
        if cell is None or cell.script is None:
            raise UserError(
                "there is no answer to look at", where=f"{self.runs[column].model} · {sample}",
                got=cell.why or None if cell is not None else "not planned",
            )  # fmt: skip
        answers = [run.samples[sample].script for run in self.runs if sample in run.samples]
        report = cell.report
        return SceneSources(
            title=f"{sample} · {self.runs[column].model}",
            script=cell.script,
            reference=cell.reference,
            video=cell.video,
            outside=tuple(path for path in answers if path is not None) if len(answers) > 1 else (),
            frame=0 if report is None else failing_frame(report),
        )

    def pair(self, sample: str, first: int, second: int) -> SceneSources:
        """Two answers to one sample, side by side: the second stands where the original does.

        Raises:
            UserError: one of them is no answer.
        """
        own, other = self.sources(sample, first), self.sources(sample, second)
        names = self.runs[second].model, self.runs[first].model
        return SceneSources(
            title=f"{sample} · {names[1]} ↔ {names[0]}",
            script=own.script,
            reference=other.script,
            frame=own.frame,
            captions=names,
        )

    def neighbour(self, step: int) -> tuple[str, int] | None:
        """The next (1) or previous (-1) shown answer of the run on the bench."""
        if self.opened is None:
            return None
        sample, column = self.opened
        at = self.shown.index(sample) if sample in self.shown else -1 if step > 0 else len(self.shown)
        ahead = range(at + step, len(self.shown) if step > 0 else -1, step)
        for row in ahead:
            cell = self.cell(self.shown[row], column)
            if cell is not None and cell.script is not None:
                return self.shown[row], column
        return None
