"""Single-fault candidates: a truth script with one thing said wrong, and what a judge must say of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from fourdcb.dsl import edit_value, parse_script
from fourdcb.errors import UserError
from fourdcb.identity import StrPath, write_output
from fourdcb.metrics.result import AXES, Axis
from fourdcb.world import parameter

FaultSize = Literal["just_under", "just_over", "far"]
SIZES: tuple[FaultSize, ...] = get_args(FaultSize)
_AXIS_KEYS = ("must_fail", "fails_far", "may_fail")
_KEYS = {"parameter", "statement", "bundled", *SIZES, *_AXIS_KEYS}
_LEFT_OUT = "left_out"
_PLACE = "{value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One wrong statement, in three sizes.

    Attributes:
        name: file stem of the candidate.
        parameter: path of the number that is wrong; None for a perfect copy.
        values: the wrong value by size: just within all thresholds, just beyond one, far beyond; empty for
            a perfect copy.
        statement: a line to add to the script, with ``{value}`` in it, for what the truth does not state.
        must_fail: axes that fail from ``just_over`` on; fails_far: axes that fail at ``far`` as well.
        may_fail: axes that may fail beside them; every other axis must pass.
        bundled: whether the scene's folder holds the far candidate as a script.
    """

    name: str
    parameter: str | None = None
    values: Mapping[FaultSize, float]
    statement: str | None = None
    must_fail: frozenset[Axis] = frozenset()
    fails_far: frozenset[Axis] = frozenset()
    may_fail: frozenset[Axis] = frozenset()
    bundled: bool = False

    @property
    def must_pass(self) -> frozenset[Axis]:
        """The axes that have nothing to do with the fault."""
        return frozenset(AXES) - self.must_fail - self.fails_far - self.may_fail

    def failing(self, size: FaultSize) -> frozenset[Axis]:
        """Axes that must fail at a size."""
        by_size = {"just_under": frozenset[Axis](), "just_over": self.must_fail}
        return by_size.get(size, self.must_fail | self.fails_far)

    def passing(self, size: FaultSize) -> frozenset[Axis]:
        """Axes that must pass at a size."""
        return frozenset(AXES) if size == "just_under" else self.must_pass


def load_faults(path: StrPath) -> dict[str, tuple[Fault, ...]]:
    """Faults by scene from a YAML file.

    Raises:
        UserError: when the file is missing, malformed or names an unknown axis.
    """
    return {
        scene: tuple(
            _fault(str(name), entry, where=f"{path}: {scene}.{name}")
            for name, entry in faults.items()
            if name != _LEFT_OUT
        )
        for scene, faults in _table(path).items()
    }


def left_out(path: StrPath) -> dict[str, dict[str, str]]:
    """Faults that a scene cannot show, and why, by scene and name. Raises UserError for a bad file."""
    found: dict[str, dict[str, str]] = {}
    for scene, faults in _table(path).items():
        reasons = faults.get(_LEFT_OUT, {})
        if not isinstance(reasons, dict):
            raise UserError("'left_out' must map faults to reasons", where=f"{path}: {scene}")
        found[scene] = {str(name): str(reason) for name, reason in reasons.items()}
    return found


def _table(path: StrPath) -> dict[str, dict[str, Any]]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    path = Path(path)
    try:
        table = YAML(typ="safe").load(path)
    except (OSError, YAMLError) as error:
        raise UserError("cannot read the fault table", where=str(path), got=str(error)) from error
    if not isinstance(table, dict) or not all(isinstance(faults, dict) for faults in table.values()):
        raise UserError("the fault table is not a mapping of scenes", where=str(path))
    return {str(scene): faults for scene, faults in table.items()}


def _fault(name: str, entry: object, *, where: str) -> Fault:
    if not isinstance(entry, dict):
        raise UserError("a fault is a mapping", where=where, got=type(entry).__name__)
    unknown = set(entry) - _KEYS
    if unknown:
        raise UserError(
            "unknown key", where=where, got=", ".join(map(str, unknown)), expected=", ".join(sorted(_KEYS))
        )
    values = {size: entry[size] for size in SIZES if size in entry}
    whole = "parameter" in entry and len(values) == len(SIZES)
    if not (whole or ("parameter" not in entry and not values)):
        raise UserError("a fault names its parameter and three values", where=where)
    if not all(isinstance(value, int | float) for value in values.values()):
        raise UserError("a fault's values are numbers", where=where)
    statement = entry.get("statement")
    if statement is not None and _PLACE not in str(statement):
        raise UserError("a fault's statement has a place for the value", where=where, expected=_PLACE)
    return Fault(
        name=name,
        parameter=entry.get("parameter"),
        values={size: float(value) for size, value in values.items()},
        statement=statement,
        bundled=bool(entry.get("bundled", False)),
        **{key: _axes(entry.get(key), where) for key in _AXIS_KEYS},
    )


def _axes(names: object, where: str) -> frozenset[Axis]:
    listed = [] if names is None else names
    if not isinstance(listed, list) or not set(listed) <= set(AXES):
        raise UserError("not a list of axes", where=where, got=str(names), expected=", ".join(AXES))
    return frozenset(axis for axis in AXES if axis in listed)


def faulty_source(source: str, fault: Fault, *, filename: str, size: FaultSize = "far") -> str:
    """The truth's own text with the fault's value in place of the true one.

    A value that the text does not state gets a line of its own at the end.

    Raises:
        UserError: when the parameter does not exist or the value is out of its range.
    """
    if fault.parameter is None:
        return source
    value = fault.values[size]
    if fault.statement is not None:
        return f"{source.rstrip()}\n{fault.statement.replace(_PLACE, f'{value:g}')}\n"
    return edit_value(source, fault.parameter, value, filename=filename).source


def start_value(source: str, fault: Fault) -> float:
    """What a truth says in the fault's place; what only the fault states is no light, or one that stays.

    Raises:
        UserError: for a perfect copy, or a parameter that does not exist.
    """
    if fault.parameter is None:
        raise UserError("a perfect copy has no parameter", got=fault.name)
    if fault.statement is None:
        return parameter(parse_script(source).world, fault.parameter).value
    return 0.0 if fault.parameter.endswith("intensity") else 1.0


def write_sizes(path: StrPath, sizes: Mapping[tuple[str, str], Mapping[FaultSize, float]]) -> None:
    """Write other sizes into a fault table, by scene and fault; every other line stays as it is.

    Raises:
        UserError: when the table cannot be read or written, or lacks such a fault.
    """
    from io import StringIO

    from ruamel.yaml import YAML

    _table(path)  # says what is wrong with it
    yaml = YAML()
    yaml.preserve_quotes, yaml.width = True, 10_000
    table = yaml.load(Path(path))
    for (scene, fault), values in sizes.items():
        try:
            table[scene][fault].update({size: values[size] for size in SIZES})
        except KeyError as error:
            raise UserError("there is no such fault", where=str(path), got=f"{scene}.{fault}") from error
    text = StringIO()
    yaml.dump(table, text)
    write_output(Path(path), text.getvalue())
