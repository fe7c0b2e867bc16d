"""The sealed test part: labels are given out in one place, and every opening is written down."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fourdcb.arrays import I64
from fourdcb.identity import content_hash
from fourdcb.probes.samples import SampleTable
from fourdcb.probes.task import Task
from fourdcb.probes.trained import ProbeName, load_probe, probe_hash, trained_files
from fourdcb.work.journal import Journal, read_journal

OPENINGS = "openings.jsonl"


@dataclass(frozen=True, slots=True)
class SealedTest:
    """The test part of a task in a work folder."""

    task: Task
    table: SampleTable
    work: Path

    @property
    def seal(self) -> str:
        """Which samples are sealed: a hash of their ids."""
        return content_hash([self.table.samples[self.task.rows[i]].id for i in self.task.split.test])[:16]

    def open(self, probes: list[ProbeName]) -> I64:
        """Labels of the test part, after writing down which probes are about to be tested, and as what.

        Raises:
            UserError: the journal cannot be written; then nothing is opened.
        """
        with Journal(self.work / OPENINGS) as journal:
            now = datetime.now(UTC).isoformat(timespec="seconds")
            journal.append(
                {
                    "seal": self.seal, "target": name.target, "seed": name.seed, "encoder": name.encoder,
                    "head": name.head, "trained": probe_hash(name.path(self.work)), "time": now,
                }
                for name in probes
            )  # fmt: skip
        return self.task.sealed_labels[self.task.split.test]


def trained_hashes(work: Path, targets: Sequence[str] | None = None) -> frozenset[str]:
    """Hashes of all trained probes of some targets, None for all. Raises UserError where there are none."""
    return frozenset(
        probe_hash(path)
        for path in trained_files(work)
        if targets is None or load_probe(path)[0].target in targets
    )


@dataclass(frozen=True, slots=True)
class Openings:
    """How often a probe was tested.

    Attributes:
        times: openings of its test parts, over all seeds.
        trainings: the largest number of different trainings of one seed that were tested: 1 is honest.
    """

    times: int
    trainings: int


def openings_of(work: Path) -> dict[tuple[str, str, str], Openings]:
    """Openings by (target, encoder, head)."""
    lines: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for record in read_journal(work / OPENINGS).records:
        lines[record["target"], record["encoder"], record["head"]].append(record)
    found = {}
    for key, own in lines.items():
        trained: dict[tuple[int, str], set[str]] = defaultdict(set)
        for record in own:
            trained[record["seed"], record["seal"]].add(record["trained"])
        found[key] = Openings(len(own), max(len(hashes) for hashes in trained.values()))
    return found
