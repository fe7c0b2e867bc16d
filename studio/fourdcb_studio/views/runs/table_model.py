"""The table of runs as Qt reads it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from fourdcb.evaluation.runs.reading import RunReading, SampleReading
from fourdcb.metrics.result import AXES
from fourdcb.words import axis_title, tr, verdict_title
from fourdcb_studio.session.run_table import PASSED, VERDICTS, RunTable
from fourdcb_studio.widgets.marks import Mark

Index = QModelIndex | QPersistentModelIndex
CELL = Qt.ItemDataRole.UserRole
"""Role of (:class:`SampleReading` or None, what the cell says)."""
VERDICT_MARKS: dict[str, tuple[Mark, str]] = {
    PASSED: ("check", "ok"),
    "DEPLOYMENT_NOT_RECOMMENDED": ("cross", "bad"),
    "INCONCLUSIVE": ("dash", "muted"),
}
"""Shape and colour role of a verdict."""
STATE_ONLY_MARKS: dict[str, tuple[Mark, str]] = {
    "waiting": ("dot", "muted"),
    "answered": ("ring", "accent"),
    "failed": ("triangle", "warning"),
    "judged": ("dash", "muted"),
}
"""Shape and colour role where there is no verdict."""
_NO_PARENT = QModelIndex()


class RunTableModel(QAbstractTableModel):
    """Samples in rows; the first column is their name, the others are runs.

    Args:
        table: what is shown; call :meth:`refresh` when it changed.
    """

    def __init__(self, table: RunTable) -> None:
        super().__init__()
        self._table = table
        self._rows: tuple[str, ...] = ()
        self._runs: tuple[RunReading, ...] = ()

    def refresh(self) -> None:
        """Show what the table holds now; rows and columns that stay keep selection and scroll position."""
        rows, runs = self._table.shown, self._table.runs
        same = rows == self._rows and [r.root for r in runs] == [r.root for r in self._runs]
        if same:
            self._runs = runs
            last = self.index(max(len(rows) - 1, 0), len(runs))
            self.dataChanged.emit(self.index(0, 0), last)
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(runs))
            return
        self.beginResetModel()
        self._rows, self._runs = rows, runs
        self.endResetModel()

    def sample(self, row: int) -> str:
        """Name of a row."""
        return self._rows[row]

    def row_of(self, sample: str) -> int:
        """Row of a sample, -1 where it is not shown."""
        return self._rows.index(sample) if sample in self._rows else -1

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() or not self._runs else 1 + len(self._runs)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        name = self._rows[index.row()]
        if index.column() == 0:
            return name if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole) else None
        run = self._runs[index.column() - 1]
        cell = run.samples.get(name)
        if role == CELL:
            return cell, self._says(cell)
        if role == Qt.ItemDataRole.DisplayRole:
            return self._says(cell)
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{name} · {run.model}\n{described(cell)}"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{run.model}: {described(cell)}"
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or section > len(self._runs):
            return None
        if section == 0:
            return tr("Sample") if role == Qt.ItemDataRole.DisplayRole else None
        run = self._runs[section - 1]
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{run.model}\n{progress_of(run)}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(
                part for part in (str(run.root), run.claim and tr("claim: {claim}", claim=run.claim),
                                  *run.blocking) if part
            )  # fmt: skip
        return None

    def _says(self, cell: SampleReading | None) -> str:
        if cell is None:
            return tr("not planned")
        if self._table.measure == VERDICTS:
            return short(cell)
        value = cell.values.get(self._table.measure)
        return "–" if value is None else f"{value:.4g}"


def short(cell: SampleReading) -> str:
    """What a cell says of a verdict: the axes that fail, or the reason there is."""
    if cell.verdict:
        return reasons(cell) or verdict_title(cell.verdict)
    words = {
        "waiting": tr("waiting"), "answered": tr("not judged yet"), "failed": tr("no answer"),
        "judged": tr("no verdict"),
    }  # fmt: skip
    word = words[cell.state]
    return f"{word}: {cell.why}" if cell.why else word


def reasons(cell: SampleReading) -> str:
    """The axes that fail, else why there is no pass; "" for an answer that passes."""
    failed = [axis for axis in AXES if cell.values.get(f"{axis}_passed") == 0.0]
    return ", ".join(axis_title(axis) for axis in failed) if failed else cell.why


def described(cell: SampleReading | None) -> str:
    """A cell in one sentence."""
    if cell is None:
        return tr("not planned")
    if not cell.verdict:
        return short(cell)
    title, why = verdict_title(cell.verdict), reasons(cell)
    return f"{title}: {why}" if why else title


def progress_of(run: RunReading) -> str:
    """How far a run is, and how many of its samples pass."""
    total, passed = len(run.samples), run.count(PASSED)
    answered = sum(sample.state != "waiting" for sample in run.samples.values())
    judged = sum(bool(sample.verdict) for sample in run.samples.values())
    said = tr("{passed} of {total} deployable", passed=passed, total=total) if judged else tr("no verdicts")
    if run.state == "complete":
        return said
    state = tr("running") if run.state == "running" else tr("stopped")
    return tr("{said} · {state}, {answered} of {total} answered", said=said, state=state, answered=answered,
              total=total)  # fmt: skip
