"""Single-fault candidates: a truth script with one thing said wrong, and what a judge must say of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fourdcb.dsl import edit_value
from fourdcb.errors import UserError
from fourdcb.identity import StrPath
from fourdcb.metrics.result import AXES, Axis


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One wrong statement.

    Attributes:
        name: file stem of the candidate.
        changes: parameter path → wrong value; empty for a perfect copy.
        must_fail, may_fail: axes; every other axis must pass.
    """

    name: str
    changes: Mapping[str, float]
    must_fail: frozenset[Axis]
    may_fail: frozenset[Axis]

    @property
    def must_pass(self) -> frozenset[Axis]:
        """The axes that have nothing to do with the fault."""
        return frozenset(AXES) - self.must_fail - self.may_fail


def load_faults(path: StrPath) -> dict[str, tuple[Fault, ...]]:
    """Faults by scene from a YAML file.

    Raises:
        UserError: when the file is missing, malformed or names an unknown axis.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    path = Path(path)
    try:
        table = YAML(typ="safe").load(path)
    except (OSError, YAMLError) as error:
        raise UserError("cannot read the fault table", where=str(path), got=str(error)) from error
    if not isinstance(table, dict):
        raise UserError("the fault table is not a mapping of scenes", where=str(path))
    return {
        str(scene): tuple(
            _fault(name, entry, where=f"{path}: {scene}.{name}") for name, entry in faults.items()
        )
        for scene, faults in table.items()
    }


def _fault(name: str, entry: Mapping[str, object], *, where: str) -> Fault:
    unknown = set(entry) - {"set", "must_fail", "may_fail"}
    if unknown:
        raise UserError(
            "unknown key", where=where, got=", ".join(sorted(unknown)), expected="set, must_fail, may_fail"
        )
    changes = entry.get("set") or {}
    if not isinstance(changes, dict):
        raise UserError("'set' must map parameter paths to numbers", where=where)
    return Fault(
        name=name,
        changes={str(path): float(value) for path, value in changes.items()},
        must_fail=_axes(entry.get("must_fail"), where),
        may_fail=_axes(entry.get("may_fail"), where),
    )


def _axes(names: object, where: str) -> frozenset[Axis]:
    listed = [] if names is None else names
    if not isinstance(listed, list) or not set(listed) <= set(AXES):
        raise UserError("not a list of axes", where=where, got=str(names), expected=", ".join(AXES))
    return frozenset(axis for axis in AXES if axis in listed)


def faulty_source(source: str, fault: Fault, *, filename: str) -> str:
    """The truth's own text with the fault's values in place of the true ones.

    Raises:
        UserError: when a value does not stand as a literal in the script.
    """
    for path, value in fault.changes.items():
        edit = edit_value(source, path, value, filename=filename)
        if not edit.in_place:
            raise UserError("the fault's value is not a literal of the script", where=f"{filename}: {path}")
        source = edit.source
    return source
