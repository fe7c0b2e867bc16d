"""A set of samples: workers make them, a journal keeps what is done, a kill loses nothing."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fourdcb.dataset.contact_sheet import write_sheet
from fourdcb.dataset.layout import MANIFEST_NAME, PARTIAL_FOLDER
from fourdcb.dataset.sample import Recipe, check_files, make_sample
from fourdcb.errors import UserError
from fourdcb.identity import jsonable
from fourdcb.progress import NullProgress, Progress
from fourdcb.work import Limits, LocalExecutor
from fourdcb.work.journal import Journal
from fourdcb.work.outcome import Call

_FORMAT, _VERSION = "fourdcb.dataset", 1


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedSet:
    """What a run made.

    Attributes:
        folder: of the set.
        lines: of the manifest, one a sample, in order.
        seconds: of work, by sample made now; samples of an earlier run are not in it.
    """

    folder: Path
    lines: tuple[dict[str, Any], ...]
    seconds: dict[str, float]

    @property
    def reasons(self) -> dict[str, Counter[str]]:
        """How often attempts were rejected for which kind of reason, by template."""
        counts: dict[str, Counter[str]] = {}
        for line in self.lines:
            name = line["sample"].partition("/")[0]
            for attempt in line["rejected"]:
                counts.setdefault(name, Counter())[attempt["reasons"][0].partition(":")[0]] += 1
        return counts


def generate_set(
    names: Sequence[str],
    *,
    count: int,
    out: Path,
    recipe: Recipe,
    workers: int = 1,
    resume: bool = False,
    progress: Progress | None = None,
) -> GeneratedSet:
    """Make ``count`` samples of each template.

    The files depend on templates, count and recipe, never on workers, threads or interruptions: the manifest
    is written in the order of the samples, whoever finished first.

    Args:
        names: of templates.
        count: samples of each.
        out: folder of the set.
        recipe: seed, renderer, degradation.
        workers: processes at a time.
        resume: go on with a set that was begun with the same arguments.
        progress: told of samples.

    Raises:
        UserError: when a set lies there already, was begun otherwise or was edited; when a sample cannot be
            made for a reason that is not its own (a full disk, a missing renderer).
    """
    if count < 1:
        raise UserError("at least one sample is needed", got=str(count))
    if workers < 1:
        raise UserError("at least one worker is needed", got=str(workers))
    head = {
        "format": _FORMAT, "version": _VERSION, "templates": list(names), "count": count,
        "recipe": jsonable(recipe),
    }  # fmt: skip
    keys = [f"{name}/{index:03d}" for name in names for index in range(count)]
    manifest = out / MANIFEST_NAME
    if manifest.exists() and not resume:
        raise UserError(
            "a set lies here already", where=str(out), hint="go on with --resume, or choose another folder"
        )
    told = progress or NullProgress()
    with Journal(manifest) as journal:
        lines = _begun(journal, head, manifest)
        for line in lines:
            if line["accepted"]:
                check_files(out / line["sample"], line)
        told.start("samples", len(keys))
        told.advance(len(lines))
        seconds = _work(keys[len(lines) :], lines, out, recipe, workers, journal, told)
    shutil.rmtree(out / PARTIAL_FOLDER, ignore_errors=True)
    for torn in out.rglob(".*.part"):  # what a kill left of a file that was being written
        torn.unlink()
    write_sheet(out, lines)
    return GeneratedSet(folder=out, lines=tuple(lines), seconds=seconds)


def _begun(journal: Journal, head: dict[str, Any], manifest: Path) -> list[dict[str, Any]]:
    """The lines that are there; the head is written where there is none."""
    if not journal.records:
        journal.append([head])
        return []
    first, *lines = journal.records
    if first != head:
        raise UserError(
            "this set was begun with other arguments",
            where=str(manifest), got=str(first), expected=str(head),
            hint="use the same templates, count, seed, renderer and degradation, or another folder",
        )  # fmt: skip
    return list(lines)


def _work(
    keys: Sequence[str],
    lines: list[dict[str, Any]],
    out: Path,
    recipe: Recipe,
    workers: int,
    journal: Journal,
    told: Progress,
) -> dict[str, float]:
    """Make the samples and append their lines in the order of ``keys``."""
    waiting: dict[str, dict[str, Any]] = {}
    seconds: dict[str, float] = {}
    following = 0
    work = SampleWork(out=str(out.absolute()), recipe=recipe, alone=workers > 1)
    executor = LocalExecutor(workers)
    outcomes = executor.run(work, _payloads(keys), limits=Limits(seconds=7200.0, memory_mb=6144.0))
    with closing(outcomes):  # type: ignore[type-var]
        for outcome in outcomes:
            if outcome.status != "ok":
                raise UserError(
                    "a sample cannot be made", where=outcome.key, got=outcome.error,
                    hint="mend that and run the same command with --resume: what is done is kept",
                )  # fmt: skip
            waiting[outcome.key], seconds[outcome.key] = outcome.value, outcome.seconds
            while following < len(keys) and keys[following] in waiting:
                line = waiting.pop(keys[following])
                journal.append([line])
                lines.append(line)
                following += 1
            told.advance()
    return seconds


def _payloads(keys: Sequence[str]) -> Iterator[tuple[str, tuple[str, int]]]:
    for key in keys:
        name, _, index = key.partition("/")
        yield key, (name, int(index))


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleWork:
    """What a worker process does; ``alone`` when its threads would only compete with other workers."""

    out: str
    recipe: Recipe
    alone: bool

    def open(self) -> Call:
        """Nothing to load: kernels are compiled or read when they are first used."""
        return self._make

    def close(self) -> None:
        """Nothing to give back."""

    def _make(self, payload: tuple[str, int]) -> dict[str, Any]:
        from fourdcb.render import on_one_thread

        name, index = payload
        os.umask(0o022)  # folders look alike, whoever makes them
        threads: AbstractContextManager[None] = on_one_thread() if self.alone else nullcontext()
        with threads:
            return make_sample(name, index, self.recipe, Path(self.out))
