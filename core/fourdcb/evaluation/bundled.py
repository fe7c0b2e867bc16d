"""The bundled benchmark made anew: videos, candidates, sizes of faults, and the lock that pins them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from fourdcb.dataset import build_scene, load_faults
from fourdcb.dataset.faults import write_sizes
from fourdcb.dataset.layout import REFERENCE_NAME
from fourdcb.errors import UserError
from fourdcb.evaluation.calibration import mend_sizes
from fourdcb.progress import Progress
from fourdcb.render import RenderSettings

FAULTS, TABLES = "faults.yaml", ("faults.yaml", "answers.yaml", "repairs.yaml")
_MINI = "mini"


def make_bundled(root: Path, out: Path, *, check: bool, progress: Progress | None = None) -> Iterator[str]:
    """Play every bundled truth into its folder; what is told is a line a step.

    With ``check`` all faults are judged, and sizes that lie on the wrong side of a threshold are moved. Made
    in the bundled folder itself, the benchmark's lock is written, too.

    Args:
        root: the bundled scenes and their tables.
        out: folder for the scenes; may be ``root``.
        check: whether to judge.
        progress: told of the stages.

    Raises:
        UserError: when a scene is too chaotic to be judged, a fault does not get what it deserves whatever
            its size, or ``out`` cannot be written.
    """
    faults = load_faults(root / FAULTS)
    for name, each in faults.items():
        record = build_scene(
            root / name / REFERENCE_NAME, each, out / name, settings=RenderSettings(), progress=progress
        )
        seen = ", ".join(f"{body} {t:.2f} s" for body, t in record.horizon.items())
        yield f"{record.folder}: {len(record.candidates)} candidates, predictable for {seen}"
    own = out.resolve() == root.resolve()
    if not own:
        _copy_tables(root, out)
    if check:
        moved = mend_sizes(out, faults, progress=progress)
        write_sizes(out / FAULTS, {(one.scene, one.fault): one.values for one in moved})
        for one in moved:
            values = ", ".join(f"{size} {value:g}" for size, value in one.values.items())
            yield f"{one.scene}.{one.fault}: now {values}"
    if own:
        yield f"pinned: {_pin()}"


def _copy_tables(root: Path, out: Path) -> None:
    try:
        for table in TABLES:
            shutil.copyfile(root / table, out / table)
    except OSError as error:
        raise UserError("cannot write a table of the scenes", where=str(out), got=error.strerror) from error


def _pin() -> Path:
    from fourdcb.evaluation.catalog import find_entry, load_benchmarks
    from fourdcb.evaluation.catalog.samples import write_pins
    from fourdcb.evaluation.judge_metric import criteria_record

    bundled = find_entry(load_benchmarks(None), _MINI, what="benchmark")
    return write_pins(bundled, criteria_record(None)["sha256"])
