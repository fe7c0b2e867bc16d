"""The part of a world that a stage reads: the key of everything that is kept between runs.

Which fields those are follows from the field specs alone (:class:`~fourdcb.world.fields.FieldSpec`,
``part``): a new field is in every key that it belongs to as soon as it says what it is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Literal, overload

from fourdcb.world.contact import is_static
from fourdcb.world.fields import Part, spec_of
from fourdcb.world.model import Object, World

SimulatedStage = Literal["rollout", "pictures", "horizon"]
DrawnStage = Literal["looks"]
READS: Mapping[SimulatedStage | DrawnStage, frozenset[Part]] = {
    "rollout": frozenset({"name", "shape", "motion", "clip"}),
    "looks": frozenset({"shape", "looks", "camera"}),
    "pictures": frozenset({"name", "shape", "motion", "clip", "looks", "level", "camera"}),
    "horizon": frozenset({"name", "shape", "motion", "clip", "camera"}),
}
FileKey = Callable[[Path], object]


@dataclass(frozen=True, slots=True)
class WorldPart:
    """What one stage reads of a world: equal parts give equal results. Hashable; JSON has a form of it.

    Attributes:
        stage: that reads it.
        engine: id and version of the engine, "" where none has a say.
        values: of the fields, nested like the world.
    """

    stage: SimulatedStage | DrawnStage
    engine: str
    values: tuple[Any, ...]


def file_stamp(path: Path) -> tuple[str, int, int]:
    """Path, time of the last change [ns] and size [bytes] of a file; zeros while there is none."""
    try:
        status = path.stat()
    except OSError:
        return str(path), 0, 0
    return str(path), status.st_mtime_ns, status.st_size


@overload
def part_of(world: World, stage: DrawnStage, *, file_key: FileKey = file_stamp) -> WorldPart: ...


@overload
def part_of(
    world: World, stage: SimulatedStage, *, engine: str, file_key: FileKey = file_stamp
) -> WorldPart: ...


def part_of(
    world: World,
    stage: SimulatedStage | DrawnStage,
    *,
    engine: str = "",
    file_key: FileKey = file_stamp,
) -> WorldPart:
    """The part of a world that a stage reads, as a key.

    ======== ==================================================================== =====================
    stage    what is kept under it                                                beside it in the key
    ======== ==================================================================== =====================
    rollout  a trajectory                                                         physics rate
    looks    a compiled renderer: positions come from the trajectory, intensities render settings
             and exposure are factors on what it has drawn
    pictures frames of a clip                                                     rate, render settings
    horizon  the predictability horizon: motion and what the camera sees of it    physics rate
    ======== ==================================================================== =====================

    Args:
        engine: id and version of the engine that simulates; not for ``looks``, which no engine changes.
        file_key: what stands for a mesh or texture file. Default: path, time and size, right within a
            process; give a content hash for what is kept on disk.

    Raises:
        ValueError: when a stage that simulates is not told its engine, or ``looks`` is told one.
    """
    if (stage != "looks") != bool(engine):
        raise ValueError(f"stage {stage!r} with engine {engine!r}: exactly what is simulated has an engine")
    return WorldPart(stage, engine, _values(world, stage, world.base_dir, file_key))


def _values(
    item: Any, stage: SimulatedStage | DrawnStage, base_dir: str, file_key: FileKey
) -> tuple[Any, ...]:
    found: list[Any] = [type(item).__name__]
    if stage == "looks" and isinstance(item, Object):
        found.append(is_static(item))  # what never moves is drawn once
    for name, part, is_file in _read_fields(item.__class__, stage):
        value = getattr(item, name)
        if part == "nested":
            inner = value if isinstance(value, tuple) else (value,)
            value = tuple(_values(i, stage, base_dir, file_key) for i in inner)
        elif is_file and value is not None:
            value = file_key(Path(os.path.abspath(os.path.join(base_dir, value))))
        found.append(value)
    return tuple(found)


@cache
def _read_fields(cls: type[Any], stage: SimulatedStage | DrawnStage) -> tuple[tuple[str, Part, bool], ...]:
    """(name, part, whether it names a file) of the fields of a world's dataclass that a stage reads."""
    read = READS[stage] | {"nested"}
    specs = ((f.name, spec_of(f)) for f in fields(cls))
    return tuple((name, s.part, s.is_file) for name, s in specs if s is not None and s.part in read)
