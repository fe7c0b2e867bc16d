"""Runs an evaluator of another maker over the answers of a run: files go in, raw text comes out."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from fourdcb.errors import UserError
from fourdcb.evaluation.api import GenerationResult, Record
from fourdcb.evaluation.api.metric import Direction
from fourdcb.evaluation.runs.folder import RunFolder, file_name
from fourdcb.evaluation.runs.plan import RunPlan
from fourdcb.identity import canonical_json, content_hash, file_sha256
from fourdcb.work import Limits
from fourdcb.work.guarded import GuardedWorker
from fourdcb.work.worker import die_with_parent

_PLACES = ("{answers}", "{requests}", "{references}", "{output}")
_MOST_BYTES = 256 << 20  # of what an evaluator writes
_TOLD = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorSpec(Record):
    """An evaluator as a catalog describes it.

    Attributes:
        command: split as a shell splits and run without one, in the catalog's folder. ``{answers}`` (folder
            of ``SAMPLE.py``), ``{requests}`` (JSON lines), ``{references}`` (JSON, truth script by sample)
            and ``{output}`` (the file to write) are filled in; ``python`` is the interpreter that runs us.
        numbers: that it gives for a sample, with their direction; None where nobody says so.
        normalizer: ``rows``, ``table`` or ``module:function``; see
            :mod:`fourdcb.evaluation.external.normalizers`.
        revision: says when its numbers change their meaning, beside the files that the command names.
        folder: where the command runs; no part of what it means.
    """

    FORMAT: ClassVar[str] = "fourdcb.evaluator"

    command: str
    numbers: Mapping[str, Direction | None]
    normalizer: str = "rows"
    revision: str = ""
    folder: str = "."

    def words(self) -> list[str]:
        """The command's words. Raises UserError when it cannot be split or names no output."""
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise UserError("the evaluator's command cannot be split", got=self.command) from error
        if not any("{output}" in word for word in words):
            raise UserError(
                "the evaluator is told no file to write", got=self.command, expected="{output} in it"
            )
        return words

    @property
    def meaning(self) -> dict[str, Any]:
        """What its numbers depend on, JSON-safe and the same on every machine.

        Raises:
            UserError: a file of it cannot be read.
        """
        files = {}
        for word in self.words():
            path = Path(self.folder) / word
            if not os.path.isabs(word) and not word.startswith("{") and path.is_file():
                try:
                    files[word] = file_sha256(path)
                except OSError as error:
                    raise UserError(
                        "a file of the evaluator cannot be read", where=str(path), got=error.strerror
                    ) from error
        return {
            "command": self.command, "normalizer": self.normalizer, "revision": self.revision,
            "numbers": dict(self.numbers), "files": files,
        }  # fmt: skip


@dataclass(frozen=True)
class ManifestBenchmarkRunner:
    """Runs an evaluator once over all answers of a run; what it wrote for the same answers is used again.

    Attributes:
        spec: the evaluator.
        folder: the run's.
        limits: of its process, with all that it starts.
    """

    spec: EvaluatorSpec
    folder: RunFolder
    limits: Limits = field(default_factory=lambda: Limits(seconds=3600.0, memory_mb=8192.0))

    def run(self, plan: RunPlan, results: Mapping[str, GenerationResult]) -> str:
        """The raw text of its output.

        Raises:
            UserError: it cannot be run, fails, takes too much, or writes nothing.
        """
        place = (self.folder.root / "external").resolve()
        output, mark = place / "raw", place / "evaluated.json"
        key = self._key(plan, results)
        if mark.is_file() and output.is_file():
            told = mark.read_text(encoding="utf-8")
            if told == canonical_json({"key": key, "raw": file_sha256(output)}):
                return _text(output)
        self.folder.make(place / "answers")
        mark.unlink(missing_ok=True)
        output.unlink(missing_ok=True)
        self._write_questions(place, plan, results)
        self._called(place, output)
        raw = _text(output)
        mark.write_text(canonical_json({"key": key, "raw": file_sha256(output)}), encoding="utf-8")
        return raw

    def _key(self, plan: RunPlan, results: Mapping[str, GenerationResult]) -> str:
        samples = {
            s.sample_id: [plan.score_key(s), results[s.sample_id].status, results[s.sample_id].artifacts]
            for s in plan.samples
        }
        return content_hash({"evaluator": self.spec.meaning, "samples": samples})

    def _write_questions(self, place: Path, plan: RunPlan, results: Mapping[str, GenerationResult]) -> None:
        for stale in (place / "answers").glob("*.py"):
            stale.unlink()
        for sample in plan.samples:
            result = results[sample.sample_id]
            if result.status == "ok" and "script" in result.artifacts:
                (place / "answers" / f"{file_name(sample.sample_id)}.py").write_text(
                    result.artifacts["script"], encoding="utf-8"
                )
        root = Path(plan.data_root)
        self.folder.write_json(
            place / "references.json",
            {s.sample_id: str(root / s.reference) for s in plan.samples if s.reference is not None},
        )
        self.folder.write_lines(
            place / "requests.jsonl", [plan.request(sample).to_dict() for sample in plan.samples]
        )

    def _called(self, place: Path, output: Path) -> None:
        filled = {
            "{answers}": place / "answers", "{requests}": place / "requests.jsonl",
            "{references}": place / "references.json", "{output}": output,
        }  # fmt: skip
        words = [_filled(word, filled) for word in self.spec.words()]
        if words[0] in ("python", "python3"):
            words[0] = sys.executable
        worker = GuardedWorker(EvaluatorWork(), self.limits, threads=os.cpu_count() or 1)
        try:
            outcome = worker.finish(
                "external", {"words": words, "folder": self.spec.folder, "log": str(place / "log.txt")}
            )
        finally:
            worker.close()
        if outcome.status != "ok":
            raise UserError(f"the evaluator was ended: {outcome.error}", where=words[0])
        if outcome.value["status"] != 0:
            raise UserError(
                "the evaluator failed", where=words[0], got=f"exit code {outcome.value['status']}",
                hint=outcome.value["told"] or None,
            )  # fmt: skip
        if not output.is_file():
            raise UserError(
                "the evaluator wrote nothing", where=str(output), hint=outcome.value["told"] or None
            )


@dataclass(frozen=True)
class EvaluatorWork:
    """A payload is ``{"words", "folder", "log"}``; the answer its exit status and what it printed last."""

    def open(self) -> Callable[[dict[str, Any]], dict[str, Any]]:
        """The call of one payload."""
        return _run_command

    def close(self) -> None:
        """Nothing is held."""


def _run_command(payload: Mapping[str, Any]) -> dict[str, Any]:
    words: Sequence[str] = payload["words"]
    log = Path(payload["log"])
    with log.open("wb") as printed:
        try:
            status = subprocess.call(
                words, cwd=payload["folder"], stdin=subprocess.DEVNULL, stdout=printed,
                stderr=subprocess.STDOUT, preexec_fn=die_with_parent,
            )  # fmt: skip
        except OSError as error:
            raise UserError("the evaluator cannot be run", where=words[0], got=error.strerror) from error
    told = log.read_bytes()[-_TOLD:].decode(errors="replace").strip()
    return {"status": status, "told": told}


def _filled(word: str, values: Mapping[str, Path]) -> str:
    for key in _PLACES:
        word = word.replace(key, str(values[key]))
    return word


def _text(path: Path) -> str:
    if path.stat().st_size > _MOST_BYTES:
        raise UserError(
            "the evaluator wrote too much", where=str(path), expected=f"at most {_MOST_BYTES} bytes"
        )
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UserError("the evaluator's output is not UTF-8 text", where=str(path)) from error
