"""The engine measured against mechanics: what ``fourdcb doctor --physics`` prints and the tests require."""

from __future__ import annotations

import math
from contextlib import ExitStack
from dataclasses import replace

from fourdcb.physics.bullet.defaults import DefaultsEngine
from fourdcb.physics.conformance.bounces import bounces
from fourdcb.physics.conformance.collisions import cradle, disk, head_on, oblique, striker
from fourdcb.physics.conformance.extremes import (
    frame_rates,
    glancing,
    half_space,
    heavy_on_light,
    rebounds,
)
from fourdcb.physics.conformance.flight import free_fall, projectile, torque_free
from fourdcb.physics.conformance.friction import groove, rolling_friction, spin_stop
from fourdcb.physics.conformance.invariance import retold, scales, turns
from fourdcb.physics.conformance.row import Case
from fourdcb.physics.conformance.row import ConformanceRow as ConformanceRow
from fourdcb.physics.conformance.settling import stack, tumbling
from fourdcb.physics.conformance.sliding import inclines, rolling, slides
from fourdcb.physics.conformance.spins import rocking, rolling_disk, thrown, top
from fourdcb.physics.conformance.standing import leaning, resting, thin, toppling
from fourdcb.physics.conformance.surfaces import channel, mesh_floor, standing_in
from fourdcb.physics.engine import DEFAULT_ENGINE, Engine, make_engine
from fourdcb.physics.rates import JUDGING_HZ as JUDGING_HZ
from fourdcb.physics.rates import PREVIEW_HZ
from fourdcb.progress import Progress

RATES_HZ = (PREVIEW_HZ, JUDGING_HZ)
BULLET_DEFAULTS = "bullet-defaults"
CASES: tuple[Case, ...] = (
    free_fall, projectile, torque_free, bounces, slides, inclines, rolling, head_on, oblique, cradle, striker,
    stack, tumbling, disk,
)  # fmt: skip
# Whole families: every azimuth, mass, size and frame rate, turned, mirrored, scaled and reordered scenes.
FAMILIES: tuple[Case, ...] = (
    rolling_friction, groove, spin_stop, rebounds, frame_rates, heavy_on_light, half_space, glancing,
    toppling, thin, resting, leaning, standing_in, mesh_floor, channel, rolling_disk, top, thrown, rocking,
    turns, retold, scales,
)  # fmt: skip


def run_conformance(
    *,
    rates_hz: tuple[float, ...] | None = None,
    cases: tuple[Case, ...] | None = None,
    engine: str = DEFAULT_ENGINE,
    beside: str | None = None,
    progress: Progress | None = None,
) -> tuple[ConformanceRow, ...]:
    """Measures every case at every rate.

    Args:
        rates_hz: substeps per second; None is 240 and 960.
        cases: which ones; None is those of :data:`CASES`.
        engine: the engine that is measured, by its name.
        beside: an engine whose figures stand beside, or :data:`BULLET_DEFAULTS`; None for none.
        progress: told of every case at every rate.

    Returns:
        Rows in the order of the cases, rates within a case.

    Raises:
        UserError: when there is no engine of a name.
    """
    rates_hz = RATES_HZ if rates_hz is None else rates_hz
    cases = CASES if cases is None else cases
    if progress is not None:
        progress.start("physics conformance", len(cases) * len(rates_hz))
    rows: list[ConformanceRow] = []
    with ExitStack() as engines:
        own = engines.enter_context(make_engine(engine))
        other = None
        if beside is not None:
            plain = beside == BULLET_DEFAULTS
            other = engines.enter_context(DefaultsEngine() if plain else make_engine(beside))
        for case in cases:
            for rate in rates_hz:
                measured = tuple(case(own, rate))
                rows += measured if other is None else _compared(measured, case, other, rate)
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
