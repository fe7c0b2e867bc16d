"""The engine measured against mechanics: a fast subset at 960 Hz always, everything when slow tests run."""

from __future__ import annotations

import pytest

from fourdcb.physics.conformance import CASES, FAMILIES, ConformanceRow, run_conformance

FAST = ("free_fall", "projectile", "rolling", "oblique", "inclines", "striker", "cradle")


def check(rows: tuple[ConformanceRow, ...]) -> None:
    failed = [
        f"{row.name}: {row.measured:.6g} {row.unit}, expected {row.expected:.6g} ± {row.tolerance:.3g}"
        for row in rows
        if row.passed is False
    ]
    assert rows
    assert all(row.tolerance is not None for row in rows), "a figure without a bound says nothing"
    assert not failed, "\n".join(failed)


@pytest.mark.parametrize("case", [c for c in CASES if c.__name__ in FAST], ids=lambda c: c.__name__)
def test_conforms_at_the_judging_rate(case) -> None:
    check(run_conformance(rates_hz=(960.0,), cases=(case,)))


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.__name__)
def test_conforms_at_both_rates(case) -> None:
    check(run_conformance(cases=(case,)))


QUICK = (
    "groove", "spin_stop", "rebounds", "glancing", "thin", "leaning", "channel", "mesh_floor", "turns",
    "scales",
)  # fmt: skip


@pytest.mark.parametrize("case", [c for c in FAMILIES if c.__name__ in QUICK], ids=lambda c: c.__name__)
def test_the_contact_solver_conforms_in_whole_families(case) -> None:
    check(run_conformance(engine="contact-solver", rates_hz=(960.0,), cases=(case,)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [c for c in FAMILIES if c.__name__ not in QUICK],
    ids=lambda c: c.__name__,
)
def test_the_contact_solver_conforms_in_every_family(case) -> None:
    check(run_conformance(engine="contact-solver", rates_hz=(960.0,), cases=(case,)))


def test_rows_are_json_with_a_verdict() -> None:
    row = ConformanceRow(name="a", measured=1.02, expected=1.0, tolerance=0.01, unit="m")
    assert row.to_json() == {
        "name": "a", "measured": 1.02, "expected": 1.0, "tolerance": 0.01, "unit": "m",
        "default_measured": None, "passed": False,
    }  # fmt: skip
    assert ConformanceRow(name="b", measured=1.0, expected=9.0, tolerance=None).passed is None
