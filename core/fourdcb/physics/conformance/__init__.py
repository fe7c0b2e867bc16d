"""The engine measured against mechanics: what ``fourdcb doctor --physics`` prints and the tests require."""

from __future__ import annotations

import math
from contextlib import ExitStack
from dataclasses import replace

from fourdcb.physics.bullet.defaults import DefaultsEngine
from fourdcb.physics.conformance.bounces import bounces
from fourdcb.physics.conformance.collisions import cradle, disk, head_on, oblique, striker
from fourdcb.physics.conformance.flight import free_fall, projectile, torque_free
from fourdcb.physics.conformance.row import Case
from fourdcb.physics.conformance.row import ConformanceRow as ConformanceRow
from fourdcb.physics.conformance.settling import stack, tumbling
from fourdcb.physics.conformance.sliding import inclines, rolling, slides
from fourdcb.physics.engine import Engine, make_engine
from fourdcb.physics.rates import JUDGING_HZ, PREVIEW_HZ
from fourdcb.progress import Progress

RATES_HZ = (PREVIEW_HZ, JUDGING_HZ)
CASES: tuple[Case, ...] = (
    free_fall, projectile, torque_free, bounces, slides, inclines, rolling, head_on, oblique, cradle, striker,
    stack, tumbling, disk,
)  # fmt: skip


def run_conformance(
    *,
    rates_hz: tuple[float, ...] | None = None,
    cases: tuple[Case, ...] | None = None,
    defaults: bool = False,
    progress: Progress | None = None,
) -> tuple[ConformanceRow, ...]:
    """Measures every case at every rate.

    Args:
        rates_hz: substeps per second; None is 240 and 960.
        cases: which ones; None is all.
        defaults: also measure Bullet as it comes, for comparison.
        progress: told of every case at every rate.

    Returns:
        Rows in the order of the cases, rates within a case.
    """
    rates_hz = RATES_HZ if rates_hz is None else rates_hz
    cases = CASES if cases is None else cases
    if progress is not None:
        progress.start("physics conformance", len(cases) * len(rates_hz))
    rows: list[ConformanceRow] = []
    with ExitStack() as engines:
        engine = engines.enter_context(make_engine())
        plain = engines.enter_context(DefaultsEngine()) if defaults else None
        for case in cases:
            for rate in rates_hz:
                measured = tuple(case(engine, rate))
                rows += measured if plain is None else _compared(measured, case, plain, rate)
                if progress is not None:
                    progress.advance()
    return tuple(rows)


def _compared(
    rows: tuple[ConformanceRow, ...], case: Case, plain: Engine, rate_hz: float
) -> list[ConformanceRow]:
    other = {row.name: row.measured for row in case(plain, rate_hz)}
    found = [other[row.name] for row in rows]
    return [
        replace(row, default_measured=value if math.isfinite(value) else None)
        for row, value in zip(rows, found, strict=True)
    ]
