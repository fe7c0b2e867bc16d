"""The catalog of benchmarks."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

from fourdcb.errors import UserError
from fourdcb.evaluation.api import BenchmarkSpec, Evidence, TaskSpec
from fourdcb.evaluation.catalog.loading import Entry, Field, catalog_text, check_names, read_entries

REPLAY_TASK = TaskSpec(name="video_to_world", input_keys=("video", "camera"))
_BUNDLED = "bundled:"
_FIELDS = {
    "id": Field(str, required=True),
    "revision": Field(str, required=True),
    "data": Field(str, required=True),
    "evidence": Field(str),
    "aliases": Field(list),
    "lock": Field(str),
    "metrics": Field(list),
    "tags": Field(list),
    "about": Field(str),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogBenchmark:
    """One benchmark.

    Attributes:
        spec: its definition.
        aliases: further names.
        data: folder of its samples.
        lock: file that pins its samples by their hashes, or None.
        about: for people.
    """

    spec: BenchmarkSpec
    data: Path
    aliases: tuple[str, ...] = ()
    lock: Path | None = None
    about: str = ""

    @property
    def id(self) -> str:
        """Its first name."""
        return self.spec.id


def load_benchmarks(path: Path | None = None) -> tuple[CatalogBenchmark, ...]:
    """The benchmarks of a catalog file; None reads the bundled one. Raises UserError."""
    text, name = catalog_text(path, "benchmarks.yaml")
    base = _resource("catalogs") if path is None else path.parent
    entries = read_entries(text, name, form="fourdcb.benchmark_catalog", key="benchmarks", fields=_FIELDS)
    benchmarks = tuple(_benchmark(entry, base) for entry in entries)
    check_names(benchmarks, [entry.where for entry in entries])
    return benchmarks


def _benchmark(entry: Entry, base: Path) -> CatalogBenchmark:
    values: dict[str, Any] = dict(entry.values)
    evidence = values.get("evidence", "none")
    if evidence not in get_args(Evidence):
        expected = ", ".join(get_args(Evidence))
        raise UserError("there is no such evidence", where=entry.where, got=repr(evidence), expected=expected)
    data = values["data"]
    folder = _resource(data.removeprefix(_BUNDLED)) if data.startswith(_BUNDLED) else base / data
    return CatalogBenchmark(
        spec=BenchmarkSpec(
            id=values["id"],
            revision=values["revision"],
            tasks=(REPLAY_TASK,),
            metrics=tuple(values.get("metrics", ("judge", "generation_success"))),
            tags=tuple(values.get("tags", ())),
            evidence=evidence,
            dataset={"data": data},
        ),
        data=folder,
        aliases=tuple(values.get("aliases", ())),
        lock=base / values["lock"] if "lock" in values else None,
        about=str(values.get("about", "")),
    )


def _resource(name: str) -> Path:
    return Path(str(files("fourdcb_resources") / name))
