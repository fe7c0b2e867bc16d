"""Where the files of a run lie, and who may write them."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fourdcb.errors import UserError
from fourdcb.identity import canonical_json, write_output


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Paths of a run's files.

    Attributes:
        root: the folder.
    """

    root: Path

    @property
    def plan(self) -> Path:
        """Samples and settings, fixed before anything is generated."""
        return self.root / "plan.json"

    @property
    def requests(self) -> Path:
        """All planned requests, a line each."""
        return self.root / "requests.jsonl"

    @property
    def status(self) -> Path:
        """Which stage the run is in."""
        return self.root / "status.json"

    def results(self, shard: tuple[int, int] = (1, 1)) -> Path:
        """Journal of generated results; each shard has its own."""
        index, count = shard
        name = "results.jsonl" if count == 1 else f"results.{index}-of-{count}.jsonl"
        return self.root / "generation" / name

    def journals(self) -> list[Path]:
        """Journals of generated results that are there, of all shards."""
        return sorted(self.results().parent.glob("results*.jsonl"))

    @property
    def checkpoint(self) -> Path:
        """Journal of scores."""
        return self.root / "metrics" / "checkpoint.jsonl"

    @property
    def per_sample(self) -> Path:
        """All scores in the plan's order."""
        return self.root / "metrics" / "per_sample.jsonl"

    @property
    def summary(self) -> Path:
        """Aggregates by metric."""
        return self.root / "metrics" / "summary.json"

    @property
    def scorecard(self) -> Path:
        """The record of what the run may claim."""
        return self.root / "scorecard.json"

    @property
    def markdown(self) -> Path:
        """The readable form, derived from the scorecard."""
        return self.root / "report.md"

    def script(self, sample_id: str) -> Path:
        """A sample's generated world script."""
        return self.root / "scripts" / f"{file_name(sample_id)}.py"

    def report(self, sample_id: str) -> Path:
        """A sample's report.json."""
        return self.root / "reports" / file_name(sample_id) / "report.json"

    def write_json(self, path: Path, value: Any) -> None:
        """Write a JSON file whole or not at all; equal values give equal bytes."""
        self.make(path.parent)
        text = json.dumps(json.loads(canonical_json(value)), indent=1, sort_keys=True, ensure_ascii=False)
        write_output(path, text + "\n")

    def write_lines(self, path: Path, rows: Iterator[Mapping[str, Any]] | list[dict[str, Any]]) -> None:
        """Write a file of JSON lines whole or not at all."""
        self.make(path.parent)
        write_output(path, "".join(canonical_json(row) + "\n" for row in rows))

    def make(self, folder: Path) -> None:
        """Make a folder of the run. Raises UserError when that cannot be."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError("the folder cannot be made", where=str(folder), got=error.strerror) from error

    def set_status(self, stage: str, state: str, **facts: Any) -> None:
        """Tell whoever looks at the folder how far the run is."""
        self.write_json(self.status, {"stage": stage, "state": state, **facts})


def read_json(path: Path, *, what: str) -> Any:
    """Value of a JSON file. Raises UserError when it is missing or no JSON."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UserError(f"{what} is missing", where=str(path), hint="is this the folder of a run?") from error
    except OSError as error:
        raise UserError(f"{what} cannot be read", where=str(path), got=error.strerror) from error
    except ValueError as error:
        raise UserError(f"{what} is no JSON", where=str(path), got=str(error)) from error


def file_name(sample_id: str) -> str:
    """A file name for any sample id: itself where that is safe, else made so with a hash behind it."""
    import hashlib
    import re

    safe = re.sub(r"[^A-Za-z0-9._-]", "_", sample_id)[:80]
    if safe == sample_id and not safe.startswith("."):
        return safe
    return f"{safe.lstrip('.')}-{hashlib.sha256(sample_id.encode()).hexdigest()[:12]}"


@contextmanager
def alone_in(folder: RunFolder, name: str = "run") -> Iterator[None]:
    """Hold a run's lock. The system frees it when the process ends, however it ends.

    Raises:
        UserError: another process holds it, or the folder cannot be written.
    """
    folder.make(folder.root)
    path = folder.root / f".{name}.lock"
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise UserError(
            "the run's folder cannot be written", where=str(folder.root), got=error.strerror
        ) from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.read(handle, 64).decode(errors="replace").strip()
            raise UserError(
                "another process works on this run",
                where=str(folder.root),
                got=f"process {holder}" if holder else None,
                hint="wait for it, or choose another folder with --out",
            ) from error
        os.truncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)
        try:
            yield
        finally:
            os.truncate(handle, 0)  # who looks on reads who works here
    finally:
        os.close(handle)
