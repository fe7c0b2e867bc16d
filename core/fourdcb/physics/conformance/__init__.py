"""The engine measured against mechanics: what ``fourdcb doctor --physics`` prints and the tests require."""

from __future__ import annotations

from fourdcb.physics.conformance.bounces import bounces
from fourdcb.physics.conformance.collisions import cradle, disk, head_on, oblique, striker
from fourdcb.physics.conformance.flight import free_fall, projectile, torque_free
from fourdcb.physics.conformance.row import Case
from fourdcb.physics.conformance.row import ConformanceRow as ConformanceRow
from fourdcb.physics.conformance.settling import stack, tumbling
from fourdcb.physics.conformance.sliding import inclines, rolling, slides
from fourdcb.physics.engine import BulletEngine
from fourdcb.progress import Progress

RATES_HZ = (240.0, 960.0)
CASES: tuple[Case, ...] = (
    free_fall, projectile, torque_free, bounces, slides, inclines, rolling, head_on, oblique, cradle, striker,
    stack, tumbling, disk,
)  # fmt: skip


def run_conformance(
    *,
    rates_hz: tuple[float, ...] | None = None,
    cases: tuple[Case, ...] | None = None,
    progress: Progress | None = None,
) -> tuple[ConformanceRow, ...]:
    """Measures every case at every rate.

    Args:
        rates_hz: substeps per second; None is 240 and 960.
        cases: which ones; None is all.
        progress: told of every case at every rate.

    Returns:
        Rows in the order of the cases, rates within a case.
    """
    rates_hz = RATES_HZ if rates_hz is None else rates_hz
    cases = CASES if cases is None else cases
    if progress is not None:
        progress.start("physics conformance", len(cases) * len(rates_hz))
    rows: list[ConformanceRow] = []
    with BulletEngine() as engine:
        for case in cases:
            for rate in rates_hz:
                rows += case(engine, rate)
                if progress is not None:
                    progress.advance()
    return tuple(rows)
