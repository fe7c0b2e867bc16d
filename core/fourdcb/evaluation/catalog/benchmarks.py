"""The catalog of benchmarks."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

from fourdcb.errors import UserError
from fourdcb.evaluation.api import BenchmarkSpec, Evidence, TaskSpec
from fourdcb.evaluation.catalog.loading import Entry, Field, catalog_text, check_names, read_entries
from fourdcb.evaluation.external.manifest import EvaluatorSpec

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
    "evaluator": Field(dict),
    "tags": Field(list),
    "about": Field(str),
}
_EVALUATOR = {"command": str, "numbers": dict, "normalizer": str, "revision": str}


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogBenchmark:
    """One benchmark.

    Attributes:
        spec: its definition.
        aliases: further names.
        data: folder of its samples.
        lock: file that pins its samples by their hashes, or None.
        evaluator: of the benchmark's own makers, run as a command; None where ours judges alone.
        about: for people.
    """

    spec: BenchmarkSpec
    data: Path
    aliases: tuple[str, ...] = ()
    lock: Path | None = None
    evaluator: EvaluatorSpec | None = None
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
    evaluator = _evaluator(entry, base)
    own = ("judge", "generation_success") if evaluator is None else ("external", "generation_success")
    data = values["data"]
    folder = _resource(data.removeprefix(_BUNDLED)) if data.startswith(_BUNDLED) else base / data
    return CatalogBenchmark(
        spec=BenchmarkSpec(
            id=values["id"],
            revision=values["revision"],
            tasks=(REPLAY_TASK,),
            metrics=tuple(values.get("metrics", own)),
            tags=tuple(values.get("tags", ())),
            evidence=evidence,
            dataset={"data": data},
        ),
        data=folder,
        aliases=tuple(values.get("aliases", ())),
        lock=base / values["lock"] if "lock" in values else None,
        evaluator=evaluator,
        about=str(values.get("about", "")),
    )


def _evaluator(entry: Entry, base: Path) -> EvaluatorSpec | None:
    """The evaluator of an entry. Raises UserError for a wrong one."""
    given = entry.values.get("evaluator")
    if given is None:
        return None
    unknown = set(given) - set(_EVALUATOR)
    wrong = [key for key, kind in _EVALUATOR.items() if key in given and not isinstance(given[key], kind)]
    absent = {"command", "numbers"} - set(given)
    if unknown or absent or wrong:
        raise UserError(
            "the evaluator is not described as it should be",
            where=entry.where,
            got=", ".join([*(f"unknown {key}" for key in sorted(unknown)), *(f"no {key}" for key in absent),
                           *(f"{key} is a {type(given[key]).__name__}" for key in wrong)]),
            expected="command and numbers, and where needed normalizer and revision",
        )  # fmt: skip
    for name, direction in given["numbers"].items():
        if direction not in ("higher", "lower", None):
            raise UserError(
                f"the number {name!r} has no such direction", where=entry.where, got=str(direction),
                expected="higher, lower or null",
            )  # fmt: skip
    spec = EvaluatorSpec(**given, folder=str(base))
    spec.words()
    return spec


def _resource(name: str) -> Path:
    return Path(str(files("fourdcb_resources") / name))
